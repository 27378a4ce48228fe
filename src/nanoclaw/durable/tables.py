"""The schema, the same on SQLite and PostgreSQL. A change here goes with a migration; a test compares the two."""

import sqlalchemy as sa

from nanoclaw.durable import batch_tables as _batch_tables  # noqa: F401 - the list of tables is whole with them
from nanoclaw.durable import knowledge_tables as _knowledge_tables  # noqa: F401
from nanoclaw.durable import money_tables as _money_tables  # noqa: F401
from nanoclaw.durable import pipeline_tables as _pipeline_tables  # noqa: F401
from nanoclaw.durable import steering_tables as _steering_tables  # noqa: F401
from nanoclaw.durable import transfer_tables as _transfer_tables  # noqa: F401
from nanoclaw.durable.columns import UtcTime as UtcTime
from nanoclaw.durable.columns import metadata as metadata
from nanoclaw.durable.columns import partial_index
from nanoclaw.durable.columns import table as _table
from nanoclaw.durable.columns import tell_postgresql as tell_postgresql

# The newest migration. Kept here so that a start on an up-to-date database need not load the migration tool (0.5 s).
SCHEMA_VERSION = "0015"


people = _table(
    "people",
    sa.Column("id", sa.Text, primary_key=True),
    sa.Column("handle", sa.Text, nullable=False, unique=True),
    sa.Column("name", sa.Text, nullable=False),
    sa.Column("role", sa.Text, nullable=False),
    sa.Column("language", sa.Text),
    sa.Column("timezone", sa.Text),
    sa.Column("created_at", UtcTime, nullable=False),
    sa.Column("username", sa.Text),
    sa.Column("blocked", sa.Boolean),
    # Until then someone else decides for them.
    sa.Column("away_until", UtcTime),
    sa.Column("delegate", sa.Text),
    # The hours in which they are not to be disturbed, as `22:00-07:00` on their own clock.
    sa.Column("quiet", sa.Text),
)

# What a person may do in one agent group, in addition to their role everywhere.
memberships = _table(
    "memberships",
    sa.Column("person_id", sa.Text, sa.ForeignKey("people.id"), primary_key=True),
    sa.Column("agent_group", sa.Text, primary_key=True),
    sa.Column("role", sa.Text, nullable=False),
    sa.Column("created_at", UtcTime, nullable=False),
    sa.Index("memberships_of_group", "agent_group"),
)

chats = _table(
    "chats",
    sa.Column("id", sa.Text, primary_key=True),
    sa.Column("channel", sa.Text, nullable=False),
    sa.Column("address", sa.Text, nullable=False),
    sa.Column("title", sa.Text, nullable=False),
    sa.Column("created_at", UtcTime, nullable=False),
    sa.Column("last_at", UtcTime),
    # Why nothing can be said there: the bot was blocked or removed. Someone who writes there opens it again.
    sa.Column("closed", sa.Text),
    sa.Column("kind", sa.Text, nullable=False, server_default="private"),
    sa.Column("unknown_sender_policy", sa.Text, nullable=False, server_default="request_approval"),
    # The request for which a person is asked here to name the new agent.
    sa.Column("naming", sa.Text),
    # The newest open question that a decider's next message in this chat answers.
    sa.Column("awaits", sa.Text),
    # The number of its newest parcel.
    sa.Column("last_number", sa.BigInteger, nullable=False, server_default="0"),
    # What its turns may do with the memory of their company: off, read, write.
    sa.Column("memory", sa.Text, nullable=False, server_default="write"),
    sa.UniqueConstraint("channel", "address", name="chats_once"),
)

wirings = _table(
    "wirings",
    sa.Column("chat_id", sa.Text, sa.ForeignKey("chats.id"), primary_key=True),
    sa.Column("agent_group", sa.Text, primary_key=True),
    sa.Column("priority", sa.Integer, nullable=False),
    sa.Column("created_at", UtcTime, nullable=False),
    sa.Column("engage_mode", sa.Text, nullable=False, server_default="mention"),
    sa.Column("engage_pattern", sa.Text),
    sa.Column("sender_scope", sa.Text, nullable=False, server_default="all"),
    sa.Column("ignored_message_policy", sa.Text, nullable=False, server_default="drop"),
)

