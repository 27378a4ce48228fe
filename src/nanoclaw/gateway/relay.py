"""Carries bytes between the two ends of a connection: keeps nothing, counts everything, ends on silence."""

import asyncio
import time
from collections.abc import Awaitable
from contextlib import suppress

_PIECE = 64 << 10
_FAREWELL = 5.0  # seconds for the last bytes to be read


class Stream:
    """One end. Knows how much went through it, and when it was last active."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer
        self.got = 0
        self.put = 0
        self.moved_at = time.monotonic()

    async def read(self) -> bytes:
        """The next bytes; empty if the other side has finished."""
        data = await self._reader.read(_PIECE)
        self.got += len(data)
        self.moved_at = time.monotonic()
        return data

    async def write(self, data: bytes) -> None:
        self._writer.write(data)
        await self._writer.drain()
        self.put += len(data)
        self.moved_at = time.monotonic()

    def end(self) -> None:
        """End our side; the other one may still speak."""
        if self._writer.can_write_eof() and not self._writer.is_closing():
            self._writer.write_eof()

    async def close(self) -> None:
        self._writer.close()
        with suppress(OSError, TimeoutError):
            async with asyncio.timeout(_FAREWELL):
                await self._writer.wait_closed()
        self._writer.transport.abort()

    def abort(self) -> None:
        self._writer.transport.abort()


async def tunnel(box: Stream, far: Stream, first_bytes: Awaitable[bytes | None]) -> None:
    """Carry both ways until both have ended. `first_bytes` is what the box says first; None if that may not
    go out. Raises ConnectionResetError if one end breaks off.
    """
    is_cut = False
    try:
        async with asyncio.TaskGroup() as both:
            both.create_task(_carry_checked(box, far, first_bytes))
            both.create_task(_carry(far, box))
    except* OSError:
        is_cut = True
    if is_cut:  # as one error: the callers know nothing of exception groups
        raise ConnectionResetError


async def _carry_checked(box: Stream, far: Stream, first_bytes: Awaitable[bytes | None]) -> None:
    first = await first_bytes
    if first is None:
        far.abort()
    elif first:
        await far.write(first)
        await _carry(box, far)
    else:
        far.end()


async def _carry(source: Stream, target: Stream) -> None:
    while data := await source.read():
        await target.write(data)
    target.end()


async def until_silent(work: Awaitable[None], idle: float, *ends: Stream) -> bool:
    """Do the work as long as something moves at one of the ends. False if it was given up because of silence."""
    doing = asyncio.ensure_future(work)
    try:
        while not doing.done():
            left = max(end.moved_at for end in ends) + idle - time.monotonic()
            if left <= 0:
                return False
            await asyncio.wait([doing], timeout=left)
        await doing
    finally:
        doing.cancel()
        await asyncio.wait([doing])
    return True
