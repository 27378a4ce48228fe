"""Syncing on request, and its state: for the command line, the page and the doctor."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from nanoclaw.domain.errors import NanoClawError, Refused
from nanoclaw.durable import notes, work
from nanoclaw.durable.clock import now
from nanoclaw.durable.store import Store, Tx
from nanoclaw.flows.syncing import report
from nanoclaw.flows.syncing.report import LastSync, Synced

TROUBLE = "versions-remote"
"""The note that says since when, and why, the remote cannot be used."""
_PATIENCE = 55.0  # seconds; an HTTP client waits for a minute


@dataclass(frozen=True, kw_only=True, slots=True)
class SyncState:
    """`due_at`: when the remote is looked at next."""

    remote: str | None
    last: LastSync | None
    trouble: NanoClawError | None
    since: datetime | None
    due_at: datetime | None


@dataclass(frozen=True, kw_only=True, slots=True)
class SyncNow:
    store: Store
    kind: str
    key: str
    remote: str | None  # None: nothing is shared
    waiting: "set[asyncio.Future[Synced]]" = field(default_factory=set)

    async def ask(self) -> Synced:
        """Meet the remote now. Raises Refused with what prevented it."""
        if self.remote is None:
            raise Refused("sync-off")
        future: asyncio.Future[Synced] = asyncio.get_running_loop().create_future()
        self.waiting.add(future)
        try:
            await self.store.write(lambda tx: work.due(tx, self.kind, self.key, now()))
            async with asyncio.timeout(_PATIENCE):
                return await future
        except TimeoutError:
            raise Refused("sync-slow") from None
        finally:
            self.waiting.discard(future)

    def begun(self) -> "Callable[[Synced | NanoClawError], None]":
        """Answers those who have asked by now; later requests wait for the next meeting."""
        waiting = list(self.waiting)

        def end(result: Synced | NanoClawError) -> None:
            for each in waiting:
                if each.done():
                    continue
                if isinstance(result, NanoClawError):
                    each.set_exception(Refused(result.key, **result.values))
                else:
                    each.set_result(result)

        return end

    def standing(self, tx: Tx) -> SyncState:
        trouble: dict[str, Any] | None = notes.read(tx, TROUBLE) if self.remote else None
        return SyncState(
            remote=self.remote,
            last=report.read(tx),
            trouble=NanoClawError(trouble["key"], **trouble["values"]) if trouble else None,
            since=datetime.fromisoformat(trouble["since"]) if trouble else None,
            due_at=work.due_at(tx, self.kind, self.key) if self.remote else None,
        )
