"""What people steer before and while an agent works: plans, live sessions, and money for one of the limits."""

import sqlalchemy as sa
from alembic import op

from nanoclaw.durable.tables import UtcTime

revision = "0012"
down_revision = "0011"


def upgrade() -> None:
    _plans()
    _live_sessions()
    op.add_column("budget_overrides", sa.Column("kind", sa.Text))
    op.add_column("budget_overrides", sa.Column("name", sa.Text))


def _plans() -> None:
    op.create_table(
        "plans",
        sa.Column("id", sa.Text, primary_key=True),
        sa.Column("company", sa.Text, nullable=False),
        sa.Column("agent_group", sa.Text, nullable=False),
        sa.Column("chat_id", sa.Text, sa.ForeignKey("chats.id"), nullable=False),
        sa.Column("thread", sa.Text),
        sa.Column("person_id", sa.Text, sa.ForeignKey("people.id"), nullable=False),
        sa.Column("state", sa.Text, nullable=False),
        sa.Column("task", sa.Text, nullable=False),
        sa.Column("goal", sa.Text, nullable=False),
        sa.Column("description", sa.Text, nullable=False),
        sa.Column("questions", sa.JSON, nullable=False),
        sa.Column("answers", sa.JSON, nullable=False),
        sa.Column("current", sa.Integer, nullable=False),
        sa.Column("round", sa.Integer, nullable=False),
        sa.Column("source", sa.Text, nullable=False),
        sa.Column("message_id", sa.Text),
        sa.Column("started_id", sa.Text),
        sa.Column("parcel_id", sa.Text),
        sa.Column("path", sa.Text),
        sa.Column("note", sa.Text),
        sa.Column("language", sa.Text, nullable=False),
        sa.Column("created_at", UtcTime, nullable=False),
        sa.Column("updated_at", UtcTime, nullable=False),
        sa.Column("rested_at", UtcTime),
        sa.Column("ended_at", UtcTime),
        sa.Column("reason", sa.Text),
    )
    is_open = sa.text("ended_at IS NULL")
    op.create_index(
        "plans_open", "plans", ["chat_id", "person_id"], sqlite_where=is_open, postgresql_where=is_open
    )


def _live_sessions() -> None:
    op.create_table(
        "live_sessions",
        sa.Column("question_id", sa.Text, sa.ForeignKey("human_interactions.id"), primary_key=True),
        sa.Column("session_id", sa.Text),
        sa.Column("chat_id", sa.Text),
        sa.Column("runtime", sa.Text),
        sa.Column("opened_at", UtcTime),
        sa.Column("opened_by", sa.Text),
        sa.Column("host", sa.Text),
        sa.Column("typist", sa.Text),
        sa.Column("prefill", sa.JSON(none_as_null=True)),
        sa.Column("attempts", sa.Integer, nullable=False),
        sa.Column("warned_at", UtcTime),
        sa.Column("ended_at", UtcTime),
    )
    op.create_index("live_sessions_of_chat", "live_sessions", ["chat_id"])
