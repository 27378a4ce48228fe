"""How much of its budget each company has used, kept in memory: every call asks, and adding up a month takes
long.

What this host pays is added at once, even before it is written: the next message may be faster than the disk.
What others pay, and what owners change, is read again.
"""

import asyncio
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime

from nanoclaw.domain.budgets import Budget, Level, Period, Standing, Used, periods
from nanoclaw.durable import budgets as rows
from nanoclaw.durable.clock import now
from nanoclaw.durable.store import Store, Tx

_READ_AGAIN = 15.0  # seconds: nothing tells this host what another one pays
_READ_SOON = 1.0  # seconds, if something was being written while it was read


@dataclass(slots=True)
class _Known:
    standing: Standing
    read_at: float


class NoStandings:
    """Hears what each call costs, and keeps nothing."""

    def ended(self, company: str, micros: int) -> None:
        """A call is over, and its row will show its cost."""

    def written(self, company: str, micros: int) -> None:
        """Its row shows the cost now; or it could not be written, and the next reservation writes it."""

    def paid(self, company: str, micros: int) -> None:
        """A call was paid for, and its row shows it."""


class Standings(NoStandings):
    """`budgets` gives the current budget of a company. `risen` is told about each level that is reached,
    `spent` about each payment.
    """

    def __init__(
        self,
        store: Store,
        budgets: Callable[[str], Budget],
        *,
        spent: Callable[[str], None] = lambda _company: None,
        risen: Callable[[str, Standing], None] = lambda _company, _standing: None,
        clock: Callable[[], datetime] = now,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self._store = store
        self.budgets = budgets
        self._spent = spent
        self._risen = risen
        self._clock = clock
        self._monotonic = monotonic
        self._known: dict[str, _Known] = {}
        self._unwritten: Counter[str] = Counter()  # the cost of calls whose rows do not show it yet
        self._writes: Counter[str] = Counter()  # how many rows were written
        self._reading: dict[str, asyncio.Lock] = {}

    async def of(self, company: str, *, anew: bool = False) -> Standing | None:
        """None if it has no budget. `anew`: read it from the rows, whatever is known here."""
        budget = self.budgets(company)
        if not budget.is_set:
            return None
        if anew:
            return await self._read(company, budget)
        standing, unwritten = await self._of_rows(company, budget), self._unwritten[company]
        return _with(standing, unwritten) if unwritten else standing

    def ended(self, company: str, micros: int) -> None:
        self._unwritten[company] += micros

    def written(self, company: str, micros: int) -> None:
        self._unwritten[company] -= micros
        self._writes[company] += 1

    def paid(self, company: str, micros: int) -> None:
        self._spent(company)
        known = self._known.get(company)
        if known is None or not micros:
            return
        before = known.standing
        known.standing = _with(before, micros)
        if known.standing.level > before.level:
            self._risen(company, known.standing)

    def ran_out(self, company: str) -> None:
        """What is left did not pay for a call. Near the end this means that the budget is used up until more
        money comes; before that, the call was too big.
        """
        known = self._known.get(company)
        if known is None or known.standing.is_empty:
            return
        if known.standing.worse.share >= known.standing.budget.critical_at:
            known.standing = replace(known.standing, is_empty=True)
            self._risen(company, known.standing)

    def last(self, company: str) -> Standing | None:
        """The last known standing."""
        known = self._known.get(company)
        return known.standing if known else None

    def changed(self, company: str) -> None:
        """An owner changed the budget, or added to it."""
        self._known.pop(company, None)

    async def _of_rows(self, company: str, budget: Budget) -> Standing:
        if (known := self._fresh(company, budget)) is not None:
            return known
        async with self._reading.setdefault(company, asyncio.Lock()):
            if (known := self._fresh(company, budget)) is not None:
                return known
            return await self._read(company, budget)

    def _fresh(self, company: str, budget: Budget) -> Standing | None:
        known = self._known.get(company)
        if known is None or known.standing.budget is not budget:
            return None
        at, day = self._clock(), known.standing.day
        is_today = day.began <= at < day.ends  # a clock may also be set back
        if not is_today or self._monotonic() - known.read_at > _READ_AGAIN:
            return None
        return known.standing

    async def _read(self, company: str, budget: Budget) -> Standing:
        at, started, writes = self._clock(), self._monotonic(), self._writes[company]
        before = self._known.get(company)
        standing = await self._store.read(lambda tx: read_standing(tx, company, budget, at))
        if before is not None and before.standing.is_empty and _is_same(before.standing, standing):
            standing = replace(standing, is_empty=True)
        # Costs on their way to the rows meanwhile may be missing, or be added twice.
        is_exact = not self._unwritten[company] and self._writes[company] == writes
        self._known[company] = _Known(
            standing=standing, read_at=started if is_exact else started - _READ_AGAIN + _READ_SOON
        )
        if standing.level > (before.standing.level if before else Level.NORMAL):
            self._risen(company, standing)
        return standing


def read_standing(tx: Tx, company: str, budget: Budget, at: datetime) -> Standing:
    """The standing from the rows: what was paid, and what owners added."""
    day, month = periods(at, budget.zone)
    today, this_month = rows.paid(tx, company, day=day[0], month=month[0])
    added = {period[0]: rows.overrides(tx, company, period[0]) for period in (day, month)}

    def used(name: Period, period: tuple[datetime, datetime], spent: int, limit: int | None) -> Used:
        with_added = None if limit is None else limit + added[period[0]]
        return Used(period=name, began=period[0], ends=period[1], spent=spent, limit=with_added)

    return Standing(
        budget=budget,
        day=used(Period.DAY, day, today, budget.limits.day),
        month=used(Period.MONTH, month, this_month, budget.limits.month),
    )


def _with(standing: Standing, micros: int) -> Standing:
    return replace(
        standing,
        day=replace(standing.day, spent=standing.day.spent + micros),
        month=replace(standing.month, spent=standing.month.spent + micros),
    )


def _is_same(one: Standing, other: Standing) -> bool:
    """Whether limits and periods are the same, so that no money has come."""
    return all(
        (old.began, old.limit) == (new.began, new.limit)
        for old, new in ((one.day, other.day), (one.month, other.month))
    )
