"""Reads what a box wrote. Everything in a folder that a box can write may be a trap: nothing in it is trusted.

An `open()` here would follow a planted link to the host's secrets, or wait for ever on a pipe.
"""

import ctypes
import errno
import json
import math
import os
import re
import stat
import struct
from collections.abc import Iterator
from enum import StrEnum
from pathlib import Path
from typing import Any, NoReturn

import structlog

from nanoclaw.domain.file_protocol import TASK_RESULT

log = structlog.get_logger("reading")

MOST_TEXT = 256 * 1024  # of a text that goes into a prompt
MOST_BYTES = 256 * 1024  # of a request; anything bigger is a file, and files have a tool of their own
MOST_DEPTH = 32
# An id of 32 hex digits, or a name such as `bg-1234`. \Z, because $ also matches before a newline.
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}\Z")
ENDING = ".json"

_FLAGS = os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY
_OPENAT2 = 437  # the same number on every machine
_RESOLVE = 0x01 | 0x02 | 0x04 | 0x08  # NO_XDEV, NO_MAGICLINKS, NO_SYMLINKS, BENEATH
_HOW = struct.pack("QQQ", _FLAGS, 0, _RESOLVE)
_BIGGEST = 2**63 - 1
_CHUNK = 64 * 1024
# Also matches an unterminated string: otherwise the search would restart at each of its quotes, and take minutes.
_STRING_OR_BRACKET = re.compile(rb'"(?:[^"\\]|\\.)*+"?|[\[\]{}]', re.DOTALL)
_BAD_LETTER = re.compile("[\0\ud800-\udfff]")
_libc = ctypes.CDLL(None, use_errno=True)


class UnreadReason(StrEnum):
    """Why a file was not read."""

    NAME = "name"  # not a valid request name; or a path that leaves its folder
    LINK = "link"  # a symbolic link on the path, or a file with a second name
    NOT_A_FILE = "not-a-file"  # pipe, socket, folder
    OWNER = "owner"  # not written by this box
    SIZE = "size"
    UNREADABLE = "unreadable"  # the system would not open it
    ENCODING = "encoding"  # not UTF-8
    DEPTH = "depth"
    JSON = "json"
    DUPLICATE = "duplicate"  # a key twice: two readers could believe different values
    NUMBER = "number"  # not finite, or more than 64 bits
    TEXT = "text"  # a NUL, or half of a character
    SHAPE = "shape"  # not an object, or without the id that its name says
    ORPHAN = "orphan"  # nobody came for it


# What a box can cause. The rest (no descriptors left, a broken disk) is not its fault, and passes.
_REASON_OF = {
    errno.ENAMETOOLONG: UnreadReason.NAME,
    errno.ELOOP: UnreadReason.LINK,
    errno.EXDEV: UnreadReason.LINK,
    errno.ENXIO: UnreadReason.NOT_A_FILE,  # a socket
    errno.ENOTDIR: UnreadReason.NOT_A_FILE,  # a path through a file; step by step also through a link
    errno.EAGAIN: UnreadReason.UNREADABLE,  # its writer holds a lease, and would make us wait
    errno.EACCES: UnreadReason.UNREADABLE,
    errno.EPERM: UnreadReason.UNREADABLE,
}


class Reject(Exception):
    """The file is not what it should be; it was not read, or not completely."""

    def __init__(self, reason: UnreadReason) -> None:
        super().__init__(reason.value)
        self.reason = reason


def is_name(text: str) -> bool:
    """Whether a request may have this name. Results of tasks have their own names among the answers."""
    return _NAME.match(text) is not None and not text.startswith(TASK_RESULT)


def safe_read(folder: int, name: str, owner_uid: int) -> dict[str, Any]:
    """The object in a request file. `folder` is a descriptor that was opened before the box started. Raises
    Reject; or OSError if the file is gone, or the host is short of something.
    """
    if not (name.endswith(ENDING) and is_name(name[: -len(ENDING)])):
        raise Reject(UnreadReason.NAME)
    body = parse(_content(folder, name, owner_uid))
    if not any(body.get(key) == name[: -len(ENDING)] for key in ("id", "request_id", "task_id")):
        raise Reject(UnreadReason.SHAPE)
    return body


def open_beneath(folder: int, path: str) -> int:
    """A descriptor of something in the folder or below; never through a link, to another file system or upwards."""
    parts = path.split("/")
    if "\0" in path or any(part in ("", ".", "..") for part in parts):
        raise Reject(UnreadReason.NAME)
    try:
        found = _libc.syscall(_OPENAT2, folder, os.fsencode(path), _HOW, len(_HOW))
        if found >= 0:
            return int(found)
        code = ctypes.get_errno()
        if code not in (errno.ENOSYS, errno.EPERM):  # an old kernel, or a filter that does not know the call
            raise OSError(code, os.strerror(code))
        return _walk(folder, parts)
    except UnicodeEncodeError as error:
        raise Reject(UnreadReason.NAME) from error
    except OSError as error:
        if reason := _REASON_OF.get(error.errno or 0):
            raise Reject(reason) from error
        raise


def read_text(folder: Path, name: str) -> str:
    """The text of a file in a folder that a box can write; empty if missing, not a plain file, or too big."""
    try:
        place = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError:
        return ""
    try:
        found = open_beneath(place, name)
        try:
            about = os.fstat(found)
            if not stat.S_ISREG(about.st_mode) or about.st_size > MOST_TEXT:
                raise Reject(UnreadReason.SIZE if stat.S_ISREG(about.st_mode) else UnreadReason.NOT_A_FILE)
            return os.read(found, MOST_TEXT).decode("utf-8", "replace").strip()
        finally:
            os.close(found)
    except FileNotFoundError:
        return ""
    except (Reject, OSError) as error:
        log.warning("file of a box not read", folder=str(folder), reason=error)
        return ""
    finally:
        os.close(place)


