"""What both sides said in one session, and when its turns ran: used to take the session elsewhere."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

import sqlalchemy as sa

from nanoclaw.domain.ids import moment_of
from nanoclaw.domain.messages import File, FileKind
from nanoclaw.domain.parcels import Attachment, Author, ParcelState
from nanoclaw.domain.turns import Session
from nanoclaw.durable.messages import HOST
from nanoclaw.durable.store import Tx
from nanoclaw.durable.tables import messages, parcels, session_queue, turns

_QUEUED = messages.join(session_queue, session_queue.c.message_id == messages.c.id)
_SENT = parcels.join(turns, turns.c.id == parcels.c.turn_id)


@dataclass(frozen=True, kw_only=True, slots=True)
class SaidLine:
    """Something said by a person, or by the agent if `person_id` is None."""

    id: str
    text: str
    at: datetime
    sender: str = ""
    person_id: str | None = None
    files: tuple[File, ...] = ()
    attachments: tuple[Attachment, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class TurnTime:
    skill: str
    started_at: datetime
    finished_at: datetime | None


def newest(tx: Tx, session: Session, limit: int) -> list[SaidLine]:
    """The newest messages since the conversation was cleared, at most so many, oldest first."""
    heard = sa.select(messages).select_from(_QUEUED).where(*_heard(session))
    told = sa.select(parcels).select_from(_SENT).where(*_told(session))
    found = [_of_person(row) for row in tx.execute(heard.order_by(messages.c.id.desc()).limit(limit))]
    found += [_of_agent(row) for row in tx.execute(told.order_by(parcels.c.id.desc()).limit(limit))]
    return sorted(found, key=lambda each: moment_of(each.id))[-limit:]


def count(tx: Tx, session: Session) -> int:
    """How many there are in total."""
    heard = sa.select(sa.func.count()).select_from(_QUEUED).where(*_heard(session))
    told = sa.select(sa.func.count()).select_from(_SENT).where(*_told(session))
    return int(tx.execute(heard).scalar_one()) + int(tx.execute(told).scalar_one())


def turn_times(tx: Tx, session: Session, limit: int) -> list[TurnTime]:
    """The times of turns, newest first."""
    wanted = (
        sa.select(turns.c.skill, turns.c.started_at, turns.c.finished_at)
        .where(turns.c.session_id == session.id, turns.c.id > _since(session, "t"))
        .order_by(turns.c.id.desc())
        .limit(limit)
    )
    return [
        TurnTime(skill=row.skill or "", started_at=row.started_at, finished_at=row.finished_at)
        for row in tx.execute(wanted)
    ]


def _heard(session: Session) -> tuple[sa.ColumnElement[bool], ...]:
    """What people said, without what the host itself put there."""
    return (
        session_queue.c.session_id == session.id,
        messages.c.channel != HOST,
        messages.c.id > _since(session, "m"),
    )


def _told(session: Session) -> tuple[sa.ColumnElement[bool], ...]:
    return (
        turns.c.session_id == session.id,
        parcels.c.author == Author.AGENT.value,
        parcels.c.state != ParcelState.DROPPED.value,
        parcels.c.id > _since(session, "o"),
    )


def _since(session: Session, kind: str) -> str:
    """Ids of different kinds are compared by the part that gives the time."""
    return f"{kind}_{moment_of(session.cleared_by)}" if session.cleared_by else ""


def _of_person(row: Any) -> SaidLine:
    return SaidLine(
        id=row.id,
        text=row.text,
        at=row.received_at,
        sender=row.sender,
        person_id=row.person_id,
        files=tuple(File(**{**each, "kind": FileKind(each["kind"])}) for each in row.files or ()),
    )


def _of_agent(row: Any) -> SaidLine:
    return SaidLine(
        id=row.id,
        text=row.text,
        at=row.created_at,
        attachments=tuple(map(Attachment.read, row.attachments or ())),
    )
