"""What happened to a message, step by step: the rows from which `why` explains it."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any

import sqlalchemy as sa

from nanoclaw.domain.ids import new_id
from nanoclaw.durable.messages import HOST
from nanoclaw.durable.pipeline_tables import chains, handoffs
from nanoclaw.durable.store import Tx
from nanoclaw.durable.tables import messages, parcels, session_queue, timeline
from nanoclaw.durable.transfer_tables import session_transfers


class Event(StrEnum):
    """The steps, in the order in which they usually come."""

    RECEIVED = "received"
    ADMITTED = "admitted"
    ASKED = "asked"
    DECIDED = "decided"
    KEPT = "kept"
    PASSED_OVER = "passed-over"
    PAUSED = "paused"
    DROPPED = "dropped"
    REFUSED = "refused"
    COMMANDED = "commanded"
    EDITED = "edited"
    FETCHED = "fetched"
    NOT_FETCHED = "not-fetched"
    QUEUED = "queued"
    STARTED = "started"
    STARTED_AGAIN = "started-again"
    CHOSEN = "chosen"
    MODEL_CHOSEN = "model-chosen"
    STEPPED_DOWN = "stepped-down"
    NOT_RECALLED = "not-recalled"
    MONEY_WAITS = "money-waits"
    FIRST_TOKEN = "first-token"  # noqa: S105 - a token of text
    JOINED = "joined"
    TOOL = "tool"
    QUESTION_ASKED = "question-asked"
    QUESTION_DECIDED = "question-decided"
    SESSION_ENDED = "session-ended"
    ANSWER_BROUGHT = "answer-brought"
    ANSWERS = "answers"
    TASK_DUE = "task-due"
    CHECKED = "checked"
    RUN_AGAIN = "run-again"
    PLAN_ASKED = "plan-asked"
    PLAN_WAITED = "plan-waited"
    PLAN_ANSWERED = "plan-answered"
    PLAN_RESTED = "plan-rested"
    PLAN_TAKEN_UP = "plan-taken-up"
    PLAN_CONFIRMED = "plan-confirmed"
    PLAN_ENDED = "plan-ended"
    PLAN_STARTED = "plan-started"
    OUTGROWN = "outgrown"
    TRANSFER_MISSED = "transfer-missed"
    TRANSFER_PICKED = "transfer-picked"
    TRANSFER_PUSHED = "transfer-pushed"
    ANALYSIS_RECEIVED = "analysis-received"
    ANALYSIS_MATCHED = "analysis-matched"
    ANALYSIS_WAITED = "analysis-waited"
    ANALYSIS_UNDERSTOOD = "analysis-understood"
    ANALYSIS_IMPORTED = "analysis-imported"
    ANALYSIS_REFUSED = "analysis-refused"
    ANALYSIS_UNDONE = "analysis-undone"
    SPENT = "spent"
    HELD = "held"
    STUCK = "stuck"
    FINISHED = "finished"
    ASKED_FIRST = "asked-first"
    SILENT = "silent"
    STOPPED = "stopped"
    FAILED = "failed"
    RETRIED = "retried"
    DELIVERED = "delivered"
    DELIVERY_DELAYED = "delivery-delayed"
    DELIVERY_FAILED = "delivery-failed"
    DELIVERY_UNKNOWN = "delivery-unknown"
    DELIVERY_RETRIED = "delivery-retried"
    DELIVERY_DROPPED = "delivery-dropped"
    DELIVERY_PROVEN = "delivery-proven"
    DELIVERY_AGAIN = "delivery-again"
    DRAFT_LOST = "draft-lost"


_GAVE = (Event.PLAN_STARTED, Event.ANALYSIS_IMPORTED)
_BEGUN_AGAIN = (Event.RETRIED, Event.RUN_AGAIN)
_NOTE = sa.insert(timeline)
_MOST_FOUND = 20


@dataclass(frozen=True, kw_only=True, slots=True)
class TimelineStep:
    at: datetime
    event: Event
    detail: dict[str, Any]


def note(tx: Tx, subject: str | None, event: Event, at: datetime, **detail: object) -> None:
    """Store a step. A parcel that belongs to nothing (a notice of the host) has no subject and no timeline."""
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


def happened(tx: Tx, subject: str, event: Event) -> bool:
    """Whether this step is already stored."""
    found = sa.select(timeline.c.id).where(timeline.c.subject == subject, timeline.c.event == event.value)
    return tx.execute(found.limit(1)).first() is not None


def of_message(tx: Tx, message_id: str) -> list[TimelineStep]:
    """The steps of the message and its turns, including turns that failed before a retry, in order."""
    own = _steps(tx, [message_id])
    shared = _steps(tx, _turns_of(tx, message_id, own))
    if any(step.event is Event.JOINED for step in own):
        # It joined a running turn: what happened there before is not its story.
        shared = [step for step in shared if step.at >= own[0].at]
    return sorted(own + shared, key=lambda step: step.at)


def of_turns(tx: Tx, turns: list[str]) -> list[TimelineStep]:
    """The steps of these turns, in order."""
    return _steps(tx, turns)


def of_transfer(tx: Tx, transfer_id: str) -> list[TimelineStep]:
    """What happened to it that its row does not say, in order."""
    return _steps(tx, [transfer_id])


def turns_of(tx: Tx, message_id: str) -> list[str]:
    """The turns that a message was in, including those that failed before a retry."""
    return _turns_of(tx, message_id, _steps(tx, [message_id]))


def _turns_of(tx: Tx, message_id: str, steps: list[TimelineStep]) -> list[str]:
    # A plan or an analysis that began with it gave an agent another message.
    given = [step.detail["message"] for step in steps if step.event in _GAVE]
    joined = sa.select(session_queue.c.turn_id).where(session_queue.c.message_id.in_([message_id, *given]))
    turns = set(tx.execute(joined).scalars())
    turns |= {step.detail["turn"] for step in steps if step.event in _BEGUN_AGAIN}
    return [turn for turn in turns if turn]


def _steps(tx: Tx, subjects: list[str]) -> list[TimelineStep]:
    rows = tx.execute(sa.select(timeline).where(timeline.c.subject.in_(subjects)).order_by(timeline.c.id))
    return [TimelineStep(at=row.at, event=Event(row.event), detail=row.detail) for row in rows]


def find(tx: Tx, ref: str) -> list[str]:
    """The messages an id refers to: a message, a turn, a parcel, a handoff, a pipeline run, a transfer, or
    the first letters of any of them. What has no message of its own leads to the one it began with.
    """
    if not ref:
        return []
    # The whole id first: one index lookup, however long the history is.
    return _found(tx, lambda column: column == ref) or _found(
        tx, lambda column: column.startswith(ref, autoescape=True)
    )


def _found(tx: Tx, fits: Callable[[sa.Column[str]], sa.ColumnElement[bool]]) -> list[str]:
    by_id = sa.select(messages.c.id).where(fits(messages.c.id))
    by_turn = sa.select(session_queue.c.message_id).where(fits(session_queue.c.turn_id))
    answers = sa.select(session_queue.c.message_id).join(
        parcels, parcels.c.turn_id == session_queue.c.turn_id
    )
    by_answer = answers.where(fits(parcels.c.id))
    by_notice = sa.select(parcels.c.message_id).where(fits(parcels.c.id), parcels.c.message_id.is_not(None))
    began = sa.select(chains.c.message_id).where(chains.c.message_id.is_not(None))
    by_chain = began.where(fits(chains.c.id))
    by_handoff = began.join(handoffs, handoffs.c.chain_id == chains.c.id).where(fits(handoffs.c.id))
    moved = fits(session_transfers.c.id)
    by_transfer = sa.select(session_transfers.c.message_id).where(
        moved, session_transfers.c.message_id.is_not(None)
    )
    by_proposal = (
        sa.select(session_queue.c.message_id)
        .join(session_transfers, session_transfers.c.turn_id == session_queue.c.turn_id)
        .where(moved)
    )
    for query in (by_id, by_turn, by_answer, by_notice, by_chain, by_handoff, by_transfer, by_proposal):
        newest_first = query.distinct().order_by(sa.desc(sa.literal_column("1"))).limit(_MOST_FOUND)
        if found := list(tx.execute(newest_first).scalars()):
            return sorted(found)
    return []


def newest(tx: Tx) -> str | None:
    """The last message someone wrote, in any chat."""
    said = sa.select(messages.c.id).where(messages.c.channel != HOST)
    return tx.execute(said.order_by(messages.c.id.desc()).limit(1)).scalar()


_ABOUT_ANOTHER = sa.or_(
    messages.c.text.startswith("/why"),
    *(
        messages.c.text.like(f"/{word}{more}")
        for word in ("status", "stop", "help", "retry")
        for more in ("", " %", "@%")
    ),
)


def last_before(tx: Tx, chat_id: str, thread: str | None, message_id: str) -> str | None:
    """The message of a chat and thread before this one that did not itself ask what becomes of another."""
    return tx.execute(
        sa.select(messages.c.id)
        .where(
            messages.c.chat_id == chat_id,
            messages.c.thread == (thread or ""),
            messages.c.id < message_id,
            ~_ABOUT_ANOTHER,
            messages.c.channel != HOST,
        )
        .order_by(messages.c.id.desc())
        .limit(1)
    ).scalar()
