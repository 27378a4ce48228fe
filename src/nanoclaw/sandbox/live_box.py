"""A box that lives: the process that was started for it, and the certainty that nothing of it is left."""

import asyncio
import contextlib
import os
import signal
from collections.abc import Callable

from nanoclaw.sandbox.pipes import Piped, Pipes

_PATIENCE = 1.0


class LiveBox(Piped):
    """`whole` is a handle on the process with which everything in the box ends; None when that has ended already."""

    def __init__(
        self,
        process: asyncio.subprocess.Process,
        pipes: Pipes | None,
        *,
        whole: int | None,
        ended: Callable[[], None],
    ) -> None:
        super().__init__(pipes)
        self._process = process
        self._whole = whole
        self._clean_up = ended
        self._end = asyncio.create_task(self._until_gone())

    async def wait(self) -> int:
        return await asyncio.shield(self._end)

    async def kill(self) -> None:
        """First what is inside, then what was started for it: the other way round, something inside could be left."""
        if not self._end.done():
            if self._whole is not None:
                with contextlib.suppress(ProcessLookupError):
                    signal.pidfd_send_signal(self._whole, signal.SIGKILL)
            with contextlib.suppress(ProcessLookupError):
                self._process.kill()
        try:
            await asyncio.shield(self._end)
            if self._pipes is not None:
                # What was printed can still be read; but nobody may be reading, and then it would be kept for ever.
                await asyncio.wait([self._pipes.taken], timeout=_PATIENCE)
        finally:
            if self._pipes is not None:
                self._pipes.close()

    async def _until_gone(self) -> int:
        try:
            code = await self._process.wait()
            if self._whole is not None:
                await readable(self._whole)
        finally:
            if self._whole is not None:
                os.close(self._whole)
            self._clean_up()
            if self._pipes is not None:
                self._pipes.stdin.close()
        return code


def handle_on(pid: int) -> int | None:
    """A handle on a process, which stays that of this process; None when it has ended already."""
    try:
        return os.pidfd_open(pid)
    except ProcessLookupError:
        return None


def end_whole(pid: int) -> None:
    """Kill the first process of a box, and all that is in it."""
    if (handle := handle_on(pid)) is not None:
        with contextlib.suppress(ProcessLookupError):
            signal.pidfd_send_signal(handle, signal.SIGKILL)
        os.close(handle)


async def readable(file: int) -> None:
    """Until there is something to read from it, or its process has ended."""
    loop = asyncio.get_running_loop()
    ready = asyncio.Event()
    loop.add_reader(file, ready.set)
    try:
        await ready.wait()
    finally:
        loop.remove_reader(file)
