"""Who has a place among the work of a host, who waits for one, and who has lent theirs."""

import asyncio
from datetime import datetime

import pytest

from nanoclaw.durable.lanes import Lane
from nanoclaw.durable.store import Tx
from nanoclaw.durable.work import Claim

pytestmark = pytest.mark.capability("A5")


class _Story:
    kind = "turn"
    at_once = 1

    def begin(self, tx: Tx, claim: Claim) -> None:
        """Nothing is begun here."""

    async def run(self, job: None, claim: Claim) -> datetime | None:
        return None

    def look_again(self, key: str) -> None:
        """Nobody looks."""


async def lane_with(*keys: str) -> Lane[None]:
    lane: Lane[None] = Lane(_Story())
    for key in keys:
        lane.running[key] = asyncio.create_task(asyncio.sleep(0))
    await asyncio.sleep(0)
    return lane


async def test_a_lent_place_is_free_for_others_and_taken_again_before_going_on() -> None:
    lane = await lane_with("a")
    answered = asyncio.Event()

    async def wait() -> None:
        async with lane.place_lent("a", lane.let_come_back):
            await answered.wait()

    waiting = asyncio.create_task(wait())
    await asyncio.sleep(0)
    assert lane.has_room
    lane.running["b"] = waiting
    answered.set()
    for _ in range(3):
        await asyncio.sleep(0)
    assert not waiting.done()
    assert not lane.has_room  # work that has not begun waits behind it
    del lane.running["b"]
    lane.let_come_back()
    await waiting
    assert lane.is_full


async def test_what_a_turn_left_waiting_lends_nothing_of_the_next() -> None:
    lane = await lane_with("a")
    answered = asyncio.Event()

    async def wait() -> None:
        async with lane.place_lent("a", lane.let_come_back):
            await answered.wait()

    waiting = asyncio.create_task(wait())
    await asyncio.sleep(0)
    del lane.running["a"]
    lane.ended("a")
    lane.running["a"] = waiting  # its next turn
    assert lane.is_full
    answered.set()
    await waiting  # it takes no second place


async def test_of_two_answers_the_first_is_not_heard_without_a_place() -> None:
    lane = await lane_with("a")
    first, second = asyncio.Event(), asyncio.Event()

    async def wait(answered: asyncio.Event) -> None:
        async with lane.place_lent("a", lane.let_come_back):
            await answered.wait()

    waits = [asyncio.create_task(wait(each)) for each in (first, second)]
    await asyncio.sleep(0)
    lane.running["b"] = waits[0]
    first.set()
    for _ in range(3):
        await asyncio.sleep(0)
    assert not waits[0].done()
    del lane.running["b"]
    lane.let_come_back()
    await waits[0]
    second.set()
    await waits[1]
    assert lane.is_full


async def test_whoever_is_stopped_needs_no_place() -> None:
    lane = await lane_with("a")

    async def wait() -> None:
        async with lane.place_lent("a", lane.let_come_back):
            await asyncio.Event().wait()

    waiting = asyncio.create_task(wait())
    await asyncio.sleep(0)
    lane.running["b"] = waiting
    waiting.cancel()
    await asyncio.gather(waiting, return_exceptions=True)
    assert waiting.cancelled()
