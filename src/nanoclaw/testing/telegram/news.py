"""Wakes those who wait for a change, without a lock: telling is a plain call, so that a send stays cheap."""

import asyncio
from collections.abc import Callable


class News:
    def __init__(self) -> None:
        self._changed = asyncio.Event()
        self._waiting = 0

    def tell(self) -> None:
        if self._waiting:
            self._changed.set()
            self._changed = asyncio.Event()

    async def until(self, holds: Callable[[], object]) -> None:
        """Checks again after every change."""
        while not holds():
            self._waiting += 1
            try:
                await self._changed.wait()
            finally:
                self._waiting -= 1
