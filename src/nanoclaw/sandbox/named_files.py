"""Which files a command names, and what is in them now: what a person allows must be what is run.

The words of the command are looked up on the host, through the mounts of its box. Nothing that a box can write is
opened otherwise than `reading` does it; links are followed here by hand, so that none leads out of the box.
"""

import errno
import hashlib
import os
import posixpath
import re
import shlex
import stat
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from itertools import islice
from pathlib import Path, PurePosixPath
from types import TracebackType
from typing import Self

from nanoclaw.domain.boxes import WORK, Mount
from nanoclaw.domain.turns import TurnRequest
from nanoclaw.sandbox.folders import session_folders
from nanoclaw.sandbox.inside import HOME
from nanoclaw.sandbox.reading import Reject, open_beneath

_READ_EACH = 8 << 20  # bytes; of what is bigger, or comes after that, it is known when it was changed
_READ_ALL = 32 << 20
_MOST_FILES = 1000
_MOST_WORDS = 1000
_MOST_FOLDERS = 16
_MOST_ENTRIES = 10_000  # of a folder in which a pattern is looked for
_MOST_LINKS = 16
_CHUNK = 1 << 20
_NOTHING_THERE = (errno.ENOENT, errno.ENOTDIR, errno.ENAMETOOLONG)
_LONGEST_NAME = 255  # bytes
_GLOB = re.compile(r"[*?\[]")
_BETWEEN = re.compile(r"""[\s;|&<>()`"'=,:@{}]+""")
# Where output goes is no script: what is there before is overwritten.
_REDIRECTED = re.compile(r"\d?>>?\s*[^\s;|&<>()]+")
# A box has these to itself, and the host cannot look into them.
_BOXES_OWN = ("/tmp", "/var/tmp", "/dev/shm", "/run", "/proc", HOME)  # noqa: S108 - the box's own
_HOME_WORDS = re.compile(r"^(?:~|\$\{?HOME\}?|\$\{?TMPDIR\}?)(?=/|$)")
# What these programs run without being told its name.
_UNSAID = {
    "make": ("GNUmakefile", "makefile", "Makefile"),
    "just": ("justfile", "Justfile", ".justfile"),
    **dict.fromkeys(("npm", "npx", "yarn", "pnpm"), ("package.json",)),
}
_OF_FOLDERS = ("__main__.py",)  # `python folder` runs it


@dataclass(frozen=True, kw_only=True, slots=True)
class NamedFile:
    """A file as the box sees it. `mark` is the hash of its content; of a big one, when it was last changed."""

    path: str
    size: int
    mark: str
    is_read: bool = True


@dataclass(frozen=True, kw_only=True, slots=True)
class Named:
    """`unseen` is what was named and cannot be looked at: nobody can know whether it stays the same."""

    files: tuple[NamedFile, ...] = ()
    unseen: str | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class NamedFiles:
    """Of the boxes of one workspace."""

    home: Path

    def look(self, request: TurnRequest, commands: Sequence[str], folders: Sequence[str] = ()) -> Named:
        """As they are now, for the box of this turn. Blocks: use a thread."""
        own = session_folders(self.home, request.company, request.group, request.session_id)
        skills = (
            Mount(source=each.folder, target=f"/skills/skills/{each.name}")
            for each in request.reach.colleagues
        )
        return named_in(commands, own.mounts(extra=(*skills, *request.reach.mounts)), folders=folders)


def named_in(commands: Sequence[str], mounts: Sequence[Mount], *, folders: Sequence[str] = ()) -> Named:
    """By these commands, run in a box with these mounts, in /work or one of `folders`. Blocks: use a thread."""
    with _Box(mounts) as box:
        look = _Look(box=box)
        bases = [WORK, *folders]
        for command in commands:
            look.at(_words(command), bases)
        return look.result()


def _words(command: str) -> list[str]:
    """Everything in it that could be the name of a file: as a shell splits it, and as it is written."""
    said = _REDIRECTED.sub(" ", command)
    try:
        split = shlex.split(said, comments=False)
    except ValueError:
        split = []
    found = dict.fromkeys(word for word in (*split, *_BETWEEN.split(said)) if word)
    return [word for word in found if _can_be_a_name(word)][:_MOST_WORDS]


def _can_be_a_name(word: str) -> bool:
    try:
        return "\0" not in word and all(len(part) <= _LONGEST_NAME for part in os.fsencode(word).split(b"/"))
    except UnicodeEncodeError:
        return False


@dataclass(kw_only=True)
class _Look:
    box: "_Box"
    files: dict[str, NamedFile] = field(default_factory=dict)
    unseen: str | None = None
    read: int = 0

    def at(self, words: Sequence[str], bases: Sequence[str]) -> None:
        folders = list(bases)
        for word in words:
            found = self.box.find(posixpath.join(WORK, word)) if not _GLOB.search(word) else None
            if found and found.is_folder:
                self._take(posixpath.join(found.path, name) for name in _OF_FOLDERS)
                if found.path not in folders and len(folders) < _MOST_FOLDERS:
                    folders.append(found.path)  # as in `cd there && ./run.sh`
        for word in words:
            if own := _own_to_the_box(word):
                self.unseen = self.unseen or own
                continue
            self._take(path for base in folders for path in self._meant(base, word))
            unsaid = _UNSAID.get(posixpath.basename(word), ())
            self._take(posixpath.join(base, name) for base in folders for name in unsaid)

    def _meant(self, base: str, word: str) -> Iterator[str]:
        path = posixpath.join(base, word)
        yield path
        if _GLOB.search(word):
            yield from self.box.matching(path)

    def _take(self, paths: Iterator[str]) -> None:
        for path in paths:
            found = self.box.find(path)
            if found is None or found.is_folder or found.path in self.files:
                continue
            if found.fault or len(self.files) >= _MOST_FILES:
                self.unseen = self.unseen or path
                continue
            known = self.box.content(found.path, most=min(_READ_EACH, _READ_ALL - self.read))
            if known is None:
                self.unseen = self.unseen or path
                continue
            self.read += known.size if known.is_read else 0
            self.files[found.path] = known

    def result(self) -> Named:
        return Named(files=tuple(self.files[path] for path in sorted(self.files)), unseen=self.unseen)


