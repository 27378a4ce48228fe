"""Measures what tasks cost: stored, due one after the other, and due all at once. See benchmarks/README.md."""

import argparse
import asyncio
import random
import statistics
import tempfile
import time
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import sqlalchemy as sa
import structlog
from benchmarks.measuring import Room, compare_idle, incoming, print_figure, settled, tail

from nanoclaw.client.connection import Address
from nanoclaw.client.tasks import TaskClient
from nanoclaw.durable import tables, work
from nanoclaw.durable.clock import now
from nanoclaw.durable.store import Tx
from nanoclaw.host.host import Host
from nanoclaw.testing import ScriptedModel, started_host

_STORED = 100_000


async def add(host: Host, count: int, due: list[datetime]) -> None:
    """One that was made as people make it, and copies of it, each with its own moment."""
    async with TaskClient(Address(url=host.url, token=host.token)) as tasks:
        made = await tasks.add({"prompt": "Say something.", "when": "every day at 9:00"})

    def story(tx: Tx) -> None:
        table = tables.scheduled_tasks
        one = dict(tx.execute(sa.select(table).where(table.c.id == made.id)).mappings().one())
        first = made.id + 1
        rows = [{**one, "id": first + number, "next_run_at": due[number]} for number in range(count)]
        tx.execute(sa.insert(table), rows)
        works = [
            {"kind": work.TASK, "key": str(first + number), "due_at": due[number], "attempts": 0}
            for number in range(count)
        ]
        tx.execute(sa.insert(tables.work), works)

    await host.store.write(story)


async def lateness(host: Host, count: int) -> list[float]:
    """From when each was due until its turn began, in milliseconds."""
    table = tables.task_run_logs
    over = table.c.finished_at.is_not(None)
    done = sa.select(sa.func.count()).select_from(table).where(over)
    while await host.store.read(lambda tx: tx.execute(done).scalar_one()) < count:  # noqa: ASYNC110
        await asyncio.sleep(0.5)
    found = sa.select(table.c.run_at, table.c.started_at).where(over)
    rows = await host.store.read(lambda tx: tx.execute(found).all())
    return [(row.started_at - row.run_at).total_seconds() * 1000 for row in rows]


async def measure_starts(folder: Path, count: int, seconds: float, url: str) -> None:
    """Spread by chance over some time; an hour would only be easier."""
    model, room = ScriptedModel("An answer of a few words."), Room()
    settings: dict[str, Any] = {"database": {"url": url}} if url else {}
    async with started_host(folder / "starts", model=model, channels={"web": room}, **settings) as host:
        took = []
        for _ in range(50):
            before, begun = len(model.asked), time.perf_counter()
            message_id = await room.front.receive(incoming("hello"))
            await model.wait_for_calls(before + 1)
            took.append((time.perf_counter() - begun) * 1000)
            await settled(host, message_id)
        chance = random.Random(7)  # noqa: S311 - no secret
        begin = now() + timedelta(seconds=6)
        await add(host, count, [begin + timedelta(seconds=chance.random() * seconds) for _ in range(count)])
        late = await lateness(host, count)
    base = statistics.median(took)
    print_figure("message to model called, p50, ms", base, "1.00")
    name = f"due to turn begun, {count:,} tasks in {seconds:.0f} s"
    print_figure(
        f"{name}, p50, ms", statistics.median(late), f"{statistics.median(late) / base:.2f} of a message's"
    )
    print_figure(f"{name}, p99, ms", tail(late), f"{tail(late) / base:.2f}")


async def measure_burst(folder: Path, count: int, url: str) -> None:
    """All due at the same moment, with as many places as there are for people; beside messages that come at once."""
    model, room = ScriptedModel("An answer of a few words."), Room()
    settings: dict[str, Any] = {"database": {"url": url}} if url else {}
    async with started_host(
        folder / "burst", model=model, channels={"web": room}, tasks={"concurrent": 3}, **settings
    ) as host:
        begin = now() + timedelta(seconds=6)
        await add(host, count, [begin] * count)
        await asyncio.sleep((begin - now()).total_seconds())
        begun = time.perf_counter()
        await lateness(host, count)
        runs = sa.select(sa.func.count(), sa.func.count(tables.task_run_logs.c.task_id.distinct()))
        assert tuple(await host.store.read(lambda tx: tx.execute(runs).one())) == (count, count)  # none twice
        rate = count / (time.perf_counter() - begun)
    print_figure(f"{count:,} tasks due at once, runs per second", rate, "")


async def measure_idle(folder: Path, seconds: float) -> None:
    full = folder / "full"
    async with started_host(full) as host:
        soon = now() + timedelta(days=2)
        await add(host, _STORED, [soon + timedelta(seconds=number) for number in range(_STORED)])
    await compare_idle(folder / "none", full, seconds, f"{_STORED:,} tasks stored")


async def measure(*, quick: bool, url: str) -> None:
    structlog.configure(logger_factory=structlog.ReturnLoggerFactory())
    with tempfile.TemporaryDirectory() as folder:
        await measure_starts(Path(folder), 100 if quick else 1000, 10 if quick else 120, url)
        await measure_burst(Path(folder), 200 if quick else 10_000, url)
        if not url:
            await measure_idle(Path(folder), 10 if quick else 60)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--postgres", default="", metavar="URL")
    chosen = parser.parse_args()
    asyncio.run(measure(quick=chosen.quick, url=chosen.postgres))
