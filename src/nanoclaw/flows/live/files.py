"""What a live session changed in the files of its group, compared with when it was opened.

Boxes write these files, so they are not trusted: they are opened beneath their folder, and everything is
bounded.
"""

import asyncio
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from difflib import unified_diff
from enum import StrEnum
from itertools import takewhile
from pathlib import Path

import structlog

from nanoclaw.domain.ids import new_id
from nanoclaw.domain.text import storable
from nanoclaw.sandbox import folder_walk, untrusted_files
from nanoclaw.sandbox.untrusted_files import Reject

log = structlog.get_logger("live_files")

_MOST_FILES = 5000
_MOST_KEPT = 16 << 20  # bytes of original texts
_MOST_TEXT = 200_000  # bytes of a file whose text is compared
_MOST_LINES = 5000  # differing lines
# Pairs of lines in one file, and in all: comparing what a box wrote can take quadratic time.
_MOST_PAIRS, _MOST_PAIRS_OF_ALL = 250_000, 1_000_000
_MOST_SHOWN, _MOST_DIFFS = 200, 200_000  # files; characters of all differences together
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


class ChangeKind(StrEnum):
    ADDED = "added"
    CHANGED = "changed"
    REMOVED = "removed"


@dataclass(frozen=True, kw_only=True, slots=True)
class FileChange:
    """`diff` is None if the file is not text, or too long to compare."""

    path: str
    change: ChangeKind
    size: int | None
    diff: str | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class _Kept:
    """A file at the beginning. A box cannot forge `changed`: the system sets it on every write."""

    size: int
    changed: int
    text: str | None


@dataclass(kw_only=True, slots=True)
class _Room:
    """The room left for the differences of all files in one look."""

    letters: int = _MOST_DIFFS
    pairs: int = _MOST_PAIRS_OF_ALL


@dataclass(frozen=True, kw_only=True, slots=True)
class SessionFiles:
    """The session files of one workspace. Everything blocks, so it runs in a thread."""

    home: Path

    async def remember(self, question_id: str, group: str) -> None:
        """Remember the files as they are now, once. Without room for it the session continues anyway."""
        try:
            if not self._path(question_id).exists():
                await asyncio.to_thread(self._remember, question_id, group)
        except OSError as error:
            log.warning("files of a session not remembered", question=question_id, reason=error)

    async def changes(self, question_id: str, group: str) -> list[FileChange]:
        return await asyncio.to_thread(self._changes, question_id, group)

    async def forget(self, question_id: str) -> None:
        with suppress(OSError):
            await asyncio.to_thread(self._path(question_id).unlink, missing_ok=True)

    def _remember(self, question_id: str, group: str) -> None:
        room, kept = _MOST_KEPT, {}
        with _opened(self._files(group)) as (folder, found):
            for path, about in found.items():
                text = _text(folder, path, min(_MOST_TEXT, room)) if about.st_size <= room else None
                room -= about.st_size if text is not None else 0
                kept[path] = (about.st_size, about.st_ctime_ns, text)
        target = self._path(question_id)
        target.parent.mkdir(mode=0o700, exist_ok=True)
        written = target.with_suffix(f".{new_id('x')}.new")  # two may open it at once
        written.write_text(json.dumps(kept), "utf-8")
        written.replace(target)

    def _changes(self, question_id: str, group: str) -> list[FileChange]:
        try:
            rows = json.loads(self._path(question_id).read_text("utf-8"))
        except OSError:  # nobody opened it, or there was no room to remember them
            return []
        before = {path: _Kept(size=row[0], changed=row[1], text=row[2]) for path, row in rows.items()}
        told: list[FileChange] = []
        room = _Room()
        with _opened(self._files(group)) as (folder, found):
            for path in sorted(before.keys() | found.keys()):
                change = _change(folder, path, before.get(path), found.get(path), room)
                if change:
                    told.append(change)
                if len(told) == _MOST_SHOWN:
                    break
        return told

    def _files(self, group: str) -> Path:
        return self.home / "groups" / group / "files"

    def _path(self, question_id: str) -> Path:
        return self.home / "data" / "live_sessions" / f"{question_id}.json"


