"""What a box sees as `/memory`: copies that its agent may edit. The host compares them with what it wrote there, after
the turn or before the next one, and takes in line by line what is new, as something that this turn said.
"""

import asyncio
import hashlib
import json
import os
import time
from collections import defaultdict, deque
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import sqlalchemy as sa
import structlog

from nanoclaw.domain.ids import SessionId, TurnId
from nanoclaw.domain.memory import EntryKind, EntryState, MemoryMode, Trust
from nanoclaw.domain.people import Actor
from nanoclaw.domain.turns import TurnRequest
from nanoclaw.durable import memberships, memory_changes, memory_entries, session_queue
from nanoclaw.durable.clock import now
from nanoclaw.durable.knowledge_tables import memory_entries as entries_table
from nanoclaw.durable.memory_changes import Action, Change, ChangeState
from nanoclaw.durable.store import Store, Tx
from nanoclaw.flows.knowledge.change_questions import ChangeQuestions
from nanoclaw.flows.knowledge.lines import Said
from nanoclaw.flows.knowledge.tools import remember
from nanoclaw.flows.knowledge.trust import TurnSource, source_of, trust_in
from nanoclaw.memory import claude_md
from nanoclaw.memory.claude_md import Section, Sections
from nanoclaw.memory.entries import (
    DECISIONS,
    FACTS,
    BadLine,
    Decision,
    Fact,
    Reason,
    Tombstone,
    read_line,
    write_line,
)
from nanoclaw.memory.entries import bad as bad_line
from nanoclaw.memory.files import MemoryFiles
from nanoclaw.sandbox.folders import view_of
from nanoclaw.sandbox.untrusted_files import Reject, read_bytes

log = structlog.get_logger("views")

_FILES = {"facts.jsonl": FACTS, "decisions.jsonl": DECISIONS}
_CLAUDE_MD = "CLAUDE.md"
_NAMES = (*_FILES, _CLAUDE_MD)
_MOST_LINES = 500
_MOST_BYTES = 512 * 1024  # of a file in a view
_MOST_TAKEN = 2 * 1024 * 1024  # bytes of what a box left there
_MOST_NEW = 100  # entries of one turn
_MOST_REMOVED = 10_000
_MOST_GONE = 5  # lines that a turn may propose to forget; more is damage, not a wish
_KEPT = {
    Section.DECISIONS: EntryKind.DECISION,
    Section.PREFERENCES: EntryKind.PREFERENCE,
    Section.PRIORITIES: EntryKind.PRIORITY,
}
_BASELINE = "baseline.json"
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


@dataclass(frozen=True, kw_only=True, slots=True)
class Taken:
    """How the files of a view differ from what the host wrote."""

    new: list[Said]
    bad: list[BadLine]
    gone: list[str]  # ids
    done: list[str]  # priorities that are gone


