"""The host is killed at the worst moments. After the restart every message is answered once, and none is lost.

What is killed is a process. The host that goes on after it runs in this one, which is ready sooner, except where it is
killed again or asked by commands.
"""

import asyncio
import json
import random
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path

import httpx
import pytest
import sqlalchemy as sa
from starlette.responses import Response
from tests.crash.program import Program, first_room, lines, say, settled
from tests.staging import until

from nanoclaw.cli import failed
from nanoclaw.durable.store import open_store
from nanoclaw.durable.tables import parcels, session_queue
from nanoclaw.testing import FarEnd, Sent, started_host

pytestmark = pytest.mark.capability("A1", "A15", "L3")

QUESTION = "How much is the office plan?"


@asynccontextmanager
async def started_again(home: Path, database_url: str, far_end: FarEnd | None = None) -> AsyncIterator[None]:
    """The next host on what the killed one left."""
    scripted = {"url": far_end.url} if far_end else {}
    async with started_host(home, database={"url": database_url}, scripted=scripted):
        yield


async def test_killed_after_storing(home: Path, database_url: str) -> None:
    """The platform was told that we have it; that must be true."""
    async with FarEnd() as far_end:
        program = Program(home, DATABASE_URL=database_url, SCRIPTED_URL=far_end.url, DEMO_PACE="0.2")
        await program.start()
        await far_end.say("chat", QUESTION)
        await until(lambda: not far_end.unconfirmed)
        await program.die()
        assert far_end.seen == []
        async with started_again(home, database_url, far_end):
            await far_end.wait_for("chat")
            # A second answer proves that no other is on its way before it.
            await far_end.say("chat", "thanks")
            await far_end.wait_for("chat", 2)
    assert ["128" in text for text in far_end.said_to("chat")] == [True, False]


async def test_killed_while_queued(home: Path, database_url: str) -> None:
    program = Program(home, DATABASE_URL=database_url, TURNS_CONCURRENT="1", DEMO_PACE="0.5")
    await program.start()
    async with program.client() as client:
        rooms = [(await client.post("/api/rooms", json={"title": str(n)})).json()["id"] for n in range(4)]
        for number, room in enumerate(rooms):
            await say(client, room, QUESTION, str(number))
        states = sorted([(await lines(client, room))[0]["state"] for room in rooms])
        assert states.count("waiting") >= 2
    await program.die()
    async with started_again(home, database_url), program.client() as client:
        for room in rooms:
            found = await settled(client, room, 1)
            assert [line["author"] for line in found] == ["person", "agent"]


async def test_killed_in_the_middle_of_the_answer(home: Path, database_url: str) -> None:
    program = Program(home, DATABASE_URL=database_url, DEMO_PACE="0.1")
    await program.start()
    async with program.client() as client:
        room = await first_room(client)
        async with client.stream("GET", f"/api/rooms/{room}/live") as events:
            await say(client, room, QUESTION, "1")
            async for line in events.aiter_lines():
                if line == "event: preview":
                    break
            program.kill()
    await program.wait_until_dead()
    async with started_again(home, database_url), program.client() as client:
        found = await settled(client, room, 1)
        assert [line["author"] for line in found] == ["person", "agent"]
        assert "128" in found[1]["text"]
        why = (await client.get(f"/api/messages/{found[0]['id']}/why")).json()
        assert "started-again" in [step["event"] for step in why["steps"]]


@pytest.mark.parametrize("moment", ["on_send", "on_shown"])
async def test_killed_around_the_delivery(home: Path, database_url: str, moment: str) -> None:
    """Before the far end has the answer, and after it has shown it but before the host heard so."""
    async with FarEnd() as far_end:
        program = Program(home, DATABASE_URL=database_url, SCRIPTED_URL=far_end.url, DEMO_PACE="0")
        await program.start()

        async def kill(_: Sent) -> Response:
            program.kill()
            await program.wait_until_dead()
            return Response(status_code=500)

        setattr(far_end, moment, kill)
        await far_end.say("chat", QUESTION)
        await program.wait_until_dead()
        setattr(far_end, moment, None)
        async with started_again(home, database_url, far_end):
            await far_end.wait_for("chat")
            await far_end.say("chat", "thanks")
            await far_end.wait_for("chat", 2)
    assert ["128" in text for text in far_end.said_to("chat")] == [True, False]


