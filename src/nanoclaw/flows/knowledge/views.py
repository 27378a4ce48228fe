"""What a box sees as `/memory`: copies that its agent may edit.

After the turn, or before the next one, the host compares them with what it wrote and takes in new lines one
by one, as something this turn said.
"""

import asyncio
import hashlib
import json
import os
from collections import defaultdict
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import sqlalchemy as sa
import structlog

from nanoclaw.domain.ids import SessionId, TurnId
from nanoclaw.domain.memory import EntryState, MemoryMode, Trust
from nanoclaw.domain.people import Actor
from nanoclaw.domain.turns import TurnRequest
from nanoclaw.durable import memberships, memory_changes, memory_entries, session_queue
from nanoclaw.durable.clock import now
from nanoclaw.durable.knowledge_tables import memory_entries as entries_table
from nanoclaw.durable.memory_changes import Action, Change, ChangeState
from nanoclaw.durable.store import Store, Tx
from nanoclaw.flows.knowledge.change_questions import ChangeQuestions
from nanoclaw.flows.knowledge.tools import remember
from nanoclaw.flows.knowledge.trust import TurnSource, source_of, trust_in
from nanoclaw.flows.knowledge.view_changes import ViewChanges, compared
from nanoclaw.flows.knowledge.view_folder import fill
from nanoclaw.flows.knowledge.view_texts import ViewTexts
from nanoclaw.memory.claude_md import Section
from nanoclaw.memory.entries import BadLine
from nanoclaw.memory.files import MemoryFiles
from nanoclaw.sandbox.folders import view_of

log = structlog.get_logger("views")

_BASELINE = "baseline.json"


class MemoryViews:
    def __init__(self, *, home: Path, store: Store, change_questions: ChangeQuestions) -> None:
        self._home = home
        self._store = store
        self._change_questions = change_questions
        self._texts = ViewTexts(MemoryFiles(home))
        self._locks: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)

    async def prepare(self, request: TurnRequest, owner: int | None) -> None:
        """Prepare the view before a box of this turn starts. `owner` is the user that runs the box, if not
        the host's own.
        """
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
        """Take in what the box of the last turn wrote, once that turn is over; most turns need no box."""
        if not self._has_baseline(session_id):
            return
        async with self._locks[session_id]:
            before = await asyncio.to_thread(self._baseline, session_id)
            if before and not await self._store.read(
                lambda tx: session_queue.is_running(tx, TurnId(before["turn"]))
            ):
                await self._take_in(session_id, before)
        if not self._locks[session_id].locked():
            self._locks.pop(session_id, None)

    async def take_in_all(self) -> None:
        """Take in what was left when a host died."""
        folder = self._home / "data" / "memory_views"
        left = await asyncio.to_thread(lambda: [each.parent.name for each in folder.glob(f"*/{_BASELINE}")])
        for session_id in left:
            await self.take_in(session_id)

    async def _take_in(self, session_id: str, before: Mapping[str, Any]) -> None:
        folder = view_of(self._home, session_id)
        if before["mode"] == MemoryMode.WRITE:
            taken = await asyncio.to_thread(compared, folder, before["files"])
            if taken.new or taken.bad or taken.gone or taken.done:
                await self._keep(SessionId(session_id), before, taken)
        # Remove the baseline first: an empty view must never look like a wish to forget everything.
        await asyncio.to_thread((folder.parent / _BASELINE).unlink, missing_ok=True)
        with suppress(OSError):  # what is purged later must not remain here
            await asyncio.to_thread(fill, folder, {}, None)

    async def _keep(self, session_id: SessionId, before: Mapping[str, Any], taken: ViewChanges) -> None:
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
        """A line was deleted: ask a person whether to forget it."""
        origin = f"view {turn_id} gone {entry_id}"
        entry = memory_entries.get(tx, company, entry_id)
        if entry is None or entry.state is not EntryState.LIVE or memory_changes.of_origin(tx, origin):
            return
        body = {"person": source.person.handle}
        change = _change(company, source, Action.FORGET, source.trust, origin, body, entry_id=entry_id)
        by = Actor.of(source.person, memberships.rights_of(tx, source.person), via="agent", language="en")
        self._change_questions.propose(tx, change, entry, "", by)

    def _has_baseline(self, session_id: str) -> bool:
        # As a string: every turn asks, and path objects cost more than the look itself.
        return os.path.exists(f"{self._home}/data/memory_views/{session_id}/{_BASELINE}")  # noqa: PTH110

    def _baseline(self, session_id: str) -> dict[str, Any] | None:
        try:
            written = (view_of(self._home, session_id).parent / _BASELINE).read_bytes()
        except OSError:
            return None
        try:
            found: dict[str, Any] = json.loads(written)
        except ValueError:  # interrupted while being written: the view was not ready then
            return None
        return found

    def _make(
        self, request: TurnRequest, mode: MemoryMode, owner: int | None, dead: set[str], *, is_stranger: bool
    ) -> None:
        folder = view_of(self._home, request.session_id)
        folder.mkdir(parents=True, exist_ok=True)
        (folder.parent / _BASELINE).unlink(missing_ok=True)
        texts = (
            {} if mode is MemoryMode.OFF else self._texts.read(request.company, dead, is_stranger=is_stranger)
        )
        fill(folder, texts, owner)
        baseline = {
            "turn": request.turn_id,
            "company": request.company,
            "mode": MemoryMode.READ if is_stranger and mode is MemoryMode.WRITE else mode,
            "files": texts,
        }
        fresh = folder.parent / f"{_BASELINE}.new"
        fresh.write_text(json.dumps(baseline))
        fresh.rename(folder.parent / _BASELINE)


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
