"""The egress of a box: a proxy on its own socket that admits listed hosts and reports every connection."""

import asyncio
import time
from collections.abc import Callable, Iterable, Set
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from urllib.parse import urlsplit

import h11
import structlog

from nanoclaw.domain.money import Spender
from nanoclaw.domain.turns import Connected
from nanoclaw.durable.clock import now
from nanoclaw.durable.connections import Connection, ConnectionVerdict
from nanoclaw.gateway import relay, tls
from nanoclaw.gateway.addresses import Resolver, literal, normal, resolve, split_port
from nanoclaw.gateway.descriptors import Pool
from nanoclaw.gateway.egress import Egress, EgressJudge, NoEgress
from nanoclaw.gateway.listener import Listener
from nanoclaw.gateway.model_calls import GatewayLine
from nanoclaw.gateway.relay import Stream
from nanoclaw.gateway.sockets import SocketFolder, is_of_box

log = structlog.get_logger("proxy")

Note = Callable[[Spender, Connection], None]

_BIGGEST_HEAD = 32 << 10
_CONCURRENT = 64
_WAITING = 16  # beyond those, so that they can be told that there are too many
_WEB, _SEALED_WEB = 80, 443
_CONNECT = 10.0  # seconds for each address of a host
_FRAMING = frozenset({b"transfer-encoding"})
_HOP_BY_HOP = frozenset(
    b"connection keep-alive proxy-authenticate proxy-authorization proxy-connection te trailer upgrade".split()
)
_SENTENCES = {
    ConnectionVerdict.NOT_LISTED: "This host is not on the list of hosts that this agent may reach.",
    ConnectionVerdict.PRIVATE: "This name leads to an address of a private network, which agents may not reach.",
    ConnectionVerdict.UNRESOLVED: "This host name is not known.",
    ConnectionVerdict.FAILED: "Nothing answers at this host and port.",
}
_UNCLEAR = "This is not a request that a proxy understands."


@dataclass(frozen=True, kw_only=True, slots=True)
class _Box:
    listener: Listener
    talks: set["asyncio.Task[None]"] = field(default_factory=set)


class Proxy:
    """`note` is told about every connection when it is over."""

    def __init__(self, note: Note, *, resolver: Resolver = resolve, idle: float = 60.0) -> None:
        self._note = note
        self._resolver = resolver
        self._idle = idle
        self._folder = SocketFolder()
        self._boxes: dict[Path, _Box] = {}
        self._pool = Pool(cost=2)  # one to the box, one to the far end

    async def open(self, line: GatewayLine, egress: Egress) -> Path:
        """A socket for a box. Raises BadSettings for an invalid pattern."""
        judge = EgressJudge(egress, self._resolver)
        path, listening = self._folder.listen()

        def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            talking = _Talk(Stream(reader, writer), line, judge, self._note, self._idle)
            protocol = writer.transport.get_protocol()
            task = asyncio.create_task(talking.run(box.listener, protocol))
            box.talks.add(task)
            task.add_done_callback(box.talks.discard)

        listener = Listener(
            listening,
            lambda: asyncio.StreamReaderProtocol(asyncio.StreamReader(), talk),
            most=_CONCURRENT + _WAITING,
            patience=self._idle,
            may_enter=partial(is_of_box, path),
            pool=self._pool,
        )
        box = self._boxes[path] = _Box(listener=listener)
        return path

    async def close_door(self, path: Path) -> None:
        """The box is gone: cut its connections."""
        box = self._boxes.pop(path, None)
        if box is None:
            return
        box.listener.close()
        for talk in box.talks:
            talk.cancel()
        await asyncio.gather(*box.talks, return_exceptions=True)
        box.listener.abort_all()
        self._folder.remove(path)

    async def close(self) -> None:
        for path in list(self._boxes):
            await self.close_door(path)
        self._folder.close()


