"""The model gateway as a box sees it: a socket that speaks Anthropic's API. The key is added on the host's side.

Whatever runs in the box can read the token and use the socket itself, so everything is checked here.
"""

import asyncio
import hmac
import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import aiohttp
from aiohttp import web
from pydantic_core import to_json
from yarl import URL

from nanoclaw.domain import bounds
from nanoclaw.domain.errors import ModelFailed, ModelOutage, ModelRefused, NanoClawError
from nanoclaw.domain.money import Usage
from nanoclaw.gateway import fitted_request, rules, tokens
from nanoclaw.gateway.anthropic_answer import error_in
from nanoclaw.gateway.cut_answers import WholeParts, kept_of
from nanoclaw.gateway.descriptors import Pool
from nanoclaw.gateway.envelope import (
    COUNT_TOKENS,
    MESSAGES,
    BadBody,
    downwards,
    message_in,
    read_body,
    refusal,
    token_in,
    upwards,
)
from nanoclaw.gateway.listener import Listener
from nanoclaw.gateway.meter import Meter
from nanoclaw.gateway.model_calls import Call, Gateway, GatewayLine
from nanoclaw.gateway.outage import Trouble, trouble_of
from nanoclaw.gateway.passed_answers import PassedStream, VendorError, passed_whole, without_key
from nanoclaw.gateway.sockets import SocketFolder, is_of_box

_BIGGEST_ERROR = 1 << 20
_BIGGEST_ANSWER = 32 << 20  # bytes, of one that is not streamed
_PAGE = "text/html"
_FAREWELL = 0.01  # seconds; aiohttp takes 0 for "no limit"
_CONNECTIONS = 32  # per box
_PATIENCE = (
    75.0  # seconds for a head, and for the silence between two requests on a connection that a client keeps
)
_TIMEOUT = aiohttp.ClientTimeout(total=None, sock_connect=10, sock_read=600)


@dataclass(kw_only=True)
class Upstream:
    """Where the vendor is, and its key, which may be replaced while the host runs."""

    base_url: str
    key: str = field(repr=False)


@dataclass(frozen=True, kw_only=True, slots=True)
class GatewayAddress:
    """What a box needs to reach the gateway."""

    socket: Path
    token: str = field(repr=False)


class HttpGateway:
    """Opens a socket for each box. `tell` words a refusal for the person or the agent."""

    def __init__(self, gateway: Gateway, upstream: Upstream, tell: Callable[[NanoClawError], str]) -> None:
        self._gateway = gateway
        self._upstream = upstream
        self._tell = tell
        self._folder = SocketFolder()
        self._boxes: dict[Path, tuple[Listener, web.Server]] = {}
        self._pool = Pool()
        self._session: aiohttp.ClientSession | None = None

    async def open(self, line: GatewayLine) -> GatewayAddress:
        """Open a socket for a box; the socket identifies the caller, and the token proves it."""
        if self._session is None:
            connector = aiohttp.TCPConnector(limit=0, keepalive_timeout=30)
            self._session = aiohttp.ClientSession(
                connector=connector,
                timeout=_TIMEOUT,
                auto_decompress=False,
                cookie_jar=aiohttp.DummyCookieJar(),
            )
        path, listening = self._folder.listen()
        door = GatewayAddress(socket=path, token=secrets.token_urlsafe(32))
        box = _Box(line, door.token, self._gateway, self._upstream, self._tell, self._session)
        # Cancelled when the box hangs up: the vendor stops writing, and what it wrote is paid for.
        server = web.Server(box.answer, handler_cancellation=True, access_log=None)
        box.listener = Listener(
            listening,
            server,
            most=_CONNECTIONS,
            patience=_PATIENCE,
            may_enter=partial(is_of_box, path),
            pool=self._pool,
        )
        self._boxes[path] = box.listener, server
        return door

    async def close_door(self, door: GatewayAddress) -> None:
        """The box is gone: cut off its calls in progress."""
        if opened := self._boxes.pop(door.socket, None):
            listener, server = opened
            listener.close()
            server.pre_shutdown()
            await server.shutdown(_FAREWELL)
            listener.abort_all()
            self._folder.remove(door.socket)

    async def close(self) -> None:
        for socket in list(self._boxes):
            await self.close_door(GatewayAddress(socket=socket, token=""))
        if self._session is not None:
            await self._session.close()
            self._session = None
        self._folder.close()


