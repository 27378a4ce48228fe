"""The far end of the channel in docs/examples: a small Slack-like network on loopback, with people in its chats.

It is strict: every call needs its token, its known arguments and an existing place; every event is signed, and repeated
until it is answered. In sloppy mode it shows a repeated message twice, and sends each event twice.
"""

import asyncio
import hmac
import json
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from itertools import count
from typing import Any, Self

import httpx
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from nanoclaw.console.web_server import WebServer
from nanoclaw.domain.ids import new_id

_LONGEST = 40_000
_ALLOWED = {
    "events.subscribe": {"url"},
    "chat.postMessage": {"channel", "text", "thread_ts", "client_msg_id", "buttons"},
    "chat.update": {"channel", "ts", "text", "buttons"},
    "files.upload": {"channel", "thread_ts", "filename", "client_msg_id"},
}
_AGAIN_AFTER = 0.05  # seconds


@dataclass(kw_only=True)
class Posted:
    """A message of ours as the people in the chat see it now."""

    ts: str
    channel: str
    text: str
    thread: str | None = None
    buttons: list[dict[str, str]] = field(default_factory=list)
    file: tuple[str, bytes] | None = None


class _Refused(Exception):
    """With the network's own error code."""


class SlackLikeServer:
    """Use as `async with SlackLikeServer() as server`; a chat exists once `open` named it. `U...` are people."""

    def __init__(self, *, sloppy: bool = False) -> None:
        self.url = ""
        self.token, self.secret = new_id("xoxb"), new_id("secret")
        self.seen: list[Posted] = []
        self.on_call: Callable[[str], Awaitable[Response | None]] | None = None
        self.calls = 0
        self._sloppy = sloppy
        self._events_url = ""
        self._chats: set[str] = set()
        self._files: dict[str, bytes] = {}
        self._known: dict[str, Posted] = {}  # by the id that the caller gave it
        self._numbers = count(1)
        self._news = asyncio.Condition()
        self._telling = asyncio.Lock()

    async def __aenter__(self) -> Self:
        routes = [
            Route("/api/{method}", self._answer, methods=["POST"]),
            Route("/files/{file}", self._give_file),
        ]
        self._serving = WebServer(0, for_everyone=True)
        self._serving.start(Starlette(routes=routes))
        self.url = self._serving.url
        self._http = httpx.AsyncClient(timeout=60, trust_env=False)
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._http.aclose()
        await self._serving.stop()

    # What people do

    def open(self, channel: str) -> str:
        """A chat that we are in; one named like a person is a private chat with them."""
        self._chats.add(channel)
        return channel

    def archive(self, channel: str) -> None:
        self._chats.discard(channel)

    async def say(
        self, channel: str, text: str, *, user: str, files: Mapping[str, bytes] | None = None, **more: object
    ) -> str:
        """Say something; returns the id of the message, once it was sent and confirmed."""
        ts, shared = self._ts(), []
        self.open(channel)
        for name, content in (files or {}).items():
            number = f"F{next(self._numbers)}"
            self._files[number] = content
            shared.append({"id": number, "name": name, "mimetype": "text/plain", "size": len(content)})
        await self.tell({"type": "message", "text": text, "ts": ts, "files": shared, **more}, channel, user)
        return ts

    async def edit(self, channel: str, ts: str, text: str, *, user: str) -> None:
        event = {"type": "message_changed", "text": text, "ts": ts, "edited_ts": self._ts()}
        await self.tell(event, channel, user)

    async def press(self, posted: Posted, label: str, *, user: str) -> str:
        """Press a button; returns what the person is told."""
        [value] = [button["value"] for button in posted.buttons if button["text"] == label]
        event = {"type": "block_action", "ts": posted.ts, "value": value}
        return str((await self.tell(event, posted.channel, user)).json()["text"])

    async def tell(self, event: Mapping[str, object], channel: str, user: str) -> httpx.Response:
        """Tell events one after the other, each until it is confirmed."""
        await self.wait_until(lambda: bool(self._events_url))
        about = {"channel": channel, "is_private": channel.startswith("U"), "user": user}
        body = json.dumps({"user_name": user.title(), **about, **event}).encode()
        async with self._telling:
            for _ in range(2 if self._sloppy else 1):
                while (answer := await self.post(body)).status_code != httpx.codes.OK:  # noqa: ASYNC110
                    await asyncio.sleep(_AGAIN_AFTER)
        return answer

    async def post(
        self, body: bytes, *, secret: str | None = None, at: float | None = None
    ) -> httpx.Response:
        """Post once, signed with another secret or at another time if a test wants that."""
        moment = str(int(at or time.time()))
        signed = hmac.new(
            (secret or self.secret).encode(), f"v0:{moment}:".encode() + body, sha256
        ).hexdigest()
        headers = {"X-Timestamp": moment, "X-Signature": f"v0={signed}"}
        return await self._http.post(self._events_url, content=body, headers=headers)

    def said_to(self, channel: str) -> list[str]:
        return [posted.text for posted in self.seen if posted.channel == channel]

    async def wait_until(self, holds: Callable[[], bool], *, patience: float = 60) -> None:
        async with asyncio.timeout(patience), self._news:
            await self._news.wait_for(holds)

    async def wait_for(self, channel: str, count: int = 1) -> list[Posted]:
        await self.wait_until(lambda: len(self.said_to(channel)) >= count)
        return [posted for posted in self.seen if posted.channel == channel]

    # Calls from the host

    async def _answer(self, request: Request) -> Response:
        method, self.calls = request.path_params["method"], self.calls + 1
        if self.on_call and (answer := await self.on_call(method)):
            return answer
        try:
            body = await self._read(request, method)
            said = await getattr(self, "_" + method.replace(".", "_").lower())(body)
        except _Refused as refused:
            return JSONResponse({"ok": False, "error": str(refused)})
        async with self._news:
            self._news.notify_all()
        return JSONResponse({"ok": True, **said})

    async def _read(self, request: Request, method: str) -> dict[str, Any]:
        if request.headers.get("Authorization") != f"Bearer {self.token}":
            raise _Refused("invalid_auth")
        if method not in _ALLOWED:
            raise _Refused("unknown_method")
        is_file = method == "files.upload"
        body: dict[str, Any] = dict(request.query_params) if is_file else await request.json()
        if body.keys() - _ALLOWED[method]:
            raise _Refused("invalid_arguments")
        if "channel" in _ALLOWED[method] and body.get("channel") not in self._chats:
            raise _Refused("channel_not_found")
        if is_file:
            body["content"] = await request.body()
        elif "text" in _ALLOWED[method] and not 0 < len(body.get("text", "")) <= _LONGEST:
            raise _Refused("msg_too_long" if body.get("text") else "no_text")
        return body

    async def _events_subscribe(self, body: dict[str, Any]) -> dict[str, Any]:
        self._events_url = body["url"]
        asked = json.dumps({"type": "url_verification", "challenge": "now"}).encode()
        if (await self.post(asked)).json() != {"challenge": "now"}:
            self._events_url = ""
            raise _Refused("url_not_verified")
        return {}

    async def _chat_postmessage(self, body: dict[str, Any]) -> dict[str, Any]:
        return self._show(body, text=body["text"], buttons=body.get("buttons", []))

    async def _files_upload(self, body: dict[str, Any]) -> dict[str, Any]:
        return self._show(body, text="", file=(body["filename"], body["content"]))

    async def _chat_update(self, body: dict[str, Any]) -> dict[str, Any]:
        for posted in self.seen:
            if (posted.channel, posted.ts) == (body["channel"], body["ts"]):
                posted.text, posted.buttons = body["text"], body.get("buttons", [])
                return {"ts": posted.ts}
        raise _Refused("message_not_found")

    def _show(self, body: dict[str, Any], **what: Any) -> dict[str, Any]:
        known = self._known.get(body["client_msg_id"])
        if known is None or self._sloppy:
            known = Posted(ts=self._ts(), channel=body["channel"], thread=body.get("thread_ts"), **what)
            self._known[body["client_msg_id"]] = known
            self.seen.append(known)
        return {"ts": known.ts}

    async def _give_file(self, request: Request) -> Response:
        content = self._files.get(request.path_params["file"])
        is_ours = request.headers.get("Authorization") == f"Bearer {self.token}"
        return Response(content) if content is not None and is_ours else Response(status_code=404)

    def _ts(self) -> str:
        return f"{int(time.time())}.{next(self._numbers):06}"
