"""What people write, and where."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from nanoclaw.domain.ids import ChatId, MessageId, PersonId
from nanoclaw.domain.wirings import ChatKind, UnknownSenders


@dataclass(frozen=True, kw_only=True, slots=True)
class Quote:
    """The message that a reply answers."""

    ref: str
    sender: str
    text: str
    ours: bool = False  # said by the bot itself, as the platform tells, and told as a whole


class FileKind(StrEnum):
    """What a file is, as the channel calls it."""

    PHOTO = "photo"
    DOCUMENT = "document"
    VOICE = "voice"
    AUDIO = "audio"
    VIDEO = "video"


@dataclass(frozen=True, kw_only=True, slots=True)
class File:
    """A file that came with a message. Until it is fetched, `ref` is all that we have of it."""

    kind: FileKind
    name: str
    media_type: str
    ref: str
    part_of: str  # the platform's id of the message it came in; an album is several
    size: int | None = None
    seconds: float | None = None
    path: str | None = None  # below the group's files, once it is there
    missing: str | None = None  # why it is not there, or not heard, in words for the agent
    heard: str | None = None  # what is said in it


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
    files: tuple[File, ...] = ()
    album: str | None = None  # pictures that were sent together come one by one under this name
    edits: str | None = None  # the platform's id of the message whose words these are now
    forwarded_from: str | None = None  # whose words these are, if not the sender's own: never an order
    kind: ChatKind = ChatKind.PRIVATE
    addressed: bool = True  # to the bot: alone with it, by its name, or in reply to it
    language: str | None = None  # as the person's own program has it
    username: str | None = None  # the name by which others call the sender on the network

    @property
    def private(self) -> bool:
        """A person alone with the bot."""
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
    external_id: str = ""
    files: tuple[File, ...] = ()
    is_ready: bool = True  # false while its files are fetched; its session waits for it
    forwarded_from: str | None = None
    edits: str | None = None
    thread: str | None = None
    addressed: bool = True
    answers: str | None = None  # the question that it answers, or whose answer it brings
    held_for: str | None = None  # the request that a person has to decide before anything is done with it

    def worded(self, written: str) -> str:
        """What the message says with these words below its files: they come first, then what was spoken."""
        return "\n\n".join(filter(None, (written, *(file.heard for file in self.files))))

    @property
    def in_own_words(self) -> bool:
        """Whether its sender wrote it. Only such words order, answer, name or pair; others are merely talked about."""
        return self.forwarded_from is None


@dataclass(frozen=True, kw_only=True, slots=True)
class Chat:
    """A messaging group: one chat on one channel."""

    id: ChatId
    channel: str
    address: str
    title: str
    closed: str | None = None  # why nothing can be said there any more, until someone writes again
    kind: ChatKind = ChatKind.PRIVATE
    strangers: UnknownSenders = UnknownSenders.REQUEST_APPROVAL
    awaits: str | None = None  # the newest open question that words written here answer
    naming: str | None = None  # the request for which a person is asked here what a new agent shall be called


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
    """What the one who pressed is told at once."""

    text: str
    taken: bool
