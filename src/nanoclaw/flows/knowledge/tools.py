"""The tools by which an agent remembers and recalls, on behalf of the person it works for."""

import asyncio
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from nanoclaw.context.groups import Group
from nanoclaw.domain.ids import TurnId
from nanoclaw.domain.memory import Entry, EntryFilter, EntryKind, EntryState, MemoryMode, Trust
from nanoclaw.domain.people import Actor
from nanoclaw.domain.tool_arguments import Recall, Remember, Remembered
from nanoclaw.domain.tool_requests import ToolReply, ToolRequest
from nanoclaw.domain.turns import Session
from nanoclaw.durable import memberships, memory_changes, memory_entries, memory_uses, session_queue
from nanoclaw.durable.clock import now
from nanoclaw.durable.memory_changes import Action, Change, ChangeState
from nanoclaw.durable.store import Store, Tx
from nanoclaw.flows.knowledge.change_questions import ChangeQuestions
from nanoclaw.flows.knowledge.doubles import known_already
from nanoclaw.flows.knowledge.lines import SaidEntry, line_of
from nanoclaw.flows.knowledge.trust import Replacing, TurnSource, may_replace, source_of, trust_in
from nanoclaw.memory.search import MemorySearch

_PAGE = 10
_MOST_PROPOSED = 5  # per turn
_KINDS = tuple(kind for kind in EntryKind if kind is not EntryKind.CONTEXT)
_NO_TURN = "No turn is running. Remember while you work for someone."
_OFF = "This chat does not use the company's memory."
_READ_ONLY = "This chat may only read the company's memory: nothing was remembered."


@dataclass(frozen=True, kw_only=True, slots=True)
class MemoryTools:
    store: Store
    search: MemorySearch
    questions: ChangeQuestions

    async def remember(self, asking: ToolRequest, session: Session, group: Group) -> ToolReply:
        given = asking.given(Remember).entries
        source = await self.store.read(lambda tx: _source(tx, session))
        if source is None:
            return ToolReply(ok=False, text=_NO_TURN)
        if source.mode is not MemoryMode.WRITE:
            return ToolReply(ok=False, text=_OFF if source.mode is MemoryMode.OFF else _READ_ONLY)
        if not asking.by_model:  # anything in the box may have asked, with whatever it read
            source = replace(source, is_mixed=True)
        judged = await asyncio.to_thread(lambda: [trust_in(source, each.text) for each in given])
        said = [_said(each, asking.skill) for each in given]

        def story(tx: Tx) -> list[Change]:
            made = []
            for number, (entry, trust) in enumerate(zip(said, judged, strict=True)):
                origin = f"{session.id} {asking.id} {number}"
                made.append(remember(tx, self.questions, group.company, source, entry, trust, origin))
            return made

        made = await self.store.write(story)
        asking.noted()
        return ToolReply(
            ok=True, text=_told(made, judged, given), data={"ids": [each.entry_id for each in made]}
        )

    async def recall(self, asking: ToolRequest, session: Session, group: Group) -> ToolReply:
        given = asking.given(Recall)
        source = await self.store.read(lambda tx: _source(tx, session))
        if source is None:
            return ToolReply(ok=False, text=_NO_TURN)
        if source.mode is MemoryMode.OFF:
            return ToolReply(ok=False, text=_OFF)
        page = given.page or 1
        wanted = EntryFilter(
            kinds=(EntryKind(given.kind),) if given.kind else _KINDS,
            topic=given.topic or "",
            is_public_only=source.is_of_stranger,
        )
        hits = await self.search.find(
            group.company, given.query, filter=wanted, limit=_PAGE + 1, offset=(page - 1) * _PAGE
        )
        found = [hit.entry for hit in hits[:_PAGE]]
        turn_id = source.place.turn_id
        ids = [each.id for each in found]
        await self.store.write(lambda tx: memory_uses.put(tx, turn_id or "", group.company, ids))
        lines = [_line(entry) for entry in found]
        if len(hits) > _PAGE:
            lines.append(f"There is more: page {page + 1}.")
        nothing = "Nothing more." if page > 1 else "The company remembers nothing about that."
        return ToolReply(ok=True, text="\n".join(lines) or nothing, data={"ids": ids})


