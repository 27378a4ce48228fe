"""Messages as Telegram keeps them; the oldest are forgotten when the memory is full."""

import itertools
from collections import deque
from dataclasses import dataclass, field
from typing import Any

from nanoclaw.testing.telegram.accounts import Account
from nanoclaw.testing.telegram.files import StoredFile

Told = dict[str, Any]


@dataclass(frozen=True, kw_only=True, slots=True)
class Button:
    label: str
    data: str = ""
    url: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class Typing:
    action: str
    topic: int | None
    at: float


@dataclass(kw_only=True, slots=True)
class StoredMessage:
    """A message as Telegram keeps it; `content` is in the Bot API's form."""

    id: int
    sender: Account
    kind: str
    content: Told
    date: int
    file: StoredFile | None = None
    topic: int | None = None
    reply_to: int | None = None
    keyboard: Told | None = None
    extra: Told = field(default_factory=dict)  # sender_chat, forward_origin, media_group_id, quote
    edited: int = 0
    edit_date: int = 0
    deleted: bool = False
    silent: bool = False  # it came without a sound
    reactions: tuple[str, ...] = ()
    history: list[str] = field(default_factory=list)

    @property
    def said(self) -> str:
        return str(self.content.get("text") or self.content.get("caption") or "")


class Memory:
    """Forgets the oldest messages, so that a hundred thousand updates do not fill the machine's memory."""

    def __init__(self, keep: int) -> None:
        self._keep = keep
        self._kept: deque[tuple[dict[int, StoredMessage], int]] = deque()
        self.ids = itertools.count(101)

    def remember(self, messages: dict[int, StoredMessage], kept: StoredMessage) -> None:
        messages[kept.id] = kept
        self._kept.append((messages, kept.id))
        if len(self._kept) > self._keep:
            oldest, message_id = self._kept.popleft()
            oldest.pop(message_id, None)
