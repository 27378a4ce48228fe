# The terminals of live sessions

error-session-terminal-elsewhere = The terminal of this session runs on another host of this workspace. Open it there, or close Claude Code there first.
terminal-ended-exited = Claude Code was closed. The session is still open: open it again to go on, or conclude it.
terminal-ended-over = The session is over.
