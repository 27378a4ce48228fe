"""Checks whether the files of memory are in order, and whether the index agrees with them."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from pathlib import Path

from nanoclaw.domain.text import estimated_tokens
from nanoclaw.durable.clock import now
from nanoclaw.memory.claude_md import (
    ACTIVITY_ID,
    FILE,
    MOST_ACTIVITY,
    MOST_BYTES,
    MOST_TOKENS,
    Section,
    Sections,
)
from nanoclaw.memory.entries import BadLine, Decision, Fact, Line, Restoration, Tombstone, read_line, tidy
from nanoclaw.memory.files import MemoryFiles

_CLOCKS = timedelta(days=1)  # a clock may be off by this much


class ProblemKind(StrEnum):
    BAD_LINE = "bad-line"  # `detail` says why
    REPEATED_ID = "repeated-id"  # with another content; the first line counts
    REPEATED_LINE = "repeated-line"  # the same line again: counts once
    UNKNOWN_ID = "unknown-id"  # a line refers to something that does not exist
    FUTURE = "future"
    PURGED = "purged"  # a purged line is back
    NOT_INDEXED = "not-indexed"
    NOT_IN_FILES = "not-in-files"
    SECTIONS_BIG = "sections-big"  # CLAUDE.md is above its limits
    SECTIONS_UNREADABLE = "sections-unreadable"


# Worth a look, but nothing is wrong.
_HINTS = {ProblemKind.REPEATED_LINE, ProblemKind.FUTURE, ProblemKind.SECTIONS_BIG, ProblemKind.UNKNOWN_ID}


@dataclass(frozen=True, kw_only=True, slots=True)
class Problem:
    kind: ProblemKind
    file: str = ""
    line: int = 0  # from 1
    id: str = ""
    detail: str = ""

    @property
    def is_fault(self) -> bool:
        return self.kind not in _HINTS


def verify(
    home: Path, company: str, index_ids: Collection[str] | None, at: datetime | None = None
) -> list[Problem]:
    """`index_ids` are those of the company's facts and decisions in the index; None: it is not checked. Blocks."""
    files = MemoryFiles(home)
    return [
        *_Lines(files, company, at or now()).problems(index_ids),
        *_sections(files, company),
    ]


class _Lines:
    def __init__(self, files: MemoryFiles, company: str, at: datetime) -> None:
        self._files = files
        self._company = company
        self._latest = at + _CLOCKS
        self._entries: set[str] = set()
        self._seen: dict[str, int] = {}  # id -> hash of its line
        self._references: list[tuple[str, Problem]] = []
        self._purged: set[str] = set()

    def problems(self, index_ids: Collection[str] | None) -> Iterator[Problem]:
        for file in self._files.files(self._company):
            yield from self._in_file(file)
        for target, problem in self._references:
            if target not in self._seen and target not in self._purged:
                yield problem
        for entry_id in sorted(self._purged & self._entries):
            yield Problem(kind=ProblemKind.PURGED, id=entry_id)
        if index_ids is not None:
            indexed = set(index_ids)
            yield from (
                Problem(kind=ProblemKind.NOT_INDEXED, id=each) for each in sorted(self._entries - indexed)
            )
            yield from (
                Problem(kind=ProblemKind.NOT_IN_FILES, id=each) for each in sorted(indexed - self._entries)
            )

    def _in_file(self, file: str) -> Iterator[Problem]:
        numbers = self._numbers(file)
        for raw, start, _end in self._files.raw_lines(self._company, file):
            number = next((number for place, number in numbers if place == start), 0)
            line = raw if isinstance(raw, BadLine) else read_line(raw)
            if isinstance(line, BadLine):
                detail = f"{line.reason}: {line.field}" if line.field else str(line.reason)
                yield Problem(kind=ProblemKind.BAD_LINE, file=file, line=number, detail=detail)
            elif isinstance(raw, bytes):
                yield from self._of_line(file, number, line, hash(tidy(raw)))

    def _numbers(self, file: str) -> Iterator[tuple[int, int]]:
        """Where each line begins, and its number; empty lines count."""
        number, last = 0, -1
        for start, _ in self._files.pieces(self._company, file):
            if start != last:
                number, last = number + 1, start
                yield start, number

    def _of_line(self, file: str, number: int, line: Line, content: int) -> Iterator[Problem]:
        before = self._seen.setdefault(line.id, content)
        if before != content:
            yield Problem(kind=ProblemKind.REPEATED_ID, file=file, line=number, id=line.id)
            return
        if isinstance(line, (Fact, Decision)):
            if line.id in self._entries:
                yield Problem(kind=ProblemKind.REPEATED_LINE, file=file, line=number, id=line.id)
            self._entries.add(line.id)
        if line.timestamp > self._latest:
            yield Problem(kind=ProblemKind.FUTURE, file=file, line=number, id=line.id)
        if isinstance(line, Tombstone) and line.purged is not None:
            self._purged.add(line.forgets)
        # A forgotten line of activity is gone from CLAUDE.md: nothing to look for.
        elif (target := _reference(line)) and not target.startswith(ACTIVITY_ID):
            problem = Problem(kind=ProblemKind.UNKNOWN_ID, file=file, line=number, id=line.id, detail=target)
            self._references.append((target, problem))


def _reference(line: Line) -> str | None:
    if isinstance(line, Tombstone):
        return line.forgets
    return line.restores if isinstance(line, Restoration) else line.supersedes


def _sections(files: MemoryFiles, company: str) -> Iterator[Problem]:
    try:
        text = files.read_text(company, FILE, MOST_BYTES) or ""
    except OSError:
        yield Problem(kind=ProblemKind.SECTIONS_UNREADABLE, file=FILE)
        return
    tokens, activity = estimated_tokens(text), len(Sections.read(text).items(Section.ACTIVITY))
    if tokens > MOST_TOKENS:
        yield Problem(kind=ProblemKind.SECTIONS_BIG, file=FILE, detail=f"{tokens} tokens")
    if activity > MOST_ACTIVITY:
        yield Problem(kind=ProblemKind.SECTIONS_BIG, file=FILE, detail=f"{activity} lines of activity")
