"""Anthropic's Message Batches API, played: many requests taken at once, their answers given later as JSON
lines.

Strict like the vendor and, if a test wants it, as careless as on a bad day: see `Trouble`.
"""

import asyncio
import json
import re
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from nanoclaw.domain.ids import new_id
from nanoclaw.testing import anthropic_api
from nanoclaw.testing.model_parts import Asked, Cut, Fail, Reply

_MOST_REQUESTS = 100_000
_MOST_BYTES = 256 << 20
_LIVES = timedelta(hours=24)
_CUSTOM_ID = re.compile(r"^[a-zA-Z0-9_-]{1,64}$")
_FINAL = ("succeeded", "errored", "canceled", "expired")

Answer = Callable[[Asked], Awaitable[Reply]]
Refusal = Callable[[Asked], Fail | None]


@dataclass(kw_only=True, slots=True)
class Trouble:
    """What goes wrong. A number is how often it happens before all is well again."""

    refuse: Callable[[str, str], Fail | None] = lambda _method, _path: None  # any call
    lost_answers: int = 0  # a create is accepted, and its answer never arrives
    lost_requests: int = 0  # a create is neither accepted nor answered
    late_lists: int = 0  # a list that does not show what was created last
    cut_results: int = 0  # results that break off in the middle
    without: tuple[str, ...] = ()  # fields that a batch object lacks
    lines: Callable[[list[bytes]], list[bytes]] = lambda lines: (
        lines
    )  # of the results: lost, repeated, garbled
    slow: float = 0  # seconds before every answer


@dataclass(kw_only=True, slots=True)
class PlayedBatch:
    id: str
    requests: list[dict[str, Any]]
    created_at: datetime
    results: dict[str, dict[str, Any]] = field(default_factory=dict)
    ended_at: datetime | None = None
    cancelled_at: datetime | None = None

    @property
    def custom_ids(self) -> list[str]:
        return [each["custom_id"] for each in self.requests]

    def counts(self) -> dict[str, int]:
        """As the vendor does: only `processing` until all of it has ended."""
        if self.ended_at is None:
            return {"processing": len(self.requests), **dict.fromkeys(_FINAL, 0)}
        kinds = [each["type"] for each in self.results.values()]
        return {"processing": 0, **{name: kinds.count(name) for name in _FINAL}}

    def shown(self, url: str) -> dict[str, Any]:
        status = "canceling" if self.cancelled_at else "in_progress"
        return {
            "id": self.id,
            "type": "message_batch",
            "processing_status": "ended" if self.ended_at else status,
            "request_counts": self.counts(),
            "created_at": _time(self.created_at),
            "expires_at": _time(self.created_at + _LIVES),
            "ended_at": _time(self.ended_at),
            "cancel_initiated_at": _time(self.cancelled_at),
            "archived_at": None,
            "results_url": f"{url}/v1/messages/batches/{self.id}/results" if self.ended_at else None,
        }


