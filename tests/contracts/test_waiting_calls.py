"""A call that does not fit beside others waits for what they give back, or gets a shorter answer; on both databases."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest
import sqlalchemy as sa
from tests.staging import until

from nanoclaw.domain.budgets import Budget, BudgetLimits
from nanoclaw.domain.errors import ModelOutage, ModelRefused, StoreUnavailable
from nanoclaw.domain.ids import HostId, new_id
from nanoclaw.domain.money import Spender, Usage
from nanoclaw.durable import budgets, cost_sums, costs, work
from nanoclaw.durable.clock import now
from nanoclaw.durable.costs import Cost, State
from nanoclaw.durable.money_tables import waiting_calls
from nanoclaw.durable.store import Store, Tx, open_store
from nanoclaw.durable.tables import costs as cost_rows
from nanoclaw.gateway.ledger import Ledger, Reservation
from nanoclaw.gateway.prices import Prices
from nanoclaw.gateway.quotes import PriceQuote

pytestmark = pytest.mark.capability("J1", "J3")

MODEL = "test-model"
PRICES = Prices({MODEL: "1/10"})
HOST, OTHER = HostId("h_1"), HostId("h_2")
SPENDER = Spender(company="acme", group="main", session_id="s_1", turn_id="t_1", runtime="native")
# A question of 100 tokens, and an answer of at most 1000: 100 + 10,000 micros.
QUOTE = PRICES.quote(MODEL, 100, 1000, least=50)
SMALL = Usage(input=100, output=60)  # 700 micros


@pytest.fixture
def store(database_url: str) -> Iterator[Store]:
    store = open_store(database_url)
    yield store
    store.close()


def _ledger(store: Store, tmp_path: Path, budget: Budget, host: HostId = HOST, **more: Any) -> Ledger:
    return Ledger(store, host, PRICES, lambda _company: budget, tmp_path / "costs.jsonl", **more)


def _day(micros: int, **more: object) -> Budget:
    return replace(Budget(limits=BudgetLimits(day=micros)), **more)  # type: ignore[arg-type]


async def _enlist(store: Store, *hosts: HostId) -> None:
    def story(tx: Tx) -> None:
        for host in hosts:
            work.enlist(tx, host, "w", now(), now() + timedelta(minutes=1))

    await store.write(story)


async def _settled(store: Store) -> int:
    """What was paid, from the rows; the sums say the same."""
    paid = sa.select(sa.func.coalesce(sa.func.sum(cost_rows.c.micros), 0))

    def read(tx: Tx) -> tuple[int, int, int]:
        ever = datetime(2000, 1, 1, tzinfo=UTC)
        return (
            int(tx.execute(paid.where(cost_rows.c.state != State.RESERVED)).scalar_one()),
            cost_sums.since(tx, "acme", day=ever, month=ever)[1],
            int(tx.execute(sa.select(sa.func.count()).select_from(waiting_calls)).scalar_one()),
        )

    rows, sums, waiting = await store.read(read)
    assert (sums, waiting) == (rows, 0)
    return rows


async def _waiting(store: Store, number: int) -> None:
    async with asyncio.timeout(60):
        counted = sa.select(sa.func.count()).select_from(waiting_calls)
        while await store.read(lambda tx: tx.execute(counted).scalar_one()) != number:
            await asyncio.sleep(0.002)


async def test_of_fifty_calls_against_money_for_ten_exactly_ten_are_paid(
    database_url: str, store: Store, tmp_path: Path
) -> None:
    other = open_store(database_url)
    hosts = 2 if store.shared else 1  # a file of SQLite has one host
    await _enlist(store, HOST, OTHER)
    limit, micros = 10 * 700, 700
    ledgers = [_ledger(store, tmp_path, _day(limit)), _ledger(other, tmp_path, _day(limit), OTHER)][:hosts]
    shortened: list[int] = []

    async def call(ledger: Ledger) -> int:
        reservation = await ledger.reserve(SPENDER, MODEL, QUOTE)
        shortened.append(reservation.max_output)
        assert reservation.max_output >= SMALL.output
        await asyncio.sleep(0)
        settled = ledger.settle(reservation, SMALL)
        await settled.written
        return settled.micros

    ends = await asyncio.gather(*(call(ledgers[turn % hosts]) for turn in range(50)), return_exceptions=True)
    for ledger in ledgers:
        await ledger.close()
    paid = [end for end in ends if isinstance(end, int)]
    refused = [end for end in ends if isinstance(end, BaseException)]
    assert paid == [micros] * 10
    assert all(isinstance(error, ModelRefused) and error.key == "budget-spent" for error in refused)
    assert await _settled(store) == limit
    assert shortened[-1] == SMALL.output  # the last one is paid for to the token
    other.close()


async def test_who_shares_the_database_is_waited_for_though_nobody_tells(
    database_url: str, store: Store, tmp_path: Path
) -> None:
    other = open_store(database_url)
    await _enlist(store, HOST, OTHER)
    here, there = _ledger(store, tmp_path, _day(10_500)), _ledger(other, tmp_path, _day(10_500), OTHER)
    first = await there.reserve(SPENDER, MODEL, QUOTE)
    waits = asyncio.create_task(here.reserve(SPENDER, MODEL, QUOTE))
    await _waiting(store, 1)
    await there.settle(first, SMALL).written
    assert (await asyncio.wait_for(waits, 60)).max_output > 900
    for ledger in (here, there):
        await ledger.close()
    other.close()


async def test_who_came_first_goes_first_and_nobody_overtakes(store: Store, tmp_path: Path) -> None:
    ledger = _ledger(store, tmp_path, _day(11_000))
    first = await ledger.reserve(SPENDER, MODEL, QUOTE)
    order: list[int] = []

    async def call(number: int, quote: PriceQuote) -> Reservation:
        reservation = await ledger.reserve(SPENDER, MODEL, quote)
        order.append(number)
        return reservation

    tasks = []
    for number in range(3):
        tasks.append(asyncio.create_task(call(number, QUOTE)))
        await _waiting(store, number + 1)
    # It would fit beside the first one, but others came before it.
    tasks.append(asyncio.create_task(call(3, PriceQuote.fixed(300))))
    await _waiting(store, 4)
    assert not any(task.done() for task in tasks)
    ledger.release(first)
    for task in tasks:
        ledger.settle(await asyncio.wait_for(task, 60), Usage(input=1))
    await ledger.close()
    assert order == [0, 1, 2, 3]
    assert await _settled(store) == 4


async def test_what_is_left_pays_for_a_shorter_answer_and_then_for_none(store: Store, tmp_path: Path) -> None:
    ledger = _ledger(store, tmp_path, _day(1150))
    reservation = await ledger.reserve(SPENDER, MODEL, QUOTE)
    assert (reservation.max_output, reservation.cost.micros) == (105, 1150)
    # A vendor that answers with more than it was allowed is written down as it is, and the next call sees it.
    assert await ledger.settle(reservation, Usage(input=100, output=1100)).written
    with pytest.raises(ModelRefused) as refused:
        await ledger.reserve(SPENDER, MODEL, PriceQuote.fixed(1))
    assert refused.value.values == {"limit": "$0.0011", "spent": "$0.0111"}
    assert await _settled(store) == 11_100


async def test_a_closer_count_of_the_input_comes_before_a_shorter_answer_and_before_no(
    store: Store, tmp_path: Path
) -> None:
    asked = []

    async def recount() -> PriceQuote:
        asked.append(1)
        return PRICES.quote(MODEL, 10, 1000, least=50)

    ledger = _ledger(store, tmp_path, _day(10_050))
    reservation = await ledger.reserve(SPENDER, MODEL, QUOTE, recount=recount)
    assert (reservation.max_output, reservation.cost.micros, asked) == (1000, 10_010, [1])
    await ledger.release(reservation)
    high = PRICES.quote(MODEL, 20_000, 1000, least=50)
    await ledger.release(await ledger.reserve(SPENDER, MODEL, high, recount=recount))
    assert len(asked) == 2
    small = PRICES.quote(MODEL, 100, 200, least=50)
    ledger.release(await ledger.reserve(SPENDER, MODEL, small, recount=recount))
    assert len(asked) == 2  # nobody asks when all of it fits
    await ledger.close()


async def test_nobody_waits_for_a_batch_or_for_a_dead_host(store: Store, tmp_path: Path) -> None:
    ledger = _ledger(store, tmp_path, _day(30_000))
    batch = await ledger.reserve_batch(replace(SPENDER, batch_id="b_1"), MODEL, 12_000)
    await _ledger(store, tmp_path, _day(30_000), HostId("h_dead")).reserve(SPENDER, MODEL, QUOTE)
    # A call of a dead host that waited stands in nobody's way.
    row = {"id": new_id("w"), "company": "acme", "host": "h_dead", "turn_id": "t", "at": now()}
    await store.write(lambda tx: tx.execute(sa.insert(waiting_calls), {**row, "limits": ["company:"]}))
    lowered = await asyncio.wait_for(ledger.reserve(SPENDER, MODEL, QUOTE), 60)
    assert lowered.max_output == 780
    with pytest.raises(ModelRefused) as refused:
        await ledger.reserve_batch(SPENDER, MODEL, 1000)
    assert refused.value.values["left"] == 0
    await ledger.release(lowered)
    with pytest.raises(ModelRefused) as refused:
        await ledger.reserve_batch(SPENDER, MODEL, 8000)
    assert refused.value.values["left"] == 7900
    assert await ledger.recover() == 1  # of the dead host, and not of the batch
    items = [
        Cost(
            id=new_id("u"),
            at=now(),
            spender=replace(SPENDER, batch_id="b_1"),
            model=MODEL,
            host=HOST,
            micros=500,
            state=State.SETTLED,
        )
        for _ in range(3)
    ]
    await store.write(lambda tx: costs.settle_batch_items(tx, items))
    await store.write(lambda tx: costs.release_batch(tx, batch))
    assert (await ledger.reserve(SPENDER, MODEL, QUOTE)).max_output == 1000
    await ledger.close()


@pytest.mark.parametrize(
    ("spender", "budget", "key"),
    [
        (SPENDER, Budget(limits=BudgetLimits(month=10_100)), "budget-spent"),
        (
            replace(SPENDER, is_own=True),
            Budget(groups={"main": BudgetLimits(day=10_100)}),
            "budget-of-group-spent",
        ),
        (SPENDER, Budget(groups={"*": BudgetLimits(month=10_100)}), "budget-held"),
        (
            replace(SPENDER, person="web:ann", is_own=True),
            Budget(people={"web:ann": BudgetLimits(day=10_100)}),
            "budget-of-person-spent",
        ),
        (replace(SPENDER, task_id=7), Budget(tasks={"7": BudgetLimits(month=10_100)}), "budget-held"),
        (replace(SPENDER, chain_id="c_1", step=1), Budget(run_limit=10_100), "budget-of-run-spent"),
        (replace(SPENDER, chain_id="c_1"), Budget(chain_limit=10_100), "budget-of-run-spent"),
        (
            replace(SPENDER, chain_id="c_1", step=1, step_budget=10_100),
            Budget(limits=BudgetLimits(day=1_000_000)),
            "budget-of-step-spent",
        ),
    ],
)
async def test_each_limit_makes_calls_wait_then_shorter_then_refused(
    store: Store, tmp_path: Path, spender: Spender, budget: Budget, key: str
) -> None:
    ledger = _ledger(store, tmp_path, budget)
    first = await ledger.reserve(spender, MODEL, QUOTE)
    second = asyncio.create_task(ledger.reserve(spender, MODEL, QUOTE))
    await _waiting(store, 1)
    # Of other people, in other groups, for other tasks: nobody waits for them, unless the company is the limit.
    if key != "budget-spent":
        elsewhere = replace(SPENDER, group="other", person="web:bob", task_id=8, chain_id="c_2")
        other = await asyncio.wait_for(ledger.reserve(elsewhere, MODEL, QUOTE), 60)
        await ledger.release(other)
    ledger.settle(first, SMALL)
    lowered = await asyncio.wait_for(second, 60)
    assert lowered.max_output == 930
    await ledger.settle(lowered, Usage(input=100, output=900)).written
    with pytest.raises((ModelRefused, ModelOutage)) as refused:
        await ledger.reserve(spender, MODEL, QUOTE)
    assert refused.value.key == key
    if isinstance(refused.value, ModelOutage):  # nobody waits for it, and the month ends
        assert 0 < refused.value.after <= timedelta(days=31).total_seconds()
    await ledger.close()


async def test_a_wait_that_is_given_up_leaves_nothing_behind_and_the_next_goes_on(
    store: Store, tmp_path: Path
) -> None:
    shown: list[str] = []

    @asynccontextmanager
    async def waiting(spender: Spender) -> AsyncIterator[None]:
        shown.append(f"{spender.turn_id} waits")
        try:
            yield
        finally:
            shown.append(f"{spender.turn_id} is over")

    ledger = _ledger(store, tmp_path, _day(11_000), waiting=waiting)
    first = await ledger.reserve(SPENDER, MODEL, QUOTE)
    stopped = asyncio.create_task(ledger.reserve(replace(SPENDER, turn_id="t_2"), MODEL, QUOTE))
    await _waiting(store, 1)
    patient = asyncio.create_task(ledger.reserve(replace(SPENDER, turn_id="t_3"), MODEL, QUOTE))
    await _waiting(store, 2)
    await until(lambda: len(shown) == 2)
    stopped.cancel()
    with suppress(asyncio.CancelledError):
        await stopped
    ledger.release(first)
    ledger.release(await asyncio.wait_for(patient, 60))
    await ledger.close()
    assert await _settled(store) == 0
    assert sorted(shown) == ["t_2 is over", "t_2 waits", "t_3 is over", "t_3 waits"]


async def test_an_override_and_the_overdraft_pay_for_what_the_limit_does_not(
    store: Store, tmp_path: Path
) -> None:
    ledger = _ledger(store, tmp_path, _day(100, overdraft=1100))
    with pytest.raises(ModelRefused):
        await ledger.reserve(SPENDER, MODEL, QUOTE)
    own = await ledger.reserve(replace(SPENDER, is_own=True), MODEL, QUOTE, overdraft=True)
    assert (own.max_output, own.cost.micros) == (110, 1200)
    await ledger.release(own)
    await store.write(
        lambda tx: budgets.add_override(tx, "acme", budgets.Addition(20_000), "web:owner", now())
    )
    assert (await ledger.reserve(SPENDER, MODEL, QUOTE)).max_output == 1000
    await ledger.close()


async def test_a_clock_that_jumps_over_midnight_or_back_counts_nothing_twice(
    store: Store, tmp_path: Path
) -> None:
    kyiv = ZoneInfo("Europe/Kyiv")
    at = datetime(2026, 6, 30, 23, 59, tzinfo=kyiv)
    budget = Budget(limits=BudgetLimits(day=10_100, month=20_200), zone=kyiv)
    ledger = Ledger(store, HOST, PRICES, lambda _: budget, tmp_path / "costs.jsonl", clock=lambda: at)
    night = await ledger.reserve(SPENDER, MODEL, QUOTE)
    waits = asyncio.create_task(ledger.reserve(SPENDER, MODEL, QUOTE))
    await _waiting(store, 1)
    at += timedelta(minutes=2)  # a new day, and a new month: what was reserved yesterday is not in the way
    ledger.look_again("acme")
    morning = await asyncio.wait_for(waits, 60)
    assert morning.max_output == 1000
    await ledger.settle(night, SMALL).written
    await ledger.settle(morning, SMALL).written
    at -= timedelta(minutes=2)  # set back: both are in this day now, and neither twice
    lowered = await ledger.reserve(SPENDER, MODEL, QUOTE)
    assert lowered.cost.micros == 10_100 - 1400
    await ledger.release(lowered)
    assert await _settled(store) == 1400
    await ledger.close()


async def test_a_batch_that_began_yesterday_is_set_aside_today_too(store: Store, tmp_path: Path) -> None:
    at = datetime(2026, 6, 30, 23, 59, tzinfo=UTC)
    budget = _day(10_100)
    ledger = Ledger(store, HOST, PRICES, lambda _: budget, tmp_path / "costs.jsonl", clock=lambda: at)
    await ledger.reserve_batch(SPENDER, MODEL, 5000)
    at += timedelta(minutes=2)
    assert (await ledger.reserve(SPENDER, MODEL, QUOTE)).cost.micros == 5100
    await ledger.close()


async def test_what_could_not_be_written_is_made_up_for_before_anyone_waits_for_it(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ledger = _ledger(store, tmp_path, _day(10_500))
    reservation = await ledger.reserve(SPENDER, MODEL, QUOTE)

    async def broken(_story: object) -> None:
        raise StoreUnavailable("store-silent", said="full")

    with monkeypatch.context() as patched:
        patched.setattr(store, "write", broken)
        assert not await ledger.settle(reservation, SMALL).written
    next_one = await asyncio.wait_for(ledger.reserve(SPENDER, MODEL, QUOTE), 60)
    assert next_one.cost.micros == 10_500 - 700
    await ledger.release(next_one)
    assert await _settled(store) == 700


async def test_a_month_of_many_calls_is_added_up_from_few_rows(store: Store) -> None:
    begin = datetime(2026, 6, 1, tzinfo=UTC)
    rows = [
        Cost(
            id=new_id("u"),
            at=begin + timedelta(minutes=minute),
            spender=SPENDER,
            model=MODEL,
            host=HOST,
            micros=minute,
            state=State.SETTLED,
        )
        for minute in range(0, 1440, 3)
    ]
    await store.write(lambda tx: costs.settle_batch_items(tx, rows))
    day = begin + timedelta(hours=12)
    sums = await store.read(lambda tx: cost_sums.since(tx, "acme", day=day, month=begin))
    assert sums == (sum(row.micros for row in rows if row.at >= day), sum(row.micros for row in rows))

    def plan(tx: Tx, asked: str) -> str:
        if not store.shared:
            return " ".join(row.detail for row in tx.exec_driver_sql(f"EXPLAIN QUERY PLAN {asked}"))
        # It reads a small table whole, whatever indexes there are, unless it is told not to.
        tx.exec_driver_sql("SET LOCAL enable_seqscan = off")
        return " ".join(row[0] for row in tx.exec_driver_sql(f"EXPLAIN {asked}"))

    is_open = "SELECT micros FROM costs WHERE state = 'reserved' AND company = 'acme'"
    assert "costs_on_their_way" in await store.read(lambda tx: plan(tx, is_open))
