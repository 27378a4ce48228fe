"""Money is reserved before a call and settled after it, on both databases; nothing is lost and nothing overspent."""

import asyncio
import json
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from tests.staging import until

from nanoclaw.domain.budgets import Budget, BudgetLimits
from nanoclaw.domain.errors import ModelRefused, StoreUnavailable
from nanoclaw.domain.ids import HostId, new_id
from nanoclaw.domain.money import Spender, Usage
from nanoclaw.durable import connections, costs, work
from nanoclaw.durable.clock import now
from nanoclaw.durable.connections import Connection, ConnectionVerdict
from nanoclaw.durable.costs import Cost, State
from nanoclaw.durable.store import Store, open_store
from nanoclaw.gateway.ledger import Ledger
from nanoclaw.gateway.prices import Prices
from nanoclaw.gateway.quotes import PriceQuote

pytestmark = pytest.mark.capability("J1", "J3")

SPENDER = Spender(
    company="acme", group="main", session_id="s_1", turn_id="t_1", runtime="claude", skill="meta/a/b"
)
PRICES = Prices({"test-model": "1/10"})
HOST = HostId("h_1")
USAGE = Usage(input=100, output=20, cache_read=5, cache_write=3, thinking=7)


@pytest.fixture
def store(database_url: str) -> Iterator[Store]:
    store = open_store(database_url)
    yield store
    store.close()


@pytest.fixture
def log_path(tmp_path: Path) -> Path:
    return tmp_path / "cost_log.jsonl"


def _ledger(store: Store, log_path: Path, budget: Budget | None = None, host: HostId = HOST) -> Ledger:
    return Ledger(store, host, PRICES, lambda _company: budget or Budget(), log_path)


async def _rows(store: Store) -> list[Cost]:
    return await store.read(lambda tx: costs.of_turn(tx, "t_1"))


def _lines(log_path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in log_path.read_text("utf-8").splitlines()]


async def test_a_call_is_written_down_when_it_leaves_and_when_it_is_over(
    store: Store, log_path: Path
) -> None:
    ledger = _ledger(store, log_path)
    reservation = await ledger.reserve(SPENDER, "test-model", PriceQuote.fixed(500))
    assert reservation.row is not None
    await until(lambda: _rows(store))
    [row] = await _rows(store)
    assert (row.state, row.micros) == (State.RESERVED, 500)

    settlement = ledger.settle(reservation, USAGE, duration=1.234)
    assert settlement.micros == 108 + 200
    assert await settlement.written
    [row] = await _rows(store)
    assert (row.state, row.micros, row.usage, row.duration_ms) == (State.SETTLED, 308, USAGE, 1234)
    assert row.spender == SPENDER

    [line] = _lines(log_path)
    assert datetime.fromisoformat(line.pop("timestamp")) - now() < timedelta(minutes=1)
    assert line == {
        "company": "acme",
        "flow": "A",
        "skill": "meta/a/b",
        "model": "test-model",
        "input_tokens": 100,
        "output_tokens": 20,
        "cache_read_tokens": 5,
        "cache_write_tokens": 3,
        "thinking_tokens": 7,
        "cost_usd": 0.000308,
        "duration_ms": 1234,
        "batch": False,
        "session_id": "s_1",
        "group": "main",
        "turn_id": "t_1",
        "runtime": "claude",
        "estimated": False,
        "person": None,
        "chat_id": None,
        "task_id": None,
        "batch_id": None,
        "saved_by_cache_usd": 0.0,
        "saved_by_batch_usd": 0.0,
    }


async def test_a_call_that_spent_nothing_leaves_no_trace(store: Store, log_path: Path) -> None:
    ledger = _ledger(store, log_path)
    ledger.release(await ledger.reserve(SPENDER, "test-model", PriceQuote.fixed(500)))
    await ledger.close()
    assert await _rows(store) == []
    assert not log_path.exists()


async def test_a_call_that_is_not_paid_by_tokens_is_settled_with_its_own_price(
    store: Store, log_path: Path
) -> None:
    ledger = _ledger(store, log_path, Budget(limits=BudgetLimits(day=1000)))
    reservation = await ledger.reserve(SPENDER, "a model without a price of tokens", PriceQuote.fixed(500))
    assert ledger.settle(reservation, Usage(), micros=123).micros == 123
    await ledger.close()
    [row] = await _rows(store)
    assert (row.state, row.micros) == (State.SETTLED, 123)