@dataclass(frozen=True, kw_only=True, slots=True)
class _Found:
    """What a path leads to in the end. `fault`: it is there, and is neither a plain file nor a folder."""

    path: str
    is_folder: bool = False
    fault: bool = False


class _Box:
    """The files of a box, seen from the host."""

    def __init__(self, mounts: Sequence[Mount]) -> None:
        self._mounts = sorted(mounts, key=lambda mount: len(mount.target), reverse=True)
        self._roots: dict[str, int | None] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, _kind: type[BaseException] | None, _error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        for root in self._roots.values():
            if root is not None:
                os.close(root)

    def find(self, path: str) -> _Found | None:
        """Through the links on the way; None when nothing is there, or it is part of the system."""
        here, todo, links = "/", list(reversed(PurePosixPath(path).parts[1:])), 0
        while todo:
            part = todo.pop()
            if part == "..":
                here = posixpath.dirname(here)
                continue
            here = posixpath.join(here, part)
            if _own_to_the_box(here):
                return _Found(path=here, fault=True)
            root, below = self._place(here)
            if root is None or not below:
                continue
            try:
                seen, target = self._look(root, below)
            except (OSError, Reject) as error:
                is_there = not isinstance(error, OSError) or error.errno not in _NOTHING_THERE
                return _Found(path=here, fault=True) if is_there else None
            if target is not None:
                links += 1
                if links > _MOST_LINKS:
                    return _Found(path=here, fault=True)
                here = "/" if target.startswith("/") else posixpath.dirname(here)
                todo += reversed([part for part in PurePosixPath(target).parts if part != "/"])
            elif todo and not stat.S_ISDIR(seen.st_mode):
                return None
            elif not todo:
                is_folder = stat.S_ISDIR(seen.st_mode)
                return _Found(
                    path=here, is_folder=is_folder, fault=not is_folder and not stat.S_ISREG(seen.st_mode)
                )
        root, _ = self._place(here)
        return _Found(path=here, is_folder=True) if root is not None else None

    def content(self, path: str, *, most: int) -> NamedFile | None:
        """None when it cannot be read, or has become something else."""
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
                    if size > most:  # it grows while it is read
                        return _unread(path, seen)
                    digest.update(piece)
                return NamedFile(path=path, size=size, mark=digest.hexdigest())
        except (OSError, Reject):
            return None

    def matching(self, pattern: str) -> Iterator[str]:
        """As a shell would expand it."""
        before = [""]
        for part in PurePosixPath(pattern).parts[1:]:
            if not _GLOB.search(part):
                before = [f"{each}/{part}" for each in before]
                continue
            before = [
                f"{each}/{name}"
                for each in before
                for name in self._listed(each or "/")
                if fnmatchcase(name, part) and (part.startswith(".") or not name.startswith("."))
            ][: _MOST_FILES + 1]
        yield from before

    def _listed(self, folder: str) -> list[str]:
        found = self.find(folder)
        root, below = self._place(found.path) if found and found.is_folder else (None, "")
        if root is None:
            return []
        try:
            if not below:
                return _names_in(root)
            with closing(_Opened(open_beneath(root, below))) as opened:
                return _names_in(opened.number)
        except (OSError, Reject):
            return []

    def _look(self, root: int, below: str) -> tuple[os.stat_result, str | None]:
        """Of something whose folder is no link: what it is, and where it leads if it is a link itself."""
        folder, _, name = below.rpartition("/")
        if not folder:
            return _seen(name, root)
        with closing(_Opened(open_beneath(root, folder))) as opened:
            return _seen(name, opened.number)

    def _place(self, path: str) -> tuple[int | None, str]:
        """The folder of the host that is mounted there, and the way below it."""
        for mount in self._mounts:
            if path == mount.target or path.startswith(f"{mount.target}/"):
                return self._root(mount), path[len(mount.target) + 1 :]
        return None, ""

    def _root(self, mount: Mount) -> int | None:
        if mount.target not in self._roots:
            try:
                opened = os.open(mount.source, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
            except OSError:  # a single file or socket of the host, or not made yet
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


def _names_in(folder: int) -> list[str]:
    with os.scandir(folder) as entries:
        return sorted(entry.name for entry in islice(entries, _MOST_ENTRIES))


def _unread(path: str, seen: os.stat_result) -> NamedFile:
    """Nobody in a box can set the time of a change back."""
    mark = f"{seen.st_ino}-{seen.st_mtime_ns}-{seen.st_ctime_ns}"
    return NamedFile(path=path, size=seen.st_size, mark=mark, is_read=False)


def _own_to_the_box(word: str) -> str | None:
    if _HOME_WORDS.match(word):
        return word
    path = posixpath.normpath(word)
    return next((word for own in _BOXES_OWN if path == own or path.startswith(f"{own}/")), None)
