"""The terminal of a live session on the person's own: keys, sizes, leaving, breaks, and that it is put right again."""

import asyncio
import fcntl
import json
import os
import select
import signal
import struct
import sys
import termios
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from functools import partial
from typing import Any

import pytest
from websockets.asyncio.server import Server, ServerConnection, serve

from nanoclaw.client.connection import Address
from nanoclaw.client.terminal import Left, RemoteTerminal, _raw
from nanoclaw.domain.errors import HostSaid

LEAVE = b"\x1d"


class Keyboard:
    """A person at a terminal: the far side of the one that the program believes to be its own."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self._master, self.slave = os.openpty()
        self._opened = [os.fdopen(os.dup(self.slave), mode) for mode in ("r", "w")]
        self._monkeypatch = monkeypatch
        os.set_blocking(self._master, False)
        self.resize(40, 100)
        self.before = termios.tcgetattr(self.slave)
        self._seen = b""

    def sit_down(self) -> None:
        """In the test itself: pytest gives each of its phases an output of its own."""
        self._monkeypatch.setattr(sys, "stdin", self._opened[0])
        self._monkeypatch.setattr(sys, "stdout", self._opened[1])

    def press(self, keys: bytes) -> None:
        os.write(self._master, keys)

    def resize(self, rows: int, cols: int) -> None:
        fcntl.ioctl(self.slave, termios.TIOCSWINSZ, struct.pack("HHHH", rows, cols, 0, 0))

    async def sees(self, words: bytes) -> bytes:
        """All that was shown up to these words, since the last that were looked for."""
        async with asyncio.timeout(60):
            while words not in self._seen:
                try:
                    self._seen += os.read(self._master, 65536)
                except BlockingIOError:
                    await asyncio.sleep(0.005)
        before, _, self._seen = self._seen.partition(words)
        return before + words

    @property
    def is_restored(self) -> bool:
        return termios.tcgetattr(self.slave) == self.before

    def close(self) -> None:
        for opened in self._opened:
            opened.close()
        os.close(self._master)
        os.close(self.slave)


class Far:
    """A host's end of it: what came there, and what it does with each connection."""

    def __init__(self) -> None:
        self.came: list[bytes | str] = []
        self.asked: list[str] = []
        self.news = asyncio.Condition()
        self.port = 0
        self.act: Callable[[ServerConnection], Any] | None = None

    async def serve(self, socket: ServerConnection) -> None:
        request = socket.request
        assert request
        assert request.headers["Authorization"] == "Bearer secret"
        self.asked.append(request.path)
        await socket.send('{"typist": true}')
        await socket.send("шия> ".encode())
        if self.act:
            await self.act(socket)
        async for frame in socket:
            async with self.news:
                self.came.append(frame)
                self.news.notify_all()

    async def got(self, fits: Callable[[list[bytes | str]], object]) -> None:
        async with asyncio.timeout(60), self.news:
            await self.news.wait_for(lambda: fits(self.came))

    @asynccontextmanager
    async def listening(self) -> AsyncIterator[Server]:
        async with serve(self.serve, "127.0.0.1", self.port) as server:
            self.port = next(iter(server.sockets)).getsockname()[1]
            yield server


@pytest.fixture
def keyboard(monkeypatch: pytest.MonkeyPatch) -> Any:
    made = Keyboard(monkeypatch)
    yield made
    made.close()


def is_longer(came: list[bytes | str], than: int) -> bool:
    return len(came) > than


def terminal_at(far: Far, **more: Any) -> RemoteTerminal:
    def address() -> Address:
        return Address(url=f"http://127.0.0.1:{far.port}/", token="secret")  # noqa: S106

    return RemoteTerminal(address, "i_1", lambda key: key, **more)


