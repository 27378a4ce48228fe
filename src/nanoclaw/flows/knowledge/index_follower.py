"""The index follows the files: appended lines are indexed, and files changed by hand or by a pull are read again."""

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

import sqlalchemy as sa

from nanoclaw.domain.memory import Entry, EntryKind, Trust
from nanoclaw.domain.secret_search.masker import holds_secret, mask_secrets
from nanoclaw.durable.knowledge_tables import memory_entries, memory_files
from nanoclaw.durable.memory_changes import Change
from nanoclaw.durable.store import Tx
from nanoclaw.memory import claude_md, index
from nanoclaw.memory.claude_md import Section
from nanoclaw.memory.entries import (
    BadLine,
    Decision,
    Fact,
    Line,
    Provenance,
    Restoration,
    Tombstone,
    entry_of,
)
from nanoclaw.memory.files import MemoryFiles, Stamp
from nanoclaw.memory.masking import masked_line
from nanoclaw.memory.states import States

_CHUNK = 500  # entries in one transaction
_MOST_STATES = 2000

# Every turn leaves a line of activity, so these are constants, which are not compiled each time.
_COMPANY = memory_entries.c.company == sa.bindparam("company")
_KNOWN_FILES = sa.select(memory_files).where(
    memory_files.c.company == sa.bindparam("company"), sa.not_(memory_files.c.file.startswith("context/"))
)
_FORGET = sa.delete(memory_files).where(
    memory_files.c.company == sa.bindparam("company"), memory_files.c.file == sa.bindparam("of_file")
)
_ADD_FILE = sa.insert(memory_files)
_ACTIVITY = sa.select(
    *(memory_entries.c[name] for name in ("text", "message_id", "turn_id", "person", "chat_id", "trust"))
).where(_COMPANY, memory_entries.c.file == claude_md.FILE, memory_entries.c.turn_id.is_not(None))
_ACTIVITY_IDS = sa.select(memory_entries.c.id).where(_COMPANY, memory_entries.c.file == claude_md.FILE)

Known = Mapping[str, Stamp]
"""How far each file of a company is indexed."""


@dataclass(kw_only=True)
class FilePiece:
    """A piece of one file, for one transaction."""

    file: str
    entries: list[Entry] = field(default_factory=list)
    bad: list[BadLine] = field(default_factory=list)
    secrets: list[str] = field(default_factory=list)  # marks of lines that hold one, which we did not write
    is_whole: bool = False  # first removes what the index has of this file
    is_gone: bool = False
    stamp: Stamp | None = None  # of the file, if this was the last piece


def known_files(tx: Tx, company: str) -> dict[str, Stamp]:
    """The files of the memory. Context files have their own stamps there: taken for memory, they would look
    deleted.
    """
    rows = tx.execute(_KNOWN_FILES, {"company": company})
    return {row.file: Stamp(row.bytes, row.mtime, row.digest) for row in rows}


