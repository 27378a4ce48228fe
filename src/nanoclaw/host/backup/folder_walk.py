"""Walks a folder that boxes can write to, in order to copy it. Links are reported and never followed.

Nothing is opened by path: each step goes down from the folder's own handle, so that whatever is put there
meanwhile leads nowhere else. What vanishes on the way is left out, and what cannot be copied is named.
"""

import os
import stat
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

_DEEPEST = 100  # each level holds a handle open
_FLAGS = os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY
_GIT = ".git"
# Last, so that everything named by refs read earlier is there. Git moves loose objects into packs.
_LAST = ("packed-refs", "objects", "info", "pack")


@dataclass(frozen=True, kw_only=True, slots=True)
class BackupItem:
    """Something to copy: a folder, a link with its target, or a file with a handle that is open until the next one."""

    path: str  # below the folder, with "/"
    about: os.stat_result
    target: str | None = None
    handle: int | None = None


@dataclass(kw_only=True)
class Walk:
    """`left_out` says whether to skip a path before it is opened."""

    left_out: Callable[[str], bool] = lambda _path: False
    skipped: dict[str, str] = field(default_factory=dict)  # what was not copied, and why
    _seen: set[str] = field(default_factory=set)  # git packs, since they are listed twice
    _vanished: int = 0

    def through(self, folder: Path, below: str = "") -> Iterator[BackupItem]:
        try:
            place = os.open(folder, _FLAGS | os.O_DIRECTORY)
        except FileNotFoundError:
            return
        except OSError:
            self.skipped[below or "."] = "unreadable"
            return
        try:
            yield from self._within(place, below, 0)
        finally:
            os.close(place)

    def file(self, path: Path, name: str) -> Iterator[BackupItem]:
        """A single file, if it exists."""
        try:
            place = os.open(path.parent, _FLAGS | os.O_DIRECTORY)
        except OSError:
            return
        try:
            yield from self._one(place, path.name, name, 0)
        finally:
            os.close(place)

    def _within(self, place: int, below: str, depth: int) -> Iterator[BackupItem]:
        in_git = _GIT in below.split("/")
        lost = self._vanished
        for name in _in_order(os.listdir(place), in_git=in_git):
            path = f"{below}/{name}" if below else name
            if (in_git and name.endswith(".lock")) or self.left_out(path) or path in self._seen:
                continue
            if below.endswith(f"{_GIT}/objects/pack"):
                self._seen.add(path)
            yield from self._one(place, name, path, depth)
        if below.endswith(f"{_GIT}/objects") and self._vanished > lost:
            # Git has repacked meanwhile: what vanished is in a pack that may be newer than our listing.
            yield from self._one(place, "pack", f"{below}/pack", depth)

    def _one(self, place: int, name: str, path: str, depth: int) -> Iterator[BackupItem]:
        try:
            about = os.stat(name, dir_fd=place, follow_symlinks=False)
            if stat.S_ISLNK(about.st_mode):
                yield BackupItem(path=path, about=about, target=os.readlink(name, dir_fd=place))
                return
            if not stat.S_ISREG(about.st_mode) and not stat.S_ISDIR(about.st_mode):
                self.skipped[path] = "not-a-file"
                return
            handle = os.open(name, _FLAGS, dir_fd=place)
        except FileNotFoundError:
            self._vanished += 1
            return
        except OSError:
            self.skipped[path] = "unreadable"
            return
        try:
            yield from self._opened(handle, path, depth)
        finally:
            with suppress(OSError):
                os.close(handle)

    def _opened(self, handle: int, path: str, depth: int) -> Iterator[BackupItem]:
        about = os.fstat(handle)  # it may have been replaced since it was listed
        if stat.S_ISREG(about.st_mode):
            yield BackupItem(path=path, about=about, handle=handle)
        elif not stat.S_ISDIR(about.st_mode):
            self.skipped[path] = "not-a-file"
        elif depth == _DEEPEST:
            self.skipped[path] = "too-deep"
        else:
            yield BackupItem(path=path, about=about)
            yield from self._within(handle, path, depth + 1)


def _in_order(names: list[str], *, in_git: bool) -> list[str]:
    if not in_git:
        return sorted(names)
    return sorted(names, key=lambda name: (_LAST.index(name) + 1 if name in _LAST else 0, name))
