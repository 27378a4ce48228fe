"""A client of a host's handoffs over its HTTP API, for the command line."""

from urllib.parse import urlencode

from nanoclaw.client.connection import OnCommandLine, as_part
from nanoclaw.console.handoff_shapes import MOST_HANDOFFS, Handoff, HandoffList, WholeHandoff


class HandoffClient(OnCommandLine):
    async def all(self, limit: int, *, is_open: bool) -> list[Handoff]:
        """Handoffs newest first, across pages."""
        found: list[Handoff] = []
        while len(found) < limit:
            page = {"limit": str(min(limit - len(found), MOST_HANDOFFS)), "open": str(is_open).lower()}
            if found:
                page["before"] = found[-1].id
            given = await self._ask(HandoffList, "GET", f"/api/handoffs?{urlencode(page)}")
            found += given.handoffs
            if len(given.handoffs) < int(page["limit"]):
                break
        return found

    async def get(self, ref: str) -> WholeHandoff:
        return await self._ask(WholeHandoff, "GET", _path(ref))

    async def cancel(self, ref: str) -> WholeHandoff:
        return await self._ask(WholeHandoff, "POST", f"{_path(ref)}/cancel")


def _path(ref: str) -> str:
    return f"/api/handoffs/{as_part(ref)}"
