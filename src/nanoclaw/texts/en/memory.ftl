# What a company knows: the commands of memory, its page, and the memory of a chat.

command-chat-memory = what the agents here may do with the memory of their company
memory-mode-off = the agents neither use nor change memory
memory-mode-read = the agents use memory but change nothing
memory-mode-write = the agents use memory and remember
audit-memory-set = set the memory of { $chat } from { $before } to { $after }
help-chats-memory = Set what the agents of a chat may do with the memory of their company.
help-memory-mode = off: they neither use nor change it. read: they use it. write: they use it and remember.
console-chats-memory = Memory
console-memory-mode-write = Agents use it and remember
console-memory-mode-read = Agents only read it
console-memory-mode-off = Off

command-memory = what the company knows about something
command-decisions = what was decided
command-remember = remember something
command-correct = correct something that is remembered
command-forget = forget something

memory-kind-fact = fact
memory-kind-decision = decision
memory-kind-preference = preference
memory-kind-priority = priority
memory-kind-activity = activity
memory-kind-context = context
memory-hearsay = hearsay
memory-public = public
memory-expired = expired
memory-found = Found:
memory-found-none = Nothing fits these words.
memory-newest = The newest:
memory-newest-none = Nothing but activity yet.
memory-decisions = Decided:
memory-decisions-none = No decisions found.
memory-empty = { $company } remembers nothing yet. Write `/remember` and what to remember.
memory-counts = { $company } remembers { $total ->
        [one] one thing
       *[other] { $total } things
    }: { $kinds }.
memory-much = { $company } remembers more than { $total } things.
memory-count-fact = { $count ->
        [one] one fact
       *[other] { $count } facts
    }
memory-count-decision = { $count ->
        [one] one decision
       *[other] { $count } decisions
    }
memory-count-preference = { $count ->
        [one] one preference
       *[other] { $count } preferences
    }
memory-count-priority = { $count ->
        [one] one priority
       *[other] { $count } priorities
    }
memory-count-activity = { $count ->
        [one] one activity
       *[other] { $count } activities
    }
memory-kept-fact = Remembered as `{ $id }`.
memory-kept-decision = Remembered as decided: `{ $id }`. Agents follow it.
memory-kept-preference = Remembered as a preference: `{ $id }`.
memory-kept-priority = Remembered as a priority: `{ $id }`.
memory-left-out = 🔒 Memory keeps no secrets and no personal data: { $marks } stands there instead. Your message still has the words: delete it if others read this chat.
memory-corrected = Corrected; it is `{ $id }` now. Before: { $old }
memory-forgotten = Forgotten: { $old }

    An admin can bring it back on the page Memory, or with `{ $command } memory restore { $id }`.
memory-proposed = That is for an admin to decide. They were asked about: { $old }
error-remember-how = Write what to remember after the command: /remember We ship on Fridays. A decision begins with "decision:".
error-correct-how = Write which entry, and what is right: /correct k3v9 We ship on Fridays. /memory and a few words find the entry.
error-forget-how = Write which entry: /forget k3v9. /memory and a few words find it.
error-memory-here-off = Memory is off in this chat. An admin can change that: /chat_memory write.
error-memory-here-read = Memory can only be read in this chat. An admin can change that: /chat_memory write.
error-memory-no-agent = You are not a member of any agent group in this chat, so there is no memory to look at.

# On the command line