# A stranger waits for someone to vouch for them; one row per person and chat, removed when it is decided.
pending_sender_approvals = _table(
    "pending_sender_approvals",
    sa.Column("id", sa.Text, primary_key=True),
    sa.Column("chat_id", sa.Text, sa.ForeignKey("chats.id"), nullable=False),
    sa.Column("person_id", sa.Text, sa.ForeignKey("people.id"), nullable=False),
    sa.Column("agent_groups", sa.JSON, nullable=False),
    sa.Column("created_at", UtcTime, nullable=False),
    sa.UniqueConstraint("chat_id", "person_id", name="pending_senders_once"),
)

# A chat that belongs to no agent group yet; one row per chat, removed when it is decided.
pending_channel_approvals = _table(
    "pending_channel_approvals",
    sa.Column("id", sa.Text, primary_key=True),
    sa.Column("chat_id", sa.Text, sa.ForeignKey("chats.id"), nullable=False, unique=True),
    # Who wrote there last, or added us.
    sa.Column("person_id", sa.Text, sa.ForeignKey("people.id"), nullable=False),
    # The name of the agent to be made for it, once someone has given it.
    sa.Column("new_group", sa.Text),
    sa.Column("created_at", UtcTime, nullable=False),
)

# Who changed or decided what, when, and from where. Each row holds the hash of itself and of the one before it.
audit = _table(
    "audit",
    sa.Column("id", sa.Text, primary_key=True),
    # Always set; the columns came later, and SQLite would have to rewrite the whole table to enforce it.
    sa.Column("seq", sa.Integer),
    sa.Column("hash", sa.Text),
    sa.Column("at", UtcTime, nullable=False),
    sa.Column("handle", sa.Text, nullable=False),
    sa.Column("name", sa.Text, nullable=False),
    sa.Column("via", sa.Text, nullable=False),
    sa.Column("action", sa.Text, nullable=False),
    sa.Column("subject", sa.Text, nullable=False),
    sa.Column("detail", sa.JSON, nullable=False),
    sa.Index("audit_in_order", "seq", unique=True),
    sa.Index("audit_of_subject", "subject", "id"),
)
# The end of that chain: one row, locked by whoever adds to it.
audit_head = _table(
    "audit_head",
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("seq", sa.Integer, nullable=False),
    sa.Column("hash", sa.Text, nullable=False),
)

