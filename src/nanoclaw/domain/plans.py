"""A plan: questions with buttons before the work begins, and the answers so far."""

from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

MOST_ROUNDS = 3
LEAST_QUESTIONS, MOST_QUESTIONS = 2, 4  # of a round
MOST_FIRST_QUESTIONS = 7  # of the first round, when an agent asks
MOST_OPTIONS = 4
MOST_TASK, MOST_ANSWER = 10_000, 2000  # characters
LONGEST_LABEL, LONGEST_QUESTION = 20, 200  # characters that are shown


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

    def in_words(self, answer: str) -> str:
        """An option by its label: its value may be a mere letter."""
        return next((option.label for option in self.options if option.value == answer), answer)


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
    answers: tuple[str | None, ...] = field(default=())  # the value of an option, or what was typed
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

    @property
    def asked(self) -> PlanQuestion | None:
        """The question that is open now."""
        is_asking = self.state is PlanState.COLLECTING and self.current < len(self.questions)
        return self.questions[self.current] if is_asking else None

    @property
    def answered(self) -> list[tuple[PlanQuestion, str]]:
        """What was answered so far, in words."""
        pairs = zip(self.questions, self.answers, strict=True)
        return [(question, question.in_words(answer)) for question, answer in pairs if answer is not None]
