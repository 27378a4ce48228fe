"""What happened to a message, step by step: the rows from which `why` explains it."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any

import sqlalchemy as sa

from nanoclaw.domain.ids import new_id
from nanoclaw.durable.store import Tx
from nanoclaw.durable.tables import inbox, messages, parcels, timeline


class Event(StrEnum):
    """The steps, in the order in which they usually come."""

    RECEIVED = "received"
    ADMITTED = "admitted"
    DROPPED = "dropped"
    REFUSED = "refused"
    COMMANDED = "commanded"
    QUEUED = "queued"
    STARTED = "started"
    STARTED_AGAIN = "started-again"
    CHOSEN = "chosen"
    FIRST_TOKEN = "first-token"  # noqa: S105 - a token of text
    FINISHED = "finished"
    SILENT = "silent"
    FAILED = "failed"
    RETRIED = "retried"
    DELIVERED = "delivered"
    DELIVERY_DELAYED = "delivery-delayed"
    DELIVERY_FAILED = "delivery-failed"
    DELIVERY_UNKNOWN = "delivery-unknown"
    DELIVERY_RETRIED = "delivery-retried"
    DELIVERY_DROPPED = "delivery-dropped"


_NOTE = sa.insert(timeline)


@dataclass(frozen=True, kw_only=True, slots=True)
class Step:
    at: datetime
    event: Event
    detail: dict[str, Any]


def note(tx: Tx, subject: str | None, event: Event, at: datetime, **detail: object) -> None:
    """Write a step down. A parcel that belongs to nothing (a notice of the host) has no subject and no timeline."""
    if subject is not None:
        note_all(tx, subject, [(event, at, detail)])


def note_all(tx: Tx, subject: str, steps: list[tuple[Event, datetime, dict[str, object]]]) -> None:
    """Several steps of one subject in one statement."""
    tx.execute(
        _NOTE,
        [
            {"id": new_id("e"), "subject": subject, "at": at, "event": event.value, "detail": detail}
            for event, at, detail in steps
        ],
    )


def of_message(tx: Tx, message_id: str) -> list[Step]:
    """The message's own steps and those of its turns, also of turns that failed before a retry, as they happened."""
    own = _steps(tx, [message_id])
    turns = set(tx.execute(sa.select(inbox.c.turn_id).where(inbox.c.message_id == message_id)).scalars())
    turns |= {step.detail["turn"] for step in own if step.event is Event.RETRIED}
    return sorted(own + _steps(tx, [turn for turn in turns if turn]), key=lambda step: step.at)


def _steps(tx: Tx, subjects: list[str]) -> list[Step]:
    rows = tx.execute(sa.select(timeline).where(timeline.c.subject.in_(subjects)).order_by(timeline.c.id))
    return [Step(at=row.at, event=Event(row.event), detail=row.detail) for row in rows]


def find(tx: Tx, ref: str) -> list[str]:
    """The messages that an id means: a message, a turn, a parcel, or the first letters of any of them."""
    if not ref:
        return []
    pattern = ref.replace("%", "").replace("_", r"\_") + "%"
    by_id = sa.select(messages.c.id).where(messages.c.id.like(pattern, escape="\\"))
    by_turn = sa.select(inbox.c.message_id).where(inbox.c.turn_id.like(pattern, escape="\\"))
    parcel = parcels.c.id.like(pattern, escape="\\")
    by_answer = (
        sa.select(inbox.c.message_id).join(parcels, parcels.c.turn_id == inbox.c.turn_id).where(parcel)
    )
    by_notice = sa.select(parcels.c.message_id).where(parcel, parcels.c.message_id.is_not(None))
    for query in (by_id, by_turn, by_answer, by_notice):
        if found := list(tx.execute(query.distinct().limit(20)).scalars()):
            return sorted(found)
    return []
