"""Does a database file belong to the -wal next to it? SQLite never asks: it would write the pages of one into
the other.

A file put over a database whose host was killed (a backup, a copy) has the old -wal next to it, full of pages
for the old file. So each generation of the -wal carries a number, `user_version`, in page 1, which grows when
a generation begins and when it ends: the file under a -wal has the number before the -wal's first one or, if
a checkpoint had begun, one of its own. A backup made by SQLite itself has another schema cookie. Everything
here reads bytes; SQLite has not touched the files yet.
"""

import os
import struct
from dataclasses import dataclass
from pathlib import Path

MAGIC = b"SQLite format 3\0"
HEADER = 100  # bytes of page 1 that describe the database

_WAL_HEADER = struct.Struct(">8I")
_FRAME = struct.Struct(">6I")
_LITTLE, _BIG = 0x377F0682, 0x377F0683
_MASK = 0xFFFFFFFF


@dataclass(frozen=True, kw_only=True, slots=True)
class Header:
    """What page 1 says about the whole file."""

    page_size: int
    pages: int
    cookie: int  # grows with every change of the schema
    number: int  # `user_version`

    @classmethod
    def parse(cls, page: bytes) -> "Header | None":
        """None if it is not a database."""
        if len(page) < HEADER or page[:16] != MAGIC:
            return None
        size = int.from_bytes(page[16:18], "big")
        return cls(
            page_size=65536 if size == 1 else size,
            pages=int.from_bytes(page[28:32], "big"),
            cookie=int.from_bytes(page[40:44], "big"),
            number=int.from_bytes(page[60:64], "big"),
        )


@dataclass(frozen=True, kw_only=True, slots=True)
class Generation:
    """What a -wal holds that SQLite would write into the file: its first and last page 1."""

    salts: tuple[int, int]
    first: Header
    last: Header


def belongs(base: Header, wal: Generation) -> bool:
    """Whether this -wal was written on top of this file."""
    first, last = wal.first, wal.last
    if base.page_size != first.page_size:
        return False
    if base.number == first.number - 1:
        return base.cookie == first.cookie
    if not first.number <= base.number <= last.number:
        return False
    if first.cookie <= base.cookie <= last.cookie:
        return True
    # Someone changed the schema in the first transaction without a number: another program, or an older version of ours
    # that had none. A copy by SQLite's backup interface has the cookie 1.
    return base.number == first.number and base.cookie < first.cookie and base.cookie != 1


def read_generation(path: Path) -> Generation | None:
    """None if the -wal says nothing about page 1, or none of it is valid."""
    try:
        handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return None  # missing, or unreadable for SQLite too
    try:
        return _read(handle)
    finally:
        os.close(handle)  # harmless for a -wal: SQLite holds no locks on it


def _read(handle: int) -> Generation | None:
    head = os.pread(handle, _WAL_HEADER.size, 0)
    if len(head) < _WAL_HEADER.size:
        return None
    magic, _version, page_size, _number, *salts, sum1, sum2 = _WAL_HEADER.unpack(head)
    if magic not in (_LITTLE, _BIG) or _checksum(head[:24], magic) != (sum1, sum2):
        return None
    first = last = pending = None
    before, at = (sum1, sum2), _WAL_HEADER.size
    while len(frame := os.pread(handle, _FRAME.size, at)) == _FRAME.size:
        page, committed, *marks, sum1, sum2 = _FRAME.unpack(frame)
        if marks != salts:
            break  # left over from an earlier generation
        if page == 1:
            # The first is proven by its checksum, which continues from the frame before it. The others only widen what
            # is accepted, and proving them all would take as long as the whole start.
            body = os.pread(handle, HEADER if first else page_size, at + _FRAME.size)
            if first is None and _checksum(frame[:8] + body, magic, before) != (sum1, sum2):
                break  # cut off by a power cut
            pending = Header.parse(body)
        if committed and pending:
            first, last = first or pending, max(last or pending, pending, key=_age)
        before, at = (sum1, sum2), at + _FRAME.size + page_size
    if first is None or last is None:
        return None
    return Generation(salts=(salts[0], salts[1]), first=first, last=last)


def _age(header: Header) -> tuple[int, int]:
    return header.number, header.cookie


def _checksum(data: bytes, magic: int, before: tuple[int, int] = (0, 0)) -> tuple[int, int]:
    """SQLite's own checksum, see https://sqlite.org/fileformat2.html#wal_file_format."""
    order = "<" if magic == _LITTLE else ">"
    one, two = before
    for first, second in struct.iter_unpack(f"{order}2I", data):
        one = (one + first + two) & _MASK
        two = (two + second + one) & _MASK
    return one, two
