"""The tables of work that goes elsewhere and comes back: transfers of sessions, and the analyses that return."""

import sqlalchemy as sa

from nanoclaw.durable.columns import UtcTime, partial_index
from nanoclaw.durable.columns import table as _table

# A session that was packed for another runtime. It waits for the result as long as the transfer is open.
session_transfers = _table(
    "session_transfers",
    sa.Column("id", sa.Text, primary_key=True),
    sa.Column("company", sa.Text, nullable=False),
    sa.Column("agent_group", sa.Text, nullable=False),
    sa.Column("session_id", sa.Text, sa.ForeignKey("sessions.id"), nullable=False),
    sa.Column("chat_id", sa.Text, sa.ForeignKey("chats.id"), nullable=False),
    sa.Column("thread", sa.Text),
    # Who asked for it, or whom the agent that proposed it worked for.
    sa.Column("person_id", sa.Text, sa.ForeignKey("people.id"), nullable=False),
    # The message that asked for it, or the turn that proposed it.
    sa.Column("message_id", sa.Text),
    sa.Column("turn_id", sa.Text),
    # What it is for, in the person's or the agent's own words.
    sa.Column("purpose", sa.Text, nullable=False),
    sa.Column("source_runtime", sa.Text, nullable=False),
    sa.Column("source_version", sa.Text, nullable=False),
    # claude-ai, claude-code, git, manual
    sa.Column("target_runtime", sa.Text, nullable=False),
    # created, delivered, resumed, expired, cancelled
    sa.Column("status", sa.Text, nullable=False),
    # Why it was cancelled, or could not be packed or delivered: the key of a text.
    sa.Column("reason", sa.Text),
    # Once it is packed: SHA-256 of the manifest, the manifest itself, what was taken out of it, and its size in tokens.
    sa.Column("content_hash", sa.Text),
    sa.Column("manifest", sa.JSON(none_as_null=True)),
    sa.Column("removed", sa.JSON(none_as_null=True)),
    sa.Column("tokens", sa.JSON(none_as_null=True)),
    # The question whether it may leave.
    sa.Column("question_id", sa.Text),
    # Where it went: the chat, the branch, the file of the drive.
    sa.Column("delivered_to", sa.JSON(none_as_null=True)),
    sa.Column("language", sa.Text, nullable=False),
    sa.Column("created_at", UtcTime, nullable=False),
    sa.Column("packed_at", UtcTime),
    sa.Column("delivered_at", UtcTime),
    sa.Column("expires_at", UtcTime, nullable=False),
    sa.Column("ended_at", UtcTime),
    # When the package and its branch were removed.
    sa.Column("cleared_at", UtcTime),
)
_OPEN_TRANSFER = session_transfers.c.ended_at.is_(None)
partial_index(
    "session_transfers_open",
    session_transfers.c.session_id,
    where=_OPEN_TRANSFER,
)

# A document that came back from another runtime.
analyses = _table(
    "analyses",
    sa.Column("id", sa.Text, primary_key=True),
    # Null until it is known which transfer it belongs to.
    sa.Column("transfer_id", sa.Text, sa.ForeignKey("session_transfers.id")),
    sa.Column("company", sa.Text, nullable=False),
    sa.Column("agent_group", sa.Text, nullable=False),
    sa.Column("chat_id", sa.Text, sa.ForeignKey("chats.id"), nullable=False),
    sa.Column("thread", sa.Text),
    sa.Column("person_id", sa.Text, sa.ForeignKey("people.id"), nullable=False),
    sa.Column("message_id", sa.Text),
    # How it came: chat, page, terminal, git.
    sa.Column("via", sa.Text, nullable=False),
    sa.Column("file_name", sa.Text, nullable=False),
    sa.Column("sha256", sa.Text, nullable=False),
    # received, asking, understood, imported, refused, undone
    sa.Column("state", sa.Text, nullable=False),
    # What was found in it: facts, decisions, changes of context, each with its source; and the next step.
    sa.Column("found", sa.JSON(none_as_null=True)),
    # The open question about it: which transfer it belongs to, or which decisions hold.
    sa.Column("question_id", sa.Text),
    # Why it was refused: the key of an error and its values.
    sa.Column("reason", sa.JSON(none_as_null=True)),
    sa.Column("language", sa.Text, nullable=False),
    sa.Column("created_at", UtcTime, nullable=False),
    sa.Column("ended_at", UtcTime),
    # The handle of the person who took it back.
    sa.Column("undone_by", sa.Text),
    sa.Column("undone_at", UtcTime),
    sa.Index("analyses_of_transfer", "transfer_id"),
    sa.Index("analyses_of_document", "company", "sha256"),
)
