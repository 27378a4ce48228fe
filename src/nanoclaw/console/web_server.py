"""Serves a web application on this machine's own address, on the shared event loop."""

import asyncio
import errno
import socket
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from functools import partial
from importlib import import_module
from typing import Any

import uvicorn
from starlette.types import ASGIApp, Receive, Scope, Send

from nanoclaw.domain.errors import PortTaken
from nanoclaw.gateway.descriptors import raise_limit
from nanoclaw.gateway.listener import ADMITTED, Listener
from nanoclaw.gateway.peers import user_of

_ADDRESS = "127.0.0.1"
_GRACE = 2  # seconds that an open request gets to finish
_CONNECTIONS = 256
_MOST_FRAME = 256 * 1024  # bytes of one message of a WebSocket
_PATIENCE = (
    20.0  # seconds for clients that have not shown the token yet: to finish a request, or to send another
)
_MANY, _LONG = 100_000, 24 * 3600.0  # for a server that is open to everyone


class WebServer:
    """Bound when created, so that a taken port is known before anything else starts."""

    def __init__(self, port: int, *, for_everyone: bool = False) -> None:
        """Clients that have not shown the token may be few, and not for long; unless the server is open to
        everyone.
        """
        raise_limit()
        self._limits = (_MANY, _LONG) if for_everyone else (_CONNECTIONS, _PATIENCE)
        self._socket = _bind(port)
        self.url = f"http://{_ADDRESS}:{self._socket.getsockname()[1]}"
        self._server: _Server | None = None

    def start(self, app: ASGIApp) -> None:
        config = uvicorn.Config(
            app,
            log_config=None,
            access_log=False,
            lifespan="off",
            proxy_headers=False,
            ws="none",  # loaded with the first WebSocket
            ws_max_size=_MOST_FRAME,
            ws_per_message_deflate=False,  # on this machine it only costs time
        )
        self._server = _Server(config, *self._limits)
        self._task = asyncio.create_task(self._server.serve(sockets=[self._socket]))

    async def stop(self) -> None:
        """May be called twice, and before `start`."""
        if self._server is not None:
            self._server.leave()
            await self._task
        self._socket.close()


class _Server(uvicorn.Server):
    """Signals belong to the command line, which stops the whole host in order. The original checks ten times
    a second whether it should end, and then waits another tenth in any case: a quarter of a second at the
    end of every command. This one is told.
    """

    def __init__(self, config: uvicorn.Config, most: int, patience: float) -> None:
        super().__init__(config)
        self._most, self._patience = most, patience
        self._leaving = asyncio.Event()
        self._listener: Listener | None = None

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Accepts connections itself: the loop's own server would let anyone here use up every descriptor."""
        for each in sockets or []:
            self._listener = Listener(
                each, self._protocol, most=self._most, patience=self._patience, peer_of=user_of
            )
        self.started = True

    def _protocol(self) -> asyncio.Protocol:
        protocol = self.config.http_protocol_class(  # type: ignore[call-arg]
            config=self.config, server_state=self.server_state, app_state={}
        )
        inner = protocol.app  # type: ignore[attr-defined]

        async def app(scope: Scope, receive: Receive, send: Send) -> None:
            with ExitStack() as held:
                if self._listener is not None:
                    scope[ADMITTED] = partial(held.enter_context, self._listener.serving(protocol))
                try:
                    await inner(scope, receive, send)
                except asyncio.CancelledError:
                    if not self._leaving.is_set():
                        raise  # otherwise its connection is gone, and no log needs to mention it

        def upgrade(**given: Any) -> asyncio.Protocol:
            """The connection continues as a WebSocket; the listener knows it by its first protocol."""
            sockets = import_module("uvicorn.protocols.websockets.websockets_sansio_impl")
            made: asyncio.Protocol = sockets.WebSocketsSansIOProtocol(**given)
            made.app = app  # type: ignore[attr-defined]
            return made

        protocol.app = app  # type: ignore[attr-defined]
        protocol.ws_protocol_class = upgrade  # type: ignore[attr-defined]
        return protocol

    def leave(self) -> None:
        self.should_exit = True
        self._leaving.set()

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield

    async def main_loop(self) -> None:
        while not await self.on_tick(0):  # refreshes the Date header
            with suppress(TimeoutError):
                async with asyncio.timeout(1):
                    await self._leaving.wait()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        if self._listener is not None:
            self._listener.close()
        for connection in list(self.server_state.connections):
            connection.shutdown()  # at once, or after the current response
        with suppress(TimeoutError):
            async with asyncio.timeout(_GRACE):
                while self.server_state.connections or self.server_state.tasks:  # noqa: ASYNC110 - it tells nobody
                    await asyncio.sleep(0.005)
        if self._listener is not None:
            self._listener.abort_all()
            await asyncio.sleep(0)  # so that each request learns that nobody hears its answer
        unfinished = list(self.server_state.tasks)
        for task in unfinished:
            task.cancel()
        await asyncio.gather(*unfinished, return_exceptions=True)  # what they use is closed next


def _bind(port: int) -> socket.socket:
    # The protocol is explicit because only then does asyncio turn off the delay of small packets (40 ms a response).
    listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((_ADDRESS, port))
    except OSError as error:
        listening.close()
        if error.errno == errno.EADDRINUSE:
            raise PortTaken("port-taken", port=str(port)) from error
        raise PortTaken("port-refused", port=str(port), said=error.strerror or str(error)) from error
    listening.listen(1024)
    return listening
