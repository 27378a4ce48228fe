"""What a box may use up, counted for the whole box by control groups (version 1 or 2) if we may create them.

Best effort: without control groups `prlimit` limits each process separately, and `in_force` says so.
"""

import errno
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from nanoclaw.domain.boxes import BoxLimits

_PREFIX = "nanoclaw-"
_HOST = "nanoclaw-host"  # where the host itself moves when its own group must become a parent of groups
_PERIOD = 100_000  # microseconds over which the CPU share is counted
_CONTROLLERS = ("memory", "pids", "cpu")


class Force(StrEnum):
    """What counts the memory of a box."""

    CGROUP_V2 = "cgroup-v2"
    CGROUP_V1 = "cgroup-v1"
    PROCESS = "process"  # nothing: each process has its own limit


@dataclass(frozen=True, kw_only=True, slots=True)
class ControlGroup:
    """The control groups of one box."""

    folders: tuple[Path, ...] = ()
    memory: bool = False  # whether the memory of the whole box is counted

    @property
    def files(self) -> tuple[str, ...]:
        """A process that writes 0 into these joins the groups."""
        return tuple(str(folder / "cgroup.procs") for folder in self.folders)

    def remove(self) -> None:
        """Remove it once it is empty; what cannot be removed now is left to the next sweep."""
        for folder in self.folders:
            _remove(folder)


def make_pen(name: str, limits: BoxLimits) -> ControlGroup:
    """Groups with these limits, as many as this machine lets us create."""
    made, memory = [], False
    for parent, controllers, unified in _parents():
        folder = parent / f"{_PREFIX}{name}"
        if _make(folder, _values(limits, controllers, unified=unified)):
            made.append(folder)
            memory = memory or "memory" in controllers
    return ControlGroup(folders=tuple(made), memory=memory)


def in_force() -> Force:
    """Tested, not guessed: creates a group and removes it."""
    control_group = make_pen(f"trial-{os.getpid()}", BoxLimits())
    control_group.remove()
    if not control_group.memory:
        return Force.PROCESS
    return Force.CGROUP_V2 if any(unified for _, _, unified in _parents()) else Force.CGROUP_V1


def command_limits(limits: BoxLimits, control_group: ControlGroup) -> tuple[str, ...]:
    """Limits set inside, where the process count is the box's own."""
    numbers = {
        "nproc": limits.processes,
        "nofile": limits.open_files,
        "fsize": limits.file_bytes,
        "core": 0,
        **({} if control_group.memory else {"data": limits.memory}),
    }
    return ("/usr/bin/prlimit", *(f"--{name}={value}:{value}" for name, value in numbers.items()), "--")


def sweep(prefix: str, is_held: Callable[[str], bool]) -> None:
    """Remove the groups of boxes that are gone. A box that is still starting has an empty group."""
    for parent, _, _ in _parents():
        for folder in parent.glob(f"{_PREFIX}{prefix}*"):
            if not is_held(folder.name.removeprefix(f"{_PREFIX}{prefix}")):
                _remove(folder)


def _values(limits: BoxLimits, controllers: tuple[str, ...], *, unified: bool) -> dict[str, int | str]:
    quota = int(limits.cpus * _PERIOD)
    if unified:
        every: dict[str, int | str] = {
            "memory.max": limits.memory,
            "memory.swap.max": 0,
            "pids.max": limits.processes,
            "cpu.max": f"{quota} {_PERIOD}",
        }
    else:
        every = {
            "memory.limit_in_bytes": limits.memory,
            "memory.memsw.limit_in_bytes": limits.memory,
            "pids.max": limits.processes,
            "cpu.cfs_period_us": _PERIOD,
            "cpu.cfs_quota_us": quota,
        }
    return {name: value for name, value in every.items() if name.partition(".")[0] in controllers}


def _make(folder: Path, values: dict[str, int | str]) -> bool:
    try:
        folder.mkdir(exist_ok=True)
        for name, value in values.items():
            if (folder / name).exists():  # a kernel without swap accounting has no such file
                (folder / name).write_text(str(value))
    except OSError:
        _remove(folder)
        return False
    return True


def _remove(folder: Path) -> None:
    try:
        folder.rmdir()
    except OSError as error:
        if error.errno not in (errno.ENOENT, errno.EBUSY, errno.EACCES, errno.EPERM, errno.EROFS):
            raise


def _parents() -> Iterator[tuple[Path, tuple[str, ...], bool]]:
    """Where groups can be created: below our own, so that what limits the host limits its boxes too."""
    mounted = _mounted()
    for line in Path("/proc/self/cgroup").read_text().splitlines():
        _, names, own = line.split(":", 2)
        wanted = tuple(name for name in names.split(",") if name in _CONTROLLERS)
        place = mounted.get(names)
        if place is None:
            continue
        parent = place / own.strip("/")
        if parent.name == _HOST:
            parent = parent.parent
        if wanted and os.access(parent, os.W_OK):
            yield parent, wanted, False
        elif not names and (ready := _opened(parent)):
            yield parent, ready, True


def _mounted() -> dict[str, Path]:
    """Controllers (empty for version 2) -> mount point."""
    found = {}
    for line in Path("/proc/self/mountinfo").read_text().splitlines():
        before, _, after = line.partition(" - ")
        kind, _, options = after.split(" ", 2)
        if kind == "cgroup2":
            found[""] = Path(before.split()[4])
        elif kind == "cgroup":
            wanted = [name for name in options.split(",") if name in (*_CONTROLLERS, "cpuacct")]
            if wanted:
                found[",".join(wanted)] = Path(before.split()[4])
    return found


def _opened(parent: Path) -> tuple[str, ...]:
    """The controllers that child groups may use. Version 2 gives none to a group that has processes of its own."""
    offered = [name for name in _CONTROLLERS if name in _words(parent / "cgroup.controllers")]
    if not offered or not os.access(parent / "cgroup.subtree_control", os.W_OK):
        return ()
    if not set(offered) <= set(_words(parent / "cgroup.subtree_control")):
        try:
            if _words(parent / "cgroup.procs") == [str(os.getpid())]:
                (parent / _HOST).mkdir(exist_ok=True)
                (parent / _HOST / "cgroup.procs").write_text("0")
            (parent / "cgroup.subtree_control").write_text(" ".join(f"+{name}" for name in offered))
        except OSError:
            return ()
    return tuple(offered)


def _words(file: Path) -> list[str]:
    try:
        return file.read_text().split()
    except OSError:
        return []