# The questions that agents and programs put to people, open and decided.
human_interactions = _table(
    "human_interactions",
    sa.Column("id", sa.Text, primary_key=True),
    # The turn that asks, or `program`.
    sa.Column("execution_id", sa.Text, nullable=False),
    sa.Column("type", sa.Text, nullable=False),
    sa.Column("prompt", sa.Text, nullable=False),
    sa.Column("options", sa.JSON(none_as_null=True)),
    # Only the life cycle: pending, completed, cancelled, timeout, failed. What was decided is in `response`.
    sa.Column("status", sa.Text, nullable=False),
    sa.Column("response", sa.JSON(none_as_null=True)),
    sa.Column("created_at", UtcTime, nullable=False),
    sa.Column("resolved_at", UtcTime),
    # For interactive sessions.
    sa.Column("session_config", sa.JSON(none_as_null=True)),
    sa.Column("session_transcript", sa.Text),
    sa.Column("session_duration", sa.Integer),
    sa.Column("error", sa.Text),
    # Who asks: a session, or the empty string for a program of this machine; and under which id of its own.
    sa.Column("session_id", sa.Text, nullable=False),
    sa.Column("asked_id", sa.Text, nullable=False),
    sa.Column("agent_group", sa.Text, nullable=False),
    sa.Column("company", sa.Text, nullable=False),
    sa.Column("skill", sa.Text, nullable=False),
    sa.Column("risk", sa.Text, nullable=False),
    sa.Column("default_action", sa.Text),
    sa.Column("context", sa.JSON(none_as_null=True)),
    sa.Column("document", sa.JSON(none_as_null=True)),
    # If set, only these handles may decide, of those who otherwise may.
    sa.Column("deciders", sa.JSON(none_as_null=True)),
    sa.Column("votes", sa.Integer, nullable=False),
    # The tool call that waits for permission, with the rule that matched it.
    sa.Column("tool", sa.JSON(none_as_null=True)),
    # Exactly what was asked, and its hash.
    sa.Column("payload", sa.Text, nullable=False),
    sa.Column("payload_hash", sa.Text, nullable=False),
    sa.Column("deadline_at", UtcTime, nullable=False),
    sa.Column("reminded", sa.Integer, nullable=False),
    # `hitl` (a person), `timeout` or `cancelled`; and the person, if it was one.
    sa.Column("made_by", sa.Text),
    sa.Column("decided_by", sa.Text),
    sa.Column("decided_name", sa.Text),
    sa.Column("via", sa.Text),
    # The host on which someone waits for the answer; empty if nobody waits any more.
    sa.Column("waiter", sa.Text),
    # When the asker got the answer, and when it was written into the company's decisions.
    sa.Column("carried_at", UtcTime),
    sa.Column("recorded_at", UtcTime),
    # The question that timed out and is asked again with this one.
    sa.Column("repeats", sa.Text),
    # The work that waits for it.
    sa.Column("then_kind", sa.Text),
    sa.Column("then_key", sa.Text),
    sa.UniqueConstraint("session_id", "asked_id", name="questions_once"),
    # The run or chain it belongs to, and the step that asks.
    sa.Column("chain_id", sa.Text),
    sa.Column("step", sa.Integer),
    sa.Index("questions_of_execution", "execution_id"),
    sa.Index("questions_decided", "resolved_at"),
)
OPEN = human_interactions.c.status == sa.literal_column("'pending'")
partial_index("questions_open", human_interactions.c.id, where=OPEN)
partial_index(
    "questions_open_of",
    human_interactions.c.session_id,
    human_interactions.c.id,
    where=OPEN,
)

# Where a question is shown.
question_cards = _table(
    "question_cards",
    sa.Column("question_id", sa.Text, sa.ForeignKey("human_interactions.id"), primary_key=True),
    sa.Column("chat_id", sa.Text, sa.ForeignKey("chats.id"), primary_key=True),
    # 0 for the card; the reminders that follow it are numbered.
    sa.Column("reminder", sa.Integer, primary_key=True),
    sa.Column("parcel_id", sa.Text, nullable=False),
    sa.Index("question_cards_in_chat", "chat_id", "question_id"),
)

# What people chose while a question needs more than one vote.
human_votes = _table(
    "human_votes",
    sa.Column("interaction_id", sa.Text, sa.ForeignKey("human_interactions.id"), primary_key=True),
    sa.Column("voter", sa.Text, primary_key=True),
    sa.Column("name", sa.Text, nullable=False),
    sa.Column("option", sa.Text, nullable=False),
    sa.Column("at", UtcTime, nullable=False),
)

# What a person allowed an agent to do without asking again: once, in one session, or until it expires.
permits = _table(
    "permits",
    sa.Column("id", sa.Text, primary_key=True),
    sa.Column("scope", sa.Text, nullable=False),
    sa.Column("agent_group", sa.Text, nullable=False),
    sa.Column("session_id", sa.Text, nullable=False),
    sa.Column("tool", sa.Text, nullable=False),
    # The exact arguments; or, if the rule says so, whatever that rule matches.
    sa.Column("arguments_hash", sa.Text),
    sa.Column("rule", sa.Text, nullable=False),
    sa.Column("shown", sa.Text, nullable=False),
    sa.Column("granted_by", sa.Text, nullable=False),
    sa.Column("granted_name", sa.Text, nullable=False),
    sa.Column("question_id", sa.Text, nullable=False),
    sa.Column("created_at", UtcTime, nullable=False),
    sa.Column("expires_at", UtcTime),
    sa.Column("used_at", UtcTime),
    sa.Column("revoked_at", UtcTime),
    sa.Index("permits_of_tool", "agent_group", "tool"),
)

