"""What a crashed host left behind: processes that carry its workspace's mark and no longer belong to a host."""

import os
import signal
from pathlib import Path

_MARK = "NANOCLAW_BOX"


def mark(workspace: str, name: str) -> dict[str, str]:
    """Put into the environment of the process that starts a box; the agent's own environment does not have it."""
    return {_MARK: f"{workspace}/{name}"}


def end_marked(workspace: str) -> int:
    """Kill what is marked, except our own children; how many boxes that were."""
    parents, names = _look(f"{_MARK}={workspace}/".encode())
    ended = set()
    for pid, name in names.items():
        if not _descends(pid, parents):
            try:
                os.kill(pid, signal.SIGKILL)
            except (ProcessLookupError, PermissionError):
                continue  # it ended meanwhile, or is not ours to end
            ended.add(name)
    return len(ended)


def _look(wanted: bytes) -> tuple[dict[int, int], dict[int, bytes]]:
    """Every process with its parent, and the marked ones with the name of their box."""
    parents, names = {}, {}
    for folder in Path("/proc").iterdir():
        if not folder.name.isdigit():
            continue
        pid = int(folder.name)
        try:
            # The program's name comes before, in brackets, and may hold anything.
            parents[pid] = int((folder / "stat").read_bytes().rpartition(b")")[2].split()[1])
            entries = (folder / "environ").read_bytes().split(b"\0")
        except OSError:
            continue  # it ended, or belongs to someone else
        for entry in entries:
            if entry.startswith(wanted):
                names[pid] = entry
    return parents, names


def _descends(pid: int, parents: dict[int, int]) -> bool:
    while pid > 1:
        if pid == os.getpid():
            return True
        pid = parents.get(pid, 0)
    return False
