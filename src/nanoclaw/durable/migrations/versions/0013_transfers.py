"""Work that goes elsewhere and comes back: transfers of sessions, and the analyses that return."""

import sqlalchemy as sa
from alembic import op

from nanoclaw.durable.tables import UtcTime

revision = "0013"
down_revision = "0012"


def upgrade() -> None:
    _session_transfers()
    _analyses()


def _session_transfers() -> None:
    op.create_table(
        "session_transfers",
        sa.Column("id", sa.Text, primary_key=True),
        sa.Column("company", sa.Text, nullable=False),
        sa.Column("agent_group", sa.Text, nullable=False),
        sa.Column("session_id", sa.Text, sa.ForeignKey("sessions.id"), nullable=False),
        sa.Column("chat_id", sa.Text, sa.ForeignKey("chats.id"), nullable=False),
        sa.Column("thread", sa.Text),
        sa.Column("person_id", sa.Text, sa.ForeignKey("people.id"), nullable=False),
        sa.Column("message_id", sa.Text),
        sa.Column("turn_id", sa.Text),
        sa.Column("purpose", sa.Text, nullable=False),
        sa.Column("source_runtime", sa.Text, nullable=False),
        sa.Column("source_version", sa.Text, nullable=False),
        sa.Column("target_runtime", sa.Text, nullable=False),
        sa.Column("status", sa.Text, nullable=False),
        sa.Column("reason", sa.Text),
        sa.Column("content_hash", sa.Text),
        sa.Column("manifest", sa.JSON(none_as_null=True)),
        sa.Column("removed", sa.JSON(none_as_null=True)),
        sa.Column("tokens", sa.JSON(none_as_null=True)),
        sa.Column("question_id", sa.Text),
        sa.Column("delivered_to", sa.JSON(none_as_null=True)),
        sa.Column("language", sa.Text, nullable=False),
        sa.Column("created_at", UtcTime, nullable=False),
        sa.Column("packed_at", UtcTime),
        sa.Column("delivered_at", UtcTime),
        sa.Column("expires_at", UtcTime, nullable=False),
        sa.Column("ended_at", UtcTime),
        sa.Column("cleared_at", UtcTime),
    )
    is_open = sa.text("ended_at IS NULL")
    op.create_index(
        "session_transfers_open",
        "session_transfers",
        ["session_id"],
        sqlite_where=is_open,
        postgresql_where=is_open,
    )


def _analyses() -> None:
    op.create_table(
        "analyses",
        sa.Column("id", sa.Text, primary_key=True),
        sa.Column("transfer_id", sa.Text, sa.ForeignKey("session_transfers.id")),
        sa.Column("company", sa.Text, nullable=False),
        sa.Column("agent_group", sa.Text, nullable=False),
        sa.Column("chat_id", sa.Text, sa.ForeignKey("chats.id"), nullable=False),
        sa.Column("thread", sa.Text),
        sa.Column("person_id", sa.Text, sa.ForeignKey("people.id"), nullable=False),
        sa.Column("message_id", sa.Text),
        sa.Column("via", sa.Text, nullable=False),
        sa.Column("file_name", sa.Text, nullable=False),
        sa.Column("sha256", sa.Text, nullable=False),
        sa.Column("state", sa.Text, nullable=False),
        sa.Column("found", sa.JSON(none_as_null=True)),
        sa.Column("question_id", sa.Text),
        sa.Column("reason", sa.JSON(none_as_null=True)),
        sa.Column("language", sa.Text, nullable=False),
        sa.Column("created_at", UtcTime, nullable=False),
        sa.Column("ended_at", UtcTime),
        sa.Column("undone_by", sa.Text),
        sa.Column("undone_at", UtcTime),
    )
    op.create_index("analyses_of_transfer", "analyses", ["transfer_id"])
    op.create_index("analyses_of_document", "analyses", ["company", "sha256"])
