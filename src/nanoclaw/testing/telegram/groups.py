"""Groups, forums with topics, and channels: who is in them, and what can happen to a bot there."""

import itertools
from typing import Any

from nanoclaw.testing.telegram.accounts import ANONYMOUS_ADMIN, CHANNEL_BOT, TELEGRAM, Account, Bot
from nanoclaw.testing.telegram.chats import Chat, SeenMessage
from nanoclaw.testing.telegram.members import tell_bot
from nanoclaw.testing.telegram.messages import Memory
from nanoclaw.testing.telegram.refusals import Refusal
from nanoclaw.testing.telegram.text import find_entities

_LONG = -1_002_000_000_000
_IN = ("member", "administrator", "creator", "restricted")


class Topic:
    """A part of a forum. Its id is the id of the message that opened it."""

    def __init__(self, topic_id: int, name: str) -> None:
        self.id = topic_id
        self.name = name
        self.closed = False
        self.deleted = False


class Group(Chat):
    """Listed in `chats` by its id."""

    def __init__(self, told: dict[str, Any], owner: Account, memory: Memory, chats: dict[int, Chat]) -> None:
        number = len(chats) + 1
        # A plain group has a short id, everything else one that begins with -100.
        super().__init__(-4_000_000_000 - number if told["type"] == "group" else _LONG - number, told, memory)
        chats[self.id] = self
        self.owner = owner
        self.members: dict[int, tuple[Account, str]] = {owner.id: (owner, "creator")}
        self.topics: dict[int, Topic] = {}
        self.upgraded_to: Group | None = None
        self._deleted = False
        self._chats = chats
        if self.kind != "group":  # a supergroup numbers its own messages
            self._ids = itertools.count(2)

    def refusal(self, bot: Bot) -> Refusal | None:
        if self.upgraded_to is not None:
            return Refusal(
                "group chat was upgraded to a supergroup chat", migrate_to_chat_id=self.upgraded_to.id
            )
        if self._deleted:
            return Refusal("the group chat was deleted", status=403)
        status = self.status(bot)
        if status == "kicked":
            return Refusal(f"bot was kicked from the {self.kind} chat", status=403)
        if status == "left":
            known = bot.id in self.members
            return (
                Refusal(f"bot is not a member of the {self.kind} chat", status=403)
                if known
                else super().refusal(bot)
            )
        if status == "restricted":
            return Refusal("not enough rights to send text messages to the chat")
        return None

    def status(self, account: Account) -> str:
        return self.members.get(account.id, (account, "left"))[1]

    def set_status(self, account: Account, status: str, *, by: Account | None = None) -> None:
        old = self.status(account)
        self.members[account.id] = (account, status)
        if isinstance(account, Bot):
            if status in _IN:
                self.bots[account.id] = account
            else:
                self.bots.pop(account.id, None)
            tell_bot(self, account, by or self.owner, old, status)

    # Actions of the group's owner

    def adds(self, bot: Bot, *, by: Account | None = None) -> None:
        """By the owner, unless someone else is named. The bot is told, and sees the line in the chat."""
        who = by or self.owner
        self.set_status(bot, "member", by=who)
        self.announce(self.add(who, "service", {"new_chat_members": [bot.told]}))

    def removes(self, bot: Bot) -> None:
        self.set_status(bot, "kicked")

    def promotes(self, bot: Bot) -> None:
        self.set_status(bot, "administrator")

    def silences(self, bot: Bot) -> None:
        self.set_status(bot, "restricted")

    def deletes(self) -> None:
        self._deleted = True

    def topic(self, name: str) -> Topic:
        """A new topic; the group must be a forum."""
        if not self.told.get("is_forum"):
            raise ValueError("only a forum has topics")
        opened = {"forum_topic_created": {"name": name, "icon_color": 7322096}}
        kept = self.add(self.owner, "service", opened)
        kept.topic = kept.id
        self.topics[kept.id] = Topic(kept.id, name)
        self.announce(kept)
        return self.topics[kept.id]

    def upgrades(self) -> "Group":
        """The group becomes a supergroup with another id; the old one accepts nothing any more."""
        told = {key: value for key, value in self.told.items() if key != "id"} | {"type": "supergroup"}
        upgraded = Group(told, self.owner, self._memory, self._chats)
        upgraded.members, upgraded.bots = dict(self.members), dict(self.bots)
        self.announce(self.add(self.owner, "service", {"migrate_to_chat_id": upgraded.id}))
        upgraded.announce(upgraded.add(self.owner, "service", {"migrate_from_chat_id": self.id}))
        self.upgraded_to = upgraded
        return upgraded

    async def says_as(self, writer: Chat, text: str, *, topic: Topic | None = None) -> SeenMessage:
        """In the name of the group itself (an anonymous administrator) or of a channel."""
        content = {"text": text, "entities": find_entities(text)}
        sender = ANONYMOUS_ADMIN if writer is self else CHANNEL_BOT
        kept = self.add(sender, "text", content, topic=topic and topic.id, extra={"sender_chat": writer.told})
        self.answers -= 1  # these accounts are bots in name only
        self.announce(kept)
        return self.see(kept)


class Channel(Group):
    """`discussed_in` is the group that gets a copy of every post."""

    discussed_in: Group | None = None

    async def posts(self, text: str) -> SeenMessage:
        content = {"text": text, "entities": find_entities(text)}
        kept = self.add(self.owner, "text", content, extra={"sender_chat": self.told})
        self.announce(kept, "channel_post")
        if self.discussed_in is not None:
            origin = {"type": "channel", "chat": self.told, "message_id": kept.id, "date": kept.date}
            forwarded = {"sender_chat": self.told, "forward_origin": origin, "is_automatic_forward": True}
            self.discussed_in.announce(self.discussed_in.add(TELEGRAM, "text", content, extra=forwarded))
        return self.see(kept)
