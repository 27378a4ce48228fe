"""A client of a host's transfers over its HTTP API, for the command line."""

from collections.abc import AsyncGenerator, Callable
from typing import Any
from urllib.parse import urlencode

from nanoclaw.client.connection import JOINED, OnCommandLine, as_part
from nanoclaw.console.transfer_shapes import (
    MOST_TRANSFERS,
    Analysis,
    Transfer,
    TransferLine,
    TransferList,
    Undone,
)


class TransferClient(OnCommandLine):
    async def all(self, limit: int, *, state: str) -> tuple[list[TransferLine], list[Analysis]]:
        """Transfers newest first, across pages, and the analyses whose transfer is not known yet."""
        found: list[TransferLine] = []
        asked: dict[str, Any] = {"state": state}
        while True:
            page = {**asked, "limit": min(limit - len(found), MOST_TRANSFERS)}
            given = await self._ask(TransferList, "GET", f"/api/transfers?{urlencode(page)}")
            found += given.transfers
            if not given.more or len(found) >= limit:
                return found, given.unmatched
            asked["before"] = found[-1].id

    async def start(self, wanted: dict[str, Any]) -> Transfer:
        return await self._ask(Transfer, "POST", "/api/transfers", wanted)

    async def get(self, ref: str) -> Transfer:
        return await self._ask(Transfer, "GET", _path(ref))

    async def release(self, ref: str, seen: str | None = None) -> Transfer:
        """`seen`: the hash of the package that the person was shown."""
        return await self._ask(Transfer, "POST", f"{_path(ref)}/release", {"content_hash": seen})

    async def pick(self, ref: str, numbers: list[int]) -> Transfer:
        return await self._ask(Transfer, "POST", f"{_path(ref)}/pick", {"files": numbers})

    async def cancel(self, ref: str) -> Transfer:
        return await self._ask(Transfer, "POST", f"{_path(ref)}/cancel")

    async def package(self, ref: str) -> bytes:
        """The package as a zip."""
        return await self._client.fetch(f"{_path(ref)}/package.zip")

    async def bring(self, wanted: dict[str, Any], content: bytes) -> Analysis:
        path = f"/api/transfers/import?{urlencode(wanted)}"
        return await self._ask(Analysis, "POST", path, content)

    async def analysis(self, analysis_id: str) -> Analysis:
        return await self._ask(Analysis, "GET", _analysis(analysis_id))

    async def match(self, analysis_id: str, transfer: str) -> Analysis:
        return await self._ask(Analysis, "POST", f"{_analysis(analysis_id)}/match", {"transfer": transfer})

    async def decide(self, analysis_id: str, adopted: list[int]) -> Analysis:
        return await self._ask(Analysis, "POST", f"{_analysis(analysis_id)}/decide", {"adopted": adopted})

    async def undo(self, analysis_id: str) -> Undone:
        return await self._ask(Undone, "POST", f"{_analysis(analysis_id)}/undo")

    async def follow(self, found_id: str, lost: Callable[[], None]) -> AsyncGenerator[None, None]:
        """At once, then each time something about this transfer or analysis changes. `lost`: the host went away."""
        await self._client.enter(None)
        async for name, data in self._client.listen(lost):
            if name == JOINED or (name in ("transfer", "question") and data["id"] == found_id):
                yield


def _path(ref: str) -> str:
    return f"/api/transfers/{as_part(ref)}"


def _analysis(ref: str) -> str:
    return f"/api/analyses/{as_part(ref)}"
