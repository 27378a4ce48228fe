"""The chat in a real terminal: what the agent does is seen there, and a pipe gets only the words."""

import asyncio
import os
import pty
import re
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import aclosing, asynccontextmanager
from pathlib import Path

import pytest
from tests.led_agent import LedAgent, host_of, send_file

from nanoclaw.app.client import Client, Door
from nanoclaw.delivery import outbox
from nanoclaw.domain.ids import new_id
from nanoclaw.domain.money import Usage
from nanoclaw.domain.parcels import Author
from nanoclaw.domain.turns import RuntimeEvent, Spent, TextDelta, ToolEnded, ToolPrinted, ToolStarted
from nanoclaw.durable import people, work
from nanoclaw.durable.clock import now
from nanoclaw.testing import started_host

pytestmark = pytest.mark.capability("X1")

SCRIPT: Sequence[RuntimeEvent | None] = [
    ToolStarted(id="1", name="bash", shown="make chart"),
    ToolPrinted(id="1", text="a line\u2028and another"),
    None,
    ToolEnded(id="1", ok=True, text="made"),
    Spent(model="m", usage=Usage(input=1200, output=340), micros=12300),
    TextDelta(text="The chart is ready."),
]


class Screen:
    """What a program wrote on its terminal, without colours and moves of the cursor."""

    def __init__(self, terminal: int) -> None:
        self._terminal = terminal
        self._printed = b""

    @property
    def text(self) -> str:
        return re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", self._printed.decode(errors="replace"))

    def type(self, text: str) -> None:
        os.write(self._terminal, text.encode())

    async def until(self, mark: str) -> None:
        async with asyncio.timeout(30):
            while mark not in self.text:
                self._printed += await asyncio.to_thread(os.read, self._terminal, 4096)


@asynccontextmanager
async def chat(home: Path, *words: str) -> AsyncIterator[Screen]:
    """`nanoclaw chat` on a terminal of its own."""
    main, end = pty.openpty()
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "nanoclaw", "chat", *words),
        env={**os.environ, "NANOCLAW_HOME": str(home), "TERM": "xterm", "COLUMNS": "80"},
        stdin=end,
        stdout=end,
    )
    os.close(end)
    try:
        yield Screen(main)
        async with asyncio.timeout(30):
            await process.wait()
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
        os.close(main)


async def test_a_conversation_shows_tools_files_and_money(home: Path) -> None:
    agent = LedAgent(SCRIPT)
    async with host_of(home, agent) as host, chat(home) as screen:
        await screen.until(">")
        screen.type("make it\r")
        await screen.until("⚙ bash  make chart")
        room = await host.store.read(lambda tx: people.chats_of(tx, ("terminal",))[0][0].id)
        parcel = await send_file(host, room, "chart.png", "image/png", b"x" * 12_000)
        await screen.until(f"⤓ chart.png (12 kB) {home / 'data' / 'attachments' / parcel}")
        agent.go_on()
        await screen.until("✓ bash  make chart")
        await screen.until("The chart is ready.")
        await screen.until("1.2k in, 340 out, $0.0123")
        screen.type("/quit\r")


async def test_one_message_shows_what_its_agent_does(home: Path) -> None:
    agent = LedAgent(SCRIPT)
    async with host_of(home, agent) as host, chat(home, "-m", "make it") as screen:
        await screen.until("⚙ bash  make chart")
        room = await host.store.read(lambda tx: people.chats_of(tx, ("terminal",))[0][0].id)
        parcel = await send_file(host, room, "chart.png", "image/png", b"x" * 12_000)
        agent.go_on()
        await screen.until("make chart ✓")
        await screen.until("⤓ chart.png (12 kB)")
        assert parcel in screen.text
        await screen.until("The chart is ready.")
        await screen.until("1.2k in, 340 out, $0.0123")


async def test_a_pipe_gets_only_the_words(home: Path) -> None:
    agent = LedAgent(SCRIPT)
    async with host_of(home, agent) as host:
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "nanoclaw", "chat"),
            env={**os.environ, "NANOCLAW_HOME": str(home)},
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
        )
        async with asyncio.timeout(30):
            asked = asyncio.create_task(process.communicate(b"make it\n"))
            await agent.waiting.wait()
            room = await host.store.read(lambda tx: people.chats_of(tx, ("terminal",))[0][0].id)
            await send_file(host, room, "chart.png", "image/png", b"x" * 12_000)
            agent.go_on()
            printed, _ = await asked
    assert printed.decode().strip() == "The chart is ready."


async def test_what_the_host_said_before_the_terminal_listened_is_shown(home: Path) -> None:
    """As `up` does it: a host that starts tells of what was missed before anyone has a prompt."""
    async with started_host(home) as host:
        since = new_id("m")
        room = await host.store.read(lambda tx: people.chats_of(tx, ("terminal",))[0][0].id)
        await host.store.write(
            lambda tx: outbox.post(
                tx, chat_id=room, thread=None, author=Author.HOST, text="Task 1 was not run", at=now()
            )
        )
        host.engine.kick(work.DELIVERY, room)
        async with Client(Door(url=host.url, token=host.token)) as client:
            await client.enter(None, since=since)
            async with asyncio.timeout(10), aclosing(client.listen(lambda: None)) as events:
                name, line = await anext(events)
    assert (name, line["text"]) == ("message", "Task 1 was not run")
