"""How long a running agent may be silent. While it waits for a person, there is no limit."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager, suppress


class Silence:
    """The silence of one turn."""

    def __init__(self) -> None:
        self._reasons = 0
        self._limit: asyncio.Timeout | None = None
        self._seconds = 0.0

    def limited(self, seconds: float) -> asyncio.Timeout:
        """Raises TimeoutError after that many seconds of unexcused silence."""
        self._seconds = seconds
        self._limit = asyncio.timeout(None if self._reasons else seconds)
        return self._limit

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
                self._limit.reschedule(None if self._reasons else now + self._seconds)
