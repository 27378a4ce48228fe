"""The answer as it grows: shown now and then while it is written, never with what the agent thinks to itself."""

import time

from nanoclaw.domain.parcels import Preview
from nanoclaw.domain.ports import Channel
from nanoclaw.domain.text import without_internal

_TAG = "<internal>"


class Growth:
    """Collects the pieces of one answer and shows it on its channel, not more often than the channel likes."""

    def __init__(self, channel: Channel | None, blank: Preview) -> None:
        self._channel = channel
        self._blank = blank
        self._pieces: list[str] = []
        self._next_at = 0.0

    @property
    def text(self) -> str:
        """The whole answer as the model wrote it."""
        return "".join(self._pieces)

    async def add(self, piece: str) -> None:
        self._pieces.append(piece)
        if self._channel is None or time.monotonic() < self._next_at:
            return
        self._next_at = time.monotonic() + self._channel.preview_every
        if shown := presentable(self.text):
            blank = self._blank
            await self._channel.preview(
                Preview(
                    chat_id=blank.chat_id,
                    address=blank.address,
                    thread=blank.thread,
                    turn_id=blank.turn_id,
                    text=shown,
                )
            )


def presentable(unfinished: str) -> str:
    """What may be shown of an answer that is still being written: no thought, and no half of a tag at its end."""
    for length in range(min(len(_TAG) - 1, len(unfinished)), 0, -1):
        if unfinished.endswith(_TAG[:length]):
            unfinished = unfinished[:-length]
            break
    return without_internal(unfinished)
