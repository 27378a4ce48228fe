"""The rows of model call costs: written with the maximum when a call leaves, and updated when the cost is known."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import StrEnum
from typing import Any

import sqlalchemy as sa

from nanoclaw.domain.ids import HostId
from nanoclaw.domain.money import Spender, Usage
from nanoclaw.durable import cost_sums
from nanoclaw.durable.store import Tx
from nanoclaw.durable.tables import RESERVED, costs, hosts


class State(StrEnum):
    """How much is known about a call's cost."""

    RESERVED = "reserved"  # in flight; this is the maximum
    SETTLED = "settled"
    ESTIMATED = "estimated"  # cut off, so that the real cost is unknown


@dataclass(frozen=True, kw_only=True, slots=True)
class Cost:
    """One model call."""

    id: str
    at: datetime
    spender: Spender
    model: str
    host: HostId
    micros: int
    state: State = State.RESERVED
    usage: Usage = field(default_factory=Usage)
    duration_ms: int = 0
    batch: bool = False
    saved_by_cache: int = 0  # micros; below 0 while a cache is being filled
    saved_by_batch: int = 0


# Statements are built once: building one costs more than running it.
_INSERT = sa.insert(costs)
_THIS = costs.c.id == sa.bindparam("of_id")
_DELETE = sa.delete(costs).where(_THIS)
_LEARNT = (
    "state",
    "micros",
    "input_tokens",
    "output_tokens",
    "cache_read_tokens",
    "cache_write_tokens",
    "thinking_tokens",
    "duration_ms",
    "saved_by_cache",
    "saved_by_batch",
)
_SETTLE = sa.update(costs).where(_THIS).values({name: sa.bindparam(name) for name in _LEARNT})
_BEFORE = sa.select(costs.c.state, costs.c.micros).where(_THIS)
# At the same moment another host may take this one for dead, and count the call at its maximum.
_BEFORE_ALONE = _BEFORE.with_for_update()
NO_HOST = HostId("")
"""For batches: they are under way whichever host is alive."""
# Two hosts may ask at once; the second waits until the first one's reservation is written.
_LOCK = sa.text("SELECT pg_advisory_xact_lock(hashtextextended('nanoclaw-costs:' || :company, 0))")


def lock(tx: Tx, company: str) -> None:
    """Keep others from adding up this company's money until the transaction ends. Not needed on SQLite."""
    if tx.dialect.name == "postgresql":
        tx.execute(_LOCK, {"company": company})


def reserve(tx: Tx, cost: Cost, *more: Cost) -> None:
    """Reserve the maximum for calls that are about to leave."""
    tx.execute(_INSERT, [_row(each) for each in (cost, *more)])


def settle(tx: Tx, cost: Cost, *more: Cost) -> None:
    """Write the cost of calls that are over. A row may be missing if it could not be written when the call left."""
    paid = []
    for each in sorted(
        (cost, *more), key=lambda each: each.id
    ):  # two transactions meet the rows in the same order
        row = _row(each)
        before = _before(tx, each)
        if before is None:
            tx.execute(_INSERT, row)
        else:
            tx.execute(_SETTLE, {"of_id": each.id, **{name: row[name] for name in _LEARNT}})
        paid.append(replace(each, micros=each.micros - _paid(before)))
    cost_sums.add(tx, paid)


def release(tx: Tx, cost: Cost) -> None:
    """Remove a reservation of which nothing was spent."""
    before = _before(tx, cost)
    tx.execute(_DELETE, {"of_id": cost.id})
    if paid := _paid(before):
        cost_sums.add(tx, [replace(cost, micros=-paid)])


def recover(tx: Tx, host: HostId) -> list[Cost]:
    """Count open calls of dead hosts at their maximum. Returns these calls."""
    dead = sa.and_(costs.c.host.not_in([host, NO_HOST]), costs.c.host.not_in(sa.select(hosts.c.id)))
    lost = sa.and_(RESERVED, dead)
    rows = tx.execute(sa.update(costs).where(lost).values(state=State.ESTIMATED).returning(*costs.c))
    found = sorted((_cost(row) for row in rows), key=lambda cost: cost.id)
    cost_sums.add(tx, found)
    return found


def settle_batch_items(tx: Tx, rows: Sequence[Cost]) -> None:
    """Write the costs of finished batch items. The caller also lowers what was reserved for them."""
    if not rows:
        return
    # Others adding up meanwhile must not count the same money as reserved and as paid.
    for company in sorted({row.spender.company for row in rows}):
        lock(tx, company)
    tx.execute(_INSERT, [_row(replace(row, batch=True)) for row in rows])
    cost_sums.add(tx, rows)


def release_batch(tx: Tx, cost_id: str) -> None:
    """The batch is over: remove its reservation."""
    tx.execute(_DELETE, {"of_id": cost_id})


def of_turn(tx: Tx, turn_id: str) -> list[Cost]:
    """The calls of a turn in the order they left."""
    rows = tx.execute(sa.select(costs).where(costs.c.turn_id == turn_id).order_by(costs.c.id))
    return [_cost(row) for row in rows]


def _before(tx: Tx, cost: Cost) -> Any:
    shared = tx.dialect.name == "postgresql"
    return tx.execute(_BEFORE_ALONE if shared else _BEFORE, {"of_id": cost.id}).first()


def _paid(before: Any) -> int:
    """What the sums already hold of it: nothing while it is reserved."""
    return 0 if before is None or before.state == State.RESERVED else int(before.micros)


def _row(cost: Cost) -> dict[str, object]:
    return {
        "id": cost.id,
        "at": cost.at,
        "company": cost.spender.company,
        "agent_group": cost.spender.group,
        "session_id": cost.spender.session_id,
        "turn_id": cost.spender.turn_id,
        "runtime": cost.spender.runtime,
        "skill": cost.spender.skill,
        "flow": cost.spender.flow,
        "chain_id": cost.spender.chain_id,
        "step": cost.spender.step,
        "person": cost.spender.person,
        "chat_id": cost.spender.chat_id,
        "task_id": cost.spender.task_id,
        "batch_id": cost.spender.batch_id,
        "model": cost.model,
        "host": cost.host,
        "state": cost.state,
        "micros": cost.micros,
        "input_tokens": cost.usage.input,
        "output_tokens": cost.usage.output,
        "cache_read_tokens": cost.usage.cache_read,
        "cache_write_tokens": cost.usage.cache_write,
        "thinking_tokens": cost.usage.thinking,
        "batch": cost.batch,
        "duration_ms": cost.duration_ms,
        "saved_by_cache": cost.saved_by_cache,
        "saved_by_batch": cost.saved_by_batch,
    }


def _cost(row: sa.Row[Any]) -> Cost:
    return Cost(
        id=row.id,
        at=row.at,
        spender=Spender(
            company=row.company,
            group=row.agent_group,
            session_id=row.session_id,
            turn_id=row.turn_id,
            runtime=row.runtime,
            skill=row.skill,
            flow=row.flow,
            chain_id=row.chain_id,
            step=row.step,
            person=row.person,
            chat_id=row.chat_id,
            task_id=row.task_id,
            batch_id=row.batch_id,
        ),
        model=row.model,
        host=row.host,
        micros=row.micros,
        state=State(row.state),
        usage=Usage(
            input=row.input_tokens,
            output=row.output_tokens,
            cache_read=row.cache_read_tokens,
            cache_write=row.cache_write_tokens,
            thinking=row.thinking_tokens,
        ),
        duration_ms=row.duration_ms,
        batch=row.batch,
        saved_by_cache=row.saved_by_cache or 0,
        saved_by_batch=row.saved_by_batch or 0,
    )