help-memory = What the companies know: search it, correct it, forget, take back, and look after its files.
help-memory-search = Find what fits the words; without words: the newest.
help-memory-words = What to look for.
help-memory-kind = fact, decision, preference, priority or activity.
help-memory-topic = Its topic.
help-memory-domain = Its domain, such as marketing or sales.
help-memory-person = Whoever said it: their handle, @name or number.
help-memory-source = Where it came from, such as telegram or web.
help-memory-trusted = Only what a member said, or only hearsay.
help-memory-since = From then on: 2026-11-16, "2026-11-16 08:00", or 3d before now.
help-memory-until = Before then.
help-memory-past = Also what was corrected, forgotten or has expired.
help-memory-offset = Leave out so many of the first.
help-memory-company = The company. Without it: that of the main agent group.
help-memory-show = The story of an entry: who said it, where, what it replaced, which prompts it was in.
help-memory-id = The entry: its id, or the last letters of it, four at least.
help-memory-stats = How much a company remembers, and where.
help-memory-add = Remember something.
help-memory-text = What is to be remembered.
help-memory-public = May be told to strangers.
help-memory-expires = Until when it holds, such as 2026-12-31.
help-memory-correct = Replace an entry by what is right.
help-memory-forget = Forget an entry. "restore" brings it back.
help-memory-restore = Bring back what was forgotten, or undo a correction.
help-memory-revert = Take back everything that came from a turn, from a person, or since a moment. Shows it first.
help-memory-revert-turn = The turn, as "memory show" and "why" name it.
help-memory-revert-person = The person: handle, @name or number.
help-memory-revert-since = Everything from then on.
help-memory-yes = Do not ask.
help-memory-import = Remember what is in a file: lines of JSON, or Markdown or text with one entry a line.
help-memory-file = The file; - for standard input.
help-memory-preview = Only say what would be taken.
help-memory-verify = Check the files and the index. Ends with 1 when something is wrong.
help-memory-compact = Put the files in order now: duplicates, what has expired, and the archive.
help-memory-rebuild = Build the index anew from the files.
help-memory-purge = Really remove an entry: from the files, the index and the local git history. Nothing brings it back.
help-memory-purge-confirm = The whole id once more, instead of typing it.
help-memory-quarantine = Lines that could not be used, with the reason.
help-memory-change = The line, by the id that the list shows.
help-memory-drop = Drop such a line.
help-memory-mend = Add such a line after mending it.
help-memory-line = The line as it should be: a JSON object, or plain words for a fact.

memory-state-live = live
memory-state-superseded = replaced
memory-state-forgotten = forgotten
memory-of-company = Company
memory-of-domain = Domain
memory-of-related = About
memory-of-source = Came by
memory-of-expires = Holds until
memory-of-file = File
memory-of-said = Said by
memory-of-replaced = Replaced
memory-of-replaced-by = Replaced by
memory-of-used = Used in { $count ->
        [one] one prompt:
       *[other] { $count } prompts:
    }
memory-of-line = Line
memory-act-add = remembered
memory-act-correct = corrected
memory-act-forget = forgotten
memory-act-restore = brought back
memory-act-purge = purged
memory-act-activity = noted
memory-act-section = written to CLAUDE.md
memory-change-asked = waits for an admin
memory-change-waiting = is being written
memory-change-written = written
memory-change-quarantined = in quarantine
memory-change-refused = refused
memory-added = Remembered:
memory-done-correct = Corrected:
memory-done-forget = Forgotten. To bring it back: { $command } memory restore { $id }
memory-done-restore = Brought back:
memory-result-waiting = { $id } is accepted and will be written as soon as the company's writer has time.
memory-result-asked = { $id } waits for a decision: { $command } inbox
memory-result-quarantined = { $id } was put into quarantine: { $why }
memory-result-refused = { $id } was refused: { $why }
memory-stats = { $company } remembers { $live ->
        [one] one thing
       *[other] { $live } things
    }:
memory-stats-hearsay = Hearsay among it: { $count }
memory-stats-public = Public among it: { $count }
memory-stats-waiting = Not written yet: { $count }
memory-stats-quarantined = In quarantine: { $count }. See: { $command } memory quarantine
memory-stats-lines = { $count ->
        [one] one line
       *[other] { $count } lines
    }
memory-revert-none = Nothing came from there.
memory-revert-sure = Take back { $count ->
        [one] this entry?
       *[other] these { $count } entries?
    } (y/N)
memory-revert-not = Nothing was changed. With --yes it is done.
memory-reverted = { $count ->
        [one] One entry was taken back.
       *[other] { $count } entries were taken back.
    }
