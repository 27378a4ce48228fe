"""Runs blocking git in a thread that ends soon when the host stops."""

import asyncio
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeVar

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class StoppedThreads:
    stop: threading.Event = field(default_factory=threading.Event)

    async def run(self, act: Callable[[], T]) -> T:
        doing = asyncio.create_task(asyncio.to_thread(act))
        try:
            return await asyncio.shield(doing)
        except asyncio.CancelledError:
            self.stop.set()
            await asyncio.gather(doing, return_exceptions=True)
            self.stop.clear()  # or only this work was taken away
            raise
