"""A box that reports its end, so that what was opened for it is closed."""

import asyncio
from collections.abc import Awaitable, Callable

from nanoclaw.domain.boxes import Box, TerminalSize


class LentBox:
    def __init__(self, box: Box, over: Callable[[], Awaitable[None]]) -> None:
        self._box = box
        self._over: Callable[[], Awaitable[None]] | None = over

    @property
    def stdin(self) -> asyncio.StreamWriter:
        return self._box.stdin

    @property
    def stdout(self) -> asyncio.StreamReader:
        return self._box.stdout

    @property
    def stderr(self) -> asyncio.StreamReader:
        return self._box.stderr

    def resize(self, size: TerminalSize) -> None:
        self._box.resize(size)

    def is_idle(self) -> bool:
        return self._box.is_idle()

    async def wait(self) -> int:
        return await self._box.wait()

    async def kill(self) -> None:
        try:
            await self._box.kill()
        finally:
            over, self._over = self._over, None
            if over is not None:
                await over()
