"""Reads the entries of an archive one after the other, and knows only what our own writer makes.

tarfile believes what it reads: headers of any size, links that are resolved while unpacking, devices, sparse files.
Here everything but files, folders and symbolic links ends the reading, and every number has a limit.
"""

import gzip
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from enum import Enum
from pathlib import Path
from typing import Protocol

from nanoclaw.domain.errors import NotFound, Refused
from nanoclaw.host.backup.manifest import spelled

MOST_ENTRIES = 500_000
MOST_BYTES = 1 << 40  # of one file
_BLOCK = 512
_PIECE = 1 << 20
_MOST_HEADER = 1 << 16  # of the extended header of one entry: two long paths
_MOST_PADDING = 1 << 20  # behind the end
_ZEROS = bytes(_BLOCK)
_KNOWN = {b"path", b"linkpath", b"size", b"mtime", b"hdrcharset"}


class _Source(Protocol):
    def read(self, size: int, /) -> bytes: ...


class EntryKind(Enum):
    FILE = "file"
    FOLDER = "folder"
    LINK = "link"


_KINDS = {b"0": EntryKind.FILE, b"\0": EntryKind.FILE, b"5": EntryKind.FOLDER, b"2": EntryKind.LINK}


class CutArchive(Exception):
    """It ends too early, or its bytes are damaged."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Entry:
    name: str  # with "/"; bytes that are not UTF-8 as surrogates
    kind: EntryKind
    size: int
    mode: int
    mtime: int
    target: str  # of a link


class TarStream:
    """The content of an entry is read with `pieces` before the next entry, or skipped."""

    def __init__(self, source: _Source) -> None:
        self._source = source
        self._left = 0  # of the content of the present entry
        self._padding = 0
        self._count = 0

    def next(self) -> Entry | None:
        """None at the end, behind which there must be nothing."""
        for _ in self.pieces():
            pass
        self._exactly(self._padding)
        self._padding = 0
        block = self._exactly(_BLOCK)
        if block == _ZEROS:
            self._expect_end()
            return None
        self._count += 1
        if self._count > MOST_ENTRIES:
            raise Refused("backup-too-many", most=MOST_ENTRIES)
        extended: dict[bytes, bytes] = {}
        if block[156:157] == b"x":
            extended = self._extended(_number(_checked(block), 124, 12))
            block = self._exactly(_BLOCK)
        entry = _entry(_checked(block), extended)
        self._left, self._padding = entry.size, -entry.size % _BLOCK
        return entry

    def pieces(self) -> Iterator[bytes]:
        while self._left:
            piece = self._read(min(_PIECE, self._left))
            if not piece:
                raise CutArchive
            self._left -= len(piece)
            yield piece

    def whole(self, most: int) -> bytes:
        """The content of a small file."""
        if self._left > most:
            raise CutArchive
        return b"".join(self.pieces())

    def _extended(self, size: int) -> dict[bytes, bytes]:
        if size > _MOST_HEADER:
            raise Refused("backup-odd-entry", member="?", kind="x")
        body = self._exactly(size)
        self._exactly(-size % _BLOCK)
        found: dict[bytes, bytes] = {}
        while body:
            length, _, _ = body.partition(b" ")
            record = body[: int(length)] if length.isdigit() and len(length) < 6 else b""
            key, is_pair, value = record[len(length) + 1 : -1].partition(b"=")
            if not is_pair or not record.endswith(b"\n") or key not in _KNOWN or key in found:
                raise Refused(
                    "backup-odd-entry", member="?", kind=spelled(key.decode("utf-8", "replace"))[:40]
                )
            found[key] = value
            body = body[len(record) :]
        return found

    def _expect_end(self) -> None:
        """A second archive behind the first would be read by other programs, but was checked by nobody."""
        seen = 0
        while piece := self._read(_BLOCK * 16):
            seen += len(piece)
            if piece.strip(b"\0") or seen > _MOST_PADDING:
                raise Refused("backup-behind")

    def _exactly(self, size: int) -> bytes:
        found = self._read(size) if size else b""
        while len(found) < size:
            more = self._read(size - len(found))
            if not more:
                raise CutArchive
            found += more
        return found

    def _read(self, size: int) -> bytes:
        try:
            return self._source.read(size)
        except (gzip.BadGzipFile, EOFError, zlib.error) as error:
            raise CutArchive from error


@contextmanager
def reading(file: Path) -> Iterator[TarStream]:
    """Open it as a stream: however big it is, little of it is in memory."""
    try:
        opened = file.open("rb")
    except FileNotFoundError as error:
        raise NotFound("backup-missing", file=str(file)) from error
    except OSError as error:
        raise Refused("backup-unreadable", file=str(file), said=error.strerror or str(error)) from error
    with opened, gzip.GzipFile(fileobj=opened) as plain:
        yield TarStream(plain)


def _entry(block: bytes, extended: dict[bytes, bytes]) -> Entry:
    prefix, name = _text(block, 345, 155), _text(block, 0, 100)
    entry = Entry(
        name=f"{prefix}/{name}" if prefix else name,
        kind=EntryKind.FILE,
        size=_number(block, 124, 12),
        mode=_number(block, 100, 8),
        mtime=_number(block, 136, 12),
        target=_text(block, 157, 100),
    )
    if b"path" in extended:
        entry = replace(entry, name=_decoded(extended[b"path"]))
    if b"linkpath" in extended:
        entry = replace(entry, target=_decoded(extended[b"linkpath"]))
    if b"size" in extended:
        size = extended[b"size"]
        entry = replace(entry, size=int(size) if size.isdigit() and len(size) < 20 else -1)
    if b"mtime" in extended:
        entry = replace(entry, mtime=0)  # before 1970, or centuries from now
    kind = _KINDS.get(block[156:157])
    if kind is None or not 0 <= entry.size <= MOST_BYTES or (entry.size and kind is not EntryKind.FILE):
        letter = spelled(block[156:157].decode("ascii", "replace"))
        raise Refused("backup-odd-entry", member=spelled(entry.name)[:300], kind=letter)
    if kind is EntryKind.FOLDER:
        entry = replace(entry, name=entry.name.removesuffix("/"))
    return replace(entry, kind=kind)


def _checked(block: bytes) -> bytes:
    summed = sum(block[:148]) + 8 * ord(" ") + sum(block[156:])
    if block[257:265] != b"ustar\x0000" or _number(block, 148, 8) != summed:
        raise CutArchive
    return block


def _number(block: bytes, start: int, length: int) -> int:
    digits = block[start : start + length].strip(b" \0")
    if digits.strip(b"01234567"):
        raise CutArchive
    return int(digits or b"0", 8)


def _text(block: bytes, start: int, length: int) -> str:
    return _decoded(block[start : start + length].partition(b"\0")[0])


def _decoded(name: bytes) -> str:
    return name.decode("utf-8", "surrogateescape")
