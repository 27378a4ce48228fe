"""Shows in its one message what a background task is doing: now and then, and only while something happens."""

import asyncio
import time

import structlog

from nanoclaw.delivery.activity import told_of
from nanoclaw.domain.errors import StoreUnavailable
from nanoclaw.domain.tasks import Run, Task
from nanoclaw.domain.turns import RuntimeEvent, TextDelta, ToolPrinted, ToolStarted
from nanoclaw.durable import task_runs
from nanoclaw.durable.clock import now
from nanoclaw.durable.store import Store, Tx
from nanoclaw.flows.tasks.cards import TaskCards

log = structlog.get_logger("progress")

_EVERY = 10.0  # seconds: networks limit how often a message may be edited
_SHOWN = 80


class Progress:
    def __init__(self, *, store: Store, cards: TaskCards, task: Task, run: Run) -> None:
        self._store = store
        self._cards = cards
        self._task = task
        self._run = run
        self._told_at = time.monotonic()  # the card has just said that it was accepted
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
                pass  # still at it
            case _:
                return
        if self._telling is None:
            left = max(0.0, self._told_at + _EVERY - time.monotonic())
            self._telling = asyncio.create_task(self._tell(left))

    async def close(self) -> None:
        """The run is over: others report how it ended, and nothing from here may follow that."""
        if self._telling:
            if not self._writing:
                self._telling.cancel()
            await asyncio.gather(self._telling, return_exceptions=True)

    async def _tell(self, after: float) -> None:
        """Show the latest step, even if nothing happens after it for long."""
        await asyncio.sleep(after)
        self._told_at, self._writing = time.monotonic(), True
        try:
            await self._store.write(self._write)
        except StoreUnavailable as error:  # shown later; the work itself must not end for that
            log.warning("progress not told", task=self._task.id, reason=error)
        finally:
            self._telling, self._writing = None, False

    def _write(self, tx: Tx) -> None:
        task_runs.mark(tx, self._run.id, doing=self._doing or None)
        self._cards.progress(tx, self._task, self._run, self._doing, now())
