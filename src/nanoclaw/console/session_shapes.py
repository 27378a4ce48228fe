"""API bodies about interactive sessions: what people are asked to work on with an agent, and what they conclude."""

from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field

from nanoclaw.console.question_shapes import Question
from nanoclaw.console.shape import Id, Letters, Shape, Words
from nanoclaw.domain.text import storable


class SessionsOf(Shape):
    """Which sessions: those that wait for a conclusion, those that are over, or all; `before` one of them."""

    state: Literal["open", "over", "all"] = "open"
    before: Id | None = None
    limit: int = Field(default=100, ge=1, le=500)


class Session(Shape):
    """An interactive session in a list. `asker`: who asks, in words. `outcome`: the kind of conclusion that is wanted.

    `concluded`: what was decided, in words; empty while it is open. `seconds`: from the request to the decision.
    """

    id: str
    short: str
    question: str
    html: str
    status: str
    outcome: str
    asker: str
    group: str
    company: str
    skill: str
    created_at: datetime
    deadline_at: datetime
    opened_at: datetime | None
    opened_by: str | None
    warned_at: datetime | None
    resolved_at: datetime | None
    seconds: float | None
    decided_name: str | None
    concluded: str
    may_decide: bool


class SessionList(Shape):
    sessions: list[Session]
    more: bool


class LiveState(Shape):
    """The working part. `room`: where it is held, once somebody opened it; `has_terminal`: it can be held in one."""

    room: str | None
    runtime: str | None
    has_terminal: bool
    opened_at: datetime | None
    opened_by: str | None
    typist: str | None
    attempts: int
    warned_at: datetime | None
    ended_at: datetime | None


class ChangedFile(Shape):
    """A file of the group that changed since the session was opened. Without `diff` it is not text, or a very
    long one.
    """

    path: str
    change: Literal["added", "changed", "removed"]
    size: int | None
    diff: str | None


class WholeSession(Shape):
    """`form`: the fields of the conclusion; `prefill`: what was said in passing, and decides nothing.

    `xml`: the request, or its result, as the agent that asked reads it.
    """

    question: Question
    live: LiveState
    outcome: str
    concluded: str
    form: dict[str, Any]
    prefill: Any
    files: list[ChangedFile]
    xml: Letters


class Opening(Shape):
    """Where the person wants to work. In the chat, the agent begins at once; in a terminal, when it is opened."""

    place: Literal["chat", "terminal"] = "chat"


class SessionConclusion(Shape):
    """The result: `approved` or `rejected`, one of the options, a text, or what the JSON Schema describes.

    With another `status` the session ends without one. `transcript` is kept only if it was asked for.
    """

    response: Any = None
    status: Literal["completed", "cancelled", "timeout", "failed"] = "completed"
    transcript: Annotated[str, AfterValidator(storable)] | None = None
    error: Words | None = None
