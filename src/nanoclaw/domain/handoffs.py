"""A handoff: one agent passes work to another skill, by a contract that the host checks."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any

from nanoclaw.domain.ids import ChatId, PersonId, SessionId, TurnId


class HandoffType(StrEnum):
    SEQUENTIAL = "sequential"  # the receiver answers the chat
    PARALLEL = "parallel"  # several at once; the sender is woken when all have ended
    CALLBACK = "callback"  # the result wakes the sender


class HandoffWay(StrEnum):
    INSIDE = "inside"  # a sub-agent in the sender's box
    SESSION = "session"  # a session and a box of its own
    GIT = "git"  # another runtime fetches it from the workspace's repository


class HandoffState(StrEnum):
    ASKED = "asked"  # a person decides first
    WAITING = "waiting"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    REFUSED = "refused"
    EXPIRED = "expired"
    CANCELLED = "cancelled"

    @property
    def is_over(self) -> bool:
        return self not in (HandoffState.ASKED, HandoffState.WAITING, HandoffState.RUNNING)


@dataclass(frozen=True, kw_only=True, slots=True)
class Handoff:
    """`contract` is the JSON of the sender, as it was checked."""

    id: str
    chain_id: str
    step: int
    type: HandoffType
    way: HandoffWay
    state: HandoffState
    company: str
    from_group: str
    from_skill: str
    from_session: SessionId
    from_turn: TurnId | None
    to_group: str
    to_skill: str
    contract: Mapping[str, Any]
    person_id: PersonId  # on whose behalf
    chat_id: ChatId
    created_at: datetime
    expires_at: datetime
    thread: str | None = None
    is_mixed: bool = False  # what it says came from outside
    joins: str | None = None  # those of one parallel handoff share this
    visited: tuple[str, ...] = ()  # skills of the chain so far, the sender's last
    session_id: SessionId | None = None  # the receiver's
    question_id: str | None = None
    result: str | None = None
    why: Mapping[str, Any] | None = None
    ended_at: datetime | None = None
