"""A question to people: what is asked, what can be chosen, and what happens if nobody answers."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any

from nanoclaw.domain.continuations import Continuation
from nanoclaw.domain.ids import HostId, MessageId, SessionId
from nanoclaw.domain.parcels import QUESTION, Attachment

AGAIN = "~again"
"""The choice to ask a timed-out question once more."""

CONCLUDE = "~conclude "
"""Begins the choice to conclude an interactive session with what is filled in; a mark of that follows."""

CUSTOM = "custom"
"""The choice of a time that is not offered; as one of ours it needs the time with it."""

_DIGITS = 3
_MOST_DATA = 64  # bytes that a button can carry
PROGRAM = "program"
"""The execution of a question that no turn asks."""

_TOO = "+"


def too(handle: str) -> str:
    """Among the deciders of a question: this member of the group as well. Only the host says so."""
    return f"{_TOO}{handle}"


def plain_handles(named: Sequence[str]) -> tuple[str, ...]:
    """The handles as an asker names them, which give nobody a right to decide."""
    return tuple(each.lstrip(_TOO) for each in named)


def members_among(deciders: Sequence[str]) -> tuple[str, ...]:
    return tuple(each.removeprefix(_TOO) for each in deciders if each.startswith(_TOO))


class QuestionKind(StrEnum):
    """What is wanted from the person. The value is its type in the rows."""

    APPROVAL = "confirmation"  # yes or no, sometimes with a third way
    CHOICE = "select"  # one of several
    INPUT = "input"  # words of their own
    REVIEW = "review"  # a look at a document, and what they think of it
    ESCALATION = "escalation"  # guidance: the agent does not know how to go on
    INTERACTIVE = "interactive_session"  # a session in which a person works with an agent, and concludes it

    @property
    def word(self) -> str:
        """The name used in requests."""
        return {"confirmation": "approval", "select": "choice"}.get(self.value, self.value)

    @property
    def takes_words(self) -> bool:
        """Whether free text is accepted besides the options: as an answer or, for a session, to fill in its form."""
        return self not in (QuestionKind.APPROVAL, QuestionKind.CHOICE)


KINDS: Mapping[str, QuestionKind] = {kind.word: kind for kind in QuestionKind}


class Risk(StrEnum):
    """What could go wrong, and so what may happen if nobody answers."""

    NORMAL = "normal"
    PUBLISH = "publish"  # only a draft
    DESTRUCTIVE = (
        "destructive"  # only what destroys nothing; and more than one person decides, if there are enough
    )


class Status(StrEnum):
    """The life of a question. What was decided is in its answer, never here."""

    PENDING = "pending"
    COMPLETED = "completed"  # a person decided
    CANCELLED = "cancelled"  # the asker, or a person, took it back
    TIMEOUT = "timeout"  # nobody decided in time
    FAILED = "failed"


@dataclass(frozen=True, kw_only=True, slots=True)
class Option:
    """One choice. Without a label it is one of ours, and labelled in the reader's language."""

    id: str
    label: str = ""
    description: str = ""
    safe: bool = False
    draft: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class NewQuestion:
    """A question before it is asked: checked, and complete."""

    kind: QuestionKind
    prompt: str
    options: tuple[Option, ...]
    timeout: timedelta
    default: str | None
    risk: Risk = Risk.NORMAL
    context: object = None
    document: str | None = None  # a path, as the asker sees it
    deciders: tuple[str, ...] = ()  # handles
    votes: int | None = None  # how many must agree; None: the default for the risk
    skill: str = ""
    tool: Mapping[str, Any] | None = None
    config: Mapping[str, Any] | None = (
        None  # of an interactive session; otherwise see `flows/human/each_language.py`
    )
    effect: str | None = None  # `digest_of` exactly what a yes puts into effect; see `Question.is_about`

    def payload(self, document_hash: str | None = None) -> str:
        """Exactly what people decide on, in canonical form."""
        said: dict[str, Any] = {
            "kind": self.kind.word,
            "question": self.prompt,
            "options": [asdict(option) for option in self.options],
            "timeout_minutes": self.timeout.total_seconds() / 60,
            "default_action": self.default,
            "risk": self.risk.value,
            "context": self.context,
            "document": self.document,
            "document_sha256": document_hash,
            "deciders": list(self.deciders),
            "votes": self.votes,
            "tool": self.tool,
        }
        if self.effect is not None:
            said["effect_sha256"] = self.effect
        if self.config is not None:  # a context may be long, and this is written into the audit
            is_session = self.kind is QuestionKind.INTERACTIVE
            said["session_sha256" if is_session else "prompts_sha256"] = hash_of(
                _canonical(dict(self.config))
            )
        return _canonical(said)


