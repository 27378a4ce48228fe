"""A command that is a host for a moment is never in the way of `nanoclaw up`, and loses nothing by making room."""

import asyncio
import json
import os
import signal
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from tests.crash.program import Program, first_room, lines, say
from tests.loaded import Command
from tests.staging import until

from nanoclaw.domain.errors import AlreadyRunning
from nanoclaw.host.host_lock import HostLock, ask_to_leave, find
from nanoclaw.testing import ModelServer
from nanoclaw.testing.model_parts import Asked

pytestmark = pytest.mark.capability("A15", "O1")


class Vendor:
    """Answers when it is told to."""

    def __init__(self) -> None:
        self.open = asyncio.Event()

    async def reply(self, _asked: Asked) -> Any:
        await self.open.wait()
        return "here is the answer"


@asynccontextmanager
async def told(program: Program, *words: str) -> AsyncIterator[Command]:
    command = Command(program.environment, *words)
    try:
        yield command
    finally:
        command.kill()


async def answered(command: Command) -> str:
    code, printed = await command.ended()
    assert code == 0, printed
    return printed


def host_of(home: Path) -> int:
    found = find(home)
    return found.pid if found else 0


@asynccontextmanager
async def slow_vendor(home: Path) -> AsyncIterator[tuple[Vendor, ModelServer, Program]]:
    vendor = Vendor()
    async with ModelServer(vendor.reply) as server:
        settings = {
            "ANTHROPIC_BASE_URL": server.url,
            "ANTHROPIC_API_KEY": server.key,
            "AGENTS_RUNTIME": "native",
        }
        try:
            yield vendor, server, Program(home, **settings)
        finally:
            vendor.open.set()


async def test_a_message_that_outlives_its_host_makes_room_for_the_next(home: Path) -> None:
    async with slow_vendor(home) as (vendor, server, program):
        await program.start()
        async with told(program, "chat", "-m", "hello") as chat:
            await until(lambda: len(server.asked) >= 1)
            await program.stop()
            await until(lambda: host_of(home) == chat.pid)  # now it is the host itself
            async with program.running():
                assert host_of(home) not in (0, chat.pid)
                vendor.open.set()
                assert "here is the answer" in await answered(chat)
                async with program.client() as client:
                    rooms = (await client.get("/api/rooms")).json()["rooms"]
                    room = next(each["id"] for each in rooms if each["channel"] == "terminal")
                    said = [line["text"] for line in await lines(client, room)]
                assert said == ["hello", "here is the answer"]  # once, though it was said to three hosts


@pytest.mark.parametrize("moment", ["while it starts", "while it answers"])
async def test_a_host_for_a_moment_makes_room_at_any_moment(home: Path, moment: str) -> None:
    async with slow_vendor(home) as (vendor, _server, program), told(program, "chat", "-m", "hello") as chat:
        lock = home / "data" / "host.lock"
        if moment == "while it starts":
            await until(lambda: lock.exists() and str(chat.pid) in lock.read_text())
        else:
            await until(lambda: host_of(home) == chat.pid)
        async with program.running():
            assert host_of(home) not in (0, chat.pid)
            vendor.open.set()
            assert "here is the answer" in await answered(chat)


async def test_a_host_that_stays_does_not_make_room(home: Path) -> None:
    async with Program(home).running() as program:
        before = host_of(home)
        assert not ask_to_leave(home)
        code, printed = await program.command("up", "--no-chat")
        assert code == 1
        assert "running already" in printed
        async with program.client() as client:
            await say(client, await first_room(client), "still there?", "1")
        assert host_of(home) == before


@pytest.mark.parametrize(
    "note",
    [
        "",
        "{",
        "[]",
        "{}",
        '{"pid": 1, "gives_way": false}',
        '{"pid": "x", "gives_way": true}',
    ],
)
def test_nobody_is_asked_to_leave_by_mistake(home: Path, note: str) -> None:
    heard: list[int] = []
    before: Callable[..., Any] | int | None = signal.signal(
        signal.SIGUSR1, lambda number, _: heard.append(number)
    )
    try:
        lock = home / "data" / "host.lock"
        lock.write_text(json.dumps({"pid": os.getpid(), "gives_way": True}))
        assert not ask_to_leave(home)  # nobody holds it
        held = HostLock(home).acquire()
        lock.write_text(note)
        assert not ask_to_leave(home)
        with pytest.raises(AlreadyRunning):
            HostLock(home).acquire()
        held.release()
    finally:
        signal.signal(signal.SIGUSR1, before)
    assert heard == []


@pytest.mark.attack
@pytest.mark.parametrize(
    ("changed", "is_heard"),
    [
        ({}, True),
        ({"started": 1}, False),  # the number was given to another process meanwhile
        ({"started": None}, False),
        ({"numbered_in": "x pid:[1]"}, False),  # held in another container, which shares the workspace
        ({"numbered_in": ""}, False),
        ({"pid": None}, False),
    ],
)
def test_whoever_has_the_number_of_the_holder_but_is_another_is_not_signalled(
    home: Path, changed: dict[str, Any], is_heard: bool
) -> None:
    heard: list[int] = []
    before: Callable[..., Any] | int | None = signal.signal(
        signal.SIGUSR1, lambda number, _: heard.append(number)
    )
    try:
        lock = home / "data" / "host.lock"
        held = HostLock(home, gives_way=True).acquire()
        lock.write_text(json.dumps(json.loads(lock.read_text()) | changed))
        assert ask_to_leave(home) is is_heard
        held.release()
        assert lock.read_text() == ""
    finally:
        signal.signal(signal.SIGUSR1, before)
    assert heard == [signal.SIGUSR1] * is_heard
