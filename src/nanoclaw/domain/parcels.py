"""What goes out to a chat."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any, Self

from nanoclaw.domain.ids import ChatId, MessageId, ParcelId, TurnId


class Author(StrEnum):
    """Who speaks in a parcel."""

    AGENT = "agent"  # the answer of a turn
    HOST = "host"  # the host itself: a command's answer, a refusal, a notice


class ParcelState(StrEnum):
    """Where a parcel is."""

    PENDING = "pending"  # to be sent, or to be sent again
    SENDING = "sending"  # its first bytes may have left, for a channel that cannot recognise a repeat
    DELIVERED = "delivered"  # the channel confirmed it
    UNKNOWN = "unknown"  # handed over and never answered, where a repeat could be seen
    FAILED = "failed"  # given up; a person can retry it
    DROPPED = "dropped"  # a person decided that it need not be sent


class Manner(StrEnum):
    """How a channel that knows the difference shows a file."""

    FITTING = "fitting"  # a picture as a picture, anything else as a document
    VOICE = "voice"  # as a voice message


@dataclass(frozen=True, kw_only=True, slots=True)
class Attachment:
    """A file that goes with a parcel. Its bytes are `kept` under that name in the workspace's data folder."""

    name: str
    media_type: str
    size: int
    kept: str
    manner: Manner = Manner.FITTING

    @classmethod
    def read(cls, written: Mapping[str, Any]) -> Self:
        """Read it from its stored form."""
        return cls(**{**written, "manner": Manner(written.get("manner", Manner.FITTING))})


RETRY, SEND_AGAIN, DROP = "try", "snd", "drp"
"""Prefixes of a button's data: retry a failed message; send an undelivered parcel again, or never."""

SENDER, NEW_CHAT, QUESTION, TASK, PIPELINE, PLAN, ANALYSIS = "nsa", "nca", "hitl", "tsk", "ppl", "iq", "anl"
"""The same, with a choice at the end: a stranger who wants to speak, a chat without an agent, a question, a
task, a run of a pipeline, a question of a plan, an analysis that was taken in.
"""


def kept_name(parcel_id: ParcelId, index: int) -> str:
    """The name of the file at that position in its parcel."""
    return f"{parcel_id}.{index}" if index else parcel_id


@dataclass(frozen=True, kw_only=True, slots=True)
class Button:
    """A button under a parcel. `data` says what it does: `<prefix>:<id>[:<choice>]`, at most 64 bytes."""

    label: str
    data: str
    row: int | None = None  # buttons of the same row are side by side; without one, as they fit


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
    attachments: tuple[Attachment, ...] = ()
    buttons: tuple[Button, ...] = ()
    reply_ref: str | None = None  # the platform's id of the message that this answers
    closed: str | None = None  # why nothing can be sent to its chat
    silent: bool = False  # without a sound: someone there sleeps
    platform_id: str | None = None  # set when it is already in the chat: sent again, it replaces itself
    number: int = 0  # its position in its chat
    note: str | None = None  # shown above it when it is sent again because its arrival is unknown


@dataclass(frozen=True, kw_only=True, slots=True)
class Preview:
    """The answer as far as it is written. Shown while a turn runs, never stored."""

    chat_id: ChatId
    address: str
    thread: str | None
    turn_id: TurnId
    text: str
    reply_ref: str | None = None
