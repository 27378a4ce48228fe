"""What a limit leaves: what was paid, and what is set aside for calls on their way, for each limit of a call."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import sqlalchemy as sa

from nanoclaw.durable import chains, cost_sums
from nanoclaw.durable.costs import NO_HOST
from nanoclaw.durable.store import Tx
from nanoclaw.durable.tables import RESERVED, costs, hosts

CHAIN, STEP = "chain", "step"

# What a dead host had on its way is as good as spent: nobody will settle it. The same for a batch: that takes a day.
_IS_ALIVE = sa.or_(costs.c.host == sa.bindparam("host"), costs.c.host.in_(sa.select(hosts.c.id)))
_OPEN = sa.select(
    costs.c.at,
    costs.c.agent_group,
    costs.c.person,
    costs.c.task_id,
    costs.c.chain_id,
    costs.c.step,
    costs.c.micros,
    sa.case((sa.and_(costs.c.host != NO_HOST, _IS_ALIVE), 1), else_=0).label("returns"),
).where(RESERVED, costs.c.company == sa.bindparam("company"))


@dataclass(frozen=True, kw_only=True, slots=True)
class Limit:
    """What calls of one kind may cost since a moment, or in all."""

    kind: str  # company, group, person, task, chain, step
    name: str
    micros: int
    error: str  # why a call is refused
    since: datetime | None = None
    step: int | None = None  # of the chain, for a limit of its kind

    @property
    def key(self) -> str:
        """Those who wait at it. Day and month are one: nobody overtakes at the one who waits at the other."""
        step = "" if self.step is None else f":{self.step}"
        return f"{self.kind}:{self.name}{step}"

    def counts(self, row: Any) -> bool:
        """Whether this open call is one of those it limits."""
        if self.since is not None and row.at < self.since:
            return False
        match self.kind:
            case cost_sums.COMPANY:
                return True
            case cost_sums.GROUP:
                return bool(row.agent_group == self.name)
            case cost_sums.PERSON:
                return bool(row.person == self.name)
            case cost_sums.TASK:
                return str(row.task_id) == self.name
            case _:
                return row.chain_id == self.name and self.step in (None, row.step)


@dataclass(frozen=True, kw_only=True, slots=True)
class Money:
    """How one limit stands, in micros."""

    limit: Limit
    paid: int  # or as good as
    on_the_way: int  # reserved for calls that will give back what they do not need

    @property
    def left(self) -> int:
        """Beside everything that is reserved."""
        return self.limit.micros - self.paid - self.on_the_way

    @property
    def left_at_most(self) -> int:
        """If all calls on their way were to give everything back."""
        return self.limit.micros - self.paid


def count(tx: Tx, company: str, limits: Sequence[Limit], host: str) -> list[Money]:
    """`host` is the one that asks: it is alive.

    What is open is read before what is paid: a call that is settled in between counts twice for a moment, and never not
    at all.
    """
    open_calls = tx.execute(_OPEN, {"company": company, "host": host}).all()
    paid = _paid(tx, company, limits)
    counted = []
    for limit, so_far in zip(limits, paid, strict=True):
        mine = [row for row in open_calls if limit.counts(row)]
        counted.append(
            Money(
                limit=limit,
                paid=so_far + sum(row.micros for row in mine if not row.returns),
                on_the_way=sum(row.micros for row in mine if row.returns),
            )
        )
    return counted


def _paid(tx: Tx, company: str, limits: Sequence[Limit]) -> list[int]:
    """The day and the month of the same name are added up together."""
    sums: dict[tuple[str, str, datetime], int] = {}
    periods: dict[tuple[str, str], set[datetime]] = {}
    for limit in limits:
        if limit.since is not None:
            periods.setdefault((limit.kind, limit.name), set()).add(limit.since)
    for (kind, name), begins in periods.items():
        day, month = max(begins), min(begins)
        today, this_month = cost_sums.since(tx, company, kind, name, day=day, month=month)
        sums[kind, name, month], sums[kind, name, day] = this_month, today
    return [
        chains.paid(tx, limit.name, limit.step)
        if limit.since is None
        else sums[limit.kind, limit.name, limit.since]
        for limit in limits
    ]
