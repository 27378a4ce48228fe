"""Whether a host runs on a workspace, and where: a lock that the system releases when the process dies."""

import fcntl
import json
import os
import signal
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Self

from nanoclaw.domain.errors import AlreadyRunning
from nanoclaw.domain.ids import new_id
from nanoclaw.sandbox.orphans import started

_TRIES = 10
_PAUSE = 0.02


@dataclass(frozen=True, kw_only=True)
class RunningHost:
    pid: int
    url: str
    started_at: str


@dataclass(frozen=True, kw_only=True)
class _Holder:
    """A process. In another container, on another machine or later, its pid belongs to some other process."""

    pid: int
    started: int | None
    numbered_in: str  # the pid namespace

    @classmethod
    def of(cls, pid: int) -> Self:
        return cls(pid=pid, started=started(pid), numbered_in=_numbered_in())

    @property
    def is_here(self) -> bool:
        """False if it cannot be known, so that nobody is signalled."""
        return self.started is not None and self.numbered_in != "" and self == _Holder.of(self.pid)


LEAVE = signal.SIGUSR1
"""Asks the holder of a lock that gives way to release it."""


class HostLock:
    """Held while a host runs. The file stays; only the lock on it counts.

    One that `gives_way` is held by a command's temporary host: a host that wants to stay may ask for it.
    """

    def __init__(self, home: Path, *, gives_way: bool = False) -> None:
        self._gives_way = gives_way
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
        os.ftruncate(handle, 0)
        holder = asdict(_Holder.of(os.getpid()))
        os.pwrite(handle, json.dumps({**holder, "gives_way": self._gives_way}).encode(), 0)
        return self

    def announce(self, host: RunningHost) -> None:
        unfinished = self._note.with_suffix(".new")
        unfinished.write_text(json.dumps(asdict(host)), "utf-8")
        unfinished.replace(self._note)

    def withdraw(self) -> None:
        """Keep new clients from connecting; the lock is held until everything is released."""
        self._note.unlink(missing_ok=True)

    def release(self) -> None:
        if self._file is not None:
            self._note.unlink(missing_ok=True)
            os.ftruncate(self._file, 0)
            os.close(self._file)
            self._file = None


def _locked(handle: int) -> bool:
    """Try a few times, because a mere query (`find`) also holds the lock for a moment."""
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
    return _note(home / "data" / "host.json") if is_held(home) else None


def ask_to_leave(home: Path) -> bool:
    """Whether a temporary host holds the workspace; if so, it now knows that another wants to stay."""
    try:
        holder = _holder(home)
        if holder is None:
            return False
        process = os.pidfd_open(holder.pid)
    except OSError:  # it has gone meanwhile
        return False
    try:
        # Checked again: now this process cannot end unnoticed, nor another get its pid.
        if _holder(home) != holder or not holder.is_here:
            return False
        signal.pidfd_send_signal(process, LEAVE)
    except ProcessLookupError:
        return False
    finally:
        os.close(process)
    return True


def is_held(home: Path) -> bool:
    """Whether a host is running, starting or stopping on this workspace."""
    try:
        handle = os.open(home / "data" / "host.lock", os.O_RDWR | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        fcntl.flock(handle, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(handle)
    return False


def workspace_id(home: Path) -> str:
    """Identifies this workspace among others on a shared database."""
    path = home / "data" / "workspace-id"
    if path.exists() and (kept := path.read_text("ascii").strip()):
        return kept
    path.write_text(new_id("w"), "ascii")
    return path.read_text("ascii")


def _holder(home: Path) -> _Holder | None:
    """The process that holds the lock, if it would give way."""
    try:
        told = json.loads((home / "data" / "host.lock").read_text("utf-8"))
        gives_way = told.pop("gives_way") is True
        holder = _Holder(**told)
        return holder if gives_way and type(holder.pid) is int and is_held(home) else None
    except (OSError, ValueError, TypeError, KeyError, AttributeError):
        return None


def _numbered_in() -> str:
    """The pid namespace. Every machine gives its first one the same name: the boot id tells them apart."""
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_text("ascii").strip()
        return f"{boot} {Path('/proc/self/ns/pid').readlink()}"
    except OSError:
        return ""


def _note(path: Path) -> RunningHost | None:
    try:
        return RunningHost(**json.loads(path.read_text("utf-8")))
    except (OSError, ValueError, TypeError):
        return None
