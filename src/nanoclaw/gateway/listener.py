"""Accepts connections on one socket, so that callers can use up neither the host's descriptors nor its log.

The loop's own servers accept without a limit, wait for ever for a request that never comes, and with no descriptor left
log a traceback per queue slot, every second.
"""

import asyncio
import errno
import socket
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

import structlog

from nanoclaw.gateway.descriptors import Pool

log = structlog.get_logger("listening")

_AT_ONCE = 64  # accepted before the event loop serves others
_PAUSE = 1.0  # seconds, when the machine has nothing left for a connection
ADMITTED = "nanoclaw.admitted"
"""The scope key of the function that lets a request's connection stay: it has shown its secret."""
_EXHAUSTED = (errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM)


@dataclass(kw_only=True, eq=False)
class _Connection:
    socket: socket.socket
    peer: object = None
    protocol: asyncio.BaseProtocol | None = None
    transport: asyncio.BaseTransport | None = None
    is_given_up: bool = False
    served: int = 0  # requests being answered
    quiet_since: float = field(default_factory=time.monotonic)

    @property
    def is_open(self) -> bool:
        """Whether it still has its descriptor: a closing transport may keep it as long as nobody reads."""
        return self.socket.fileno() >= 0

    def abort(self) -> None:
        """Abort at once, or as soon as it has a transport: taking the socket away from one would leave it
        half made.
        """
        self.is_given_up = True
        if isinstance(self.transport, asyncio.WriteTransport):
            self.transport.abort()


class Listener:
    """At most `most` connections at once. Those being served stay; of the others, one makes room for the
    next: the oldest of the peer with the most. `peer_of` says whose a connection is. `make` creates the
    protocol of a connection. One not served for `patience` seconds is dropped: a head that does not end, a
    body that trickles, silence between two requests.
    """

    def __init__(
        self,
        listening: socket.socket,
        make: Callable[[], asyncio.BaseProtocol],
        *,
        most: int,
        patience: float,
        may_enter: Callable[[socket.socket], bool] = lambda _socket: True,
        peer_of: Callable[[socket.socket], object] = lambda _socket: None,
        pool: Pool | None = None,
    ) -> None:
        self._listening = listening
        self._make = make
        self._most = most
        self._patience = patience
        self._may_enter = may_enter
        self._peer_of = peer_of
        self._pool = pool
        self._open: list[_Connection] = []
        self._meeting: set[asyncio.Task[None]] = set()
        self._timer: asyncio.TimerHandle | None = None
        listening.settimeout(0)
        self._loop = asyncio.get_running_loop()
        self._loop.add_reader(listening, self._accept)
        if pool is not None:
            pool.join(self)

    @property
    def count(self) -> int:
        self._open = [each for each in self._open if each.is_open]
        return len(self._open)

    @property
    def served(self) -> int:
        return sum(each.served > 0 for each in self._open if each.is_open)

    @contextmanager
    def serving(self, protocol: asyncio.BaseProtocol | None) -> Iterator[None]:
        """Give this connection a right to its slot meanwhile."""
        found = next((each for each in self._open if each.protocol is protocol), None)
        if found is None:
            yield
            return
        found.served += 1
        try:
            yield
        finally:
            found.served -= 1
            found.quiet_since = time.monotonic()

    def drop_idle(self) -> bool:
        """Drop one that is not being served. Idle connections must not keep anyone out."""
        idle = [each for each in self._open if each.is_open and not each.served]
        if not idle:
            return False
        [(greediest, _)] = Counter(each.peer for each in idle).most_common(1)
        oldest = next(each for each in idle if each.peer == greediest)
        oldest.abort()
        self._open.remove(oldest)
        return True

    def close(self) -> None:
        """Accept nobody new. Existing connections are left to the makers of their protocols."""
        if self._timer is not None:
            self._timer.cancel()
        if self._listening.fileno() >= 0:
            self._loop.remove_reader(self._listening)
            self._listening.close()

    def abort_all(self) -> None:
        for each in self._open:
            each.abort()

    def _accept(self) -> None:
        for _ in range(_AT_ONCE):
            try:
                accepted, _address = self._listening.accept()
            except (BlockingIOError, InterruptedError):
                return
            except OSError as error:
                if error.errno in _EXHAUSTED:
                    log.warning("no descriptor left for a connection", reason=error.strerror)
                    self._loop.remove_reader(self._listening)
                    self._loop.call_later(_PAUSE, self._again)
                    return
                continue  # it went away before it was accepted
            if not self._may_enter(accepted) or not self._has_room():
                accepted.close()
                continue
            accepted.settimeout(0)
            connection = _Connection(socket=accepted, peer=self._peer_of(accepted))
            self._open.append(connection)
            meeting = asyncio.ensure_future(self._meet(connection))
            self._meeting.add(meeting)
            meeting.add_done_callback(self._meeting.discard)
            self._watch()

    def _again(self) -> None:
        if self._listening.fileno() >= 0:
            self._loop.add_reader(self._listening, self._accept)

    async def _meet(self, connection: _Connection) -> None:
        def make() -> asyncio.BaseProtocol:
            connection.protocol = self._make()
            return connection.protocol

        if connection.is_given_up:
            connection.socket.close()
            return
        try:
            connection.transport, _ = await self._loop.connect_accepted_socket(make, connection.socket)
        except OSError:  # it went away before it was set up
            connection.socket.close()
        if connection.is_given_up:
            connection.abort()

    def _has_room(self) -> bool:
        if self.count >= self._most:
            return self.drop_idle()
        return self._pool is None or self._pool.make_room()

    def _watch(self) -> None:
        if self._timer is None:
            self._timer = self._loop.call_later(self._patience / 2, self._give_up)

    def _give_up(self) -> None:
        self._timer = None
        long_ago = time.monotonic() - self._patience
        for each in self._open:
            if not each.served and each.quiet_since < long_ago:
                each.abort()
        if self.count:
            self._watch()
