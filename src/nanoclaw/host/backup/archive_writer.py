"""Writes a backup as a stream and lists what is in it. The file is complete under its name, or does not exist."""

import errno
import gzip
import hashlib
import os
import tarfile
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from typing import IO, Any, cast

from nanoclaw.domain.errors import Refused
from nanoclaw.host.backup.entry_rules import EntryRules
from nanoclaw.host.backup.folder_walk import BackupItem
from nanoclaw.host.backup.manifest import Growing, Listed, spelled
from nanoclaw.host.backup.tar_stream import MOST_ENTRIES, Entry, EntryKind

_LEVEL = 5  # compression: twice as fast as the default, and 5 percent bigger
_PRIVATE = 0o600


class BackupCancelled(Exception):
    """The host is stopping; what was written is discarded."""


class _Measured:
    """Reads exactly the announced number of bytes: a file that grows is cut, one that shrinks is padded."""

    def __init__(self, read: Callable[[int], bytes], size: int, stop: threading.Event) -> None:
        self._read = read
        self._left = size
        self._stop = stop
        self.hash = hashlib.sha256()
        self.is_short = False

    def read(self, most: int = -1) -> bytes:
        if self._stop.is_set():
            raise BackupCancelled
        wanted = self._left if most < 0 else min(most, self._left)
        piece = b"" if self.is_short else self._read(wanted)
        while not self.is_short and len(piece) < wanted:
            more = self._read(wanted - len(piece))
            self.is_short = not more
            piece += more
        piece = piece.ljust(wanted, b"\0")
        self._left -= len(piece)
        self.hash.update(piece)
        return piece


class ArchiveWriter:
    """An archive being written."""

    def __init__(self, tar: tarfile.TarFile, stop: threading.Event) -> None:
        self.list = Growing()
        self._tar = tar
        self._stop = stop
        self._rules = EntryRules()
        self._count = 0

    def add_bytes(self, name: str, content: bytes, *, listed: bool = True) -> None:
        self._add(_info(name, None, len(content)), BytesIO(content).read, listed=listed)

    def add_file(self, name: str, path: Path) -> None:
        with path.open("rb") as file:
            about = os.fstat(file.fileno())
            self._add(_info(name, about, about.st_size), file.read)

    def add(self, root: str, found: BackupItem) -> bool:
        """False if a restore would refuse its name."""
        name = f"{root}/{found.path}"
        if not self._may_hold(name, found):
            return False
        if found.target is not None:
            info = _info(name, found.about, 0)
            info.type, info.linkname = tarfile.SYMTYPE, found.target
            self._tar.addfile(info)
            self.list.links[spelled(name)] = spelled(found.target)
        elif found.handle is not None:
            handle = found.handle
            self._add(_info(name, found.about, found.about.st_size), lambda most: os.read(handle, most))
        else:
            info = _info(name, found.about, 0)
            info.type = tarfile.DIRTYPE
            self._tar.addfile(info)
        forget_members(self._tar)
        return True

    def _may_hold(self, name: str, found: BackupItem) -> bool:
        """By the rules of whoever restores it: what is written must be accepted there."""
        self._count += 1
        if self._count > MOST_ENTRIES - 10:  # and a few of our own
            raise Refused("backup-too-many", most=MOST_ENTRIES)
        kind = EntryKind.LINK if found.target is not None else EntryKind.FILE
        kind = EntryKind.FOLDER if kind is EntryKind.FILE and found.handle is None else kind
        try:
            self._rules.judge(Entry(name=name, kind=kind, size=0, mode=0, mtime=0, target=found.target or ""))
        except Refused:
            return False
        return True

    def _add(self, info: tarfile.TarInfo, read: Callable[[int], bytes], *, listed: bool = True) -> None:
        measured = _Measured(read, info.size, self._stop)
        self._tar.addfile(info, _as_file(measured))
        if measured.is_short:
            self.list.changed.append(spelled(info.name))
        if listed:
            self.list.members[spelled(info.name)] = Listed(size=info.size, sha256=measured.hash.hexdigest())


@contextmanager
def packed(target: Path, stop: threading.Event) -> Iterator[ArchiveWriter]:
    """The file gets its name when all of it is on disk. On any error nothing is left."""
    fresh = target.with_name(target.name + ".new")
    try:
        with told(target):
            target.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            opened = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, _PRIVATE)
            with os.fdopen(opened, "wb") as file:
                with (
                    gzip.GzipFile(filename="", mode="wb", compresslevel=_LEVEL, fileobj=file) as squeezed,
                    tarfile.open(
                        fileobj=squeezed, mode="w|", format=tarfile.PAX_FORMAT, bufsize=1 << 16
                    ) as tar,
                ):
                    yield ArchiveWriter(tar, stop)
                file.flush()
                os.fsync(file.fileno())
            fresh.replace(target)
            sync_folder(target.parent)
    except FileExistsError as error:
        raise Refused("backup-under-way", file=str(fresh)) from error
    except BaseException:
        fresh.unlink(missing_ok=True)
        raise


@contextmanager
def told(target: Path) -> Iterator[None]:
    """Turns system errors into sentences, above all that the disk is full."""
    try:
        yield
    except FileExistsError:
        raise
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise Refused("backup-disk-full", file=str(target)) from error
        raise Refused("backup-unwritable", file=str(target), said=error.strerror or str(error)) from error


def forget_members(tar: tarfile.TarFile) -> None:
    """tarfile lists every member it has seen, which would grow with the workspace."""
    cast(Any, tar).members.clear()


def sync_folder(folder: Path) -> None:
    """A name is on disk only when its folder is."""
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _info(name: str, about: os.stat_result | None, size: int) -> tarfile.TarInfo:
    """Without owners: on another machine their ids mean other users."""
    info = tarfile.TarInfo(name)
    info.size = size
    info.mode = _PRIVATE if about is None else about.st_mode & 0o777
    info.mtime = 0 if about is None else int(about.st_mtime)
    return info


def _as_file(measured: _Measured) -> IO[bytes]:
    return measured  # type: ignore[return-value]  # it is only read from