async def test_what_a_call_did_not_need_can_be_spent_by_the_next(store: Store, log_path: Path) -> None:
    ledger = _ledger(store, log_path, Budget(limits=BudgetLimits(day=1000)))
    for _ in range(3):
        ledger.settle(await ledger.reserve(SPENDER, "test-model", PriceQuote.fixed(900)), Usage(input=10))
    with pytest.raises(ModelRefused) as refused:
        await ledger.reserve(SPENDER, "test-model", PriceQuote.fixed(980))
    assert refused.value.values == {"limit": "$0.0010", "spent": "$0.000030"}


async def test_what_a_vendor_uses_beyond_its_limit_and_a_new_price_count_as_they_are(
    store: Store, log_path: Path
) -> None:
    budget = Budget(limits=BudgetLimits(day=1000))
    before = _ledger(store, log_path, budget)
    allowed = await before.reserve(SPENDER, "test-model", PriceQuote.fixed(300))
    assert await before.settle(allowed, Usage(output=50)).written
    dearer = Ledger(store, HOST, Prices({"test-model": "2/20"}), lambda _company: budget, log_path)
    assert await dearer.settle(
        await dearer.reserve(SPENDER, "test-model", PriceQuote.fixed(500)), Usage(output=25)
    ).written
    assert [row.micros for row in await _rows(store)] == [500, 500]
    with pytest.raises(ModelRefused) as refused:
        await dearer.reserve(SPENDER, "test-model", PriceQuote.fixed(1))
    assert refused.value.values == {"limit": "$0.0010", "spent": "$0.0010"}


@pytest.mark.capability("J2")
async def test_another_company_has_its_own_money(store: Store, log_path: Path) -> None:
    ledger = _ledger(store, log_path, Budget(limits=BudgetLimits(day=1000)))
    await ledger.reserve(SPENDER, "test-model", PriceQuote.fixed(1000))
    other = Spender(company="b", group="main", session_id="s_1", turn_id="t_2", runtime="claude")
    await ledger.reserve(other, "test-model", PriceQuote.fixed(1000))


@pytest.mark.capability("J2")
async def test_yesterdays_money_counts_for_the_month_only(store: Store, log_path: Path) -> None:
    # The 15th has begun in Kyiv, where the workspace is, but not in UTC.
    at = datetime(2026, 6, 14, 22, 30, tzinfo=UTC)
    earlier = Cost(
        id=new_id("c"), at=at - timedelta(hours=2), spender=SPENDER, model="m", host=HOST, micros=900
    )
    await store.write(lambda tx: costs.settle(tx, earlier))

    def ledger(budget: Budget, zone: str) -> Ledger:
        there = replace(budget, zone=ZoneInfo(zone))
        return Ledger(store, HOST, PRICES, lambda _: there, log_path, clock=lambda: at)

    with pytest.raises(ModelRefused):
        await ledger(Budget(limits=BudgetLimits(day=1000)), "UTC").reserve(
            SPENDER, "test-model", PriceQuote.fixed(200)
        )
    with pytest.raises(ModelRefused):
        await ledger(Budget(limits=BudgetLimits(month=1000)), "Europe/Kyiv").reserve(
            SPENDER, "test-model", PriceQuote.fixed(200)
        )
    await ledger(Budget(limits=BudgetLimits(day=1000)), "Europe/Kyiv").reserve(
        SPENDER, "test-model", PriceQuote.fixed(200)
    )


async def test_what_a_dead_host_had_on_its_way_counts_with_the_most(store: Store, log_path: Path) -> None:
    at = now()
    await store.write(lambda tx: work.enlist(tx, HostId("h_alive"), "b", at, at + timedelta(minutes=1)))
    budget = Budget(limits=BudgetLimits(day=10_000))
    for host in ("h_dead", "h_alive", HOST):
        await _ledger(store, log_path, budget, HostId(host)).reserve(
            SPENDER, "test-model", PriceQuote.fixed(700)
        )
    ledger = _ledger(store, log_path, budget)
    assert await ledger.recover() == 1
    assert await ledger.recover() == 0
    assert [row.state for row in await _rows(store)] == [State.ESTIMATED, State.RESERVED, State.RESERVED]
    [line] = _lines(log_path)
    assert (line["cost_usd"], line["estimated"]) == (0.0007, True)


async def test_a_row_that_could_not_be_written_at_first_is_written_at_the_end(
    store: Store, log_path: Path
) -> None:
    ledger = _ledger(store, log_path)
    reservation = await ledger.reserve(SPENDER, "test-model", PriceQuote.fixed(500))
    assert reservation.row is not None
    await until(lambda: _rows(store))
    await store.write(lambda tx: costs.release(tx, reservation.cost))
    assert await ledger.settle(reservation, USAGE).written
    assert [row.micros for row in await _rows(store)] == [308]


