"""The people on the other side: they write, edit, send files, press buttons, block, join and leave."""

import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from nanoclaw.testing.telegram.accounts import Account, Bot
from nanoclaw.testing.telegram.chats import Chat, PrivateChat, SeenMessage
from nanoclaw.testing.telegram.files import FileStore, StoredFile, tell
from nanoclaw.testing.telegram.groups import Group, Topic
from nanoclaw.testing.telegram.members import tell_bot
from nanoclaw.testing.telegram.messages import Memory
from nanoclaw.testing.telegram.presses import Press, Presses
from nanoclaw.testing.telegram.text import find_entities

Told = dict[str, Any]


@dataclass(frozen=True, kw_only=True, slots=True)
class Surroundings:
    """What a person needs to act: where files and messages are kept, and who answers presses."""

    files: FileStore
    memory: Memory
    presses: Presses
    private: dict[tuple[int, int], PrivateChat]


class Person(Account):
    """Each verb is what someone does in the app; it returns the message as it is in the chat."""

    def __init__(
        self, person_id: int, name: str, around: Surroundings, *, username: str, language: str
    ) -> None:
        super().__init__(person_id, name, is_bot=False, username=username, language=language)
        self._around = around

    def chat_with(self, bot: Bot) -> PrivateChat:
        """The private chat with a bot, opened the first time."""
        key = (bot.id, self.id)
        if key not in self._around.private:
            self._around.private[key] = PrivateChat(self, bot, self._around.memory)
        return self._around.private[key]

    def menu(self, chat: Chat, bot: Bot) -> dict[str, str]:
        """The commands that the app offers there, in this person's language."""
        return bot.menus.seen(chat_id=chat.id, private=chat.kind == "private", language=self.language)

    # Writing

    async def says(self, chat: Chat, text: str, **place: Any) -> SeenMessage:
        """`reply_to=message` and `topic=topic` say where."""
        return self._send(chat, "text", _text("text", text), **place)

    async def edits(self, message: SeenMessage, text: str) -> SeenMessage:
        kept = message.chat.messages[message.id]
        field = "text" if kept.kind == "text" else "caption"
        rest = {key: value for key, value in kept.content.items() if not key.endswith(("entities", field))}
        message.chat.change(kept, rest | _text(field, text), kept.keyboard)
        message.chat.announce(kept, "edited_message")
        return message.chat.see(kept)

    async def deletes(self, message: SeenMessage) -> None:
        """Bots are not told."""
        message.chat.delete(message.chat.messages[message.id])

    async def forwards(self, message: SeenMessage, chat: Chat, **place: Any) -> SeenMessage:
        kept = message.chat.messages[message.id]
        origin = {"type": "user", "date": kept.date, "sender_user": kept.sender.told}
        return self._send(
            chat, kept.kind, kept.content, file=kept.file, extra={"forward_origin": origin}, **place
        )

    async def says_through(self, inline: Bot, chat: Chat, text: str, **place: Any) -> SeenMessage:
        """Send what another bot offered inline and this person tapped: the words are that bot's."""
        return self._send(chat, "text", _text("text", text), extra={"via_bot": inline.told}, **place)

    # Files: real bytes, names as given. `size` makes Telegram report another size, or none

    async def sends_document(
        self,
        chat: Chat,
        data: bytes,
        *,
        name: str = "document",
        mime: str = "",
        size: int | None = -1,
        **more: Any,
    ) -> SeenMessage:
        return self._send_file(chat, self._file("document", data, name, mime, size), **more)

    async def sends_photo(
        self, chat: Chat, data: bytes, *, size: int | None = -1, **more: Any
    ) -> SeenMessage:
        return self._send_file(chat, self._file("photo", data, "", "", size), **more)

    async def sends_voice(
        self, chat: Chat, data: bytes, *, duration: int = 1, size: int | None = -1, **more: Any
    ) -> SeenMessage:
        told = {"duration": duration}
        return self._send_file(chat, self._file("voice", data, "", "", size), told=told, **more)

    async def sends_audio(
        self, chat: Chat, data: bytes, *, name: str = "audio.mp3", **more: Any
    ) -> SeenMessage:
        return self._send_file(chat, self._file("audio", data, name, "", -1), **more)

    async def sends_video(
        self, chat: Chat, data: bytes, *, name: str = "video.mp4", **more: Any
    ) -> SeenMessage:
        return self._send_file(chat, self._file("video", data, name, "", -1), **more)

    async def sends_video_note(self, chat: Chat, data: bytes, **more: Any) -> SeenMessage:
        return self._send_file(chat, self._file("video_note", data, "", "", -1), **more)

    async def sends_sticker(self, chat: Chat, emoji: str, data: bytes = b"RIFF", **more: Any) -> SeenMessage:
        told = {"emoji": emoji, "set_name": "test_set"}
        return self._send_file(chat, self._file("sticker", data, "", "", -1), told=told, **more)

    async def sends_album(
        self, chat: Chat, items: Sequence[bytes | tuple[str, bytes]], *, caption: str = "", **place: Any
    ) -> list[SeenMessage]:
        """Photos as bytes, documents as a name with bytes. Each item is an update of its own, as in Telegram."""
        album = {"media_group_id": str(secrets.randbits(53))}
        sent = []
        for number, item in enumerate(items):
            kind, name, data = ("photo", "", item) if isinstance(item, bytes) else ("document", *item)
            stored = self._file(kind, data, name, "", -1)
            words = caption if number == 0 else ""
            sent.append(self._send_file(chat, stored, caption=words, extra=album, **place))
        return sent

    async def sends_location(
        self, chat: Chat, latitude: float, longitude: float, **place: Any
    ) -> SeenMessage:
        content = {"location": {"latitude": latitude, "longitude": longitude}}
        return self._send(chat, "location", content, **place)

    async def sends_contact(self, chat: Chat, phone: str, name: str, **place: Any) -> SeenMessage:
        content = {"contact": {"phone_number": phone, "first_name": name}}
        return self._send(chat, "contact", content, **place)

    # Buttons, blocking, coming and going

    async def presses(self, message: SeenMessage, label: str) -> Press:
        """Press a button. A message seen before may have lost it since: that is a press on an old card."""
        chat, kept = message.chat, message.chat.messages.get(message.id)
        data = message.button(label).data
        # Of a deleted message only its place is told.
        told = chat.tell(kept) if kept and not kept.deleted else _place(message)
        press = self._around.presses.begin(message.sender_id)
        query = {
            "id": press.id,
            "from": self.told,
            "message": told,
            "chat_instance": str(chat.id),
            "data": data,
        }
        if bot := chat.bots.get(message.sender_id):  # a removed bot is told nothing
            bot.updates.push("callback_query", query)
        return press

    def blocks(self, bot: Bot) -> None:
        chat = self.chat_with(bot)
        chat.blocked = True
        tell_bot(chat, bot, self, "member", "kicked")

    def unblocks(self, bot: Bot) -> None:
        chat = self.chat_with(bot)
        chat.blocked = False
        tell_bot(chat, bot, self, "kicked", "member")

    def renames(self, name: str, *, username: str = "") -> None:
        """Bots do not know before this person does something."""
        self.rename(name, username)
        for chat in self._around.private.values():
            if chat.person is self:
                chat.meet(self)

    def deletes_account(self) -> None:
        for chat in self._around.private.values():
            chat.deactivated = chat.deactivated or chat.person is self

    async def joins(self, group: Group) -> None:
        group.set_status(self, "member")
        group.announce(group.add(self, "service", {"new_chat_members": [self.told]}))

    async def leaves(self, group: Group) -> None:
        group.set_status(self, "left")
        group.announce(group.add(self, "service", {"left_chat_member": self.told}))

    def _file(self, kind: str, data: bytes, name: str, mime: str, size: int | None) -> StoredFile:
        return self._around.files.add(kind, data, name=name, mime=mime, size=size)

    def _send_file(
        self, chat: Chat, stored: StoredFile, *, told: Told | None = None, caption: str = "", **more: Any
    ) -> SeenMessage:
        content = tell(stored, **(told or {})) | (_text("caption", caption) if caption else {})
        return self._send(chat, stored.kind, content, file=stored, **more)

    def _send(
        self,
        chat: Chat,
        kind: str,
        content: Told,
        *,
        reply_to: SeenMessage | None = None,
        topic: Topic | None = None,
        **more: Any,
    ) -> SeenMessage:
        kept = chat.add(
            self, kind, content, reply_to=reply_to and reply_to.id, topic=topic and topic.id, **more
        )
        chat.announce(kept)
        return chat.see(kept)


def _place(message: SeenMessage) -> Told:
    return {"chat": message.chat.told, "message_id": message.id, "date": 0}


def _text(field: str, text: str) -> Told:
    found = find_entities(text)
    name = "entities" if field == "text" else "caption_entities"
    return {field: text, name: found} if found else {field: text}
