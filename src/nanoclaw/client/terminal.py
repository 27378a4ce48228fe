"""The terminal of a live session, here: what is typed goes to the host, and what its terminal shows comes
back.

The connection may break and the host may be killed: it connects again, and whatever happens, the person's
terminal is left as it was found.
"""

import asyncio
import json
import os
import signal
import sys
import termios
import tty
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from enum import Enum
from urllib.parse import urlencode, urlsplit

import httpx
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidHandshake, InvalidStatus

from nanoclaw.client.connection import Address
from nanoclaw.client.sessions import path_of
from nanoclaw.console.shape import COMMAND_LINE, VIA
from nanoclaw.domain.errors import HostSaid, NotRunning
from nanoclaw.domain.text import storable

_LEAVE = (
    b"\x1d",
    b"\x1b[93;5u",
    b"\x1b[27;5;93~",
)  # Ctrl-], also where a program asked for keys to be spelled out
_TYPED = 65536  # bytes read at once
_MOST_FRAME = 1 << 20
_PAUSES = (0.2, 0.5, 1.0, 2.0)
# What a program in it may have switched on: other character sets, keys and margins; bracketed paste, the
# mouse, focus, another screen, a hidden cursor.
_CALM = (
    b"\x1b[!p\x1b[?2004l\x1b[?1000l\x1b[?1002l\x1b[?1003l\x1b[?1006l\x1b[?1004l\x1b[?1049l"
    b"\x1b[?25h\x1b[>4m\x1b[<u\x1b[0m"
)


class Left(Enum):
    """Why the person is back in their shell."""

    THEMSELVES = "themselves"
    ENDED = "ended"  # by the host: concluded, taken back, out of time, or what ran in it ended
    GIVEN_UP = "given up"  # the host stayed away


class RemoteTerminal:
    def __init__(
        self,
        address: Callable[[], Address],
        session: str,
        tell: Callable[[str], str],
        *,
        watch: bool = False,
        patience: float = 600.0,
    ) -> None:
        """`address` is looked up each time: a restarted host may have another one. `tell` words what happens;
        `patience` is how many seconds a host may stay away.
        """
        self._address = address
        self._session = session
        self._tell = tell
        self._watch = watch
        self._patience = patience
        self._keys = _Keys()
        self._may_type = True
        self._said_watching = float("-inf")
        self.told_again_after = (
            3.0  # seconds until someone who types in vain is told again that they only watch
        )
        self._typed: asyncio.Queue[bytes] = asyncio.Queue(1000)
        self._left = asyncio.Event()
        self._resized = asyncio.Event()
        self.ended = ""  # what the host said at the end

    async def run(self) -> Left:
        """Run until the person leaves, or the session ends. Raises HostSaid if the host refuses."""
        with _raw():
            async with self._listening():
                return await self._stay()

    async def _stay(self) -> Left:
        away_since: float | None = None
        pauses = iter(_PAUSES)
        clock = asyncio.get_running_loop().time
        while not self._left.is_set():
            try:
                async with self._connection() as socket:
                    if away_since is not None:
                        self._say("terminal-back")
                    away_since, pauses = None, iter(_PAUSES)
                    if await self._talk(socket):
                        return Left.ENDED
            except InvalidStatus as error:
                if error.response.status_code < httpx.codes.INTERNAL_SERVER_ERROR:
                    raise HostSaid("said", said=_reason(error), code=None) from error
            except (ConnectionClosed, OSError, TimeoutError, InvalidHandshake, NotRunning):
                pass  # told below, and tried again
            if self._left.is_set():
                break
            if away_since is None:
                away_since = clock()
                self._say("terminal-lost")
            if clock() - away_since > self._patience:
                return Left.GIVEN_UP
            with suppress(TimeoutError):
                await asyncio.wait_for(self._left.wait(), next(pauses, _PAUSES[-1]))
        return Left.THEMSELVES

    @asynccontextmanager
    async def _connection(self) -> AsyncIterator[ClientConnection]:
        address, size = self._address(), _size()
        where = urlsplit(address.url)
        asked = {"rows": size[0], "cols": size[1], **({"watch": 1} if self._watch else {})}
        url = f"ws://{where.netloc}{path_of(self._session)}/terminal?{urlencode(asked)}"
        headers = {"Authorization": f"Bearer {address.token}", VIA: COMMAND_LINE}
        async with connect(
            url, additional_headers=headers, max_size=_MOST_FRAME, proxy=None, compression=None
        ) as socket:
            yield socket

    async def _talk(self, socket: ClientConnection) -> bool:
        """Returns whether the host said that it is over. Raises ConnectionClosed if the connection broke."""
        others = [asyncio.create_task(each) for each in (self._send(socket), self._follow_size(socket))]
        hearing = asyncio.create_task(self._hear(socket))
        leaving = asyncio.create_task(self._left.wait())
        try:
            await asyncio.wait((hearing, leaving), return_when=asyncio.FIRST_COMPLETED)
            return await hearing if hearing.done() else False
        finally:
            for task in (*others, hearing, leaving):
                task.cancel()
            await asyncio.gather(*others, hearing, leaving, return_exceptions=True)

    async def _hear(self, socket: ClientConnection) -> bool:
        async for piece in socket:
            if isinstance(piece, bytes):
                _write(piece)
                continue
            told = json.loads(piece)
            if "ended" in told:
                self.ended = storable(str(told["ended"]))
                return True
            if "problem" in told:
                raise HostSaid("said", said=storable(str(told["problem"])), code=told.get("code"))
            if "typist" in told:
                self._may_type = bool(told["typist"])
                self._say_watching()
            if told.get("warning"):
                self._show(storable(str(told["warning"])))
        return False

    async def _send(self, socket: ClientConnection) -> None:
        while True:
            piece = await self._typed.get()
            with suppress(ConnectionClosed):
                await socket.send(piece)

    async def _follow_size(self, socket: ClientConnection) -> None:
        while True:
            await self._resized.wait()
            self._resized.clear()
            with suppress(ConnectionClosed):
                await socket.send(json.dumps({"resize": list(_size())}))

    @asynccontextmanager
    async def _listening(self) -> AsyncIterator[None]:
        """Listen to the keyboard and the window. If told to stop, it leaves, so that the terminal is restored."""
        loop = asyncio.get_running_loop()
        loop.add_reader(sys.stdin.fileno(), self._read)
        loop.add_signal_handler(signal.SIGWINCH, self._resized.set)
        for stop in (signal.SIGTERM, signal.SIGHUP):
            loop.add_signal_handler(stop, self._left.set)
        try:
            yield
        finally:
            loop.remove_reader(sys.stdin.fileno())
            for each in (signal.SIGWINCH, signal.SIGTERM, signal.SIGHUP):
                loop.remove_signal_handler(each)

    def _read(self) -> None:
        try:
            typed = os.read(sys.stdin.fileno(), _TYPED)
        except OSError:  # the window was closed
            typed = b""
        sent = self._keys.sent(typed)
        if sent is None:
            self._left.set()
        elif sent and not self._may_type:
            self._say_watching()  # the agent's screen was drawn over the first notice
        elif sent:
            with suppress(asyncio.QueueFull):  # nobody takes it while the host is away
                self._typed.put_nowait(sent)

    def _say_watching(self) -> None:
        """Tell them that they only watch: not at every key, and not to those who came to watch."""
        now = asyncio.get_running_loop().time()
        if not self._may_type and not self._watch and now > self._said_watching + self.told_again_after:
            self._said_watching = now
            self._say("terminal-watching")

    def _say(self, key: str) -> None:
        self._show(self._tell(key))

    def _show(self, text: str) -> None:
        _write(f"\r\n\x1b[7m {text} \x1b[0m\r\n\a".encode())