class _Box:
    """Answers what comes through one socket."""

    listener: Listener

    def __init__(
        self,
        line: GatewayLine,
        token: str,
        gateway: Gateway,
        upstream: Upstream,
        tell: Callable[[NanoClawError], str],
        session: aiohttp.ClientSession,
    ) -> None:
        self._line = line
        self._token = token.encode()
        self._gateway = gateway
        self._upstream = upstream
        self._tell = tell
        self._session = session
        # Around the whole answer, so that bodies waiting to be sent cannot fill the memory of the host.
        self._slots = asyncio.Semaphore(line.concurrent)

    async def answer(self, request: web.BaseRequest) -> web.StreamResponse:
        if not hmac.compare_digest(token_in(request.headers), self._token):
            return refusal(401, "authentication_error", "the token of this box is missing or wrong")
        if "content-length" in request.headers and "transfer-encoding" in request.headers:
            return refusal(
                400, "invalid_request_error", "a request has a length or comes in chunks, not both"
            )
        with self.listener.serving(request.protocol):
            return await self._answer(request)

    async def _answer(self, request: web.BaseRequest) -> web.StreamResponse:
        if request.method != "POST" or request.path not in (MESSAGES, COUNT_TOKENS):
            return refusal(
                404, "not_found_error", "only POST /v1/messages and /v1/messages/count_tokens are here"
            )
        if self._line.resting:
            return refusal(402, "billing_error", "no turn is running, so the model is not asked")
        if (unsaid := self._line.unsaid) is not None:
            # A client asks again when a stream breaks off; now it hears why, and the turn ends.
            self._line.unsaid, self._line.refused = None, unsaid
            return refusal(402, "billing_error", self._tell(unsaid))
        async with self._slots:
            try:
                body, size = await read_body(request)
                rules.tidy(body, web_search=self._line.web_search)
            except BadBody as bad:
                return refusal(bad.status, "invalid_request_error", str(bad))
            try:
                return await self._pass(request, body, size)
            except ModelOutage as error:
                # Not retried: the turn ends, its messages are held, and the person is told.
                headers = {"x-should-retry": "false", "retry-after": str(max(round(error.after), 1))}
                return refusal(429, "rate_limit_error", self._tell(error), headers)
            except ModelFailed as error:
                return refusal(402, "billing_error", self._tell(error))
            except NanoClawError as error:  # the database: a call that cannot be recorded does not leave
                return refusal(503, "api_error", self._tell(error), {"x-should-retry": "false"})

    async def _pass(self, request: web.BaseRequest, body: dict[str, Any], size: int) -> web.StreamResponse:
        free = request.path == COUNT_TOKENS
        model, most = str(body["model"]), tokens.at_most(body, size)
        address, headers = self._upstream.base_url.rstrip("/"), upwards(request.headers, self._upstream.key)
        passing = self._gateway.pass_through(
            self._line,
            model,
            most,
            body.get("max_tokens", 0),
            searches=rules.searches(body),
            free=free,
            count=partial(fitted_request.count, self._session, address + COUNT_TOKENS, headers, body),
        )
        async with passing as call:
            if not self._upstream.key:
                raise ModelRefused("model-key-missing")
            url = address + request.path
            if request.rel_url.raw_query_string:
                url += "?" + request.rel_url.raw_query_string
            while True:
                # What was checked is what is sent: two readers of the same odd bytes could see two different models.
                data = to_json(body if free else fitted_request.fitted(body, call.model, call.max_output))
                if not free:
                    # An unheard stream costs what was read; without streaming the answer is written in any case.
                    call.sent(
                        Usage(input=tokens.likely(size), output=0 if body.get("stream") else call.max_output)
                    )
                try:
                    return await self._exchange(request, call, url, headers, data, body)
                except _Again as again:
                    await call.failed(again.trouble)

    async def _exchange(
        self,
        request: web.BaseRequest,
        call: Call,
        url: str,
        headers: Mapping[str, str],
        data: bytes,
        body: Mapping[str, Any],
    ) -> web.StreamResponse:
        """One try. Raises _Again if the vendor could not answer and nothing of an answer was passed on yet."""
        key = self._upstream.key
        try:
            async with self._session.post(
                URL(url, encoded=True), data=data, headers=headers, allow_redirects=False
            ) as response:
                if response.status != 200:
                    call.refused()
                    return await _passed_error(response, key)
                if response.headers.get("content-encoding", "identity") != "identity":
                    raise _Again(Trouble(said="the answer is packed, which nobody asked for"))
                meter = Meter(len(data) // 4)
                if response.content_type == "text/event-stream":
                    passed = PassedStream(body, call.max_output, key, meter, self._line.answers)
                    return await self._stream(request, response, call, meter, passed)
                return await _whole(
                    response, call, meter, partial(passed_whole, body=body, known=self._line.answers), key
                )
        except aiohttp.ClientConnectorError as error:
            call.refused()
            raise _Again(Trouble(said=str(error))) from error
        except (aiohttp.ClientError, TimeoutError, OSError) as error:
            raise _Again(Trouble(said=str(error) or type(error).__name__)) from error

    async def _stream(
        self,
        request: web.BaseRequest,
        upstream: aiohttp.ClientResponse,
        call: Call,
        meter: Meter,
        passed: PassedStream,
    ) -> web.StreamResponse:
        """Passes every line on as it comes. Of an answer that the budget may cut, only what is whole."""
        response = web.StreamResponse(headers=downwards(upstream.headers))
        whole = WholeParts() if call.is_lowered else None
        try:
            async for data in upstream.content.iter_any():
                if lines := passed.feed(data):
                    if not response.prepared:
                        call.answered()
                        await response.prepare(request)
                    await response.write(whole.feed(lines) if whole else lines)
            if not response.prepared:  # nothing of an answer came
                raise _Again(Trouble(said="the answer broke off"))
            await response.write(whole.feed(passed.end()) + whole.end() if whole else passed.end())
        except VendorError as error:
            call.refused()
            raise _Again(Trouble(said=str(error)[:300])) from error
        except (ModelFailed, aiohttp.ClientError, TimeoutError, OSError) as error:
            if not response.prepared:
                raise
            return self._break_off(request, response, error)
        finally:
            if call.seen is not None:
                call.seen = meter.usage
        if meter.complete:
            call.settle(meter.usage)
        if whole and whole.is_cut:
            call.was_cut()
        await response.write_eof()
        return response

    def _break_off(
        self, request: web.BaseRequest, response: web.StreamResponse, error: Exception
    ) -> web.StreamResponse:
        """As the vendor did, or the box would take what it has for the whole answer."""
        if isinstance(error, ModelFailed):
            self._line.unsaid = error
        if request.transport is not None:
            request.transport.abort()
        return response


async def _whole(
    upstream: aiohttp.ClientResponse,
    call: Call,
    meter: Meter,
    check: Callable[[Mapping[str, Any]], dict[str, Any]],
    key: str,
) -> web.Response:
    try:
        body = await bounds.whole(upstream.content.iter_any(), _BIGGEST_ANSWER)
    except bounds.TooMuch as error:
        raise aiohttp.ClientPayloadError(str(error)) from error
    body = without_key(body, key)
    answer = bounds.said_in(body)
    if (
        words := error_in(answer)
    ) or upstream.content_type == _PAGE:  # some proxies say with 200 what went wrong
        call.refused()
        raise _Again(Trouble(said=words[:300] or "a web page came in place of an answer"))
    call.answered()
    passed = check(answer)
    meter.read_whole(passed | {"usage": answer.get("usage")}, len(body))
    if passed != answer:
        body = to_json(passed)
    call.seen = meter.usage
    if meter.complete:
        call.settle(meter.usage)
    if call.is_lowered and (kept := kept_of(body)) is not None:
        call.was_cut()
        body = kept
    return web.Response(body=body, headers=downwards(upstream.headers))


async def _passed_error(upstream: aiohttp.ClientResponse, key: str) -> web.Response:
    """Report a faulty request to the box that made it; trouble with the vendor or with our key is not."""
    body = without_key(await upstream.content.read(_BIGGEST_ERROR), key)
    said = message_in(body)
    if trouble := trouble_of(upstream.status, upstream.headers, said):
        raise _Again(trouble)
    if upstream.status in (401, 403):
        raise ModelRefused("model-key-refused", said=said)
    return web.Response(status=upstream.status, body=body, headers=downwards(upstream.headers))


class _Again(Exception):
    """The vendor could not answer."""

    def __init__(self, trouble: Trouble) -> None:
        super().__init__(trouble.said)
        self.trouble = trouble
