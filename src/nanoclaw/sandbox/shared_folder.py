"""A folder of limited size that two boxes share: in memory, mounted in a namespace of its own, which both start from.

The namespace is kept by a process that ends with the host. Where the system allows none, and for containers, the folder
is on the disk and has no limit of its own, like the group's files.
"""

import asyncio
import os
import tempfile
from asyncio.subprocess import DEVNULL, PIPE, Process
from pathlib import Path
from typing import Self

from nanoclaw.sandbox.processes import carried_through, end, spawn

_UNSHARE, _NSENTER = "/usr/bin/unshare", "/usr/bin/nsenter"
_KEEP = 'mount -n -t tmpfs -o "$1" shared "$2" && echo && exec cat'
_CLEAN = {"PATH": "/usr/bin:/bin"}
_PATIENCE = 10.0  # seconds


def enter(keeper: int) -> list[str]:
    """What a command begins with that is to see the folder."""
    own = [] if os.geteuid() == 0 else ["--user", "--preserve-credentials"]
    return [_NSENTER, "--target", str(keeper), "--mount", *own, "--"]


class SharedFolder:
    def __init__(self, path: Path, keeper: Process | None) -> None:
        self.path = path
        self._keeper = keeper

    @classmethod
    async def make(cls, owner: int | None, size: int, *, in_memory: bool) -> Self:
        """Only its owner and the host can enter it."""
        path = Path(await asyncio.to_thread(tempfile.mkdtemp, prefix="nanoclaw-tmp-"))
        if owner is not None:
            os.chown(path, owner, owner)
        keeper = await _keeper(path, owner, size) if in_memory else None
        return cls(path, keeper)

    @property
    def seen_from(self) -> int | None:
        """The process in whose mount namespace it is limited, if in any."""
        return None if self._keeper is None else self._keeper.pid

    async def remove(self) -> None:
        """By a program that follows no link and minds no depth: what is in there was made by commands."""
        if self._keeper is not None:
            await end(self._keeper)
        remover = await spawn("/bin/rm", "-rf", "--", str(self.path), stderr=DEVNULL)
        await remover.wait()


async def _keeper(path: Path, owner: int | None, size: int) -> Process | None:
    user = [] if os.geteuid() == 0 else ["--user", "--map-root-user"]
    options = f"mode=0700,size={size},uid={owner or 0},gid={owner or 0}"
    line = [_UNSHARE, *user, "--mount", "--", "/bin/sh", "-c", _KEEP, "keep", options, str(path)]
    try:
        keeper = await spawn(*line, stdin=PIPE, stdout=PIPE, stderr=DEVNULL, env=_CLEAN)
    except OSError:
        return None
    try:
        async with asyncio.timeout(_PATIENCE):
            if keeper.stdout and await keeper.stdout.readline():
                return keeper
    except TimeoutError:
        pass
    except BaseException:
        await carried_through(end(keeper))
        raise
    await end(keeper)
    return None
