"""How long an agent that runs may say nothing. While it waits for a person, as long as that takes."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager


class Silence:
    """Of one turn."""

    def __init__(self) -> None:
        self._reasons = 0
        self._limit: asyncio.Timeout | None = None
        self._seconds = 0.0

    @asynccontextmanager
    async def limited(self, seconds: float) -> AsyncIterator[None]:
        """Raises TimeoutError after so much of it that nothing excuses."""
        self._seconds = seconds
        async with asyncio.timeout(None if self._reasons else seconds) as self._limit:
            try:
                yield
            finally:
                self._limit = None

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
        if self._limit is not None and not self._limit.expired():
            now = asyncio.get_running_loop().time()
            self._limit.reschedule(None if self._reasons else now + self._seconds)
