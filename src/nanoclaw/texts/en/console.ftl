# What the web console says. The page's scripts use these too, so: simple variables, no selectors.

console-product = NanoClaw OS
console-nav = Pages
console-nav-chat = Chat
console-skip = Skip to the message box
console-close = Close
console-cancel = Cancel
console-save = Save
console-try-again = Try again

console-theme-auto = Colours: as on this device
console-theme-light = Colours: light
console-theme-dark = Colours: dark

console-locked-title = This console is locked
console-locked-sentence = Run this command on the computer where NanoClaw OS lives, then open the link it prints.
console-locked-command = { $command } status

console-rooms = Rooms
console-rooms-open = Show rooms
console-room-new = New room
console-room-rename = Rename room
console-room-name = Name
console-unread = new messages

console-conversation = Conversation
console-conversation-start = This is where the conversation begins
console-loading-older = Loading earlier messages…
console-loading-older-failed = Earlier messages could not be loaded. Scroll up to try again.
console-new-messages = New messages
console-to-end = Go to the newest message
console-table = Table
console-agent = Agent
console-announce = { $name }: { $text }

console-welcome-title = What shall we begin with?
console-welcome-sentence = Write anything below, or pick one of these.
console-suggestion-1 = What can you do?
console-suggestion-2 = How much is the office plan?
console-suggestion-3 = /demo
console-suggestion-4 = /help

console-composer-label = Write a message
console-composer-hint = Enter sends · Shift + Enter starts a new line
console-send = Send

console-state-sending = sending…
console-state-waiting = waiting
console-state-waiting-place = waiting, number { $place } in the queue
console-state-running = working on it…
console-state-streaming = writing…
console-state-refused = refused
console-state-failed = failed
console-state-silent = left without an answer
console-state-stopped = stopped
console-state-pending = not delivered yet
console-retry = Retry
console-copy = Copy
console-copied = Copied

console-why = Why?
console-why-title = What happened
console-why-loading = Looking it up…

console-reconnecting = Reconnecting…
console-error-network = NanoClaw OS cannot be reached right now.
console-error-server = Something went wrong on the server.
console-error-sending = Not sent. { $error }

# How long something took or still takes: 850 ms, 10.8 s, 12 min, 2 h, 2 days.
console-span-millisecond = { $count } ms
console-span-second = { $count } s
console-span-minute = { $count } min
console-span-hour = { $count } h
console-span-day-one = { $count } day
console-span-day-few = { $count } days
console-span-day-many = { $count } days
console-span-day-other = { $count } days

console-stop = Stop
console-stop-title = Stop what the agent is doing (Esc)
console-activity = What the agent does
console-tool-running = running
console-tool-done = done
console-tool-failed = failed
console-tool-cut = cut off
console-tool-output = What it printed
console-tools-one = { $count } tool
console-tools-few = { $count } tools
console-tools-many = { $count } tools
console-tools-other = { $count } tools
console-spent = { $input } in, { $output } out, { $money }
console-tools-and-spent = { $tools }, { $money }

console-connections = Connections
console-connections-title = Connections to the outside
console-connections-loading = Looking them up…
console-connections-none = Nothing in a box has asked for a connection yet. A group gets network when its group.toml names the hosts: network = ["api.example.com"].
console-connections-more = Show earlier ones
console-connections-time = Time
console-connections-group = Group
console-connections-host = Host
console-connections-verdict = Verdict
console-connections-bytes = Bytes
console-connections-duration = Duration
console-verdict-allowed = allowed
console-verdict-not-listed = not listed
console-verdict-private = own network
console-verdict-unresolved = unknown name
console-verdict-failed = failed
console-costs = Model calls: today { $today }, this month { $month }.

# Said by the API.
error-no-such-file = There is no such file in this room, or it is no longer kept.