sessions = _table(
    "sessions",
    sa.Column("id", sa.Text, primary_key=True),
    sa.Column("agent_group", sa.Text, nullable=False),
    sa.Column("chat_id", sa.Text, sa.ForeignKey("chats.id"), nullable=False),
    # The empty string stands for "no thread": NULLs would not be unique.
    sa.Column("thread", sa.Text, nullable=False),
    sa.Column("created_at", UtcTime, nullable=False),
    # Since then the agent has a new conversation: a person cleared it, or a stranger came after members.
    sa.Column("cleared_at", UtcTime),
    # A person wanted everything under way at that time to stop.
    sa.Column("stopped_at", UtcTime),
    # The same as ids, which keep their order when the clock is set back: what was said before is not shown to
    # the agent again, and what was under way before must stop.
    sa.Column("cleared_by", sa.Text),
    sa.Column("stopped_by", sa.Text),
    # When the agent was called into this thread; if it stays, it hears everything since.
    sa.Column("called_at", UtcTime),
    # Whether there are messages that the agent has not seen and that do not wake it.
    sa.Column("keeps", sa.Boolean),
    # The kind of work its turns are, and their priority among those that wait for a place: lowest first.
    sa.Column("lane", sa.Text, nullable=False, server_default="turn"),
    sa.Column("priority", sa.Integer, nullable=False, server_default="0"),
    # Outside the threads of its chat, its `thread` is its own id; what it says goes to this one.
    sa.Column("says_in", sa.Text),
    # The task whose runs these are, and the work that waits for the turns begun in it.
    sa.Column("task_id", sa.Integer),
    sa.Column("then_kind", sa.Text),
    sa.Column("then_key", sa.Text),
    # The last turn whose facts and decisions were extracted.
    sa.Column("extracted", sa.Text),
    # The run of a pipeline, or the chain of handoffs, that this session works for.
    sa.Column("chain_id", sa.Text),
    sa.UniqueConstraint("agent_group", "chat_id", "thread", name="sessions_once"),
)

# Work to be done later, repeatedly, or for hours.
scheduled_tasks = _table(
    "scheduled_tasks",
    sa.Column("id", sa.Integer, primary_key=True, autoincrement=True),
    sa.Column("kind", sa.Text, nullable=False),
    sa.Column("group_id", sa.Text, nullable=False),
    sa.Column("schedule_type", sa.Text, nullable=False),
    sa.Column("schedule_value", sa.Text, nullable=False),
    sa.Column("skill", sa.Text, nullable=False),
    sa.Column("prompt", sa.Text, nullable=False),
    sa.Column("model", sa.Text),
    sa.Column("notify", sa.Boolean, nullable=False),
    sa.Column("next_run_at", UtcTime),
    sa.Column("last_run_at", UtcTime),
    sa.Column("run_count", sa.Integer, nullable=False),
    sa.Column("status", sa.Text, nullable=False),
    sa.Column("created_at", UtcTime, nullable=False),
    # On whose clock, and from when intervals count.
    sa.Column("timezone", sa.Text, nullable=False),
    sa.Column("zone_of", sa.Text, nullable=False),
    sa.Column("anchor_at", UtcTime, nullable=False),
    sa.Column("owner", sa.Text, sa.ForeignKey("people.id"), nullable=False),
    sa.Column("chat_id", sa.Text, sa.ForeignKey("chats.id"), nullable=False),
    sa.Column("thread", sa.Text, nullable=False),
    sa.Column("policy", sa.JSON, nullable=False),
    sa.Column("priority", sa.Text, nullable=False),
    # A command that says whether the agent is needed.
    sa.Column("check_script", sa.Text),
    sa.Column("estimated_minutes", sa.Integer),
    sa.Column("failures", sa.Integer, nullable=False),
    sa.Column("why", sa.Text),
    sa.Column("session_id", sa.Text),
    sa.Column("asked_by", sa.Text),
    sa.Column("card", sa.Text),
    # How the agent of its chat learns about the last result.
    sa.Column("told", sa.Text),
    # The agent's request that made it; a repeat after a crash finds it.
    sa.Column("origin", sa.Text, unique=True),
    # Its prompt may contain what no member said.
    sa.Column("is_mixed", sa.Boolean),
    # What it delivers as it is, without an agent, and the batch that text is from.
    sa.Column("stored_text", sa.Text),
    sa.Column("batch_id", sa.Text),
)
# Tasks that may still run: few, however many there were.
_STATUS = scheduled_tasks.c.status
TASK_ACTIVE = sa.literal_column("'active'") == _STATUS
TASK_ALIVE = _STATUS.in_([sa.literal_column("'active'"), sa.literal_column("'paused'")])
partial_index("tasks_due", scheduled_tasks.c.next_run_at, where=TASK_ACTIVE)
# A batch may have ten thousand of them: lists show them as one line, and they do not count towards the limit
# of tasks.
TASK_LISTED = sa.and_(TASK_ALIVE, scheduled_tasks.c.batch_id.is_(None))
TASK_OF_BATCH = sa.and_(TASK_ALIVE, scheduled_tasks.c.batch_id.is_not(None))
partial_index(
    "tasks_alive",
    scheduled_tasks.c.group_id,
    scheduled_tasks.c.id,
    where=TASK_LISTED,
)
partial_index(
    "tasks_of_batch",
    scheduled_tasks.c.batch_id,
    scheduled_tasks.c.next_run_at,
    where=TASK_OF_BATCH,
)

