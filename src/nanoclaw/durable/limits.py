"""What each limit of a call leaves: what was paid, and what is set aside for calls under way."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

import sqlalchemy as sa

from nanoclaw.domain.money import Spender
from nanoclaw.durable import chains, cost_sums
from nanoclaw.durable.costs import NO_HOST
from nanoclaw.durable.store import Tx
from nanoclaw.durable.tables import RESERVED, UtcTime, costs, hosts

CHAIN, STEP = "chain", "step"

# What a dead host had under way is as good as spent: nobody will settle it. So is a batch, which takes a day.
_RETURNS = sa.and_(
    costs.c.host != NO_HOST,
    sa.or_(costs.c.host == sa.bindparam("host"), costs.c.host.in_(sa.select(hosts.c.id))),
)
_OPEN = sa.select(
    sa.func.coalesce(sa.func.sum(costs.c.micros), 0),
    sa.func.coalesce(sa.func.sum(sa.case((_RETURNS, costs.c.micros), else_=0)), 0),
).where(RESERVED, costs.c.company == sa.bindparam("company"))
# A batch that began yesterday is paid for when its results come, so its money counts for today too.
_SINCE = sa.or_(costs.c.at >= sa.bindparam("since", type_=UtcTime), costs.c.host == NO_HOST)
_OF_CHAIN = _OPEN.where(costs.c.chain_id == sa.bindparam("name"))
# Each is built once: building one costs more than running it.
_OPEN_OF = {
    cost_sums.COMPANY: _OPEN.where(_SINCE),
    cost_sums.GROUP: _OPEN.where(_SINCE, costs.c.agent_group == sa.bindparam("name")),
    cost_sums.PERSON: _OPEN.where(_SINCE, costs.c.person == sa.bindparam("name")),
    cost_sums.TASK: _OPEN.where(_SINCE, costs.c.task_id == sa.bindparam("number", type_=sa.Integer)),
    CHAIN: _OF_CHAIN,
    STEP: _OF_CHAIN.where(costs.c.step == sa.bindparam("number", type_=sa.Integer)),
}


@dataclass(frozen=True, kw_only=True, slots=True)
class Limit:
    """What calls of one kind may cost since a moment, or in total."""

    kind: str  # company, group, person, task, chain, step
    name: str
    micros: int
    error: str  # why a call is refused
    since: datetime | None = None
    ends: datetime | None = None  # when there is money again without anyone doing anything
    period: str = ""  # day or month
    step: int | None = None  # of the chain, for a limit of its kind

    @property
    def key(self) -> str:
        """Identifies those who wait at it. Day and month share it: nobody may overtake at one those who wait
        at the other.
        """
        step = "" if self.step is None else f":{self.step}"
        return f"{self.kind}:{self.name}{step}"

    @property
    def scope(self) -> tuple[str, str, datetime | None, int | None]:
        """Which calls it adds up. The amount may change while some of them wait."""
        return self.kind, self.name, self.since, self.step

    def concerns(self, spender: Spender) -> bool:
        match self.kind:
            case cost_sums.COMPANY:
                return True
            case cost_sums.GROUP:
                return spender.group == self.name
            case cost_sums.PERSON:
                return spender.person == self.name
            case cost_sums.TASK:
                return str(spender.task_id) == self.name
            case _:
                return spender.chain_id == self.name and self.step in (None, spender.step)

    @property
    def values(self) -> dict[str, object]:
        """The parameters of its statement."""
        values: dict[str, object] = {} if self.kind == cost_sums.COMPANY else {"name": self.name}
        if self.since is not None:
            values["since"] = self.since
        if self.kind == cost_sums.TASK:
            return {"number": int(self.name), "since": self.since}
        return values | ({} if self.step is None else {"number": self.step})


@dataclass(frozen=True, kw_only=True, slots=True)
class Money:
    """How one limit stands, in micros."""

    limit: Limit
    paid: int  # or as good as paid
    on_the_way: int  # reserved for calls that will return what they do not need

    @property
    def left(self) -> int:
        """What is left besides everything reserved."""
        return self.limit.micros - self.paid - self.on_the_way

    @property
    def left_at_most(self) -> int:
        """What would be left if all calls under way returned everything."""
        return self.limit.micros - self.paid


def count(tx: Tx, company: str, limits: Sequence[Limit], host: str) -> list[Money]:
    """`host` is the one that asks: it is alive. Open calls are read before paid ones: a call settled in
    between counts twice for a moment, but is never missed.
    """
    found = [_open(tx, company, limit, host) for limit in limits]
    paid = _paid(tx, company, limits)
    return [
        Money(limit=limit, paid=so_far + reserved - on_the_way, on_the_way=on_the_way)
        for limit, so_far, (reserved, on_the_way) in zip(limits, paid, found, strict=True)
    ]


def _open(tx: Tx, company: str, limit: Limit, host: str) -> tuple[int, int]:
    """What is reserved, and how much of it for calls that will return what they do not need."""
    row = tx.execute(_OPEN_OF[limit.kind], {"company": company, "host": host, **limit.values}).first()
    return (int(row[0]), int(row[1])) if row else (0, 0)


def _paid(tx: Tx, company: str, limits: Sequence[Limit]) -> list[int]:
    """What was paid; day and month of the same name are added up together."""
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
