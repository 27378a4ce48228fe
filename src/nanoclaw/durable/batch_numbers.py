"""The number of a batch in its agent group: the first is 1. It stays, because batches are never deleted."""

import sqlalchemy as sa

from nanoclaw.domain.batches import Batch
from nanoclaw.durable import batches as rows
from nanoclaw.durable.batch_tables import batches
from nanoclaw.durable.store import Tx

_UPTO = (
    sa.select(sa.func.count())
    .select_from(batches)
    .where(batches.c.agent_group == sa.bindparam("group_of"), batches.c.id <= sa.bindparam("upto"))
)
_AT = (
    sa.select(batches.c.id)
    .where(batches.c.agent_group == sa.bindparam("group_of"))
    .order_by(batches.c.id)
    .limit(1)
    .offset(sa.bindparam("before"))
)


def number_of(tx: Tx, batch: Batch) -> int:
    return int(tx.execute(_UPTO, {"group_of": batch.group, "upto": batch.id}).scalar_one())


def numbered(tx: Tx, group: str, number: int) -> Batch | None:
    found = tx.execute(_AT, {"group_of": group, "before": number - 1}).scalar() if number > 0 else None
    return rows.get(tx, found) if found else None
