"""Finds what an agent changed in its view of memory: how the files differ from what the host wrote there."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import structlog

from nanoclaw.domain.memory import EntryKind
from nanoclaw.flows.knowledge.lines import SaidEntry
from nanoclaw.flows.knowledge.view_folder import CLAUDE_MD, FILES, FOLDER
from nanoclaw.memory.claude_md import Section, Sections
from nanoclaw.memory.entries import BadLine, Decision, Fact, Reason, Tombstone, read_line
from nanoclaw.memory.entries import bad as bad_line
from nanoclaw.sandbox.untrusted_files import Reject, read_bytes

log = structlog.get_logger("views")

_MOST_TAKEN = 2 * 1024 * 1024  # bytes of what a box left there
_MOST_NEW = 100  # entries of one turn
_MOST_GONE = 5  # lines that a turn may propose to forget; more is damage, not a wish
_KEPT = {
    Section.DECISIONS: EntryKind.DECISION,
    Section.PREFERENCES: EntryKind.PREFERENCE,
    Section.PRIORITIES: EntryKind.PRIORITY,
}


@dataclass(frozen=True, kw_only=True, slots=True)
class ViewChanges:
    """How the files of a view differ from what the host wrote."""

    new: list[SaidEntry]
    bad: list[BadLine]
    gone: list[str]  # ids of deleted lines
    done: list[str]  # priorities that were removed


def compared(folder: Path, files: Mapping[str, str]) -> ViewChanges:
    """Compare a view with what was written. A file that is missing, or not a plain file any more, says nothing."""
    new: list[SaidEntry] = []
    bad: list[BadLine] = []
    gone: list[str] = []
    done: list[str] = []
    try:
        opened = os.open(folder, FOLDER)
    except OSError:
        return ViewChanges(new=[], bad=[], gone=[], done=[])
    try:
        for name in (*FILES, CLAUDE_MD):
            try:
                raw = read_bytes(opened, name, _MOST_TAKEN)
            except (Reject, OSError) as error:
                if not isinstance(error, FileNotFoundError):
                    log.warning("file of a view not read", file=name, reason=error)
                continue
            if name == CLAUDE_MD:
                _compare_sections(files.get(name, ""), raw.decode("utf-8", "replace"), new, done)
            else:
                _compare_lines(files.get(name, ""), raw, new, bad, gone)
    finally:
        os.close(opened)
    if len(gone) > _MOST_GONE:
        log.warning(
            "many lines vanished from a view: nothing is forgotten", folder=str(folder), lines=len(gone)
        )
        gone = []
    return ViewChanges(new=new[:_MOST_NEW], bad=bad[:_MOST_NEW], gone=gone, done=done)


def _compare_lines(
    before: str, raw: bytes, new: list[SaidEntry], bad: list[BadLine], gone: list[str]
) -> None:
    was = before.encode().splitlines()
    known, lines = set(was), [each.strip() for each in raw.split(b"\n")]
    old = {line.id: line for each in was if isinstance(line := read_line(each), Fact | Decision)}
    seen: set[str] = set()
    for each in filter(None, lines):
        line = read_line(each)
        if not isinstance(line, BadLine):
            seen.add(line.id)
        if each in known:
            continue
        if isinstance(line, Tombstone):
            gone.append(line.forgets)
        elif isinstance(line, Fact | Decision):
            if (same := old.get(line.id)) is None or same.text != line.text:
                new.append(_said(line, line.id if same else line.supersedes))
        else:
            bad.append(line if isinstance(line, BadLine) else bad_line(Reason.SHAPE, each))
    gone += [entry_id for entry_id in old if entry_id not in seen]


def _compare_sections(before: str, after: str, new: list[SaidEntry], done: list[str]) -> None:
    was, is_now = Sections.read(before), Sections.read(after)
    for section, kind in _KEPT.items():
        old = set(was.items(section))
        new += [
            SaidEntry(text=each, kind=kind, source="CLAUDE.md")
            for each in is_now.items(section)
            if each not in old
        ]
    old = set(was.items(Section.ACTIVITY))
    fresh = [each for each in is_now.items(Section.ACTIVITY) if each not in old]
    new += [SaidEntry(text=each, kind=EntryKind.ACTIVITY, source="CLAUDE.md") for each in fresh]
    left = set(is_now.items(Section.PRIORITIES))
    if after.strip():
        done += [each for each in was.items(Section.PRIORITIES) if each not in left]


def _said(line: Fact | Decision, replaces: str | None) -> SaidEntry:
    """The entry without id and provenance, which the host assigns."""
    if isinstance(line, Decision):
        return SaidEntry(
            text=line.decision,
            kind=EntryKind.DECISION,
            domain=line.domain,
            related=tuple(line.affects),
            rationale=line.rationale,
            is_public=line.public,
            expires=line.expires,
            source="file",
            replaces=replaces,
        )
    return SaidEntry(
        text=line.fact,
        kind=EntryKind(line.kind),
        topic=line.topic,
        domain=line.domain,
        related=tuple(line.related_to),
        is_public=line.public,
        expires=line.expires,
        confidence=line.confidence,
        source=line.source or "file",
        replaces=replaces,
        extracted_by=line.extracted_by,
    )