class PlayedBatches:
    """Part of `ModelServer`, as `server.batches`. A batch ends by itself unless `is_held`; then `finish` ends it."""

    def __init__(self, key: Callable[[], str], url: Callable[[], str], answer: Answer) -> None:
        self.made: list[PlayedBatch] = []
        self.trouble = Trouble()
        self.is_held = False
        self.news = asyncio.Condition()
        self._key = key
        self._url = url
        self._answer = answer

    def routes(self) -> list[Route]:
        path = "/v1/messages/batches"
        return [
            Route(path, self._guarded(self._create), methods=["POST"]),
            Route(path, self._guarded(self._list), methods=["GET"]),
            Route(path + "/{id}", self._guarded(self._retrieve), methods=["GET"]),
            Route(path + "/{id}/cancel", self._guarded(self._cancel), methods=["POST"]),
            Route(path + "/{id}/results", self._guarded(self._results), methods=["GET"]),
        ]

    @property
    def paid(self) -> list[str]:
        """The custom ids of all that was ever accepted: a test sees what was sent twice."""
        return [each for batch in self.made for each in batch.custom_ids]

    async def wait_for(self, count: int = 1, *, patience: float = 60) -> list[PlayedBatch]:
        """Wait until that many were created."""
        async with asyncio.timeout(patience), self.news:
            await self.news.wait_for(lambda: len(self.made) >= count)
        return self.made

    async def finish(
        self, batch: PlayedBatch | None = None, *, done: int | None = None, rest: str = "expired"
    ) -> None:
        """The vendor has worked on all requests, or on the first `done`; the others have `rest` as their result."""
        for each in [batch] if batch else [each for each in self.made if each.ended_at is None]:
            await self._work(each, done, rest)

    async def _work(self, batch: PlayedBatch, done: int | None = None, rest: str = "expired") -> None:
        for place, request in enumerate(batch.requests):
            worked = done is None or place < done
            batch.results[request["custom_id"]] = (
                await self._result(request["params"]) if worked else {"type": rest}
            )
        batch.ended_at = datetime.now(UTC)

    async def _result(self, params: Any) -> dict[str, Any]:
        asked = Asked(
            path="/v1/messages",
            query="",
            headers={"x-api-key": self._key(), "anthropic-version": "batch"},
            body=params,
        )
        if (fail := anthropic_api.refusal(asked, self._key())) is None:
            reply = await self._answer(asked)
            fail = next((part for part in reply.parts if isinstance(part, Fail)), None)
            if fail is None:
                cut = any(isinstance(part, Cut) for part in reply.parts)
                message = anthropic_api.whole(asked, reply)
                return {
                    "type": "succeeded",
                    "message": {**message, **({"stop_reason": "max_tokens"} if cut else {})},
                }
        return {"type": "errored", "error": anthropic_api.error(fail)}

    def _guarded(
        self, handle: Callable[[Request], Awaitable[Response]]
    ) -> Callable[[Request], Awaitable[Response]]:
        async def handled(request: Request) -> Response:
            if self.trouble.slow:
                await asyncio.sleep(self.trouble.slow)
            if fail := self.trouble.refuse(request.method, request.url.path):
                return _failed(fail)
            if request.headers.get("x-api-key") != self._key():
                return _failed(Fail(401, "authentication_error", "invalid x-api-key"))
            if "anthropic-version" not in request.headers:
                return _invalid("anthropic-version: header is required")
            return await handle(request)

        return handled

    async def _create(self, request: Request) -> Response:
        if int(request.headers.get("content-length", 0)) > _MOST_BYTES:
            return _failed(
                Fail(413, "request_too_large", "Request exceeds the maximum allowed number of bytes.")
            )
        body = await request.body()
        try:
            requests = json.loads(body)["requests"]
        except (ValueError, KeyError, TypeError):
            return _invalid("requests: Field required")
        if fault := _fault_in(requests):
            return _invalid(fault)
        if self.trouble.lost_requests:
            self.trouble.lost_requests -= 1
            return _Silence()
        batch = PlayedBatch(id="msgbatch_" + new_id("x")[2:], requests=requests, created_at=datetime.now(UTC))
        async with self.news:
            self.made.append(batch)
            self.news.notify_all()
        if not self.is_held:
            await self._work(batch)
        if self.trouble.lost_answers:
            self.trouble.lost_answers -= 1
            return _Silence()
        return self._shown(batch)

    async def _list(self, request: Request) -> Response:
        limit = request.query_params.get("limit", "20")
        if not limit.isdigit() or not 1 <= int(limit) <= 1000:
            return _invalid(
                "limit: Input should be greater than or equal to 1 and less than or equal to 1000"
            )
        known = list(reversed(self.made))
        if self.trouble.late_lists:
            self.trouble.late_lists -= 1
            known = known[1:]
        ids = [each.id for each in known]
        for name in ("after_id", "before_id"):
            if (given := request.query_params.get(name)) is not None and given not in ids:
                return _invalid(f"{name}: Batch {given} not found")
        if (after := request.query_params.get("after_id")) is not None:
            known = known[ids.index(after) + 1 :]
        elif (before := request.query_params.get("before_id")) is not None:
            known = known[: ids.index(before)][-int(limit) :]
        page = known[: int(limit)]
        return JSONResponse(
            {
                "data": [self._object(each) for each in page],
                "has_more": len(known) > len(page),
                "first_id": page[0].id if page else None,
                "last_id": page[-1].id if page else None,
            }
        )

    async def _retrieve(self, request: Request) -> Response:
        batch = self._find(request)
        return self._shown(batch) if batch else _not_found(request)

    async def _cancel(self, request: Request) -> Response:
        batch = self._find(request)
        if batch is None:
            return _not_found(request)
        if batch.ended_at:
            return _invalid(f"Batch {batch.id} cannot be canceled: processing has already ended.")
        batch.cancelled_at = batch.cancelled_at or datetime.now(UTC)
        shown = self._shown(batch)
        if not self.is_held:
            await self._work(batch, 0, "canceled")
        return shown

    async def _results(self, request: Request) -> Response:
        batch = self._find(request)
        if batch is None:
            return _not_found(request)
        if batch.ended_at is None:
            return _invalid(f"Batch {batch.id} has no available results: processing has not ended.")
        lines = [
            json.dumps({"custom_id": name, "result": result}, ensure_ascii=False).encode() + b"\n"
            for name, result in batch.results.items()
        ]
        lines.sort(key=hash)  # in any order
        lines = self.trouble.lines(lines)
        is_cut = self.trouble.cut_results > 0
        self.trouble.cut_results -= is_cut
        return StreamingResponse(_pieces(lines, is_cut=is_cut), media_type="application/x-jsonl")

    def _find(self, request: Request) -> PlayedBatch | None:
        return next((each for each in self.made if each.id == request.path_params["id"]), None)

    def _object(self, batch: PlayedBatch) -> dict[str, Any]:
        shown = batch.shown(self._url())
        return {name: value for name, value in shown.items() if name not in self.trouble.without}

    def _shown(self, batch: PlayedBatch) -> Response:
        return JSONResponse(self._object(batch))


