"""Whether a host runs on a workspace, and where: a lock that the system lets go of when the process dies."""

import fcntl
import json
import os
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Self

from nanoclaw.domain.errors import AlreadyRunning
from nanoclaw.domain.ids import new_id

_TRIES = 10
_PAUSE = 0.02


@dataclass(frozen=True, kw_only=True)
class RunningHost:
    pid: int
    url: str
    started_at: str


class HostLock:
    """Held while a host runs. The file stays; only the lock on it counts."""

    def __init__(self, home: Path) -> None:
        self._path = home / "data" / "host.lock"
        self._note = home / "data" / "host.json"
        self._file: int | None = None

    def acquire(self) -> Self:
        handle = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        if not _locked(handle):
            os.close(handle)
            other = _note(self._note)
            if other is None:
                raise AlreadyRunning("already-starting")
            raise AlreadyRunning("already-running", url=other.url, pid=str(other.pid))
        self._file = handle
        self._note.unlink(missing_ok=True)
        return self

    def announce(self, host: RunningHost) -> None:
        unfinished = self._note.with_suffix(".new")
        unfinished.write_text(json.dumps(asdict(host)), "utf-8")
        unfinished.replace(self._note)

    def withdraw(self) -> None:
        """Nobody should come any more; the lock is held until everything is let go of."""
        self._note.unlink(missing_ok=True)

    def release(self) -> None:
        if self._file is not None:
            self._note.unlink(missing_ok=True)
            os.close(self._file)
            self._file = None


def _locked(handle: int) -> bool:
    """A few tries, since whoever merely asks (`find`) holds the lock for a moment too."""
    for _ in range(_TRIES):
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            time.sleep(_PAUSE)
        else:
            return True
    return False


def find(home: Path) -> RunningHost | None:
    """The host that runs on this workspace now, if it is ready."""
    path = home / "data" / "host.lock"
    try:
        handle = os.open(path, os.O_RDWR | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        fcntl.flock(handle, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return _note(home / "data" / "host.json")
    finally:
        os.close(handle)
    return None


def workspace_id(home: Path) -> str:
    """Names this workspace among others on a shared database."""
    path = home / "data" / "workspace-id"
    if path.exists() and (kept := path.read_text("ascii").strip()):
        return kept
    path.write_text(new_id("w"), "ascii")
    return path.read_text("ascii")


def _note(path: Path) -> RunningHost | None:
    try:
        return RunningHost(**json.loads(path.read_text("utf-8")))
    except (OSError, ValueError, TypeError):
        return None
