"""The rows of questions to people: asked once, decided once, and answered once to the asker."""

from dataclasses import asdict, dataclass, fields
from datetime import datetime, timedelta
from typing import Any

import sqlalchemy as sa

from nanoclaw.domain.ids import SessionId, new_id
from nanoclaw.domain.news import EVERY_CHAT, QuestionChanged
from nanoclaw.domain.parcels import Attachment
from nanoclaw.domain.questions import (
    Asker,
    NewQuestion,
    Option,
    Question,
    QuestionKind,
    Risk,
    Status,
    hash_of,
)
from nanoclaw.durable import work
from nanoclaw.durable.after_commit import announce
from nanoclaw.durable.store import Tx
from nanoclaw.durable.tables import (
    OPEN,
    UtcTime,
    human_interactions,
)
from nanoclaw.durable.upsert import insert_if_new

_GET = sa.select(human_interactions).where(human_interactions.c.id == sa.bindparam("id"))
_LOCKED = _GET.with_for_update()
_FIND = sa.select(human_interactions).where(
    human_interactions.c.session_id == sa.bindparam("session"),
    human_interactions.c.asked_id == sa.bindparam("asked"),
)
_THIS = human_interactions.c.id == sa.bindparam("question")
_CHANGE_OPEN = sa.update(human_interactions).where(_THIS, OPEN)
_RESOLVE = _CHANGE_OPEN.returning(human_interactions.c.then_kind, human_interactions.c.then_key)
_CARRY = sa.update(human_interactions).where(_THIS, human_interactions.c.carried_at.is_(None))
_MARK = sa.update(human_interactions).where(_THIS)
_SHIFT = _MARK.values(
    created_at=sa.bindparam("created_at", type_=UtcTime),
    deadline_at=sa.bindparam("deadline_at", type_=UtcTime),
)


# The column of each field of a question: the same name, except for those that the specification names.
_NAMED = {
    "kind": "type",
    "group": "agent_group",
    "default": "default_action",
    "config": "session_config",
    "transcript": "session_transcript",
    "duration_ms": "session_duration",
}
_COLUMNS = {each.name: _NAMED.get(each.name, each.name) for each in fields(Question)}


def new_question_id() -> str:
    return new_id("i")


def open_new(
    tx: Tx,
    asker: Asker,
    wanted: NewQuestion,
    *,
    question_id: str,
    votes: int,
    at: datetime,
    document: Attachment | None = None,
    document_hash: str | None = None,
    repeats: str | None = None,
) -> bool:
    """False if the same asker has used this id before."""
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
        "then_kind": asker.then and asker.then.kind,
        "then_key": asker.then and asker.then.key,
        "chain_id": asker.chain_id,
        "step": asker.step,
    }
    opened = tx.execute(insert_if_new(tx, human_interactions), values).first() is not None
    if opened:
        announce(tx, EVERY_CHAT, QuestionChanged(question_id))
    return opened


def get(tx: Tx, question_id: str) -> Question | None:
    row = tx.execute(_GET, {"id": question_id}).first()
    return to_question(row) if row else None


def locked(tx: Tx, question_id: str) -> Question | None:
    """The question, locked until this transaction ends."""
    row = tx.execute(_LOCKED, {"id": question_id}).first()
    return to_question(row) if row else None


def find(tx: Tx, session_id: SessionId | None, asked_id: str) -> Question | None:
    row = tx.execute(_FIND, {"session": session_id or "", "asked": asked_id}).first()
    return to_question(row) if row else None


def ending(tx: Tx, end: str) -> list[Question]:
    """Questions whose id ends like this, which is all that people see of it."""
    fits = human_interactions.c.id.endswith(end, autoescape=True)
    found = sa.select(human_interactions).where(fits)
    return [to_question(row) for row in tx.execute(found.order_by(human_interactions.c.id.desc()).limit(3))]


def of_execution(tx: Tx, execution_id: str) -> list[Question]:
    """What a turn asked, in order."""
    table = human_interactions
    found = sa.select(table).where(table.c.execution_id == execution_id).order_by(table.c.id)
    return [to_question(row) for row in tx.execute(found)]


def list_open(
    tx: Tx, limit: int = 1000, *, execution_id: str = "*", after: str | None = None
) -> list[Question]:
    """Open questions, oldest first; of one execution or all, optionally only those asked after a given one."""
    table = human_interactions
    found = sa.select(table).where(OPEN).order_by(table.c.id).limit(limit)
    if after:
        found = found.where(table.c.id > after)
    if execution_id != "*":
        found = found.where(table.c.execution_id == execution_id)
    return [to_question(row) for row in tx.execute(found)]


def interactive(
    tx: Tx, limit: int, *, before: str | None = None, is_open: bool | None = None
) -> list[Question]:
    """Interactive sessions, newest first: open ones, finished ones, or all."""
    table = human_interactions
    found = sa.select(table).where(table.c.type == QuestionKind.INTERACTIVE.value)
    if is_open is not None:
        found = found.where(OPEN if is_open else ~OPEN)
    if before:
        found = found.where(table.c.id < before)
    return [to_question(row) for row in tx.execute(found.order_by(table.c.id.desc()).limit(limit))]


