"""One run of an agent: what it is given, and what comes out."""

from dataclasses import dataclass
from enum import StrEnum

from nanoclaw.domain.ids import SessionId, TurnId


@dataclass(frozen=True, kw_only=True, slots=True)
class Session:
    """One conversation of one agent group in one chat (and thread)."""

    id: SessionId
    group: str
    chat_id: str
    thread: str | None


@dataclass(frozen=True, kw_only=True, slots=True)
class Exchange:
    """An earlier turn of the session, as the model sees it again."""

    asked: str
    answered: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Brief:
    """The system prompt in three layers, the most stable first, so that the vendor's cache can keep them."""

    foundation: str
    company: str
    skill: str

    def __str__(self) -> str:
        return "\n\n".join(layer for layer in (self.foundation, self.company, self.skill) if layer)


@dataclass(frozen=True, kw_only=True, slots=True)
class TurnRequest:
    """All that a runtime gets to know about a turn."""

    turn_id: TurnId
    session_id: SessionId
    group: str
    model: str
    brief: Brief
    history: tuple[Exchange, ...]
    prompt: str


@dataclass(frozen=True, kw_only=True, slots=True)
class TextDelta:
    """A piece of the answer, in the order it was written."""

    text: str


RuntimeEvent = TextDelta


class TurnState(StrEnum):
    """The life of a turn."""

    RUNNING = "running"
    ANSWERED = "answered"
    SILENT = "silent"
    FAILED = "failed"
