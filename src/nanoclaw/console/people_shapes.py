"""API bodies about who may speak, and to whom: people, chats and wirings, requests, drops, changes."""

from datetime import datetime
from typing import Annotated, Self

from pydantic import AfterValidator, Field, model_validator
from pydantic_core import PydanticCustomError

from nanoclaw.console.shape import Shape, Word
from nanoclaw.domain.text import storable


class Membership(Shape):
    group: str
    role: str


class Person(Shape):
    """`role` is the one they have everywhere, `none` if they have none."""

    id: str
    handle: str
    name: str
    username: str | None
    role: str
    memberships: list[Membership]
    blocked: bool


class PersonList(Shape):
    people: list[Person]


class PersonChange(Shape):
    """A role everywhere, or in one agent group; `none` takes it away. Or whether they are blocked.

    One at a time, so that a refusal never leaves half of it done.
    """

    role: Word | None = None
    group: Word | None = None
    blocked: bool | None = None

    @model_validator(mode="after")
    def _one_at_a_time(self) -> Self:
        if (self.role is None) == (self.blocked is None) or (self.group is not None and self.role is None):
            raise PydanticCustomError("one-of", "needs either role, with or without group, or blocked")
        return self


class Wiring(Shape):
    """`sentence` says when the agent engages, `fault` why it cannot."""

    group: str
    engage: str
    pattern: str | None
    senders: str
    ignored: str
    priority: int
    sentence: str
    fault: str | None


class Chat(Shape):
    """A chat on any channel; `sentence` says what happens to strangers in it.

    `memory` is what its agents may do with the company's memory there.
    """

    id: str
    channel: str
    address: str
    title: str
    kind: str
    strangers: str
    memory: str = "write"
    sentence: str
    wirings: list[Wiring]


class ChatList(Shape):
    chats: list[Chat]


class ChatChange(Shape):
    """What is left out stays."""

    strangers: Word | None = None
    memory: Word | None = None


class WiringChange(Shape):
    """What is left out stays as it is or, in a new wiring, is as usual in such a chat. `engage` may be `always`."""

    engage: Word | None = None
    pattern: Word | None = None
    senders: Word | None = None
    ignored: Word | None = None
    priority: int | None = Field(default=None, ge=-1000, le=1000)


class Group(Shape):
    """`company` is empty if the group's file cannot be read."""

    name: str
    company: str
    main: bool
    chats: int


class GroupList(Shape):
    groups: list[Group]
    companies: list[str]


class NewGroup(Shape):
    name: Word
    company: Word


class Choice(Shape):
    value: str
    label: str


class Request(Shape):
    """Someone waits for a decision: about themselves (`sender`), or about a chat without an agent (`chat`)."""

    id: str
    short: str
    about: str
    at: datetime
    chat: str
    person: str
    handle: str
    groups: list[str]
    said: list[str]
    choices: list[Choice]


class RequestList(Shape):
    requests: list[Request]


class RequestChoice(Shape):
    choice: Word


class RequestDecided(Shape):
    """What was decided, as a sentence."""

    text: str


class Drop(Shape):
    """A message that was not admitted."""

    id: str
    at: datetime
    chat: str
    channel: str
    sender: str
    handle: str
    text: str
    reason: str
    sentence: str


class DropPage(Shape):
    items: list[Drop]
    more: bool


class AuditEntry(Shape):
    """Who changed what, and from where."""

    id: str
    at: datetime
    name: str
    handle: str
    via: str
    action: str
    sentence: str


class AuditPage(Shape):
    items: list[AuditEntry]
    more: bool


class Trial(Shape):
    """A message that nobody has sent. An unknown chat or person is treated as new."""

    chat: Word
    person: Word
    text: Annotated[str, AfterValidator(storable)]
    addressed: bool | None = None
    thread: Word | None = None


class Finding(Shape):
    """What the message would be for one agent: `wakes`, `kept`, `asked` or `ignored`."""

    group: str
    outcome: str
    sentence: str


class Verdict(Shape):
    """What would become of it: `admitted`, `accumulated`, `held`, `dropped`, `order` or `refused`."""

    verdict: str
    sentence: str
    findings: list[Finding]
