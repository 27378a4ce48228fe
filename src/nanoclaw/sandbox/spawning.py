"""Starts a process so that nothing of it is left when the one who wanted it is cancelled meanwhile."""

import asyncio
import contextlib
from typing import Any


async def spawn(*command: str, **options: Any) -> asyncio.subprocess.Process:
    """As `asyncio.create_subprocess_exec`, which forgets a process that it has begun to start when it is cancelled."""
    starting = asyncio.ensure_future(asyncio.create_subprocess_exec(*command, **options))
    try:
        return await asyncio.shield(starting)
    except asyncio.CancelledError:
        with contextlib.suppress(OSError):
            await end(await starting)
        raise


async def end(process: asyncio.subprocess.Process) -> None:
    """Nothing is left of it when this returns; one that is only killed may outlive the loop that knows of it."""
    with contextlib.suppress(ProcessLookupError):
        process.kill()
    await process.wait()