def _fault_in(requests: object) -> str | None:
    if not isinstance(requests, list) or not requests:
        return "requests: List should have at least 1 item after validation, not 0"
    if len(requests) > _MOST_REQUESTS:
        return f"requests: List should have at most {_MOST_REQUESTS} items after validation"
    seen: set[str] = set()
    for place, request in enumerate(requests):
        given = request.get("custom_id") if isinstance(request, dict) else None
        if not isinstance(given, str) or not _CUSTOM_ID.match(given):
            return f"requests.{place}.custom_id: String should match pattern '^[a-zA-Z0-9_-]{{1,64}}$'"
        if given in seen:
            return f"requests.{place}.custom_id: Duplicate custom_id: {given}"
        if not isinstance(request.get("params"), dict):
            return f"requests.{place}.params: Field required"
        seen.add(given)
    return None


async def _pieces(lines: Sequence[bytes], *, is_cut: bool) -> AsyncIterator[bytes]:
    whole = b"".join(lines)
    if is_cut:
        yield whole[: len(whole) // 2]
        raise ConnectionResetError("the results break off here")
    for start in range(0, len(whole), 1 << 16):
        yield whole[start : start + (1 << 16)]


class _Silence(Response):
    """The connection ends without an answer."""

    async def __call__(self, *_: Any) -> None:
        raise ConnectionResetError("nothing is answered")


def _failed(fail: Fail) -> Response:
    return JSONResponse(anthropic_api.error(fail), fail.status, headers=dict(fail.headers))


def _invalid(message: str) -> Response:
    return _failed(Fail(400, "invalid_request_error", message))


def _not_found(request: Request) -> Response:
    return _failed(Fail(404, "not_found_error", f"Batch {request.path_params['id']} not found"))


def _time(at: datetime | None) -> str | None:
    return at.isoformat().replace("+00:00", "Z") if at else None
