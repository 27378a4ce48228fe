"""WebSockets of the page: who may open one is decided before it is accepted, and what it may send is bounded."""

import asyncio
import base64
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from starlette.applications import Starlette
from starlette.responses import PlainTextResponse
from starlette.routing import Mount, Route, WebSocketRoute
from starlette.websockets import WebSocket, WebSocketDisconnect
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.typing import Origin, Subprotocol

from nanoclaw.console import web_server
from nanoclaw.console.access import BEARER, AccessGuard
from nanoclaw.console.web_server import WebServer

RIGHT = "right-5f3b9c"
HEADER = {"Authorization": f"Bearer {RIGHT}"}


class Echo:
    """Gives back what it hears; counts who was let in."""

    def __init__(self) -> None:
        self.let_in = 0

    async def serve(self, socket: WebSocket) -> None:
        self.let_in += 1
        await socket.accept(subprotocol=next(iter(socket.scope["subprotocols"]), None))
        try:
            while True:
                await socket.send_bytes(await socket.receive_bytes())
        except WebSocketDisconnect:
            pass


@asynccontextmanager
async def serving(echo: Echo) -> AsyncIterator[str]:
    """Its address, without the scheme."""
    app = Starlette(
        routes=[
            WebSocketRoute("/api/echo", echo.serve),
            Mount("/static", Route("/x", lambda _request: PlainTextResponse("x"))),
        ]
    )
    server = WebServer(0)
    server.start(AccessGuard(app, token=RIGHT, locked=PlainTextResponse("locked", 401), language="en"))
    try:
        yield server.url.removeprefix("http://")
    finally:
        await server.stop()


@pytest.fixture
def echo() -> Echo:
    return Echo()


@pytest.fixture
async def at(echo: Echo) -> AsyncIterator[str]:
    async with serving(echo) as address:
        yield address


def bearer(token: str) -> str:
    return BEARER + base64.urlsafe_b64encode(token.encode()).decode().rstrip("=")


def program(at: str, path: str = "/api/echo", **headers: str) -> connect:
    return connect(f"ws://{at}{path}", additional_headers=headers, proxy=None, max_size=None)


def page(at: str, token: str = RIGHT, origin: str | None = None) -> connect:
    """As a browser does: with its origin, and no header of its own."""
    named = [Subprotocol("nanoclaw.terminal"), Subprotocol(bearer(token))]
    return connect(
        f"ws://{at}/api/echo", origin=Origin(origin or f"http://{at}"), subprotocols=named, proxy=None
    )


async def heard(socket: ClientConnection, said: bytes) -> bytes:
    await socket.send(said)
    got = await socket.recv()
    assert isinstance(got, bytes)
    return got


async def test_a_program_shows_the_token_in_its_header_and_a_page_among_its_protocols(at: str) -> None:
    async with program(at, **HEADER) as one, page(at) as other:
        assert await heard(one, b"one") == b"one"
        assert await heard(other, "друга 🐾".encode()) == "друга 🐾".encode()
        assert other.subprotocol == "nanoclaw.terminal"  # never the one that holds the token


@pytest.mark.attack
@pytest.mark.capability("O3")
async def test_nobody_else_is_let_in(at: str, echo: Echo, caplog: pytest.LogCaptureFixture) -> None:
    port = at.rpartition(":")[2]
    attempts = {
        "no token": program(at),
        "a wrong one": program(at, Authorization="Bearer wrong"),
        "only its beginning": program(at, Authorization=f"Bearer {RIGHT[:-1]}"),
        "in the address": program(at, f"/api/echo?token={RIGHT}"),
        "in a cookie": program(at, Cookie=f"token={RIGHT}"),
        "another page of this machine": page(at, origin=f"http://127.0.0.1:{int(port) + 1}"),
        "another site": page(at, origin="https://evil.example"),
        "a sandboxed frame": page(at, origin="null"),
        "a page with a header": connect(
            f"ws://{at}/api/echo",
            origin=Origin(f"http://{at}"),
            additional_headers=HEADER,
            proxy=None,
        ),
        "a page with a wrong token": page(at, "wrong"),
        "a page with no letters": page(at, ""),
        "a name that was pointed here": connect(
            f"ws://evil.example:{port}/api/echo",
            host="127.0.0.1",
            port=int(port),
            additional_headers=HEADER,
            proxy=None,
        ),
        "the scripts": program(at, "/static/x", **HEADER),
        "another address": program(at, "/api/other", **HEADER),
    }
    for how, attempt in attempts.items():
        with pytest.raises(InvalidStatus) as refused:
            async with attempt:
                pytest.fail(f"was let in: {how}")
        assert refused.value.response.status_code == 403, how
    assert echo.let_in == 0
    assert caplog.records == []  # nobody can fill the log
    async with page(at) as right:
        assert await heard(right, b"still there") == b"still there"


@pytest.mark.attack
async def test_a_frame_that_is_too_big_ends_its_own_connection_only(at: str) -> None:
    async with program(at, **HEADER) as good, program(at, **HEADER) as bad:
        with pytest.raises(ConnectionClosed) as closed:
            await heard(bad, b"x" * 10_000_000)
        assert closed.value.rcvd is None or closed.value.rcvd.code == 1009
        assert await heard(good, b"y" * 200_000) == b"y" * 200_000


@pytest.mark.attack
async def test_whoever_never_reads_and_never_ends_keeps_nobody_out(
    echo: Echo, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(web_server, "_CONNECTIONS", 4)
    async with serving(echo) as at, program(at, **HEADER) as kept:
        host, port = at.split(":")
        # Heads that do not end, of WebSockets that nobody was asked about.
        begun = [await asyncio.open_connection(host, int(port)) for _ in range(12)]
        for _, writer in begun:
            writer.write(b"GET /api/echo HTTP/1.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n")
        async with program(at, **HEADER) as newcomer:
            assert await heard(newcomer, b"here") == b"here"
        assert await heard(kept, b"kept") == b"kept"  # it is served, so it keeps its place
        for _, writer in begun:
            writer.close()


async def test_a_host_that_stops_says_so(echo: Echo) -> None:
    async with serving(echo) as at:
        socket = await program(at, **HEADER)
        await heard(socket, b"hello")
    with pytest.raises(ConnectionClosed) as closed:
        await socket.recv()
    assert closed.value.rcvd
    assert closed.value.rcvd.code == 1012
