# Questions to people: cards, reminders, what came of them, commands, permits, and what is refused.

question-head-approval = 🔔 **Your decision is needed**
question-head-choice = 🔔 **Your decision is needed**
question-head-input = ✍️ **Your answer is needed**
question-head-review = 📄 **Please look this over**
question-head-escalation = 🆘 **The agent does not know how to go on**
question-head-interactive-session = 🧑‍💻 **A session with you is asked for**
question-risk-publish = 📣 *This publishes something.*
question-risk-destructive = ⚠️ *This destroys something and cannot be undone.*
question-write = ✍️ Answer in your own words: reply to this message, or write your next message here.
question-write-reply = ✍️ Answer in your own words: reply to this message.
question-time-wanted = When? Write it, for example: tomorrow 9:00
question-time-alone = ✍️ When? Write it here, for example: tomorrow 9:00, friday 18:30, in 2 hours, 2027-03-02 08:00
question-time-reply = ✍️ When? Reply to this message with it, for example: tomorrow 9:00, friday 18:30, in 2 hours, 2027-03-02 08:00
error-question-time-unclear = I cannot read "{ $text }" as one time. Write it like this: tomorrow 9:00, friday 18:30, in 2 hours, 2027-03-02 08:00.
error-question-needs-time = Another time: write which one with it, for example: tomorrow 9:00
question-deadline = ⏰ Automatically: { $default } in { $left } ({ $time })
question-deadline-nothing = ⏰ Open for { $left }, until { $time }. Without an answer nothing is decided.
question-cut = 📄 { $hidden } of { $whole } characters are not on this card: { $names }. All of it is in the document { $file } above, and in the inbox.
question-marks = 🔍 `⟨U+…⟩` stands for a letter that a screen hides, or that looks like another one. Look twice before you agree.
question-seen = 📄 Not on this card: { $names }, { $hidden } characters, word for word as { $by } agreed to it here ({ $time }). All of it is in the document { $file } from then, and in the inbox.
question-part-template = the template
question-part-decisions = the decisions
question-part-prompt = the rest of the question
question-part-diff = the rest of the difference
question-part-context = the rest of what it shows
question-foot = `{ $id }` · { $who }
question-votes = 👥 { $needed } people have to agree. So far: { $given }
question-chosen = 👤 *{ $name }: { $label }, { $time }*
question-chosen-and-said = 👤 *{ $name }: { $label }, { $time }:* { $said }
question-answered = 👤 *{ $name }, { $time }:* { $said }
question-timeout = ⏰ *Time-out at { $time }. Chosen: { $label } (by default; nobody decided)*
question-timeout-nothing = ⏰ *Time-out at { $time }. Nobody answered, and nothing was decided.*
question-cancelled = ✖️ *Taken back at { $time }*
question-reminder = ⏰ Waiting for your decision…
question-reminder-cut = { $hidden } more characters are on the card above.
question-reminder-last = ⏰ The last reminder. Automatic choice in { $left }.
question-taken = Noted: { $label }
question-not-heard = I could not make out what you said. Please write your answer, or say it again.
vote-counted = Counted: { $given } of { $needed }. Others have to agree.
button-ask-again = 🔁 Ask again
span-seconds = { $count ->
        [one] a second
       *[other] { NUMBER($count, useGrouping: 0) } seconds
    }
span-minutes = { NUMBER($count, useGrouping: 0) } min
span-hours = { NUMBER($count, useGrouping: 0) } h
span-days = { $count ->
        [one] a day
       *[other] { NUMBER($count, useGrouping: 0) } days
    }

option-approve = ✅ Approve
option-reject = ❌ Reject
option-now = Now
option-tomorrow = Tomorrow 9:00
option-monday = Monday 9:00
option-custom = Another time
option-pass = ✅ Pass
option-fix-minor = ✏️ Fix minor
option-rework = 🔁 Rework
option-proceed = ✅ Proceed
option-adjust = ✏️ Adjust
option-cancel = ❌ Cancel
option-once = ✅ Once
option-session = ✅ This session
option-always = ✅ Always

tool-question = The agent wants to use **{ $tool }**, with exactly these arguments:

