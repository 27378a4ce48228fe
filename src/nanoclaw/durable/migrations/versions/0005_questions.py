"""A human in the loop: questions, votes, permits, who is away, and an audit that shows if someone changed it."""

import hashlib
import json
from datetime import datetime

import sqlalchemy as sa
from alembic import op

from nanoclaw.durable.tables import UtcTime

revision = "0005"
down_revision = "0004"


def upgrade() -> None:
    op.add_column("people", sa.Column("away_until", UtcTime(), nullable=True))
    op.add_column("people", sa.Column("delegate", sa.Text(), nullable=True))
    op.add_column("people", sa.Column("quiet", sa.Text(), nullable=True))
    op.add_column("chats", sa.Column("awaits", sa.Text(), nullable=True))
    op.add_column("messages", sa.Column("answers", sa.Text(), nullable=True))
    op.add_column("parcels", sa.Column("silent", sa.Boolean(), nullable=True))
    op.create_table(
        "human_interactions",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("execution_id", sa.Text(), nullable=False),
        sa.Column("type", sa.Text(), nullable=False),
        sa.Column("prompt", sa.Text(), nullable=False),
        sa.Column("options", sa.JSON(none_as_null=True), nullable=True),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("response", sa.JSON(none_as_null=True), nullable=True),
        sa.Column("created_at", UtcTime(), nullable=False),
        sa.Column("resolved_at", UtcTime(), nullable=True),
        sa.Column("session_config", sa.JSON(none_as_null=True), nullable=True),
        sa.Column("session_transcript", sa.Text(), nullable=True),
        sa.Column("session_duration", sa.Integer(), nullable=True),
        sa.Column("error", sa.Text(), nullable=True),
        sa.Column("session_id", sa.Text(), nullable=False),
        sa.Column("asked_id", sa.Text(), nullable=False),
        sa.Column("agent_group", sa.Text(), nullable=False),
        sa.Column("company", sa.Text(), nullable=False),
        sa.Column("skill", sa.Text(), nullable=False),
        sa.Column("risk", sa.Text(), nullable=False),
        sa.Column("default_action", sa.Text(), nullable=True),
        sa.Column("context", sa.JSON(none_as_null=True), nullable=True),
        sa.Column("document", sa.JSON(none_as_null=True), nullable=True),
        sa.Column("deciders", sa.JSON(none_as_null=True), nullable=True),
        sa.Column("votes", sa.Integer(), nullable=False),
        sa.Column("tool", sa.JSON(none_as_null=True), nullable=True),
        sa.Column("payload", sa.Text(), nullable=False),
        sa.Column("payload_hash", sa.Text(), nullable=False),
        sa.Column("deadline_at", UtcTime(), nullable=False),
        sa.Column("reminded", sa.Integer(), nullable=False),
        sa.Column("made_by", sa.Text(), nullable=True),
        sa.Column("decided_by", sa.Text(), nullable=True),
        sa.Column("decided_name", sa.Text(), nullable=True),
        sa.Column("via", sa.Text(), nullable=True),
        sa.Column("waiter", sa.Text(), nullable=True),
        sa.Column("carried_at", UtcTime(), nullable=True),
        sa.Column("recorded_at", UtcTime(), nullable=True),
        sa.Column("repeats", sa.Text(), nullable=True),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("session_id", "asked_id", name="questions_once"),
    )
    op.create_index("questions_of_execution", "human_interactions", ["execution_id"], unique=False)
    op.create_index("questions_decided", "human_interactions", ["resolved_at"], unique=False)
    op.create_index(
        "questions_open",
        "human_interactions",
        ["id"],
        unique=False,
        sqlite_where=sa.text("status = 'pending'"),
        postgresql_where=sa.text("status = 'pending'"),
    )
    op.create_index(
        "questions_open_of",
        "human_interactions",
        ["session_id", "id"],
        unique=False,
        sqlite_where=sa.text("status = 'pending'"),
        postgresql_where=sa.text("status = 'pending'"),
    )
    op.create_table(
        "question_cards",
        sa.Column("question_id", sa.Text(), nullable=False),
        sa.Column("chat_id", sa.Text(), nullable=False),
        sa.Column("reminder", sa.Integer(), nullable=False),
        sa.Column("parcel_id", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["question_id"], ["human_interactions.id"]),
        sa.ForeignKeyConstraint(["chat_id"], ["chats.id"]),
        sa.PrimaryKeyConstraint("question_id", "chat_id", "reminder"),
    )
    op.create_index("question_cards_in_chat", "question_cards", ["chat_id", "question_id"], unique=False)
    op.create_table(
        "human_votes",
        sa.Column("interaction_id", sa.Text(), nullable=False),
        sa.Column("voter", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("option", sa.Text(), nullable=False),
        sa.Column("at", UtcTime(), nullable=False),
        sa.ForeignKeyConstraint(["interaction_id"], ["human_interactions.id"]),
        sa.PrimaryKeyConstraint("interaction_id", "voter"),
    )
    op.create_table(
        "permits",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("scope", sa.Text(), nullable=False),
        sa.Column("agent_group", sa.Text(), nullable=False),
        sa.Column("session_id", sa.Text(), nullable=False),
        sa.Column("tool", sa.Text(), nullable=False),
        sa.Column("arguments_hash", sa.Text(), nullable=True),
        sa.Column("rule", sa.Text(), nullable=False),
        sa.Column("shown", sa.Text(), nullable=False),
        sa.Column("granted_by", sa.Text(), nullable=False),
        sa.Column("granted_name", sa.Text(), nullable=False),
        sa.Column("question_id", sa.Text(), nullable=False),
        sa.Column("created_at", UtcTime(), nullable=False),
        sa.Column("expires_at", UtcTime(), nullable=True),
        sa.Column("used_at", UtcTime(), nullable=True),
        sa.Column("revoked_at", UtcTime(), nullable=True),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("permits_of_tool", "permits", ["agent_group", "tool"], unique=False)
    _chain_audit()


def _chain_audit() -> None:
    """The rows that are there become the beginning of the chain, in the order in which they were written."""
    op.create_table(
        "audit_head",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("seq", sa.Integer(), nullable=False),
        sa.Column("hash", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("id"),
    )
    connection = op.get_bind()
    old = sa.table(
        "audit",
        *(sa.column(name) for name in ("id", "handle", "name", "via", "action", "subject")),
        sa.column("at", UtcTime()),
        sa.column("detail", sa.JSON()),
    )
    rows = connection.execute(sa.select(old).order_by(old.c.id)).all()
    op.add_column("audit", sa.Column("seq", sa.Integer(), nullable=True))
    op.add_column("audit", sa.Column("hash", sa.Text(), nullable=True))
    new = sa.table("audit", *(sa.column(name) for name in ("id", "seq", "hash")))
    last = ""
    for seq, row in enumerate(rows, 1):
        last = _hash(last, seq, row)
        connection.execute(sa.update(new).where(new.c.id == row.id).values(seq=seq, hash=last))
    head = sa.table("audit_head", *(sa.column(name) for name in ("id", "seq", "hash")))
    connection.execute(sa.insert(head).values(id=1, seq=len(rows), hash=last))
    op.create_index("audit_in_order", "audit", ["seq"], unique=True)


def _hash(last: str, seq: int, row: sa.Row[tuple[str, ...]]) -> str:
    """As `durable/audit.py` did when this was written; that may change, and what is stored may not."""
    at: datetime = row.at
    fields = [last, seq, row.id, at.isoformat(), row.handle, row.name, row.via, row.action, row.subject]
    written = json.dumps([*fields, row.detail], ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(written.encode(errors="surrogatepass")).hexdigest()