class IndexFollower:
    """All methods but `put` block: use a thread."""

    def __init__(self, files: MemoryFiles) -> None:
        self._files = files
        self._states: dict[str, tuple[dict[str, Stamp], States]] = {}

    def pieces(self, company: str, known: Known, activities: Mapping[str, Change]) -> Iterator[FilePiece]:
        """The pieces that the index does not have yet."""
        there = self._files.files(company)
        for file in there:
            if not self._is_same(company, file, known.get(file)):
                yield from self._read(company, file, known.get(file))
        yield from self._activity(company, known.get(claude_md.FILE), activities)
        for file in known:
            if file not in there and file != claude_md.FILE:
                yield FilePiece(file=file, is_gone=True)

    def is_changed(self, company: str, known: Known) -> bool:
        """Whether someone else changed a file: a person, or git."""
        there = self._files.files(company)
        return any(
            not self._is_same(company, file, known.get(file)) for file in {*there, *known} - {claude_md.FILE}
        )

    def states(self, company: str, known: Known, after: Known, lines: list[Line] | None) -> States:
        """How the lines refer to each other. `lines`: those added since `known`; None: read all."""
        cached = self._states.pop(company, None)
        if cached and lines is not None and cached[0] == dict(known):
            states = cached[1]
            for line in lines:
                states.take(line)
        else:
            states = States(line for _, line in self._files.lines(company))
        self._states[company] = dict(after), states
        return states

    def _is_same(self, company: str, file: str, known: Stamp | None) -> bool:
        try:
            about = (self._files.folder(company) / file).lstat()
        except OSError:
            return False
        return known is not None and (about.st_size, about.st_mtime_ns) == (known.bytes, known.mtime)

    def _read(self, company: str, file: str, known: Stamp | None) -> Iterator[FilePiece]:
        stamp = self._files.stamp(company, file)
        if stamp and known and (stamp.bytes, stamp.digest) == (known.bytes, known.digest):
            yield FilePiece(file=file, stamp=stamp)  # touched, not changed
            return
        was = self._files.stamp(company, file, known.bytes) if known else None
        is_appended = bool(known and was and was.digest == known.digest)
        found = FilePiece(file=file, is_whole=not is_appended)
        seen: set[str] = set()
        for line, end in self._files.read_from(company, file, known.bytes if known and is_appended else 0):
            if stamp and end > stamp.bytes:
                break  # being written: read next time
            if isinstance(line, BadLine):
                found.bad.append(line)
                if holds_secret(line.raw):
                    found.secrets.append(_mark(line.text))
            elif isinstance(line, Fact | Decision) and line.id not in seen:
                seen.add(line.id)
                clean, has_secret = masked_line(line)
                if has_secret:
                    found.secrets.append(line.id)
                if isinstance(clean, Fact | Decision):
                    found.entries.append(entry_of(company, file, clean))
            if len(found.entries) >= _CHUNK:
                yield found
                found = FilePiece(file=file)
        found.stamp = stamp
        yield found

    def _activity(
        self, company: str, known: Stamp | None, activities: Mapping[str, Change]
    ) -> Iterator[FilePiece]:
        """Index the items of Recent Activity too; their ids are derived from their words."""
        if self._is_same(company, claude_md.FILE, known):
            return
        stamp = self._files.stamp(company, claude_md.FILE)
        if stamp is None:
            if known:
                yield FilePiece(file=claude_md.FILE, is_gone=True)
            return
        sections = claude_md.read(self._files, company)
        items, text = sections.items(Section.ACTIVITY), sections.text
        masked = mask_secrets(text)
        clean = {item: item if masked == text else mask_secrets(item) for item in items}
        entries = [_activity_entry(company, clean[item], activities.get(item)) for item in items]
        secrets = [_mark(line) for line in sorted({*masked.splitlines()} - {*text.splitlines()})]
        yield FilePiece(file=claude_md.FILE, entries=entries, stamp=stamp, secrets=secrets)

    def new_lines(self, company: str, known: Known) -> list[Line] | None:
        """Lines added since that affect the state of others; None if a file changed in other ways than appending."""
        found: list[Line] = []
        for file in self._files.files(company):
            was = known.get(file)
            if self._is_same(company, file, was):
                continue
            now = self._files.stamp(company, file, was.bytes) if was else None
            if was and (now is None or now.digest != was.digest):
                return None
            for line, _ in self._files.read_from(company, file, was.bytes if was else 0):
                if not isinstance(line, BadLine) and (refers(line) or not line.trust.is_trusted):
                    found.append(line)
        return None if set(known) - {*self._files.files(company), claude_md.FILE} else found


def refers(line: Line) -> bool:
    """Whether the line may change the state of another."""
    return isinstance(line, Tombstone | Restoration) or line.supersedes is not None


