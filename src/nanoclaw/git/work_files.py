"""Reads and writes files of the work tree: beneath the workspace, without following links, completely or not
at all.
"""

import errno
import hashlib
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_CHUNK = 1 << 20
_SHA256_LETTERS = 64
NOT_A_FILE = (errno.ENOENT, errno.ELOOP, errno.EISDIR, errno.ENXIO, errno.ENOTDIR)


@dataclass(frozen=True, slots=True)
class _FileState:
    about: tuple[int, int, int, int]  # inode, size, mtime, ctime
    blob: str


class WorkFiles:
    """All paths are relative to the workspace, as git writes them."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self._seen: dict[str, _FileState] = {}

    @contextmanager
    def opened(self, path: str) -> Iterator[int | None]:
        """A handle to read it; None if there is no plain file."""
        try:
            with self._folder(path) as (folder, name):
                handle = os.open(name, _READ, dir_fd=folder)
        except OSError as error:
            if error.errno not in NOT_A_FILE:
                raise
            yield None
            return
        try:
            yield handle if stat.S_ISREG(os.fstat(handle).st_mode) else None
        finally:
            os.close(handle)

    def is_there(self, path: str) -> bool:
        with self.opened(path) as handle:
            return handle is not None

    def has_place(self, path: str) -> bool:
        """Whether a new file could be written there: no link or file is in its way."""
        *above, name = PurePosixPath(path).parts
        folder = self.home
        for part in above:
            folder /= part
            if folder.is_symlink() or (folder.exists() and not folder.is_dir()):
                return False
        there = folder / name
        return not there.is_symlink() and (there.is_file() or not there.exists())

    def read(self, path: str) -> bytes | None:
        with self.opened(path) as handle:
            if handle is None:
                return None
            with os.fdopen(handle, "rb", closefd=False) as file:
                return file.read()

    def tail(self, path: str, start: int, most: int) -> bytes:
        """The rest of the file after this position; empty if that is too much, or the file is shorter."""
        with self.opened(path) as handle:
            size = os.fstat(handle).st_size - start if handle is not None else 0
            return os.pread(handle, size, start) if handle is not None and 0 < size <= most else b""

    def blob_id(self, path: str, like: str) -> str | None:
        """The id git would give its content; `like` is any id of the repository. Unchanged files are not read
        again.
        """
        with self.opened(path) as handle:
            if handle is None:
                return None
            about = _about(os.fstat(handle))
            seen = self._seen.get(path)
            if seen is None or seen.about != about or len(seen.blob) != len(like):
                seen = _FileState(about, _hashed(handle, about[1], like))
                self._seen[path] = seen
            return seen.blob

    def write(self, path: str, content: bytes, *, is_program: bool = False) -> None:
        fresh = f".{PurePosixPath(path).name}.merged"
        with self._folder(path, make=True) as (folder, name):
            with suppress(FileNotFoundError):
                os.unlink(fresh, dir_fd=folder)  # left by a host that died
            handle = os.open(fresh, _NEW, 0o755 if is_program else 0o644, dir_fd=folder)
            with os.fdopen(handle, "wb") as file:
                file.write(content)
                file.flush()
                os.fsync(handle)
            os.rename(fresh, name, src_dir_fd=folder, dst_dir_fd=folder)
            os.fsync(folder)

    def append(self, path: str, content: bytes) -> None:
        """Append in place, so that readers keep their position."""
        with self._folder(path) as (folder, name):
            handle = os.open(name, os.O_WRONLY | os.O_APPEND | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=folder)
            with os.fdopen(handle, "ab") as file:
                file.write(content)
                file.flush()
                os.fsync(handle)

    def remove(self, path: str) -> None:
        with suppress(FileNotFoundError), self._folder(path) as (folder, name):
            os.unlink(name, dir_fd=folder)
            os.fsync(folder)

    def below(self, folder: str) -> Iterator[str]:
        """The plain files below a folder, without hidden ones."""
        root = self.home / folder
        for place, folders, names in os.walk(root):  # follows no links
            folders[:] = [name for name in folders if not name.startswith(".")]
            for name in names:
                file = Path(place) / name
                if not name.startswith(".") and file.is_file() and not file.is_symlink():
                    yield file.relative_to(self.home).as_posix()

    @contextmanager
    def _folder(self, path: str, *, make: bool = False) -> Iterator[tuple[int, str]]:
        *above, name = PurePosixPath(path).parts
        folder = os.open(self.home, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            for part in above:
                if make:
                    with suppress(FileExistsError):
                        os.mkdir(part, 0o755, dir_fd=folder)
                below = os.open(part, _FOLDER, dir_fd=folder)
                os.close(folder)
                folder = below
            yield folder, name
        finally:
            os.close(folder)


def _hashed(handle: int, size: int, like: str) -> str:
    hasher = hashlib.sha256() if len(like) == _SHA256_LETTERS else hashlib.sha1(usedforsecurity=False)
    hasher.update(b"blob %d\0" % size)
    place = 0
    while place < size and (piece := os.pread(handle, min(_CHUNK, size - place), place)):
        hasher.update(piece)
        place += len(piece)
    return hasher.hexdigest()


def _about(seen: os.stat_result) -> tuple[int, int, int, int]:
    return seen.st_ino, seen.st_size, seen.st_mtime_ns, seen.st_ctime_ns
