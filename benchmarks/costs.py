"""Measures reports of costs over a large ledger, and what their index adds to a call. See benchmarks/README.md."""

import argparse
import asyncio
import itertools
import os
import random
import statistics
import tempfile
import time
from collections.abc import Awaitable, Callable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from benchmarks.measuring import print_figure

from nanoclaw.domain.cost_reports import Grouping
from nanoclaw.durable import schema
from nanoclaw.durable.store import Store, Tx, open_store
from nanoclaw.durable.tables import costs
from nanoclaw.flows.spending.reports import CostReports, ReportQuery

_ROWS = 1_000_000
_CALLS_OF_A_TURN = 4
_LOT = 20_000
_TIMES = 5
_CALLS_AT_ONCE = 1_000
_WIDE = next(
    [column.name for column in index.columns] for index in costs.indexes if index.name == "costs_of_company"
)
_NARROW = ("company", "at", "micros")  # all that budgets need
_NOW = datetime(2026, 11, 17, 12, tzinfo=UTC)


def rows(count: int) -> Iterator[dict[str, Any]]:
    """A year of calls of four companies, with as many people, chats, tasks and runs as they may have."""
    chance = random.Random(19)  # noqa: S311 - the same rows every time
    usual = {"runtime": "native", "host": "h_1", "state": "settled", "batch": False}
    skills = ("", "marketing/content/copywriter", "marketing/seo/writer", "ops/finance/analyst")
    turn: dict[str, Any] = {}
    for number in range(count):
        if number % _CALLS_OF_A_TURN == 0:
            flow = chance.choice("AAAAAACDFFG")
            company = chance.choice(("acme", "demo", "rivals", "other"))
            turn = {
                "company": company,
                "agent_group": f"{company}-main",
                "session_id": f"s_{number:026d}",
                "turn_id": f"t_{number:026d}",
                "skill": chance.choice(skills),
                "flow": flow,
                "person": f"telegram:{100_000_000 + chance.randrange(100)}",
                "chat_id": f"c_{chance.randrange(200):026d}",
                "chain_id": f"p_{number:026d}" if flow in "CD" else None,
                "task_id": chance.randrange(500) if flow == "F" else None,
            }
        yield {
            "id": f"u_{number:026d}",
            "at": _NOW - timedelta(days=365) * (1 - number / count),
            "model": chance.choice(
                ("claude-sonnet-5", "claude-haiku-4-5", "claude-opus-4-6", "openai:gpt-5")
            ),
            "micros": chance.randrange(100, 90_000),
            "input_tokens": chance.randrange(5_000),
            "output_tokens": chance.randrange(3_000),
            "cache_read_tokens": chance.randrange(40_000),
            "cache_write_tokens": chance.randrange(3_000),
            "saved_by_cache": chance.randrange(-100, 50_000),
            "saved_by_batch": 0,
            "thinking_tokens": 0,
            "duration_ms": 3000,
            **usual,
            **turn,
        }


async def fill(store: Store, count: int) -> None:
    lot: list[dict[str, Any]] = []
    for row in rows(count):
        lot.append(row)
        if len(lot) == _LOT:
            await _put(store, lot)
            lot = []
    await _put(store, lot)
    if (
        store.shared
    ):  # as autovacuum leaves it a minute later: an index alone answers only for pages that are marked
        with store.engine.connect().execution_options(isolation_level="AUTOCOMMIT") as tx:
            tx.exec_driver_sql("VACUUM ANALYZE costs")


async def _put(store: Store, lot: list[dict[str, Any]]) -> None:
    if lot:
        await store.write(lambda tx: tx.execute(sa.insert(costs), lot))


async def measure(name: str, act: Callable[[], Awaitable[object]]) -> None:
    """The middle one of several: how long it took, and what this program computed, which others do not lengthen."""
    taken, computed = [], []
    for _ in range(_TIMES):
        before, cpu = time.perf_counter(), time.process_time()
        await act()
        taken.append((time.perf_counter() - before) * 1000)
        computed.append((time.process_time() - cpu) * 1000)
    note = f"ms; {statistics.median(computed):.0f} ms of a core here"
    print_figure(name, statistics.median(taken), note)


async def reports(store: Store) -> None:
    name = "PostgreSQL" if store.shared else "SQLite"
    made = CostReports(zone_of=lambda _company: UTC, now=lambda: _NOW)
    for by in sorted(Grouping, key=lambda each: each is not Grouping.DAY):
        for since, words in (("all", "a year"), ("month", "the month")):
            await measure(
                f"{name}: by {by}, {words}", partial(made.read, store, ReportQuery(by=by, since=since))
            )
    await measure(f"{name}: today, this month, forecast", lambda: store.read(made.overview))
    month = ReportQuery(by=Grouping.DAY)
    await measure(
        f"{name}: ten dearest turns, the month",
        lambda: store.read(lambda tx: made.dear_turns(tx, month, 10)),
    )


async def writing(store: Store) -> None:
    """Calls that are written and settled with the index that reports need, and with the one that budgets need."""
    settle = sa.update(costs).where(costs.c.id == sa.bindparam("of")).values(micros=7, output_tokens=9)
    row = next(rows(1))
    numbers = itertools.count()

    async def call() -> None:
        number = next(numbers)
        new = {**row, "id": f"v_{number:026d}", "at": _NOW + timedelta(milliseconds=number)}
        await store.write(lambda tx: tx.execute(sa.insert(costs), [new]))
        await store.write(lambda tx: tx.execute(settle, {"of": new["id"]}))

    async def several(columns: Sequence[str]) -> float:
        def index(tx: Tx) -> None:
            tx.exec_driver_sql("DROP INDEX costs_of_company")
            tx.exec_driver_sql(f"CREATE INDEX costs_of_company ON costs ({', '.join(columns)})")

        await store.write(index)
        await asyncio.gather(
            *(call() for _ in range(_CALLS_AT_ONCE))
        )  # the first ones find nothing in memory
        before = time.perf_counter()
        await asyncio.gather(*(call() for _ in range(_CALLS_AT_ONCE)))
        return time.perf_counter() - before

    ratios = [await several(_WIDE) / await several(_NARROW) for _ in range(_TIMES)]
    print_figure("writing a call", statistics.median(ratios), "times one with the index of budgets alone")


async def main() -> None:
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("--rows", type=int, default=_ROWS)
    asked.add_argument("--database-url", help="an empty database on PostgreSQL; else a file of SQLite")
    given = asked.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        store = open_store(given.database_url or f"sqlite:///{Path(folder) / 'costs.db'}", timeout=120)
        try:
            schema.upgrade(store)
            await fill(store, given.rows)
            print_figure("what else runs here", os.getloadavg()[0], "load")
            await reports(store)
            await writing(store)
        finally:
            store.close()


if __name__ == "__main__":
    asyncio.run(main())