async def test_keys_go_to_the_agent_and_only_those_that_come_alone_leave(keyboard: Keyboard) -> None:
    keyboard.sit_down()
    far = Far()
    async with far.listening():
        running = asyncio.create_task(terminal_at(far).run())
        await keyboard.sees("шия> ".encode())
        assert not keyboard.is_restored
        assert far.asked == ["/api/sessions/i_1/terminal?rows=40&cols=100"]
        pasted = b"\x1b[200~\x1d\r~.\xd0\xb6\x1b[201~"
        for keys in (b"\x03", pasted, "я".encode(), b"\r", b"~", b"~"):
            count = len(far.came)
            keyboard.press(keys)
            if keys != b"~":
                await far.got(partial(is_longer, than=count))
            await asyncio.sleep(0.02)  # keys that come alone are pressed apart from each other
        await far.got(lambda came: b"".join(each for each in came if isinstance(each, bytes)).endswith(b"~"))
        assert b"".join(each for each in far.came if isinstance(each, bytes)) == (
            b"\x03" + pasted + "я".encode() + b"\r~"
        )
        keyboard.resize(50, 120)
        os.kill(os.getpid(), signal.SIGWINCH)
        await far.got(lambda came: any(isinstance(each, str) for each in came))
        assert json.loads(next(each for each in far.came if isinstance(each, str))) == {"resize": [50, 120]}
        keyboard.press(LEAVE)
        assert await running is Left.THEMSELVES
    assert keyboard.is_restored
    assert b"\x1b[?1049l" in await keyboard.sees(b"\x1b[?25h")  # the screen of the person, with its cursor


async def test_who_watches_is_told_when_they_type_and_types_when_it_is_their_turn(keyboard: Keyboard) -> None:
    keyboard.sit_down()
    far = Far()
    turn = asyncio.Event()

    async def watch_first(socket: ServerConnection) -> None:
        await socket.send('{"typist": false}')
        await turn.wait()
        await socket.send('{"typist": true}')
        await socket.send(b"yours")

    far.act = watch_first
    terminal = terminal_at(far)
    async with far.listening():
        running = asyncio.create_task(terminal.run())
        await keyboard.sees(b"terminal-watching")
        terminal.told_again_after = 0.0
        keyboard.press(b"in vain")
        await keyboard.sees(b"terminal-watching")  # the screen was drawn over the first one
        turn.set()
        await keyboard.sees(b"yours")
        keyboard.press(b"heard")
        await far.got(lambda came: came == [b"heard"])
        keyboard.press(LEAVE)
        assert await running is Left.THEMSELVES
    await keyboard.sees(b"\x1b[J")  # nothing of the agent shows through what is asked next


async def test_a_broken_connection_is_made_again_and_the_end_is_told(keyboard: Keyboard) -> None:
    keyboard.sit_down()
    far = Far()
    terminal = terminal_at(far)
    async with far.listening():
        running = asyncio.create_task(terminal.run())
        await keyboard.sees("шия> ".encode())
    await keyboard.sees(b"terminal-lost")  # the host is gone

    async def end(socket: ServerConnection) -> None:
        await socket.send('{"warning": "time is up"}')
        await socket.send('{"ended": "It is concluded."}')

    far.act = end
    async with far.listening():
        await keyboard.sees(b"terminal-back")
        assert await running is Left.ENDED
    assert terminal.ended == "It is concluded."
    await keyboard.sees(b"time is up")
    assert keyboard.is_restored


async def test_a_refusal_or_a_host_that_stays_away_leaves_the_terminal_as_it_was(keyboard: Keyboard) -> None:
    keyboard.sit_down()
    far = Far()

    async def refuse(socket: ServerConnection) -> None:
        await socket.send('{"problem": "not yours", "code": "question-forbidden"}')

    far.act = refuse
    async with far.listening():
        with pytest.raises(HostSaid) as refused:
            await terminal_at(far).run()
    assert refused.value.values["said"] == "not yours"
    assert keyboard.is_restored
    assert await terminal_at(far, patience=0.1).run() is Left.GIVEN_UP
    await keyboard.sees(b"terminal-lost")
    running = asyncio.create_task(terminal_at(far).run())
    await keyboard.sees(b"terminal-lost")
    os.kill(os.getpid(), signal.SIGTERM)  # killing it must leave the terminal intact
    assert await running is Left.THEMSELVES
    assert keyboard.is_restored


@pytest.mark.attack
def test_what_a_program_made_the_terminal_answer_is_not_typed_into_the_shell(keyboard: Keyboard) -> None:
    keyboard.sit_down()
    with _raw():
        keyboard.press(b"\x1b]l; a command\x1b\\\r\n")  # an answer to a question about its title
        assert select.select([keyboard.slave], [], [], 10)[0]
    os.set_blocking(keyboard.slave, False)
    with pytest.raises(BlockingIOError):
        os.read(keyboard.slave, 100)
    assert keyboard.is_restored
