"""What people write, and where."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from nanoclaw.domain.ids import ChatId, MessageId, PersonId
from nanoclaw.domain.memory import MemoryMode
from nanoclaw.domain.wirings import ChatKind, UnknownSenders


@dataclass(frozen=True, kw_only=True, slots=True)
class Quote:
    """The message a reply refers to."""

    ref: str
    sender: str
    text: str
    ours: bool = False  # written by the bot itself, as the platform says, and quoted in full


class FileKind(StrEnum):
    """What a file is, as the channel says."""

    PHOTO = "photo"
    DOCUMENT = "document"
    VOICE = "voice"
    AUDIO = "audio"
    VIDEO = "video"


@dataclass(frozen=True, kw_only=True, slots=True)
class File:
    """A file that came with a message. Until it is fetched, `ref` is all we have of it."""

    kind: FileKind
    name: str
    media_type: str
    ref: str
    part_of: str  # the platform's id of the message it came in; an album is several
    size: int | None = None
    seconds: float | None = None
    path: str | None = None  # below the group's files, once it is there
    missing: str | None = None  # why it is not there, or has no transcript, in words for the agent
    heard: str | None = None  # its transcript


@dataclass(frozen=True, kw_only=True, slots=True)
class Incoming:
    """A message as a channel passes it in. `external_id` is the channel's own, so that a repeat is recognised."""

    channel: str
    address: str
    external_id: str
    handle: str
    sender: str
    text: str
    sent_at: datetime
    # Both are required: a channel that forgot them would have everything in a group answered as if it were private.
    kind: ChatKind
    addressed: bool  # to the bot: in a private chat, by mention, or by reply
    thread: str | None = None
    chat_title: str = ""
    reply_to: Quote | None = None
    files: tuple[File, ...] = ()
    album: str | None = None  # pictures sent together arrive one by one with this id
    edits: str | None = None  # the platform's id of the message that this text replaces
    forwarded_from: str | None = None  # the author, if not the sender: never a command
    language: str | None = None  # as set in the person's client
    username: str | None = None  # the sender's public name on the network

    @property
    def private(self) -> bool:
        """A private chat of a person with the bot."""
        return self.kind is ChatKind.PRIVATE

    @property
    def in_own_words(self) -> bool:
        return self.forwarded_from is None


class End(StrEnum):
    """How a message ended. Every accepted message has exactly one end, and its sender can see it."""

    ANSWERED = "answered"  # an answer was posted
    REFUSED = "refused"  # the host said why it will not do it
    FAILED = "failed"  # it went wrong, the person was told, and can retry
    SILENT = "silent"  # the agent chose to say nothing
    STOPPED = "stopped"  # a person stopped it
    DROPPED = "dropped"  # never accepted; the reason is recorded
    KEPT = "kept"  # not for the agent to answer; it reads it with the next message that wakes it


@dataclass(frozen=True, kw_only=True, slots=True)
class Message:
    """A stored message. It has its own end only when no session took it: a command, a refusal, a drop."""

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
    external_id: str = ""
    files: tuple[File, ...] = ()
    is_ready: bool = True  # false while its files are fetched; its session waits for it
    forwarded_from: str | None = None
    edits: str | None = None
    thread: str | None = None
    addressed: bool = True
    answers: str | None = None  # the question that it answers, or whose answer it brings
    held_for: str | None = None  # the request to be decided before anything happens to it

    def worded(self, written: str) -> str:
        """The message's text with this caption: the caption first, then the transcripts."""
        return "\n\n".join(filter(None, (written, *(file.heard for file in self.files))))

    @property
    def is_voice(self) -> bool:
        return len(self.files) == 1 and self.files[0].kind is FileKind.VOICE

    @property
    def in_own_words(self) -> bool:
        """Whether its sender wrote it. Only then can it be a command, an answer, a name or a pairing code."""
        return self.forwarded_from is None


@dataclass(frozen=True, kw_only=True, slots=True)
class Chat:
    """A messaging group: one chat on one channel."""

    id: ChatId
    channel: str
    address: str
    title: str
    closed: str | None = None  # why nothing can be sent there, until someone writes again
    kind: ChatKind = ChatKind.PRIVATE
    strangers: UnknownSenders = UnknownSenders.REQUEST_APPROVAL
    memory: MemoryMode = MemoryMode.WRITE
    awaits: str | None = None  # the newest open question that text written here answers
    naming: str | None = None  # the request for which a person is asked here for a new agent's name


@dataclass(frozen=True, kw_only=True, slots=True)
class Press:
    """Someone pressed a button under a parcel."""

    channel: str
    address: str
    handle: str
    platform_id: str
    data: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Pressed:
    """The immediate answer to a press."""

    text: str
    taken: bool