def put(tx: Tx, company: str, found: FilePiece) -> None:
    """Index a piece. The first line with an id counts, whatever is appended later under the same id."""
    if found.is_gone:
        index.drop(tx, company, found.file)
        _forget(tx, company, found.file)
        return
    if found.is_whole:
        index.drop(tx, company, found.file)
    entries = found.entries
    if found.file == claude_md.FILE:
        entries = _only_new_activity(tx, company, entries)
    elif entries and not found.is_whole:
        there = {
            each.id
            for each in index.several(tx, company, [each.id for each in entries])
            if each.file == found.file
        }
        entries = [each for each in entries if each.id not in there]
    if entries:
        index.put(tx, entries)
    if found.stamp:
        _forget(tx, company, found.file)
        values = {"bytes": found.stamp.bytes, "mtime": found.stamp.mtime, "digest": found.stamp.digest}
        tx.execute(_ADD_FILE, {"company": company, "file": found.file, **values})


def put_states(tx: Tx, company: str, states: States, touched: set[str]) -> None:
    """Write the states of all mentioned entries; if there are many, only of those the new lines touch and
    what those replaced.
    """
    wanted = states.mentioned
    if len(wanted) > _MOST_STATES:
        replaced = {
            each.supersedes for each in index.several(tx, company, sorted(touched)) if each.supersedes
        }
        wanted = wanted & (touched | replaced)
    now = {each.id: (each.state, each.superseded_by) for each in index.several(tx, company, sorted(wanted))}
    changed = {each: state for each in now if (state := states.of(each)) != now[each]}
    if changed:
        index.set_states(tx, company, changed)


def activity_in(tx: Tx, company: str) -> dict[str, Provenance]:
    """The provenance of activity lines in CLAUDE.md by their text, except lines that no turn left."""
    rows = tx.execute(_ACTIVITY, {"company": company})
    return {
        row.text: Provenance(
            message=row.message_id,
            turn=row.turn_id,
            person=row.person or None,
            chat=row.chat_id,
            trust=Trust(row.trust),
            via="rotation",
        )
        for row in rows
    }


def forget_files(tx: Tx, company: str) -> None:
    """Forget how far files are indexed, so that everything is read again."""
    tx.execute(sa.delete(memory_files).where(memory_files.c.company == company))


def _forget(tx: Tx, company: str, file: str) -> None:
    tx.execute(_FORGET, {"company": company, "of_file": file})


def _only_new_activity(tx: Tx, company: str, entries: list[Entry]) -> list[Entry]:
    rows = tx.execute(_ACTIVITY_IDS, {"company": company})
    there, wanted = {row.id for row in rows}, {each.id for each in entries}
    if gone := sorted(there - wanted):
        index.drop(tx, company, ids=gone)
    return [each for each in entries if each.id not in there]


def _activity_entry(company: str, text: str, change: Change | None) -> Entry:
    return Entry(
        company=company,
        id=f"{claude_md.ACTIVITY_ID}{hashlib.sha256(text.encode('utf-8', 'replace')).hexdigest()[:16]}",
        kind=EntryKind.ACTIVITY,
        text=text.encode("utf-8", "replace").decode().replace("\0", ""),
        at=change.created_at if change else _moment(text),
        file=claude_md.FILE,
        source="turn",
        trust=change.trust if change else Trust.MEMBER,
        person=str((change.body or {}).get("handle", "")) if change else "",
        turn_id=change.turn_id if change else None,
        message_id=change.message_id if change else None,
        chat_id=change.chat_id if change else None,
    )


def _mark(masked: str) -> str:
    """Of the masked text: a digest of a short secret could be guessed back."""
    return hashlib.sha256(masked.encode("utf-8", "replace")).hexdigest()[:16]


def _moment(text: str) -> datetime:
    for length in (16, 10):
        try:
            return datetime.fromisoformat(text[:length]).replace(tzinfo=UTC)
        except ValueError:
            continue
    return datetime.fromtimestamp(0, UTC)


def companies(home: Path) -> list[str]:
    """The companies that have a folder."""
    folder = home / "companies"
    return sorted(each.name for each in folder.iterdir() if each.is_dir()) if folder.is_dir() else []
