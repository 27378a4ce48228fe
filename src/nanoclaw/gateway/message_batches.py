"""Anthropic's Message Batches API: many requests leave at once, and their answers are fetched later, at half the price.

The body is streamed from a file and results line by line: ten thousand requests are never in memory.
"""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Collection, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any, BinaryIO, NoReturn

import aiohttp
from pydantic_core import from_json

from nanoclaw.domain.batches import Batch, BatchPart, BrokenLine, ItemResult, VendorBatch
from nanoclaw.domain.errors import ModelFailed, ModelOutage, ModelRefused, SendUnknown
from nanoclaw.gateway.batch_results import read_batch, read_result, said_in
from nanoclaw.gateway.model_calls import ANTHROPIC
from nanoclaw.gateway.outage import trouble_of

MOST_REQUESTS = 100_000
MOST_BYTES = 255_000_000  # the vendor takes 256 MB
_HEAD, _TAIL = b'{"requests":[\n', b"\n]}"
_PIECE = 1 << 20
_LONGEST_LINE = 8 << 20
_BIGGEST_ERROR = 1 << 20
_BIGGEST_ANSWER = 8 << 20
_PAGE = 100
_MOST_PAGES = 50
_FORGOTTEN = (404, 410)
_PAUSE = 30.0  # seconds until a vendor that could not answer is asked again
_TIMEOUT = aiohttp.ClientTimeout(total=None, sock_connect=10, sock_read=300)


