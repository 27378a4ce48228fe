"""What companies know: changes to memory, the index over its files, proposed changes to the context, interviews."""

import sqlalchemy as sa
from alembic import op

from nanoclaw.durable.tables import UtcTime

revision = "0009"
down_revision = "0008"


def upgrade() -> None:
    op.add_column("chats", sa.Column("memory", sa.Text(), nullable=False, server_default="write"))
    op.add_column("turns", sa.Column("is_mixed", sa.Boolean(), nullable=True))
    op.add_column("scheduled_tasks", sa.Column("is_mixed", sa.Boolean(), nullable=True))
    op.add_column("sessions", sa.Column("extracted", sa.Text(), nullable=True))
    _memory_changes()
    _memory_entries()
    _memory_words()
    _memory_files()
    _memory_uses()
    _context_proposals()
    _interviews()
    _interview_answers()


def _memory_changes() -> None:
    op.create_table(
        "memory_changes",
        sa.Column("id", sa.Text, primary_key=True),
        sa.Column("company", sa.Text, nullable=False),
        sa.Column("state", sa.Text, nullable=False),
        sa.Column("action", sa.Text, nullable=False),
        sa.Column("entry_id", sa.Text),
        sa.Column("body", sa.JSON(none_as_null=True)),
        sa.Column("reason", sa.JSON(none_as_null=True)),
        sa.Column("trust", sa.Text, nullable=False),
        sa.Column("person_id", sa.Text),
        sa.Column("chat_id", sa.Text),
        sa.Column("message_id", sa.Text),
        sa.Column("turn_id", sa.Text),
        sa.Column("origin", sa.Text, unique=True),
        sa.Column("created_at", UtcTime, nullable=False),
        sa.Column("written_at", UtcTime),
    )
    op.create_index("memory_changes_waiting", "memory_changes", ["company", "state", "id"])
    op.create_index("memory_changes_of_turn", "memory_changes", ["turn_id"])
    op.create_index("memory_changes_of_entry", "memory_changes", ["company", "entry_id"])


def _memory_entries() -> None:
    op.create_table(
        "memory_entries",
        sa.Column(
            "number", sa.BigInteger().with_variant(sa.Integer, "sqlite"), primary_key=True, autoincrement=True
        ),
        sa.Column("company", sa.Text, nullable=False),
        sa.Column("id", sa.Text, nullable=False),
        sa.Column("kind", sa.Text, nullable=False),
        sa.Column("text", sa.Text, nullable=False),
        sa.Column("at", UtcTime, nullable=False),
        sa.Column("file", sa.Text, nullable=False),
        sa.Column("domain", sa.Text, nullable=False),
        sa.Column("topic", sa.Text, nullable=False),
        sa.Column("related", sa.JSON, nullable=False),
        sa.Column("source", sa.Text, nullable=False),
        sa.Column("confidence", sa.Float, nullable=False),
        sa.Column("expires", UtcTime),
        sa.Column("trust", sa.Text, nullable=False),
        sa.Column("is_public", sa.Boolean, nullable=False),
        sa.Column("is_binding", sa.Boolean, nullable=False),
        sa.Column("person", sa.Text, nullable=False),
        sa.Column("turn_id", sa.Text),
        sa.Column("message_id", sa.Text),
        sa.Column("chat_id", sa.Text),
        sa.Column("state", sa.Text, nullable=False),
        sa.Column("supersedes", sa.Text),
        sa.Column("superseded_by", sa.Text),
        sa.Column("terms", sa.Text, nullable=False),
        sa.Column("vector", sa.LargeBinary),
        sa.UniqueConstraint("company", "id", name="memory_entries_once"),
    )
    op.create_index("memory_entries_newest", "memory_entries", ["company", "kind", "at"])


def _memory_words() -> None:
    op.create_table(
        "memory_word_counts",
        sa.Column("company", sa.Text, primary_key=True),
        sa.Column("term", sa.Text, primary_key=True),
        sa.Column("entries", sa.BigInteger, nullable=False),
    )
    if op.get_bind().dialect.name == "sqlite":
        op.execute(
            """
            CREATE VIRTUAL TABLE memory_words USING fts5(
                terms, content='', detail=none, columnsize=0, tokenize="ascii tokenchars '!#$%&*+,-./:;<=>?@^_|~'"
            )
            """
        )
    else:
        op.execute("CREATE TABLE memory_words (number BIGINT PRIMARY KEY, terms TSVECTOR NOT NULL)")
        op.execute("CREATE INDEX memory_words_terms ON memory_words USING gin (terms)")


def _memory_files() -> None:
    op.create_table(
        "memory_files",
        sa.Column("company", sa.Text, primary_key=True),
        sa.Column("file", sa.Text, primary_key=True),
        sa.Column("bytes", sa.BigInteger, nullable=False),
        sa.Column("mtime", sa.BigInteger, nullable=False),
        sa.Column("digest", sa.Text, nullable=False),
    )


def _memory_uses() -> None:
    op.create_table(
        "memory_uses",
        sa.Column("turn_id", sa.Text, primary_key=True),
        sa.Column("entry_id", sa.Text, primary_key=True),
        sa.Column("company", sa.Text, nullable=False),
    )
    op.create_index("memory_uses_of_entry", "memory_uses", ["company", "entry_id"])


def _context_proposals() -> None:
    op.create_table(
        "context_proposals",
        sa.Column("id", sa.Text, primary_key=True),
        sa.Column("company", sa.Text, nullable=False),
        sa.Column("file", sa.Text, nullable=False),
        sa.Column("before", sa.Text),
        sa.Column("after", sa.Text),
        sa.Column("summary", sa.Text, nullable=False),
        sa.Column("source", sa.Text, nullable=False),
        sa.Column("state", sa.Text, nullable=False),
        sa.Column("question_id", sa.Text),
        sa.Column("person_id", sa.Text),
        sa.Column("chat_id", sa.Text),
        sa.Column("session_id", sa.Text),
        sa.Column("turn_id", sa.Text),
        sa.Column("origin", sa.Text, unique=True),
        sa.Column("created_at", UtcTime, nullable=False),
        sa.Column("decided_at", UtcTime),
    )
    op.create_index("context_proposals_open", "context_proposals", ["company", "state", "id"])


def _interviews() -> None:
    op.create_table(
        "interviews",
        sa.Column("id", sa.Text, primary_key=True),
        sa.Column("company", sa.Text, nullable=False),
        sa.Column("agent_group", sa.Text, nullable=False),
        sa.Column("person_id", sa.Text, nullable=False),
        sa.Column("chat_id", sa.Text, nullable=False),
        sa.Column("thread", sa.Text),
        sa.Column("state", sa.Text, nullable=False),
        sa.Column("question_id", sa.Text),
        sa.Column("session_id", sa.Text),
        sa.Column("created_at", UtcTime, nullable=False),
    )
    op.create_index("interviews_open", "interviews", ["state", "person_id"])


def _interview_answers() -> None:
    op.create_table(
        "interview_answers",
        sa.Column("interview_id", sa.Text, sa.ForeignKey("interviews.id"), primary_key=True),
        sa.Column("key", sa.Text, primary_key=True),
        sa.Column("number", sa.Integer, nullable=False),
        sa.Column("answer", sa.Text),
        sa.Column("problem", sa.Text),
        sa.Column("answered_at", UtcTime),
    )
