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
