"""How long a running agent may be silent. While it waits for a person, there is no limit; and none of it is needed
once something that it cannot go on without is missing."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from nanoclaw.domain.errors import NanoClawError


class Silence:
    """The silence of one turn."""

    def __init__(self) -> None:
        self._reasons = 0
        self._limit: asyncio.Timeout | None = None
        self._seconds = 0.0
        self.hindrance: NanoClawError | None = None  # why the turn cannot go on now

    def limited(self, seconds: float) -> asyncio.Timeout:
        """Raises TimeoutError after that many seconds of unexcused silence, and at once if there is a hindrance."""
        self._seconds = seconds
        self._limit = asyncio.timeout(0 if self.hindrance else None if self._reasons else seconds)
        return self._limit

    def hinder(self, why: NanoClawError) -> None:
        """The turn is to end with this error now, whatever its agent does."""
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
        if self._limit is not None:
            now = asyncio.get_running_loop().time()
            with suppress(RuntimeError):  # nobody waits just now, or it is over
                seconds = 0.0 if self.hindrance else None if self._reasons else self._seconds
                self._limit.reschedule(None if seconds is None else now + seconds)