# Each time a task was done, or should have been. One row per moment of a task, so it cannot run twice.
task_run_logs = _table(
    "task_run_logs",
    sa.Column("id", sa.Text, primary_key=True),
    sa.Column("task_id", sa.Integer, sa.ForeignKey("scheduled_tasks.id"), nullable=False),
    sa.Column("run_at", UtcTime, nullable=False),
    sa.Column("reason", sa.Text, nullable=False),
    sa.Column("status", sa.Text, nullable=False),
    sa.Column("attempts", sa.Integer, nullable=False),
    sa.Column("created_at", UtcTime, nullable=False),
    sa.Column("started_at", UtcTime),
    sa.Column("finished_at", UtcTime),
    sa.Column("duration_ms", sa.Integer),
    sa.Column("micros", sa.BigInteger, nullable=False),
    # What it is doing, while it runs.
    sa.Column("doing", sa.Text),
    sa.Column("result", sa.Text),
    sa.Column("error", sa.JSON(none_as_null=True)),
    sa.Column("message_id", sa.Text),
    sa.Column("turn_id", sa.Text),
    sa.Column("parcel_id", sa.Text),
    sa.Column("deliver_by", UtcTime),
    sa.Column("alarmed_at", UtcTime),
    sa.Column("filed_at", UtcTime),
    sa.UniqueConstraint("task_id", "run_at", name="runs_once"),
    sa.Index("runs_by_time", "run_at"),
    sa.Index("runs_of_task", "task_id", "id"),
)
_RUN_OPEN = task_run_logs.c.finished_at.is_(None)
partial_index(
    "runs_open",
    task_run_logs.c.task_id,
    task_run_logs.c.run_at,
    where=_RUN_OPEN,
)
_AWAITED = sa.and_(task_run_logs.c.deliver_by.is_not(None), task_run_logs.c.alarmed_at.is_(None))
partial_index(
    "runs_awaited",
    task_run_logs.c.task_id,
    task_run_logs.c.deliver_by,
    where=_AWAITED,
)

