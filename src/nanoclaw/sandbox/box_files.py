"""The files of a box, seen from the host: what a path in the box leads to, and what is there now.

Everything a box can write is opened as in `untrusted_files`. Links are resolved here by hand, so that none
leads out of the box.
"""

import errno
import hashlib
import os
import posixpath
import re
import stat
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from fnmatch import fnmatchcase
from itertools import islice
from pathlib import PurePosixPath
from types import TracebackType
from typing import Self

from nanoclaw.domain.boxes import Mount
from nanoclaw.sandbox.inside import HOME
from nanoclaw.sandbox.untrusted_files import Reject, open_beneath, read_bytes

_MOST_LOOKS = 100_000  # names and path steps: a box can make any number of them, and of links to them
_MOST_LINKS = 16
_CHUNK = 1 << 20
_NOTHING_THERE = (errno.ENOENT, errno.ENOTDIR, errno.ENAMETOOLONG)
_GLOB = re.compile(r"[*?\[]")
# Private to the box; the host cannot look into them.
_BOXES_OWN = ("/tmp", "/var/tmp", "/dev/shm", "/run", "/proc", HOME)  # noqa: S108 - the box's own
_HOME_WORDS = re.compile(r"^(?:~(?:agent|root)?|\$\{?HOME\}?|\$\{?TMPDIR\}?)(?=/|$)")
# As a shell writes them, unlike fnmatch.
_CLASS = re.compile(r"\[[^\]]*\[:\w+:\][^\]]*\]")


@dataclass(frozen=True, kw_only=True, slots=True)
class NamedFile:
    """A file as the box sees it. `mark` is the hash of its content, or for a big file the time of its last change."""

    path: str
    size: int
    mark: str
    is_read: bool = True


@dataclass(frozen=True, kw_only=True, slots=True)
class ResolvedPath:
    """What a path finally leads to. `fault`: it exists, but is neither a plain file nor a folder."""

    path: str
    is_folder: bool = False
    fault: bool = False


