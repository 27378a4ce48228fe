"""Work that several agents share: chains, runs of pipelines with their steps, and handoffs."""

import sqlalchemy as sa
from alembic import op

from nanoclaw.durable.tables import UtcTime

revision = "0010"
down_revision = "0009"


def upgrade() -> None:
    op.add_column("sessions", sa.Column("chain_id", sa.Text(), nullable=True))
    op.add_column("costs", sa.Column("chain_id", sa.Text(), nullable=True))
    op.add_column("costs", sa.Column("step", sa.Integer(), nullable=True))
    of_chain = sa.text("chain_id IS NOT NULL")
    op.create_index(
        "costs_of_chain", "costs", ["chain_id", "step"], sqlite_where=of_chain, postgresql_where=of_chain
    )
    op.add_column("human_interactions", sa.Column("chain_id", sa.Text(), nullable=True))
    op.add_column("human_interactions", sa.Column("step", sa.Integer(), nullable=True))
    _chains()
    _pipeline_runs()
    _pipeline_steps()
    _handoffs()


def _chains() -> None:
    op.create_table(
        "chains",
        sa.Column("id", sa.Text, primary_key=True),
        sa.Column("company", sa.Text, nullable=False),
        sa.Column("budget_micros", sa.BigInteger),
        sa.Column("message_id", sa.Text),
        sa.Column("created_at", UtcTime, nullable=False),
    )
    op.create_index("chains_of_message", "chains", ["message_id"])


def _pipeline_runs() -> None:
    op.create_table(
        "pipeline_runs",
        sa.Column("id", sa.Text, primary_key=True),
        sa.Column("template", sa.Text, nullable=False),
        sa.Column("definition", sa.JSON, nullable=False),
        sa.Column("subject", sa.Text, nullable=False),
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
        sa.Column("origin", sa.Text, unique=True),
    )
    op.create_index("pipeline_runs_of_company", "pipeline_runs", ["company", "id"])
    op.create_index("pipeline_runs_of_template", "pipeline_runs", ["template", "id"])
    op.create_index("pipeline_runs_of_chat", "pipeline_runs", ["chat_id", "id"])
    op.create_index("pipeline_runs_open", "pipeline_runs", ["status", "id"])


def _pipeline_steps() -> None:
    op.create_table(
        "pipeline_steps",
        sa.Column("run_id", sa.Text, sa.ForeignKey("pipeline_runs.id"), primary_key=True),
        sa.Column("number", sa.Integer, primary_key=True),
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
    )
    op.create_index("pipeline_steps_of_session", "pipeline_steps", ["session_id"])


def _handoffs() -> None:
    op.create_table(
        "handoffs",
        sa.Column("id", sa.Text, primary_key=True),
        sa.Column("chain_id", sa.Text, nullable=False),
        sa.Column("step", sa.Integer, nullable=False),
        sa.Column("type", sa.Text, nullable=False),
        sa.Column("way", sa.Text, nullable=False),
        sa.Column("state", sa.Text, nullable=False),
        sa.Column("company", sa.Text, nullable=False),
        sa.Column("from_group", sa.Text, nullable=False),
        sa.Column("from_skill", sa.Text, nullable=False),
        sa.Column("from_session", sa.Text, nullable=False),
        sa.Column("from_turn", sa.Text),
        sa.Column("to_group", sa.Text, nullable=False),
        sa.Column("to_skill", sa.Text, nullable=False),
        sa.Column("contract", sa.JSON, nullable=False),
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
        sa.Column("origin", sa.Text, unique=True),
    )
    op.create_index("handoffs_of_chain", "handoffs", ["chain_id", "step"])
    op.create_index("handoffs_of_company", "handoffs", ["company", "id"])
    op.create_index("handoffs_joined", "handoffs", ["joins"])
    op.create_index("handoffs_of_session", "handoffs", ["session_id"])
    op.create_index("handoffs_from", "handoffs", ["from_session", "id"])
