"""The rows of a batch's parts: each is one batch at the vendor."""

from typing import Any

import sqlalchemy as sa

from nanoclaw.domain.batches import BatchPart, PartState
from nanoclaw.domain.news import EVERY_CHAT, BatchChanged
from nanoclaw.durable.after_commit import announce
from nanoclaw.durable.batch_tables import batch_parts
from nanoclaw.durable.store import Tx

_PARTS = batch_parts.c
_COLUMNS = tuple(each.name for each in batch_parts.columns)
_OF_BATCH = sa.select(batch_parts).where(_PARTS.batch_id == sa.bindparam("batch")).order_by(_PARTS.number)
_THIS = sa.and_(_PARTS.batch_id == sa.bindparam("of_batch"), _PARTS.number == sa.bindparam("of_number"))
_MARK = sa.update(batch_parts).where(_THIS)


def add(tx: Tx, part: BatchPart) -> None:
    values = {name: getattr(part, name) for name in _COLUMNS}
    tx.execute(sa.insert(batch_parts).values(**{**values, "state": part.state.value}))
    announce(tx, EVERY_CHAT, BatchChanged(part.batch_id))


def of_batch(tx: Tx, batch_id: str) -> list[BatchPart]:
    """The parts in order."""
    return [_part(row) for row in tx.execute(_OF_BATCH, {"batch": batch_id})]


def mark(tx: Tx, batch_id: str, number: int, **values: object) -> None:
    tx.execute(_MARK.values(**values), {"of_batch": batch_id, "of_number": number})
    announce(tx, EVERY_CHAT, BatchChanged(batch_id))


def is_known(tx: Tx, vendor_id: str) -> bool:
    """Whether this vendor batch belongs to a part of any batch."""
    return tx.execute(sa.select(_PARTS.number).where(_PARTS.vendor_id == vendor_id)).first() is not None


def _part(row: Any) -> BatchPart:
    found = {name: getattr(row, name) for name in _COLUMNS}
    return BatchPart(**{**found, "state": PartState(row.state)})


def forget(tx: Tx, batch_id: str, number: int) -> None:
    """Delete a part of which nothing has left."""
    tx.execute(sa.delete(batch_parts).where(_PARTS.batch_id == batch_id, _PARTS.number == number))
