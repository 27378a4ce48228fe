"""How much of a budget is used, on the company's own clock, and which model that leaves; on both databases."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from nanoclaw.domain.budgets import BUDGET_HELD, Budget, BudgetLimits, Level, Standing
from nanoclaw.domain.errors import ModelOutage, ModelRefused
from nanoclaw.domain.ids import HostId, new_id
from nanoclaw.domain.money import MICROS, Spender
from nanoclaw.durable import budgets, costs, work
from nanoclaw.durable.costs import Cost, State
from nanoclaw.durable.store import Store, open_store
from nanoclaw.gateway.prices import Prices
from nanoclaw.gateway.standings import Standings
from nanoclaw.gateway.step_down import StepDown

pytestmark = pytest.mark.capability("J2", "A14")

KYIV = ZoneInfo("Europe/Kyiv")
TIERS = {"haiku": "small", "sonnet": "middle", "opus": "big"}
PRICES = Prices(
    {
        "small": "1/1",
        "middle": "10/10",
        "big": "100/100",
        "other:dear": "50/50",
        "between": "5/5",
        "huge": "999/999",
    }
)
OWN = Spender(company="acme", group="main", session_id="s", turn_id="t", runtime="native", is_own=True)
TASK = replace(OWN, is_own=False)
BUDGET = Budget(limits=BudgetLimits(day=MICROS, month=3 * MICROS), overdraft=MICROS // 10, zone=KYIV)


@pytest.fixture
def store(database_url: str) -> Iterator[Store]:
    store = open_store(database_url)
    yield store
    store.close()


class Scene:
    """A budget at a time that a test sets."""

    def __init__(self, store: Store, budget: Budget = BUDGET) -> None:
        self.store = store
        self.at = datetime(2026, 3, 30, 20, 30, tzinfo=UTC)  # 23:30 in Kyiv, the day after the clocks changed
        self.budget = budget
        self.told: list[Standing] = []
        self.standings = Standings(
            store,
            lambda _company: self.budget,
            risen=lambda _company, standing: self.told.append(standing),
            clock=lambda: self.at,
        )
        self.step_down = StepDown(self.standings, TIERS, PRICES, clock=lambda: self.at)

    async def pays(self, share: float, at: datetime | None = None, state: State = State.SETTLED) -> None:
        cost = Cost(
            id=new_id("u"),
            at=at or self.at,
            spender=OWN,
            model="middle",
            host=HostId("h_1"),
            micros=round(share * MICROS),
            state=state,
        )
        if state is State.RESERVED:
            await self.store.write(lambda tx: costs.reserve(tx, cost))
            return
        await self.store.write(lambda tx: costs.settle(tx, cost))
        self.step_down.standings.paid("acme", cost.micros)

    async def model(self, model: str, spender: Spender = OWN) -> str:
        return (await self.step_down.choose(spender, model)).model


async def test_models_step_down_by_what_was_paid(store: Store) -> None:
    scene = Scene(store)
    await scene.pays(0.5, scene.at - timedelta(days=2))  # of this month, and of another day
    await scene.pays(0.9, state=State.RESERVED)  # not paid yet
    assert await scene.model("big") == "big"
    await scene.pays(0.8)
    seen = {
        name: await scene.model(name) for name in ("big", "middle", "small", "between", "other:dear", "huge")
    }
    # A model of no tier counts by its price, and becomes none of another vendor.
    assert seen == {
        "big": "middle",
        "middle": "small",
        "small": "small",
        "between": "small",
        "other:dear": "other:dear",
        "huge": "middle",
    }
    chosen = await scene.step_down.choose(TASK, "big")
    assert (chosen.instead_of, chosen.level, chosen.period, chosen.overdraft) == ("big", 80, "day", False)
    await scene.pays(0.15)
    assert (await scene.model("big"), (await scene.step_down.choose(OWN, "big")).overdraft) == ("small", True)
    assert [standing.level for standing in scene.told] == [Level.STEPPED_DOWN, Level.SMALLEST]


async def test_a_call_that_is_over_counts_before_its_row_says_so(store: Store) -> None:
    """The next message may come before the disk has what the last one cost."""
    scene = Scene(store)
    assert await scene.model("big") == "big"
    scene.standings.ended("acme", round(0.8 * MICROS))
    assert await scene.model("big") == "middle"
    await scene.pays(0.8)
    scene.standings.written("acme", round(0.8 * MICROS))
    assert await scene.model("big") == "middle"  # once, not twice
    scene.standings.ended("acme", round(0.1 * MICROS))
    scene.standings.written("acme", round(0.1 * MICROS))  # it could not be written
    assert await scene.model("big") == "middle"


async def test_at_the_end_work_waits_for_the_next_day_and_people_have_the_overdraft(store: Store) -> None:
    scene = Scene(store)
    await scene.pays(1.0)
    assert await scene.model("big") == "small"
    with pytest.raises(ModelOutage) as held:
        await scene.model("big", TASK)
    assert (held.value.key, held.value.after) == (BUDGET_HELD, 1800)  # midnight in Kyiv
    await scene.pays(0.1)
    with pytest.raises(ModelRefused):
        await scene.model("small")

    scene.at += timedelta(minutes=31)  # tomorrow, and the clock of the machine need not have been looked at
    assert await scene.model("big", TASK) == "big"
    scene.at -= timedelta(minutes=31)  # set back again: nothing is counted twice, and nothing is forgotten
    with pytest.raises(ModelOutage):
        await scene.model("big", TASK)

    # The month is used up: the day after does not help, the next month does.
    scene.at += timedelta(hours=1)
    await scene.pays(1.9)
    with pytest.raises(ModelOutage) as held:
        await scene.model("big", TASK)
    assert held.value.values["period"] == "month"
    scene.at = datetime(2026, 3, 31, 21, 0, tzinfo=UTC)
    assert await scene.model("big", TASK) == "big"


async def test_money_that_an_owner_adds_counts_on_every_host(store: Store) -> None:
    here, there = Scene(store), Scene(store)
    await here.pays(1.0)
    with pytest.raises(ModelOutage):
        await there.model("big", TASK)
    await store.write(lambda tx: budgets.hold(tx, "acme", work.RUN, "s_1", here.at))
    await store.write(lambda tx: budgets.hold(tx, "rivals", work.RUN, "s_2", here.at))
    await store.write(
        lambda tx: budgets.add_override(tx, "acme", budgets.Addition(20 * MICROS), "local:owner", here.at)
    )
    assert await store.write(lambda tx: budgets.let_go(tx, here.at, "acme")) == 1
    assert await there.model("big", TASK) == "big"  # nobody told that host
    here.at += timedelta(days=1)  # it was for that day and that month
    standing = await here.standings.of("acme", anew=True)
    assert standing
    assert (standing.day.limit, standing.month.limit) == (MICROS, 23 * MICROS)


async def test_a_level_is_told_once_by_all_hosts(store: Store) -> None:
    at = datetime(2026, 3, 30, tzinfo=UTC)
    told = [
        await store.write(lambda tx, level=level: budgets.take_alert(tx, "acme", "day", at, level, at))  # type: ignore[misc]
        for level in (80, 80, 95, 80)
    ]
    assert told == [True, False, True, False]


async def test_too_little_for_any_call_is_the_end_only_when_it_is_near(store: Store) -> None:
    scene = Scene(store)
    refused = ModelRefused("budget-spent", limit="", spent="")
    await scene.pays(0.5)
    await scene.model("big")
    assert scene.step_down.ran_out(OWN, refused) is refused  # the call was too big
    assert await scene.model("big") == "big"
    await scene.pays(0.49)
    assert isinstance(scene.step_down.ran_out(TASK, refused), ModelOutage)
    with pytest.raises(ModelOutage):
        await scene.model("small", TASK)
    assert (await scene.standings.of("acme", anew=True) or scene.told[-1]).level is Level.SPENT
    scene.budget = replace(BUDGET, limits=BudgetLimits(day=2 * MICROS))  # the file says more
    assert await scene.model("big", TASK) == "big"


async def test_work_that_the_day_cannot_pay_waits_for_the_day_and_not_for_the_month(store: Store) -> None:
    scene = Scene(store)
    await scene.pays(1.99, scene.at - timedelta(days=1))
    await scene.pays(0.99)  # of the month more is used than of the day, and neither is used up
    assert await scene.model("big", TASK) == "small"
    held = scene.step_down.ran_out(TASK, ModelRefused("budget-spent", limit="", spent=""))
    assert isinstance(held, ModelOutage)
    assert (held.values["period"], held.after) == ("day", 1800)


async def test_nothing_is_a_limit_and_what_costs_nothing_never_waits(store: Store) -> None:
    scene = Scene(store, replace(BUDGET, limits=BudgetLimits(day=0), overdraft=0))
    with pytest.raises(ModelOutage):
        await scene.model("small", TASK)
    with pytest.raises(ModelRefused):
        await scene.model("small")
    assert await scene.model("ollama:llama", TASK) == "ollama:llama"
    scene.budget = Budget()
    assert await scene.model("big", TASK) == "big"