class MessageBatches:
    """`check` is called before each piece of a request leaves. It raises LeaseLost if others may have sent it."""

    pays_by_call = False

    def __init__(self, base_url: str, key: Callable[[], str | None], check: Callable[[], None]) -> None:
        self._url = base_url.rstrip("/") + "/v1/messages/batches"
        self._key = key
        self._check = check
        self._session: aiohttp.ClientSession | None = None

    async def close(self) -> None:
        if self._session is not None:
            await self._session.close()

    async def send(self, batch: Batch, requests: Path, count: int) -> VendorBatch:
        size = (await asyncio.to_thread(requests.stat)).st_size
        # A comma precedes each line break but the last, which the file does not have.
        length = len(_HEAD) + size + count - 1 + len(_TAIL)
        headers = {"content-type": "application/json", "content-length": str(length)}
        try:
            async with self._call("POST", self._url, data=self._body(requests), headers=headers) as response:
                if response.status != 200:
                    await self._refuse(response, is_sent=True)
                found = read_batch(await _parsed(response))
        except aiohttp.ClientConnectorError as error:
            raise _outage(str(error)) from error
        except (aiohttp.ClientError, TimeoutError, OSError, ValueError) as error:
            raise SendUnknown("batch-answer-lost") from error
        if found is None:
            raise SendUnknown("batch-answer-lost")
        return found

    async def look_up(self, since: datetime, count: int) -> Sequence[VendorBatch]:
        found: list[VendorBatch] = []
        after = ""
        for _ in range(_MOST_PAGES):
            page = await self._fetch(f"{self._url}?limit={_PAGE}{after}")
            data = page.get("data")
            known = [each for each in map(read_batch, data if isinstance(data, list) else []) if each]
            found += [
                each
                for each in known
                # One whose size or time the vendor leaves out may be it too: its results will tell.
                if each.total in (0, count) and (each.created_at is None or each.created_at >= since)
            ]
            is_older = any(each.created_at is not None and each.created_at < since for each in known)
            if is_older or not page.get("has_more") or not known:
                break
            after = f"&after_id={known[-1].vendor_id}"
        return found

    async def status(self, vendor_id: str) -> VendorBatch:
        found = read_batch(await self._fetch(f"{self._url}/{vendor_id}", is_there=True))
        if found is None:
            raise _outage("the answer was garbled")
        return found

    async def cancel(self, vendor_id: str) -> None:
        try:
            async with self._call("POST", f"{self._url}/{vendor_id}/cancel") as response:
                if response.status not in (200, 400):  # 400: it has ended meanwhile
                    await self._refuse(response, is_there=True)
        except (aiohttp.ClientError, TimeoutError, OSError) as error:
            raise _outage(str(error) or type(error).__name__) from error

    async def results(
        self, batch: Batch, part: BatchPart, requests: Path, is_open: Collection[str]
    ) -> AsyncGenerator[ItemResult | BrokenLine, None]:
        # Not the address that the vendor gives: the key goes to the one the owner set.
        try:
            async with self._call("GET", f"{self._url}/{part.vendor_id}/results") as response:
                if response.status != 200:
                    await self._refuse(response, is_there=True)
                async for line in _lines(response.content):
                    yield read_result(line)
        except (aiohttp.ClientError, TimeoutError, OSError) as error:
            raise _outage(str(error) or type(error).__name__) from error

    async def _fetch(self, url: str, *, is_there: bool = False) -> Mapping[str, Any]:
        try:
            async with self._call("GET", url) as response:
                if response.status != 200:
                    await self._refuse(response, is_there=is_there)
                return await _parsed(response)
        except (aiohttp.ClientError, TimeoutError, OSError, ValueError) as error:
            raise _outage(str(error) or type(error).__name__) from error

    def _call(
        self,
        method: str,
        url: str,
        *,
        data: AsyncIterator[bytes] | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> Any:
        if self._session is None:
            self._session = aiohttp.ClientSession(timeout=_TIMEOUT, auto_decompress=False)
        own = {
            "x-api-key": self._known_key(),
            "anthropic-version": "2023-06-01",
            "accept-encoding": "identity",
        }
        return self._session.request(
            method, url, data=data, headers={**own, **(headers or {})}, allow_redirects=False
        )

    def _known_key(self) -> str:
        if (key := self._key()) is None:
            raise ModelRefused(
                "key-absent", vendor=ANTHROPIC
            )  # somebody can fix it: what the vendor has is not lost
        return key

    async def _body(self, path: Path) -> AsyncIterator[bytes]:
        file: BinaryIO = await asyncio.to_thread(path.open, "rb")
        try:
            self._check()
            yield _HEAD
            while piece := await asyncio.to_thread(file.read, _PIECE):
                self._check()
                yield piece.replace(b"\n", b",\n")
            self._check()
            yield _TAIL
        finally:
            file.close()

    async def _refuse(
        self, response: aiohttp.ClientResponse, *, is_sent: bool = False, is_there: bool = False
    ) -> NoReturn:
        """Raise, saying whether it may work later. `is_sent`: a request that must not be repeated;
        `is_there`: about a batch that the vendor has, whatever a proxy in between may say.
        """
        kind, said = said_in(await response.content.read(_BIGGEST_ERROR))
        if key := self._key():
            said = said.replace(key, "***")
        said = " ".join(said.split())[:300]
        if is_sent and response.status >= 500 and kind != "overloaded_error":
            raise SendUnknown("batch-answer-lost")  # a proxy between us and the vendor may have said so
        if trouble := trouble_of(response.status, response.headers, said):
            raise _outage(trouble.said, trouble.after)
        if response.status in (401, 403):
            raise ModelRefused("model-key-refused", said=said)
        if is_there and response.status not in _FORGOTTEN:
            raise _outage(f"{response.status} {said}")
        raise ModelFailed("model-said", said=f"{response.status} {said}")


async def _lines(content: aiohttp.StreamReader) -> AsyncIterator[bytes]:
    """The lines of a stream. One longer than any answer is passed on as a line that cannot be read."""
    rest, is_too_long = bytearray(), False
    async for piece in content.iter_any():
        first, *more = piece.split(b"\n")
        if not is_too_long:
            rest += first
        if len(rest) > _LONGEST_LINE:
            rest, is_too_long = bytearray(b"..."), True
        if not more:
            continue
        for line in (bytes(rest), *more[:-1]):
            if line.strip():
                yield line
        rest, is_too_long = bytearray(more[-1]), False
    if rest.strip():  # the last line need not end
        yield bytes(rest)


async def _parsed(response: aiohttp.ClientResponse) -> Mapping[str, Any]:
    """Raises ValueError for what no vendor would say about a batch."""
    body = bytearray()
    async for piece in response.content.iter_any():
        body += piece
        if len(body) > _BIGGEST_ANSWER:
            raise ValueError("the answer is too long")
    found = from_json(bytes(body))
    return found if isinstance(found, dict) else {}


def _outage(said: str, after: float | None = None) -> ModelOutage:
    return ModelOutage("model-outage", after=_PAUSE if after is None else after, vendor=ANTHROPIC, said=said)