# For texts/en/console.ftl: the "Telegram" panel of the page.
console-bots = Telegram
console-bots-list = Connected bots
console-bots-loading = Looking up the bots…
console-bots-none = No bot is connected yet.
console-bots-works = Works
console-bots-connect-title = Connect a bot
console-bots-token-hint = Write /newbot to @BotFather in Telegram, choose a name, and paste here the token it gives you.
console-bots-botfather = Open @BotFather
console-bots-token = Token of the bot
console-bots-token-missing = Paste the token first; @BotFather gives you one after /newbot.
console-bots-connect = Connect
console-bots-connecting = Connecting…
console-bots-connected = { $bot } is connected.
console-bots-pair = New pairing code
console-bots-pairing = Become an owner
console-bots-pairing-sentence = Send this to { $bot }. Whoever sends it first is an owner of this host from then on.
console-bots-pairing-until = Good until { $until }, { $left } from now.
console-bots-pairing-over = The code is too old now. Take a new one.
console-bots-open = Open in Telegram
console-bots-scan = Or point the camera of your phone at this:
console-bots-qr = QR code of the link that opens { $bot } with the code
console-bots-disconnect = Disconnect
console-bots-disconnect-title = Disconnect { $bot }?
console-bots-disconnect-sentence = The bot falls silent, and its token is forgotten here. To connect it again you need the token. What was said stays.
console-bots-disconnected = { $bot } is no longer connected.

console-state-held = waits for a decision
console-state-kept = kept for the agent, which was not called
console-state-dropped = not admitted

# The "People and chats" panel: who may speak, and to whom.
console-door = People and chats
console-door-loading = Looking it up…
console-door-filter = Find by name
console-door-who = Who
console-door-where = Chat
console-door-requests = Requests
console-door-people = People
console-door-chats = Chats
console-door-groups = Agent groups
console-door-drops = Not admitted
console-door-audit = Changes
console-door-explain = What would happen?

console-requests-none = Nobody waits for a decision.
console-requests-waiting = Waiting for a decision: { $count }
console-request-sender = { $name } wants to talk to { $group } in { $place }
console-request-chat = { $name } wrote in { $place }, which belongs to no agent yet
console-request-sender-alone = { $name } wants to talk to { $group }
console-request-chat-alone = { $name } wrote alone to the bot; the chat belongs to no agent yet
console-request-choices = What becomes of { $name }

console-people-role = Everywhere
console-people-memberships = Roles in single agent groups
console-people-role-in = Role in { $group }
console-people-leave = Take the role in { $group } away
console-people-join = Add to a group
console-people-join-which = Choose…
console-people-block = Block
console-people-block-title = Block { $name }?
console-people-block-sentence = No agent hears them any more, in no chat, and what they wrote and waits for a decision is dropped. You can unblock them here later.
console-people-unblock = Unblock
console-people-blocked = blocked
console-people-local-owner = Holds this machine and so is its owner: the role stays, and nobody can block them.
console-role-owner = Owner
console-role-admin = Admin
console-role-member = Member
console-role-none = No role

console-kind-private = private
console-kind-group = group
console-kind-threaded = group with threads
console-chats-strangers = When someone unknown writes
console-strangers-ask = An owner or admin is asked
console-strangers-strict = It is dropped
console-strangers-public = They may speak: it is public
console-chats-unwired = No agent is in this chat.
console-chats-wire = Add an agent group
console-chats-wire-which = Choose…
console-chats-unwire = Remove
console-wiring-engage = Takes up messages
console-engage-always = Always
console-engage-mention = When it is called
console-engage-mention-sticky = When called, then the thread
console-engage-pattern = When the words fit
console-wiring-pattern = Pattern (RE2)
console-wiring-senders = Of whom
console-senders-all = Everyone who may speak
console-senders-known = Members of the group
console-wiring-ignored = The other messages
console-ignored-drop = Are dropped
console-ignored-accumulate = Are kept and read later
console-wiring-priority = Order
console-wiring-priority-hint = The agent with the lowest number starts first.
console-wiring-priority-range = Not saved: the order is a whole number from { $least } to { $most }.

console-groups-name = Name
console-groups-company = Company
console-groups-chats = Chats
console-groups-main = main group
console-groups-unreadable = its group.toml cannot be read
console-groups-new = New agent group
console-groups-company-new = A new company…
console-groups-company-name = Name of the company
console-groups-make = Make it
console-groups-made = The agent group { $group } was made. Wire a chat to it under "Chats".

console-drops-none = Nothing was turned away.
console-drops-said = Message
console-drops-reason = Why
console-drops-wordless = (no words)
console-audit-none = Nothing was changed yet.
console-audit-via = From
console-audit-what = What
console-via-page = page
console-via-terminal = terminal
console-via-command-line = command line
console-via-telegram = Telegram