@dataclass(frozen=True, kw_only=True, slots=True)
class Question:
    """A question as stored in the rows."""

    id: str
    execution_id: str
    kind: QuestionKind
    prompt: str
    options: tuple[Option, ...]
    status: Status
    response: Mapping[str, Any] | None
    created_at: datetime
    resolved_at: datetime | None
    session_id: SessionId | None
    asked_id: str
    group: str
    company: str
    skill: str
    risk: Risk
    default: str | None
    context: object
    document: Attachment | None
    deciders: tuple[str, ...]
    votes: int
    tool: Mapping[str, Any] | None
    payload: str
    payload_hash: str
    deadline_at: datetime
    reminded: int
    made_by: str | None
    decided_by: str | None
    decided_name: str | None
    via: str | None
    waiter: HostId | None
    carried_at: datetime | None
    recorded_at: datetime | None
    repeats: str | None
    config: Mapping[str, Any] | None = None
    transcript: str | None = None
    duration_ms: int | None = None
    error: str | None = None
    chain_id: str | None = None
    step: int | None = None
    then_kind: str | None = None  # the kind of work that waits for it

    @property
    def is_open(self) -> bool:
        return self.status is Status.PENDING

    def is_about(self, effect: str) -> bool:
        """Whether exactly this was put to people. Whoever carries out a decision asks first: a row that changed
        since then, or was asked about in another way, is not what they saw. `NewQuestions.open` sees to it that
        every question that work waits for has a digest; one without was asked by an older host, and is decided as
        it was then.
        """
        return self.is_as_asked and self._asked.get("effect_sha256", effect) == effect

    @property
    def is_as_asked(self) -> bool:
        """Whether what is shown of it is still what was asked, to the letter."""
        asked = self._asked
        config = asked.get("session_sha256") or asked.get("prompts_sha256")
        options = [asdict(option) for option in self.options]
        return (
            hash_of(self.payload) == self.payload_hash
            and asked["question"] == self.prompt
            and len(asked["options"]) == len(options)
            and all(
                before.items() <= now.items() for before, now in zip(asked["options"], options, strict=True)
            )
            and _is_same(asked["context"], self.context)
            and _is_same(asked["tool"], self.tool and dict(self.tool))
            and (config is None or config == hash_of(_canonical(dict(self.config or {}))))
        )

    @property
    def _asked(self) -> dict[str, Any]:
        asked: dict[str, Any] = json.loads(self.payload)
        return asked

    @property
    def concluded(self) -> object:
        """The outcome: the id of an option, text, or the result of an interactive session."""
        return (self.response or {}).get("chosen")

    @property
    def chosen(self) -> str | None:
        return self.concluded if isinstance(self.concluded, str) else None

    @property
    def user_input(self) -> str | None:
        return (self.response or {}).get("user_input")

    @property
    def takes_time(self) -> bool:
        """Whether a custom time is one of the choices. If several must agree, only buttons count."""
        custom = self.option(CUSTOM)
        return custom is not None and not custom.label and self.votes == 1

    @property
    def takes_words(self) -> bool:
        return self.kind.takes_words or self.takes_time

    def option(self, option_id: str | None) -> Option | None:
        return next((each for each in self.options if each.id == option_id), None)

    def option_of(self, choice: str) -> Option | None:
        """Find an option by position as in buttons, by id, or by position as people count."""
        place = choice.removeprefix("~")
        number = int(place) if place.isascii() and place.isdigit() and len(place) <= _DIGITS else None
        if choice.startswith("~"):  # never an id: an agent could name an option after another's position
            return self._at(number)
        return self.option(choice) or (self._at(number - 1) if number is not None else None)

    def _at(self, index: int | None) -> Option | None:
        return self.options[index] if index is not None and 0 <= index < len(self.options) else None

    def button_data(self, option: Option) -> str:
        """The data of a button: by the option's position if its id would not fit."""
        data = f"{QUESTION}:{self.id}:{option.id}"
        plain = not option.id.startswith("~") and len(data.encode()) <= _MOST_DATA
        return data if plain else f"{QUESTION}:{self.id}:~{self.options.index(option)}"

    @property
    def again_data(self) -> str:
        return f"{QUESTION}:{self.id}:{AGAIN}"

    def conclude_data(self, mark: str) -> str:
        """`mark` says what is concluded: it may have changed by the time of the press."""
        return f"{QUESTION}:{self.id}:{CONCLUDE}{mark}"


def hash_of(payload: str) -> str:
    return hashlib.sha256(payload.encode("utf-8", "surrogatepass")).hexdigest()


def digest_of(*parts: object) -> str:
    """The digest of what a yes puts into effect."""
    return hash_of(json.dumps(parts, sort_keys=True, default=str))


def _canonical(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"))


def _is_same(asked: object, stored: object) -> bool:
    """By value too: a database may write a number differently."""
    return asked == stored or _canonical(asked) == _canonical(stored)


@dataclass(frozen=True, kw_only=True, slots=True)
class Asker:
    """Who asks: the turn of a session or, without one, the host or a program of this machine for an agent group."""

    asked_id: str
    group: str
    company: str
    session_id: SessionId | None = None
    execution_id: str = PROGRAM
    thread: str | None = None
    chat_id: str | None = None
    host: HostId | None = None  # where someone waits for the answer
    then: Continuation | None = None  # the work that waits for it
    chain_id: str | None = None  # the run or chain it belongs to, and which of its steps asks
    step: int | None = None
    message_id: MessageId | None = None  # what the card in the chat of the asker answers
