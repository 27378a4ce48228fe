"""The host is killed at every stage of a batch, or stands still in the middle: nothing is sent or paid for twice."""

import asyncio
import os
import signal
from pathlib import Path
from typing import Any

import pytest
from tests.flows.batch_scene import BatchScene, batch_scene
from tests.loaded import LOADED
from tests.telegram_scene import eventually

from nanoclaw.domain.batches import Batch, BatchStatus
from nanoclaw.domain.money import Usage
from nanoclaw.durable import batches
from nanoclaw.durable.store import Tx
from nanoclaw.flows.batches import results
from nanoclaw.flows.batches.money import BatchMoney
from nanoclaw.flows.batches.requests import RequestFiles
from nanoclaw.flows.batches.results import PartResults
from nanoclaw.flows.batches.text_checks import TextChecks
from nanoclaw.gateway.message_batches import MessageBatches
from nanoclaw.testing import ModelServer, Reply, Say

pytestmark = pytest.mark.capability("I2", "L3")

ITEMS = 7
STAGES: dict[str, tuple[type, str, bool]] = {
    "requests are written": (RequestFiles, "write", True),
    "money is set aside": (BatchMoney, "reserve", True),
    "it is marked as sending": (MessageBatches, "send", False),
    "it has arrived": (MessageBatches, "send", True),
    "some results are stored": (PartResults, "_store_lot", True),
    "all results are read": (PartResults, "_end", False),
    "texts are checked": (TextChecks, "check", True),
}
"""What is called then, and whether the host dies after it."""


def _die(with_signal: signal.Signals = signal.SIGKILL) -> None:
    os.kill(os.getpid(), with_signal)


def _patch(stage: str) -> None:
    """What is patched is only where it dies."""
    owner, name, is_after = STAGES[stage]
    inner = getattr(owner, name)

    async def call(*given: Any, **named: Any) -> Any:
        if not is_after:
            _die()
        found = await inner(*given, **named)
        _die()
        return found

    def call_at_once(*_given: Any, **_named: Any) -> None:
        _die()

    setattr(owner, name, call if asyncio.iscoroutinefunction(inner) else call_at_once)


async def the_batch(scene: BatchScene) -> Batch:
    def look(tx: Tx) -> Batch | None:
        return next(iter(batches.newest(tx)), None)

    return await scene.host.store.read(look) or await scene.start(ITEMS)


async def _live(home: Path, url: str, vendor: str) -> None:
    server = ModelServer()
    server.url = vendor
    async with batch_scene(home, server, url) as scene:
        await the_batch(scene)
        await asyncio.Event().wait()


def life(home: Path, url: str, vendor: str, stage: str) -> None:
    """One life of the host, in its own process: it continues the batch, or begins it, and is killed at this stage."""
    results.LOT = 2
    _patch(stage)
    asyncio.run(_live(home, url, vendor))


def sleepy_life(home: Path, url: str, vendor: str) -> None:
    """It stands still after it has marked the batch as sending, and wakes when another host has sent it."""
    send = MessageBatches.send

    async def stand_still_and_send(*given: Any) -> Any:
        _die(signal.SIGSTOP)
        return await send(*given)

    MessageBatches.send = stand_still_and_send  # type: ignore[method-assign, assignment]
    asyncio.run(_live(home, url, vendor))


async def test_killed_at_every_stage_of_a_batch(home: Path, database_url: str) -> None:
    reply = Reply(parts=(Say("A text about otters."),), usage=Usage(input=100, output=10))
    async with ModelServer(lambda _asked: reply) as server:
        for stage in STAGES:
            process = LOADED.Process(target=life, args=(home, database_url, server.url, stage), daemon=True)
            process.start()
            await asyncio.to_thread(process.join, 60)
            assert process.exitcode == -signal.SIGKILL, stage
        async with batch_scene(home, server, database_url) as scene:
            batch = await scene.until(await the_batch(scene))
            assert batch.status is BatchStatus.READY
            assert await scene.states(batch) == ["succeeded"] * ITEMS
            assert sorted(server.batches.paid) == [f"{batch.id}-{n}-1" for n in range(1, ITEMS + 1)]
            rows = await scene.costs()
            assert [(row.state, row.batch_id) for row in rows] == [("settled", batch.id)] * ITEMS
            assert [item.micros for item in await scene.items(batch)] == [row.micros for row in rows]


async def _stands_still(pid: int) -> bool | None:
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "T" or None


async def test_a_host_that_stood_still_sends_nothing_that_another_has_sent(
    tmp_path: Path, postgres_url: str
) -> None:
    async with ModelServer("a text") as server:
        args = (tmp_path / "a" / "nanoclaw", postgres_url, server.url)
        process = LOADED.Process(target=sleepy_life, args=args, daemon=True)
        process.start()
        try:
            await eventually(lambda: _stands_still(process.pid or 0))
            async with batch_scene(tmp_path / "b" / "nanoclaw", server, postgres_url) as scene:
                batch = await scene.until(await the_batch(scene))
                assert await scene.states(batch) == ["succeeded"] * ITEMS
                os.kill(process.pid or 0, signal.SIGCONT)
                await asyncio.sleep(0.5)  # for what must not come
        finally:
            process.kill()
            process.join()
        assert len(server.batches.made) == 1
