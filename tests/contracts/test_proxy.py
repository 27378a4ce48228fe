"""The way out of a box: only hosts on the list, never the owner's own network, and every connection is told of."""

import asyncio
import gc
import secrets
import socket
import ssl
import struct
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from functools import partial
from pathlib import Path

import pytest
import pytest_asyncio
from structlog.testing import capture_logs

from nanoclaw.domain.errors import BadSettings
from nanoclaw.domain.money import Spender
from nanoclaw.domain.turns import Connected, RuntimeEvent
from nanoclaw.durable import connections
from nanoclaw.durable.connections import Connection, ConnectionVerdict
from nanoclaw.durable.store import open_store
from nanoclaw.gateway import tls
from nanoclaw.gateway.addresses import is_public, normal, parse_pattern
from nanoclaw.gateway.connection_log import ConnectionLog
from nanoclaw.gateway.egress import Egress
from nanoclaw.gateway.model_calls import GatewayLine
from nanoclaw.gateway.proxy import Proxy
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
async def _egress(*hosts: str, private: frozenset[str] = frozenset(), idle: float = 10) -> AsyncIterator[Out]:
    out = Out()
    proxy = Proxy(out.note, resolver=out.resolve, idle=idle)
    line = GatewayLine(spender=SPENDER, listener=out.heard.append, models=())
    out.path = await proxy.open(line, Egress(hosts=hosts, private=private))
    try:
        yield out
    finally:
        await proxy.close()


@asynccontextmanager
async def _inside(serve: Serve, *, idle: float = 10) -> AsyncIterator[tuple[Out, int]]:
    """A server of the owner's own network, which the box may reach by the name `inside.test`."""
    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    async with server, _egress(f"inside.test:{port}", private=frozenset({"Inside.Test."}), idle=idle) as out:
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
        assert (told.host, told.port, told.verdict) == ("inside.test", port, ConnectionVerdict.ALLOWED)
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
        assert told.verdict is ConnectionVerdict.ALLOWED
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
        ("evil.test:443", ConnectionVerdict.NOT_LISTED),
        ("good.test:22", ConnectionVerdict.NOT_LISTED),
        ("sub.good.test:443", ConnectionVerdict.NOT_LISTED),
        ("good.test.evil.test:443", ConnectionVerdict.NOT_LISTED),
        ("notgood.test:443", ConnectionVerdict.NOT_LISTED),
        ("wild.test:443", ConnectionVerdict.NOT_LISTED),
        ("127.0.0.1:443", ConnectionVerdict.NOT_LISTED),
        ("2130706433:443", ConnectionVerdict.NOT_LISTED),
        ("[::1]:443", ConnectionVerdict.NOT_LISTED),
        ("[::ffff:127.0.0.1]:443", ConnectionVerdict.NOT_LISTED),
        ("10.0.0.1:80", ConnectionVerdict.PRIVATE),
        ("GOOD.test.:443", ConnectionVerdict.UNRESOLVED),
        ("a.b.wild.test:80", ConnectionVerdict.UNRESOLVED),
        ("xn--80ak6aa92e.test:443", ConnectionVerdict.UNRESOLVED),
    ],
)
async def test_what_is_not_let_out_is_told(target: str, verdict: ConnectionVerdict) -> None:
    async with _egress("good.test", "*.wild.test", "10.0.0.1", "аррӏе.test") as out:
        for request in (f"CONNECT {target}", f"GET http://{target}/"):
            answer = await out.ask(f"{request} HTTP/1.1\r\nHost: good.test\r\n\r\n".encode())
            status = 502 if verdict is ConnectionVerdict.UNRESOLVED else 403
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
        ["168.63.129.16"],
        ["161.26.0.10"],
        ["100.100.100.200"],
        ["fd00:ec2::254"],
        ["::ffff:168.63.129.16"],
        ["93.184.216.34", "168.63.129.16"],
        ["93.184.216.34", "127.0.0.1"],
        ["93.184.216.34", "::1"],
        [],
    ],
)
async def test_a_name_that_leads_inside_is_refused(addresses: list[str]) -> None:
    async with _egress("good.test") as out:
        out.answers["good.test"] = addresses
        answer = await out.ask(b"CONNECT good.test:443 HTTP/1.1\r\nHost: x\r\n\r\n")
        assert not answer.startswith(b"HTTP/1.1 200")
        [told] = await out.wait_for_told()
        assert told.verdict is (ConnectionVerdict.PRIVATE if addresses else ConnectionVerdict.UNRESOLVED)


@pytest.mark.parametrize(
    "address", ["93.184.216.34", "2606:2800:220:1::1", "::ffff:8.8.8.8", "64:ff9b::808:808"]
)
async def test_the_world_is_public(address: str) -> None:
    assert is_public(address)


