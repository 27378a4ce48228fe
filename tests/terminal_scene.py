"""A played terminal: what is typed comes back, as a line editor would show it; the first one types, the others watch.

`^C` shows an interrupted line, `exit` ends it, `size` says how big it is, `flood` prints without end.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any

from starlette.websockets import WebSocketDisconnect

from nanoclaw.console.pages import make_console
from nanoclaw.console.web_server import WebServer
from nanoclaw.domain.errors import Refused
from nanoclaw.domain.people import Actor
from nanoclaw.host.host import Host

PROMPT = b"> "
_LONG = 200
_KEPT = 50_000
_BROKEN = b"\0broken"


class PlayedTerminals:
    """One terminal for every session."""

    def __init__(self) -> None:
        self.attached: list[PlayedAttachment] = []
        self.screen = bytearray(b"Welcome\r\n" + PROMPT)
        self.typed = bytearray()  # all of it, as it came
        self.sizes: list[tuple[int, int]] = []
        self.refuses: Refused | None = None
        self._line = bytearray()

    async def attach(
        self, question_id: str, by: Actor, *, rows: int, cols: int, may_type: bool = True
    ) -> "PlayedAttachment":
        if self.refuses:
            raise self.refuses
        made = PlayedAttachment(self, may_type=may_type)
        self.attached.append(made)
        made.hear(b"\x1bc" + bytes(self.screen))
        made.resize(rows, cols)
        return made

    @property
    def typist(self) -> "PlayedAttachment | None":
        return next((each for each in self.attached if each.may_type), None)

    def show(self, piece: bytes) -> None:
        self.screen = (self.screen + piece)[-_KEPT:]
        for each in self.attached:
            each.hear(piece)

    def end(self, why: str) -> None:
        for each in self.attached:
            each.ended = why
            each.hear(None)

    def leave(self, who: "PlayedAttachment") -> None:
        if who in self.attached:
            self.attached.remove(who)
            for each in self.attached:
                each.hear(b"")  # somebody else may have the keyboard now

    def take(self, data: bytes) -> None:
        self.typed += data
        for key in data.removeprefix(b"\x1b[200~").removesuffix(b"\x1b[201~").splitlines(keepends=True):
            self._line += key.rstrip(b"\r\n")
            if b"\x03" in key:
                self._line.clear()
                self.show(b"^C\r\n" + PROMPT)
            elif key.endswith((b"\r", b"\n")):
                self._enter()
            else:
                self.show(key if len(key) < _LONG else b"(long)")

    def _enter(self) -> None:
        line = bytes(self._line)
        self._line.clear()
        if line == b"exit":
            self.end("The agent has left.")
            return
        said = f"{self.sizes[-1][0]}x{self.sizes[-1][1]}".encode() if line == b"size" else b"you said " + line
        self.show(b"\r\n" + said + b"\r\n" + PROMPT)


class PlayedAttachment:
    def __init__(self, terminal: PlayedTerminals, *, may_type: bool) -> None:
        self._terminal = terminal
        self._pieces: asyncio.Queue[bytes | None] = asyncio.Queue()
        self.may_type = may_type
        self.ended: str | None = None

    @property
    def is_typist(self) -> bool:
        return self._terminal.typist is self

    def hear(self, piece: bytes | None) -> None:
        self._pieces.put_nowait(piece)

    async def output(self) -> AsyncIterator[bytes]:
        while (piece := await self._pieces.get()) is not None:
            if piece == _BROKEN:
                raise WebSocketDisconnect(1006)
            yield piece

    def break_off(self) -> None:
        """As when the line is cut: nobody says that it ended."""
        self.hear(_BROKEN)

    def write(self, data: bytes) -> None:
        if self.is_typist:
            self._terminal.take(data)

    def resize(self, rows: int, cols: int) -> None:
        if self.is_typist:
            self._terminal.sizes.append((rows, cols))

    async def close(self) -> None:
        self._terminal.leave(self)


@asynccontextmanager
async def played_page(host: Host, terminals: PlayedTerminals) -> AsyncIterator[str]:
    """The address of a page like the host's, except that every session has this terminal."""
    played: Any = terminals
    sessions = replace(host.console.sessions, terminals=played, has_terminal=lambda _question: True)
    console = replace(host.console, sessions=sessions)
    server = WebServer(0)
    server.start(make_console(console))
    try:
        yield f"{server.url}/"
    finally:
        await server.stop()
