# Live sessions: a person works with an agent until they conclude

error-no-such-session = There is no interactive session “{ $id }”. `nanoclaw session list` shows those that are open.
error-session-over = This session is over: its result is settled, and nobody reads what is written here.
error-session-answering = The agent is answering in the chat of this session. Wait for its answer, or write /stop there, then open the terminal again.
error-session-in-terminal = This session is open in a terminal right now. Go on there, or close Claude Code there and try again.
reason-model-session = the request for this session names it
session-time-up = ⏰ The time of this session is up. You have { $left } to conclude it (`nanoclaw session conclude { $id }`, the page, or the card); then it ends without a result.
session-ended = The session is over. { $how }

# The command line

help-session = Sessions in which you work with an agent and then decide: what is asked for, and how it stands.
help-session-list = The sessions that wait for a conclusion.
help-session-all = Also those that are over.
help-session-show = Everything about a session: the request, what is wanted, what changed in the files, what was concluded.
help-session-xml = As the agent that asked reads it.
help-session-open = Work in a session: in its terminal where its agent is Claude Code, else in its chat. When you leave, you are asked for the conclusion.
help-session-chat = In the chat, also where there is a terminal.
help-session-watch = Only watch the terminal.
help-session-ask = Whether you are asked for the conclusion when you leave.
help-session-conclude = Conclude a session, with exactly one of these.
help-session-cancel = Take a session back. Nothing is decided.
help-session-id = The session: its id, or the last five letters of it.
help-session-approve = Approve.
help-session-reject = Reject.
help-session-notes = A remark with --approve or --reject.
help-session-select = One of the options, as it is written.
help-session-text = A text.
help-session-json = A value as JSON, as the schema wants it.
help-session-file = A file with that JSON.

sessions-none = No session waits for you.
sessions-live = Opened { $since } ago, and going on
sessions-waiting = Nobody has opened it yet
sessions-warned = Its time is up: conclude it now
sessions-how = nanoclaw session open { $id }   nanoclaw session conclude { $id }
sessions-completed = { $name } concluded after { $took }: { $said }
sessions-cancelled = { $name } took it back after { $took }
sessions-timeout = Nobody concluded it in time
sessions-failed = It failed after { $took }
sessions-wants-approval = Wanted: your approval, or your rejection
sessions-wants-selection = Wanted: one of these
sessions-wants-freeform = Wanted: what was decided, in your words
sessions-wants-structured = Wanted: a value with this JSON Schema
sessions-filled = Said so far, and not decided: { $said }
sessions-file-added = New file: { $path }
sessions-file-changed = Changed file: { $path }
sessions-file-removed = Removed file: { $path }
sessions-transcript = What was said:

session-form-head = The conclusion. Enter alone leaves it open.
session-form-head-filled = The conclusion. Enter takes what stands in brackets; Ctrl-D leaves it open.
session-form-said = Said so far, and not decided: { $said }
session-form-approval = (a)pprove or (r)eject
session-form-notes = A remark (Enter: none)
session-form-selection = Which one? Its number, or its text
session-form-text = What was decided?
session-form-raw = The result as JSON
session-form-yes-no = y/n
session-form-list = separated by commas
session-form-unread = “{ $typed }” is not one of the answers here. Try again.
session-left-open = It stays open. Conclude it later: nanoclaw session conclude { $id }
session-chat-hint = You are in the chat of this session. Nothing that is said here decides anything. Ctrl-D leaves, and asks for the conclusion.
terminal-hint = The terminal of this session opens. Ctrl-] (or ~. at the beginning of a line) leaves it; Ctrl-C goes to the agent.
terminal-lost = The connection is lost. Trying again… Ctrl-] leaves.
terminal-back = Connected again.
terminal-watching = Someone else types here. You can watch; when they leave, you can type.
error-session-nothing-to-watch = Nobody works at a terminal of this session now, so there is nothing to watch. Open it without --watch.
error-session-host-away = The host has been away for ten minutes. The session stays open: start the host with nanoclaw up, then open it again.
error-conclude-what = Say what you conclude: --approve, --reject, --select X, --text "…", --json '…' or --file F.
error-conclude-one = Only one conclusion is possible, and there are several: { $given }.
error-conclude-notes = --notes goes with --approve or --reject.
error-conclude-json = This is no JSON: { $said }
