"""The rows of questions to people: asked once, decided once, and told once to whoever asked."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from typing import Any

import sqlalchemy as sa

from nanoclaw.domain.ids import ChatId, HostId, ParcelId, SessionId, new_id
from nanoclaw.domain.parcels import Attachment
from nanoclaw.domain.questions import Asker, Option, Question, QuestionKind, Risk, Status, Wanted, hash_of
from nanoclaw.durable.inserting import insert_if_new
from nanoclaw.durable.store import Tx
from nanoclaw.durable.tables import OPEN, chats, human_interactions, human_votes, parcels, question_cards

_GET = sa.select(human_interactions).where(human_interactions.c.id == sa.bindparam("id"))
_LOCKED = _GET.with_for_update()
_FIND = sa.select(human_interactions).where(
    human_interactions.c.session_id == sa.bindparam("session"),
    human_interactions.c.asked_id == sa.bindparam("asked"),
)
_THIS = human_interactions.c.id == sa.bindparam("question")
_RESOLVE = sa.update(human_interactions).where(_THIS, OPEN)
_CARRY = sa.update(human_interactions).where(_THIS, human_interactions.c.carried_at.is_(None))
_MARK = sa.update(human_interactions).where(_THIS)


@dataclass(frozen=True, kw_only=True, slots=True)
class Vote:
    voter: str
    name: str
    option: str
    at: datetime


def new_question_id() -> str:
    return new_id("i")


def open_new(
    tx: Tx,
    asker: Asker,
    wanted: Wanted,
    *,
    question_id: str,
    votes: int,
    at: datetime,
    document: Attachment | None = None,
    document_hash: str | None = None,
    repeats: str | None = None,
) -> bool:
    """False when the same asker has asked under this id before."""
    payload = wanted.payload(document_hash)
    values = {
        "id": question_id,
        "execution_id": asker.execution_id,
        "type": wanted.kind.value,
        "prompt": wanted.prompt,
        "options": [asdict(option) for option in wanted.options] or None,
        "status": Status.PENDING.value,
        "created_at": at,
        "session_config": wanted.config and dict(wanted.config),
        "session_id": asker.session_id or "",
        "asked_id": asker.asked_id,
        "agent_group": asker.group,
        "company": asker.company,
        "skill": wanted.skill,
        "risk": wanted.risk.value,
        "default_action": wanted.default,
        "context": wanted.context,
        "document": document and asdict(document),
        "deciders": list(wanted.deciders) or None,
        "votes": votes,
        "tool": wanted.tool and dict(wanted.tool),
        "payload": payload,
        "payload_hash": hash_of(payload),
        "deadline_at": at + wanted.timeout,
        "reminded": 0,
        "waiter": asker.host,
        "repeats": repeats,
    }
    return tx.execute(insert_if_new(tx, human_interactions), values).first() is not None


def get(tx: Tx, question_id: str) -> Question | None:
    row = tx.execute(_GET, {"id": question_id}).first()
    return _question(row) if row else None


def locked(tx: Tx, question_id: str) -> Question | None:
    """Nobody else changes it until this transaction ends."""
    row = tx.execute(_LOCKED, {"id": question_id}).first()
    return _question(row) if row else None


def find(tx: Tx, session_id: SessionId | None, asked_id: str) -> Question | None:
    row = tx.execute(_FIND, {"session": session_id or "", "asked": asked_id}).first()
    return _question(row) if row else None


def ending(tx: Tx, end: str) -> list[Question]:
    """By the end of the id, which is all that people see of it."""
    fits = human_interactions.c.id.endswith(end, autoescape=True)
    found = sa.select(human_interactions).where(fits)
    return [_question(row) for row in tx.execute(found.order_by(human_interactions.c.id.desc()).limit(3))]


def of_execution(tx: Tx, execution_id: str) -> list[Question]:
    """What a turn asked, in the order in which it did."""
    table = human_interactions
    found = sa.select(table).where(table.c.execution_id == execution_id).order_by(table.c.id)
    return [_question(row) for row in tx.execute(found)]


def list_open(tx: Tx, limit: int = 1000, *, execution_id: str = "*") -> list[Question]:
    """First asked first; of one execution, or of all."""
    table = human_interactions
    found = sa.select(table).where(OPEN).order_by(table.c.id).limit(limit)
    if execution_id != "*":
        found = found.where(table.c.execution_id == execution_id)
    return [_question(row) for row in tx.execute(found)]


def open_of(tx: Tx, session_id: SessionId) -> list[Question]:
    """What a session waits for."""
    found = sa.select(human_interactions).where(OPEN, human_interactions.c.session_id == session_id)
    return [_question(row) for row in tx.execute(found.order_by(human_interactions.c.id))]


def count_open(tx: Tx, session_id: str | None = None) -> int:
    found = sa.select(sa.func.count()).select_from(human_interactions).where(OPEN)
    if session_id is not None:
        found = found.where(human_interactions.c.session_id == session_id)
    return tx.execute(found).scalar_one()


def resolve(tx: Tx, question_id: str, status: Status, at: datetime, **values: object) -> bool:
    """The one step out of being open. False when another was first: press, time-out, cancel or another host."""
    done = tx.execute(
        _RESOLVE, {"question": question_id, "status": status.value, "resolved_at": at, **values}
    )
    return bool(done.rowcount)


def leave(tx: Tx, question_id: str) -> bool:
    """Whoever asked waits no longer; the answer will be brought to the session. False when it is decided."""
    return bool(tx.execute(_RESOLVE, {"question": question_id, "waiter": None}).rowcount)


def carry(tx: Tx, question_id: str, at: datetime) -> bool:
    """Whoever asked gets the answer now. False when they have got it already."""
    return bool(tx.execute(_CARRY, {"question": question_id, "carried_at": at}).rowcount)


def mark(tx: Tx, question_id: str, **values: object) -> None:
    tx.execute(_MARK, {"question": question_id, **values})


def shift(tx: Tx, by: timedelta) -> list[str]:
    """The clock was set: what was left of the time of every open question is still left."""
    found = list_open(tx, limit=10**9)
    for question in found:
        moved = {"created_at": question.created_at + by, "deadline_at": question.deadline_at + by}
        mark(tx, question.id, **moved)
    return [question.id for question in found]


# Where it is shown


@dataclass(frozen=True, kw_only=True, slots=True)
class Shown:
    """A card of a question, or one of the reminders that followed it."""

    chat_id: ChatId
    parcel_id: ParcelId
    reminder: int = 0


def show_in(tx: Tx, question: Question, shown: Shown) -> None:
    tx.execute(insert_if_new(tx, question_cards), {"question_id": question.id, **asdict(shown)})
    chat_id = shown.chat_id
    if question.kind is QuestionKind.INPUT and not shown.reminder:
        tx.execute(sa.update(chats).where(chats.c.id == chat_id).values(awaits=question.id))


def cards_of(tx: Tx, question_id: str) -> list[Shown]:
    found = sa.select(question_cards).where(question_cards.c.question_id == question_id)
    rows = tx.execute(found.order_by(question_cards.c.parcel_id))
    return [
        Shown(chat_id=ChatId(row.chat_id), parcel_id=ParcelId(row.parcel_id), reminder=row.reminder)
        for row in rows
    ]


def shown_as(tx: Tx, chat_id: str, parcel_id: str) -> Question | None:
    """The question whose card this is."""
    here = sa.and_(question_cards.c.chat_id == chat_id, question_cards.c.parcel_id == parcel_id)
    found = sa.select(human_interactions).join(question_cards).where(here)
    row = tx.execute(found).first()
    return _question(row) if row else None


def newest_awaited(tx: Tx, chat_id: str, thread: str | None) -> Question | None:
    """The newest open input that is shown in this chat, in this thread of it."""
    found = (
        sa.select(human_interactions)
        .join(question_cards)
        .join(parcels, parcels.c.id == question_cards.c.parcel_id)
        .where(
            question_cards.c.chat_id == chat_id,
            parcels.c.thread == (thread or ""),
            OPEN,
            human_interactions.c.type == QuestionKind.INPUT.value,
        )
        .order_by(human_interactions.c.id.desc())
        .limit(1)
    )
    row = tx.execute(found).first()
    return _question(row) if row else None


def await_next(tx: Tx, question_id: str) -> None:
    """Words in the chats that waited for an answer to this one answer the newest of the others, if there is one."""
    waited = sa.select(chats.c.id).where(chats.c.awaits == question_id)
    for chat_id in tx.execute(waited).scalars().all():
        newest = (
            sa.select(question_cards.c.question_id)
            .join(human_interactions)
            .where(
                question_cards.c.chat_id == chat_id,
                OPEN,
                human_interactions.c.type == QuestionKind.INPUT.value,
            )
            .order_by(question_cards.c.question_id.desc())
            .limit(1)
        )
        tx.execute(sa.update(chats).where(chats.c.id == chat_id).values(awaits=newest.scalar_subquery()))


# Votes


def vote(tx: Tx, question_id: str, given: Vote) -> None:
    """Whoever votes again changes their vote."""
    mine = sa.and_(human_votes.c.interaction_id == question_id, human_votes.c.voter == given.voter)
    tx.execute(sa.delete(human_votes).where(mine))
    tx.execute(sa.insert(human_votes).values(interaction_id=question_id, **asdict(given)))


def votes_on(tx: Tx, question_id: str) -> list[Vote]:
    found = (
        sa.select(human_votes).where(human_votes.c.interaction_id == question_id).order_by(human_votes.c.at)
    )
    return [Vote(voter=row.voter, name=row.name, option=row.option, at=row.at) for row in tx.execute(found)]


# Looking back


def decided(tx: Tx, limit: int, before: str | None = None) -> list[Question]:
    """Newest first."""
    found = sa.select(human_interactions).where(~OPEN).order_by(human_interactions.c.id.desc()).limit(limit)
    if before:
        found = found.where(human_interactions.c.id < before)
    return [_question(row) for row in tx.execute(found)]


@dataclass(frozen=True, kw_only=True, slots=True)
class Outcome:
    """How one question ended; figures are made of many."""

    kind: str
    skill: str
    status: Status
    seconds: float


def outcomes(tx: Tx, since: datetime) -> list[Outcome]:
    table = human_interactions
    ended = (Status.COMPLETED.value, Status.TIMEOUT.value)
    found = sa.select(table.c.type, table.c.skill, table.c.status, table.c.created_at, table.c.resolved_at)
    rows = tx.execute(found.where(table.c.resolved_at >= since, table.c.status.in_(ended)))
    return [
        Outcome(
            kind=QuestionKind(row.type).word,
            skill=row.skill,
            status=Status(row.status),
            seconds=max(0.0, (row.resolved_at - row.created_at).total_seconds()),
        )
        for row in rows
    ]


def _question(row: Any) -> Question:
    document: Mapping[str, Any] | None = row.document
    return Question(
        id=row.id,
        execution_id=row.execution_id,
        kind=QuestionKind(row.type),
        prompt=row.prompt,
        options=tuple(Option(**each) for each in row.options or ()),
        status=Status(row.status),
        response=row.response,
        created_at=row.created_at,
        resolved_at=row.resolved_at,
        session_id=SessionId(row.session_id) if row.session_id else None,
        asked_id=row.asked_id,
        group=row.agent_group,
        company=row.company,
        skill=row.skill,
        risk=Risk(row.risk),
        default=row.default_action,
        context=row.context,
        document=Attachment.read(document) if document else None,
        deciders=tuple(row.deciders or ()),
        votes=row.votes,
        tool=row.tool,
        payload=row.payload,
        payload_hash=row.payload_hash,
        deadline_at=row.deadline_at,
        reminded=row.reminded,
        made_by=row.made_by,
        decided_by=row.decided_by,
        decided_name=row.decided_name,
        via=row.via,
        waiter=HostId(row.waiter) if row.waiter else None,
        carried_at=row.carried_at,
        recorded_at=row.recorded_at,
        repeats=row.repeats,
        config=row.session_config,
        transcript=row.session_transcript,
        duration_ms=row.session_duration,
        error=row.error,
    )
