"""What someone could try against batches: a vendor that lies, somebody else with the same key, a cancel just then."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import suppress
from datetime import timedelta

import pytest
import pytest_asyncio
from tests.flows.batch_scene import BatchScene, batch_scene

from nanoclaw.domain.batches import BatchStatus
from nanoclaw.domain.errors import Refused
from nanoclaw.gateway.batch_results import read_batch
from nanoclaw.testing import ModelServer

pytestmark = [
    pytest.mark.asyncio(loop_scope="module"),
    pytest.mark.capability("I1", "I2"),
    pytest.mark.attack,
]


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def server() -> AsyncIterator[ModelServer]:
    async with ModelServer() as played:
        yield played


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def running(tmp_path_factory: pytest.TempPathFactory, server: ModelServer) -> AsyncIterator[BatchScene]:
    async with batch_scene(tmp_path_factory.mktemp("batch") / "home", server) as made:
        yield made


@pytest.fixture
def scene(running: BatchScene) -> BatchScene:
    running.server.reply = "A plain text."
    running.vendor.is_held = False
    running.vendor.trouble = type(running.vendor.trouble)()
    running.vendor.made.clear()
    return running


def _line(custom_id: str, text: object, **usage: object) -> bytes:
    message = {"content": [{"type": "text", "text": text}], "usage": usage}
    found = {"custom_id": custom_id, "result": {"type": "succeeded", "message": message}}
    return json.dumps(found).encode() + b"\n"


async def test_results_that_lie_neither_stop_a_batch_nor_change_another(scene: BatchScene) -> None:
    other = await scene.until(await scene.start(1))

    def lies(lines: list[bytes]) -> list[bytes]:
        first = json.loads(sorted(lines)[0])["custom_id"]
        mine = first.rpartition("-")[0].rpartition("-")[0]
        return [
            b"<!doctype html><title>502</title>\n",
            b'{"a":' * 20_000 + b"\n",
            b"9" * (9 << 20) + b"\n",
            b'{"custom_id": ["x"], "result": {"type": "succeeded", "message": {"content": 7}}}\n',
            _line(f"{other.id}-1-1", "changed from outside"),
            _line(f"{mine}-999-1", "one more"),
            _line(f"{mine}-1-2", "of an attempt that was never made"),
            *lines,
            *(line.replace(b"A plain text", b"Another text") for line in lines),
        ]

    scene.vendor.trouble.lines = lies
    batch = await scene.until(await scene.start(3))
    assert batch.status is BatchStatus.READY
    assert [item.text for item in await scene.items(batch)] == ["A plain text."] * 3
    assert [item.text for item in await scene.items(other)] == ["A plain text."]
    assert len(await scene.costs(batch)) == 3
    assert len(await scene.costs(other)) == 1
    assert batch.why == {"key": "batch-odd-results", "unknown": 3, "repeated": 3, "broken": 4, "over": 0}


async def test_a_bill_that_cannot_be_stops_nothing_and_is_not_for_nothing(scene: BatchScene) -> None:
    """More tokens than a database can keep, fewer than none, or no number at all."""
    told: list[object] = [10**30, 2**40, -5, True, "many"]

    def odd(lines: list[bytes]) -> list[bytes]:
        ids = sorted(json.loads(line)["custom_id"] for line in lines)
        return [
            _line(each, "A text.", input_tokens=bill, output_tokens=bill)
            for each, bill in zip(ids, told, strict=True)
        ]

    scene.vendor.trouble.lines = odd
    batch = await scene.until(await scene.start(len(told)))
    assert await scene.states(batch) == ["succeeded"] * len(told)
    rows = {row.turn_id: row for row in await scene.costs(batch)}
    found = [rows[f"{batch.id}-{number}-1"] for number in range(1, len(told) + 1)]
    assert [row.output_tokens for row in found] == [batch.max_tokens] * 2 + [0, 0, 0]
    # Who says nothing, or what cannot be, is believed to have used all that it was allowed.
    assert {row.state for row in found} == {"estimated"}
    assert 0 < max(row.micros for row in found) < 1.01 * min(row.micros for row in found)


async def test_an_id_that_leads_elsewhere_is_none() -> None:
    for vendor_id in ("../../v1/keys", "a/b", "a?b", "", "x" * 300, "a\nb", None, 7):
        assert read_batch({"id": vendor_id}) is None
    assert read_batch({"id": "msgbatch_01HkcTjaV5uDC8jWR4ZsDV8d"}) is not None


async def test_a_batch_of_somebody_else_with_odd_ids_is_not_taken_for_ours(scene: BatchScene) -> None:
    theirs = await scene.until(await scene.start(2))
    foreign = scene.vendor.made[0]
    foreign.id = "msgbatch_somebody"
    foreign.results = {"9" * 60: {"type": "expired"}, f"x-{'1' * 30}-1": {"type": "expired"}}
    scene.vendor.trouble.lost_answers = 1
    batch = await scene.start(2)
    await scene.vendor.wait_for(2)
    # Our clock is hours before the vendor's, as on a machine with the wrong zone.
    scene.vendor.made[1].created_at -= timedelta(hours=12)
    await scene.until(batch)
    assert await scene.states(batch) == await scene.states(theirs) == ["succeeded"] * 2
    assert len(scene.vendor.made) == 2


async def test_a_cancel_while_results_come_loses_and_doubles_nothing(scene: BatchScene) -> None:
    for pause in (0, 0.02, 0.05, 0.1):
        scene.vendor.is_held = True
        batch = await scene.start(40)
        await scene.until(batch, BatchStatus.RUNNING)
        await scene.vendor.finish()
        await asyncio.sleep(pause)
        with suppress(Refused):  # it was over already
            await scene.cancel(batch)
        ended = await scene.until(batch)
        paid = [row.turn_id for row in await scene.costs(batch)]
        assert len(set(paid)) == len(paid) == (await scene.states(batch)).count("succeeded")
        assert ended.cost_id is None
    assert len(scene.vendor.made) == 4
