"""Which session wrote which file of a group, as the host knows it: from when boxes ran and when files changed.

All chats of a group share its files, and several may work at once. For each file the system keeps the moment of its
last change (ctime), which nothing in a box can set. A change made while boxes of one session alone could write is that
session's; one made while several could is anybody's of them. Before another session's box starts, and when one of
several ends, the files are looked through, so that what was written until then stays known whoever changes it
afterwards. A group in which one chat works at a time is almost never looked through.

Everything is kept in an append-only file per group, beside the files it describes: a host that is killed leaves a
session without an end, and what changed since then is in doubt. Everything blocks: use a thread.
"""

import contextlib
import json
import os
import threading
import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from pathlib import Path
from typing import Any

import structlog

from nanoclaw.sandbox import folder_walk

log = structlog.get_logger("writers")

FOLDER = "file_writers"  # in data/
HOST = "host"  # stands for a session where the host wrote for none
_MOST_FILES = 50_000  # of a group; of a bigger one nothing is known
_MOST_SPANS = 256  # kept before the files are looked through
_MOST_LINES = 2_000  # of the kept file before it is written anew
_SHARE = 20  # looking through takes at most one part in so many of the time


class Doubt(StrEnum):
    """Why nobody can say whose a file is."""

    NONE = ""
    TOGETHER = "together"  # several sessions could write when it changed
    SHARED = "shared"  # several sessions changed it, one after the other
    OUTSIDE = "outside"  # it changed while no box ran
    CUT = "cut"  # the host was killed while a session could write


