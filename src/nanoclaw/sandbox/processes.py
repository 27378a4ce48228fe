"""Starts a process so that nothing of it is left if the caller is cancelled meanwhile."""

import asyncio
import contextlib
from collections.abc import Awaitable, Callable
from typing import Any

End = Callable[[asyncio.subprocess.Process], Awaitable[None]]


async def end(process: asyncio.subprocess.Process) -> None:
    """End it completely: one that is only killed may outlive its event loop."""
    with contextlib.suppress(ProcessLookupError):
        process.kill()
    await process.wait()


async def spawn(*command: str, ending: End = end, **options: Any) -> asyncio.subprocess.Process:
    """Like `asyncio.create_subprocess_exec`, which forgets a process it has begun to start when cancelled."""
    starting = asyncio.ensure_future(asyncio.create_subprocess_exec(*command, **options))
    try:
        return await asyncio.shield(starting)
    except asyncio.CancelledError:
        await carried_through(_end_started(starting, ending))
        raise


async def carried_through(ending: Awaitable[Any]) -> None:
    """Run it to its end, however often the caller is cancelled meanwhile; only then is the caller cancelled."""
    task = asyncio.ensure_future(ending)
    cancelled: asyncio.CancelledError | None = None
    while not task.done():
        try:
            await asyncio.shield(task)
        except asyncio.CancelledError as error:
            cancelled = error
    task.result()
    if cancelled is not None:
        raise cancelled


async def _end_started(starting: asyncio.Future[asyncio.subprocess.Process], ending: End) -> None:
    with contextlib.suppress(OSError):
        await ending(await starting)