@pytest.mark.capability("A12")
async def test_a_send_cut_off_on_a_network_without_repeats_is_set_aside_and_can_be_retried(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    async with FarEnd(repeatable=False) as far_end:
        program = Program(home, SCRIPTED_URL=far_end.url, SCRIPTED_REPEATABLE="false", DEMO_PACE="0")
        await program.start()

        async def kill(_: Sent) -> None:
            program.kill()
            await program.wait_until_dead()

        far_end.on_shown = kill
        await far_end.say("chat", QUESTION)
        await program.wait_until_dead()
        far_end.on_shown = None
        async with program.running():
            aside: list[dict[str, str]] = []
            while not aside:
                capsys.readouterr()
                await asyncio.to_thread(failed.list_failed, as_json=True)
                aside = json.loads(capsys.readouterr().out)
            assert [parcel["state"] for parcel in aside] == ["unknown"]
            assert len(far_end.said_to("chat")) == 1
            await asyncio.to_thread(failed.retry, [aside[0]["id"]], everything=False)
            assert capsys.readouterr().out == "One message will be sent again within a few seconds.\n"
            await far_end.wait_for("chat", 2)


async def test_killed_again_and_again_at_random_moments(home: Path, database_url: str) -> None:
    chats, messages, kills = 5, 6, 3  # fewer kills than the attempts after which a turn is given up
    chance = random.Random(7)  # noqa: S311 - the same moments each time, as far as a machine allows
    async with FarEnd() as far_end:
        program = Program(home, DATABASE_URL=database_url, SCRIPTED_URL=far_end.url, DEMO_PACE="0.003")
        for _ in range(kills):
            await program.start()
            for chat in range(chats):
                await far_end.say(f"chat{chat}", QUESTION)
            await asyncio.sleep(chance.uniform(0, 0.5))
            await program.die()
        async with program.running():
            for number in range(messages - kills):
                for chat in range(chats):
                    await far_end.say(f"chat{chat}", f"hello {number}")
            await until(lambda: far_end.unconfirmed == 0)  # so all of them are written down
            async with program.client() as client:
                await until(partial(is_idle, client))
    ends, answers = await read_all(database_url)
    assert ends == ["answered"] * chats * messages
    # Each turn has one answer, and each answer was seen once.
    assert len({turn for turn, _ in answers}) == len(answers)
    assert sorted(parcel for _, parcel in answers) == sorted(sent.id for sent in far_end.seen)


async def read_all(database_url: str) -> tuple[list[str], list[tuple[str, str]]]:
    """How every message ended, and every answer with its turn."""
    store = open_store(database_url)
    try:
        ends = await store.read(lambda tx: list(tx.execute(sa.select(session_queue.c.end)).scalars()))
        rows = await store.read(lambda tx: tx.execute(sa.select(parcels.c.turn_id, parcels.c.id)).all())
    finally:
        store.close()
    return ends, [(row.turn_id, row.id) for row in rows]


async def is_idle(client: httpx.AsyncClient) -> bool:
    status = (await client.get("/api/status")).json()
    return not (status["waiting"] or status["running"] or status["undelivered"])


@pytest.mark.capability("O4")
async def test_a_second_host_goes_on_with_what_a_killed_one_left(
    home: Path, tmp_path: Path, postgres_url: str
) -> None:
    first = Program(home, DEMO_PACE="0.3", DATABASE_URL=postgres_url, DATABASE_HOST_LIFETIME="2")
    second = Program(tmp_path / "second")
    await first.start()
    database = {"url": postgres_url, "host_lifetime": 2}
    async with started_host(second.home, database=database), second.client() as there:
        async with first.client() as here:
            room = await first_room(here)
            async with here.stream("GET", f"/api/rooms/{room}/live") as events:
                await say(here, room, QUESTION, "1")
                async for line in events.aiter_lines():
                    if line == "event: preview":
                        break
        await first.die()
        found = await settled(there, room, 1)
        assert [line["author"] for line in found] == ["person", "agent"]


async def test_a_clean_stop_loses_nothing_either(home: Path, database_url: str) -> None:
    program = Program(home, DATABASE_URL=database_url, DEMO_PACE="1")
    await program.start()
    async with program.client() as client:
        room = await first_room(client)
        await say(client, room, QUESTION, "1")
    stopping = asyncio.create_task(program.stop())
    assert await stopping == 0
    async with started_again(home, database_url), program.client() as client:
        found = await settled(client, room, 1)
        assert [line["author"] for line in found] == ["person", "agent"]
