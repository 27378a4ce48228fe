"""The preview: the answer shown now and then while it is written, without the agent's thoughts and without
questions in JSON, which people get as a card.
"""

import asyncio
import time
from dataclasses import replace

import structlog

from nanoclaw.domain.errors import NanoClawError
from nanoclaw.domain.interactive_signal import shown_of
from nanoclaw.domain.parcels import Preview
from nanoclaw.domain.ports import Channel
from nanoclaw.domain.thoughts import presentable

log = structlog.get_logger("growth")

_PATIENCE = 1.0


class PreviewWriter:
    """Collects the pieces of one answer and shows it on its channel, no more often than the channel allows."""

    def __init__(self, channel: Channel | None, blank: Preview, *, may_ask_first: bool = False) -> None:
        """`may_ask_first`: its agent may answer with questions, so text that may become questions is held back."""
        self._channel = channel
        self._may_ask_first = may_ask_first
        self._blank = blank
        self._paragraphs: list[str] = []  # complete; text after a tool is a new paragraph
        self._settled = ""
        self._pieces: list[str] = []  # of the current paragraph; may still be rewritten
        self._next_at = 0.0

    @property
    def text(self) -> str:
        """The whole answer as the model wrote it."""
        return "\n\n".join(filter(None, (*self._paragraphs, self._paragraph)))

    @property
    def _paragraph(self) -> str:
        return self._settled + "".join(self._pieces)

    def settle(self, piece: str) -> None:
        """A complete piece of the answer, replacing what was shown of it."""
        self._settled += piece
        self._pieces.clear()

    async def end_paragraph(self) -> None:
        """A tool runs next, which may take long: everything written so far is shown first."""
        if self._paragraph.strip():
            await self._show_all()
            self._paragraphs.append(self._paragraph.strip())
        self._settled = ""
        self._pieces.clear()

    async def add(self, piece: str) -> None:
        self._pieces.append(piece)
        if time.monotonic() >= self._next_at:
            await self._show_all()

    async def _show_all(self) -> None:
        if self._channel is not None:
            self._next_at = time.monotonic() + self._channel.preview_every
            shown = presentable(self.text)
            if self._may_ask_first:
                shown = shown_of(shown)
            if shown:
                await self._show(replace(self._blank, text=shown))

    async def _show(self, preview: Preview) -> None:
        """Best effort: a channel that cannot show it now does not delay the answer."""
        if self._channel is None:
            return
        try:
            async with asyncio.timeout(_PATIENCE):
                await self._channel.preview(preview)
        except (TimeoutError, OSError, NanoClawError) as error:
            log.warning("preview not shown", turn=preview.turn_id, reason=error)
