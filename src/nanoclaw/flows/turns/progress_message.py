"""Shows in one message what an agent is doing: now and then, and only while something happens."""

import asyncio
import time
from abc import ABC, abstractmethod

import structlog

from nanoclaw.delivery.activity import told_of
from nanoclaw.domain.errors import StoreUnavailable
from nanoclaw.domain.turns import RuntimeEvent, TextDelta, ToolPrinted, ToolStarted
from nanoclaw.durable.store import Store, Tx

log = structlog.get_logger("doing")

_EVERY = 10.0  # seconds: networks limit how often a message may be edited
_SHOWN = 80


class ProgressMessage(ABC):
    """A `Follower` of one turn. Subclasses that have a message override `_write`."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._told_at = time.monotonic()  # the message has just said that it began
        self._doing = ""
        self._telling: asyncio.Task[None] | None = None
        self._writing = False

    async def hear(self, event: RuntimeEvent) -> None:
        match event:
            case ToolStarted(name=name):
                self._doing = " ".join(f"{name} {told_of(event)}".replace("`", "'").split())[:_SHOWN]
            case TextDelta():
                self._doing = ""
            case ToolPrinted():
                pass  # still busy
            case _:
                return
        if self._telling is None:
            left = max(0.0, self._told_at + _EVERY - time.monotonic())
            self._telling = asyncio.create_task(self._tell(left))

    async def close(self) -> None:
        """The turn is over: others report how it ended, and nothing from here may follow that."""
        if self._telling:
            if not self._writing:
                self._telling.cancel()
            await asyncio.gather(self._telling, return_exceptions=True)

    @abstractmethod
    def _write(self, tx: Tx) -> None: ...

    async def _tell(self, after: float) -> None:
        """Show the latest step, even if nothing happens after it for long."""
        await asyncio.sleep(after)
        self._told_at, self._writing = time.monotonic(), True
        try:
            await self._store.write(self._write)
        except StoreUnavailable as error:  # shown later; the work itself must not end because of this
            log.warning("progress not told", reason=error)
        finally:
            self._telling, self._writing = None, False
