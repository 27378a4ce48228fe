"""A channel for a Slack-like network, in one file: docs/how-to/add-a-channel.md says how to write and use one."""

import asyncio
import hmac
import time
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from pathlib import Path
from typing import Any

import httpx
from pydantic import BaseModel, Field, SecretStr, ValidationError
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from nanoclaw.channels.downloads import download
from nanoclaw.console.web_server import WebServer
from nanoclaw.domain.errors import SendLater, SendRefused, SendUnknown, StoreUnavailable
from nanoclaw.domain.messages import File, FileKind, Incoming, Press, Quote
from nanoclaw.domain.parcels import Parcel
from nanoclaw.domain.ports import Channel, ChannelSetup, Front, SendMarks
from nanoclaw.domain.wirings import ChatKind

LONGEST, MOST_BYTES = 40_000, 1 << 20  # characters of one message, bytes of what is posted to us
OLDEST = 300  # seconds: an older signature may be a replay


class Config(BaseModel, extra="forbid"):
    api: str
    token: SecretStr
    signing_secret: SecretStr
    port: int = 0  # on this machine only
    public_url: str = ""  # where the network reaches that port, if not on this machine
    repeatable: bool = True  # the network recognises a `client_msg_id` that it has seen


class SlackLikeChannel(Channel):
    replies = True

    def __init__(self, setup: ChannelSetup) -> None:
        self._config = config = Config.model_validate(dict(setup.settings))
        self.name = setup.name
        self.repeatable = config.repeatable
        self._attachments = setup.attachments
        authorized = {"Authorization": f"Bearer {config.token.get_secret_value()}"}
        self._http = httpx.AsyncClient(base_url=config.api, headers=authorized, timeout=30)
        self._front: Front | None = None
        self._serving: WebServer | None = None
        self._subscribing: asyncio.Task[None] | None = None

    async def start(self, front: Front) -> None:
        self._front = front
        self._serving = WebServer(self._config.port)
        self._serving.start(Starlette(routes=[Route("/events", self._hear, methods=["POST"])]))
        url = f"{self._config.public_url or self._serving.url}/events"
        self._subscribing = asyncio.create_task(self._subscribe(url))

    async def stop(self) -> None:
        if self._subscribing and self._serving:
            self._subscribing.cancel()
            await asyncio.gather(self._subscribing, return_exceptions=True)
            await self._serving.stop()
        await self._http.aclose()

    async def _subscribe(self, url: str) -> None:
        self.trouble = SendLater("not-connected", channel=self.name)
        while self.trouble:
            try:
                await self._call("events.subscribe", {"url": url})
                self.trouble = None
            except (SendLater, SendUnknown, SendRefused) as error:
                self.trouble = error
                await asyncio.sleep(5)

    async def send(self, parcel: Parcel, send_mark: SendMarks) -> str:
        text = f"{parcel.note}\n\n{parcel.text}" if parcel.note else parcel.text
        buttons = [{"text": button.label, "value": button.data} for button in parcel.buttons]
        place = {"channel": parcel.address} | ({"thread_ts": parcel.thread} if parcel.thread else {})
        try:
            if parcel.platform_id:  # it stands there already, and says something else now
                at = {"channel": parcel.address, "ts": parcel.platform_id}
                await self._call("chat.update", {**at, "text": text[:LONGEST], "buttons": buttons})
                return parcel.platform_id
            for number, file in enumerate(parcel.attachments):
                content = await asyncio.to_thread((self._attachments / file.kept).read_bytes)
                about = {**place, "filename": file.name, "client_msg_id": f"{parcel.id}.f{number}"}
                sent = await self._call("files.upload", about, content)
            length = len(text) or (
                0 if parcel.attachments else 1
            )  # the network itself refuses an empty message
            for start in range(0, length, LONGEST):
                words = text[start : start + LONGEST]
                part = {**place, "text": words, "client_msg_id": f"{parcel.id}.{start}"}
                last = {"buttons": buttons} if start + LONGEST >= len(text) else {}
                sent = await self._call("chat.postMessage", part | last)
        except SendRefused as refused:
            if self._front and refused.values["said"] in ("channel_not_found", "is_archived"):
                await self._front.closed(self.name, parcel.address, str(refused.values["said"]))
            raise
        return str(sent["ts"])  # of the message with the buttons: presses and replies name it

    async def _call(self, method: str, body: dict[str, Any], content: bytes | None = None) -> dict[str, Any]:
        sent: dict[str, Any] = {"json": body} if content is None else {"params": body, "content": content}
        try:
            answer = await self._http.post(f"/api/{method}", **sent)
            if answer.status_code == httpx.codes.TOO_MANY_REQUESTS:
                pause = timedelta(seconds=float(answer.headers.get("Retry-After", 1)))
                raise SendLater("far-end-busy", after=pause, by_request=True)
            said: dict[str, Any] = answer.raise_for_status().json()
        except (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout) as error:  # nothing left
            raise SendLater("far-end-silent", said=type(error).__name__) from error
        except (httpx.HTTPError, ValueError) as error:  # it may have been done
            unheard = SendLater if self.repeatable else SendUnknown
            raise unheard("far-end-silent", said=type(error).__name__) from error
        if not said.get("ok"):
            raise SendRefused("far-end-refused", said=str(said.get("error"))[:200])
        return said

    async def _hear(self, request: Request) -> Response:
        length = request.headers.get("Content-Length", "")
        if not length.isdigit() or int(length) > MOST_BYTES or not await self._is_signed(request):
            return Response(status_code=401)
        try:
            return await self._take(Event.model_validate_json(await request.body()))
        except ValidationError:
            return Response(status_code=400)
        except StoreUnavailable:
            return Response(status_code=503)  # it is not stored, so it must come again

    async def _is_signed(self, request: Request) -> bool:
        moment, signature = (request.headers.get(name, "") for name in ("X-Timestamp", "X-Signature"))
        if not moment.isdigit() or abs(time.time() - int(moment)) > OLDEST:
            return False
        secret = self._config.signing_secret.get_secret_value().encode()
        wanted = hmac.new(secret, b"v0:%s:%s" % (moment.encode(), await request.body()), sha256).hexdigest()
        return hmac.compare_digest(f"v0={wanted}".encode(), signature.encode())

    async def _take(self, event: "Event") -> Response:
        if event.type == "url_verification" or self._front is None:
            return JSONResponse({"challenge": event.challenge})
        # A private chat has the id of its person, so the host knows where to ask them.
        handle, address = f"{self.name}:{event.user}", event.user if event.is_private else event.channel
        where: dict[str, Any] = {"channel": self.name, "address": address}
        match event.type:
            case "message" | "message_changed":
                await self._front.receive(Incoming(**where, handle=handle, **event.message()))
            case "block_action":
                press = Press(**where, handle=handle, platform_id=event.ts, data=event.value)
                return JSONResponse({"text": (await self._front.press(press)).text})
            case "channel_renamed":
                await self._front.moved(**where, to=event.value)
            case "channel_archive":
                await self._front.closed(**where, why="is_archived")
        return JSONResponse({})

    async def fetch(self, file: File, target: Path, most_bytes: int) -> None:
        await download(self._http, f"/files/{file.ref}", file, target, most_bytes)


