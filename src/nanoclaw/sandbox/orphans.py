"""What is left of boxes that no host holds: found by their mark at every start, and every minute while a host runs.

A host that crashed leaves some. So may a box that ends in the very moment of its start: bubblewrap's inner process is
bound to the outer one only after a few steps, and waits for ever if that one is killed before.
"""

import os
import signal
from pathlib import Path

_MARK = "NANOCLAW_BOX"
RUN = (
    "BOXES_RUN"  # a variable: whoever starts many hosts names them by it, to know in the end whose a box was
)
_held: set[tuple[str, str]] = set()  # by this process, whoever in it asks: workspace, name


class Marks:
    """The boxes of one workspace that this process holds. Whatever else has its mark is ended by `sweep`."""

    def __init__(self, workspace: str) -> None:
        self._workspace = workspace

    def hold(self, name: str) -> dict[str, str]:
        """For the environment of the process that starts a box; the agent's own environment does not have it."""
        _held.add((self._workspace, name))
        return {_MARK: f"{self._workspace}/{name}/{host()}"}

    def let_go(self, name: str) -> None:
        _held.discard((self._workspace, name))

    def holds(self, name: str, of_host: str) -> bool:
        """Also when it is another process of this machine that holds it: a doctor beside the host."""
        return (self._workspace, name) in _held if of_host == host() else _lives(of_host)

    def sweep(self) -> int:
        """Kill what is marked and held by nobody; how many boxes that were."""
        ended = set()
        for pid, entry in _marked(f"{_MARK}={self._workspace}/".encode()).items():
            name, _, of_host = entry.decode(errors="replace").partition("/")
            if not self.holds(name, of_host) and _end(pid, entry):
                ended.add(name)
        return len(ended)


def host() -> str:
    """This process: its number alone may belong to another one later."""
    run = os.environ.get(RUN, "")
    return f"{os.getpid()}-{started(os.getpid())}" + (f"-{run}" if run.isalnum() else "")


def _lives(of_host: str) -> bool:
    number, since, *_ = (*of_host.split("-"), "")
    return number.isdigit() and since == str(started(int(number)))


def started(pid: int) -> int | None:
    """When, in ticks since the machine started; None if there is no such process."""
    try:
        # The program's name comes before, in brackets, and may hold anything.
        return int(Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()[19])
    except OSError:
        return None


def _marked(wanted: bytes) -> dict[int, bytes]:
    """The marked processes with what their mark says after that."""
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
    """By a handle, looked at once more: the number may have been given to another process meanwhile."""
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