class _Talk:
    """One connection from the box."""

    def __init__(self, box: Stream, line: GatewayLine, judge: EgressJudge, note: Note, idle: float) -> None:
        self._box = box
        self._line = line
        self._judge = judge
        self._note = note
        self._idle = idle
        self._http = h11.Connection(h11.SERVER, max_incomplete_event_size=_BIGGEST_HEAD)
        self._is_disguised = False

    async def run(self, listener: Listener, protocol: asyncio.BaseProtocol) -> None:
        try:
            async with asyncio.timeout(self._idle):
                request = await self._next()
            if not isinstance(request, h11.Request):
                return
            if self._line.resting:
                await self._refuse(403, "No turn is running, so nothing goes out.")
            elif listener.served >= _CONCURRENT:
                await self._refuse(503, f"At most {_CONCURRENT} connections can be open at once.")
            else:
                with listener.serving(protocol):
                    await self._serve(request)
        except h11.RemoteProtocolError as error:
            with suppress(OSError, h11.LocalProtocolError):
                await self._refuse(error.error_status_hint, _UNCLEAR)
        except (OSError, TimeoutError):
            self._box.abort()
        finally:
            await self._box.close()

    async def _serve(self, request: h11.Request) -> None:
        at, started = now(), time.monotonic()
        try:
            _check_framing(request.headers)
            host, port = _target(request)
        except ValueError:
            return await self._refuse(400, _UNCLEAR)
        verdict, far = ConnectionVerdict.FAILED, None
        try:
            try:
                addresses = await self._judge.addresses(host, port)
            except NoEgress as refusal:
                verdict = refusal.verdict
                self._line.listener(Connected(host=host, port=port, allowed=False))
            else:
                self._line.listener(Connected(host=host, port=port, allowed=True))
                far = await _connect(addresses, port)
            if far is None:
                refused = verdict in (ConnectionVerdict.NOT_LISTED, ConnectionVerdict.PRIVATE)
                return await self._refuse(403 if refused else 502, f"{host}:{port}: {_SENTENCES[verdict]}")
            verdict = ConnectionVerdict.ALLOWED
            if request.method == b"CONNECT":
                carrying = self._tunnel(far, host, port)
            else:
                carrying = self._forward(_onward(request), far)
            if not await relay.until_silent(carrying, self._idle, self._box, far):
                self._box.abort()
        finally:
            if self._is_disguised:  # even if the box closed the connection before it was told
                verdict = ConnectionVerdict.OTHER_NAME
                self._line.listener(Connected(host=host, port=port, allowed=False))
            sent, received = (far.put, far.got) if far else (0, 0)
            if far is not None:
                far.abort()
            connection = Connection(
                at=at,
                host=host,
                port=port,
                verdict=verdict,
                sent=sent,
                received=received,
                duration=time.monotonic() - started,
            )
            self._note(self._line.spender, connection)

    async def _tunnel(self, far: Stream, host: str, port: int) -> None:
        while not isinstance(await self._next(), h11.EndOfMessage):
            pass
        await self._send(h11.Response(status_code=200, headers=[], reason=b"Connection established"))
        early = self._http.trailing_data[0]
        if port == _WEB:
            await self._unsealed(far, host, early)
        else:
            await relay.tunnel(self._box, far, self._first_bytes(host, port, early))

    async def _unsealed(self, far: Stream, host: str, early: bytes) -> None:
        """Some programs ask for a tunnel although they need none. Its content is read like any request."""
        self._http = h11.Connection(h11.SERVER, max_incomplete_event_size=_BIGGEST_HEAD)
        if early:  # empty would mean that the box has ended
            self._http.receive_data(early)
        request = await self._next()
        if not isinstance(request, h11.Request):
            return
        try:
            _check_framing(request.headers)
            onward = _onward(request, host)
        except ValueError:
            await self._refuse(400, _UNCLEAR)
        else:
            await self._forward(onward, far)

    async def _first_bytes(self, host: str, port: int, early: bytes) -> bytes | None:
        """The first bytes from the box, if they are for the host that was checked: one address serves many
        names. Without TLS there is no name to compare. On a web port that is refused; a port listed by
        number may carry anything, even a protocol in which the far end speaks first.
        """
        said = early or await self._box.read()
        if not said or (port != _SEALED_WEB and not tls.looks_like_tls(said)):
            return said
        name: str | None = None
        try:
            while (name := tls.server_name(said)) is None:
                more = await self._box.read()
                if not more:
                    raise tls.NotTls
                said += more
            if _is_name_of(host, name):
                return said
        except tls.NotTls:
            pass
        self._is_disguised = True
        log.warning("another name in a tunnel", host=host, port=port)
        with suppress(OSError):
            await self._box.write(tls.UNRECOGNIZED_NAME if name is not None else b"")
        return None

    async def _forward(self, onward: h11.Request, far: Stream) -> None:
        """One request and its answer, parsed and rewritten, so that nothing can hide behind it."""
        http = h11.Connection(h11.CLIENT, max_incomplete_event_size=_BIGGEST_HEAD)
        await far.write(http.send(onward) or b"")
        asking = asyncio.create_task(self._pass_body(http, far))
        try:
            while True:
                event = http.next_event()
                if event is h11.NEED_DATA:
                    http.receive_data(await far.read())
                elif isinstance(event, h11.Response):
                    try:
                        _check_framing(event.headers)
                    except ValueError:
                        return await self._refuse(502, "The answer of this host cannot be understood.")
                    headers = [*_end_to_end(event.headers, _FRAMING), (b"connection", b"close")]
                    await self._send(h11.Response(status_code=event.status_code, headers=headers))
                elif isinstance(event, h11.Data):
                    await self._send(event)
                elif isinstance(event, h11.EndOfMessage):
                    return await self._send(h11.EndOfMessage())
        finally:
            asking.cancel()
            await asyncio.wait([asking])

    async def _pass_body(self, http: h11.Connection, far: Stream) -> None:
        with suppress(OSError):  # a server that refuses the rest may still answer
            while not isinstance(event := await self._next(), h11.ConnectionClosed):
                if isinstance(event, h11.Data | h11.EndOfMessage):
                    await far.write(http.send(event) or b"")
                if isinstance(event, h11.EndOfMessage):
                    return

    async def _next(self) -> h11.Event:
        while (event := self._http.next_event()) is h11.NEED_DATA:
            if self._http.they_are_waiting_for_100_continue:
                await self._send(h11.InformationalResponse(status_code=100, headers=[]))
            self._http.receive_data(await self._box.read())
        if event is h11.PAUSED:
            raise h11.RemoteProtocolError("one request at a time")
        return event  # type: ignore[return-value]

    async def _send(self, event: h11.Event) -> None:
        if data := self._http.send(event):
            await self._box.write(data)

    async def _refuse(self, status: int, said: str) -> None:
        body = said.encode() + b"\n"
        headers = [
            ("content-type", "text/plain; charset=utf-8"),
            ("content-length", str(len(body))),
            ("connection", "close"),
        ]
        await self._send(h11.Response(status_code=status, headers=headers))
        await self._send(h11.Data(data=body))
        await self._send(h11.EndOfMessage())