memory-imported = { $taken ->
        [one] One entry was taken in;
       *[other] { $taken } entries were taken in;
    } known already: { $known }.
memory-imported-preview = { $taken ->
        [one] One entry would be taken in;
       *[other] { $taken } entries would be taken in;
    } known already: { $known }.
memory-imported-not = Line { $line } was left out: { $why }
memory-verified = The memory of { $company } is sound: { $entries ->
        [one] one entry.
       *[other] { $entries } entries.
    }
memory-verified-not = The memory of { $company } has { $count ->
        [one] one problem.
       *[other] { $count } problems.
    }
memory-rebuilt = The index of { $company } was built anew: { $entries ->
        [one] one entry.
       *[other] { $entries } entries.
    }
memory-purge-sure = This cannot be undone. Type the id { $id } to remove it for good:
memory-purge-not = That is not the id. Nothing was removed.
memory-purged = { $id } is gone.
memory-purge-still = The same words stand in { $where }; remove them there yourself.
memory-purge-history = The history of git still has the words: { $why }
memory-purge-remote = The git remote still has the words. To remove them there:
memory-quarantine-none = Nothing lies in quarantine.
memory-dropped = Dropped.
error-memory-no-time = "{ $time }" is not a time. Write 2026-11-16, "2026-11-16 08:00", or a span such as 3d.
error-memory-cannot-read = { $file } cannot be read: { $said }
error-memory-file-big = { $file } is bigger than { $megabytes } MB. Split it.
error-memory-purge-confirm = Purging cannot be undone. Repeat the id: --confirm { $id }
error-memory-not-in-quarantine = That line is not in quarantine any more.
error-memory-line-bad = The line still cannot be used: { $why }
error-memory-no-company = There is no company { $company }. Known: { $known }.
audit-memory-line-dropped = dropped a line of the memory of { $company } that could not be used
audit-memory-line-mended = mended a line of the memory of { $company } that could not be used

# On the page

