"""Measures what a budget costs a model call: alone, after a busy month, and two hundred at once."""

import argparse
import asyncio
import contextlib
import statistics
import tempfile
import time
from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

import aiohttp
from benchmarks.agents import KEY, model_server
from benchmarks.measuring import print_figure

from nanoclaw.domain.budgets import Budget, BudgetLimits
from nanoclaw.domain.ids import HostId, new_id
from nanoclaw.domain.money import Spender, Usage
from nanoclaw.durable import costs, schema
from nanoclaw.durable.costs import Cost, State
from nanoclaw.durable.store import Store, open_store
from nanoclaw.gateway.http import HttpGateway, Upstream
from nanoclaw.gateway.ledger import Ledger
from nanoclaw.gateway.model_calls import Gateway, GatewayLine
from nanoclaw.gateway.prices import Prices

MODEL = "claude-sonnet-5"
NONE = Budget()
PAUSE = 0.01  # seconds before each: nobody asks a model more often
ONE_ROW = "a transaction with one row"
PLENTY = BudgetLimits(day=10**12, month=10**12)
COMPANY = Budget(limits=PLENTY)
EVERY = replace(COMPANY, groups={"*": PLENTY}, people={"*": PLENTY}, tasks={"*": PLENTY})
SPENDER = Spender(
    company="acme", group="main", session_id="s", turn_id="t", runtime="bench", person="web:ann", task_id=7
)
USAGE = Usage(input=1000, output=100)


def stored(folder: Path, rows: int) -> Store:
    """With so many calls this month."""
    store = open_store(f"sqlite:///{folder / f'{rows}.db'}")
    schema.upgrade(store)
    now = datetime.now(UTC)
    month = now.replace(day=1, hour=0, minute=0, second=0, microsecond=0)
    apart = (now - month) / max(rows, 1)
    made = (
        Cost(
            id=new_id("u"),
            at=month + apart * number,
            spender=SPENDER,
            model=MODEL,
            host=HostId("h_other"),
            micros=100,
            state=State.SETTLED,
        )
        for number in range(rows)
    )
    with store.engine.begin() as tx:
        costs.settle_batch_items(tx, list(made))
    return store


def ledger_of(store: Store, folder: Path, budget: Budget) -> Ledger:
    return Ledger(store, HostId("h_bench"), Prices(), lambda _company: budget, folder / "cost_log.jsonl")


async def reserving(store: Store, folder: Path, budgets: dict[str, Budget], count: int) -> dict[str, float]:
    """The median seconds until a call may leave, and of a transaction with one row, which is mostly the flush.

    In turns, so that a busy moment hits all of them.
    """
    ledgers = {name: ledger_of(store, folder, budget) for name, budget in budgets.items()}
    took: dict[str, list[float]] = {name: [] for name in (*budgets, ONE_ROW)}
    quote = Prices().quote(MODEL, 1000, 16_000, least=1024)
    for _ in range(count):
        for name, ledger in ledgers.items():
            await asyncio.sleep(PAUSE)
            begun = time.perf_counter()
            reservation = await ledger.reserve(SPENDER, MODEL, quote)
            took[name].append(time.perf_counter() - begun)
            await ledger.settle(reservation, USAGE).written
        row = Cost(
            id=new_id("u"), at=datetime.now(UTC), spender=SPENDER, model=MODEL, host=HostId("h"), micros=1
        )
        await asyncio.sleep(PAUSE)
        begun = time.perf_counter()
        await store.write(partial(costs.reserve, cost=row))
        took[ONE_ROW].append(time.perf_counter() - begun)
        await store.write(partial(costs.release, cost=row))
    return {name: statistics.median(each) for name, each in took.items()}


@contextlib.asynccontextmanager
async def doors(
    store: Store, folder: Path, url: str, budget: Budget, number: int
) -> AsyncIterator[list[tuple[aiohttp.ClientSession, str]]]:
    ledger = ledger_of(store, folder, budget)
    gateway = HttpGateway(Gateway(ledger), Upstream(base_url=url, key=KEY), str)
    async with contextlib.AsyncExitStack() as opened:
        opened.push_async_callback(ledger.close)
        opened.push_async_callback(gateway.close)
        found = []
        for _ in range(number):
            line = GatewayLine(spender=SPENDER, listener=lambda _event: None, models=("*",))
            door = await gateway.open(line)
            connector = aiohttp.UnixConnector(path=str(door.socket))
            found.append(
                (await opened.enter_async_context(aiohttp.ClientSession(connector=connector)), door.token)
            )
        yield found


async def at_once(lines: list[tuple[aiohttp.ClientSession, str]], calls: int) -> float:
    """Calls in a second, all asked at once: eight of a box, as a box may."""
    body = {
        "model": MODEL,
        "max_tokens": 1000,
        "stream": True,
        "messages": [{"role": "user", "content": "word " * 500}],
    }

    async def call(line: tuple[aiohttp.ClientSession, str]) -> None:
        http, token = line
        headers = {"x-api-key": token, "anthropic-version": "2023-06-01"}
        async with http.post("http://gateway/v1/messages", json=body, headers=headers) as answer:
            await answer.read()
            assert answer.status == 200, await answer.text()

    begun = time.perf_counter()
    await asyncio.gather(*(call(lines[number % len(lines)]) for number in range(calls)))
    return calls / (time.perf_counter() - begun)


async def main(calls: int, rows: int, count: int) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        few, many = stored(folder, 10), stored(folder, rows)
        budgets = {
            "until a call without a budget may leave": NONE,
            "until a call of a company with a budget may leave": COMPANY,
            "the same with limits of group, person and task": EVERY,
        }
        for store, label in ((few, "10 calls this month"), (many, f"{rows} calls this month")):
            p50 = await reserving(store, folder, budgets, count)
            for name, seconds in p50.items():
                ratio = f"{seconds / p50[ONE_ROW]:.2f}"
                print_figure(f"p50 ms, {label}: {name}", seconds * 1000, ratio)
        async with (
            model_server() as url,
            doors(many, folder, url, NONE, calls // 8) as free,
            doors(many, folder, url, COMPANY, calls // 8) as limited,
        ):
            await at_once(free, calls), await at_once(limited, calls)
            without, within = [], []
            for _ in range(5):
                without.append(await at_once(free, calls))
                within.append(await at_once(limited, calls))
        one, other = statistics.median(without), statistics.median(within)
        print_figure(f"{calls} calls at once, without a budget, a second", one, "1.00")
        print_figure(f"{calls} calls at once, with a budget, a second", other, f"{other / one:.2f}")
        few.close()
        many.close()


if __name__ == "__main__":
    options = argparse.ArgumentParser()
    options.add_argument("--calls", type=int, default=200)
    options.add_argument("--rows", type=int, default=100_000)
    options.add_argument("--count", type=int, default=200)
    given = options.parse_args()
    asyncio.run(main(given.calls, given.rows, given.count))
