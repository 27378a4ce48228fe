"""Who may speak, and to whom: roles in single groups, engage modes, requests of strangers, the audit."""

import sqlalchemy as sa
from alembic import op

from nanoclaw.durable.tables import UtcTime

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    op.add_column("people", sa.Column("username", sa.Text(), nullable=True))
    op.add_column("people", sa.Column("blocked", sa.Boolean(), nullable=True))
    op.add_column("chats", sa.Column("kind", sa.Text(), nullable=False, server_default="private"))
    op.add_column(
        "chats",
        sa.Column("unknown_sender_policy", sa.Text(), nullable=False, server_default="request_approval"),
    )
    op.add_column("chats", sa.Column("naming", sa.Text(), nullable=True))
    op.add_column("wirings", sa.Column("engage_mode", sa.Text(), nullable=False, server_default="mention"))
    op.add_column("wirings", sa.Column("engage_pattern", sa.Text(), nullable=True))
    op.add_column("wirings", sa.Column("sender_scope", sa.Text(), nullable=False, server_default="all"))
    op.add_column(
        "wirings", sa.Column("ignored_message_policy", sa.Text(), nullable=False, server_default="drop")
    )
    _tell_kinds()
    op.add_column("sessions", sa.Column("called_at", UtcTime(), nullable=True))
    op.add_column("sessions", sa.Column("keeps", sa.Boolean(), nullable=True))
    op.add_column("messages", sa.Column("addressed", sa.Boolean(), nullable=True))
    op.add_column("messages", sa.Column("held_for", sa.Text(), nullable=True))
    op.create_index(
        "messages_held",
        "messages",
        ["held_for"],
        unique=False,
        sqlite_where=sa.text("held_for IS NOT NULL"),
        postgresql_where=sa.text("held_for IS NOT NULL"),
    )
    op.create_index(
        "messages_dropped",
        "messages",
        ["id"],
        unique=False,
        sqlite_where=sa.text("\"end\" = 'dropped'"),
        postgresql_where=sa.text("\"end\" = 'dropped'"),
    )
    op.add_column("inbox", sa.Column("not_before", UtcTime(), nullable=True))
    op.create_table(
        "memberships",
        sa.Column("person_id", sa.Text(), nullable=False),
        sa.Column("agent_group", sa.Text(), nullable=False),
        sa.Column("role", sa.Text(), nullable=False),
        sa.Column("created_at", UtcTime(), nullable=False),
        sa.ForeignKeyConstraint(["person_id"], ["people.id"]),
        sa.PrimaryKeyConstraint("person_id", "agent_group"),
    )
    op.create_index("memberships_of_group", "memberships", ["agent_group"], unique=False)
    op.create_table(
        "pending_sender_approvals",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("chat_id", sa.Text(), nullable=False),
        sa.Column("person_id", sa.Text(), nullable=False),
        sa.Column("agent_groups", sa.JSON(), nullable=False),
        sa.Column("created_at", UtcTime(), nullable=False),
        sa.ForeignKeyConstraint(["chat_id"], ["chats.id"]),
        sa.ForeignKeyConstraint(["person_id"], ["people.id"]),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("chat_id", "person_id", name="pending_senders_once"),
    )
    op.create_table(
        "pending_channel_approvals",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("chat_id", sa.Text(), nullable=False),
        sa.Column("person_id", sa.Text(), nullable=False),
        sa.Column("new_group", sa.Text(), nullable=True),
        sa.Column("created_at", UtcTime(), nullable=False),
        sa.ForeignKeyConstraint(["chat_id"], ["chats.id"]),
        sa.ForeignKeyConstraint(["person_id"], ["people.id"]),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("chat_id"),
    )
    op.create_table(
        "audit",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("at", UtcTime(), nullable=False),
        sa.Column("handle", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("via", sa.Text(), nullable=False),
        sa.Column("action", sa.Text(), nullable=False),
        sa.Column("subject", sa.Text(), nullable=False),
        sa.Column("detail", sa.JSON(), nullable=False),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("audit_of_subject", "audit", ["subject", "id"], unique=False)


def _tell_kinds() -> None:
    """Until now a chat engaged when it was private or the bot was addressed. On Telegram a group has a minus."""
    chats = sa.table("chats", *(sa.column(name, sa.Text()) for name in ("id", "channel", "address", "kind")))
    wirings = sa.table(
        "wirings", *(sa.column(name, sa.Text()) for name in ("chat_id", "engage_mode", "engage_pattern"))
    )
    is_group = sa.and_(chats.c.channel.startswith("telegram:"), chats.c.address.startswith("-"))
    op.execute(sa.update(chats).where(is_group).values(kind="group"))
    private = sa.select(chats.c.id).where(chats.c.kind == "private")
    op.execute(
        sa.update(wirings)
        .where(wirings.c.chat_id.in_(private))
        .values(engage_mode="pattern", engage_pattern=".")
    )
