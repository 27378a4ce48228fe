# Interactive sessions: their cards and conclusions.

option-approved = ✅ Approve
option-rejected = ❌ Reject
session-open = 🖥 To look into it with an agent: `nanoclaw session open { $id }` in a terminal, or on the page: <{ $address }>
session-outcome-approval = It ends when you approve or reject. What you write in reply is only noted.
session-outcome-selection = It ends when you choose one. What you write in reply is only noted.
session-outcome-freeform = It ends with a text of yours: write it in reply to this message, then conclude with it.
session-outcome-structured = It ends with an answer in a given form: fill it in on the page or in the terminal, or reply with it as JSON.
session-filled = 📝 Noted, from { $name }; nothing is decided by this yet:
session-filled-cut = ⚠️ { $hidden } characters of the conclusion are not on this card. Conclude on the page or in the terminal, where all of it is.
session-filled-unfit = ⚠️ This cannot be the conclusion yet: { $why }
session-filled-unclear = it is not clear what is decided.
session-words-kept = Noted. It decides nothing until someone concludes.
session-concluded = Concluded.
button-conclude = ✅ Conclude with this
question-failed-why = ✖️ *Came to nothing at { $time }:* { $why }
error-session-not-filled = There is nothing to conclude with yet. Write the conclusion first, or fill it in on the page.
error-outcome-unfit = This is not what was asked for: { $why } Please try again.
error-outcome-failed = This is not what was asked for either: { $why } The session has failed, and whoever asked for it is told.
why-session-ended = { $status ->
        [completed] { $name } concluded the session after { $after }: { $chosen }
        [timeout] Nobody concluded the session in time
        [failed] The session failed after { $after }
       *[cancelled] The session was taken back
    }
misfit-no-json = It holds something that JSON cannot: NaN, Infinity, or a value that is none of its types.
misfit-deep = It is nested too deep. Make it flatter.
misfit-big = It has { NUMBER($size, useGrouping: 0) } kB; at most { NUMBER($most, useGrouping: 0) } kB are kept. Put the rest into a file.
misfit-approval = An approval ends with `approved` or `rejected`, not with { $given }.
misfit-selection = It must be one of { $known }, not { $given }.
misfit-text = It must be a text, and not an empty one.
misfit-text-long = The text has { NUMBER($length, useGrouping: 0) } characters; at most { NUMBER($most, useGrouping: 0) } are allowed.
misfit-schema = { $said }
misfit-required = this is missing.
misfit-type = this must be of the type { $limit }.
misfit-enum = this must be one of { $limit }.
misfit-format = this is not in the form { $limit }.
misfit-pattern = this does not look as it must: { $limit }.
misfit-short = this is too short: at least { $limit }.
misfit-long = this is too long: at most { $limit }.
misfit-least = this must be at least { $limit }.
misfit-most = this must be at most { $limit }.
misfit-extra = there is something here that does not belong: { $said }.
error-session-filled-anew = What is filled in has changed since this card was shown. Look at it again, then conclude.
inbox-how-session = Look into it with an agent, and conclude it: { $command } session open { $id }
inbox-session = a session, concluded from its card or the page