async def test_lines_of_many_calls_at_once_stay_whole(store: Store, log_path: Path) -> None:
    ledger = _ledger(store, log_path)
    for _ in range(30):
        ledger.settle(await ledger.reserve(SPENDER, "test-model", PriceQuote.fixed(1)), USAGE)
    await ledger.close()
    assert len(_lines(log_path)) == 30


async def test_connections_come_back_as_they_were_noted(store: Store) -> None:
    made = Connection(
        at=now(),
        host="example.com",
        port=443,
        verdict=ConnectionVerdict.ALLOWED,
        sent=5 << 30,
        received=1,
        duration=1.5,
    )
    await store.write(lambda tx: connections.note(tx, SPENDER, made))
    assert await store.read(lambda tx: connections.of_turn(tx, "t_1")) == [made]


async def test_a_reservation_whose_call_is_given_up_meanwhile_does_not_stay(
    store: Store, log_path: Path
) -> None:
    ledger = _ledger(store, log_path, Budget(limits=BudgetLimits(day=1000)))
    reserving = asyncio.create_task(ledger.reserve(SPENDER, "test-model", PriceQuote.fixed(500)))
    await asyncio.sleep(0)
    reserving.cancel()
    with pytest.raises(asyncio.CancelledError):
        await reserving
    await ledger.close()
    assert not await _rows(store)


@pytest.mark.attack
@pytest.mark.capability("J2")
async def test_a_clock_that_jumps_while_calls_are_under_way_pays_nothing_twice_and_nothing_for_free(
    store: Store, log_path: Path
) -> None:
    at = datetime(2026, 6, 14, 23, 59, tzinfo=UTC)
    budget = Budget(limits=BudgetLimits(day=1000, month=2500))
    ledger = Ledger(store, HOST, PRICES, lambda _company: budget, log_path, clock=lambda: at)
    late = await ledger.reserve(SPENDER, "test-model", PriceQuote.fixed(1000))
    waiting = asyncio.create_task(ledger.reserve(SPENDER, "test-model", PriceQuote.fixed(1000)))
    await asyncio.sleep(0.05)
    # Midnight: the new day has its own money, and what is settled now belongs to the day on which it left.
    at += timedelta(minutes=2)
    await ledger.settle(late, Usage(output=100)).written
    second = await asyncio.wait_for(waiting, 60)
    assert second.cost.at == at
    await ledger.settle(second, Usage(output=100)).written
    # Set back by a day: what was paid on a day that has not come yet counts all the same.
    at -= timedelta(days=1)
    with pytest.raises(ModelRefused):
        await ledger.reserve(SPENDER, "test-model", PriceQuote.fixed(1000))
    at += timedelta(days=2)
    with pytest.raises(ModelRefused):  # of the month only 500 are left
        await ledger.reserve(SPENDER, "test-model", PriceQuote.fixed(1000))
    await ledger.settle(
        await ledger.reserve(SPENDER, "test-model", PriceQuote.fixed(500)), Usage(output=50)
    ).written
    assert [row.micros for row in await _rows(store)] == [1000, 1000, 500]


@pytest.mark.attack
@pytest.mark.capability("J2")
async def test_no_call_leaves_unpaid_while_nothing_can_be_written(
    store: Store, log_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A full disk: neither the row of a call nor its place in line is written."""
    ledger = _ledger(store, log_path, Budget(limits=BudgetLimits(day=1000)))
    first = await ledger.reserve(SPENDER, "test-model", PriceQuote.fixed(1000))

    async def full(_story: object) -> None:
        raise StoreUnavailable("disk-full")

    with monkeypatch.context() as broken:
        broken.setattr(store, "write", full)
        with pytest.raises(StoreUnavailable):
            await ledger.reserve(SPENDER, "test-model", PriceQuote.fixed(1))
        assert not await ledger.settle(first, Usage(output=90)).written  # told, and owed
    second = await asyncio.wait_for(ledger.reserve(SPENDER, "test-model", PriceQuote.fixed(100)), 60)
    await ledger.settle(second, Usage(output=10)).written
    with pytest.raises(ModelRefused):
        await ledger.reserve(SPENDER, "test-model", PriceQuote.fixed(1))
    assert [(row.micros, row.state) for row in await _rows(store)] == [
        (900, State.SETTLED),
        (100, State.SETTLED),
    ]
