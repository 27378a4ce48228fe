"""The host is killed while somebody types at the terminal of a live session: they come back and go on."""

import asyncio
import json
import os
import signal
from contextlib import suppress
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from tests.crash.program import Program
from tests.crash.test_session_terminal import written
from tests.live_terminal_scene import plain
from tests.staging import claudes, until
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed

from nanoclaw.client.connection import Address
from nanoclaw.client.inbox import InboxClient
from nanoclaw.testing import ModelServer


@pytest.mark.capability("S4", "L3")
async def test_after_a_kill_of_the_host_nothing_runs_on_and_the_terminal_resumes_its_conversation(
    home: Path,
) -> None:
    async with ModelServer("Looked at it.", key="sk-test") as server:
        program = Program(
            home,
            ANTHROPIC_API_KEY=server.key,
            ANTHROPIC_BASE_URL=server.url,
            AGENTS_RUNTIME="claude-code",
        )
        await program.start()
        async with InboxClient(Address.of(home)) as inbox:
            asked = await inbox.ask({"question": "Review the teal plan", "session": {}})
        async with _terminal(home, asked.id) as first:
            await _see(first, "Looked at it.")
            await written(home, "Looked at it.")
            await first.send(b"half a sen")
            await _see(first, "half a sen")
            host = program.pid
            program.kill()
            await program.die()
            with suppress(ConnectionClosed):
                await _see(first, "never")
        await until(lambda: not claudes(host))

        async with program.running(), _terminal(home, asked.id) as again:
            await _see(again, "Review the teal plan", "Looked at it.")
            await again.send(b"and now?\r")
            await until(lambda: "and now?" in json.dumps(server.asked[-1].messages))
            assert json.dumps(server.asked[-1].messages).count("Review the teal plan") == 1
            [claude] = claudes(program.pid)
            os.kill(claude, signal.SIGKILL)
            assert "still open" in await _ended(again)


def _terminal(home: Path, session: str) -> connect:
    address = Address.of(home)
    url = f"ws://{urlsplit(address.url).netloc}/api/sessions/{session}/terminal?rows=40&cols=120"
    return connect(url, additional_headers={"Authorization": f"Bearer {address.token}"}, proxy=None)


async def _see(terminal: ClientConnection, *texts: str) -> None:
    wanted, seen = ["".join(text.split()) for text in texts], b""
    async with asyncio.timeout(60):
        while not all(each in plain(seen) for each in wanted):
            piece = await terminal.recv()
            seen += piece if isinstance(piece, bytes) else b""


async def _ended(terminal: ClientConnection) -> str:
    async with asyncio.timeout(60):
        while True:
            piece = await terminal.recv()
            if isinstance(piece, str) and "ended" in json.loads(piece):
                return str(json.loads(piece)["ended"])
