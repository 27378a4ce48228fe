"""A chat: its messages as people see them now, what they were before, and what a bot is told of them."""

import asyncio
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from nanoclaw.testing.telegram.accounts import Account, Bot
from nanoclaw.testing.telegram.messages import Button, Memory, StoredMessage, Typing
from nanoclaw.testing.telegram.news import News
from nanoclaw.testing.telegram.refusals import Refusal

Told = dict[str, Any]


@dataclass(frozen=True, kw_only=True, slots=True)
class SeenMessage:
    """A message as a person saw it at one moment. An old one is a client that has not seen the change."""

    id: int
    chat: "Chat" = field(repr=False, compare=False)
    sender: str
    sender_id: int
    by_bot: bool
    kind: str
    text: str
    caption: str
    entities: tuple[Told, ...]
    file_name: str
    data: bytes = field(repr=False)
    buttons: tuple[tuple[Button, ...], ...]
    topic: int | None
    reply_to: int | None
    album: str
    reactions: tuple[str, ...]
    edited: int
    deleted: bool
    silent: bool = False

    @property
    def labels(self) -> list[str]:
        return [button.label for row in self.buttons for button in row]

    def button(self, label: str) -> Button:
        found = [button for row in self.buttons for button in row if button.label == label]
        if not found:
            raise LookupError(f"no button {label!r} among {self.labels}")
        return found[0]


class Chat:
    """`seen` is what is in the chat now, in order; `wait_for` and `wait_until` wake with every change."""

    def __init__(self, chat_id: int, told: Told, memory: Memory) -> None:
        self.id = chat_id
        self.told: Told = {"id": chat_id} | told
        self.bots: dict[int, Bot] = {}
        self.messages: dict[int, StoredMessage] = {}
        self.typing: deque[Typing] = deque(maxlen=1000)
        self.answers = 0  # messages of bots that are in the chat now
        self._memory = memory
        self._ids = memory.ids
        self._news = News()

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.id}>"

    @property
    def kind(self) -> str:
        return str(self.told["type"])

    def refusal(self, bot: Bot) -> Refusal | None:
        """Why this bot may not write here."""
        return None if bot.id in self.bots else Refusal("chat not found")

    # What people see

    @property
    def seen(self) -> list[SeenMessage]:
        return [self.see(kept) for kept in self.messages.values() if not kept.deleted]

    @property
    def all_ever(self) -> list[SeenMessage]:
        """Including deleted ones."""
        return [self.see(kept) for kept in self.messages.values()]

    def texts(self) -> list[str]:
        """What bots say in this chat now, in order: the text of each message, or its caption."""
        return [kept.said for kept in self.messages.values() if kept.sender.is_bot and not kept.deleted]

    def history_of(self, message_id: int) -> list[str]:
        """Every text that this message ever had, as an onlooker saw them."""
        kept = self.messages[message_id]
        return [*kept.history, kept.said]

    async def wait_for(self, count: int = 1, *, patience: float = 60) -> list[str]:
        """Wait until that many messages of bots are in the chat."""
        await self.wait_until(lambda: self.answers >= count, patience=patience)
        return self.texts()

    async def wait_until(self, holds: Callable[[], object], *, patience: float = 60) -> None:
        async with asyncio.timeout(patience):
            await self._news.until(holds)

    def see(self, kept: StoredMessage) -> SeenMessage:
        content = kept.content
        rows = (kept.keyboard or {}).get("inline_keyboard", [])
        return SeenMessage(
            id=kept.id,
            chat=self,
            sender=kept.sender.name,
            sender_id=kept.sender.id,
            by_bot=kept.sender.is_bot,
            kind=kept.kind,
            text=content.get("text", ""),
            caption=content.get("caption", ""),
            entities=tuple(content.get("entities") or content.get("caption_entities") or ()),
            file_name=kept.file.name if kept.file else "",
            data=kept.file.data if kept.file else b"",
            buttons=tuple(
                tuple(
                    Button(label=each["text"], data=each.get("callback_data", ""), url=each.get("url", ""))
                    for each in row
                )
                for row in rows
            ),
            topic=kept.topic,
            reply_to=kept.reply_to,
            album=kept.extra.get("media_group_id", ""),
            silent=kept.silent,
            reactions=kept.reactions,
            edited=kept.edited,
            deleted=kept.deleted,
        )

    # Events

    def add(self, sender: Account, kind: str, content: Told, **more: Any) -> StoredMessage:
        kept = StoredMessage(
            id=next(self._ids), sender=sender, kind=kind, content=content, date=int(time.time()), **more
        )
        self._memory.remember(self.messages, kept)
        self.answers += sender.is_bot
        self._news.tell()
        return kept

    def change(self, kept: StoredMessage, content: Told, keyboard: Told | None) -> None:
        if kept.content != content:
            kept.history.append(kept.said)
        kept.content = content
        kept.keyboard = keyboard
        kept.edited += 1
        kept.edit_date = int(time.time())
        self._news.tell()

    def delete(self, kept: StoredMessage) -> None:
        kept.deleted = True
        self.answers -= kept.sender.is_bot
        self._news.tell()

    def show_typing(self, action: str, topic: int | None) -> None:
        self.typing.append(Typing(action=action, topic=topic, at=time.monotonic()))
        self._news.tell()

    def changed(self) -> None:
        self._news.tell()

    def announce(self, kept: StoredMessage, kind: str = "message") -> None:
        """Tells the bots in the chat. What bots write is not announced: no bot hears another."""
        told = self.tell(kept)
        for bot in self.bots.values():
            bot.updates.push(kind, told)

    def tell(self, kept: StoredMessage, *, in_reply: bool = False) -> Told:
        """A reply carries the message that it answers, but not what that one answered."""
        told: Told = {
            "message_id": kept.id,
            "date": kept.date,
            "chat": self.told,
            **kept.content,
            **kept.extra,
        }
        if self.kind != "channel":
            told["from"] = kept.sender.told
        if kept.topic is not None:
            told |= {"message_thread_id": kept.topic, "is_topic_message": True}
        if kept.edit_date:
            told["edit_date"] = kept.edit_date
        if kept.keyboard and "inline_keyboard" in kept.keyboard:
            told["reply_markup"] = kept.keyboard
        # In a topic, a message that answers nothing is told as an answer to the one that opened the topic.
        replied = self.messages.get(kept.reply_to or kept.topic or 0)
        if replied is not None and replied is not kept and not in_reply:
            told["reply_to_message"] = self.tell(replied, in_reply=True)
        return told


class PrivateChat(Chat):
    """A person and a bot. The id of the chat is the id of the person, as in Telegram."""

    def __init__(self, person: Account, bot: Bot, memory: Memory) -> None:
        super().__init__(person.id, {"type": "private"}, memory)
        self.meet(person)
        self.person = person
        self.bot = bot
        self.bots[bot.id] = bot
        self.blocked = False
        self.deactivated = False

    def meet(self, person: Account) -> None:
        """The chat has the person's name."""
        named = {key: value for key, value in person.told.items() if key in ("first_name", "username")}
        self.told = {"id": person.id, "type": "private"} | named

    def refusal(self, bot: Bot) -> Refusal | None:
        if self.deactivated:
            return Refusal("user is deactivated", status=403)
        return Refusal("bot was blocked by the user", status=403) if self.blocked else super().refusal(bot)
