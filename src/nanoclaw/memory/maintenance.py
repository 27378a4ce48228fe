"""Puts memory in order once a month: marks duplicates and expired facts, and moves the oldest lines to the
archive.

Nothing is lost if this is killed: marks are ordinary lines, and what moves is in the archive before it
leaves.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from nanoclaw.domain.memory import EntryState
from nanoclaw.memory.duplicates import doubles
from nanoclaw.memory.entries import (
    ARCHIVE,
    FACTS,
    BadLine,
    Fact,
    Line,
    Provenance,
    Restoration,
    Tombstone,
    new_tombstone_id,
    read_line,
    tidy,
)
from nanoclaw.memory.files import MemoryFiles
from nanoclaw.memory.states import States

MOST_FACTS = 1000
_MOST_COMPARED = 50_000
_BATCH = 1000
_VIA = "maintenance"


@dataclass(frozen=True, kw_only=True, slots=True)
class MaintenanceReport:
    """What was done, for the owner and for the index."""

    company: str
    at: datetime
    doubles: tuple[tuple[str, str], ...] = ()  # (gone, kept)
    expired: tuple[str, ...] = ()
    archived: dict[str, str] = field(default_factory=dict)  # entry id -> its file now
    facts: int = 0  # lines of facts.jsonl afterwards
    bad_lines: int = 0
    lines: tuple[Line, ...] = ()  # lines that were written

    @property
    def is_empty(self) -> bool:
        return not (self.doubles or self.expired or self.archived)


def maintain(
    files: MemoryFiles, company: str, at: datetime, most_facts: int = MOST_FACTS
) -> MaintenanceReport:
    """Do all three in this order, so that duplicates and expired facts are archived first. Blocks: use a thread."""
    expired, double, marks = _marks(files, company, at)
    written = files.append(company, marks) if marks else []
    archived, left, bad_lines = archive(files, company, most_facts)
    return MaintenanceReport(
        company=company,
        at=at,
        doubles=double,
        expired=expired,
        archived=archived,
        facts=left,
        bad_lines=bad_lines,
        lines=tuple(written),
    )


def _marks(
    files: MemoryFiles, company: str, at: datetime
) -> tuple[tuple[str, ...], tuple[tuple[str, str], ...], list[Line]]:
    """Marks only for facts.jsonl: the archive is long, and what has expired there is never given to an agent
    anyway.
    """
    states = States()
    facts: dict[str, Fact] = {}
    for file, line in files.lines(company):
        states.take(line)
        if isinstance(line, Fact) and file == FACTS:
            facts.setdefault(line.id, line)
            if len(facts) > _MOST_COMPARED:
                del facts[next(iter(facts))]
    live = [fact for fact in facts.values() if states.of(fact.id)[0] is EntryState.LIVE]
    expired = [fact for fact in live if fact.expires is not None and fact.expires <= at]
    over = {fact.id for fact in expired}
    found = doubles(fact for fact in live if fact.id not in over)
    same = [double for double in found if not states.is_restored(double.gone.id)]
    marks: list[Line] = [_tombstone(fact.id, at, "expired") for fact in expired]
    marks += [_tombstone(double.gone.id, at, "duplicate", double.kept.id) for double in same]
    return (
        tuple(fact.id for fact in expired),
        tuple((double.gone.id, double.kept.id) for double in same),
        marks,
    )


def _tombstone(entry_id: str, at: datetime, reason: str, superseded_by: str | None = None) -> Tombstone:
    return Tombstone(
        id=new_tombstone_id(at),
        timestamp=at,
        forgets=entry_id,
        superseded_by=superseded_by,
        reason=reason,
        provenance=Provenance(via=_VIA),
    )


@dataclass(frozen=True, slots=True)
class _Placed:
    """A good line of facts.jsonl: where it is, and what decides whether it stays. Small, because there may be
    a million.
    """

    start: int
    id: str
    target: str | None  # the entry that a mark is about
    is_fact: bool
    worth: tuple[object, ...]
    digest: int


def archive(
    files: MemoryFiles, company: str, most_facts: int = MOST_FACTS
) -> tuple[dict[str, str], int, int]:
    """Move lines until facts.jsonl has at most so many; returns where they are, and how many are left and bad."""
    with files.locked(company):
        before = files.stamp(company, FACTS)
        states = States(line for _, line in files.lines(company))
        placed, bad_lines = _placed(files, company, states)
        again = _archived_already(files, company, placed)
        stay = [each for each in placed if each.start not in again]
        going = _chosen(stay, most_facts)
        count = sum(each.is_fact for each in stay) - sum(each.is_fact for each in stay if each.start in going)
        if not going and not again:
            return {}, count, bad_lines
        moved = _copy(files, company, going)
        if files.stamp(company, FACTS) != before:
            # Somebody writes without our lock. What moved is there twice, which counts once; the next run continues.
            return moved, count + len(moved), bad_lines
        files.replace(company, FACTS, _rest(files, company, going | again))
        return moved, count, bad_lines


def _placed(files: MemoryFiles, company: str, states: States) -> tuple[list[_Placed], int]:
    found: list[_Placed] = []
    bad_lines = 0
    for raw, start, _end in files.raw_lines(company, FACTS):
        line = raw if isinstance(raw, BadLine) else read_line(raw)
        if isinstance(line, BadLine) or isinstance(raw, BadLine):
            bad_lines += 1
            continue
        is_live = states.of(line.id)[0] is EntryState.LIVE
        confidence = round(line.confidence, 1) if isinstance(line, Fact) and is_live else 0
        worth = (is_live, confidence, line.timestamp, line.id)
        found.append(_Placed(start, line.id, _target(line), isinstance(line, Fact), worth, hash(tidy(raw))))
    return found, bad_lines


def _archived_already(files: MemoryFiles, company: str, placed: Sequence[_Placed]) -> set[int]:
    """Lines that the archive holds too: a run was killed, or a merge brought them back."""
    ours = {(each.id, each.digest): each.start for each in placed}
    found = set()
    for file in files.files(company):
        if not file.startswith(ARCHIVE):
            continue
        for raw, _start, _end in files.raw_lines(company, file):
            line = raw if isinstance(raw, BadLine) else read_line(raw)
            if not isinstance(line, BadLine) and not isinstance(raw, BadLine):
                start = ours.get((line.id, hash(tidy(raw))))
                if start is not None:
                    found.add(start)
    return found


def _chosen(placed: Sequence[_Placed], most_facts: int) -> set[int]:
    """The oldest that are not live, then the oldest of the least certain; with the marks about them."""
    facts = [each for each in placed if each.is_fact]
    going = sorted(facts, key=lambda each: each.worth)[: max(0, len(facts) - most_facts)]
    ids = {each.id for each in going}
    return {each.start for each in (*going, *(each for each in placed if each.target in ids))}


def _copy(files: MemoryFiles, company: str, going: set[int]) -> dict[str, str]:
    moved: dict[str, str] = {}
    batches: dict[str, list[tuple[Line, bytes]]] = defaultdict(list)

    def write(file: str) -> None:
        batch = batches.pop(file)
        files.append_to(company, file, [line for line, _ in batch], [raw for _, raw in batch])

    for raw, start, _end in files.raw_lines(company, FACTS):
        if start not in going or isinstance(raw, BadLine):
            continue
        line = read_line(raw)
        if isinstance(line, BadLine):
            continue
        file = f"{ARCHIVE}/facts-{line.timestamp.year:04}.jsonl"
        batches[file].append((line, tidy(raw) + b"\n"))
        if isinstance(line, Fact):
            moved[line.id] = file
        if len(batches[file]) >= _BATCH:
            write(file)
    for file in sorted(batches):
        write(file)
    return moved


def _rest(files: MemoryFiles, company: str, gone: set[int]) -> Iterator[bytes]:
    """Everything else byte for byte, even what nobody can read."""
    for start, piece in files.pieces(company, FACTS):
        if start not in gone:
            yield piece


def _target(line: Line) -> str | None:
    """The entry a mark is about. Marks of purged lines stay: every merge of this file must see them."""
    if isinstance(line, Tombstone):
        return line.forgets if line.purged is None else None
    return line.restores if isinstance(line, Restoration) else None
