"""The three pipes of a box. Ours, not asyncio's: they must belong to the box's user, and outlive the process.

A pipe that belongs to root cannot be reopened by name inside, and scripts do that: `echo oops > /dev/stderr`.
"""

import asyncio
import errno
import os
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from typing import IO

from nanoclaw.domain.boxes import TerminalSize

BUFFER = 1 << 18  # half of what is read ahead; line readers may keep more, and bound it (domain/bounds.py)


@dataclass(frozen=True, kw_only=True, slots=True)
class Pipes:
    """Our ends."""

    stdin: asyncio.StreamWriter
    stdout: asyncio.StreamReader
    stderr: asyncio.StreamReader
    taken: asyncio.Future[list[None]]  # done when both outputs were read to the end
    resize: Callable[[TerminalSize], None] | None = None  # of a terminal
    _transports: tuple[asyncio.BaseTransport, ...]

    def close(self) -> None:
        for transport in self._transports:
            transport.close()
        if self.stdin.transport.get_write_buffer_size():  # nobody will ever read it
            self.stdin.transport.abort()


class Output(asyncio.StreamReaderProtocol):
    """Also reports when the other side has closed it and everything in it was read."""

    def __init__(self, reader: asyncio.StreamReader) -> None:
        super().__init__(reader)
        self.taken: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    def connection_lost(self, exc: Exception | None) -> None:
        is_end = (
            isinstance(exc, OSError) and exc.errno == errno.EIO
        )  # of a terminal that nobody has open any more
        super().connection_lost(None if is_end else exc)
        if not self.taken.done():
            self.taken.set_result(None)


async def open_pipes(uid: int) -> tuple[tuple[int, int, int], Pipes]:
    """The other side's ends, to be closed once it has them, and ours. Leaves none open if cancelled."""
    loop = asyncio.get_running_loop()
    with ExitStack() as if_it_fails:
        (their_in, our_in), (our_out, their_out), (our_err, their_err) = (os.pipe() for _ in range(3))
        theirs = (their_in, their_out, their_err)
        ours = [as_file(our_out, "rb"), as_file(our_err, "rb"), as_file(our_in, "wb")]
        for end in theirs:
            if_it_fails.callback(os.close, end)
            if uid != os.geteuid():
                os.fchown(end, uid, uid)
        for file in ours:
            if_it_fails.callback(file.close)
        outputs = []
        transports: list[asyncio.BaseTransport] = []
        for file in ours[:2]:
            reader = asyncio.StreamReader(limit=BUFFER)
            transport, protocol = await loop.connect_read_pipe(partial(Output, reader), file)
            if_it_fails.callback(transport.close)
            transports.append(transport)
            outputs.append((reader, protocol.taken))
        flow = asyncio.StreamReaderProtocol(asyncio.StreamReader())  # the writer waits while it is full
        writing, _ = await loop.connect_write_pipe(lambda: flow, ours[2])
        if_it_fails.pop_all()
    pipes = Pipes(
        stdin=asyncio.StreamWriter(writing, flow, None, loop),
        stdout=outputs[0][0],
        stderr=outputs[1][0],
        taken=asyncio.gather(*(taken for _, taken in outputs)),
        _transports=(*transports, writing),
    )
    return theirs, pipes


def as_file(end: int, mode: str) -> IO[bytes]:
    return os.fdopen(end, mode, buffering=0)


class Piped:
    """A box's pipes, unless the person at the terminal has them."""

    def __init__(self, pipes: Pipes | None) -> None:
        self._pipes = pipes

    @property
    def stdin(self) -> asyncio.StreamWriter:
        return self._ours.stdin

    @property
    def stdout(self) -> asyncio.StreamReader:
        return self._ours.stdout

    @property
    def stderr(self) -> asyncio.StreamReader:
        return self._ours.stderr

    def resize(self, size: TerminalSize) -> None:
        if self._pipes is not None and self._pipes.resize is not None and not self._pipes.stdin.is_closing():
            self._pipes.resize(size)

    def is_idle(self) -> bool:
        return False

    @property
    def _ours(self) -> Pipes:
        if self._pipes is None:
            raise ValueError("the person at the terminal has the pipes of this box")
        return self._pipes
