"""The ceiling of a run is never exceeded, and what can be paid is not refused, on both databases."""

import asyncio
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
import sqlalchemy as sa

from nanoclaw.domain.budgets import Budget, BudgetLimits
from nanoclaw.domain.errors import ModelRefused
from nanoclaw.domain.ids import HostId
from nanoclaw.domain.money import Spender, Usage
from nanoclaw.durable import chains, work
from nanoclaw.durable.clock import now
from nanoclaw.durable.pipeline_tables import chains as chain_rows
from nanoclaw.durable.store import Store, Tx, open_store
from nanoclaw.gateway.ledger import Ledger
from nanoclaw.gateway.prices import Prices
from nanoclaw.gateway.quotes import PriceQuote

pytestmark = pytest.mark.capability("J3")

RUN = "r_1"
SPENDER = Spender(
    company="acme",
    group="main",
    session_id="s_1",
    turn_id="t_1",
    runtime="native",
    flow="D",
    chain_id=RUN,
    step=1,
)
HOST = HostId("h_1")
MODEL = "test-model"
PRICES = Prices({MODEL: "1/1"})


@pytest.fixture
def store(database_url: str) -> Iterator[Store]:
    store = open_store(database_url)
    yield store
    store.close()


def _ledger(store: Store, log: Path, host: HostId = HOST, day: int | None = None) -> Ledger:
    return Ledger(
        store, host, PRICES, lambda _company: Budget(limits=BudgetLimits(day=day)), log / "costs.jsonl"
    )


async def _begin(store: Store, budget: int | None, *hosts: HostId) -> None:
    def story(tx: Tx) -> None:
        values = {"id": RUN, "company": "acme", "budget_micros": budget, "created_at": now()}
        tx.execute(sa.insert(chain_rows).values(**values))
        for host in hosts:
            work.enlist(tx, host, "w", now(), now() + timedelta(minutes=1))

    await store.write(story)


async def _spent(store: Store) -> int:
    return await store.read(lambda tx: chains.spent(tx, RUN))


@pytest.mark.parametrize("day", [None, 1_000_000], ids=["no-limit-of-the-day", "limit-of-the-day"])
async def test_parallel_calls_of_two_hosts_spend_all_that_the_ceiling_bears_and_never_more(
    database_url: str, store: Store, tmp_path: Path, day: int | None
) -> None:
    other = open_store(database_url)
    await _begin(store, 5000, HOST, HostId("h_2"))
    ledgers = [_ledger(store, tmp_path, day=day), _ledger(other, tmp_path, HostId("h_2"), day)]

    async def call(number: int) -> int:
        ledger = ledgers[number % 2]
        reservation = await ledger.reserve(replace(SPENDER, step=number % 3), MODEL, PriceQuote.fixed(1000))
        assert await _spent(store) <= 5000
        await ledger.settle(reservation, Usage(input=400)).written
        return 400

    ends = await asyncio.gather(*map(call, range(24)), return_exceptions=True)
    for ledger in ledgers:
        await ledger.close()
    refused = [error for error in ends if isinstance(error, BaseException)]
    assert all(isinstance(error, ModelRefused) and error.key == "budget-of-run-spent" for error in refused)
    # The eleventh may still cost 1000; after it, 600 are left, which the next one might exceed.
    assert (len(ends) - len(refused), await _spent(store)) == (11, 4400)
    by_step = await store.read(lambda tx: chains.spent_by_step(tx, RUN))
    assert sum(by_step.values()) == 4400
    other.close()


async def test_a_step_has_its_own_budget_and_the_others_go_on(store: Store, tmp_path: Path) -> None:
    await _begin(store, None)
    ledger = _ledger(store, tmp_path)
    tight = replace(SPENDER, step=2, step_budget=1000)
    await ledger.settle(await ledger.reserve(tight, MODEL, PriceQuote.fixed(900)), Usage(input=600)).written
    with pytest.raises(ModelRefused) as refused:
        await ledger.reserve(tight, MODEL, PriceQuote.fixed(500))
    assert refused.value.key == "budget-of-step-spent"
    assert refused.value.values == {"limit": "$0.0010", "spent": "$0.0006"}
    await ledger.reserve(replace(SPENDER, step=3, step_budget=1000), MODEL, PriceQuote.fixed(900))
    await ledger.close()


async def test_a_run_without_a_ceiling_waits_for_no_disk(store: Store, tmp_path: Path) -> None:
    await _begin(store, None)
    ledger = _ledger(store, tmp_path)
    reservation = await ledger.reserve(SPENDER, MODEL, PriceQuote.fixed(900))
    assert reservation.row is not None
    assert await ledger.settle(reservation, Usage(input=1)).written
    assert await store.read(lambda tx: chains.spent_by_step(tx, RUN)) == {1: 1}


async def test_a_call_that_is_given_up_lets_the_one_that_waits_for_its_money_go(
    store: Store, tmp_path: Path
) -> None:
    await _begin(store, 1000)
    ledger = _ledger(store, tmp_path)
    first = await ledger.reserve(SPENDER, MODEL, PriceQuote.fixed(900))
    second = asyncio.create_task(ledger.reserve(replace(SPENDER, step=2), MODEL, PriceQuote.fixed(900)))
    cancelled = asyncio.create_task(ledger.reserve(replace(SPENDER, step=3), MODEL, PriceQuote.fixed(900)))
    await asyncio.wait([second, cancelled], timeout=0.1)
    assert not second.done()
    cancelled.cancel()
    with suppress(asyncio.CancelledError):
        await cancelled
    ledger.release(first)
    ledger.release(await asyncio.wait_for(second, 60))
    await ledger.close()
    assert await _spent(store) == 0


async def test_what_a_dead_host_had_on_its_way_is_not_waited_for(store: Store, tmp_path: Path) -> None:
    await _begin(store, 1000)
    await _ledger(store, tmp_path, HostId("h_dead")).reserve(SPENDER, MODEL, PriceQuote.fixed(900))
    with pytest.raises(ModelRefused, match="budget-of-run-spent"):
        await asyncio.wait_for(_ledger(store, tmp_path).reserve(SPENDER, MODEL, PriceQuote.fixed(200)), 60)