console-explain-hint = Nothing is sent and nothing changes: this only says how the message would be judged.
console-explain-chat = Chat
console-explain-chat-new = A new private chat
console-explain-group-new = A new group
console-explain-person = From
console-explain-person-new = Someone new
console-explain-text = Message
console-explain-addressed = It calls the bot, or replies to it
console-explain-ask = Explain
console-outcome-wakes = wakes
console-outcome-kept = kept
console-outcome-asked = asked
console-outcome-ignored = ignored

# The "Inbox" panel: questions to people, what came of them, and permits.
console-inbox = Inbox
console-inbox-questions = Questions
console-inbox-decisions = Decisions
console-inbox-permits = Permits

console-questions-none = Nothing waits for you. Questions of agents and programs appear here.
console-questions-waiting = Questions that wait: { $count }
console-question-approval = Approval
console-question-choice = Choice
console-question-input = Your answer
console-question-review = Review
console-question-escalation = Guidance
console-question-interactive-session = Session with you
console-risk-publish = publishes something
console-risk-destructive = destroys something
console-question-tool = Exactly these arguments
console-question-context = Context
console-question-words = Your words
console-question-comment = Your words, with your choice or alone
console-question-answer = Answer
console-question-wordless = Write your answer first.
console-question-options = What can be chosen
console-question-votes = { $needed } people have to agree. So far: { $given }
console-question-votes-none = nobody yet
console-question-not-yours = This is for others to decide.
console-question-deadline = { $left } left, then: { $text }
console-question-deadline-nothing = { $left } left, then nothing is decided
console-question-deadline-now = The time is over
console-question-ended = “{ $text }” – { $outcome }
console-question-unsent = What you were writing was not sent: { $text }
console-outcome-decided = decided by { $name }: { $text }
console-outcome-default = nobody answered in time; by default: { $text }
console-ended-completed = decided
console-ended-timeout = nobody answered in time, and nothing was decided
console-ended-cancelled = taken back; nothing was decided
console-ended-failed = it came to nothing
console-take-back = Take back
console-take-back-not = Keep it
console-take-back-title = Take this question back?
console-take-back-sentence = Nobody can decide it any more. Whoever asked is told that nothing was decided.

console-decisions-none = Nothing was decided yet.
console-decisions-history = History
console-decisions-question = Question
console-decisions-chosen = Decision
console-decisions-fast = After
console-decisions-status = Outcome
console-status-completed = decided
console-status-timeout = time-out
console-status-cancelled = taken back
console-status-failed = failed
console-decision-nobody = nobody
console-decision-again = Ask again
console-decision-asked-again = asked again: { $text }
console-decision-payload = What was decided on, exactly
console-decision-hash = SHA-256
console-decision-id = Question

console-figures = How questions ended
console-figures-days = In the last
console-figures-days-7 = 7 days
console-figures-days-30 = 30 days
console-figures-days-90 = 90 days
console-figures-days-365 = 365 days
console-figures-none = No question has ended in this time.
console-figures-summary = Ended: { $count }. Until a person decided: mean { $mean }, median { $median }. Time-outs: { $rate }.
console-figures-times-by-kind = Time to decide, by kind
console-figures-times-by-skill = Time to decide, by skill
console-figures-rates-by-kind = Time-outs, by kind
console-figures-rates-by-skill = Time-outs, by skill
console-figures-no-skill = without a skill
console-figures-all = All
console-figures-table = The same as a table
console-figures-name = Kind or skill
console-figures-asked = Ended
console-figures-answered = Decided
console-figures-timed-out = Time-outs
console-figures-mean = mean
console-figures-median = median
console-figures-rate = time-outs

console-permits-none = There are no permits: agents ask each time that a rule catches a tool.
console-permits-hint = Rules ([[approvals]] in nanoclaw.toml, and those of skills) say which tools need a person first. Whoever chooses “This session” or “Always” on such a card gives a permit: then the agent does not ask again, until it expires or you revoke it here.
console-permit-once = once
console-permit-session = for one session
console-permit-always = always
console-permit-granted = by { $name }
console-permit-until = · until { $until }
console-permit-revoke = Revoke
console-permit-revoked = The permit for { $text } is revoked: the agent has to ask again.

# Said by the API.
error-no-such-document = This question came without a document, or it is no longer kept.
console-questions-more = Show more