class SharedFile(BaseModel):
    ref: str = Field(pattern=r"^\w+$", alias="id")
    name: str
    media_type: str = Field(alias="mimetype")
    size: int


class Event(BaseModel):
    """An event of the network, validated here before anything is stored."""

    type: str
    challenge: str = ""
    channel: str = ""
    is_private: bool = False
    user: str = ""
    user_name: str = ""
    text: str = ""
    ts: str = Field(default="0", pattern=r"^\d{1,12}(\.\d+)?$")
    edited_ts: str | None = None
    thread_ts: str | None = None
    mentioned: bool = False
    reply: Quote | None = None
    files: tuple[SharedFile, ...] = ()
    value: str = ""

    def message(self) -> dict[str, Any]:
        files = [File(kind=FileKind.DOCUMENT, part_of=self.ts, **each.model_dump()) for each in self.files]
        return {
            "external_id": f"{self.ts}/{self.edited_ts}" if self.edited_ts else self.ts,
            "edits": self.ts if self.edited_ts else None,
            "sender": self.user_name or self.user,
            "text": self.text,
            "sent_at": datetime.fromtimestamp(float(self.ts), UTC),
            "thread": None if self.is_private else self.thread_ts,
            "kind": ChatKind.PRIVATE if self.is_private else ChatKind.THREADED,
            "addressed": self.is_private or self.mentioned,
            "reply_to": self.reply,
            "files": tuple(files),
        }
