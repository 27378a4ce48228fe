"""Whatever happens in whatever order: no limit is ever exceeded, nothing stays reserved, and everybody gets an end."""

import asyncio
import tempfile
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
import sqlalchemy as sa
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from nanoclaw.domain.budgets import Budget, BudgetLimits, periods
from nanoclaw.domain.errors import ModelOutage, ModelRefused
from nanoclaw.domain.ids import HostId
from nanoclaw.domain.money import Spender, Usage
from nanoclaw.durable import budgets, cost_sums
from nanoclaw.durable.costs import State
from nanoclaw.durable.money_tables import waiting_calls
from nanoclaw.durable.store import Store, Tx, open_store
from nanoclaw.durable.tables import costs
from nanoclaw.gateway.ledger import Ledger, Reservation
from nanoclaw.gateway.prices import Prices
from nanoclaw.testing import made_database

MODEL = "m"
PRICES = Prices({MODEL: "1/10"})
START = datetime(2026, 6, 30, 12, tzinfo=UTC)
GROUPS, PEOPLE = ("one", "two"), (None, "web:ann", "web:bob")
micros = st.one_of(st.none(), st.integers(0, 60_000))
limits = st.builds(BudgetLimits, day=micros, month=micros)
budget = st.builds(
    Budget,
    limits=limits,
    groups=st.fixed_dictionaries({}, optional={"one": limits, "*": limits}),
    people=st.fixed_dictionaries({}, optional={"web:ann": limits}),
)
call = st.tuples(st.just("call"), st.sampled_from(GROUPS), st.sampled_from(PEOPLE), st.integers(1, 1000))
# What happens to one that is on its way, or that waits: by its number, and how much of the answer it took.
ends = st.tuples(st.sampled_from(["settle", "release", "stop"]), st.integers(0, 9), st.floats(0, 1))
others = st.tuples(st.sampled_from(["override", "hours"]), st.integers(1, 30))


class Play:
    def __init__(self, store: Store, budget: Budget, log: Path) -> None:
        self.at = START
        self.store = store
        self.budget = budget
        self.ledger = Ledger(store, HostId("h_1"), PRICES, lambda _: budget, log, clock=lambda: self.at)
        self.calls: list[asyncio.Task[Reservation]] = []
        self.ended: set[int] = set()
        self.added: list[tuple[datetime, int]] = []

    async def do(self, step: tuple[object, ...]) -> None:
        match step:
            case ("call", str(group), person, int(tokens)):
                spender = Spender(
                    company="acme",
                    group=group,
                    session_id="s",
                    turn_id="t",
                    runtime="r",
                    person=person,  # type: ignore[arg-type]
                )
                quote = PRICES.quote(MODEL, 100, tokens, least=50)
                self.calls.append(asyncio.create_task(self.ledger.reserve(spender, MODEL, quote)))
            case ("settle" | "release" | "stop" as how, int(number), float(share)):
                await self.end(how, number % max(len(self.calls), 1), share)
            case ("override", int(thousands)):
                self.added.append((self.at, thousands * 1000))
                await self.store.write(
                    lambda tx: budgets.add_override(
                        tx, "acme", budgets.Addition(thousands * 1000), "web:owner", self.at
                    )
                )
                self.ledger.look_again("acme")
            case ("hours", int(hours)):
                self.at += timedelta(hours=hours)
                self.ledger.look_again("acme")

    async def end(self, how: str, number: int, share: float) -> None:
        if number >= len(self.calls) or number in self.ended:
            return
        task = self.calls[number]
        if how == "stop" and not task.done():
            task.cancel()
            await asyncio.wait([task])
        if not task.done():
            return
        self.ended.add(number)
        if task.cancelled() or task.exception():
            return
        reservation = task.result()
        if how == "settle":
            usage = Usage(input=100, output=int(reservation.max_output * share))
            assert await self.ledger.settle(reservation, usage).written
        else:
            assert await self.ledger.release(reservation)

    async def finish(self) -> None:
        """Those on their way end one after the other, until nobody waits."""
        while len(self.ended) < len(self.calls):
            left = [number for number in range(len(self.calls)) if number not in self.ended]
            done = [number for number in left if self.calls[number].done()]
            if not done:
                async with asyncio.timeout(60):  # everybody gets an end
                    await asyncio.wait(
                        [self.calls[number] for number in left], return_when=asyncio.FIRST_COMPLETED
                    )
            for number in done:
                await self.end("settle", number, 0.5)
        await self.ledger.close()

    async def check(self) -> None:
        """Everything that is paid or reserved, for each limit of each day and month, from the rows alone."""
        rows = await self.store.read(lambda tx: tx.execute(sa.select(costs)).all())
        for kind, name, limit in self._limits():
            for row in rows:
                (day, day_ends), (month, month_ends) = periods(row.at, UTC)
                for most, begin, end in ((limit.day, day, day_ends), (limit.month, month, month_ends)):
                    if most is None:
                        continue
                    added = (
                        sum(more for at, more in self.added if begin <= at < end) if kind == "company" else 0
                    )
                    total = sum(
                        other.micros
                        for other in rows
                        if begin <= other.at < end
                        and (
                            kind == "company"
                            or getattr(other, {"group": "agent_group"}.get(kind, kind)) == name
                        )
                    )
                    assert total <= most + added

    def _limits(self) -> list[tuple[str, str, BudgetLimits]]:
        return [
            ("company", "", self.budget.limits),
            *(("group", name, self.budget.of_group(name)) for name in GROUPS),
            *(("person", name, self.budget.of_person(name)) for name in PEOPLE if name),
        ]


@pytest.mark.capability("J2", "J3")
@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
@given(budget=budget, steps=st.lists(st.one_of(call, call, ends, ends, others), max_size=25))
def test_no_limit_is_exceeded_nothing_stays_reserved_and_everybody_gets_an_end(
    budget: Budget, steps: list[tuple[object, ...]]
) -> None:
    async def play() -> None:
        with tempfile.TemporaryDirectory() as folder:
            store = open_store(made_database(Path(folder) / "store.db"))
            try:
                play = Play(store, budget, Path(folder) / "costs.jsonl")
                for step in steps:
                    await play.do(step)
                    await asyncio.sleep(0)
                    await play.check()
                await play.finish()
                await play.check()
                for task in play.calls:
                    assert task.cancelled() or isinstance(task.exception(), ModelRefused | ModelOutage | None)

                def left(tx: Tx) -> tuple[int, int, int, int]:
                    counted = sa.select(sa.func.count())
                    paid = sa.select(sa.func.coalesce(sa.func.sum(costs.c.micros), 0))
                    ever = datetime(2000, 1, 1, tzinfo=UTC)
                    return (
                        tx.execute(counted.select_from(waiting_calls)).scalar_one(),
                        tx.execute(counted.where(costs.c.state == State.RESERVED)).scalar_one(),
                        int(tx.execute(paid).scalar_one()),
                        cost_sums.since(tx, "acme", day=ever, month=ever)[1],
                    )

                waiting, reserved, paid, sums = await store.read(left)
                assert (waiting, reserved, sums) == (0, 0, paid)
            finally:
                store.close()

    asyncio.run(play())