def remember(
    tx: Tx,
    questions: ChangeQuestions,
    company: str,
    source: TurnSource,
    said: SaidEntry,
    trust: Trust,
    origin: str,
    via: str = "tool",
) -> Change:
    """Keep what a turn wants remembered; the same `origin` is the same entry. Replacing somebody else's word
    is a proposal.
    """
    if known := memory_changes.of_origin(tx, origin):
        return known
    proposed_for: Entry | None = None
    if said.replaces:
        old = memory_entries.get(tx, company, said.replaces)
        replacing = may_replace(source, said.text, trust, old) if old else Replacing.REFUSED
        if replacing is Replacing.PROPOSED and _may_propose(tx, old, source):
            proposed_for = old
        elif replacing is not Replacing.ALLOWED:
            # Two decisions cannot both hold: people are asked.
            said = replace(said, replaces=None, contradicts=said.contradicts or said.replaces)
    if said.is_public and (source.is_mixed or trust is not Trust.OWNER):
        said = replace(said, is_public=False)
    line = line_of(said, source.person.handle, source.place, trust, via, now())
    double = None if proposed_for else known_already(tx, company, said, trust)
    change = Change(
        company=company,
        action=Action.CORRECT if proposed_for else Action.ADD,
        trust=trust,
        created_at=now(),
        entry_id=double or str(line["id"]),
        body=line,
        person_id=source.person.id,
        chat_id=source.place.chat_id,
        message_id=source.place.message_id,
        turn_id=source.place.turn_id,
        origin=origin,
    )
    if proposed_for is None:
        if not double:
            memory_changes.ask(tx, change)
        return change
    by = Actor.of(source.person, memberships.rights_of(tx, source.person), via=via, language="en")
    questions.propose(tx, change, proposed_for, said.text, by)
    return replace(change, state=ChangeState.ASKED)


def _may_propose(tx: Tx, old: Entry | None, source: TurnSource) -> bool:
    """Allow only a few proposals per turn: more are damage, not a wish."""
    if old is None or old.state is not EntryState.LIVE:
        return False
    made = memory_changes.of_turn(tx, source.place.turn_id or "")
    return sum(each.state is ChangeState.ASKED for each in made) < _MOST_PROPOSED


def _source(tx: Tx, session: Session) -> TurnSource | None:
    turn = session_queue.open_turn(tx, session.id)
    return source_of(tx, session.id, TurnId(turn.id)) if turn else None


def _said(given: Remembered, skill: str) -> SaidEntry:
    return SaidEntry(
        text=given.text.strip(),
        kind=EntryKind(given.kind or EntryKind.FACT),
        topic=given.topic or "",
        domain=given.domain or "",
        related=tuple(given.related_to or ()),
        is_public=bool(given.public),
        expires=_end_of_day(given.expires) if given.expires else None,
        confidence=1.0 if given.confidence is None else given.confidence,
        source="conversation",
        replaces=given.replaces,
        contradicts=given.contradicts,
        extracted_by=skill,
    )


def _end_of_day(day: str) -> datetime:
    return datetime.fromisoformat(day).replace(tzinfo=UTC, hour=23, minute=59)


def _told(made: list[Change], judged: list[Trust], given: list[Remembered]) -> str:
    ids = ", ".join(str(each.entry_id) for each in made if each.state is not ChangeState.ASKED)
    hearsay = sum(not trust.is_trusted for trust in judged)
    refused = sum(
        each.kind == "decision" and not trust.is_trusted for each, trust in zip(given, judged, strict=True)
    )
    told = f"Remembered: {ids}." if ids else ""
    if proposed := [str(each.entry_id) for each in made if each.state is ChangeState.ASKED]:
        told += (
            f" Proposed: {', '.join(proposed)}. Someone else said what it replaces, so an admin is asked first;"
            " until then the old one holds."
        )
    if hearsay:
        told += f" {hearsay} of them as hearsay, because it is not what a member said here."
    if refused:
        told += " Hearsay is no decision: ask the person to confirm it in their own words."
    return told.strip()


def _line(entry: Entry) -> str:
    whose = "hearsay" if not entry.trust.is_trusted else entry.person or entry.source
    return f"- [{entry.id}] {entry.at:%Y-%m-%d} {entry.kind.value} ({whose}): {entry.text}"
