"""Boxes that no host holds any more: found by their mark at every start, and every minute while a host runs.

A crashed host leaves some. So may a box that ends while it is starting: bubblewrap's inner process is tied to
the outer one only after a few steps, and waits for ever if the outer one is killed before that.
"""

import os
import signal
from pathlib import Path

_MARK = "NANOCLAW_BOX"
RUN = "BOXES_RUN"  # a variable with which tests of many hosts label them, to tell later whose a box was
_held: set[tuple[str, str]] = set()  # by any part of this process: workspace, name


class Marks:
    """The boxes of one workspace that this process holds. `sweep` ends whatever else has its mark."""

    def __init__(self, workspace: str) -> None:
        self._workspace = workspace

    def hold(self, name: str) -> dict[str, str]:
        """For the environment of the process that starts a box; the agent's own environment does not contain it."""
        _held.add((self._workspace, name))
        return {_MARK: f"{self._workspace}/{name}/{host()}"}

    def let_go(self, name: str) -> None:
        _held.discard((self._workspace, name))

    def holds(self, name: str, of_host: str) -> bool:
        """True even if another process of this machine holds it, such as a doctor beside the host."""
        return (self._workspace, name) in _held if of_host == host() else _lives(of_host)

    def sweep(self) -> int:
        """Kill what is marked and held by nobody; returns the number of boxes."""
        ended = set()
        for pid, entry in _marked(f"{_MARK}={self._workspace}/".encode()).items():
            name, _, of_host = entry.decode(errors="replace").partition("/")
            if not self.holds(name, of_host) and _end(pid, entry):
                ended.add(name)
        return len(ended)


def host() -> str:
    """Identifies this process: its number alone may belong to another one later."""
    run = os.environ.get(RUN, "")
    return f"{os.getpid()}-{started(os.getpid())}" + (f"-{run}" if run.isalnum() else "")


def _lives(of_host: str) -> bool:
    number, since, *_ = (*of_host.split("-"), "")
    return number.isdigit() and since == str(started(int(number)))


def started(pid: int) -> int | None:
    """In ticks since the machine started; None if there is no such process."""
    try:
        # The program's name comes before, in brackets, and may contain anything.
        return int(Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()[19])
    except OSError:
        return None


def _marked(wanted: bytes) -> dict[int, bytes]:
    """The marked processes, with the rest of their mark."""
    found = {}
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit() and (entry := _entry(int(folder.name), wanted)) is not None:
            found[int(folder.name)] = entry
    return found


def _entry(pid: int, wanted: bytes) -> bytes | None:
    try:
        entries = Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
    except OSError:
        return None  # it ended, or belongs to someone else
    return next((entry.removeprefix(wanted) for entry in entries if entry.startswith(wanted)), None)


def _end(pid: int, entry: bytes) -> bool:
    """Kill it through a handle, after checking again: the number may have been reused meanwhile."""
    try:
        handle = os.pidfd_open(pid)
    except OSError:
        return False
    try:
        if entry not in Path(f"/proc/{pid}/environ").read_bytes():
            return False
        signal.pidfd_send_signal(handle, signal.SIGKILL)
    except OSError:
        return False  # it ended meanwhile, or is not ours to end
    finally:
        os.close(handle)
    return True