class MemoryViews:
    def __init__(self, *, home: Path, store: Store, change_questions: ChangeQuestions) -> None:
        self._home = home
        self._store = store
        self._change_questions = change_questions
        self._files = MemoryFiles(home)
        self._made: dict[tuple[str, bool], tuple[object, dict[str, str]]] = {}
        self._locks: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)

    async def prepare(self, request: TurnRequest, owner: int | None) -> None:
        """Before a box of this turn starts. `owner` is the user that runs it, if not the host's own."""
        session_id = request.session_id
        async with self._locks[session_id]:
            before = await asyncio.to_thread(self._baseline, session_id)
            if before and before["turn"] == request.turn_id:
                return
            if before:
                await self._take_in(session_id, before)
            mode, is_stranger, dead = await self._store.read(lambda tx: _terms(tx, request))
            await asyncio.to_thread(self._make, request, mode, owner, dead, is_stranger=is_stranger)

    async def take_in(self, session_id: str) -> None:
        """What the box of its last turn wrote, once that is over."""
        async with self._locks[session_id]:
            before = await asyncio.to_thread(self._baseline, session_id)
            if before and not await self._store.read(
                lambda tx: session_queue.is_running(tx, TurnId(before["turn"]))
            ):
                await self._take_in(session_id, before)
        if not self._locks[session_id].locked():
            self._locks.pop(session_id, None)

    async def take_in_all(self) -> None:
        """What was left when a host died."""
        folder = self._home / "data" / "memory_views"
        left = await asyncio.to_thread(lambda: [each.parent.name for each in folder.glob(f"*/{_BASELINE}")])
        for session_id in left:
            await self.take_in(session_id)

    async def _take_in(self, session_id: str, before: Mapping[str, Any]) -> None:
        folder = view_of(self._home, session_id)
        if before["mode"] == MemoryMode.WRITE:
            taken = await asyncio.to_thread(_compared, folder, before["files"])
            if taken.new or taken.bad or taken.gone or taken.done:
                await self._keep(SessionId(session_id), before, taken)
        # First what it is compared with: an empty view must never look like a wish to forget everything.
        await asyncio.to_thread((folder.parent / _BASELINE).unlink, missing_ok=True)
        with suppress(OSError):  # what is purged later must not lie here
            await asyncio.to_thread(_fill, folder, {}, None)

    async def _keep(self, session_id: SessionId, before: Mapping[str, Any], taken: Taken) -> None:
        turn_id, company = TurnId(before["turn"]), str(before["company"])
        found = await self._store.read(lambda tx: source_of(tx, session_id, turn_id))
        if found is None or found.mode is not MemoryMode.WRITE:
            return
        source = replace(found, is_mixed=True)  # anything in the box may have written this
        judged = await asyncio.to_thread(
            lambda: [trust_in(source, f"{each.text} {each.rationale}") for each in taken.new]
        )
        done = await asyncio.to_thread(
            lambda: [each for each in taken.done if trust_in(source, each).is_trusted]
        )

        def story(tx: Tx) -> None:
            for said, trust in zip(taken.new, judged, strict=True):
                origin = f"view {turn_id} {_hash(f'{said.kind} {said.text} {said.replaces}')}"
                remember(tx, self._change_questions, company, source, said, trust, origin, via="file")
            for bad in taken.bad:
                _quarantine(tx, company, source, turn_id, bad)
            for entry_id in taken.gone:
                self._propose(tx, company, source, turn_id, entry_id)
            for text in done:
                body = {"section": Section.PRIORITIES.name, "replaces": text}
                _ask(
                    tx,
                    company,
                    source,
                    Action.SECTION,
                    source.trust,
                    f"view {turn_id} done {_hash(text)}",
                    body,
                )

        await self._store.write(story)
        log.info("took in what a box wrote to memory", session=session_id, entries=len(taken.new))

    def _propose(self, tx: Tx, company: str, source: TurnSource, turn_id: str, entry_id: str) -> None:
        """A line that was deleted: a person decides whether it is forgotten."""
        origin = f"view {turn_id} gone {entry_id}"
        entry = memory_entries.get(tx, company, entry_id)
        if entry is None or entry.state is not EntryState.LIVE or memory_changes.of_origin(tx, origin):
            return
        body = {"person": source.person.handle}
        change = _change(company, source, Action.FORGET, source.trust, origin, body, entry_id=entry_id)
        by = Actor.of(source.person, memberships.rights_of(tx, source.person), via="agent", language="en")
        self._change_questions.propose(tx, change, entry, "", by)

    def _baseline(self, session_id: str) -> dict[str, Any] | None:
        try:
            written = (view_of(self._home, session_id).parent / _BASELINE).read_bytes()
        except OSError:
            return None
        try:
            found: dict[str, Any] = json.loads(written)
        except ValueError:  # cut off while it was written: the view was not ready then
            return None
        return found

    def _make(
        self, request: TurnRequest, mode: MemoryMode, owner: int | None, dead: set[str], *, is_stranger: bool
    ) -> None:
        folder = view_of(self._home, request.session_id)
        folder.mkdir(parents=True, exist_ok=True)
        (folder.parent / _BASELINE).unlink(missing_ok=True)
        texts = {} if mode is MemoryMode.OFF else self._texts(request.company, dead, is_stranger=is_stranger)
        _fill(folder, texts, owner)
        baseline = {
            "turn": request.turn_id,
            "company": request.company,
            "mode": MemoryMode.READ if is_stranger and mode is MemoryMode.WRITE else mode,
            "files": texts,
        }
        fresh = folder.parent / f"{_BASELINE}.new"
        fresh.write_text(json.dumps(baseline))
        fresh.rename(folder.parent / _BASELINE)

    def _texts(self, company: str, dead: set[str], *, is_stranger: bool) -> dict[str, str]:
        """A stranger's agent sees what is public, and not who said it. Read again only when something changed."""
        seen = [(self._files.folder(company) / each) for each in (*_FILES.values(), claude_md.FILE)]
        about = [(each.stat().st_size, each.stat().st_mtime_ns) if each.is_file() else None for each in seen]
        known = self._made.get((company, is_stranger))
        if known and known[0] == (about, dead):
            return known[1]
        made = self._read_texts(company, dead, is_stranger=is_stranger)
        self._made[company, is_stranger] = (about, dead), made
        return made

    def _read_texts(self, company: str, dead: set[str], *, is_stranger: bool) -> dict[str, str]:
        made = {}
        for name, file in _FILES.items():
            made[name] = _newest(self._lines(company, file, dead, is_stranger=is_stranger))
        if not is_stranger:
            made[_CLAUDE_MD] = claude_md.read(self._files, company).text
        return {name: text.encode("utf-8", "replace").decode() for name, text in made.items()}

    def _lines(self, company: str, file: str, dead: set[str], *, is_stranger: bool) -> Iterable[str]:
        for line, _ in self._files.read_from(company, file):
            if not isinstance(line, Fact | Decision) or line.id in dead or (is_stranger and not line.public):
                continue
            yield write_line(line.model_copy(update={"provenance": None}) if is_stranger else line).decode()


