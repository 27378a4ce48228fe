"""The way out of a box: only hosts on the list, never the owner's own network, and every connection is told of."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from functools import partial
from pathlib import Path

import pytest
import pytest_asyncio

from nanoclaw.domain.errors import BadSettings
from nanoclaw.domain.money import Spender
from nanoclaw.domain.turns import Connected, RuntimeEvent
from nanoclaw.durable import connections
from nanoclaw.durable.connections import Connection, Verdict
from nanoclaw.durable.store import open_store
from nanoclaw.gateway.addresses import is_public, normal, parse_pattern
from nanoclaw.gateway.connection_log import ConnectionLog
from nanoclaw.gateway.passage import Line
from nanoclaw.gateway.proxy import Proxy
from nanoclaw.gateway.way_out import WayOut
from nanoclaw.testing import made_database

pytestmark = [pytest.mark.capability("A18"), pytest.mark.asyncio(loop_scope="module")]
for_a_test = partial(pytest_asyncio.fixture, loop_scope="module")

SPENDER = Spender(company="acme", group="main", session_id="s_1", turn_id="t_1", runtime="claude")
Serve = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


class Out:
    """A proxy with one open door, and what was told of its connections."""

    def __init__(self) -> None:
        self.told: list[Connection] = []
        self.heard: list[RuntimeEvent] = []
        self.answers: dict[str, list[str]] = {}
        self.lookups: list[str] = []
        self.path = Path()
        self._news = asyncio.Condition()

    async def resolve(self, host: str, _port: int) -> list[str]:
        self.lookups.append(host)
        if host not in self.answers:
            raise OSError(f"{host} is not known")
        return self.answers[host]

    def note(self, spender: Spender, connection: Connection) -> None:
        assert spender == SPENDER
        self.told.append(connection)

    async def ask(self, request: bytes) -> bytes:
        """Everything that comes back for a request."""
        reader, writer = await asyncio.open_unix_connection(self.path)
        writer.write(request)
        async with asyncio.timeout(60):
            try:
                return await reader.read()
            finally:
                writer.close()

    async def connect(self, target: str) -> tuple[asyncio.StreamReader, asyncio.StreamWriter, bytes]:
        reader, writer = await asyncio.open_unix_connection(self.path)
        writer.write(f"CONNECT {target} HTTP/1.1\r\nHost: {target}\r\n\r\n".encode())
        async with asyncio.timeout(60):
            return reader, writer, await reader.readuntil(b"\r\n\r\n")

    async def wait_for_told(self, count: int = 1) -> list[Connection]:
        async with asyncio.timeout(60):
            while len(self.told) < count:
                await asyncio.sleep(0.005)
        return self.told


@asynccontextmanager
async def _way_out(
    *hosts: str, private: frozenset[str] = frozenset(), idle: float = 10
) -> AsyncIterator[Out]:
    out = Out()
    proxy = Proxy(out.note, resolver=out.resolve, idle=idle)
    line = Line(spender=SPENDER, listener=out.heard.append, models=())
    out.path = await proxy.open(line, WayOut(hosts=hosts, private=private))
    try:
        yield out
    finally:
        await proxy.close()


@asynccontextmanager
async def _inside(serve: Serve, *, idle: float = 10) -> AsyncIterator[tuple[Out, int]]:
    """A server of the owner's own network, which the box may reach by the name `inside.test`."""
    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    async with server, _way_out(f"inside.test:{port}", private=frozenset({"Inside.Test."}), idle=idle) as out:
        out.answers["inside.test"] = ["127.0.0.1"]
        yield out, port