class BoxFiles:
    """A snapshot for one look: nothing is examined twice. `given_up` is where it stopped because it had
    examined too much.
    """

    def __init__(self, mounts: Sequence[Mount]) -> None:
        self._mounts = sorted(mounts, key=lambda mount: len(mount.target), reverse=True)
        self._roots: dict[str, int | None] = {}
        self._found: dict[str, ResolvedPath | None] = {}
        self._names: dict[str, list[str]] = {}
        self._left = _MOST_LOOKS
        self.given_up: str | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, _kind: type[BaseException] | None, _error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        for root in self._roots.values():
            if root is not None:
                os.close(root)

    def find(self, path: str) -> ResolvedPath | None:
        """Follow links. None if nothing is there, or it is part of the system."""
        if path not in self._found:
            self._found[path] = self._find(path)
        return self._found[path]

    def _find(self, path: str) -> ResolvedPath | None:
        here, todo, links = "/", list(reversed(PurePosixPath(path).parts[1:])), 0
        while todo:
            part = todo.pop()
            if part == "..":
                here = posixpath.dirname(here)
                continue
            here = posixpath.join(here, part)
            if own_to_the_box(here):
                return ResolvedPath(path=here, fault=True)
            root, below = self._place(here)
            if root is None or not below:
                continue
            if not self._may_look(1 + below.count("/"), path):
                return None
            try:
                seen, target = self._look(root, below)
            except (OSError, Reject) as error:
                is_there = not isinstance(error, OSError) or error.errno not in _NOTHING_THERE
                return ResolvedPath(path=here, fault=True) if is_there else None
            if target is not None:
                links += 1
                if links > _MOST_LINKS:
                    return ResolvedPath(path=here, fault=True)
                here = "/" if target.startswith("/") else posixpath.dirname(here)
                todo += reversed([part for part in PurePosixPath(target).parts if part != "/"])
            elif todo and not stat.S_ISDIR(seen.st_mode):
                return None
            elif not todo:
                is_folder = stat.S_ISDIR(seen.st_mode)
                return ResolvedPath(
                    path=here, is_folder=is_folder, fault=not is_folder and not stat.S_ISREG(seen.st_mode)
                )
        root, _ = self._place(here)
        return ResolvedPath(path=here, is_folder=True) if root is not None else None

    def content(self, path: str, *, most: int) -> NamedFile | None:
        """None if it cannot be read, or has become something else."""
        root, below = self._place(path)
        if root is None:
            return None
        try:
            with closing(_Opened(open_beneath(root, below))) as opened:
                seen = os.fstat(opened.number)
                if not stat.S_ISREG(seen.st_mode):
                    return None
                if seen.st_size > most:
                    return _unread(path, seen)
                digest, size = hashlib.sha256(), 0
                while piece := os.read(opened.number, _CHUNK):
                    size += len(piece)
                    if size > most:  # it grew while being read
                        return _unread(path, seen)
                    digest.update(piece)
                return NamedFile(path=path, size=size, mark=digest.hexdigest())
        except (OSError, Reject):
            return None

    def read(self, path: str, most: int) -> bytes | None:
        """A whole file, by a path from `find`. None if it is bigger, or cannot be read."""
        root, below = self._place(path)
        try:
            return read_bytes(root, below, most) if root is not None else None
        except (OSError, Reject):
            return None

    def matching(self, pattern: str) -> Iterator[str]:
        """Expand a pattern as a shell would."""
        before = [""]
        for part in PurePosixPath(pattern).parts[1:]:
            if not self._may_look(len(before), pattern):
                return
            if not _GLOB.search(part):
                before = [f"{each}/{part}" for each in before]
                continue
            fitting = _CLASS.sub("?", part).replace("[^", "[!")
            before = [
                f"{each}/{name}"
                for each in before
                for name in self._listed(each or "/")
                if fnmatchcase(name, fitting) and (part.startswith(".") or not name.startswith("."))
            ]
        yield from before

    def _listed(self, folder: str) -> list[str]:
        """List a folder. Every pass counts: many links may lead to one big folder."""
        found = self.find(folder)
        path = found.path if found and found.is_folder else folder
        names = self._names.get(path)
        if names is None:
            names = self._names[path] = sorted(
                {*self._mounted_in(path), *(self._read(path) if found else ())}
            )
        return names if self._may_look(len(names), folder) else []

    def _read(self, folder: str) -> list[str]:
        root, below = self._place(folder)
        if root is None:
            return []
        try:
            if not below:
                return _names_in(root, self._left + 1)
            with closing(_Opened(open_beneath(root, below))) as opened:
                return _names_in(opened.number, self._left + 1)
        except (OSError, Reject):
            return []

    def _mounted_in(self, folder: str) -> Iterator[str]:
        """What the box has mounted there, whether or not the host has such a folder."""
        start = folder.rstrip("/") + "/"
        for place in (*(mount.target for mount in self._mounts), *_BOXES_OWN):
            if place.startswith(start):
                yield place[len(start) :].split("/")[0]

    def _may_look(self, often: int, path: str) -> bool:
        self._left -= often
        if self._left < 0:
            self.given_up = self.given_up or path
        return self.given_up is None

    def _look(self, root: int, below: str) -> tuple[os.stat_result, str | None]:
        """What it is, and its target if it is a link. Its folder must not be a link."""
        folder, _, name = below.rpartition("/")
        if not folder:
            return _seen(name, root)
        with closing(_Opened(open_beneath(root, folder))) as opened:
            return _seen(name, opened.number)

    def _place(self, path: str) -> tuple[int | None, str]:
        """The host folder mounted there, and the path below it."""
        for mount in self._mounts:
            if path == mount.target or path.startswith(f"{mount.target}/"):
                return self._root(mount), path[len(mount.target) + 1 :]
        return None, ""

    def _root(self, mount: Mount) -> int | None:
        if mount.target not in self._roots:
            try:
                opened = os.open(mount.source, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
            except OSError:  # a single file or socket of the host, or not created yet
                opened = None
            self._roots[mount.target] = opened
        return self._roots[mount.target]


class _Opened:
    def __init__(self, number: int) -> None:
        self.number = number

    def close(self) -> None:
        os.close(self.number)


def _seen(name: str, folder: int) -> tuple[os.stat_result, str | None]:
    seen = os.stat(name, dir_fd=folder, follow_symlinks=False)
    return seen, os.readlink(name, dir_fd=folder) if stat.S_ISLNK(seen.st_mode) else None


def _names_in(folder: int, most: int) -> list[str]:
    with os.scandir(folder) as entries:
        return [entry.name for entry in islice(entries, max(most, 0))]


def is_pattern(word: str) -> bool:
    return _GLOB.search(word) is not None


def _unread(path: str, seen: os.stat_result) -> NamedFile:
    """A file identified without reading it: nobody in a box can set the change time back."""
    mark = f"{seen.st_ino}-{seen.st_mtime_ns}-{seen.st_ctime_ns}"
    return NamedFile(path=path, size=seen.st_size, mark=mark, is_read=False)


def own_to_the_box(word: str) -> str | None:
    if _HOME_WORDS.match(word):
        return word
    path = posixpath.normpath(word)
    return next((word for own in _BOXES_OWN if path == own or path.startswith(f"{own}/")), None)
