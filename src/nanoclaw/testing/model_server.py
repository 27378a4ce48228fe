"""The far end of every model call: a server that speaks the Anthropic and the OpenAI API and says what a test wants.

As strict as a real one: a missing key, version or `max_tokens`, an unknown role, or a tool call without its result is
refused in the vendor's own words.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Sequence
from inspect import isawaitable
from types import ModuleType
from typing import Self

from pydantic_core import from_json
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from nanoclaw.console.web_server import WebServer
from nanoclaw.domain.money import Usage
from nanoclaw.testing import anthropic_api, openai_api
from nanoclaw.testing.message_batches import PlayedBatches
from nanoclaw.testing.model_parts import Asked, Cut, Fail, Garbage, Part, Reply, Said, Say, Wait

Answer = Reply | Part | str | Sequence[Part | str]
Script = Callable[[Asked], Answer | Awaitable[Answer]]


def echo(asked: Asked) -> Answer:
    """Its answer when no test set one."""
    return Say(f"You said: {asked.text}")


class ModelServer:
    """Use as `async with ModelServer() as server`; `server.url` is the vendor's address and `server.key` the key.

    `server.reply` decides the answer: text, a part, a list of parts, or a `Reply` with its usage.
    """

    def __init__(self, reply: Script | str = echo, *, key: str = "sk-test", pace: float = 0) -> None:
        self.url = ""
        self.key = key
        self.pace = pace  # seconds between two words
        self.bytes_per_token = 4.0  # about 4 in English, 2 in other alphabets, 1 at worst
        self.lingers = 0.0  # seconds from the end of an answer to that of its stream
        self.reply: Script | str = reply
        self.asked: list[Asked] = []
        self.counted: list[Asked] = []  # requests that only count tokens
        self.left = asyncio.Event()  # someone hung up before the answer was complete
        self.batches = PlayedBatches(lambda: self.key, lambda: self.url, self._reply_to)
        self._news = asyncio.Condition()

    async def __aenter__(self) -> Self:
        routes = [
            Route("/v1/messages", self._messages, methods=["POST"]),
            Route("/v1/messages/count_tokens", self._count_tokens, methods=["POST"]),
            Route("/v1/chat/completions", self._chat_completions, methods=["POST"]),
            *self.batches.routes(),
        ]
        self._serving = WebServer(0, for_everyone=True)
        self._serving.start(Starlette(routes=routes))
        self.url = self._serving.url
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._serving.stop()

    async def wait_for(self, count: int = 1, *, patience: float = 60) -> list[Asked]:
        """Wait until the model has been called that often."""
        async with asyncio.timeout(patience), self._news:
            await self._news.wait_for(lambda: len(self.asked) >= count)
        return self.asked

    async def _messages(self, request: Request) -> Response:
        return await self._answer(request, anthropic_api)

    async def _chat_completions(self, request: Request) -> Response:
        return await self._answer(request, openai_api)

    async def _count_tokens(self, request: Request) -> Response:
        asked = await self._read(request)
        if refusal := anthropic_api.refusal(asked, self.key):
            return _failed(refusal, anthropic_api)
        self.counted.append(asked)
        return JSONResponse({"input_tokens": asked.tokens})

    async def _answer(self, request: Request, api: ModuleType) -> Response:
        asked = await self._read(request)
        if refusal := api.refusal(asked, self.key):
            return _failed(refusal, api)
        async with self._news:
            self.asked.append(asked)
            self._news.notify_all()
        reply = await self._reply_to(asked)
        for part in reply.parts:
            if isinstance(part, Fail):
                return _failed(part, api)
        if asked.stream:
            return self._streamed(api.events(asked, reply), reply)
        return await _whole(api, asked, reply, self.left)

    def _streamed(self, events: Iterable[tuple[Part | None, bytes]], reply: Reply) -> Response:
        takes_time = self.pace or self.lingers or any(isinstance(part, Wait | Cut) for part in reply.parts)
        if takes_time:
            pieces = _paced(events, reply, self.pace, self.lingers)
            return _Pieces(pieces, "text/event-stream", self.left)
        whole = Response(b"".join(data for _, data in events), media_type="text/event-stream")
        del whole.headers["content-length"]  # as a stream, whose length nobody knows beforehand
        return whole

    async def _read(self, request: Request) -> Asked:
        written = await request.body()
        try:
            body = from_json(written)
        except ValueError:
            body = None
        return Asked(
            path=request.url.path,
            query=request.url.query,
            headers=dict(request.headers),
            body=body,
            port=request.client.port if request.client else 0,
            size=len(written),
            bytes_per_token=self.bytes_per_token,
        )

    async def _reply_to(self, asked: Asked) -> Reply:
        answer = self.reply if isinstance(self.reply, str) else self.reply(asked)
        return _as_reply(await answer if isawaitable(answer) else answer, asked)


def _failed(fail: Fail, api: ModuleType) -> Response:
    return JSONResponse(api.error(fail), fail.status, headers=dict(fail.headers))


def _as_reply(answer: Answer, asked: Asked) -> Reply:
    if isinstance(answer, Reply):
        return answer
    parts: Iterable[Part | str] = (
        [answer] if isinstance(answer, str) or not isinstance(answer, Sequence) else answer
    )
    reply = Reply(parts=tuple(Say(part) if isinstance(part, str) else part for part in parts))
    written = sum(len(piece) for part in reply.said for piece in part.pieces)
    return Reply(parts=reply.parts, usage=Usage(input=asked.tokens, output=max(written // 4, 1)))


async def _whole(api: ModuleType, asked: Asked, reply: Reply, left: asyncio.Event) -> Response:
    for part in reply.parts:
        if isinstance(part, Wait):
            await part.over()
        if isinstance(part, Garbage):
            return Response(part.text, media_type="text/html")
    answer = JSONResponse(api.whole(asked, reply))
    if not any(isinstance(part, Cut) for part in reply.parts):
        return answer

    async def half() -> AsyncIterator[bytes]:
        yield bytes(answer.body)[: len(answer.body) // 2]
        raise _CutOff

    return _Pieces(half(), "application/json", left)


class _CutOff(Exception):
    """The script wants the connection to break here."""


async def _paced(
    events: Iterable[tuple[Part | None, bytes]], reply: Reply, pace: float, lingers: float
) -> AsyncIterator[bytes]:
    """The events of a streamed answer, with their waits. What is ready leaves together."""
    cut = next((part.after for part in reply.parts if isinstance(part, Cut)), None)
    pieces = 0
    ready = b""
    for part, data in events:
        if cut is not None and pieces >= cut:
            break
        is_piece = isinstance(part, Said)
        if ready and (isinstance(part, Wait) or (is_piece and pace)):
            yield ready
            ready = b""
        if isinstance(part, Wait):
            await part.over()
            continue
        if is_piece:
            pieces += 1
            await asyncio.sleep(pace)
        ready += data
    if ready:
        yield ready
    if cut is not None:
        raise _CutOff
    await asyncio.sleep(lingers)


class _Pieces(Response):
    """Sends pieces as they come, and notices when nobody listens any more."""

    def __init__(self, pieces: AsyncIterator[bytes], media_type: str, left: asyncio.Event) -> None:
        self._pieces = pieces
        self._left = left
        super().__init__(media_type=media_type)
        del self.headers["content-length"]

    async def __call__(self, _scope: Scope, receive: Receive, send: Send) -> None:
        sending = asyncio.create_task(self._send(send))
        leaving = asyncio.create_task(_gone(receive))
        await asyncio.wait([sending, leaving], return_when=asyncio.FIRST_COMPLETED)
        if not sending.done():
            self._left.set()
        for task in (sending, leaving):
            task.cancel()
        ended, _ = await asyncio.gather(sending, leaving, return_exceptions=True)
        # For an incomplete answer the server closes the connection, which is what a cut looks like.
        if isinstance(ended, Exception) and not isinstance(ended, _CutOff):
            raise ended

    async def _send(self, send: Send) -> None:
        await send({"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers})
        async for piece in self._pieces:
            await send({"type": "http.response.body", "body": piece, "more_body": True})
        await send({"type": "http.response.body", "body": b"", "more_body": False})


async def _gone(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
