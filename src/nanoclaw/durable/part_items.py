"""The items of a batch under way: written into a part, sent with it, and waiting for its results."""

from collections.abc import Mapping

import sqlalchemy as sa

from nanoclaw.domain.batches import BatchItem, ItemState
from nanoclaw.domain.news import EVERY_CHAT, BatchChanged
from nanoclaw.durable.after_commit import announce
from nanoclaw.durable.batch_tables import batch_items
from nanoclaw.durable.batches import to_item
from nanoclaw.durable.store import Tx

_ITEMS = batch_items.c
_MARK_ITEM = sa.update(batch_items).where(
    _ITEMS.batch_id == sa.bindparam("of_batch"), _ITEMS.number == sa.bindparam("of_number")
)
_PUT_IN_PART = _MARK_ITEM.values(part=sa.bindparam("new_part"), reserved_micros=sa.bindparam("new_micros"))


def put_in_part(tx: Tx, batch_id: str, part: int, most: Mapping[int, int]) -> None:
    """Note that their requests are written, with the most each can cost, by number."""
    rows = [
        {"of_batch": batch_id, "of_number": number, "new_part": part, "new_micros": micros}
        for number, micros in most.items()
    ]
    tx.execute(_PUT_IN_PART, rows)


def mark_part(tx: Tx, batch_id: str, part: int, only: ItemState, /, **values: object) -> None:
    """Change all items of a part that are still in this state."""
    these = sa.and_(_ITEMS.batch_id == batch_id, _ITEMS.part == part, _ITEMS.state == only.value)
    tx.execute(sa.update(batch_items).where(these).values(**values))
    announce(tx, EVERY_CHAT, BatchChanged(batch_id))


def count_in_part(tx: Tx, batch_id: str, part: int) -> int:
    these = sa.and_(_ITEMS.batch_id == batch_id, _ITEMS.part == part)
    return tx.execute(sa.select(sa.func.count()).select_from(batch_items).where(these)).scalar_one()


def items_of_part(tx: Tx, batch_id: str, part: int, *, is_open: bool) -> list[tuple[int, int]]:
    """Number and attempt of the items that wait for their result, or of those that have it."""
    of_part = sa.and_(_ITEMS.batch_id == batch_id, _ITEMS.part == part)
    waits = _ITEMS.state == ItemState.SENT.value
    rows = tx.execute(
        sa.select(_ITEMS.number, _ITEMS.attempt).where(of_part, waits if is_open else sa.not_(waits))
    )
    return [(number, attempt) for number, attempt in rows]


def mark_waiting(tx: Tx, batch_id: str, *, after: int = 0, **values: object) -> None:
    """Change all unsent items after a number."""
    waits = sa.and_(_ITEMS.batch_id == batch_id, _ITEMS.state == ItemState.WAITING.value)
    tx.execute(sa.update(batch_items).where(waits, _ITEMS.number > after).values(**values))
    announce(tx, EVERY_CHAT, BatchChanged(batch_id))


def unwritten(
    tx: Tx, batch_id: str, *, beyond_part: int, after: int = 0, limit: int = 100
) -> list[BatchItem]:
    """Items whose requests are in no part: a part gets its row when all of it is written."""
    where = (
        _ITEMS.batch_id == batch_id,
        _ITEMS.state == ItemState.WAITING.value,
        _ITEMS.number > after,
        sa.or_(_ITEMS.part.is_(None), _ITEMS.part > beyond_part),
    )
    rows = tx.execute(sa.select(batch_items).where(*where).order_by(_ITEMS.number).limit(limit))
    return [to_item(row) for row in rows]
