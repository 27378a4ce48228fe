"""A handoff: one agent passes work to another skill, by a contract that the host checks."""

from collections.abc import Mapping
from dataclasses import dataclass, field
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
    SESSION = "session"  # a separate session and box
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
    """`contract` has what the sender gave, as it was checked: `payload` and `constraints`."""

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
    grants: Mapping[str, Any] = field(
        default_factory=dict
    )  # what the sender may use; the receiver gets no more
    thread: str | None = None
    is_mixed: bool = False  # what it says came from outside
    joins: str | None = None  # those of one parallel handoff share this
    visited: tuple[
        str, ...
    ] = ()  # who had the work before, the sender last; returns and retries do not count
    session_id: SessionId | None = None  # the receiver's
    question_id: str | None = None
    result: str | None = None
    why: Mapping[str, Any] | None = None
    ended_at: datetime | None = None

    @property
    def content(self) -> str:
        said: str = self.contract["payload"]["content"]
        return said

    @property
    def came(self) -> Mapping[str, str] | None:
        """For a handoff that another runtime pushed: its `id` there, `runtime` and `sha256`."""
        found: Mapping[str, str] | None = self.contract.get("came")
        return found

    @property
    def path(self) -> tuple[str, ...]:
        """Who has had the work, the receiver included."""
        return (*self.visited, visit(self.to_skill, self.to_group))


def visit(skill: str, group: str) -> str:
    """One name for a skill in a group."""
    return f"{skill}@{group}"


_BYTES_PER_TOKEN = 4


def tokens_in(text: str) -> int:
    """About as many as a model would count, whatever the sender claims."""
    return -(-len(text.encode()) // _BYTES_PER_TOKEN)
