"""The far end of the scripted channel: a small chat network on loopback, with people who write and read in it.

As strict as a real one: updates are repeated until their offset is confirmed, a known parcel id is not shown again
(unless `repeatable` is off), and it can refuse, stall or fail a send.
"""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Self

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from nanoclaw.console.web_server import WebServer
from nanoclaw.domain.ids import new_id


@dataclass(frozen=True, kw_only=True, slots=True)
class Sent:
    """A parcel as a person in the chat sees it."""

    id: str
    address: str
    author: str
    text: str


class FarEnd:
    """Use as `async with FarEnd() as far_end`, and give `far_end.url` to the host as `scripted.url`."""

    def __init__(self, *, repeatable: bool = True) -> None:
        self.url = ""
        self.seen: list[Sent] = []
        self.sends = 0
        self.on_send: Callable[[Sent], Awaitable[Response | None]] | None = None
        self.on_shown: Callable[[Sent], Awaitable[None]] | None = None
        self._repeatable = repeatable
        self._updates: deque[dict[str, object]] = deque()
        self._files: dict[str, bytes] = {}
        self._offset = 0
        self._closing = False
        self._news = asyncio.Condition()

    async def __aenter__(self) -> Self:
        routes = [
            Route("/updates", self._give_updates),
            Route("/send", self._take_parcel, methods=["POST"]),
            Route("/file", self._give_file),
        ]
        self._serving = WebServer(0, for_everyone=True)
        self._serving.start(Starlette(routes=routes))
        self.url = self._serving.url
        return self

    async def __aexit__(self, *_: object) -> None:
        self._closing = True
        async with self._news:
            self._news.notify_all()
        await self._serving.stop()

    # What people in the chat do

    async def say(
        self,
        address: str,
        text: str,
        *,
        sender: str = "tester",
        message_id: str = "",
        files: Mapping[str, bytes] | None = None,
    ) -> str:
        """Someone writes, and sends files by their names. The same id again is a repeated update."""
        external_id = message_id or new_id("x")
        sent = {f"{external_id}/{name}": content for name, content in (files or {}).items()}
        self._files |= sent
        async with self._news:
            self._offset += 1
            self._updates.append(
                {
                    "offset": self._offset,
                    "id": external_id,
                    "address": address,
                    "from": sender,
                    "text": text,
                    "at": datetime.now(UTC).isoformat(),
                    "files": [{"ref": ref, "name": ref.partition("/")[2]} for ref in sent],
                }
            )
            self._news.notify_all()
        return external_id

    def said_to(self, address: str) -> list[str]:
        """What the person in this chat sees, in order."""
        return [sent.text for sent in self.seen if sent.address == address]

    async def wait_for(self, address: str, count: int = 1, *, patience: float = 60) -> list[str]:
        """Wait until that many parcels have arrived in the chat."""
        async with asyncio.timeout(patience), self._news:
            await self._news.wait_for(lambda: len(self.said_to(address)) >= count)
        return self.said_to(address)

    @property
    def unconfirmed(self) -> int:
        return len(self._updates)

    # Calls from the host

    async def _give_updates(self, request: Request) -> Response:
        offset = int(request.query_params["offset"])
        async with self._news:
            while self._updates and int(str(self._updates[0]["offset"])) < offset:
                self._updates.popleft()
            with suppress(TimeoutError):
                async with asyncio.timeout(float(request.query_params["wait"])):
                    await self._news.wait_for(lambda: self._updates or self._closing)
            return JSONResponse({"updates": list(self._updates)[:100]})

    async def _give_file(self, request: Request) -> Response:
        content = self._files.get(request.query_params["ref"])
        return Response(content) if content is not None else Response(status_code=404)

    async def _take_parcel(self, request: Request) -> Response:
        body = await request.json()
        sent = Sent(id=body["id"], address=body["address"], author=body["author"], text=body["text"])
        self.sends += 1
        if self.on_send and (answer := await self.on_send(sent)):
            return answer
        async with self._news:
            if not self._repeatable or all(sent.id != other.id for other in self.seen):
                self.seen.append(sent)
            self._news.notify_all()
        if self.on_shown:
            await self.on_shown(sent)
        return JSONResponse({"id": sent.id})