def _target(request: h11.Request) -> tuple[str, int]:
    """The host and port that the box wants. Raises ValueError if the request is not in proxy form."""
    target = request.target.decode("ascii")
    if request.method == b"CONNECT":
        host, port = split_port(target)
        if port is None:
            raise ValueError("no port")
        return normal(host), port
    parts = urlsplit(target)
    if parts.scheme != "http":
        raise ValueError("only http:// is forwarded; https:// comes as CONNECT")
    host, port = split_port(parts.netloc)
    return normal(host), port or 80


def _onward(request: h11.Request, host: str | None = None) -> h11.Request:
    """`host`: the target of a request inside a tunnel, whatever the request says."""
    parts = urlsplit(request.target.decode("ascii"))
    target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    # The name that was checked, not one that the box may have written next to it.
    named = host or parts.netloc
    headers = [(b"host", named.encode()), *_end_to_end(request.headers, {b"host", b"expect"})]
    return h11.Request(method=request.method, target=target, headers=[*headers, (b"connection", b"close")])


def _check_framing(headers: Iterable[tuple[bytes, bytes]]) -> None:
    """Raises ValueError if two readers could see two different ends of the body."""
    if {b"content-length", b"transfer-encoding"} <= {name for name, _ in headers}:
        raise ValueError("a length and chunks")


def _is_name_of(host: str, name: str) -> bool:
    if literal(host) is not None:
        return not name  # TLS names no addresses
    try:
        return normal(name) == host
    except ValueError:
        return False


def _end_to_end(headers: Iterable[tuple[bytes, bytes]], dropped: Set[bytes]) -> list[tuple[bytes, bytes]]:
    return [(name, value) for name, value in headers if name not in _HOP_BY_HOP and name not in dropped]


async def _connect(addresses: list[str], port: int) -> Stream | None:
    for address in addresses:
        try:
            async with asyncio.timeout(_CONNECT):
                return Stream(*await asyncio.open_connection(address, port))
        except (OSError, TimeoutError):
            continue
    return None
