"""Transport to an MCP server: HTTP to a remote one, the pipes of a box to a local one."""

import asyncio
import logging
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress

import anyio
import httpx2
import mcp_types as types
import structlog
from mcp.client.streamable_http import streamable_http_client
from mcp.shared._stream_protocols import ReadStream, WriteStream
from mcp.shared.message import SessionMessage

from nanoclaw.domain.boxes import Box
from nanoclaw.gateway.server_list import Server

log = structlog.get_logger("servers")

Streams = tuple[ReadStream[SessionMessage | Exception], WriteStream[SessionMessage]]

_BIGGEST_MESSAGE = 16 << 20
_PIECE = 1 << 16
_LONGEST_COMPLAINT = 500
_FAREWELL = 1.0  # seconds for a local server to end by itself
_SESSION = "mcp-session-id"
_NO_SESSION = (400, 404)  # the protocol says 404; much copied examples say 400
_TIMES = httpx2.Timeout(30.0, read=300.0)

# Their request logs contain the whole address, with a key in it for some services, and session ids.
for _name in ("httpx2", "httpcore2", "mcp"):
    logging.getLogger(_name).setLevel(logging.WARNING)


@asynccontextmanager
async def http_streams(server: Server, forgotten: Callable[[], None]) -> AsyncGenerator[Streams, None]:
    """`forgotten` is called if the server does not know our session: it restarted, and did nothing. Redirects
    are followed only to the same host: the headers are for nobody else.
    """
    headers = {name: value.get_secret_value() for name, value in server.headers.items()}
    headers |= {"accept-encoding": "identity"}

    async def look_at(response: httpx2.Response) -> None:
        # The library reads a plain response in full; in a stream of events each one is bounded separately.
        is_stream = response.headers.get("content-type", "").lower().startswith("text/event-stream")
        if response.headers.get("content-encoding", "identity") != "identity":
            raise httpx2.ReadError("the answer is packed, which nobody asked for")
        if not is_stream and isinstance(response.stream, httpx2.AsyncByteStream):
            response.stream = _Bounded(response.stream)
        asked = response.request
        if response.status_code in _NO_SESSION and asked.method == "POST" and _SESSION in asked.headers:
            forgotten()

    async with (
        httpx2.AsyncClient(headers=headers, timeout=_TIMES, event_hooks={"response": [look_at]}) as http,
        streamable_http_client(
            str(server.url), http_client=http, max_sse_event_size=_BIGGEST_MESSAGE
        ) as streams,
    ):
        yield streams


class _Bounded(httpx2.AsyncByteStream):
    """The body of an answer, limited to the length of a message."""

    def __init__(self, stream: httpx2.AsyncByteStream) -> None:
        self._stream = stream

    async def __aiter__(self) -> AsyncIterator[bytes]:
        size = 0
        async for piece in self._stream:
            size += len(piece)
            if size > _BIGGEST_MESSAGE:
                raise httpx2.ReadError("the answer is too long")
            yield piece

    async def aclose(self) -> None:
        await self._stream.aclose()


class BoxStreams:
    """A local server's pipes as the library wants them, and its last complaint."""

    def __init__(self, server: Server, box: Box, ended: Callable[[], None]) -> None:
        self._server = server
        self._box = box
        self._ended = ended  # called when the server stops talking
        self.complaint = ""

    @asynccontextmanager
    async def open(self) -> AsyncGenerator[Streams, None]:
        from_server, inbox = anyio.create_memory_object_stream[SessionMessage | Exception](0)
        outbox, to_server = anyio.create_memory_object_stream[SessionMessage](0)

        async def read() -> None:
            with from_server:
                async for line in _lines(self._box.stdout):
                    if (message := self._understood(line)) is None:
                        continue
                    # Drained even after the session is gone: a full pipe would keep
                    # the server from ending.
                    with suppress(anyio.BrokenResourceError, anyio.ClosedResourceError):
                        await from_server.send(message)
            self._ended()

        async def write() -> None:
            with to_server, suppress(OSError):  # it has ended, which `read` notices
                async for sent in to_server:
                    text = sent.message.model_dump_json(by_alias=True, exclude_unset=True)
                    self._box.stdin.write(text.encode() + b"\n")
                    await self._box.stdin.drain()

        async def overhear() -> None:
            async for line in _lines(self._box.stderr):
                self.complaint = self._server.hide(line.decode(errors="replace"))[:_LONGEST_COMPLAINT]
                log.debug("server complains", server=self._server.name, length=len(line))

        async with anyio.create_task_group() as tasks:
            for task in (read, write, overhear):
                tasks.start_soon(task)
            try:
                yield inbox, outbox
            finally:
                with anyio.CancelScope(shield=True):
                    outbox.close()
                    await self._say_goodbye()
                tasks.cancel_scope.cancel()
                for stream in (inbox, from_server, to_server):
                    stream.close()

    def _understood(self, line: bytes) -> SessionMessage | None:
        """None for what is not a message: many programs print a greeting on the pipe meant for messages."""
        try:
            return SessionMessage(types.jsonrpc_message_adapter.validate_json(line, by_name=False))
        except ValueError:
            log.debug("server says what is no message", server=self._server.name, length=len(line))
            return None

    async def _say_goodbye(self) -> None:
        try:
            with suppress(OSError):
                self._box.stdin.close()
            with suppress(TimeoutError):
                async with asyncio.timeout(_FAREWELL):
                    await self._box.wait()
        finally:
            await self._box.kill()


async def _lines(reader: asyncio.StreamReader) -> AsyncIterator[bytes]:
    """Lines until the end, or until one is too long to be a message: after that nothing more is read."""
    rest = bytearray()
    while piece := await reader.read(_PIECE):
        *lines, tail = piece.split(b"\n")
        for line in lines:
            whole = bytes(rest) + line
            rest.clear()
            if whole.strip():
                yield whole
        rest += tail
        if len(rest) > _BIGGEST_MESSAGE:
            return
