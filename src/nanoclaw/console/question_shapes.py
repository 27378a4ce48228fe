"""API bodies about questions to people: the inbox, decisions and their figures, permits."""

from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field

from nanoclaw.console.shape import Data, Id, Letters, OptionalData, OptionalLetters, Shape, Words
from nanoclaw.domain.text import storable

MOST_QUESTIONS = 500
"""The most per page."""


class Option(Shape):
    id: Letters
    label: str
    description: str
    safe: bool


class Vote(Shape):
    name: str
    option: Letters
    at: datetime


class Question(Shape):
    """A question, open or decided. `html` is the question as Markdown, safe to show; `short` the end of the id.

    `chain_id` and `step`: of the run of a pipeline that asks. `context`, `tool` and `payload` are complete.
    `asker`: the part of the host that asks, in words; empty if an agent or a program does.
    `may_decide` is about whoever holds the token.
    """

    id: str
    short: str
    kind: str
    type: str
    question: str
    html: str
    options: list[Option]
    takes_words: bool
    status: str
    context: str
    tool: str | None
    document: str | None
    document_kept: str | None
    risk: str
    default: OptionalLetters
    default_label: str
    votes_needed: int
    votes: list[Vote]
    group: str
    company: str
    skill: str
    asker: str
    session_id: str | None
    execution_id: str
    chain_id: str | None
    step: int | None
    created_at: datetime
    deadline_at: datetime
    resolved_at: datetime | None
    seconds: float | None
    chosen: OptionalLetters
    chosen_label: str
    user_input: OptionalLetters
    made_by: str | None
    decided_by: str | None
    decided_name: str | None
    via: str | None
    payload: Letters
    payload_hash: str
    repeats: str | None
    may_decide: bool
    config: OptionalData
    response: Data
    transcript: OptionalLetters
    duration_ms: int | None
    error: str | None

    @property
    def legacy_status(self) -> str:
        """The status as older programs know it: a confirmation that a person decided is approved or rejected.
        A third choice is neither, and so is a question that nobody decided: those keep the status of their
        life cycle.
        """
        places = {option.id: place for place, option in enumerate(self.options)}
        if (self.type, self.status) != ("confirmation", "completed") or self.chosen not in places:
            return self.status
        place = places[self.chosen]
        if self.options[place].safe:
            return "rejected"
        # Once, for the session, or always.
        if self.chosen == "approve" or place == 0 or self.tool is not None:
            return "approved"
        # A plain no; a choice that cancels may be beside it.
        return "rejected" if sum(not option.safe for option in self.options) == 2 else self.status


class QuestionList(Shape):
    """`total` is the number of all open questions."""

    questions: list[Question]
    more: bool
    total: int


class OpenPage(Shape):
    """Whose questions: those of one turn or, with `*`, all; and which of them."""

    execution: Id = "*"
    after: Id | None = None
    limit: int = Field(default=MOST_QUESTIONS, ge=1, le=MOST_QUESTIONS)


class NewOption(Shape):
    id: str
    label: str
    description: str | None = None
    is_default: bool | None = None


class NewQuestion(Shape):
    """In the terms of the tool `request_human`; whatever does not fit there is refused with what to change.

    The same `id` again is the same question. `session` describes an interactive session.
    """

    id: Id | None = None
    group: Id | None = None
    question: str
    kind: str | None = None
    options: list[NewOption] | None = None
    layout: str | None = None
    timeout_minutes: int | None = None
    default_action: str | None = None
    risk: str | None = None
    context: str | dict[str, Any] | None = None
    deciders: list[str] | None = None
    votes: int | None = None
    skill: str | None = None
    session: dict[str, Any] | None = None

    def given(self) -> dict[str, Any]:
        """null counts as left out, except in the context, where it may mean something."""
        said = {name: value for name, value in self if value is not None}
        if self.options is not None:
            said["options"] = [each.model_dump(exclude_none=True) for each in self.options]
        return said


class Patience(Shape):
    seconds: float = Field(default=25, ge=0, le=60)


class Decision(Shape):
    """An option by its id, text if the question takes it, or both."""

    option: Id | None = None
    text: Words | None = None


class Decided(Shape):
    """The result as a sentence, and the question's new state."""

    said: str
    question: Question


class Conclusion(Shape):
    """How an interactive session ended."""

    status: Literal["completed", "cancelled", "timeout", "failed"]
    response: Any = None
    transcript: Annotated[str, AfterValidator(storable)] | None = None
    duration_ms: int | None = Field(default=None, ge=0, le=2**31 - 1)
    error: Words | None = None


class DecisionPage(Shape):
    decisions: list[Question]
    more: bool


class Figure(Shape):
    """How questions of one kind, or of one skill, ended. `mean` and `median` are seconds until a person decided."""

    name: str
    asked: int
    answered: int
    timed_out: int
    mean: float | None
    median: float | None
    timeout_rate: float


class Figures(Shape):
    days: int
    total: Figure
    by_kind: list[Figure]
    by_skill: list[Figure]


class Days(Shape):
    days: int = Field(default=30, ge=1, le=3650)


class Permit(Shape):
    """What an agent may do with a tool without asking again."""

    id: str
    short: str
    scope: str
    group: str
    tool: str
    rule: str
    shown: str
    granted_by: str
    granted_name: str
    created_at: datetime
    expires_at: datetime | None


class PermitList(Shape):
    permits: list[Permit]
