"""The tables of work that several agents share: runs of pipelines, their steps, handoffs, and the chains of both."""

import sqlalchemy as sa

from nanoclaw.durable.columns import UtcTime
from nanoclaw.durable.columns import table as _table

# A chain is everything that follows from one start: a run of a pipeline, or the first of several handoffs.
chains = _table(
    "chains",
    sa.Column("id", sa.Text, primary_key=True),
    sa.Column("company", sa.Text, nullable=False),
    # A ceiling for the costs of the chain; without one only the company's budget applies.
    sa.Column("budget_micros", sa.BigInteger),
    # The message that started it, for `why`.
    sa.Column("message_id", sa.Text),
    sa.Column("created_at", UtcTime, nullable=False),
    sa.Index("chains_of_message", "message_id"),
)

pipeline_runs = _table(
    "pipeline_runs",
    sa.Column("id", sa.Text, primary_key=True),
    # Its name, and its whole text as it was when the run began.
    sa.Column("template", sa.Text, nullable=False),
    sa.Column("definition", sa.JSON, nullable=False),
    sa.Column("subject", sa.Text, nullable=False),
    # asked, running, done, failed, cancelled
    sa.Column("status", sa.Text, nullable=False),
    sa.Column("company", sa.Text, nullable=False),
    sa.Column("agent_group", sa.Text, nullable=False),
    sa.Column("chat_id", sa.Text, sa.ForeignKey("chats.id"), nullable=False),
    sa.Column("thread", sa.Text),
    sa.Column("started_by", sa.Text, nullable=False),
    sa.Column("message_id", sa.Text),
    sa.Column("session_id", sa.Text),
    sa.Column("question_id", sa.Text),
    sa.Column("parcel_id", sa.Text),
    sa.Column("task_id", sa.Integer),
    sa.Column("again_of", sa.Text),
    sa.Column("from_step", sa.Integer, nullable=False),
    sa.Column("budget", sa.BigInteger),
    sa.Column("estimate", sa.JSON(none_as_null=True)),
    sa.Column("why", sa.JSON(none_as_null=True)),
    sa.Column("created_at", UtcTime, nullable=False),
    sa.Column("started_at", UtcTime),
    sa.Column("ended_at", UtcTime),
    # Where it came from: a repeat after a crash, or a second press, finds its row.
    sa.Column("origin", sa.Text, unique=True),
    sa.Index("pipeline_runs_of_company", "company", "id"),
    sa.Index("pipeline_runs_of_template", "template", "id"),
    sa.Index("pipeline_runs_of_chat", "chat_id", "id"),
    sa.Index("pipeline_runs_open", "status", "id"),
)

pipeline_steps = _table(
    "pipeline_steps",
    sa.Column("run_id", sa.Text, sa.ForeignKey("pipeline_runs.id"), primary_key=True),
    sa.Column("number", sa.Integer, primary_key=True),
    # waiting, running, asked, done, skipped, failed, cancelled
    sa.Column("state", sa.Text, nullable=False),
    sa.Column("attempt", sa.Integer, nullable=False),
    sa.Column("given", sa.JSON(none_as_null=True)),
    sa.Column("session_id", sa.Text),
    sa.Column("turn_id", sa.Text),
    sa.Column("question_id", sa.Text),
    sa.Column("texts", sa.JSON, nullable=False),
    sa.Column("results", sa.JSON, nullable=False),
    sa.Column("claims", sa.JSON, nullable=False),
    sa.Column("faults", sa.JSON, nullable=False),
    sa.Column("why", sa.JSON(none_as_null=True)),
    sa.Column("micros", sa.BigInteger, nullable=False),
    sa.Column("started_at", UtcTime),
    sa.Column("ended_at", UtcTime),
    sa.Column("due_by", UtcTime),
    sa.Index("pipeline_steps_of_session", "session_id"),
)

handoffs = _table(
    "handoffs",
    sa.Column("id", sa.Text, primary_key=True),
    sa.Column("chain_id", sa.Text, nullable=False),
    sa.Column("step", sa.Integer, nullable=False),
    # sequential, parallel, callback
    sa.Column("type", sa.Text, nullable=False),
    # inside, session, git
    sa.Column("way", sa.Text, nullable=False),
    # asked, waiting, running, done, failed, refused, expired, cancelled
    sa.Column("state", sa.Text, nullable=False),
    sa.Column("company", sa.Text, nullable=False),
    sa.Column("from_group", sa.Text, nullable=False),
    sa.Column("from_skill", sa.Text, nullable=False),
    sa.Column("from_session", sa.Text, nullable=False),
    sa.Column("from_turn", sa.Text),
    sa.Column("to_group", sa.Text, nullable=False),
    sa.Column("to_skill", sa.Text, nullable=False),
    sa.Column("contract", sa.JSON, nullable=False),
    # What the sender itself may use: the receiver never gets more.
    sa.Column("grants", sa.JSON, nullable=False),
    sa.Column("person_id", sa.Text, nullable=False),
    sa.Column("chat_id", sa.Text, nullable=False),
    sa.Column("thread", sa.Text),
    sa.Column("is_mixed", sa.Boolean, nullable=False),
    sa.Column("joins", sa.Text),
    sa.Column("visited", sa.JSON, nullable=False),
    sa.Column("session_id", sa.Text),
    sa.Column("question_id", sa.Text),
    sa.Column("result", sa.Text),
    sa.Column("why", sa.JSON(none_as_null=True)),
    sa.Column("created_at", UtcTime, nullable=False),
    sa.Column("expires_at", UtcTime, nullable=False),
    sa.Column("ended_at", UtcTime),
    # Of the tool's request: a repeat after a crash finds its row.
    sa.Column("origin", sa.Text, unique=True),
    sa.Index("handoffs_of_chain", "chain_id", "step"),
    sa.Index("handoffs_of_company", "company", "id"),
    sa.Index("handoffs_joined", "joins"),
    sa.Index("handoffs_of_session", "session_id"),
    sa.Index("handoffs_from", "from_session", "id"),
)
