"""Lets one of our operations at a time use the repository, and removes locks that a killed git left behind."""

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import structlog

from nanoclaw.git.command import GitUnready

log = structlog.get_logger("git")

_PATIENCE = 30.0  # seconds, for another operation of ours
_PAUSE = 0.02
_OLD = 60.0  # seconds after which an unheld lock counts as left behind


@contextmanager
def alone(home: Path) -> Iterator[None]:
    """Keep other threads and commands of ours from changing the repository meanwhile. Not to be nested."""
    folder = home / "data"
    folder.mkdir(mode=0o700, exist_ok=True)
    handle = os.open(folder / "git.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        until = time.monotonic() + _PATIENCE
        while True:
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                if time.monotonic() > until:
                    raise GitUnready("git-busy", what="nanoclaw") from None
            time.sleep(_PAUSE)
        yield
    finally:
        os.close(handle)


def clear_left_behind(home: Path, git_folder: Path, branch: str) -> None:
    """Remove locks of a git that died: older than a minute, while no git works in the workspace."""
    names = ("index.lock", "HEAD.lock", f"{branch}.lock", "packed-refs.lock")
    old = [each for name in names if _is_old(each := git_folder / name)]
    if not old or _works_here(home):
        return
    for each in old:
        log.warning("lock left behind by git is removed", lock=each.name)
        with suppress(FileNotFoundError):
            each.unlink()


def _is_old(lock: Path) -> bool:
    try:
        return time.time() - lock.lstat().st_mtime > _OLD
    except OSError:
        return False


def _works_here(home: Path) -> bool:
    """A person's git may hold the lock while it waits for their editor."""
    real = home.resolve()
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            if (process / "comm").read_text().strip() != "git":
                continue
            if (process / "cwd").readlink().is_relative_to(real):
                return True
    return False