async def test_nobody_there_is_told_as_failed() -> None:
    async with _egress("inside.test:9", private=frozenset({"inside.test"})) as out:
        out.answers["inside.test"] = ["127.0.0.1"]
        answer = await out.ask(b"CONNECT inside.test:9 HTTP/1.1\r\nHost: x\r\n\r\n")
        assert answer.startswith(b"HTTP/1.1 502 ")
        [told] = await out.wait_for_told()
        assert told.verdict is ConnectionVerdict.FAILED


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
    async with _egress("good.test") as out:
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
        assert (told.verdict, told.received) == (ConnectionVerdict.ALLOWED, 5)
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


@pytest.mark.attack
async def test_idle_connections_of_a_box_take_nothing_from_anyone() -> None:
    async with _inside(_echo) as (out, port):
        before = len(list(Path("/proc/self/fd").iterdir()))
        idle = [await asyncio.open_unix_connection(out.path) for _ in range(300)]
        _, writer, head = await out.connect(f"inside.test:{port}")
        assert head.startswith(b"HTTP/1.1 200")
        assert len(list(Path("/proc/self/fd").iterdir())) - before - len(idle) < 90
        for _, each in idle:
            each.close()
        writer.close()


def _hello(name: str | None) -> bytes:
    """The first message of a real TLS client."""
    incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
    context = ssl.create_default_context()
    context.check_hostname = False
    with suppress(ssl.SSLWantReadError):
        context.wrap_bio(incoming, outgoing, server_hostname=name).do_handshake()
    return bytes(outgoing.read())


