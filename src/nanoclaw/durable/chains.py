"""The money of a chain: what its calls cost, and its ceiling, which is fixed when it begins."""

import sqlalchemy as sa

from nanoclaw.domain.ids import MessageId
from nanoclaw.durable.pipeline_tables import chains
from nanoclaw.durable.store import Tx
from nanoclaw.durable.tables import RESERVED, costs

_BUDGET = sa.select(chains.c.budget_micros).where(chains.c.id == sa.bindparam("chain"))
# Two hosts may ask at once; the second waits until the first one's reservation is written.
_LOCK = _BUDGET.with_for_update()
_OF_CHAIN = costs.c.chain_id == sa.bindparam("chain")
_ALL = sa.func.coalesce(sa.func.sum(costs.c.micros), 0)
_SPENT = sa.select(_ALL).where(_OF_CHAIN)
_BY_STEP = sa.select(costs.c.step, _ALL).where(_OF_CHAIN, sa.not_(RESERVED)).group_by(costs.c.step)


_PAID = sa.select(_ALL).where(_OF_CHAIN, sa.not_(RESERVED))
_PAID_FOR_STEP = _PAID.where(costs.c.step == sa.bindparam("step", type_=sa.Integer))


def budget_of(tx: Tx, chain_id: str) -> int | None:
    """The ceiling; None if there is none."""
    found: int | None = tx.execute(_BUDGET, {"chain": chain_id}).scalar()
    return found


def company_of(tx: Tx, chain_id: str) -> str | None:
    """None if there is no such chain."""
    found: str | None = tx.execute(sa.select(chains.c.company).where(chains.c.id == chain_id)).scalar()
    return found


def message_of(tx: Tx, chain_id: str) -> MessageId | None:
    """The message that started it."""
    found: str | None = tx.execute(sa.select(chains.c.message_id).where(chains.c.id == chain_id)).scalar()
    return MessageId(found) if found else None


def lock(tx: Tx, chain_id: str) -> None:
    """Keep others from adding up this chain's money until the transaction ends. Not needed on SQLite."""
    if tx.dialect.name == "postgresql":
        tx.execute(_LOCK, {"chain": chain_id})


def spent(tx: Tx, chain_id: str) -> int:
    """What was spent, including reservations."""
    return int(tx.execute(_SPENT, {"chain": chain_id}).scalar() or 0)


def spent_by_step(tx: Tx, chain_id: str) -> dict[int, int]:
    """What was paid by step, without reservations and without calls that belong to no step of the run."""
    rows = tx.execute(_BY_STEP, {"chain": chain_id})
    return {step: int(micros) for step, micros in rows if step is not None}


def paid(tx: Tx, chain_id: str, step: int | None = None) -> int:
    """What was paid for the chain or one of its steps, without reservations for calls under way."""
    if step is None:
        return int(tx.execute(_PAID, {"chain": chain_id}).scalar() or 0)
    return int(tx.execute(_PAID_FOR_STEP, {"chain": chain_id, "step": step}).scalar() or 0)
