"""The rows of interviews: who answers what about a company, where, and how far they are."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any

import sqlalchemy as sa

from nanoclaw.durable.knowledge_tables import interview_answers, interviews
from nanoclaw.durable.store import Tx


class InterviewState(StrEnum):
    ASKING = "asking"
    PAUSED = "paused"  # stopped, or left alone for a week: the person can continue
    REVIEWING = "reviewing"  # an agent writes the files from the answers
    DONE = "done"
    CANCELLED = "cancelled"  # replaced by another one


_UNFINISHED = (InterviewState.ASKING.value, InterviewState.PAUSED.value)


@dataclass(frozen=True, kw_only=True, slots=True)
class Interview:
    id: str
    company: str
    agent_group: str
    person_id: str
    chat_id: str
    thread: str | None
    created_at: datetime
    state: InterviewState = InterviewState.ASKING
    question_id: str | None = None
    session_id: str | None = None  # of the agent that writes the files


@dataclass(frozen=True, kw_only=True, slots=True)
class InterviewAnswer:
    """Without `answered_at` it has yet to be asked; with it but without an answer, it was skipped."""

    key: str
    number: int
    answer: str | None = None
    problem: str | None = None
    answered_at: datetime | None = None


def add(tx: Tx, interview: Interview, keys: Sequence[str]) -> None:
    tx.execute(sa.insert(interviews).values(asdict(interview)))
    rows = [
        {"interview_id": interview.id, "key": key, "number": number} for number, key in enumerate(keys, 1)
    ]
    tx.execute(sa.insert(interview_answers), rows)


def get(tx: Tx, interview_id: str) -> Interview | None:
    row = tx.execute(sa.select(interviews).where(interviews.c.id == interview_id)).first()
    return _interview(row) if row else None


def unfinished(tx: Tx, person_id: str, company: str) -> Interview | None:
    """The newest interview that this person can continue."""
    found = (
        sa.select(interviews)
        .where(
            interviews.c.person_id == person_id,
            interviews.c.company == company,
            interviews.c.state.in_(_UNFINISHED),
        )
        .order_by(interviews.c.id.desc())
    )
    row = tx.execute(found.limit(1)).first()
    return _interview(row) if row else None


def mark(tx: Tx, interview_id: str, **values: object) -> None:
    tx.execute(sa.update(interviews).where(interviews.c.id == interview_id).values(values))


def answers(tx: Tx, interview_id: str) -> list[InterviewAnswer]:
    """The answers in the order of the questions."""
    table = interview_answers
    rows = tx.execute(sa.select(table).where(table.c.interview_id == interview_id).order_by(table.c.number))
    return [
        InterviewAnswer(
            key=row.key,
            number=row.number,
            answer=row.answer,
            problem=row.problem,
            answered_at=row.answered_at,
        )
        for row in rows
    ]


def put(tx: Tx, interview_id: str, key: str, **values: object) -> None:
    this = sa.and_(interview_answers.c.interview_id == interview_id, interview_answers.c.key == key)
    tx.execute(sa.update(interview_answers).where(this).values(values))


def _interview(row: Any) -> Interview:
    return Interview(**{**row._mapping, "state": InterviewState(row.state)})