command-inbox = questions that wait for you
command-decide = decide a question
command-away = someone else decides for you meanwhile
command-back = you are back
command-quiet = hours in which nothing makes a sound
command-permits = what agents may do without asking
command-revoke = take a permit back
inbox-head = Questions that wait for you:
inbox-head-none = Nothing waits for your decision.
inbox-line = - `{ $id }` { $question } · { $options } · until { $time }
permits-head = What agents may do without asking:
permits-head-none = Agents have no permits: whatever a rule names is asked about each time.
permit-line = - `{ $id }` { $group }: { $what } · { $scope ->
        [once] once
        [session] in one session
       *[always] always
    } · { $name } · until { $until }
permit-revoked = Taken back: { $what }
away-set = You are away until { $time }, and are not asked until then. Nobody decides for you: `/away until monday @other` names someone.
away-set-with = You are away until { $time }. { $name } decides for you.
away-not = You are not away. `/away until monday @other` lets someone else decide for you until then.
away-back = Welcome back. You are asked again.
quiet-now = Quiet hours: { $hours }. Cards come without a sound then, and reminders wait.
quiet-not = You have no quiet hours. `/quiet 22:00-07:00` sets some.

why-question-asked = The agent asked people: { $question } ({ $id })
why-question-decided = { $status ->
        [completed] { $name } decided: { $chosen }
        [timeout] Nobody decided in time; by default: { $chosen }
        [failed] The question came to nothing
       *[cancelled] The question was taken back
    }
why-answer-brought = { $status ->
        [completed] The answer of { $name } woke the agent
        [timeout] That nobody answered woke the agent
       *[cancelled] That the question was taken back woke the agent
    }
why-answers = It answers the question: { $question }
audit-question-completed = decided "{ $question }": { $chosen }
audit-question-timeout = nobody decided "{ $question }" in time; by default: { $chosen }
audit-question-cancelled = took back "{ $question }"
audit-question-failed = "{ $question }" came to nothing
audit-away = is away until { $until }{ $delegate ->
    [none] {""}
   *[other] ; stands in: { $delegate }
 }
audit-back = is back
audit-permit-revoked = took back the permit for { $tool } ({ $rule }) in { $group }

error-no-such-question = There is no question { $id }. /inbox in a chat, or nanoclaw inbox, shows those that are open.
error-question-not-as-shown = It is no longer what its card shows, so nothing was decided. Whoever asked has to ask again.
error-question-forbidden = This is not yours to decide: owners and the admins of the agent group do.
error-no-such-option = There is no choice { $choice }. There are: { $known }.
error-question-needs-option = Choose one of: { $known }.
error-question-late-timeout = This was decided by time-out at { $time } ({ $label }). Ask again?
error-question-late-nothing = The time for this was over at { $time }, and nothing was decided. Ask again?
error-question-late-decided = { $name } decided this already at { $time }: { $label }.
error-question-late-cancelled = This question was taken back at { $time }.
error-question-asked-again = It was asked again already; see the newer card.
error-decide-how = Write the question and the choice: /decide ab12c approve
error-away-to-oneself = That is you. Name someone else, or nobody: /away until monday
error-no-such-permit = There is no permit { $id }. /permits in a chat, or nanoclaw permits, shows them.
error-permit-which = Which permit? Write its id after the command, as /permits shows it.
error-not-a-session = This is no interactive session: decide it instead.
error-session-not-over = A session is concluded as completed, cancelled, timeout or failed.
error-away-to-stranger = { $name } has no role here. Make them a member of the agent group first, or name someone else.
error-question-not-timed-out = Only a question that ran out of time can be asked again.
reason-not-heard = the voice could not be made out
question-reminder-end = ⏰ The last reminder. The time is over in { $left }.
question-failed = ✖️ *Came to nothing at { $time }*
error-question-late-failed = This came to nothing at { $time }.
crossing-asked = The agent of { $own } wants to use { $tool } for { $target }, which belongs to another company: { $company }.
tool-asked = The agent wants to use { $tool }: { $what }
tool-asked-check = The agent wants a task to run this by itself: { $what }
tool-runs-later = ⏰ as the check of a task: it runs by itself, each time before the task
tool-file = 📄 { $path } · { NUMBER($size, useGrouping: 0) } B · sha256 { $hash }
tool-file-big = 📄 { $path } · { NUMBER($size, useGrouping: 0) } B · too big to read; noticed when it changes
tool-files-more = 📄 and { $count ->
        [one] { NUMBER($count, useGrouping: 0) } more file
       *[other] { NUMBER($count, useGrouping: 0) } more files
    }
away-back-not = You were not away.
inbox-words = in your own words
error-question-needs-words = This question has no choices: answer in your own words.
