"""A running box: the process started for it, and the guarantee that nothing of it is left at the end."""

import asyncio
import contextlib
import os
import signal
from collections.abc import Callable
from pathlib import Path

from nanoclaw.sandbox.pipes import Piped, Pipes
from nanoclaw.sandbox.processes import carried_through

_PATIENCE = 1.0


class LiveBox(Piped):
    """`whole` is a handle on the process with which everything in the box ends; None if it has already ended.
    `first`: its number, if everything in the box descends from it.
    """

    def __init__(
        self,
        process: asyncio.subprocess.Process,
        pipes: Pipes | None,
        *,
        whole: int | None,
        ended: Callable[[], None],
        first: int | None = None,
    ) -> None:
        super().__init__(pipes)
        self._first = first
        self._process = process
        self._whole = whole
        self._clean_up = ended
        self._end = asyncio.create_task(self._until_gone())

    def is_idle(self) -> bool:
        """Nothing can enter the session of the main program from outside it, so everything else is elsewhere."""
        return self._end.done() or (self._first is not None and not _has_other_sessions(self._first))

    async def wait(self) -> int:
        return await asyncio.shield(self._end)

    async def kill(self) -> None:
        """Kill what is inside first, then the starting program: the other way round, something inside could
        survive.
        """
        if not self._end.done():
            if self._whole is not None:
                with contextlib.suppress(ProcessLookupError):
                    signal.pidfd_send_signal(self._whole, signal.SIGKILL)
            with contextlib.suppress(ProcessLookupError):
                self._process.kill()
        try:
            await carried_through(self._end)
            if self._pipes is not None:
                # What was printed can still be read; but if nobody reads, it would be kept for ever.
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
    """A handle that stays with this process; None if it has already ended."""
    try:
        return os.pidfd_open(pid)
    except ProcessLookupError:
        return None


def _has_other_sessions(first: int) -> bool:
    """Whether a process below this one is in another session than it. True if the system does not say."""
    own, waiting = None, [first]
    try:
        while waiting:
            pid = waiting.pop()
            try:
                session = Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()[3]
                threads = list(Path(f"/proc/{pid}/task").iterdir())
            except (FileNotFoundError, ProcessLookupError):
                if pid == first:
                    return True
                continue  # it has ended meanwhile
            own = own or session
            if session != own:
                return True
            for thread in threads:
                with contextlib.suppress(ProcessLookupError):
                    waiting += map(int, (thread / "children").read_bytes().split())
    except OSError:
        return True
    return False


def end_whole(pid: int) -> None:
    """Kill the first process of a box, and everything in it."""
    if (handle := handle_on(pid)) is not None:
        with contextlib.suppress(ProcessLookupError):
            signal.pidfd_send_signal(handle, signal.SIGKILL)
        os.close(handle)


async def readable(file: int) -> None:
    """Wait until there is something to read, or the process has ended."""
    loop = asyncio.get_running_loop()
    ready = asyncio.Event()
    loop.add_reader(file, ready.set)
    try:
        await ready.wait()
    finally:
        loop.remove_reader(file)
