"""Flow G. A conversation rests: a small model reads the stretch not read yet, and says what to remember of
it.

Not for every turn, and nobody waits for it. Turns in which the agent used its own memory tool are left out.
What was found and how far it read are stored in one transaction: no stretch is extracted twice.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import partial

import structlog

from nanoclaw.context.groups import Groups
from nanoclaw.domain.budgets import BUDGET_HELD
from nanoclaw.domain.errors import ModelOutage, NanoClawError
from nanoclaw.domain.ids import SessionId, TurnId
from nanoclaw.domain.memory import Entry, EntryFilter, EntryKind, MemoryMode, Trust
from nanoclaw.domain.money import Spender
from nanoclaw.durable import budgets, memory_changes, people, sessions, work
from nanoclaw.durable.clock import now
from nanoclaw.durable.memory_changes import Action, Change
from nanoclaw.durable.store import Store, Tx, insist
from nanoclaw.durable.work import Claim
from nanoclaw.flows.knowledge.activity import LOOK_EVERY
from nanoclaw.flows.knowledge.change_questions import ChangeQuestions
from nanoclaw.flows.knowledge.extraction_prompt import Extracted, Heard, prompt_for, read_extracted
from nanoclaw.flows.knowledge.lines import SaidEntry
from nanoclaw.flows.knowledge.tools import remember
from nanoclaw.flows.knowledge.trust import TurnSource, source_of, trust_in
from nanoclaw.memory.claude_md import Section
from nanoclaw.memory.search import MemorySearch

log = structlog.get_logger("extraction")

_MOST_TURNS = 30  # in one call; a longer stretch is read in several
_KNOWN = 20  # entries that the model is shown, so that it does not repeat them
_MOST_ATTEMPTS = 3
_AFTER_FAILURE = timedelta(minutes=10)
_MEMORY = tuple(kind for kind in EntryKind if kind not in (EntryKind.CONTEXT, EntryKind.ACTIVITY))

Ask = Callable[[Spender, str], Awaitable[str]]


@dataclass(frozen=True, kw_only=True, slots=True)
class Stretch:
    """The turns to read. If there are none, there is nothing to do before `again_at`."""

    session_id: SessionId
    group: str
    company: str
    turns: tuple[Heard, ...] = ()
    upto: str | None = None  # the last turn of the stretch
    again_at: datetime | None = None


class Extraction:
    """The work of kind "extraction"; its key is the session."""

    kind = work.EXTRACTION
    at_once = 1

    def __init__(
        self,
        *,
        store: Store,
        groups: Groups,
        search: MemorySearch,
        questions: ChangeQuestions,
        ask: Ask,
        rest: timedelta,
        rest_turns: int,
    ) -> None:
        self._store = store
        self._groups = groups
        self._search = search
        self._questions = questions
        self._ask = ask
        self._rest = rest
        self._rest_turns = rest_turns

    def begin(self, tx: Tx, claim: Claim) -> Stretch | None:
        budgets.tried_again(tx, claim.kind, claim.key)
        session = sessions.get(tx, claim.key)
        company, chat = self._groups.company_of(session.group), people.chat(tx, session.chat_id)
        if not company or chat is None or chat.memory is not MemoryMode.WRITE:
            return None
        stretch = Stretch(session_id=session.id, group=session.group, company=company)
        found = sessions.unextracted(tx, session.id, _MOST_TURNS)
        if not found:
            return None
        rests_at = found[-1].finished_at + self._rest
        if rests_at > now() and len(found) < self._rest_turns:
            return replace(stretch, again_at=min(rests_at, now() + LOOK_EVERY))
        heard = [
            Heard(turn_id=TurnId(each.id), asked="", answered=each.answer)
            for each in found
            if not any(change.action is Action.ADD for change in memory_changes.of_turn(tx, each.id))
        ]
        return replace(stretch, turns=tuple(heard), upto=found[-1].id)

    def look_again(self, key: str) -> None:
        """Nothing to do: what is said meanwhile belongs to the next stretch."""

    async def run(self, job: Stretch, claim: Claim) -> datetime | None:
        if job.again_at:
            return await self._store.write(lambda tx: work.finish(tx, claim, again_at=job.again_at))
        sources = await self._store.read(
            lambda tx: {each.turn_id: source_of(tx, job.session_id, each.turn_id) for each in job.turns}
        )
        heard = [
            replace(each, asked=_said(source))
            for each in job.turns
            if (source := sources[each.turn_id]) is not None
        ]
        try:
            found = (
                await self._extract(job, heard, sources[heard[-1].turn_id])
                if any(each.asked for each in heard)
                else []
            )
        except ModelOutage as outage:
            return await self._store.write(partial(_hold, claim=claim, outage=outage))
        except NanoClawError as error:
            if claim.attempt < _MOST_ATTEMPTS:
                log.warning("conversation not extracted yet", session=job.session_id, reason=error)
                again, why = now() + _AFTER_FAILURE, error.key
                return await self._store.write(lambda tx: work.put_back(tx, claim, again, why))
            log.warning("conversation not extracted", session=job.session_id, reason=error)
            found = []
        judged = await asyncio.to_thread(_judge, found, heard, sources)
        return await insist(
            self._store,
            partial(self._keep, job=job, claim=claim, judged=judged),
            told=lambda why: log.warning("extraction not stored yet", reason=why),
        )

    async def _extract(
        self, job: Stretch, heard: Sequence[Heard], source: TurnSource | None
    ) -> list[Extracted]:
        known = await self._known(job.company, heard)
        spender = Spender(
            company=job.company,
            group=job.group,
            session_id=job.session_id,
            turn_id=heard[-1].turn_id,
            runtime="extraction",
            flow="G",
            person=source.person.handle if source else None,
            chat_id=source.place.chat_id if source else None,
        )
        said = await self._ask(spender, prompt_for(heard, known))
        found = read_extracted(said, len(heard), {each.id for each in known})
        if found is None:
            log.warning("extraction gave no list of entries", session=job.session_id)
        return found or []

    async def _known(self, company: str, heard: Sequence[Heard]) -> list[Entry]:
        words = " ".join(each.asked for each in heard)[:2000]
        about = await self._search.find(company, words, filter=EntryFilter(kinds=_MEMORY), limit=_KNOWN)
        decisions = await self._search.find(
            company, "", filter=EntryFilter(kinds=(EntryKind.DECISION,)), limit=_KNOWN // 2
        )
        found = {hit.entry.id: hit.entry for hit in (*about, *decisions)}
        return list(found.values())

    def _keep(
        self, tx: Tx, *, job: Stretch, claim: Claim, judged: "Sequence[tuple[Extracted, TurnSource, Trust]]"
    ) -> datetime | None:
        work.expect_mine(tx, claim)
        if job.upto:  # rows of work last, as at the end of a turn
            sessions.mark_extracted(tx, job.session_id, job.upto)
        for number, (entry, source, trust) in enumerate(judged):
            origin = f"extraction {source.place.turn_id} {number}"
            if entry.is_done:
                _complete(tx, job.company, source, entry.text, trust, origin)
            else:
                remember(
                    tx, self._questions, job.company, source, _entry(entry), trust, origin, via="extraction"
                )
        again = work.finish(tx, claim)
        if len(job.turns) >= _MOST_TURNS:  # there may be more
            work.due(tx, work.EXTRACTION, job.session_id, now())
        return again


def _said(source: TurnSource) -> str:
    """Members' own words: what others said must not become the company's knowledge this way."""
    return "\n".join(each.text for each in source.words)


def _judge(
    found: Sequence[Extracted], heard: Sequence[Heard], sources: "dict[TurnId, TurnSource | None]"
) -> list[tuple[Extracted, TurnSource, Trust]]:
    """The model read the whole stretch, so one mixed turn makes all of it mixed."""
    is_mixed = any(source.is_mixed for source in sources.values() if source)
    judged = []
    for entry in found:
        source = sources[heard[entry.turn - 1].turn_id]
        if source:
            source = replace(source, is_mixed=is_mixed)
            judged.append((entry, source, trust_in(source, entry.text)))
    return judged


def _hold(tx: Tx, claim: Claim, outage: ModelOutage) -> datetime:
    if outage.key == BUDGET_HELD:
        budgets.hold(tx, str(outage.values["company"]), claim.kind, claim.key, now())
    return work.put_back(tx, claim, now() + timedelta(seconds=outage.after), None)


def _entry(found: Extracted) -> SaidEntry:
    return SaidEntry(
        text=found.text,
        kind=EntryKind(found.kind),
        topic=found.topic,
        domain=found.domain,
        related=tuple(found.related_to),
        confidence=found.confidence,
        source="conversation",
        replaces=found.replaces,
        contradicts=found.contradicts,
        extracted_by="extraction",
    )


def _complete(tx: Tx, company: str, source: TurnSource, text: str, trust: Trust, origin: str) -> None:
    """Remove a finished priority from CLAUDE.md."""
    if trust.is_trusted and memory_changes.of_origin(tx, origin) is None:
        memory_changes.ask(
            tx,
            Change(
                company=company,
                action=Action.SECTION,
                trust=trust,
                created_at=now(),
                body={"section": Section.PRIORITIES.name, "replaces": text},
                person_id=source.person.id,
                chat_id=source.place.chat_id,
                message_id=source.place.message_id,
                turn_id=source.place.turn_id,
                origin=origin,
            ),
        )
