"""The lengths of texts in earlier batches."""

import sqlalchemy as sa

from nanoclaw.domain.batches import ItemState
from nanoclaw.durable.batch_tables import batch_items, batches
from nanoclaw.durable.store import Tx

_LAST = 200  # texts
_BATCHES = 5
_RECENT = (
    sa.select(batches.c.id)
    .where(batches.c.company == sa.bindparam("company"), batches.c.skill == sa.bindparam("skill"))
    .where(batches.c.language == sa.bindparam("language"), batches.c.ended_at.is_not(None))
    .order_by(batches.c.id.desc())
    .limit(_BATCHES)
)
_LENGTHS = (
    sa.select(sa.func.length(batch_items.c.text))
    .where(batch_items.c.batch_id.in_(_RECENT), batch_items.c.state == ItemState.SUCCEEDED.value)
    .order_by(batch_items.c.batch_id.desc(), batch_items.c.number)
    .limit(_LAST)
)
_OF_BATCH = sa.and_(
    batch_items.c.batch_id == sa.bindparam("batch"), batch_items.c.state == ItemState.SUCCEEDED.value
)
_COUNT = sa.select(sa.func.count()).select_from(batch_items).where(_OF_BATCH)
_IN_ORDER = (
    sa.select(sa.func.length(batch_items.c.text))
    .where(_OF_BATCH)
    .order_by(sa.func.length(batch_items.c.text))
)


def lengths(tx: Tx, company: str, skill: str, language: str) -> list[int]:
    """Lengths in characters of the last texts this skill wrote in batches of the company, shortest first."""
    return sorted(tx.execute(_LENGTHS, {"company": company, "skill": skill, "language": language}).scalars())


def usual_length(tx: Tx, batch_id: str) -> int:
    """The median length of a batch's texts, in characters; 0 if there are none."""
    count = tx.execute(_COUNT, {"batch": batch_id}).scalar_one()
    found = tx.execute(_IN_ORDER.limit(1).offset(count // 2), {"batch": batch_id}).scalar()
    return int(found or 0)
