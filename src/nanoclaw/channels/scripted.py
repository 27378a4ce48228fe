"""A channel whose far end is a small HTTP server: `nanoclaw.testing.FarEnd`, or any bridge that speaks its protocol.

It behaves like a chat network: updates are long-polled, and confirmed by the next offset only once they are stored;
parcels are posted one by one, with an id by which the far end recognises repeats.
"""

import asyncio
from datetime import timedelta
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import httpx
import structlog
from pydantic import AwareDatetime, BaseModel, ConfigDict, Field, ValidationError

from nanoclaw.channels.downloads import download
from nanoclaw.domain.errors import NanoClawError, SendLater, SendRefused, SendUnknown
from nanoclaw.domain.messages import File, FileKind, Incoming, Quote
from nanoclaw.domain.parcels import Parcel
from nanoclaw.domain.people import Role
from nanoclaw.domain.ports import Channel, Front, Receive, SendMarks
from nanoclaw.domain.wirings import ChatKind

log = structlog.get_logger("scripted")

NAME = "scripted"
_POLL_SECONDS = 20
_PAUSE_AFTER_ERROR = 0.5
_LONGEST_PAUSE = 3600.0


class ScriptedChannel(Channel):
    """`repeatable` says whether the far end promises to recognise repeats."""

    name = NAME
    newcomers = Role.OWNER
    preview_every = 0.05

    def __init__(self, url: str, *, repeatable: bool) -> None:
        self.repeatable = repeatable
        self._http = httpx.AsyncClient(base_url=url, timeout=httpx.Timeout(10, read=_POLL_SECONDS + 10))
        self._listening: asyncio.Task[None] | None = None

    async def start(self, front: Front) -> None:
        self._listening = asyncio.create_task(self._listen(front.receive))

    async def stop(self) -> None:
        if self._listening is not None:
            self._listening.cancel()
            await asyncio.gather(self._listening, return_exceptions=True)
        await self._http.aclose()

    async def send(self, parcel: Parcel, _send_mark: SendMarks) -> str:
        body = {
            "id": parcel.id,
            "address": parcel.address,
            "thread": parcel.thread,
            "author": parcel.author.value,
            "text": f"{parcel.note}\n\n{parcel.text}" if parcel.note else parcel.text,
        }
        try:
            answer = await self._http.post("/send", json=body)
        except (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout) as error:
            raise SendLater("far-end-silent", said=type(error).__name__) from error
        except httpx.HTTPError as error:
            raise self._unheard("far-end-silent", said=type(error).__name__) from error
        if answer.status_code == httpx.codes.TOO_MANY_REQUESTS:
            pause = _pause(answer.headers.get("Retry-After", ""))
            raise SendLater("far-end-busy", after=pause, by_request=pause is not None)
        if answer.status_code == httpx.codes.SERVICE_UNAVAILABLE:  # it says itself that nothing was done
            raise SendLater("far-end-failed", status=str(answer.status_code))
        if answer.is_server_error:
            raise self._unheard("far-end-failed", status=str(answer.status_code))
        if answer.is_client_error:
            raise SendRefused("far-end-refused", said=answer.text[:200])
        try:
            return str(answer.json()["id"])
        except (ValueError, KeyError, TypeError) as error:
            raise self._unheard("far-end-failed", status=str(answer.status_code)) from error

    async def fetch(self, file: File, target: Path, most_bytes: int) -> None:
        await download(self._http, f"/file?{urlencode({'ref': file.ref})}", file, target, most_bytes)

    def _unheard(self, key: str, **values: object) -> SendLater | SendUnknown:
        """The far end may have it: retried only where repeats are recognised."""
        if not self.repeatable:
            return SendUnknown(key, **values)
        return SendLater(key, after=None, in_turn=False, by_request=False, **values)

    async def _listen(self, receive: Receive) -> None:
        offset = 0
        while True:
            try:
                answer = await self._http.get("/updates", params={"offset": offset, "wait": _POLL_SECONDS})
                answer.raise_for_status()
                updates = answer.json()["updates"]
                await _take_in(updates, receive)
            except (httpx.HTTPError, ValueError, KeyError, TypeError, NanoClawError) as error:
                log.warning("updates not fetched", reason=error)
                await asyncio.sleep(_PAUSE_AFTER_ERROR)
                continue
            if updates:  # confirmed by the next request, now that all are stored
                offset = updates[-1]["offset"] + 1


def _pause(wanted: str) -> timedelta | None:
    """Seconds, as the far end asks; None (our own back-off) otherwise."""
    try:
        return timedelta(seconds=min(max(float(wanted), 0), _LONGEST_PAUSE))
    except ValueError:
        return None


async def _take_in(updates: list[dict[str, Any]], receive: Receive) -> None:
    """Chats in parallel, so that they share a disk flush; the messages of one chat in order."""
    by_chat: dict[str, list[Incoming]] = {}
    for update in updates:
        try:
            incoming = _incoming(update)
        except ValidationError as error:
            log.warning("update not understood", reason=error)
            continue
        by_chat.setdefault(incoming.address, []).append(incoming)

    async def one_chat(messages: list[Incoming]) -> None:
        for message in messages:
            await receive(message)

    await asyncio.gather(*map(one_chat, by_chat.values()))


class _Part(BaseModel):
    model_config = ConfigDict(defer_build=True)


class _Reply(_Part):
    ref: str
    sender: str
    text: str


class _File(_Part):
    """The far end serves its bytes at `/file?ref=`, at least until long after the message is confirmed."""

    ref: str
    name: str
    media_type: str = "application/octet-stream"
    kind: FileKind = FileKind.DOCUMENT
    size: int | None = None
    seconds: float | None = None


class _Update(_Part):
    """One update from the far end; faults are found here, before anything is stored."""

    id: str
    address: str
    sender: str = Field(alias="from")
    text: str
    at: AwareDatetime
    thread: str | None = None
    reply_to: _Reply | None = None
    files: tuple[_File, ...] = ()


def _incoming(given: object) -> Incoming:
    update = _Update.model_validate(given)
    return Incoming(
        kind=ChatKind.PRIVATE,
        addressed=True,
        channel=NAME,
        address=update.address,
        external_id=update.id,
        handle=f"{NAME}:{update.sender}",
        sender=update.sender,
        text=update.text,
        sent_at=update.at,
        thread=update.thread,
        reply_to=Quote(**update.reply_to.model_dump()) if update.reply_to else None,
        files=tuple(File(part_of=update.id, **each.model_dump()) for each in update.files),
    )