def read_bytes(folder: int, path: str, most_bytes: int) -> bytes:
    """A whole file of a folder that a box can write. Raises Reject, or OSError if it is gone."""
    return read_with_stat(folder, path, most_bytes)[0]


def read_with_stat(folder: int, path: str, most_bytes: int) -> tuple[bytes, os.stat_result]:
    """The same, with what the system says about the file after all of it was read."""
    opened = open_beneath(folder, path)
    try:
        _check(os.fstat(opened), most_bytes)
        return b"".join(_pieces(opened, most_bytes)), os.fstat(opened)
    finally:
        os.close(opened)


def copy_out(folder: int, path: str, target: Path, most_bytes: int) -> int:
    """Copy a file from a folder that a box can write to one that it cannot; returns its size. Blocks: use a
    thread. A second name is not a fault here (git makes them): a box can only link what it can see anyway.
    """
    source = open_beneath(folder, path)
    try:
        _check(os.fstat(source), most_bytes)
        made = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
        try:
            with os.fdopen(made, "wb") as copy:
                for piece in _pieces(source, most_bytes):
                    copy.write(piece)
                return copy.tell()
        except (OSError, Reject):
            target.unlink()  # half a file must not be taken for a whole one
            raise
    finally:
        os.close(source)


def parse(content: bytes) -> dict[str, Any]:
    """Strict JSON: refuses whatever two readers could understand differently."""
    _check_depth(content)
    try:
        body = json.loads(
            content.decode("utf-8", "strict"),
            object_pairs_hook=_no_duplicates,
            parse_constant=_no_constant,
            parse_int=_small_int,
            parse_float=_finite,
        )
    except UnicodeDecodeError as error:
        raise Reject(UnreadReason.ENCODING) from error
    except ValueError as error:
        raise Reject(UnreadReason.JSON) from error
    if not isinstance(body, dict):
        raise Reject(UnreadReason.SHAPE)
    # Only as an escape can a NUL or half a character get this far.
    if b"\\u" in content and any(_BAD_LETTER.search(text) for text in _texts(body)):
        raise Reject(UnreadReason.TEXT)
    return body


def _content(folder: int, name: str, owner_uid: int) -> bytes:
    opened = open_beneath(folder, name)
    try:
        seen = os.fstat(opened)
        _check(seen, MOST_BYTES)
        if seen.st_nlink != 1:
            raise Reject(UnreadReason.LINK)
        if seen.st_uid != owner_uid:
            raise Reject(UnreadReason.OWNER)
        return b"".join(_pieces(opened, MOST_BYTES))
    finally:
        os.close(opened)


def _check(seen: os.stat_result, most_bytes: int) -> None:
    if not stat.S_ISREG(seen.st_mode):
        raise Reject(UnreadReason.NOT_A_FILE)
    if seen.st_size > most_bytes:
        raise Reject(UnreadReason.SIZE)


def _pieces(opened: int, most_bytes: int) -> Iterator[bytes]:
    """Pieces until the end, which may have moved since its size was read."""
    left = most_bytes
    while True:
        try:
            piece = os.read(opened, min(_CHUNK, left + 1))
        except OSError as error:
            raise Reject(UnreadReason.UNREADABLE) from error
        if not piece:
            return
        if len(piece) > left:
            raise Reject(UnreadReason.SIZE)
        left -= len(piece)
        yield piece


def _walk(folder: int, parts: list[str]) -> int:
    """Walk component by component: O_NOFOLLOW guards only the last one of a path."""
    here = folder
    try:
        for part in parts[:-1]:
            below = os.open(part, _FLAGS | os.O_DIRECTORY, dir_fd=here)
            if here != folder:
                os.close(here)
            here = below
            if os.fstat(here).st_dev != os.fstat(folder).st_dev:
                raise OSError(errno.EXDEV, os.strerror(errno.EXDEV))
        return os.open(parts[-1], _FLAGS, dir_fd=here)
    finally:
        if here != folder:
            os.close(here)


def _check_depth(content: bytes) -> None:
    """Check the depth before parsing: the parser recurses once per level."""
    if content.count(b"[") + content.count(b"{") <= MOST_DEPTH:
        return
    depth = 0
    for found in _STRING_OR_BRACKET.finditer(content):
        letter = found[0]
        if letter in b"[{":
            depth += 1
            if depth > MOST_DEPTH:
                raise Reject(UnreadReason.DEPTH)
        elif letter in b"]}":
            depth -= 1


def _no_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) != len(pairs):
        raise Reject(UnreadReason.DUPLICATE)
    return made


def _no_constant(_word: str) -> NoReturn:
    raise Reject(UnreadReason.NUMBER)


def _small_int(digits: str) -> int:
    if len(digits) > len(str(_BIGGEST)) + 1 or abs(int(digits)) > _BIGGEST:
        raise Reject(UnreadReason.NUMBER)
    return int(digits)


def _finite(digits: str) -> float:
    if not math.isfinite(number := float(digits)):  # 1e999
        raise Reject(UnreadReason.NUMBER)
    return number


def _texts(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, inner in value.items():
            yield key
            yield from _texts(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _texts(inner)
