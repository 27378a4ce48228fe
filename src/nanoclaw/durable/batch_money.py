"""The money set aside for a batch: one reserved row, which holds the most that its open items can cost."""

from collections.abc import Collection, Sequence

import sqlalchemy as sa

from nanoclaw.domain.batches import Batch, PartState
from nanoclaw.durable import batches, costs
from nanoclaw.durable.batch_tables import batch_items, batch_parts
from nanoclaw.durable.costs import Cost
from nanoclaw.durable.store import Tx
from nanoclaw.durable.tables import RESERVED
from nanoclaw.durable.tables import costs as costs_table

_ITEMS, _PARTS, _COSTS = batch_items.c, batch_parts.c, costs_table.c
_SUM = sa.func.coalesce(sa.func.sum(_ITEMS.reserved_micros), 0)
# Requests that are only written have no money yet.
_UNPAID = sa.select(_PARTS.number).where(
    _PARTS.batch_id == sa.bindparam("batch"), _PARTS.state == PartState.NEW.value
)
_OF_BATCH = _ITEMS.batch_id == sa.bindparam("batch")
_HELD = sa.select(_SUM).where(_OF_BATCH, _ITEMS.part.is_not(None), _ITEMS.part.not_in(_UNPAID))
_PUT = sa.update(costs_table).where(_COSTS.id == sa.bindparam("of_id")).values(micros=sa.bindparam("held"))
_STRAYS = sa.and_(RESERVED, _COSTS.batch_id == sa.bindparam("batch"), _COSTS.batch.is_(sa.true()))


def wanted(tx: Tx, batch_id: str, parts: Collection[int]) -> int:
    """The most that the items of these parts can cost."""
    these = sa.select(_SUM).where(_ITEMS.batch_id == batch_id, _ITEMS.part.in_(list(parts)))
    return int(tx.execute(these).scalar_one())


def fitting(tx: Tx, batch_id: str, parts: Collection[int], left: int) -> int:
    """How many items of these parts can be paid for with what is left, in order."""
    these = sa.and_(_ITEMS.batch_id == batch_id, _ITEMS.part.in_(list(parts)))
    fits = 0
    for (most,) in tx.execute(sa.select(_ITEMS.reserved_micros).where(these).order_by(_ITEMS.number)):
        left -= most
        if left < 0:
            break
        fits += 1
    return fits


def forget_strays(tx: Tx, batch: Batch) -> None:
    """Delete reservations of a host that died before it recorded what they were for."""
    tx.execute(sa.delete(costs_table).where(_STRAYS, _COSTS.id != (batch.cost_id or "")), {"batch": batch.id})


def take_over(tx: Tx, batch: Batch, cost_id: str) -> str:
    """Merge a new reservation into the earlier one. Returns the row that holds both."""
    if batch.cost_id is None or batch.cost_id == cost_id:
        return cost_id
    costs.lock(tx, batch.company)
    costs.release_batch(tx, cost_id)
    return batch.cost_id


def settle(tx: Tx, batch: Batch, paid: Sequence[Cost]) -> None:
    """Write what items with results cost, and free what was set aside for them."""
    costs.settle_batch_items(tx, paid)
    if batch.cost_id:
        hold(tx, batch, batch.cost_id)


def hold(tx: Tx, batch: Batch, cost_id: str) -> None:
    """Make the row hold exactly what its open items can cost; without any it is removed."""
    costs.lock(tx, batch.company)
    held = int(tx.execute(_HELD, {"batch": batch.id}).scalar_one())
    if held:
        tx.execute(_PUT, {"of_id": cost_id, "held": held})
    else:
        costs.release_batch(tx, cost_id)
    found = cost_id if held else None
    if found != batch.cost_id:
        batches.mark(tx, batch.id, cost_id=found)
