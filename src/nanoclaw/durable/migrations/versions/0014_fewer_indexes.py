"""Indexes that every answer paid for: one that nothing reads, and one that need not hold what concerns no entry."""

import sqlalchemy as sa
from alembic import op

revision = "0014"
down_revision = "0013"


def upgrade() -> None:
    op.drop_index("memory_uses_of_entry", "memory_uses")
    op.drop_index("memory_changes_of_entry", "memory_changes")
    of_entry = sa.text("entry_id IS NOT NULL")
    op.create_index(
        "memory_changes_of_entry",
        "memory_changes",
        ["company", "entry_id"],
        sqlite_where=of_entry,
        postgresql_where=of_entry,
    )