messages = _table(
    "messages",
    sa.Column("id", sa.Text, primary_key=True),
    sa.Column("channel", sa.Text, nullable=False),
    sa.Column("external_id", sa.Text, nullable=False),
    sa.Column("chat_id", sa.Text, sa.ForeignKey("chats.id"), nullable=False),
    sa.Column("thread", sa.Text, nullable=False),
    sa.Column("person_id", sa.Text, sa.ForeignKey("people.id"), nullable=False),
    sa.Column("sender", sa.Text, nullable=False),
    sa.Column("text", sa.Text, nullable=False),
    sa.Column("reply_to", sa.JSON),
    sa.Column("forwarded_from", sa.Text),
    # The message whose words these are now, by the platform's id.
    sa.Column("edits", sa.Text),
    # What came with it; its session waits while they are fetched.
    sa.Column("files", sa.JSON(none_as_null=True)),
    sa.Column("unfetched", sa.Boolean),
    sa.Column("album", sa.Text),
    sa.Column("sent_at", UtcTime, nullable=False),
    sa.Column("received_at", UtcTime, nullable=False),
    sa.Column("end", sa.Text),
    sa.Column("reason", sa.Text),
    sa.Column("addressed", sa.Boolean),
    # The request that a person has to decide before anything is done with it.
    sa.Column("held_for", sa.Text),
    # The question that it answers, or whose answer it brings to the session.
    sa.Column("answers", sa.Text),
    # The platform's repeat of an update violates this and is ignored.
    sa.UniqueConstraint("channel", "chat_id", "external_id", name="messages_once"),
    sa.Index("messages_of_chat", "chat_id", "id"),
)
_OF_ALBUM = messages.c.album.is_not(None)
partial_index(
    "messages_of_album",
    messages.c.chat_id,
    messages.c.album,
    where=_OF_ALBUM,
)
_HELD = messages.c.held_for.is_not(None)
partial_index("messages_held", messages.c.held_for, where=_HELD)
_DROPPED = messages.c.end == sa.literal_column("'dropped'")
partial_index("messages_dropped", messages.c.id, where=_DROPPED)
# A message in a session: the durable claim of a turn. One message may wait in several sessions, one for each agent.
session_queue = _table(
    "session_queue",
    sa.Column("session_id", sa.Text, sa.ForeignKey("sessions.id"), primary_key=True),
    sa.Column("message_id", sa.Text, sa.ForeignKey("messages.id"), primary_key=True),
    sa.Column("turn_id", sa.Text),
    sa.Column("end", sa.Text),
    # A person who writes too fast waits until then.
    sa.Column("not_before", UtcTime),
    sa.Index("session_queue_of_message", "message_id"),
    sa.Index("session_queue_of_turn", "turn_id"),
)
# Partial: it holds only what waits, so finding the next message costs the same after a million.
partial_index(
    "session_queue_waiting",
    session_queue.c.session_id,
    session_queue.c.message_id,
    where=session_queue.c.end.is_(None),
)

# What was said, woke nobody, and no turn has read yet.
KEPT_UNREAD = sa.and_(session_queue.c.end == sa.literal_column("'kept'"), session_queue.c.turn_id.is_(None))
partial_index(
    "session_queue_kept",
    session_queue.c.session_id,
    session_queue.c.message_id,
    where=KEPT_UNREAD,
)

turns = _table(
    "turns",
    sa.Column("id", sa.Text, primary_key=True),
    sa.Column("session_id", sa.Text, sa.ForeignKey("sessions.id"), nullable=False),
    sa.Column("state", sa.Text, nullable=False),
    sa.Column("skill", sa.Text),
    sa.Column("prompt", sa.Text),
    sa.Column("answer", sa.Text),
    sa.Column("started_at", UtcTime, nullable=False),
    sa.Column("finished_at", UtcTime),
    # The work that waits for it, and the result it finds when the turn has ended.
    sa.Column("then_kind", sa.Text),
    sa.Column("then_key", sa.Text),
    sa.Column("result", sa.JSON(none_as_null=True)),
    # Something that no member said was in it: a stranger's words, a file, a web page, the output of a tool.
    sa.Column("is_mixed", sa.Boolean),
    sa.Index("turns_of_session", "session_id", "id"),
)
_WAITED_FOR = turns.c.then_kind.is_not(None)
partial_index(
    "turns_waited_for",
    turns.c.then_kind,
    turns.c.then_key,
    turns.c.id,
    where=_WAITED_FOR,
)