class _Keys:
    """Which keys go to the agent. Only keys that come alone can leave: a pasted text may contain anything."""

    def __init__(self) -> None:
        self._tilde = False  # typed at the beginning of a line, and not sent yet
        self._at_start = True

    def sent(self, typed: bytes) -> bytes | None:
        """None if they leave, with Ctrl-] or `~.` as in ssh, or their terminal is gone."""
        if not typed or typed in _LEAVE:
            return None
        if self._tilde:
            self._tilde = False
            if typed == b".":
                return None
            self._at_start = typed[-1:] in b"\r\n"
            return b"~" if typed == b"~" else b"~" + typed
        if self._at_start and typed == b"~":
            self._tilde = True
            return b""
        self._at_start = typed[-1:] in b"\r\n\x03"
        return typed


@contextmanager
def _raw() -> Iterator[None]:
    """Get every key as it is, until this is left, however that happens."""
    keyboard = sys.stdin.fileno()
    before = termios.tcgetattr(keyboard)
    tty.setraw(keyboard)
    try:
        yield
    finally:
        _write(
            _CALM + b"\r\n\x1b[J"
        )  # what the program drew below its cursor would show through the next prompt
        # Answers of this terminal to a program in it must not be typed into the shell.
        termios.tcsetattr(keyboard, termios.TCSAFLUSH, before)


def _size() -> tuple[int, int]:
    """Rows and columns."""
    with suppress(OSError):
        found = os.get_terminal_size(sys.stdout.fileno())
        if found.lines and found.columns:
            return found.lines, found.columns
    return 24, 80


def _write(text: bytes) -> None:
    left = memoryview(text)
    with suppress(OSError):  # the window was closed: the keyboard tells
        while left:
            left = left[os.write(sys.stdout.fileno(), left) :]


def _reason(error: InvalidStatus) -> str:
    """What the host says, as with any other request."""
    try:
        return str(json.loads(error.response.body or b"")["error"])
    except (ValueError, KeyError, TypeError):
        return str(error.response.status_code)