async def _echo(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Says back in capitals what it heard, after the other side has finished."""
    writer.write((await reader.read()).upper())
    writer.close()


async def _web(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Says back the request as it came."""
    head = await reader.readuntil(b"\r\n\r\n")
    body = b""
    if b"chunked" in head:
        body = await reader.readuntil(b"0\r\n\r\n")
    elif b"content-length" in head.lower():
        length = head.lower().partition(b"content-length:")[2].partition(b"\r\n")[0]
        body = await reader.readexactly(int(length))
    said = head + body
    writer.write(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nX-Far: yes\r\n\r\n")
    writer.write(b"%x\r\n%s\r\n0\r\n\r\n" % (len(said), said))
    await writer.drain()
    writer.close()


async def test_a_tunnel_carries_both_ways_and_is_counted() -> None:
    async with _inside(_echo) as (out, port):
        reader, writer, head = await out.connect(f"INSIDE.test.:{port}")
        assert head.startswith(b"HTTP/1.1 200")
        writer.write(b"hello")
        writer.write_eof()  # the far end answers only after this: one half may end before the other
        assert await reader.read() == b"HELLO"
        [told] = await out.wait_for_told()
        assert (told.host, told.port, told.verdict) == ("inside.test", port, Verdict.ALLOWED)
        assert (told.sent, told.received) == (5, 5)
        assert out.heard == [Connected(host="inside.test", port=port, allowed=True)]
        assert out.lookups == ["inside.test"]  # once: what was checked is what was connected to
        writer.close()


async def test_what_is_said_before_the_tunnel_is_there_is_not_lost() -> None:
    async with _inside(_echo) as (out, port):
        reader, writer = await asyncio.open_unix_connection(out.path)
        writer.write(f"CONNECT inside.test:{port} HTTP/1.1\r\nHost: x\r\n\r\nearly".encode())
        writer.write_eof()
        async with asyncio.timeout(60):
            assert (await reader.read()).endswith(b"\r\n\r\nEARLY")
        writer.close()


async def test_a_plain_request_is_forwarded_as_a_request() -> None:
    async with _inside(_web) as (out, port):
        answer = await out.ask(
            f"POST http://inside.test:{port}/a?b=c HTTP/1.1\r\nHost: other.test\r\nProxy-Authorization: x\r\n"
            "X-Mine: 1\r\nContent-Length: 4\r\n\r\nbody".encode()
        )
        head, _, rest = answer.partition(b"\r\n\r\n")
        assert head.startswith(b"HTTP/1.1 200")
        assert b"x-far: yes" in head
        assert b"POST /a?b=c HTTP/1.1" in rest
        assert f"inside.test:{port}".encode() in rest
        assert b"other.test" not in rest
        assert b"x-mine: 1" in rest.lower()
        assert b"proxy-authorization" not in rest.lower()
        assert b"body" in rest
        [told] = await out.wait_for_told()
        assert told.verdict is Verdict.ALLOWED
        assert told.sent > 0
        assert told.received > 0


async def test_a_body_in_pieces_is_forwarded_too() -> None:
    async with _inside(_web) as (out, port):
        answer = await out.ask(
            f"PUT http://inside.test:{port}/ HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n"
            "Expect: 100-continue\r\n\r\n3\r\nabc\r\n0\r\n\r\n".encode()
        )
        assert b"abc" in answer


@pytest.mark.parametrize(
    ("target", "verdict"),
    [
        ("evil.test:443", Verdict.NOT_LISTED),
        ("good.test:22", Verdict.NOT_LISTED),
        ("sub.good.test:443", Verdict.NOT_LISTED),
        ("good.test.evil.test:443", Verdict.NOT_LISTED),
        ("notgood.test:443", Verdict.NOT_LISTED),
        ("wild.test:443", Verdict.NOT_LISTED),
        ("127.0.0.1:443", Verdict.NOT_LISTED),
        ("2130706433:443", Verdict.NOT_LISTED),
        ("[::1]:443", Verdict.NOT_LISTED),
        ("[::ffff:127.0.0.1]:443", Verdict.NOT_LISTED),
        ("10.0.0.1:80", Verdict.PRIVATE),
        ("GOOD.test.:443", Verdict.UNRESOLVED),
        ("a.b.wild.test:80", Verdict.UNRESOLVED),
        ("xn--80ak6aa92e.test:443", Verdict.UNRESOLVED),
    ],
)
async def test_what_is_not_let_out_is_told(target: str, verdict: Verdict) -> None:
    async with _way_out("good.test", "*.wild.test", "10.0.0.1", "аррӏе.test") as out:
        for request in (f"CONNECT {target}", f"GET http://{target}/"):
            answer = await out.ask(f"{request} HTTP/1.1\r\nHost: good.test\r\n\r\n".encode())
            status = 502 if verdict is Verdict.UNRESOLVED else 403
            assert answer.startswith(f"HTTP/1.1 {status} ".encode())
            assert answer.endswith(b".\n")
        told = await out.wait_for_told(2)
        assert [connection.verdict for connection in told] == [verdict, verdict]
        assert all(isinstance(event, Connected) and not event.allowed for event in out.heard)


@pytest.mark.parametrize(
    "addresses",
    [
        ["127.0.0.1"],
        ["169.254.169.254"],
        ["10.1.2.3"],
        ["100.64.0.1"],
        ["0.0.0.0"],
        ["224.0.0.1"],
        ["255.255.255.255"],
        ["::1"],
        ["::"],
        ["::ffff:10.0.0.1"],
        ["::127.0.0.1"],
        ["64:ff9b::7f00:1"],
        ["64:ff9b:1::1"],
        ["2002:7f00:1::"],
        ["2001:0:4136:e378:8000:63bf:3fff:fdd2"],
        ["fe80::1%1"],
        ["fec0::1"],
        ["fd00::1"],
        ["ff02::1"],
        ["93.184.216.34", "127.0.0.1"],
        ["93.184.216.34", "::1"],
        [],
    ],
)
async def test_a_name_that_leads_inside_is_refused(addresses: list[str]) -> None:
    async with _way_out("good.test") as out:
        out.answers["good.test"] = addresses
        answer = await out.ask(b"CONNECT good.test:443 HTTP/1.1\r\nHost: x\r\n\r\n")
        assert not answer.startswith(b"HTTP/1.1 200")
        [told] = await out.wait_for_told()
        assert told.verdict is (Verdict.PRIVATE if addresses else Verdict.UNRESOLVED)


@pytest.mark.parametrize(
    "address", ["93.184.216.34", "2606:2800:220:1::1", "::ffff:8.8.8.8", "64:ff9b::808:808"]
)
async def test_the_world_is_public(address: str) -> None:
    assert is_public(address)


async def test_nobody_there_is_told_as_failed() -> None:
    async with _way_out("inside.test:9", private=frozenset({"inside.test"})) as out:
        out.answers["inside.test"] = ["127.0.0.1"]
        answer = await out.ask(b"CONNECT inside.test:9 HTTP/1.1\r\nHost: x\r\n\r\n")
        assert answer.startswith(b"HTTP/1.1 502 ")
        [told] = await out.wait_for_told()
        assert told.verdict is Verdict.FAILED


@pytest.mark.parametrize(
    "request_bytes",
    [
        b"nonsense\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: good.test\r\n\r\n",
        b"GET https://good.test/ HTTP/1.1\r\nHost: good.test\r\n\r\n",
        b"GET http://user@good.test/ HTTP/1.1\r\nHost: good.test\r\n\r\n",
        b"GET file:///etc/passwd HTTP/1.1\r\nHost: good.test\r\n\r\n",
        b"CONNECT good.test HTTP/1.1\r\nHost: good.test\r\n\r\n",
        b"CONNECT good.test:0 HTTP/1.1\r\nHost: good.test\r\n\r\n",
        b"CONNECT good.test:99999 HTTP/1.1\r\nHost: good.test\r\n\r\n",
        b"CONNECT :443 HTTP/1.1\r\nHost: good.test\r\n\r\n",
        b"CONNECT good..test:443 HTTP/1.1\r\nHost: good.test\r\n\r\n",
        b"CONNECT " + b"a" * 64 + b".test:443 HTTP/1.1\r\nHost: good.test\r\n\r\n",
        b"GET http://good.test/ HTTP/1.1\r\nX: " + b"a" * 100_000 + b"\r\n\r\n",
    ],
)
async def test_what_is_no_request_to_a_proxy_is_refused(request_bytes: bytes) -> None:
    async with _way_out("good.test") as out:
        answer = await out.ask(request_bytes)
        assert answer.startswith(b"HTTP/1.1 4")
        assert out.lookups == []


async def test_silence_ends_a_connection() -> None:
    ended = asyncio.Event()

    async def listen(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"hello")
        with suppress(ConnectionError):
            await reader.read()
        ended.set()
        writer.close()

    async with _inside(listen, idle=0.2) as (out, port):
        reader, writer, _ = await out.connect(f"inside.test:{port}")
        async with asyncio.timeout(60):
            assert await reader.readexactly(5) == b"hello"
            await ended.wait()
        [told] = await out.wait_for_told()
        assert (told.verdict, told.received) == (Verdict.ALLOWED, 5)
        writer.close()


async def test_too_many_connections_at_once_are_refused() -> None:
    async with _inside(_echo) as (out, port):
        open_ones = [await out.connect(f"inside.test:{port}") for _ in range(64)]
        answer = await out.ask(f"CONNECT inside.test:{port} HTTP/1.1\r\nHost: x\r\n\r\n".encode())
        assert answer.startswith(b"HTTP/1.1 503 ")
        for _, writer, _ in open_ones:
            writer.close()
        await out.wait_for_told(64)
        _, writer, head = await out.connect(f"inside.test:{port}")
        assert head.startswith(b"HTTP/1.1 200")
        writer.close()


async def test_a_closed_door_cuts_what_is_under_way() -> None:
    async with _inside(_echo) as (out, port):
        reader, writer, _ = await out.connect(f"inside.test:{port}")
    async with asyncio.timeout(60):
        with suppress(ConnectionError):  # an end is as good as a break
            assert await reader.read() == b""
    assert [told.verdict for told in out.told] == [Verdict.ALLOWED]
    writer.close()


@pytest.mark.parametrize(
    "written",
    ["", "*", "*.", "**.a", "a b", "a/b", "http://a", "a:0", "a:x", "*.10.0.0.1", "[::1", "a..b", "-a"],
)
async def test_a_pattern_that_is_none_is_refused(written: str) -> None:
    with pytest.raises(BadSettings, match="network-pattern"):
        parse_pattern(written)


async def test_names_are_compared_in_one_way_of_writing() -> None:
    assert normal("Приклад.Укр.") == normal("xn--80aikifvh.xn--j1amh")
    assert parse_pattern("Example.COM.").fits("example.com", 443)
    assert parse_pattern("[2606:2800:0220:1::1]:8443").fits("2606:2800:220:1::1", 8443)
    assert not parse_pattern("*.example.com").fits("example.com", 443)


async def test_connections_are_written_into_the_database(tmp_path: Path) -> None:
    store = open_store(made_database(tmp_path / "store.db"))
    book = ConnectionLog(store)
    async with _way_out() as out:
        await out.ask(b"CONNECT evil.test:443 HTTP/1.1\r\nHost: x\r\n\r\n")
        [told] = await out.wait_for_told()
    book(SPENDER, told)
    await book.close()
    [row] = await store.read(lambda tx: connections.of_turn(tx, "t_1"))
    assert (row.host, row.port, row.verdict) == ("evil.test", 443, Verdict.NOT_LISTED)
    store.close()


async def test_a_loop_that_knocks_at_a_closed_door_does_not_fill_the_disk(tmp_path: Path) -> None:
    store = open_store(made_database(tmp_path / "store.db"))
    book = ConnectionLog(store)
    async with _way_out() as out:
        await out.ask(b"CONNECT evil.test:443 HTTP/1.1\r\nHost: x\r\n\r\n")
        [told] = await out.wait_for_told()
    for _ in range(200):
        book(SPENDER, told)
    await book.close()
    assert len(await store.read(lambda tx: connections.of_turn(tx, "t_1"))) == 20
    store.close()