def _terms(tx: Tx, request: TurnRequest) -> tuple[MemoryMode, bool, set[str]]:
    source = source_of(tx, request.session_id, request.turn_id)
    dead = tx.execute(
        sa.select(entries_table.c.id).where(
            entries_table.c.company == request.company, entries_table.c.state != EntryState.LIVE.value
        )
    )
    if source is None:
        return MemoryMode.OFF, True, set()
    return source.mode, source.is_of_stranger, set(dead.scalars())


def _newest(lines: Iterable[str]) -> str:
    kept = deque(lines, maxlen=_MOST_LINES)
    size = sum(len(each.encode()) for each in kept)
    while kept and size > _MOST_BYTES:
        size -= len(kept.popleft().encode())
    return "".join(kept)


def _fill(folder: Path, texts: Mapping[str, str], owner: int | None) -> None:
    """A box that still runs may have put anything there: nothing of it is followed."""
    opened = os.open(folder, _FOLDER)
    try:
        for _ in range(_MOST_REMOVED):
            left = os.listdir(opened)  # noqa: PTH208 - of a folder that is held open
            if not left:
                break
            for name in left:
                _remove(opened, name)
        for name, text in texts.items():
            with suppress(FileNotFoundError):
                os.unlink(name, dir_fd=opened)
            made = os.open(name, _NEW, 0o644, dir_fd=opened)
            with os.fdopen(made, "wb") as file:
                file.write(text.encode())
                if owner is not None and os.geteuid() == 0:
                    os.fchown(made, owner, owner)
    finally:
        os.close(opened)


