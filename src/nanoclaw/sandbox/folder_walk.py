"""Walks a folder that boxes can write: gives it to its user, and repairs what a box may have done to block others.

A box can nest folders deeper than any program can handle, create more files than anyone can list, and close its own
folders. So the walk is bounded, holds no more descriptors than it is deep, and opens nothing by a path that a box could
change.
"""

import contextlib
import os
import stat
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

DEEPEST = 64  # nested folders; each holds a descriptor during the walk
MOST = 200_000  # files and folders
_NAMED = 10
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_LOOK = os.O_PATH | os.O_NOFOLLOW | os.O_CLOEXEC
_SET_IDS = stat.S_ISUID | stat.S_ISGID


@dataclass
class FolderFaults:
    """What is wrong; paths are below the folder."""

    deep: str = ""  # the first folder that was not entered
    many: bool = False
    unsafe: list[str] = field(default_factory=list)  # setuid files and devices: the first ones
    closed: list[str] = field(default_factory=list)  # unreadable for their owner: the first ones


class _Visitor(Protocol):
    def visit(self, place: int, name: str, path: str, found: os.stat_result, /, *, wrong: bool) -> None: ...


def mend(folder: Path, uid: int | None) -> FolderFaults:
    """`uid`: the new owner of everything, None to keep it. A file with a second name may belong to someone
    else there.
    """
    open_again(folder)
    return _go_through(folder, _Mending(uid))


def look(folder: Path) -> FolderFaults:
    """Look only; changes nothing."""
    return _go_through(folder, None)


def files_in(folder: Path, most: int) -> dict[str, os.stat_result]:
    """Its plain files by their path below it, without git's; at most so many."""
    listing = _Listing(most)
    _go_through(folder, listing)
    return listing.files


@dataclass(frozen=True, kw_only=True, slots=True)
class ListedFiles:
    """`is_whole`: there are no others."""

    files: dict[str, os.stat_result]
    is_whole: bool


def listed(folder: Path, most: int) -> ListedFiles:
    """All its plain files by their path below it, git's and those with odd rights too; at most so many."""
    listing = _Listing(most, with_all=True)
    faults = _go_through(folder, listing)
    return ListedFiles(files=listing.files, is_whole=not (faults.deep or faults.many or listing.has_more))


def open_again(folder: Path) -> None:
    """Reopen the folder itself: a box may have closed what it was given, and then no box of its group would start."""
    found = folder.lstat()
    if stat.S_ISDIR(found.st_mode) and (found.st_mode & (_SET_IDS | stat.S_IRWXU)) != stat.S_IRWXU:
        folder.chmod(stat.S_IMODE(found.st_mode) & ~_SET_IDS | stat.S_IRWXU)


def _go_through(folder: Path, visitor: _Visitor | None) -> FolderFaults:
    findings, count = FolderFaults(), 0
    try:
        top = os.open(folder, _FOLDER)
    except OSError:
        return findings  # it does not exist, or is a link, which is the person's own
    device = os.fstat(top).st_dev
    way = [(top, "", os.scandir(top))]  # not as lists: there may be millions of entries
    try:
        while way:
            place, below, entries = way[-1]
            entry = next(entries, None)
            if entry is None:
                _close(*way.pop())
                continue
            count += 1
            if count > MOST:
                findings.many = True
                break
            path = f"{below}/{entry.name}" if below else entry.name
            is_folder = _one(place, entry.name, path, device, findings, visitor)
            if is_folder and len(way) == DEEPEST:
                findings.deep = findings.deep or path
            elif is_folder:
                with contextlib.suppress(OSError):  # closed, or gone meanwhile
                    inner = os.open(entry.name, _FOLDER, dir_fd=place)
                    way.append((inner, path, os.scandir(inner)))
    finally:
        for each in way:
            _close(*each)
    return findings


def _close(place: int, _path: str, entries: "os._ScandirIterator[str]") -> None:
    entries.close()
    os.close(place)


def _one(
    place: int, name: str, path: str, device: int, findings: FolderFaults, visitor: _Visitor | None
) -> bool:
    """Whether it is a folder to enter."""
    try:
        found = os.stat(name, dir_fd=place, follow_symlinks=False)
        mode, is_folder = found.st_mode, stat.S_ISDIR(found.st_mode)
        if stat.S_ISLNK(mode):
            wrong = False
        elif stat.S_ISCHR(mode) or stat.S_ISBLK(mode) or mode & _SET_IDS:
            wrong = True
            _note(findings.unsafe, path)
        elif is_folder and mode & 0o500 != 0o500:
            wrong = True
            _note(findings.closed, path)
        else:
            wrong = False
        if visitor:
            visitor.visit(place, name, path, found, wrong=wrong)
    except OSError:
        return False  # a live box has removed it meanwhile
    return is_folder and found.st_dev == device


def _note(names: list[str], path: str) -> None:
    if len(names) < _NAMED:
        names.append(path)


@dataclass
class _Listing:
    most: int
    with_all: bool = False
    files: dict[str, os.stat_result] = field(default_factory=dict)
    has_more: bool = False

    def visit(self, _place: int, _name: str, path: str, found: os.stat_result, /, *, wrong: bool) -> None:
        if not stat.S_ISREG(found.st_mode):
            return
        if not self.with_all and (wrong or ".git" in path.split("/")):
            return
        if len(self.files) < self.most:
            self.files[path] = found
        else:
            self.has_more = True


@dataclass(frozen=True)
class _Mending:
    uid: int | None

    def visit(self, place: int, name: str, _path: str, found: os.stat_result, /, *, wrong: bool) -> None:
        if stat.S_ISCHR(found.st_mode) or stat.S_ISBLK(found.st_mode):
            os.unlink(name, dir_fd=place)
            return
        is_folder = stat.S_ISDIR(found.st_mode)
        if self.uid is not None and found.st_uid != self.uid and (is_folder or found.st_nlink == 1):
            os.chown(name, self.uid, self.uid, dir_fd=place, follow_symlinks=False)
        if wrong:
            _change_mode(place, name, is_folder=is_folder)


def _change_mode(place: int, name: str, *, is_folder: bool) -> None:
    """Use a handle on what is there: its name may become a link to a file of the host meanwhile."""
    handle = os.open(name, _LOOK, dir_fd=place)
    try:
        found = os.fstat(handle)
        if stat.S_ISREG(found.st_mode) or stat.S_ISDIR(found.st_mode):
            mode = stat.S_IMODE(found.st_mode) & ~_SET_IDS
            Path(f"/proc/self/fd/{handle}").chmod(mode | stat.S_IRWXU if is_folder else mode)
    finally:
        os.close(handle)