console-memory = Memory
console-memory-entries = Entries
console-memory-notes = CLAUDE.md
console-memory-quarantine = Quarantine
console-memory-company = Company
console-memory-words = Search what the company knows
console-memory-filters = Filters
console-memory-any = Any
console-memory-kind = Kind
console-memory-kind-fact = Fact
console-memory-kind-decision = Decision
console-memory-kind-preference = Preference
console-memory-kind-priority = Priority
console-memory-kind-activity = Activity
console-memory-kind-context = Context
console-memory-trust = Trust
console-memory-trusted-yes = Said by members
console-memory-trusted-no = Hearsay
console-memory-topic = Topic
console-memory-person = Person
console-memory-source = Source
console-memory-since = From
console-memory-until = To
console-memory-past = Also what was corrected, forgotten or has expired
console-memory-clear = Clear filters
console-memory-found-none = Nothing fits.
console-memory-none = The company remembers nothing yet. Talk with its agents, or add something.
console-memory-state-superseded = Replaced
console-memory-state-forgotten = Forgotten
console-memory-expired = Expired
console-memory-hearsay = Hearsay
console-memory-binding = Binding
console-memory-public = Public
console-memory-add = Add
console-memory-add-title = Remember something
console-memory-text = What is to be remembered
console-memory-public-tick = May be told to strangers
console-memory-correct = Correct
console-memory-correct-text = What is right
console-memory-correct-save = Save
console-memory-forget = Forget
console-memory-undo-forgotten = Bring back
console-memory-undo-superseded = Undo the correction
console-memory-told-add = It is remembered.
console-memory-told-correct = Corrected.
console-memory-told-forget = Forgotten. You can bring it back.
console-memory-told-restore = It is back.
console-memory-told-drop = The line was dropped.
console-memory-result-waiting = Accepted; it will be written in a moment.
console-memory-result-asked = It waits for a decision in the inbox.
console-memory-result-quarantined = It was put into quarantine.
console-memory-result-refused = It was refused.
console-memory-entry = What is remembered
console-memory-message = Said in
console-memory-of-id = Id
console-memory-of-company = Company
console-memory-of-who = Said by
console-memory-of-trust = Trust
console-memory-of-when = When
console-memory-of-domain = Domain
console-memory-of-topic = Topic
console-memory-of-related = About
console-memory-of-source = Came by
console-memory-of-confidence = Confidence
console-memory-of-expires = Holds until
console-memory-of-file = File
console-memory-trust-owner = The owner said it
console-memory-trust-member = A member said it
console-memory-trust-hearsay = Hearsay: of a stranger, a file, a web page or a tool
console-memory-replaced = What it replaced
console-memory-replaced-by = What replaced it
console-memory-changes = What happened to it
console-memory-act-add = remembered
console-memory-act-correct = corrected
console-memory-act-forget = forgotten
console-memory-act-restore = brought back
console-memory-act-purge = purged
console-memory-act-activity = noted
console-memory-act-section = written to CLAUDE.md
console-memory-change-asked = waits for an admin
console-memory-change-waiting = is being written
console-memory-change-quarantined = in quarantine
console-memory-change-refused = refused
console-memory-uses = Prompts it was used in
console-memory-uses-none = None yet.
console-memory-line = The line itself
console-memory-notes-sentence = What the agents of the company always keep in mind. You can edit the file yourself:
console-memory-notes-none = There is no CLAUDE.md. The first note makes it.
console-memory-notes-empty = Nothing yet.
console-memory-quarantine-sentence = Lines that could not be used are kept here as they came, until you mend or drop them.
console-memory-quarantine-none = Nothing lies in quarantine.
console-memory-raw = The line as it came
console-memory-mend = Mend and add
console-memory-mend-line = The line as it should be: a JSON object, or plain words for a fact
console-memory-mend-save = Add
console-memory-drop = Drop
console-memory-drop-title = Drop this line?
console-memory-drop-sentence = It was never used, and nothing else keeps it.

# Why, and what was done

memory-reason-dropped = { $name } dropped it.
memory-reason-mended = It was mended and added as { $id }.
memory-reason-declined = It was not agreed to.
memory-reason-conflict = It contradicts { $id }.
memory-reason-masked = Masked: { $kinds }.
memory-line-encoding = The line is not UTF-8.
memory-line-json = The line is not JSON.
memory-line-shape = The line is neither a fact nor a decision.
memory-line-field = A field is missing or holds something else: { $field }.
memory-line-empty = It says nothing: { $field } is empty.
memory-line-long = The line is too long.
memory-line-torn = The end of the line is missing.
memory-line-not-a-file = There is a link, a pipe or a folder in place of the file.
memory-line-company-gone = The folder of the company is gone.
memory-line-other = It could not be used ({ $fault }).
memory-under-way = It is under way and will be finished in the background.
memory-compacted = Maintenance of { $company }: duplicates { $doubles }, expired { $expired }, archived { $archived }.
error-memory-purge-failed = It could not be purged: { $why }
error-several-memories = Several entries end with { $id }: { $known }. Write more of the id.

memory-problem-bad-line = { $detail }
memory-problem-repeated-id = The id { $id } stands twice with different words; the first line counts.
memory-problem-repeated-line = The same line stands twice ({ $id }); it counts once.
memory-problem-unknown-id = { $id } refers to { $detail }, which is not there.
memory-problem-future = { $id } has a time in the future.
memory-problem-purged = { $id } was purged, and is back.
memory-problem-not-indexed = { $id } is in the files but not in the index. To mend it: { $command } memory rebuild
memory-problem-not-in-files = { $id } is in the index but not in the files. To mend it: { $command } memory rebuild
memory-problem-sections-big = CLAUDE.md is longer than it should be: { $detail }.
memory-problem-sections-unreadable = CLAUDE.md cannot be read.
audit-memory-imported = took { $entries } entries into the memory of { $company }
