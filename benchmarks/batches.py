"""Measures batches: how long many prompts and results take, in how much memory, and whether people notice it.

See benchmarks/README.md.
"""

import argparse
import asyncio
import multiprocessing
import os
import tempfile
import time
import zlib
from collections.abc import Awaitable, Callable
from contextlib import suppress
from multiprocessing.connection import Connection
from pathlib import Path

import structlog
from benchmarks.measuring import Room, incoming, print_figure, settled, tail

from nanoclaw.domain.batches import Batch, BatchStatus
from nanoclaw.domain.ids import new_id
from nanoclaw.domain.money import Usage
from nanoclaw.domain.people import LOCAL_OWNER
from nanoclaw.durable import batch_parts, batches, people
from nanoclaw.durable.clock import now
from nanoclaw.durable.store import Tx
from nanoclaw.flows.batches.wanted import WantedBatch
from nanoclaw.host.host import Host
from nanoclaw.testing import Asked, ModelServer, Reply, Say, ScriptedModel, made_workspace, started_host

_MODEL = "claude-haiku-4-5"
_WORDS = (
    "river",
    "stone",
    "otter",
    "winter",
    "market",
    "letter",
    "bridge",
    "garden",
    "silver",
    "morning",
    "paper",
)
# What is wanted: issue 19.
_MOST_PREPARED, _MOST_MIB, _MOST_READ, _MOST_SLOWER = 30.0, 200.0, 60.0, 1.5


def vendor(pipe: Connection) -> None:
    """In a process of its own: it has all requests in memory. It works when it is told to."""

    def reply(asked: Asked) -> Reply:
        words = (f"{asked.text} {place}" for place in range(180))
        text = " ".join(
            f"{_WORDS[zlib.crc32(word.encode()) % 11]}{zlib.crc32(word.encode()) % 499}" for word in words
        )
        return Reply(parts=(Say(text),), usage=Usage(input=60, output=400, cache_read=6000))

    async def serve() -> None:
        async with ModelServer(reply) as server:
            server.batches.is_held = True
            pipe.send(server.url)
            while await asyncio.to_thread(pipe.recv) == "work":
                await server.batches.finish()
                pipe.send("done")

    asyncio.run(serve())


class Memory:
    """The most memory that this process had, beyond what it had at first."""

    def __init__(self) -> None:
        self._first = self._most = _resident()
        self._watching = asyncio.create_task(self._watch())

    async def _watch(self) -> None:
        while True:
            self._most = max(self._most, _resident())
            await asyncio.sleep(0.02)

    def more(self) -> float:
        self._watching.cancel()
        return self._most - self._first


def _resident() -> float:
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 2**20


async def start(host: Host, count: int) -> Batch:
    def story(tx: Tx) -> Batch:
        chat = people.chat_at(tx, "web", "main")
        owner = people.person_named(tx, LOCAL_OWNER)
        assert chat
        assert owner
        wanted = WantedBatch(
            count=count,
            subject="posts",
            skill="",
            channel="",
            model=_MODEL,
            max_tokens=1024,
            group="main",
            company="demo",
            chat_id=chat.id,
            language="en",
            topics=tuple(f"topic {number} of {count}" for number in range(1, count + 1)),
            origin=new_id("bench"),
        )
        return host.batch_chat.changes.start(tx, wanted, owner, None, now())

    return await host.store.write(story)


async def until(look: Callable[[], Awaitable[bool]]) -> None:
    while not await look():  # noqa: ASYNC110
        await asyncio.sleep(0.02)


async def chat(host: Host, room: Room, count: int) -> list[float]:
    """Seconds from a message to the end of its turn, one after the other."""
    took = []
    for number in range(count):
        at = time.perf_counter()
        await settled(host, await room.front.receive(incoming(f"hello {number}")))
        took.append(time.perf_counter() - at)
    return took


async def measure(count: int, home: Path, pipe: Connection) -> None:
    made_workspace(home)
    room = Room()
    settings: dict[str, dict[str, object]] = {
        "anthropic": {"base_url": pipe.recv(), "api_key": "sk-test"},
        "agents": {"runtime": "demo", "allowed_models": ["claude-*"]},
        "batches": {"poll_seconds": 0.2, "longest_poll_seconds": 0.2},
        "turns": {"batch_window": 0},
    }
    async with started_host(
        home, model=ScriptedModel("A short answer."), channels={"web": room}, **settings
    ) as host:
        await chat(host, room, 30)
        batch = await start(host, 20)  # what is loaded with the first one is not counted
        await until(lambda: _is(host, batch, BatchStatus.RUNNING))
        before = await chat(host, room, 200)
        memory, at = Memory(), time.perf_counter()
        batch = await start(host, count)
        await until(lambda: _is_written(host, batch))
        prepared = time.perf_counter() - at
        size = sum(each.stat().st_size for each in (home / "data" / "batches" / batch.id).iterdir()) / 1e6
        await until(lambda: _is(host, batch, BatchStatus.RUNNING))
        sent, more = time.perf_counter() - at, memory.more()
        pipe.send("work")
        while not pipe.poll():  # noqa: ASYNC110
            await asyncio.sleep(0.02)
        memory, at = Memory(), time.perf_counter()
        during: list[float] = []
        talking = asyncio.create_task(_talk(host, room, during))
        await until(lambda: _is(host, batch, BatchStatus.READY))
        read = time.perf_counter() - at
        talking.cancel()
        with suppress(asyncio.CancelledError):
            await talking
        usual = [*before, *await chat(host, room, 200)]
        slower = tail(during, 0.95) / tail(usual, 0.95)
        print_figure(f"{count} prompts prepared, s", prepared, f"wanted: {_MOST_PREPARED:.0f}")
        print_figure("and sent, s", sent, f"{size:.0f} MB")
        print_figure("more memory meanwhile, MiB", more, f"wanted: {_MOST_MIB:.0f}")
        print_figure(f"{count} results read and checked, s", read, f"wanted: {_MOST_READ:.0f}")
        print_figure("more memory meanwhile, MiB", memory.more(), "")
        print_figure("answers in a chat, p95, ms", tail(usual, 0.95) * 1000, f"{len(usual)} of them")
        print_figure("while results are read, p95, ms", tail(during, 0.95) * 1000, f"{len(during)} of them")
        print_figure("times slower", slower, f"wanted: {_MOST_SLOWER}")


async def _talk(host: Host, room: Room, took: list[float]) -> None:
    while True:
        took += await chat(host, room, 1)


async def _is(host: Host, batch: Batch, status: BatchStatus) -> bool:
    found = await host.store.read(lambda tx: batches.get(tx, batch.id))
    return found is not None and found.status is status


async def _is_written(host: Host, batch: Batch) -> bool:
    return bool(await host.store.read(lambda tx: batch_parts.of_batch(tx, batch.id)))


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--count", type=int, default=10_000)
    given = parser.parse_args()
    structlog.configure(processors=[], logger_factory=structlog.ReturnLoggerFactory())
    here, there = multiprocessing.Pipe()
    playing = multiprocessing.get_context("spawn").Process(target=vendor, args=(there,), daemon=True)
    playing.start()
    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(measure(given.count, Path(folder) / "nanoclaw", here))
    playing.kill()


if __name__ == "__main__":
    main()
