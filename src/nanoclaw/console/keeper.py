"""The keeper of the door, as the page and the command line ask for it: who is let in, where, and why not."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol


@dataclass(frozen=True, kw_only=True, slots=True)
class Membership:
    group: str
    role: str


@dataclass(frozen=True, kw_only=True, slots=True)
class PersonRow:
    """`role` is the one that they have everywhere, `none` if they have none."""

    id: str
    handle: str
    name: str
    username: str | None
    role: str
    memberships: tuple[Membership, ...]
    blocked: bool


@dataclass(frozen=True, kw_only=True, slots=True)
class WiringRow:
    """`fault` says why it does not work: the agent group was removed, or works for another company."""

    group: str
    engage: str
    pattern: str | None
    senders: str
    ignored: str
    priority: int
    sentence: str
    fault: str | None


@dataclass(frozen=True, kw_only=True, slots=True)
class ChatRow:
    id: str
    channel: str
    address: str
    title: str
    kind: str
    strangers: str
    sentence: str
    wirings: tuple[WiringRow, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class GroupRow:
    """`company` is empty when the group's file cannot be read."""

    name: str
    company: str
    main: bool
    chats: int


@dataclass(frozen=True, kw_only=True, slots=True)
class Choice:
    value: str
    label: str


@dataclass(frozen=True, kw_only=True, slots=True)
class RequestRow:
    """Someone waits for a decision: about themselves, or about a chat."""

    id: str
    short: str
    about: str  # "sender" or "chat"
    at: datetime
    chat: str
    person: str
    handle: str
    groups: tuple[str, ...]
    said: tuple[str, ...]
    choices: tuple[Choice, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class DropRow:
    id: str
    at: datetime
    chat: str
    channel: str
    sender: str
    handle: str
    text: str
    reason: str
    sentence: str


@dataclass(frozen=True, kw_only=True, slots=True)
class AuditRow:
    id: str
    at: datetime
    name: str
    handle: str
    via: str
    action: str
    sentence: str


@dataclass(frozen=True, kw_only=True, slots=True)
class FindingRow:
    """What a message would be for one agent."""

    group: str
    outcome: str
    sentence: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Explained:
    """What would become of a message: `admitted`, `accumulated`, `held`, `dropped`, `order` or `refused`."""

    verdict: str
    sentence: str
    findings: tuple[FindingRow, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class WiringChange:
    """What is None stays as it is. `engage` may be `always`."""

    engage: str | None = None
    pattern: str | None = None
    senders: str | None = None
    ignored: str | None = None
    priority: int | None = None


class Keeper(Protocol):
    """Everything is done in the name of the owner of this machine. Raises NanoClawError with what is wrong.

    A chat is named by id, address or title; a person by id, handle, `@username` or number.
    """

    async def people(self) -> list[PersonRow]: ...

    async def give_role(self, person: str, role: str, group: str | None) -> None:
        """`none` takes it away. Without a group: everywhere; a member's is then the only group that there is."""

    async def block(self, person: str, *, blocked: bool) -> None: ...

    async def chats(self) -> list[ChatRow]: ...

    async def set_strangers(self, chat: str, policy: str) -> None: ...

    async def wire(self, chat: str, group: str, change: WiringChange) -> None:
        """A new wiring, or a change of one that is there."""

    async def unwire(self, chat: str, group: str) -> None: ...

    async def groups(self) -> list[GroupRow]: ...

    async def companies(self) -> list[str]: ...

    async def found_group(self, name: str, company: str) -> str: ...

    async def requests(self) -> list[RequestRow]: ...

    async def decide(self, request: str, choice: str) -> str:
        """By the end of its id. Returns what was decided, as a sentence."""

    async def drops(self, limit: int, before: str | None = None) -> Sequence[DropRow]: ...

    async def audit(self, limit: int, before: str | None = None) -> Sequence[AuditRow]: ...

    async def explain(
        self, chat: str, person: str, text: str, *, addressed: bool | None, thread: str | None
    ) -> Explained:
        """Without doing any of it. `addressed` None: as it is usual in such a chat."""
