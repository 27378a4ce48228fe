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
memory-decisions-none = No such decision.
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
memory-corrected = Corrected; it is `{ $id }` now. Before: { $old }
memory-forgotten = Forgotten: { $old } An admin can bring it back on the page Memory, or with `{ $command } memory restore { $id }`.
memory-proposed = That is for an admin to decide. They were asked about: { $old }
error-remember-how = Write what to remember after the command: /remember We ship on Fridays. A decision begins with "decision:".
error-correct-how = Write which entry, and what is right: /correct k3v9 We ship on Fridays. /memory and a few words find the entry.
error-forget-how = Write which entry: /forget k3v9. /memory and a few words find it.
error-memory-here-off = Memory is off in this chat. An admin can change that: /chat_memory write.
error-memory-here-read = Memory can only be read in this chat. An admin can change that: /chat_memory write.
error-memory-no-agent = You are not a member of any agent group in this chat, so there is no memory to look at.
