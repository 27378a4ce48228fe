"""Who holds a place at one of the host's sockets, and who gets one."""

import asyncio
import os
import socket
from collections.abc import Callable
from contextlib import ExitStack, suppress

import pytest

from nanoclaw.gateway.listener import Listener
from nanoclaw.gateway.peers import user_of

pytestmark = [pytest.mark.capability("O3"), pytest.mark.attack]

SERVED = b"serve me\n"


class _Place:
    """A listener that serves requesting clients until the other side hangs up."""

    def __init__(
        self, *, most: int, patience: float = 600, peer_of: Callable[[socket.socket], object] = user_of
    ) -> None:
        listening = socket.create_server(("127.0.0.1", 0))
        self.port = listening.getsockname()[1]
        self._tasks: set[asyncio.Task[None]] = set()
        self.listener = Listener(listening, self._make, most=most, patience=patience, peer_of=peer_of)

    def _make(self) -> asyncio.BaseProtocol:
        return asyncio.StreamReaderProtocol(asyncio.StreamReader(), self._meet)

    def _meet(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.ensure_future(self._serve(reader, writer))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with ExitStack() as held, suppress(ConnectionError):
            while line := await reader.readline():
                if line == SERVED:
                    held.enter_context(self.listener.serving(writer.transport.get_protocol()))
                writer.write(line)
        writer.close()

    async def come(self, said: bytes = b"") -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
        if said:
            writer.write(said)
            assert await reader.readline() == said
        return reader, writer

    async def close(self) -> None:
        self.listener.close()
        self.listener.abort_all()
        while self._tasks:
            await asyncio.wait(self._tasks)


async def _is_cut(reader: asyncio.StreamReader) -> None:
    async with asyncio.timeout(60):
        with suppress(ConnectionError):
            assert await reader.read() == b""


async def test_whoever_says_nothing_or_half_of_it_is_given_up_and_whoever_is_served_is_not() -> None:
    place = _Place(most=10, patience=0.2)
    served = await place.come(SERVED)
    silent = await place.come()
    half = await place.come()
    half[1].write(b"half a li")
    await _is_cut(silent[0])
    await _is_cut(half[0])
    served[1].write(b"still here\n")
    async with asyncio.timeout(60):
        assert await served[0].readline() == b"still here\n"
    for _, writer in (served, silent, half):
        writer.close()
    await place.close()


async def test_with_all_places_taken_the_oldest_idle_one_goes_and_never_one_that_is_served() -> None:
    place = _Place(most=3)
    served = [await place.come(SERVED) for _ in range(2)]
    idle = await place.come(b"hello\n")
    newer = await place.come(b"hello\n")
    await _is_cut(idle[0])
    third = await place.come(SERVED)
    await _is_cut(newer[0])
    kept_out = await asyncio.open_connection("127.0.0.1", place.port)
    await _is_cut(kept_out[0])
    for reader, writer in (*served, third):
        writer.write(b"here\n")
        assert await reader.readline() == b"here\n"
    for _, writer in (*served, third, idle, newer, kept_out):
        writer.close()
    await place.close()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another user")
async def test_another_user_of_the_machine_pushes_out_only_connections_of_their_own() -> None:
    place = _Place(most=20)
    mine = [await place.come(b"hello\n") for _ in range(5)]
    if user_of(mine[0][1].get_extra_info("socket")) is None:
        pytest.skip("this system does not say whose a connection is")
    flood = (
        "import socket, sys\n"
        "held = [socket.create_connection(('127.0.0.1', int(sys.argv[1]))) for _ in range(200)]\n"
        "print('done', flush=True); sys.stdin.read()"
    )
    other = await asyncio.create_subprocess_exec(
        *("/usr/bin/env", "python3", "-c", flood, str(place.port)),
        user=23_456,
        cwd="/",
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
    )
    assert other.stdout is not None
    async with asyncio.timeout(60):
        assert await other.stdout.readline() == b"done\n"
        for reader, writer in mine:
            writer.write(b"still here\n")
            assert await reader.readline() == b"still here\n"
    other.kill()
    await other.communicate()
    for _, writer in mine:
        writer.close()
    await place.close()
