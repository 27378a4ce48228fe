"""A client of a host's batches over its HTTP API, for the command line."""

from collections.abc import AsyncGenerator, Callable
from typing import Any
from urllib.parse import urlencode

from nanoclaw.client.connection import JOINED, OnCommandLine, as_part
from nanoclaw.console.batch_shapes import (
    MOST_BATCHES,
    MOST_TEXTS,
    Approved,
    Batch,
    BatchCost,
    BatchLine,
    BatchList,
    BatchText,
    BatchTexts,
    Scheduled,
)

AT_REST = ("ready", "done", "failed", "cancelled")
"""The states in which a batch waits only for people."""


class BatchClient(OnCommandLine):
    async def all(self, limit: int, *, status: str | None = None) -> list[BatchLine]:
        """Batches newest first, across pages."""
        found: list[BatchLine] = []
        asked: dict[str, Any] = {"status": status} if status else {}
        while len(found) < limit:
            page = {**asked, "limit": min(limit - len(found), MOST_BATCHES)}
            given = await self._ask(BatchList, "GET", f"/api/batches?{urlencode(page)}")
            found += given.batches
            if not given.more:
                break
            asked["before"] = found[-1].id
        return found

    async def estimate(self, wanted: dict[str, Any]) -> BatchCost:
        return await self._ask(BatchCost, "POST", "/api/batches/estimate", wanted)

    async def start(self, wanted: dict[str, Any]) -> Batch:
        return await self._ask(Batch, "POST", "/api/batches", wanted)

    async def get(self, ref: str) -> Batch:
        return await self._ask(Batch, "GET", _path(ref))

    async def cancel(self, ref: str) -> Batch:
        return await self._ask(Batch, "POST", f"{_path(ref)}/cancel")

    async def resubmit(self, ref: str, items: list[int] | None) -> Batch:
        return await self._ask(Batch, "POST", f"{_path(ref)}/resubmit", {"items": items} if items else {})

    async def schedule(self, ref: str, wanted: dict[str, Any]) -> Scheduled:
        return await self._ask(Scheduled, "POST", f"{_path(ref)}/schedule", wanted)

    async def unschedule(self, ref: str) -> Batch:
        return await self._ask(Batch, "POST", f"{_path(ref)}/unschedule")

    async def save(self, ref: str) -> Batch:
        return await self._ask(Batch, "POST", f"{_path(ref)}/save")

    async def review(self, ref: str) -> Batch:
        """Start the review in its chat."""
        return await self._ask(Batch, "POST", f"{_path(ref)}/review")

    async def approve_passed(self, ref: str) -> int:
        return (await self._ask(Approved, "POST", f"{_path(ref)}/approve-passed")).count

    async def texts(self, ref: str, choice: str, limit: int) -> list[BatchText]:
        """The texts in order, across pages."""
        found: list[BatchText] = []
        after = 0
        while len(found) < limit:
            page = {"choice": choice, "after": after, "limit": min(limit - len(found), MOST_TEXTS), "html": 0}
            given = await self._ask(BatchTexts, "GET", f"{_path(ref)}/texts?{urlencode(page)}")
            found += given.texts
            if not given.more:
                break
            after = found[-1].number
        return found

    async def text(self, ref: str, number: int) -> BatchText:
        return await self._ask(BatchText, "GET", f"{_path(ref)}/texts/{number}")

    async def decide(self, ref: str, number: int, action: str) -> BatchText:
        """`approve`, `reject` or `reopen`."""
        return await self._ask(BatchText, "POST", f"{_path(ref)}/texts/{number}/{action}")

    async def edit(self, ref: str, number: int, text: str) -> BatchText:
        return await self._ask(BatchText, "PUT", f"{_path(ref)}/texts/{number}", {"text": text})

    async def rewrite(self, ref: str, number: int, note: str) -> BatchText:
        return await self._ask(BatchText, "POST", f"{_path(ref)}/texts/{number}/rewrite", {"note": note})

    async def follow(self, batch_id: str, lost: Callable[[], None]) -> AsyncGenerator[Batch, None]:
        """The batch now, then each time something about it changes, until it is at rest. `lost`: the host
        went away.
        """
        await self._client.enter(None)
        async for name, data in self._client.listen(lost):
            if name == JOINED or (name == "batch" and data["id"] == batch_id):
                batch = await self.get(batch_id)
                yield batch
                if batch.status in AT_REST:
                    return


def _path(ref: str) -> str:
    return f"/api/batches/{as_part(ref)}"
