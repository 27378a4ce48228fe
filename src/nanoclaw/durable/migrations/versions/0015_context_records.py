"""Records of changed context files bind nobody, in the index too: earlier versions had them as decisions to follow."""

from alembic import op

revision = "0015"
down_revision = "0014"


def upgrade() -> None:
    op.execute(
        "UPDATE memory_entries SET is_binding = false"
        " WHERE kind = 'decision' AND domain = 'context' AND text LIKE '%/%: %'"
    )