parcels = _table(
    "parcels",
    sa.Column("id", sa.Text, primary_key=True),
    sa.Column("chat_id", sa.Text, sa.ForeignKey("chats.id"), nullable=False),
    sa.Column("thread", sa.Text, nullable=False),
    sa.Column("author", sa.Text, nullable=False),
    sa.Column("text", sa.Text, nullable=False),
    sa.Column("turn_id", sa.Text),
    sa.Column("message_id", sa.Text),
    sa.Column("state", sa.Text, nullable=False),
    sa.Column("attempts", sa.Integer, nullable=False),
    sa.Column("error", sa.JSON),
    sa.Column("platform_id", sa.Text),
    # Its place in its chat, given by the database: the order of delivery, whatever any clock says.
    sa.Column("number", sa.BigInteger, nullable=False, server_default="0"),
    # Note shown above a parcel resent because delivery was unconfirmed.
    sa.Column("noted", sa.Text),
    # Files that go with it: name, size and type; their bytes are in the workspace's data folder.
    sa.Column("attachments", sa.JSON(none_as_null=True)),
    sa.Column("buttons", sa.JSON(none_as_null=True)),
    # The agent's request that made it; a repeat after a crash finds it and says nothing twice.
    sa.Column("origin", sa.Text),
    # It makes no sound: someone there sleeps.
    sa.Column("silent", sa.Boolean),
    sa.Column("created_at", UtcTime, nullable=False),
    sa.Index("parcels_of_chat", "chat_id", "id"),
    sa.Index("parcels_of_turn", "turn_id"),
    sa.Index("parcels_of_message", "message_id"),
    sa.Index("parcels_once", "origin", unique=True),
)
# As a literal: SQLite uses a partial index only if the query has exactly the same expression.
NOT_DELIVERED = parcels.c.state != sa.literal_column("'delivered'")
partial_index(
    "parcels_open",
    parcels.c.chat_id,
    parcels.c.number,
    where=NOT_DELIVERED,
)

# The messages on the platform that a turn's answer, or another parcel, became. Without a platform id it was
# sent, but nothing was heard back.
sent = _table(
    "sent",
    sa.Column("subject", sa.Text, primary_key=True),
    sa.Column("part", sa.Integer, primary_key=True),
    sa.Column("chat_id", sa.Text, nullable=False),
    sa.Column("platform_id", sa.Text),
    # For a draft: the hash of its first words. If its call was cut off, it tells whether they were the whole answer.
    sa.Column("draft", sa.Text),
    sa.Index("sent_as", "chat_id", "platform_id"),
)

# One-time codes that make someone the owner. Only their hashes are kept.
pairings = _table(
    "pairings",
    sa.Column("code", sa.Text, primary_key=True),
    sa.Column("expires_at", UtcTime, nullable=False),
    sa.Column("used_by", sa.Text),
)

# Updates that could not be taken in: kept with the reason, so that they block nobody and nothing is lost.
set_aside = _table(
    "set_aside",
    sa.Column("channel", sa.Text, primary_key=True),
    sa.Column("update_id", sa.Text, primary_key=True),
    sa.Column("body", sa.Text, nullable=False),
    sa.Column("error", sa.Text, nullable=False),
    sa.Column("at", UtcTime, nullable=False),
)

timeline = _table(
    "timeline",
    sa.Column("id", sa.Text, primary_key=True),
    # The id of a message or of a turn; what happened to a turn happened to all its messages.
    sa.Column("subject", sa.Text, nullable=False),
    sa.Column("at", UtcTime, nullable=False),
    sa.Column("event", sa.Text, nullable=False),
    sa.Column("detail", sa.JSON, nullable=False),
    sa.Index("timeline_of_subject", "subject", "id"),
)

hosts = _table(
    "hosts",
    sa.Column("id", sa.Text, primary_key=True),
    # Two starts on the same workspace exclude each other by a lock file, so the newer one knows that the older is dead.
    sa.Column("workspace", sa.Text, nullable=False),
    sa.Column("started_at", UtcTime, nullable=False),
    sa.Column("expires_at", UtcTime, nullable=False),
)

work = _table(
    "work",
    sa.Column("kind", sa.Text, primary_key=True),
    sa.Column("key", sa.Text, primary_key=True),
    sa.Column("due_at", UtcTime, nullable=False),
    sa.Column("host", sa.Text),
    sa.Column("lease", sa.Text),
    sa.Column("attempts", sa.Integer, nullable=False),
    # Set if more work arrives while it runs: then it is due again instead of finished.
    sa.Column("again_at", UtcTime),
    sa.Column("error", sa.Text),
    # How many hosts died while doing it.
    sa.Column("deaths", sa.Integer, nullable=False, server_default="0"),
    # Among those that wait for a place, the lowest goes first.
    sa.Column("priority", sa.Integer, nullable=False, server_default="0"),
    sa.Index("work_due", "due_at"),
)
# Little is being done at any time, however much waits.
_TAKEN = work.c.host.is_not(None)
partial_index("work_taken", work.c.host, where=_TAKEN)

