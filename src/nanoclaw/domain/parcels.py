"""What goes out to a chat."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from nanoclaw.domain.ids import ChatId, MessageId, ParcelId, TurnId


class Author(StrEnum):
    """Who speaks in a parcel."""

    AGENT = "agent"  # the answer of a turn
    HOST = "host"  # the host itself: a command's answer, a refusal, a notice


class ParcelState(StrEnum):
    """Where a parcel is."""

    PENDING = "pending"  # to be sent, or to be sent again
    SENDING = "sending"  # handed to a channel that cannot recognise a repeat
    DELIVERED = "delivered"  # the channel confirmed it
    UNKNOWN = "unknown"  # handed over and never answered, where a repeat could be seen; a person decides
    FAILED = "failed"  # given up; a person can retry it
    DROPPED = "dropped"  # a person decided that it need not be sent


@dataclass(frozen=True, kw_only=True, slots=True)
class Attachment:
    """A file that goes with a parcel. Its bytes are kept by the parcel's id."""

    name: str
    media_type: str
    size: int


@dataclass(frozen=True, kw_only=True, slots=True)
class Parcel:
    """One outgoing message. Its id is made once, so that a restart neither repeats nor loses it."""

    id: ParcelId
    chat_id: ChatId
    channel: str
    address: str
    thread: str | None
    author: Author
    text: str
    turn_id: TurnId | None
    message_id: MessageId | None
    state: ParcelState
    attempts: int
    error: dict[str, object] | None
    created_at: datetime
    attachment: Attachment | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Preview:
    """The answer as far as it is written. Shown while a turn runs, never stored."""

    chat_id: ChatId
    address: str
    thread: str | None
    turn_id: TurnId
    text: str
