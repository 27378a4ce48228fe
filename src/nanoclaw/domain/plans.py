"""A plan: questions with buttons before the work begins, and what was answered so far."""

from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

MOST_ROUNDS = 3
LEAST_QUESTIONS, MOST_QUESTIONS = 2, 4  # of a round
MOST_FIRST_QUESTIONS = 7  # of the first round, when an agent asks
MOST_OPTIONS = 4


class PlanState(StrEnum):
    OFFERED = "offered"  # the person has another one open, and is asked which to keep
    GENERATING = "generating"  # the model is asked for the next round
    COLLECTING = "collecting"  # the person answers
    CONFIRMING = "confirming"  # the summary is shown
    EXECUTING = "executing"  # an agent has the answers
    DONE = "done"
    CANCELLED = "cancelled"

    @property
    def is_over(self) -> bool:
        return self in (PlanState.DONE, PlanState.CANCELLED)


class PlanSource(StrEnum):
    PERSON = "person"  # `/plan`
    AGENT = "agent"  # an agent answered with questions


@dataclass(frozen=True, kw_only=True, slots=True)
class PlanOption:
    label: str
    value: str


@dataclass(frozen=True, kw_only=True, slots=True)
class PlanQuestion:
    id: str  # q1, q2 ...
    question: str
    options: tuple[PlanOption, ...]
    allow_free_text: bool
    round: int


@dataclass(frozen=True, kw_only=True, slots=True)
class Questionnaire:
    """What a model answered when it was asked for questions, or instead of an answer."""

    questions: tuple[PlanQuestion, ...]
    goal: str = ""
    description: str = ""
    done: bool = False
    note: str = ""  # for the model: what of it was left out, and why


@dataclass(frozen=True, kw_only=True, slots=True)
class Plan:
    id: str
    company: str
    group: str
    chat_id: str
    thread: str | None
    person_id: str
    state: PlanState
    task: str
    source: PlanSource
    language: str
    created_at: datetime
    updated_at: datetime
    goal: str = ""
    description: str = ""
    questions: tuple[PlanQuestion, ...] = field(default=())
    answers: tuple[str | None, ...] = field(default=())  # in words, as the agent reads them
    current: int = 0
    round: int = 0
    message_id: str | None = None
    started_id: str | None = None
    parcel_id: str | None = None
    path: str | None = None
    note: str | None = None
    rested_at: datetime | None = None
    ended_at: datetime | None = None
    reason: str | None = None

    @property
    def is_open(self) -> bool:
        return self.ended_at is None