# What the host remembers about itself: that it is held back after a restore, how far its clock was corrected.
notes = _table(
    "notes",
    sa.Column("key", sa.Text, primary_key=True),
    sa.Column("value", sa.JSON, nullable=False),
    sa.Column("at", UtcTime, nullable=False),
)

# Every model call. Written when it leaves (open, with the most it can cost) and again when its cost is known.
costs = _table(
    "costs",
    sa.Column("id", sa.Text, primary_key=True),
    sa.Column("at", UtcTime, nullable=False),
    sa.Column("company", sa.Text, nullable=False),
    sa.Column("agent_group", sa.Text, nullable=False),
    sa.Column("session_id", sa.Text, nullable=False),
    sa.Column("turn_id", sa.Text, nullable=False),
    sa.Column("runtime", sa.Text, nullable=False),
    sa.Column("skill", sa.Text, nullable=False),
    sa.Column("flow", sa.Text, nullable=False),
    sa.Column("model", sa.Text, nullable=False),
    sa.Column("host", sa.Text, nullable=False),
    # reserved: under way, `micros` is the most it can cost; settled: known; estimated: the stream was cut.
    sa.Column("state", sa.Text, nullable=False),
    sa.Column("micros", sa.BigInteger, nullable=False),
    sa.Column("input_tokens", sa.Integer, nullable=False),
    sa.Column("output_tokens", sa.Integer, nullable=False),
    sa.Column("cache_read_tokens", sa.Integer, nullable=False),
    sa.Column("cache_write_tokens", sa.Integer, nullable=False),
    sa.Column("thinking_tokens", sa.Integer, nullable=False),
    sa.Column("batch", sa.Boolean, nullable=False),
    sa.Column("duration_ms", sa.Integer, nullable=False),
    # The run of a pipeline, or the chain of handoffs, that pays for it, and the step of the run.
    sa.Column("chain_id", sa.Text),
    sa.Column("step", sa.Integer),
    # Who woke the agent, where, and for which task or batch.
    sa.Column("person", sa.Text),
    sa.Column("chat_id", sa.Text),
    sa.Column("task_id", sa.Integer),
    sa.Column("batch_id", sa.Text),
    # How much more it would have cost without the vendor's cache, or as a single call instead of in a batch.
    sa.Column("saved_by_cache", sa.BigInteger),
    sa.Column("saved_by_batch", sa.BigInteger),
    # Budgets and reports by day add up these columns without touching the rows.
    sa.Index(
        "costs_of_company",
        "company",
        "at",
        "micros",
        "input_tokens",
        "output_tokens",
        "cache_read_tokens",
        "cache_write_tokens",
        "saved_by_cache",
        "saved_by_batch",
    ),
    sa.Index("costs_of_turn", "turn_id"),
    sa.Index("costs_of_group", "agent_group", "id"),
)
RESERVED = costs.c.state == sa.literal_column("'reserved'")
_OF_CHAIN = costs.c.chain_id.is_not(None)  # most calls belong to none, and do not pay for its index
partial_index("costs_of_chain", costs.c.chain_id, costs.c.step, where=_OF_CHAIN)
partial_index("costs_on_their_way", costs.c.company, costs.c.host, where=RESERVED)

# Every connection that something in a box asked for, allowed or not.
connections = _table(
    "connections",
    sa.Column("id", sa.Text, primary_key=True),
    sa.Column("at", UtcTime, nullable=False),
    sa.Column("agent_group", sa.Text, nullable=False),
    sa.Column("session_id", sa.Text, nullable=False),
    sa.Column("turn_id", sa.Text, nullable=False),
    sa.Column("name", sa.Text, nullable=False),
    sa.Column("port", sa.Integer, nullable=False),
    sa.Column("verdict", sa.Text, nullable=False),
    sa.Column("sent_bytes", sa.BigInteger, nullable=False),
    sa.Column("received_bytes", sa.BigInteger, nullable=False),
    sa.Column("duration_ms", sa.Integer, nullable=False),
    sa.Index("connections_of_group", "agent_group", "id"),
    sa.Index("connections_of_turn", "turn_id"),
)