def _in_small_records(hello: bytes, count: int = 8) -> bytes:
    content = hello[5:]
    size = -(-len(content) // count)
    pieces = [content[at : at + size] for at in range(0, len(content), size)]
    return b"".join(hello[:3] + len(piece).to_bytes(2, "big") + piece for piece in pieces)


@pytest.mark.attack
@pytest.mark.parametrize(
    "said",
    [
        _hello("hidden.test"),
        _hello(None),
        _in_small_records(_hello("hidden.test")),
        _hello("inside.test.hidden.test"),
        _hello("inside.test")[:-10],  # it ends before it is complete
        _in_small_records(_hello("inside.test"), 9),  # each piece that comes is read with all before it
        _in_small_records(_hello("inside.test"), 10_000),
        bytes.fromhex("16030140000100ffff"),  # longer than any client's
    ],
)
async def test_another_name_inside_a_tunnel_does_not_go_out(said: bytes) -> None:
    heard = bytearray()

    async def listen(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        heard.extend(await reader.read())
        writer.close()

    with capture_logs() as logged:
        async with _inside(listen) as (out, port):
            reader, writer, head = await out.connect(f"inside.test:{port}")
            assert head.startswith(b"HTTP/1.1 200")
            writer.write(said)
            writer.write_eof()
            async with asyncio.timeout(60):
                assert await reader.read() in (b"", tls.UNRECOGNIZED_NAME)
            [told] = await out.wait_for_told()
            assert (told.verdict, told.sent, bytes(heard)) == (ConnectionVerdict.OTHER_NAME, 0, b"")
            assert out.heard[-1] == Connected(host="inside.test", port=port, allowed=False)
            writer.close()
    assert "another name in a tunnel" in str(logged)
    assert "hidden" not in str(logged)  # the box chooses that name


async def test_a_connection_that_is_reset_ends_its_tunnel_and_is_told(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async def reset(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readexactly(5)
        at_once = struct.pack("ii", 1, 0)
        writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, at_once)
        writer.transport.abort()

    async with _inside(reset) as (out, port):
        reader, writer, _ = await out.connect(f"inside.test:{port}")
        writer.write(b"hello")
        async with asyncio.timeout(60):
            assert await reader.read() == b""
        [told] = await out.wait_for_told()
        assert (told.verdict, told.sent) == (ConnectionVerdict.ALLOWED, 5)
        writer.close()
    gc.collect()  # asyncio tells of a task that fell when it is forgotten
    assert caplog.text == ""


@pytest.mark.attack
async def test_a_box_that_hangs_up_after_another_name_is_told_of_as_such() -> None:
    async with _inside(_echo) as (out, port):
        _, writer, _ = await out.connect(f"inside.test:{port}")
        writer.write(_hello("hidden.test"))
        writer.transport.abort()
        [told] = await out.wait_for_told()
        assert (told.verdict, told.sent) == (ConnectionVerdict.OTHER_NAME, 0)


@pytest.mark.parametrize("cut", [bytes, _in_small_records])
async def test_a_tunnel_with_the_right_name_inside_is_left_alone(cut: Callable[[bytes], bytes]) -> None:
    async with _inside(_echo) as (out, port):
        reader, writer, _ = await out.connect(f"inside.test:{port}")
        said = cut(_hello("Inside.TEST"))
        for at in range(0, len(said), 100):  # as a slow network would bring it
            writer.write(said[at : at + 100])
            await writer.drain()
        writer.write_eof()
        async with asyncio.timeout(60):
            assert await reader.read() == said.upper()
        [told] = await out.wait_for_told()
        assert told.verdict is ConnectionVerdict.ALLOWED
        writer.close()


@asynccontextmanager
async def _web_port(serve: Serve, port: int) -> AsyncIterator[Out]:
    """`inside.test`, on a port that the list need not name. An address of its own, so that it is free."""
    address = "127." + ".".join(str(secrets.randbelow(250) + 1) for _ in range(3))
    try:
        server = await asyncio.start_server(serve, address, port)
    except PermissionError:
        pytest.skip("this user may not listen on the ports of the web")
    async with server, _egress("inside.test", private=frozenset({"inside.test"})) as out:
        out.answers["inside.test"] = [address]
        yield out


@pytest.mark.attack
@pytest.mark.parametrize("said", [b"GET / HTTP/1.1\r\nHost: x\r\n\r\n", b"SSH-2.0-x\r\n", b"\x16\x02"])
async def test_what_is_no_tls_does_not_pass_on_the_port_of_sealed_pages(said: bytes) -> None:
    async with _web_port(_echo, 443) as out:
        reader, writer, head = await out.connect("inside.test:443")
        assert head.startswith(b"HTTP/1.1 200")
        writer.write(said)
        async with asyncio.timeout(60):
            assert await reader.read() == b""
        [told] = await out.wait_for_told()
        assert (told.verdict, told.sent) == (ConnectionVerdict.OTHER_NAME, 0)
        writer.close()


@pytest.mark.attack
async def test_a_request_in_a_tunnel_to_the_open_web_is_for_the_host_that_was_checked() -> None:
    async with _web_port(_web, 80) as out:
        reader, writer, _ = await out.connect("inside.test:80")
        writer.write(b"GET http://other.test/a HTTP/1.1\r\nHost: other.test\r\n\r\n")
        async with asyncio.timeout(60):
            answer = await reader.read()
        assert b"GET /a HTTP/1.1" in answer
        assert b"inside.test" in answer
        assert b"other.test" not in answer
        writer.close()


@pytest.mark.attack
@pytest.mark.parametrize(
    "framing",
    [
        "Content-Length: 4\r\nTransfer-Encoding: chunked",
        "Transfer-Encoding: chunked\r\nContent-Length: 4",
        "Content-Length: 4\r\nContent-Length: 5",
    ],
)
async def test_a_request_with_two_ends_is_not_passed_on(framing: str) -> None:
    async with _inside(_web) as (out, port):
        answer = await out.ask(
            f"POST http://inside.test:{port}/ HTTP/1.1\r\nHost: x\r\n{framing}\r\n\r\n0\r\n\r\n".encode()
        )
        assert answer.startswith(b"HTTP/1.1 400 ")
        assert out.told == []


async def test_a_closed_door_cuts_what_is_under_way() -> None:
    async with _inside(_echo) as (out, port):
        reader, writer, _ = await out.connect(f"inside.test:{port}")
    async with asyncio.timeout(60):
        with suppress(ConnectionError):  # an end is as good as a break
            assert await reader.read() == b""
    assert [told.verdict for told in out.told] == [ConnectionVerdict.ALLOWED]
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
    async with _egress() as out:
        await out.ask(b"CONNECT evil.test:443 HTTP/1.1\r\nHost: x\r\n\r\n")
        [told] = await out.wait_for_told()
    book(SPENDER, told)
    await book.close()
    [row] = await store.read(lambda tx: connections.of_turn(tx, "t_1"))
    assert (row.host, row.port, row.verdict) == ("evil.test", 443, ConnectionVerdict.NOT_LISTED)
    store.close()


async def test_a_loop_that_knocks_at_a_closed_door_does_not_fill_the_disk(tmp_path: Path) -> None:
    store = open_store(made_database(tmp_path / "store.db"))
    book = ConnectionLog(store)
    async with _egress() as out:
        await out.ask(b"CONNECT evil.test:443 HTTP/1.1\r\nHost: x\r\n\r\n")
        [told] = await out.wait_for_told()
    for _ in range(200):
        book(SPENDER, told)
    await book.close()
    assert len(await store.read(lambda tx: connections.of_turn(tx, "t_1"))) == 20
    store.close()
