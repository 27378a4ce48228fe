"""The terminal of a live session, as its viewers see it: one of them types."""

from collections.abc import AsyncIterator
from typing import Protocol

from nanoclaw.domain.people import Actor


class TerminalViewer(Protocol):
    """Someone who looks at a terminal, and perhaps types in it."""

    @property
    def is_typist(self) -> bool: ...

    @property
    def ended(self) -> str | None:
        """Why there is no more output, as a sentence."""

    def output(self) -> AsyncIterator[bytes]:
        """The output, starting with what the screen shows now. An empty piece: the typist has changed."""

    def write(self, data: bytes) -> None:
        """Type; what a mere watcher types goes nowhere."""

    def resize(self, rows: int, cols: int) -> None: ...

    async def close(self) -> None:
        """Leave; the terminal stays."""


class Terminals(Protocol):
    async def attach(
        self, question_id: str, by: Actor, *, rows: int, cols: int, may_type: bool = True
    ) -> TerminalViewer:
        """Connect; the first one starts it. Raises Refused: no terminal, not theirs, or over."""
