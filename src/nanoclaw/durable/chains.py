"""The money of a chain: what its calls cost, and its ceiling, which was set when it began and stays."""

from dataclasses import dataclass

import sqlalchemy as sa

from nanoclaw.domain.ids import MessageId
from nanoclaw.durable.pipeline_tables import chains
from nanoclaw.durable.store import Tx
from nanoclaw.durable.tables import RESERVED, costs, hosts

_BUDGET = sa.select(chains.c.budget_micros).where(chains.c.id == sa.bindparam("chain"))
# Two hosts may ask at once; the second waits until the first one's reservation is written.
_LOCK = _BUDGET.with_for_update()
_OF_CHAIN = costs.c.chain_id == sa.bindparam("chain")
_ALL = sa.func.coalesce(sa.func.sum(costs.c.micros), 0)
_SPENT = sa.select(_ALL).where(_OF_CHAIN)
_BY_STEP = sa.select(costs.c.step, _ALL).where(_OF_CHAIN, sa.not_(RESERVED)).group_by(costs.c.step)


def _sum_where(this: sa.ColumnElement[bool]) -> sa.ColumnElement[int]:
    return sa.func.coalesce(sa.func.sum(sa.case((this, costs.c.micros), else_=0)), 0)


_THIS_STEP = costs.c.step == sa.bindparam("step", type_=sa.Integer)
# What a dead host had on its way is as good as spent: nobody will settle it.
_IS_ALIVE = sa.or_(costs.c.host == sa.bindparam("host"), costs.c.host.in_(sa.select(hosts.c.id)))
_ON_ITS_WAY = sa.and_(RESERVED, _IS_ALIVE)
_COUNT = sa.select(
    _ALL, _sum_where(_ON_ITS_WAY), _sum_where(_THIS_STEP), _sum_where(sa.and_(_THIS_STEP, _ON_ITS_WAY))
).where(_OF_CHAIN)


@dataclass(frozen=True, kw_only=True, slots=True)
class Money:
    """In micros; `reserved` is the part of `spent` for calls that are still on their way."""

    spent: int
    reserved: int


def budget_of(tx: Tx, chain_id: str) -> int | None:
    """None: no ceiling."""
    found: int | None = tx.execute(_BUDGET, {"chain": chain_id}).scalar()
    return found


def message_of(tx: Tx, chain_id: str) -> MessageId | None:
    """The message with which it began."""
    found: str | None = tx.execute(sa.select(chains.c.message_id).where(chains.c.id == chain_id)).scalar()
    return MessageId(found) if found else None


def lock(tx: Tx, chain_id: str) -> None:
    """Until the transaction ends, nobody else adds up the money of this chain. On SQLite nobody can anyway."""
    if tx.dialect.name == "postgresql":
        tx.execute(_LOCK, {"chain": chain_id})


def spent(tx: Tx, chain_id: str) -> int:
    """With what is reserved."""
    return int(tx.execute(_SPENT, {"chain": chain_id}).scalar() or 0)


def spent_by_step(tx: Tx, chain_id: str) -> dict[int, int]:
    """Without what is reserved, and without calls that belong to no step of the run."""
    rows = tx.execute(_BY_STEP, {"chain": chain_id})
    return {step: int(micros) for step, micros in rows if step is not None}


def count(tx: Tx, chain_id: str, step: int | None, host: str = "") -> tuple[Money, Money]:
    """Of the chain, and of one of its steps. `host` is the one that asks: it is alive."""
    row = tx.execute(_COUNT, {"chain": chain_id, "step": step, "host": host}).one()
    everything, on_its_way, of_step, on_its_way_for_step = map(int, row)
    return (
        Money(spent=everything, reserved=on_its_way),
        Money(spent=of_step, reserved=on_its_way_for_step),
    )
