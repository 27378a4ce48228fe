"""A client of a host's interactive sessions over its HTTP API, for the command line."""

from urllib.parse import urlencode

from nanoclaw.client.connection import OnCommandLine, as_part
from nanoclaw.console.session_shapes import Session, SessionList, WholeSession


class SessionClient(OnCommandLine):
    async def all(self, *, over: bool) -> list[Session]:
        """Newest first: those that can be concluded; with `over` also those that ended, as many as one page has."""
        found: list[Session] = []
        page = {"state": "all" if over else "open"}
        while True:
            given = await self._ask(SessionList, "GET", f"/api/sessions?{urlencode(page)}")
            found += given.sessions
            if over or not given.sessions or not given.more:
                return found
            page["before"] = found[-1].id

    async def get(self, ref: str) -> WholeSession:
        return await self._ask(WholeSession, "GET", path_of(ref))

    async def open(self, ref: str, *, in_chat: bool) -> WholeSession:
        body = {"place": "chat" if in_chat else "terminal"}
        return await self._ask(WholeSession, "POST", f"{path_of(ref)}/open", body)

    async def conclude(self, ref: str, response: object) -> WholeSession:
        return await self._ask(WholeSession, "POST", f"{path_of(ref)}/conclude", {"response": response})

    async def cancel(self, ref: str) -> WholeSession:
        return await self._ask(WholeSession, "POST", f"{path_of(ref)}/cancel")


def path_of(ref: str) -> str:
    return f"/api/sessions/{as_part(ref)}"
