"""The files of memory: lines are appended and read here, and a crash neither loses nor repeats any.

A person, git and other programs write these files too: nothing about their form is trusted.
"""

import errno
import fcntl
import hashlib
import os
import stat
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import structlog

from nanoclaw.memory.entries import (
    ARCHIVE,
    DECISIONS,
    FACTS,
    MOST_LINE,
    BadLine,
    Line,
    Reason,
    bad,
    file_of,
    read_line,
    tidy,
    write_line,
)

log = structlog.get_logger("memory")

_LOOK_BACK = 1024 * 1024  # bytes at the end that may hold the lines of a writer that died
_PATIENCE = 10.0  # seconds, for the writer of another process
_CHUNK = 256 * 1024
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_APPEND = os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_NOT_A_FILE = (errno.ELOOP, errno.EISDIR, errno.ENXIO, errno.ENOTDIR)


@dataclass(frozen=True, slots=True)
class Stamp:
    """What a file was like, to notice changes since."""

    bytes: int
    mtime: int  # nanoseconds
    digest: str  # SHA-256


@dataclass(frozen=True, slots=True)
class _HashedFile:
    about: tuple[int, int, int]  # inode, size, mtime
    hasher: Any  # of everything up to that size


class MemoryFiles:
    """Every path is relative to the folder of a company: `memory/facts.jsonl`. All of this blocks: use a thread."""

    def __init__(self, home: Path, check: Callable[[], None] = lambda: None) -> None:
        """`check` raises if another host may be the writer by now; it is called with the lock held."""
        self._check = check
        self._companies = home / "companies"
        self._seen: dict[tuple[str, str], _HashedFile] = {}

    def folder(self, company: str) -> Path:
        if not company or company in (".", "..") or "/" in company or "\0" in company:
            raise ValueError("not the name of a company")
        return self._companies / company

    def files(self, company: str) -> list[str]:
        """The existing files with lines, older ones first: the archive, then facts and decisions."""
        folder = self.folder(company)
        try:
            with os.scandir(folder / ARCHIVE) as listed:
                archived = sorted(each.name for each in listed if not each.name.startswith("."))
        except OSError:
            archived = []
        found = [f"{ARCHIVE}/{name}" for name in archived if name.endswith(".jsonl")]
        return found + [name for name in (FACTS, DECISIONS) if os.path.lexists(folder / name)]

    @contextmanager
    def locked(self, company: str) -> Iterator[None]:
        """Keep others from changing the files of this company meanwhile. Not to be nested."""
        self._make(company, "memory")
        folder = os.open(self.folder(company) / "memory", _FOLDER)
        try:
            until = time.monotonic() + _PATIENCE
            while True:
                try:
                    fcntl.flock(folder, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    break
                except BlockingIOError:
                    if time.monotonic() >= until:
                        raise
                time.sleep(0.005)
            self._check()
            yield
        finally:
            os.close(folder)

    def append(self, company: str, lines: Sequence[Line]) -> list[Line]:
        """Append the lines to their files; returns those that were not there yet. A writer that died may have
        written some of them: their ids are looked for near the end.
        """
        by_file: dict[str, list[Line]] = {}
        for line in lines:
            by_file.setdefault(file_of(line), []).append(line)
        written: list[Line] = []
        with self.locked(company):
            for file, own in by_file.items():
                written += self.append_to(company, file, own)
        return written

    def append_to(
        self, company: str, file: str, lines: Sequence[Line], raw: Sequence[bytes] | None = None
    ) -> list[Line]:
        """The same for one file; the caller holds the lock. `raw`: lines that are moved, as written; the
        caller has checked whether they are there.
        """
        is_moving = raw is not None
        raw = raw or [write_line(line) for line in lines]
        with self._opened_folder(company, file) as folder:
            opened, is_new = self._opened(folder, Path(file).name)
            try:
                before = os.fstat(opened)
                start = max(0, before.st_size - _LOOK_BACK - sum(map(len, raw)))
                end = os.pread(opened, before.st_size - start, start)
                fresh = [
                    (line, each)
                    for line, each in zip(lines, raw, strict=True)
                    if is_moving or not _holds(end, line.id)
                ]
                if not fresh:
                    return []
                size, torn = before.st_size, end.rpartition(b"\n")[2]
                if torn and any(each.startswith(torn) for _, each in fresh):
                    size -= len(torn)  # ours, cut off by a crash
                    os.ftruncate(opened, size)
                    self._seen.pop((company, file), None)
                    torn = b""
                _write(opened, (b"\n" if torn else b"") + b"".join(each for _, each in fresh), size)
                if is_new:
                    os.fsync(folder)
                self._saw(company, file, before, opened)
                return [line for line, _ in fresh]
            finally:
                os.close(opened)

    def read_from(self, company: str, file: str, offset: int = 0) -> Iterator[tuple[Line | BadLine, int]]:
        """Each line and where it ends. A missing file has no lines. Needs little memory, whatever the file holds."""
        for raw, start, end in self.raw_lines(company, file, offset):
            line = raw if isinstance(raw, BadLine) else read_line(raw)
            if isinstance(line, BadLine):
                if line.reason is Reason.JSON and not _ends(raw):
                    line = replace(line, reason=Reason.TORN)
                line = replace(line, file=file, offset=start)
            yield line, end

    def raw_lines(
        self, company: str, file: str, offset: int = 0
    ) -> Iterator[tuple[bytes | BadLine, int, int]]:
        """The lines as they are, with their line ends, and where they begin and end; without empty ones."""
        try:
            opened = self._opened_plain(company, file)
        except FileNotFoundError:
            return
        if opened is None:
            yield bad(Reason.NOT_A_FILE), 0, 0
            return
        with os.fdopen(opened, "rb", buffering=_CHUNK) as reader:
            reader.seek(offset)
            while raw := reader.readline(MOST_LINE + 1):
                start, offset = offset, offset + len(raw)
                if len(raw) > MOST_LINE and not raw.endswith(b"\n"):
                    rest = raw
                    while rest and not rest.endswith(b"\n"):
                        rest = reader.readline(_CHUNK)
                        offset += len(rest)
                    yield bad(Reason.LONG, raw), start, offset
                elif tidy(raw):
                    yield raw, start, offset

    def pieces(self, company: str, file: str) -> Iterator[tuple[int, bytes]]:
        """The whole file in pieces of at most a line, each with the position where its line begins."""
        opened = self._opened_plain(company, file)
        if opened is None:
            return
        with os.fdopen(opened, "rb", buffering=_CHUNK) as reader:
            start = place = 0
            while raw := reader.readline(_CHUNK):
                yield start, raw
                place += len(raw)
                start = place if raw.endswith(b"\n") else start

    def lines(self, company: str) -> Iterator[tuple[str, Line]]:
        """All good lines of a company with their files. A repeated id is yielded again: the index takes the first."""
        for file in self.files(company):
            for line, _end in self.read_from(company, file):
                if not isinstance(line, BadLine):
                    yield file, line

    def stamp(self, company: str, file: str, upto: int | None = None) -> Stamp | None:
        """The stamp of the file, or only of its beginning (if that is unchanged, something was appended).
        None if there is no file.
        """
        try:
            opened = self._opened_plain(company, file)
        except FileNotFoundError:
            return None
        if opened is None:
            return None
        try:
            about = os.fstat(opened)
            if upto is not None and about.st_size < upto:
                return None
            size = about.st_size if upto is None else upto
            seen = self._seen.get((company, file))
            if seen is not None and seen.about == (about.st_ino, size, about.st_mtime_ns):
                hasher = seen.hasher
            else:
                hasher = _hashed(opened, size)
                if size == about.st_size:
                    self._seen[company, file] = _HashedFile(_about(about), hasher)
            return Stamp(size, about.st_mtime_ns, hasher.hexdigest())
        finally:
            os.close(opened)

    def replace(self, company: str, file: str, pieces: Iterable[bytes]) -> None:
        """Replace a file, completely or not at all. The caller holds the lock."""
        name = Path(file).name
        with self._opened_folder(company, file) as folder:
            fresh = f".{name}.new"
            with suppress(FileNotFoundError):
                os.unlink(fresh, dir_fd=folder)  # left by a writer that died
            made = os.open(fresh, _NEW, 0o644, dir_fd=folder)
            try:
                with os.fdopen(made, "wb", buffering=_CHUNK) as writer:
                    with suppress(FileNotFoundError):
                        os.fchmod(
                            made, stat.S_IMODE(os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode)
                        )
                    writer.writelines(pieces)
                    writer.flush()
                    os.fsync(made)
                os.rename(fresh, name, src_dir_fd=folder, dst_dir_fd=folder)
            except OSError:
                os.unlink(fresh, dir_fd=folder)
                raise
            os.fsync(folder)

    def read_text(self, company: str, file: str, most_bytes: int) -> str | None:
        """A small file, byte for byte: what is not UTF-8 stays the same when it is written again. None if
        there is none. Raises OSError if it is bigger, or not a plain file.
        """
        try:
            opened = self._opened_plain(company, file)
        except FileNotFoundError:
            return None
        if opened is None:
            raise OSError(errno.ELOOP, "no plain file")
        with os.fdopen(opened, "rb") as reader:
            if os.fstat(opened).st_size > most_bytes:
                raise OSError(errno.EFBIG, os.strerror(errno.EFBIG))
            return reader.read().decode("utf-8", "surrogateescape")

    def _opened_plain(self, company: str, file: str) -> int | None:
        """None if something else lies there. It is neither followed nor waited for."""
        try:
            opened = os.open(self.folder(company) / file, _READ)
        except OSError as error:
            if error.errno in _NOT_A_FILE:
                return None
            raise
        if stat.S_ISREG(os.fstat(opened).st_mode):
            return opened
        os.close(opened)
        return None

    def _make(self, company: str, *names: str) -> None:
        folder = self.folder(company)
        if not folder.is_dir():
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), str(folder))
        for name in names:
            (folder / name).mkdir(exist_ok=True)

    @contextmanager
    def _opened_folder(self, company: str, file: str) -> Iterator[int]:
        self._make(company, "memory")
        parent = Path(file).parent.as_posix()
        if parent != "memory":
            self._make(company, parent)
        opened = os.open(self.folder(company) / parent, _FOLDER)
        try:
            yield opened
        finally:
            os.close(opened)

    @staticmethod
    def _opened(folder: int, name: str) -> tuple[int, bool]:
        """Open the file; anything there that is not a plain file is moved out of the way."""
        is_new = False
        try:
            os.stat(name, dir_fd=folder, follow_symlinks=False)
        except FileNotFoundError:
            is_new = True
        try:
            opened = os.open(name, _APPEND, 0o644, dir_fd=folder)
            if stat.S_ISREG(os.fstat(opened).st_mode):
                return opened, is_new
            os.close(opened)
        except OSError as error:
            if error.errno not in _NOT_A_FILE:
                raise
        log.warning("file of memory is no plain file and is moved aside", file=name)
        os.rename(name, f"{name}.refused-{time.time_ns()}", src_dir_fd=folder, dst_dir_fd=folder)
        return os.open(name, _APPEND, 0o644, dir_fd=folder), True

    def _saw(self, company: str, file: str, before: os.stat_result, opened: int) -> None:
        """Continue from the known digest, so that a long file is not read again for each line."""
        seen = self._seen.pop((company, file), None)
        about = os.fstat(opened)
        if seen is None or seen.about != _about(before) or about.st_size < before.st_size:
            return
        hasher = seen.hasher.copy()
        hasher.update(os.pread(opened, about.st_size - before.st_size, before.st_size))
        self._seen[company, file] = _HashedFile(_about(about), hasher)


def _ends(raw: bytes | BadLine) -> bool:
    return isinstance(raw, BadLine) or raw.endswith(b"\n")


def _holds(content: bytes, line_id: str) -> bool:
    """Whether one of the lines has this id; others may mention it."""
    needle = line_id.encode()
    return needle in content and any(
        not isinstance(line := read_line(each), BadLine) and line.id == line_id
        for each in content.split(b"\n")
        if needle in each
    )


def _write(opened: int, content: bytes, size: int) -> None:
    """Write all of it, or leave the file as long as before: a full disk must not leave half a line."""
    try:
        rest = memoryview(content)
        while rest:
            rest = rest[os.write(opened, rest) :]
        os.fsync(opened)
    except OSError:
        os.ftruncate(opened, size)
        raise


def _hashed(opened: int, size: int) -> Any:
    hasher, place = hashlib.sha256(), 0
    while place < size and (piece := os.pread(opened, min(_CHUNK * 4, size - place), place)):
        hasher.update(piece)
        place += len(piece)
    return hasher


def _about(seen: os.stat_result) -> tuple[int, int, int]:
    return (seen.st_ino, seen.st_size, seen.st_mtime_ns)
