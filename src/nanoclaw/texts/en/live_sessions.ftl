# Live sessions: a person works with an agent until they conclude

error-no-such-session = There is no interactive session “{ $id }”. `nanoclaw session list` shows those that are open.
error-session-over = This session is over: what it came to is decided, and nobody reads on here.
error-session-answering = The agent is answering in the chat of this session. Wait for its answer, or write /stop there, then open the terminal again.
error-session-in-terminal = This session is open in a terminal right now. Go on there, or close Claude Code there and try again.
reason-model-session = the request for this session names it
session-time-up = ⏰ The time of this session is up. You have { $left } to conclude it (`nanoclaw session conclude { $id }`, the page, or the card); then it ends without a result.
session-ended = The session is over. { $how }
