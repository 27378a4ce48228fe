"""A client of what companies know over a host's HTTP API, for the command line."""

from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode

from nanoclaw.client.connection import OnCommandLine, as_part
from nanoclaw.console import memory_shapes as shapes


class MemoryClient(OnCommandLine):
    async def search(self, wanted: Mapping[str, Any], limit: int) -> shapes.MemoryList:
        """Search across pages."""
        found: list[shapes.MemoryEntry] = []
        start = int(wanted.get("offset") or 0)
        while True:
            page = {
                **wanted,
                "offset": start + len(found),
                "limit": min(limit - len(found), shapes.MOST_FOUND),
            }
            given = await self._ask(shapes.MemoryList, "GET", f"/api/memory{_query(page)}")
            found += given.entries
            if not given.more or len(found) >= limit:
                return given.model_copy(update={"entries": found})

    async def story(self, entry: str, company: str | None) -> shapes.MemoryStory:
        return await self._ask(shapes.MemoryStory, "GET", _path(entry, "", company))

    async def add(self, wanted: Mapping[str, Any]) -> shapes.MemoryResult:
        return await self._ask(shapes.MemoryResult, "POST", "/api/memory", dict(wanted))

    async def correct(self, entry: str, text: str, company: str | None) -> shapes.MemoryResult:
        return await self._ask(shapes.MemoryResult, "POST", _path(entry, "/correct", company), {"text": text})

    async def change(self, entry: str, action: str, company: str | None) -> shapes.MemoryResult:
        """`forget` or `restore`."""
        return await self._ask(shapes.MemoryResult, "POST", _path(entry, f"/{action}", company))

    async def revert(self, wanted: Mapping[str, Any]) -> shapes.MemoryReverted:
        return await self._ask(shapes.MemoryReverted, "POST", "/api/memory/revert", dict(wanted))

    async def import_file(self, wanted: Mapping[str, Any]) -> shapes.MemoryImported:
        return await self._ask(shapes.MemoryImported, "POST", "/api/memory/import", dict(wanted))

    async def stats(self, company: str | None) -> shapes.MemoryStats:
        return await self._ask(shapes.MemoryStats, "GET", f"/api/memory/stats{_query({'company': company})}")

    async def verify(self, company: str | None) -> shapes.MemoryVerified:
        return await self._ask(
            shapes.MemoryVerified, "GET", f"/api/memory/verify{_query({'company': company})}"
        )

    async def maintain(self, action: str, company: str | None) -> shapes.MemoryMaintained:
        """`compact` or `rebuild`."""
        path = f"/api/memory/{action}{_query({'company': company})}"
        return await self._ask(shapes.MemoryMaintained, "POST", path)

    async def purge(self, entry: str, company: str | None) -> shapes.MemoryPurged:
        """Purge an entry by its whole id."""
        return await self._ask(
            shapes.MemoryPurged, "POST", _path(entry, "/purge", company), {"confirm": entry}
        )

    async def quarantine(self, company: str | None) -> shapes.MemoryQuarantine:
        return await self._ask(
            shapes.MemoryQuarantine, "GET", f"/api/memory/quarantine{_query({'company': company})}"
        )

    async def drop(self, change: str) -> shapes.MemoryChange:
        return await self._ask(shapes.MemoryChange, "POST", f"/api/memory/quarantine/{as_part(change)}/drop")

    async def mend(self, change: str, line: str) -> shapes.MemoryResult:
        path = f"/api/memory/quarantine/{as_part(change)}/mend"
        return await self._ask(shapes.MemoryResult, "POST", path, {"line": line})


def _path(entry: str, action: str, company: str | None) -> str:
    return f"/api/memory/entries/{as_part(entry)}{action}{_query({'company': company})}"


def _query(wanted: Mapping[str, Any]) -> str:
    given = {name: value for name, value in wanted.items() if value not in (None, "")}
    return f"?{urlencode(given)}" if given else ""
