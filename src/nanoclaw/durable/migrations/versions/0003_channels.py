"""Chat networks: files that people send, buttons, what a parcel became on the platform, pairing, closed chats."""

import sqlalchemy as sa
from alembic import op

from nanoclaw.durable.tables import UtcTime

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    op.add_column("chats", sa.Column("closed", sa.Text(), nullable=True))
    op.add_column("messages", sa.Column("forwarded_from", sa.Text(), nullable=True))
    op.add_column("messages", sa.Column("edits", sa.Text(), nullable=True))
    op.add_column("messages", sa.Column("files", sa.JSON(none_as_null=True), nullable=True))
    op.add_column("messages", sa.Column("unfetched", sa.Boolean(), nullable=True))
    op.add_column("messages", sa.Column("album", sa.Text(), nullable=True))
    op.create_index(
        "messages_of_album",
        "messages",
        ["chat_id", "album"],
        unique=False,
        sqlite_where=sa.text("album IS NOT NULL"),
        postgresql_where=sa.text("album IS NOT NULL"),
    )
    op.add_column("parcels", sa.Column("attachments", sa.JSON(none_as_null=True), nullable=True))
    op.add_column("parcels", sa.Column("buttons", sa.JSON(none_as_null=True), nullable=True))
    _gather_attachments()
    op.drop_column("parcels", "attachment")
    op.create_table(
        "sent",
        sa.Column("subject", sa.Text(), nullable=False),
        sa.Column("part", sa.Integer(), nullable=False),
        sa.Column("chat_id", sa.Text(), nullable=False),
        sa.Column("platform_id", sa.Text(), nullable=True),
        sa.PrimaryKeyConstraint("subject", "part"),
    )
    op.create_index("sent_as", "sent", ["chat_id", "platform_id"], unique=False)
    op.create_table(
        "pairings",
        sa.Column("code", sa.Text(), nullable=False),
        sa.Column("expires_at", UtcTime(), nullable=False),
        sa.Column("used_by", sa.Text(), nullable=True),
        sa.PrimaryKeyConstraint("code"),
    )
    op.create_table(
        "set_aside",
        sa.Column("channel", sa.Text(), nullable=False),
        sa.Column("update_id", sa.Text(), nullable=False),
        sa.Column("body", sa.Text(), nullable=False),
        sa.Column("error", sa.Text(), nullable=False),
        sa.Column("at", UtcTime(), nullable=False),
        sa.PrimaryKeyConstraint("channel", "update_id"),
    )


def _gather_attachments() -> None:
    """One file of a parcel becomes a list of one, which knows the name that its bytes are kept under."""
    parcels = sa.table(
        "parcels",
        sa.column("id", sa.Text()),
        sa.column("attachment", sa.JSON()),
        sa.column("attachments", sa.JSON(none_as_null=True)),
    )
    connection = op.get_bind()
    for row in connection.execute(sa.select(parcels.c.id, parcels.c.attachment)).all():
        if row.attachment:
            kept = [{**row.attachment, "kept": row.id}]
            connection.execute(sa.update(parcels).where(parcels.c.id == row.id).values(attachments=kept))