def _remove(folder: int, name: str) -> None:
    """Whatever it is. Folders are taken apart from above: a box can nest them deeper than anyone can follow."""
    with suppress(FileNotFoundError):
        try:
            os.unlink(name, dir_fd=folder)
        except (IsADirectoryError, PermissionError):
            os.chmod(name, 0o700, dir_fd=folder)
        else:
            return
        below = os.open(name, _FOLDER, dir_fd=folder)
        try:
            for each in os.listdir(below)[:_MOST_REMOVED]:  # noqa: PTH208 - of a folder that is held open
                os.rename(each, f"{time.monotonic_ns()}", src_dir_fd=below, dst_dir_fd=folder)
        finally:
            os.close(below)
        with suppress(OSError):  # there was more than that: next time
            os.rmdir(name, dir_fd=folder)


def _compared(folder: Path, files: Mapping[str, str]) -> Taken:
    """A file that is gone, or no plain file any more, says nothing."""
    new: list[Said] = []
    bad: list[BadLine] = []
    gone: list[str] = []
    done: list[str] = []
    try:
        opened = os.open(folder, _FOLDER)
    except OSError:
        return Taken(new=[], bad=[], gone=[], done=[])
    try:
        for name in _NAMES:
            try:
                raw = read_bytes(opened, name, _MOST_TAKEN)
            except (Reject, OSError) as error:
                if not isinstance(error, FileNotFoundError):
                    log.warning("file of a view not read", file=name, reason=error)
                continue
            if name == _CLAUDE_MD:
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
    return Taken(new=new[:_MOST_NEW], bad=bad[:_MOST_NEW], gone=gone, done=done)


def _compare_lines(before: str, raw: bytes, new: list[Said], bad: list[BadLine], gone: list[str]) -> None:
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


def _compare_sections(before: str, after: str, new: list[Said], done: list[str]) -> None:
    was, is_now = Sections.read(before), Sections.read(after)
    for section, kind in _KEPT.items():
        old = set(was.items(section))
        new += [
            Said(text=each, kind=kind, source="CLAUDE.md")
            for each in is_now.items(section)
            if each not in old
        ]
    old = set(was.items(Section.ACTIVITY))
    fresh = [each for each in is_now.items(Section.ACTIVITY) if each not in old]
    new += [Said(text=each, kind=EntryKind.ACTIVITY, source="CLAUDE.md") for each in fresh]
    left = set(is_now.items(Section.PRIORITIES))
    if after.strip():
        done += [each for each in was.items(Section.PRIORITIES) if each not in left]


def _said(line: Fact | Decision, replaces: str | None) -> Said:
    """Its id and provenance are the host's to give."""
    if isinstance(line, Decision):
        return Said(
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
    return Said(
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


def _quarantine(tx: Tx, company: str, source: TurnSource, turn_id: str, bad: BadLine) -> None:
    origin = f"view {turn_id} bad {_hash(bad.text)}"
    _ask(
        tx,
        company,
        source,
        Action.ADD,
        Trust.HEARSAY,
        origin,
        {"raw": bad.text},
        state=ChangeState.QUARANTINED,
        reason={"fault": bad.reason.value, "field": bad.field},
    )


def _ask(
    tx: Tx,
    company: str,
    source: TurnSource,
    action: Action,
    trust: Trust,
    origin: str,
    body: Mapping[str, Any],
    **more: Any,
) -> None:
    memory_changes.ask(tx, _change(company, source, action, trust, origin, body, **more))


def _change(
    company: str,
    source: TurnSource,
    action: Action,
    trust: Trust,
    origin: str,
    body: Mapping[str, Any],
    **more: Any,
) -> Change:
    return Change(
        company=company,
        action=action,
        trust=trust,
        created_at=now(),
        body=body,
        person_id=source.person.id,
        chat_id=source.place.chat_id,
        message_id=source.place.message_id,
        turn_id=source.place.turn_id,
        origin=origin,
        **more,
    )


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:24]