@contextmanager
def _opened(files: Path) -> Iterator[tuple[int, dict[str, os.stat_result]]]:
    """The open folder and its files; none if the folder is missing."""
    try:
        folder = os.open(files, _FOLDER)
    except OSError:
        yield -1, {}
        return
    try:
        yield folder, folder_walk.files_in(files, _MOST_FILES)
    finally:
        os.close(folder)


def _text(folder: int, path: str, most: int) -> str | None:
    with suppress(Reject, OSError, UnicodeDecodeError):
        content = untrusted_files.read_bytes(folder, path, most)
        return None if b"\0" in content else content.decode("utf-8")
    return None


def _change(
    folder: int, path: str, before: _Kept | None, about: os.stat_result | None, room: _Room
) -> FileChange | None:
    if about is None:
        old = before.text if before else None
        diff = None if old is None else _diff(path, old, "", room)
        return FileChange(path=storable(path), change=ChangeKind.REMOVED, size=None, diff=diff)
    if before and (before.size, before.changed) == (about.st_size, about.st_ctime_ns):
        return None
    new = _text(folder, path, _MOST_TEXT)
    if before and before.text is not None and before.text == new:
        return None  # only its permissions or names changed
    old = before.text if before else ""
    diff = None if new is None or old is None else _diff(path, old, new, room)
    kind = ChangeKind.CHANGED if before else ChangeKind.ADDED
    return FileChange(path=storable(path), change=kind, size=about.st_size, diff=diff)


def _diff(path: str, old: str, new: str, room: _Room) -> str | None:
    """The diff of a file. Equal lines at both ends are reduced to context: most changes of a long file are small."""
    a, b = old.splitlines(keepends=True), new.splitlines(keepends=True)
    begin = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(a, b, strict=False)))
    end = sum(
        1
        for _ in takewhile(
            lambda pair: pair[0] == pair[1], zip(reversed(a[begin:]), reversed(b[begin:]), strict=False)
        )
    )
    old_lines, new_lines = len(a) - begin - end, len(b) - begin - end
    if max(old_lines, new_lines) > _MOST_LINES:
        return None
    first = max(0, begin - 3)
    last_a, last_b = min(len(a), len(a) - end + 3), min(len(b), len(b) - end + 3)
    shown = " ".join(storable(path).split())  # a name may span lines, or not be valid text
    names = f"a/{shown}", f"b/{shown}"
    if old_lines * new_lines <= min(_MOST_PAIRS, room.pairs):
        room.pairs -= old_lines * new_lines
        lines = list(unified_diff(a[first:last_a], b[first:last_b], *names))
    else:
        context = begin - first, last_a - (len(a) - end)
        lines = list(_replaced(a[first:last_a], b[first:last_b], context, *names))
    text = "".join(line if line.endswith("\n") else f"{line}\n" for line in _moved(lines, first))
    if len(text) > room.letters:
        return None
    room.letters -= len(text)
    return text


def _replaced(a: list[str], b: list[str], context: tuple[int, int], old: str, new: str) -> Iterator[str]:
    """A diff without looking for unchanged lines in between: all old lines go, all new ones come."""
    before, after = context
    yield from (f"--- {old}\n", f"+++ {new}\n", f"@@ -1,{len(a)} +1,{len(b)} @@\n")
    yield from (f" {line}" for line in a[:before])
    yield from (f"-{line}" for line in a[before : len(a) - after])
    yield from (f"+{line}" for line in b[before : len(b) - after])
    yield from (f" {line}" for line in a[len(a) - after :])


def _moved(lines: list[str], by: int) -> Iterator[str]:
    """Line numbers shifted to those of the whole file."""
    for line in lines:
        if not line.startswith("@@ ") or not by:
            yield line
            continue
        _, *places, _end = line.split()
        moved = (f"{place[0]}{_number(place[1:], by)}" for place in places)
        yield f"@@ {' '.join(moved)} @@\n"


def _number(place: str, by: int) -> str:
    start, comma, count = place.partition(",")
    return f"{int(start) + by}{comma}{count}"
