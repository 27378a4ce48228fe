"""How long an agent that runs may say nothing. While it waits for a person, as long as that takes."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager, suppress


class Silence:
    """Of one turn."""

    def __init__(self) -> None:
        self._reasons = 0
        self._limit: asyncio.Timeout | None = None
        self._seconds = 0.0

    def limited(self, seconds: float) -> asyncio.Timeout:
        """Raises TimeoutError after so much of it that nothing excuses."""
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