def open_of(tx: Tx, session_id: SessionId) -> list[Question]:
    """The open questions of a session."""
    found = sa.select(human_interactions).where(OPEN, human_interactions.c.session_id == session_id)
    return [to_question(row) for row in tx.execute(found.order_by(human_interactions.c.id))]


def waited(tx: Tx, session_id: SessionId, since: datetime, until: datetime) -> timedelta:
    """How long a session waited for people in this time; overlapping questions count once."""
    table = human_interactions
    asked = sa.select(table.c.created_at, table.c.resolved_at).where(
        table.c.session_id == session_id, sa.or_(OPEN, table.c.resolved_at > since)
    )
    total, covered = timedelta(), since
    for row in sorted(tx.execute(asked).all(), key=lambda each: each.created_at):
        begin, end = max(row.created_at, covered), min(row.resolved_at or until, until)
        if end > begin:
            total, covered = total + (end - begin), end
    return total


def count_open(tx: Tx, session_id: str | None = None) -> int:
    found = sa.select(sa.func.count()).select_from(human_interactions).where(OPEN)
    if session_id is not None:
        found = found.where(human_interactions.c.session_id == session_id)
    return tx.execute(found).scalar_one()


def resolve(tx: Tx, question_id: str, status: Status, at: datetime, **values: object) -> bool:
    """The only way out of being open; what waits for it continues. False if another was first: a press, a
    time-out, a cancel or another host.
    """
    done = tx.execute(
        _RESOLVE,
        {"question": question_id, "status": status.value, "resolved_at": at, **values},
    ).first()
    if done is None:
        return False
    announce(tx, EVERY_CHAT, QuestionChanged(question_id))
    if done.then_kind:
        work.due(tx, done.then_kind, done.then_key, at)
    return True


def leave(tx: Tx, question_id: str) -> bool:
    """The asker waits no longer; the answer will be brought to the session. False if it is already decided."""
    return bool(tx.execute(_CHANGE_OPEN, {"question": question_id, "waiter": None}).rowcount)


def carry(tx: Tx, question_id: str, at: datetime) -> bool:
    """Mark that the asker gets the answer now. False if they already have it."""
    return bool(tx.execute(_CARRY, {"question": question_id, "carried_at": at}).rowcount)


def mark(tx: Tx, question_id: str, **values: object) -> None:
    tx.execute(_MARK, {"question": question_id, **values})


def shift(tx: Tx, by: timedelta) -> list[str]:
    """The clock was set: every open question keeps its remaining time."""
    table = human_interactions
    rows = tx.execute(sa.select(table.c.id, table.c.created_at, table.c.deadline_at).where(OPEN)).all()
    moved = [
        {"question": row.id, "created_at": row.created_at + by, "deadline_at": row.deadline_at + by}
        for row in rows
    ]
    if moved:
        tx.execute(_SHIFT, moved)
    return [row.id for row in rows]


# Looking back


def decided(tx: Tx, limit: int, before: str | None = None) -> list[Question]:
    """Decided questions, last decided first: that is what a person remembers, however long they had been open."""
    table = human_interactions
    found = sa.select(table).where(~OPEN).order_by(table.c.resolved_at.desc(), table.c.id.desc()).limit(limit)
    if before:
        then = sa.select(table.c.resolved_at).where(table.c.id == before).scalar_subquery()
        is_same = sa.and_(table.c.resolved_at == then, table.c.id < before)
        found = found.where(sa.or_(table.c.resolved_at < then, is_same))
    return [to_question(row) for row in tx.execute(found)]


@dataclass(frozen=True, kw_only=True, slots=True)
class QuestionOutcome:
    """How one question ended, for statistics."""

    kind: str
    skill: str
    status: Status
    seconds: float


def outcomes(tx: Tx, since: datetime) -> list[QuestionOutcome]:
    table = human_interactions
    ended = (Status.COMPLETED.value, Status.TIMEOUT.value)
    found = sa.select(table.c.type, table.c.skill, table.c.status, table.c.created_at, table.c.resolved_at)
    rows = tx.execute(found.where(table.c.resolved_at >= since, table.c.status.in_(ended)))
    return [
        QuestionOutcome(
            kind=QuestionKind(row.type).word,
            skill=row.skill,
            status=Status(row.status),
            seconds=max(0.0, (row.resolved_at - row.created_at).total_seconds()),
        )
        for row in rows
    ]


def to_question(row: Any) -> Question:
    values = {name: getattr(row, column) for name, column in _COLUMNS.items()}
    return Question(
        **values
        | {
            "kind": QuestionKind(row.type),
            "status": Status(row.status),
            "risk": Risk(row.risk),
            "options": tuple(Option(**each) for each in row.options or ()),
            "document": Attachment.read(row.document) if row.document else None,
            "deciders": tuple(row.deciders or ()),
            "session_id": row.session_id or None,
        }
    )
