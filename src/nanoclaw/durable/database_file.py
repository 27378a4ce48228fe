"""The file of an SQLite database as the system sees it: whether it is still the one that was opened, and
looks intact.

A process that closes any handle of a file loses all its locks on it, including SQLite's, and another process
could then delete the -wal this one writes to. So we keep one handle per file, opened before SQLite opens it
and closed after SQLite has closed it.
"""

import os
import threading
from dataclasses import dataclass, field
from pathlib import Path

from nanoclaw.domain.errors import StoreDamaged, StoreUnavailable
from nanoclaw.durable.wal import HEADER, Header, belongs, read_generation

_TRIES = 5
_Identity = tuple[int, int]  # device and inode


@dataclass
class _Handles:
    handles: list[int] = field(default_factory=list)
    users: int = 0


_opened: dict[_Identity, _Handles] = {}
_opening = threading.Lock()


class DatabaseFile:
    def __init__(self, path: Path) -> None:
        """Creates an empty file if there is none, as SQLite does."""
        self.path = path
        self.wal = path.with_name(path.name + "-wal")
        self._names = str(self.path), str(self.wal)  # every commit looks at them, and path objects cost more
        self._identity, self._handle = _open(path)
        self._wal_identity: _Identity | None = None
        self._was_short = False

    def close(self) -> None:
        _close(self._identity)

    def check_wal(self) -> None:
        """Refuse a file that was put next to the -wal of another, before SQLite touches anything."""
        for _ in range(_TRIES):  # a host may be writing: only a stable state counts
            base, wal = self.header(), read_generation(self.wal)
            if wal is None or (base is not None and belongs(base, wal)):
                return
            again = read_generation(self.wal)
            if self.header() == base and again is not None and again.salts == wal.salts:
                raise StoreDamaged("store-mixed", file=str(self.path))

    def check_place(self) -> None:
        """Check that what is written now will be found at the next start."""
        own, wal = self._names
        if _identity(own) != self._identity:
            raise StoreUnavailable("store-gone", file=str(self.path))
        found = _identity(wal)
        if self._wal_identity is None:
            self._wal_identity = found
        elif found != self._wal_identity:
            raise StoreUnavailable("store-gone", file=str(self.wal))

    def check_shape(self) -> None:
        """Whether it has a database header, and the length it claims."""
        self.check_place()
        length = os.fstat(self._handle).st_size
        header = self.header()
        if length and header is None:
            raise StoreUnavailable("store-overwritten", file=str(self.path))
        # A checkpoint writes page 1 before it extends the file: only too short twice is too short.
        is_short = header is not None and length < header.page_size * header.pages
        self._was_short, was_short = is_short, self._was_short
        if is_short and was_short:
            raise StoreUnavailable("store-overwritten", file=str(self.path))

    def header(self) -> Header | None:
        return Header.parse(os.pread(self._handle, HEADER, 0))

    def wal_size(self) -> int:
        try:
            return os.stat(self._names[1]).st_size  # noqa: PTH116 - as above
        except OSError:
            return 0


def _open(path: Path) -> tuple[_Identity, int]:
    with _opening:
        known = _identity(path)
        if known is None or known not in _opened:
            handle = os.open(path, os.O_RDONLY | os.O_CREAT | os.O_CLOEXEC, 0o600)
            seen = os.fstat(handle)
            known = (seen.st_dev, seen.st_ino)
            _opened.setdefault(known, _Handles()).handles.append(handle)
        _opened[known].users += 1
        return known, _opened[known].handles[0]


def _close(identity: _Identity) -> None:
    with _opening:
        _opened[identity].users -= 1
        if not _opened[identity].users:
            for handle in _opened.pop(identity).handles:
                os.close(handle)


def _identity(path: Path | str) -> _Identity | None:
    try:
        found = os.stat(path)  # noqa: PTH116 - before every commit, at half the cost
    except OSError:
        return None
    return found.st_dev, found.st_ino
