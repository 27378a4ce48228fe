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
            process = await starting
            with contextlib.suppress(ProcessLookupError):
                process.kill()
            await process.wait()
        raise
