"""What people write, and where."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from nanoclaw.domain.ids import ChatId, MessageId, PersonId


@dataclass(frozen=True, kw_only=True, slots=True)
class Quote:
    """The message that a reply answers."""

    ref: str
    sender: str
    text: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Incoming:
    """A message as a channel hands it in. `external_id` is the channel's own, so that a repeat is recognised."""

    channel: str
    address: str
    external_id: str
    handle: str
    sender: str
    text: str
    sent_at: datetime
    thread: str | None = None
    chat_title: str = ""
    reply_to: Quote | None = None


class End(StrEnum):
    """How a message ended. Every accepted message has exactly one end, and its sender can see it."""

    ANSWERED = "answered"  # an answer was posted
    REFUSED = "refused"  # the host said why it will not do it
    FAILED = "failed"  # it went wrong, the person was told, and can retry
    SILENT = "silent"  # the agent chose to say nothing
    STOPPED = "stopped"  # a person stopped it
    DROPPED = "dropped"  # never accepted; the reason is recorded


@dataclass(frozen=True, kw_only=True, slots=True)
class Message:
    """A stored message. It has an end of its own only when no session took it: a command, a refusal, a drop."""

    id: MessageId
    chat_id: ChatId
    person_id: PersonId
    sender: str
    text: str
    sent_at: datetime
    received_at: datetime
    reply_to: Quote | None
    end: End | None
    reason: str | None


@dataclass(frozen=True, kw_only=True, slots=True)
class Chat:
    """A messaging group: one chat on one channel."""

    id: ChatId
    channel: str
    address: str
    title: str
