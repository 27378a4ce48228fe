"""The tables of what companies know: changes to memory, the index over its files, and changes to the context."""

import sqlalchemy as sa

from nanoclaw.durable.columns import UtcTime, partial_index
from nanoclaw.durable.columns import table as _table

# Everything asked of a company's memory: kept until it is written to the files, and then as the record.
memory_changes = _table(
    "memory_changes",
    sa.Column("id", sa.Text, primary_key=True),
    sa.Column("company", sa.Text, nullable=False),
    # asked, waiting, written, quarantined, refused
    sa.Column("state", sa.Text, nullable=False),
    # add, correct, forget, restore, activity, section, purge, maintain, rebuild
    sa.Column("action", sa.Text, nullable=False),
    sa.Column("entry_id", sa.Text),
    # The line to write, or the content of an activity or section.
    sa.Column("body", sa.JSON(none_as_null=True)),
    # Why it was quarantined or refused, and what was masked: keys and counts, never the words.
    sa.Column("reason", sa.JSON(none_as_null=True)),
    sa.Column("trust", sa.Text, nullable=False),
    sa.Column("person_id", sa.Text),
    sa.Column("chat_id", sa.Text),
    sa.Column("message_id", sa.Text),
    sa.Column("turn_id", sa.Text),
    # Of a tool's request: a repeat after a crash finds its row.
    sa.Column("origin", sa.Text, unique=True),
    sa.Column("created_at", UtcTime, nullable=False),
    sa.Column("written_at", UtcTime),
    sa.Index("memory_changes_waiting", "company", "state", "id"),
    sa.Index("memory_changes_of_turn", "turn_id"),
)
partial_index(
    "memory_changes_of_entry",
    memory_changes.c.company,
    memory_changes.c.entry_id,
    where=memory_changes.c.entry_id.is_not(None),
)

# The index over the files of memory and context. It can always be rebuilt from them.
memory_entries = _table(
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
    # Its words as the index keeps them, separated by spaces.
    sa.Column("terms", sa.Text, nullable=False),
    # From an embeddings model, if one is configured.
    sa.Column("vector", sa.LargeBinary),
    sa.UniqueConstraint("company", "id", name="memory_entries_once"),
    sa.Index("memory_entries_newest", "company", "kind", "at"),
)

# How many entries of a company have a word: rare words say more. The word "" counts entries, " " all their words.
memory_word_counts = _table(
    "memory_word_counts",
    sa.Column("company", sa.Text, primary_key=True),
    sa.Column("term", sa.Text, primary_key=True),
    sa.Column("entries", sa.BigInteger, nullable=False),
)

# How far each file has been indexed, to notice edits by hand and pulls.
memory_files = _table(
    "memory_files",
    sa.Column("company", sa.Text, primary_key=True),
    sa.Column("file", sa.Text, primary_key=True),
    sa.Column("bytes", sa.BigInteger, nullable=False),
    sa.Column("mtime", sa.BigInteger, nullable=False),
    # SHA-256 of what was indexed.
    sa.Column("digest", sa.Text, nullable=False),
)

# Which entries were in the prompt of which turn.
memory_uses = _table(
    "memory_uses",
    sa.Column("turn_id", sa.Text, primary_key=True),
    sa.Column("entry_id", sa.Text, primary_key=True),
    sa.Column("company", sa.Text, nullable=False),
)

# A change of a context file that a person has to approve.
context_proposals = _table(
    "context_proposals",
    sa.Column("id", sa.Text, primary_key=True),
    sa.Column("company", sa.Text, nullable=False),
    # product/pricing
    sa.Column("file", sa.Text, nullable=False),
    # The text that the change started from, and its result; without a result the file is to be deleted.
    sa.Column("before", sa.Text),
    sa.Column("after", sa.Text),
    sa.Column("summary", sa.Text, nullable=False),
    # chat, file, interview, page, command line, git
    sa.Column("source", sa.Text, nullable=False),
    # open, editing, written, applied, cancelled, outdated
    sa.Column("state", sa.Text, nullable=False),
    sa.Column("question_id", sa.Text),
    sa.Column("person_id", sa.Text),
    sa.Column("chat_id", sa.Text),
    sa.Column("session_id", sa.Text),
    sa.Column("turn_id", sa.Text),
    sa.Column("origin", sa.Text, unique=True),
    sa.Column("created_at", UtcTime, nullable=False),
    sa.Column("decided_at", UtcTime),
    sa.Index("context_proposals_open", "company", "state", "id"),
)

# Questions about a company, area by area, whose answers become context files.
interviews = _table(
    "interviews",
    sa.Column("id", sa.Text, primary_key=True),
    sa.Column("company", sa.Text, nullable=False),
    sa.Column("agent_group", sa.Text, nullable=False),
    sa.Column("person_id", sa.Text, nullable=False),
    sa.Column("chat_id", sa.Text, nullable=False),
    sa.Column("thread", sa.Text),
    # asking, paused, reviewing, done, cancelled
    sa.Column("state", sa.Text, nullable=False),
    sa.Column("question_id", sa.Text),
    # The session of the agent that writes the files from the answers.
    sa.Column("session_id", sa.Text),
    sa.Column("created_at", UtcTime, nullable=False),
    sa.Index("interviews_open", "state", "person_id"),
)

interview_answers = _table(
    "interview_answers",
    sa.Column("interview_id", sa.Text, sa.ForeignKey("interviews.id"), primary_key=True),
    # What it is about: product/pricing.plans
    sa.Column("key", sa.Text, primary_key=True),
    sa.Column("number", sa.Integer, nullable=False),
    sa.Column("answer", sa.Text),
    # Why it is asked again.
    sa.Column("problem", sa.Text),
    sa.Column("answered_at", UtcTime),
)
