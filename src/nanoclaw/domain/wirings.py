"""How a chat is wired to an agent group: when the agent engages, for whom, and what happens to the rest."""

from dataclasses import dataclass
from enum import StrEnum

from nanoclaw.domain.ids import ChatId

ALWAYS = "."
"""The pattern that every message matches, even a file without a caption."""


class ChatKind(StrEnum):
    """Who is in a chat; the defaults of a wiring depend on it."""

    PRIVATE = "private"  # a person in private with us
    GROUP = "group"  # several people
    THREADED = "threaded"  # several people, with threads


class EngageMode(StrEnum):
    """When an agent takes a message up."""

    PATTERN = "pattern"  # if its words match a pattern
    MENTION = "mention"  # if it mentions the bot, or replies to it
    MENTION_STICKY = "mention-sticky"  # the same, and from then on everything in that thread


class SenderScope(StrEnum):
    """Whose messages an agent takes up."""

    ALL = "all"  # of everyone who may speak in the chat
    KNOWN = "known"  # only of members of its agent group, even if the chat is public


class IgnoredMessages(StrEnum):
    """What happens to a message on which the agent does not engage."""

    DROP = "drop"  # the agent never sees it
    ACCUMULATE = "accumulate"  # it is kept, and read with the next message that wakes the agent


class UnknownSenders(StrEnum):
    """What happens if someone nobody has vouched for writes in a chat."""

    REQUEST_APPROVAL = "request_approval"  # an owner or admin is asked, and the message waits
    STRICT = "strict"  # it is dropped, and nobody is asked
    PUBLIC = "public"  # anyone may speak there, without commands


@dataclass(frozen=True, kw_only=True, slots=True)
class Engage:
    """A mode, and the pattern that goes with the mode `pattern`."""

    mode: EngageMode
    pattern: str | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Wiring:
    chat_id: ChatId
    group: str
    engage: Engage
    senders: SenderScope = SenderScope.ALL
    ignored: IgnoredMessages = IgnoredMessages.DROP
    priority: int = 0  # the lowest starts first


def usual_engage(kind: ChatKind) -> Engage:
    """In a private chat everything is meant for the agent; in a group it waits for a mention."""
    match kind:
        case ChatKind.PRIVATE:
            return Engage(mode=EngageMode.PATTERN, pattern=ALWAYS)
        case ChatKind.THREADED:
            return Engage(mode=EngageMode.MENTION_STICKY)
        case ChatKind.GROUP:
            return Engage(mode=EngageMode.MENTION)
