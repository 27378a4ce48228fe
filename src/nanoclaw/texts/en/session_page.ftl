# The page of interactive sessions. The page's scripts use these, so: simple variables, no selectors.

console-sessions = Sessions
console-sessions-about = Somebody asks you to work on something with an agent and to conclude it yourself. Nothing counts but your conclusion.
console-sessions-none = No session waits for you. Agents, pipelines and programs can ask for one.
console-sessions-earlier = Earlier
console-sessions-asked = Request

console-session-wants-approval = Approve or reject
console-session-wants-selection = Choose one
console-session-wants-freeform = Write the result
console-session-wants-structured = Fill in a form
console-session-new = not opened yet
console-session-opened = under way
console-session-left = { $left } left
console-session-warned = The time is over: conclude within a minute
console-session-enter = Open the session

console-session-request = Request
console-session-chat = Chat
console-session-terminal = Terminal
console-session-files = Files
console-session-files-changed = Files that changed: { $count }
console-session-xml = As the agent that asked reads it
console-session-cancel-title = Take this session back?
console-session-cancel-sentence = Nobody can conclude it any more. Whoever asked is told that nothing was decided.

console-session-open-hint = The session begins when you open it: the agent reads the request, and you work on it together.
console-session-open-chat = Open the session here
console-session-or-terminal = Or open it in the terminal, where you have the agent’s own screen.
console-session-never-opened = Nobody opened this session.
console-session-over = The session is over. Nobody can write here any more.

console-session-files-none = Nothing has changed since the session was opened.
console-session-files-again = Look again
console-session-files-later = Once the session is open, you see here which files it changes.
console-session-file-added = new
console-session-file-changed = changed
console-session-file-removed = removed
console-session-file-unread = There is no difference to show: it is not text, or too long.

console-session-connecting = Connecting …
console-session-watching = Somebody else is typing here. You are watching; when they leave, the keyboard is yours.
console-session-terminal-over = The terminal has ended.
console-session-terminal-again = Open the terminal again

console-session-conclusion = Conclusion
console-session-conclude = Conclude
console-session-approve = Approve
console-session-reject = Reject
console-session-notes = Notes (optional)
console-session-choose = Choose one of these first.
console-session-text = Your conclusion
console-session-leaning-approved = From what was said, it looks like a yes. It is you who decides.
console-session-leaning-rejected = From what was said, it looks like a no. It is you who decides.
console-session-attempts = It did not fit. Attempts left: { $count }
console-session-look-again = Look at the marked fields first.
console-session-field-missing = Fill this in.
console-session-field-least = At least { $number }
console-session-field-most = At most { $number }
console-session-field-short = At least { $count } characters
console-session-field-whole = A whole number
console-session-field-form = It has to look like this: { $form }
console-session-keys = Keys for the terminal
console-session-list-hint = One per line
console-session-said = { $name } said:
console-session-not-chosen = (not chosen)
console-session-as-json = Write it as JSON
console-session-as-form = Back to the form
console-session-json = The conclusion as JSON
console-session-not-json = “{ $name }” is not JSON yet. Look for a missing quote, comma or bracket.
console-session-schema = The JSON Schema that it has to fit

console-session-by = Decided by
console-session-after = After
console-session-worked = Time in the session
console-session-error = What went wrong
console-session-transcript = What was said in the session

session-approved = Approved
session-rejected = Rejected
asker-agent = an agent
asker-program = a program
error-terminal-frame = The terminal was sent something that it does not understand. Open it again.
error-no-terminal = The agent of this session has no terminal. Work with it in the chat.
