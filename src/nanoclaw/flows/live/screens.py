"""What a terminal shows to everyone who looks at it: one of them types, and a slow one delays nobody.

There is no model of the screen. A newcomer gets the last part of everything shown; if its beginning was cut
off, a change of size makes the program redraw.
"""

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Callable, Container
from dataclasses import dataclass, field

from nanoclaw.domain.boxes import Box, TerminalSize
from nanoclaw.domain.people import Actor

KEPT = 256 << 10  # bytes shown to newcomers
MOST_WAITING = 1 << 20  # bytes queued for a slow reader; beyond that they get the last part instead
MOST_TYPED = 4 << 20  # bytes that the program has not read yet; anything beyond is lost
_CLEAN_CUT = (
    4096  # bytes searched for the end of a line: half a character or escape sequence would garble the screen
)
_CLEAR = b"\x1bc"
_REDRAW = 0.1  # seconds between two sizes; a program that looks only once must see both


@dataclass(kw_only=True, eq=False)
class ScreenViewer:
    """A person's connection to a terminal."""

    by: Actor
    may_type: bool
    screen: "Screen"
    size: TerminalSize
    ended: str | None = None  # why, in the language of the viewer
    _waiting: deque[bytes] = field(default_factory=deque)
    _bytes: int = 0
    _news: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def is_typist(self) -> bool:
        return self.screen.typist is self

    async def output(self) -> AsyncIterator[bytes]:
        """Everything it shows until it ends, recent output first. An empty piece means that the typist has
        changed.
        """
        while True:
            while self._waiting:
                piece = self._waiting.popleft()
                self._bytes -= len(piece)
                yield piece
            if self.ended is not None:
                return
            self._news.clear()
            await self._news.wait()

    def write(self, typed: bytes) -> None:
        """Send keys to the program, if this is the typist."""
        if self.is_typist:
            self.screen.type(typed)

    def resize(self, rows: int, cols: int) -> None:
        """Set this viewer's size; the terminal has the size of its typist's."""
        self.size = TerminalSize(rows=rows, columns=cols)
        if self.is_typist:
            self.screen.fit(self.size)

    async def close(self) -> None:
        self.screen.leave(self)

    def show(self, piece: bytes) -> None:
        self._waiting.append(piece)
        self._bytes += len(piece)
        if self._bytes > MOST_WAITING:
            self._waiting.clear()
            lately = _CLEAR + self.screen.lately
            self._waiting.append(lately)
            self._bytes = len(lately)
        self._news.set()

    def end(self, why: str) -> None:
        self.ended = why
        self._news.set()


class Screen:
    def __init__(self, box: Box, size: TerminalSize, changed: Callable[[], None]) -> None:
        """`changed` is called when someone else types, and when someone comes or goes."""
        self._box: Box | None = box  # None: nothing typed now reaches a program
        self._size = size
        self._changed = changed
        self._lately = bytearray()
        self._is_cut = False
        self.typist: ScreenViewer | None = None
        self.attachments: list[ScreenViewer] = []

    @property
    def lately(self) -> bytes:
        return bytes(self._lately)

    def show(self, piece: bytes) -> None:
        self._lately += piece
        if len(self._lately) > KEPT:
            self._is_cut = True
            start = len(self._lately) - KEPT
            line = self._lately.find(b"\n", start, start + _CLEAN_CUT)
            del self._lately[: line + 1 if line >= 0 else start]
        for attachment in self.attachments:
            attachment.show(piece)

    def attach(self, by: Actor, size: TerminalSize, *, may_type: bool) -> ScreenViewer:
        new = ScreenViewer(by=by, may_type=may_type, screen=self, size=size)
        self.attachments.append(new)
        if self._lately:
            new.show(_CLEAR + self.lately)
        self._choose_typist()
        if self._is_cut:
            self._draw_anew()
        self._changed()
        return new

    def leave(self, attachment: ScreenViewer) -> None:
        if attachment in self.attachments:
            self.attachments.remove(attachment)
            if self.typist is attachment:
                self.typist = None
            self._choose_typist()
            self._changed()

    def dismiss(self, handles: Container[str], words: Callable[[Actor], str]) -> None:
        """Disconnect people who may no longer be here."""
        for attachment in [each for each in self.attachments if each.by.handle in handles]:
            attachment.end(words(attachment.by))
            self.leave(attachment)

    def hold(self) -> None:
        """Stop input: the typist is not the person the program works for."""
        self._box = None

    def use(self, box: Box) -> None:
        if self._box is not box:
            self._box = box
            box.resize(self._size)

    def begin_anew(self, box: Box) -> None:
        """Replace the program by another one, on an empty screen."""
        self._lately.clear()
        self._is_cut = False
        self.use(box)
        for attachment in self.attachments:
            attachment.show(_CLEAR)

    def type(self, typed: bytes) -> None:
        if self._box is None:
            return
        waiting = self._box.stdin.transport.get_write_buffer_size()
        if not self._box.stdin.is_closing() and waiting + len(typed) <= MOST_TYPED:
            self._box.stdin.write(typed)

    def fit(self, size: TerminalSize) -> None:
        self._size = size
        self._resize(size)

    def say(self, words: Callable[[Actor], str]) -> None:
        """Show a message from the host in between; the program draws over it sooner or later."""
        for attachment in self.attachments:
            attachment.show(f"\r\n\x1b[7m {words(attachment.by)} \x1b[0m\r\n\a".encode())

    def end(self, words: Callable[[Actor], str]) -> None:
        for attachment in self.attachments:
            attachment.end(words(attachment.by))
        self.attachments.clear()
        self.typist = None

    def _choose_typist(self) -> None:
        """The first to come of those who may type."""
        if self.typist is None:
            self.typist = next((each for each in self.attachments if each.may_type), None)
            if self.typist is not None:
                self.fit(self.typist.size)
                self.typist.show(b"")

    def _draw_anew(self) -> None:
        size = self._size
        self._resize(TerminalSize(rows=max(1, size.rows - 1), columns=size.columns))
        asyncio.get_running_loop().call_later(_REDRAW, lambda: self._resize(self._size))

    def _resize(self, size: TerminalSize) -> None:
        if self._box is not None:
            self._box.resize(size)