Signature = tuple[int, int, int, int]
"""Inode, size, time of modification, time of change: while it stays, so does the content."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Written:
    """A file that sessions wrote: whoever may have, and the file as it was when that was last looked at."""

    signature: Signature
    writers: frozenset[str]
    doubt: Doubt = Doubt.NONE

    @property
    def changed_at(self) -> float:
        return self.signature[3] / 1e9


@dataclass(kw_only=True, slots=True)
class _Span:
    """A time in which boxes of a session could write; `end` is None while they still can."""

    session: str
    start: int
    end: int | None = None
    is_cut: bool = False


@dataclass(kw_only=True, slots=True)
class _Group:
    files: dict[str, Written] = field(default_factory=dict)
    spans: list[_Span] = field(default_factory=list)  # since the files were last looked through
    at_work: set[str] = field(default_factory=set)  # sessions whose boxes can write
    is_partial: bool = False  # there are too many files: nothing is known
    is_blurred: bool = False  # it was not looked through when it should have been
    lines: int = 0
    looked_at: float = 0.0
    looking_took: float = 0.0
    lock: threading.Lock = field(default_factory=threading.Lock)

    def others(self, session: str) -> bool:
        return any(span.session != session for span in self.spans)

    def end(self, session: str, at: int) -> None:
        for span in self.spans:
            if span.session == session and span.end is None:
                span.end = at

    def cut(self, at: int) -> None:
        for span in self.spans:
            if span.end is None:
                span.end, span.is_cut = at, True


class FileWriters:
    """The files of one workspace; only the host that holds its lock may use it."""

    def __init__(self, home: Path) -> None:
        self._home = home
        self._groups: dict[str, _Group] = {}
        self._lock = threading.Lock()

    def begin(self, group: str, session: str) -> None:
        """Call before a box of the session can write. No effect if one already can."""
        with self._held(group) as known:
            if session in known.at_work:
                return
            if known.others(session) or len(known.spans) >= _MOST_SPANS:
                self._look(group, known)
            known.at_work.add(session)
            # What the host itself changed just before is not theirs. The time of a change may be some
            # milliseconds behind the clock; no box starts as quickly.
            start = time.time_ns()
            known.spans.append(_Span(session=session, start=start))
            self._keep(group, known, {"begin": session, "at": start})

    def end(self, group: str, session: str, at: int) -> None:
        """`at`: when none of its boxes could write any more, in nanoseconds."""
        with self._held(group) as known:
            if session not in known.at_work:
                return
            known.at_work.discard(session)
            known.end(session, at)
            self._keep(group, known, {"end": session, "at": at})
            if known.at_work:
                self._look(group, known)

    def put(self, group: str, path: str, sessions: Iterable[str] = ()) -> None:
        """The host itself has just written this file, for these sessions: whoever works now did not."""
        with self._held(group) as known:
            try:
                about = (self._home / "groups" / group / "files" / path).lstat()
            except OSError:  # it has gone meanwhile
                return
            writers = frozenset(sessions) or frozenset({HOST})
            known.files[path] = Written(signature=signature_of(about), writers=writers)
            self._keep(group, known, {"put": {path: _line(known.files[path])}})

    def written(self, group: str) -> Mapping[str, Written] | None:
        """By path, as the files are now. None if it is not known: there are too many of them."""
        with self._held(group) as known:
            self._look(group, known, is_wanted=True)
            return None if known.is_partial else dict(known.files)

    @contextlib.contextmanager
    def _held(self, group: str) -> Iterator[_Group]:
        with self._lock:
            known = self._groups.get(group)
            if known is None:
                known = self._groups[group] = self._read(group)
        with known.lock:
            yield known

    def _look(self, group: str, known: _Group, *, is_wanted: bool = False) -> None:
        """Find what changed, and note who could have done it. In big folders with busy chats this is left out
        now and then: then everything that changed meanwhile may be anybody's.
        """
        began = time.monotonic()
        if not is_wanted and began - known.looked_at < known.looking_took * _SHARE:
            known.is_blurred = True
            self._keep(group, known, {"blurred": True})
            return
        listed = folder_walk.listed(self._home / "groups" / group / "files", _MOST_FILES)
        found = {path: signature_of(about) for path, about in listed.files.items()}
        changed = dict(_changes(known, found))
        gone = [path for path in known.files if path not in found]
        known.files.update(changed)
        for path in gone:
            del known.files[path]
        known.spans = [span for span in known.spans if span.end is None]
        known.is_partial = not listed.is_whole
        known.is_blurred = False
        known.looked_at = time.monotonic()
        known.looking_took = known.looked_at - began
        self._keep(
            group,
            known,
            {
                "looked": {path: _line(each) for path, each in changed.items()},
                "gone": gone,
                "partial": known.is_partial,
            },
        )

    def _path(self, group: str) -> Path:
        return self._home / "data" / FOLDER / f"{group}.jsonl"

    def _keep(self, group: str, known: _Group, line: Mapping[str, Any]) -> None:
        """Keep one more line. If that fails, or there are many, everything is written anew with the next one."""
        path = self._path(group)
        try:
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            known.lines += 1
            if known.lines > _MOST_LINES:
                fresh = path.with_suffix(".new")
                lines = list(_lines(known))
                fresh.write_bytes(b"".join(map(_encoded, lines)))
                fresh.replace(path)
                known.lines = len(lines)
                return
            with path.open("ab") as kept:
                kept.write(_encoded(line))
        except OSError as error:
            log.warning("writers of files not kept", group=group, reason=error)
            known.lines = _MOST_LINES
            with contextlib.suppress(OSError):
                path.unlink()  # a later host would believe what is no longer true

    def _read(self, group: str) -> _Group:
        """As the last host left it. Spans without an end are of boxes that died with it."""
        known = _Group()
        try:
            content = self._path(group).read_bytes()
        except OSError:
            return known
        for raw in content.splitlines():
            with contextlib.suppress(ValueError, KeyError, TypeError):  # killed while it wrote that line
                _replay(known, json.loads(raw))
        known.cut(time.time_ns())
        known.lines = _MOST_LINES  # written anew with the first line: half a line may be its last
        return known


def _lines(known: _Group) -> Iterator[dict[str, Any]]:
    """All that is known, as it is read again."""
    files = {path: _line(each) for path, each in known.files.items()}
    yield {"looked": files, "gone": [], "partial": known.is_partial}
    for span in known.spans:
        yield {"begin": span.session, "at": span.start}
        if span.end is not None:
            yield {"cut": span.end} if span.is_cut else {"end": span.session, "at": span.end}
    if known.is_blurred:
        yield {"blurred": True}


def _changes(known: _Group, found: Mapping[str, Signature]) -> Iterator[tuple[str, Written]]:
    """The files that are not as they were, with everybody who may have a part in them."""
    by_inode = {each.signature[0]: each for each in known.files.values()}
    at = time.time_ns()
    for path, signature in found.items():
        before = known.files.get(path)
        if before and before.signature == signature:
            continue
        moved = by_inode.get(signature[0])
        if before is None and moved and moved.signature == signature:
            yield path, moved  # a second name
            continue
        changed = signature[3]
        spans = [
            span
            for span in known.spans
            if known.is_blurred or span.start <= changed <= (at if span.end is None else span.end)
        ]
        now = frozenset(span.session for span in spans)
        earlier = (before.writers if before else frozenset()) | (moved.writers if moved else frozenset())
        if now:
            doubt = Doubt.NONE
            if len(now) > 1:
                doubt = Doubt.TOGETHER
            elif earlier - now:
                doubt = Doubt.SHARED
            elif any(span.is_cut for span in spans):
                doubt = Doubt.CUT
            yield path, Written(signature=signature, writers=earlier | now, doubt=doubt)
        elif kept := before or moved:
            doubt = kept.doubt or Doubt.OUTSIDE
            yield path, replace(kept, signature=signature, writers=earlier, doubt=doubt)


def _replay(known: _Group, line: Mapping[str, Any]) -> None:
    if "begin" in line:
        known.spans.append(_Span(session=line["begin"], start=line["at"]))
    elif "end" in line:
        known.end(line["end"], line["at"])
    elif "cut" in line:
        known.cut(line["cut"])
    elif "blurred" in line:
        known.is_blurred = True
    elif "put" in line:
        known.files.update(_read_files(line["put"]))
    elif "looked" in line:
        known.files.update(_read_files(line["looked"]))
        for path in line["gone"]:
            known.files.pop(path, None)
        known.is_partial, known.is_blurred = line["partial"], False
        known.spans = [span for span in known.spans if span.end is None]


def _read_files(lines: Mapping[str, Any]) -> Iterator[tuple[str, Written]]:
    for path, (signature, writers, doubt) in lines.items():
        inode, size, modified, changed = signature
        yield (
            path,
            Written(
                signature=(inode, size, modified, changed), writers=frozenset(writers), doubt=Doubt(doubt)
            ),
        )


def signature_of(about: os.stat_result) -> Signature:
    return about.st_ino, about.st_size, about.st_mtime_ns, about.st_ctime_ns


def _line(written: Written) -> list[Any]:
    return [written.signature, sorted(written.writers), written.doubt.value]


def _encoded(line: Mapping[str, Any]) -> bytes:
    return json.dumps(line, separators=(",", ":")).encode() + b"\n"
