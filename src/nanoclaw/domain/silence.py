"""How long a running agent may be silent.

While it waits for a person there is no limit. If something is missing without which it cannot continue, the
turn ends at once.
"""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager

from nanoclaw.domain.errors import NanoClawError


class Silence:
    """The silence of one turn. Its limit moves with every word of the agent, so the timer checks for itself
    whether it is time: an `asyncio.timeout` for each word would cost more than the words.
    """

    def __init__(self) -> None:
        self._reasons = 0
        self._seconds = 0.0
        self._waiting: asyncio.Task[object] | None = None
        self._until: float | None = None  # by the clock of the event loop
        self._timer: asyncio.TimerHandle | None = None
        self._is_over = False
        self.hindrance: NanoClawError | None = None  # why the turn cannot continue now

    @contextmanager
    def limited(self, seconds: float) -> Iterator[None]:
        """Raises TimeoutError after that many seconds of unexcused silence, and at once if there is a hindrance."""
        self._seconds, self._waiting = seconds, asyncio.current_task()
        self._is_over = False  # it may have continued although it was cancelled
        cancelled = self._waiting.cancelling() if self._waiting else 0
        self._set()
        try:
            yield
        except asyncio.CancelledError:
            if self._is_over and self._waiting and self._waiting.uncancel() <= cancelled:
                raise TimeoutError from None
            raise
        finally:
            self._waiting = None

    def close(self) -> None:
        if self._timer:
            self._timer.cancel()

    def hinder(self, why: NanoClawError) -> None:
        """End the turn with this error now, whatever its agent does."""
        self.hindrance = why
        self._set()

    @contextmanager
    def excused(self) -> Iterator[None]:
        self._reasons += 1
        self._set()
        try:
            yield
        finally:
            self._reasons -= 1
            self._set()

    def _set(self) -> None:
        """Set the timer; one that fires too early does no harm."""
        if self._waiting is None or self._is_over:
            return
        loop = asyncio.get_running_loop()
        seconds = 0.0 if self.hindrance else None if self._reasons else self._seconds
        self._until = None if seconds is None else loop.time() + seconds
        if self._until is None or (self._timer and self._timer.when() <= self._until):
            return
        if self._timer:
            self._timer.cancel()
        self._timer = loop.call_at(self._until, self._look)

    def _look(self) -> None:
        self._timer = None
        if self._waiting is None or self._until is None:
            return  # the next wait sets it again
        if asyncio.get_running_loop().time() < self._until:
            self._timer = asyncio.get_running_loop().call_at(self._until, self._look)
            return
        self._is_over = True
        self._waiting.cancel()
