"""A folder of limited size that two boxes share: in memory, mounted in a namespace of its own, which both start from.

The namespace is kept by a process that ends with the host. Where the system allows none, and for containers, the folder
is on the disk and has no limit of its own, like the group's files. The host holds a lock on the folder: one whose host
was killed can be recognised by that, and is removed.
"""

import asyncio
import contextlib
import fcntl
import os
import tempfile
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections.abc import Iterator
from pathlib import Path
from typing import Self

from nanoclaw.sandbox.processes import carried_through, end, spawn

_UNSHARE, _NSENTER = "/usr/bin/unshare", "/usr/bin/nsenter"
_KEEP = 'mount -n -t tmpfs -o "$1" shared "$2" && echo && exec cat'
_CLEAN = {"PATH": "/usr/bin:/bin"}
_PATIENCE = 10.0  # seconds
_PREFIX = "nanoclaw-tmp-"


def enter(keeper: int) -> list[str]:
    """What a command begins with that is to see the folder."""
    own = [] if os.geteuid() == 0 else ["--user", "--preserve-credentials"]
    return [_NSENTER, "--target", str(keeper), "--mount", *own, "--"]


class SharedFolder:
    def __init__(self, path: Path, held: int, keeper: Process | None) -> None:
        self.path = path
        self._held = held
        self._keeper = keeper

    @classmethod
    async def make(cls, owner: int | None, size: int, *, in_memory: bool) -> Self:
        """Only its owner and the host can enter it. Raises OSError."""
        path, held = _made(owner)
        try:
            return cls(path, held, await _keeper(path, owner, size) if in_memory else None)
        except BaseException:
            path.rmdir()
            os.close(held)
            raise

    @property
    def seen_from(self) -> int | None:
        """The process in whose mount namespace it is limited, if in any."""
        return None if self._keeper is None else self._keeper.pid

    async def remove(self) -> None:
        """By a program that follows no link and minds no depth: what is in there was made by commands."""
        try:
            if self._keeper is not None:
                await end(self._keeper)
            await _remove(self.path)
        finally:
            os.close(self._held)


def _made(owner: int | None) -> tuple[Path, int]:
    with contextlib.ExitStack() as if_it_fails:
        fresh = Path(tempfile.mkdtemp(prefix=f".{_PREFIX}"))
        if_it_fails.callback(fresh.rmdir)
        held = os.open(fresh, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        if_it_fails.callback(os.close, held)
        fcntl.flock(held, fcntl.LOCK_EX)
        if owner is not None:
            os.chown(fresh, owner, owner)
        # Whoever looks for those that nobody holds sees it from now on.
        path = fresh.rename(fresh.with_name(fresh.name.removeprefix(".")))
        if_it_fails.pop_all()
        return path, held


async def sweep() -> int:
    """Remove what killed hosts left; returns the number of folders."""
    gone = await asyncio.to_thread(lambda: list(_abandoned()))
    for path in gone:
        await _remove(path)
    return len(gone)


def _abandoned() -> Iterator[Path]:
    for path in Path(tempfile.gettempdir()).glob(f"{_PREFIX}*"):
        with contextlib.suppress(OSError):  # it is gone meanwhile, held, or somebody else's
            held = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC | os.O_NOFOLLOW)
            try:
                fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
                yield path
            finally:
                os.close(held)


async def _remove(path: Path) -> None:
    with contextlib.suppress(OSError):  # no room for a process: the next sweep finds it
        remover = await spawn("/bin/rm", "-rf", "--", str(path), stderr=DEVNULL)
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
