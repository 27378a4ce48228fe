"""What a bot sends: text, files, albums, typing. Each is checked as Telegram does, and then put into the chat."""

import json
import secrets
from dataclasses import dataclass
from typing import Any

from nanoclaw.testing.telegram.accounts import Bot
from nanoclaw.testing.telegram.chats import Chat
from nanoclaw.testing.telegram.files import StoredFile, tell
from nanoclaw.testing.telegram.form import Form
from nanoclaw.testing.telegram.groups import Group
from nanoclaw.testing.telegram.keyboards import read_keyboard
from nanoclaw.testing.telegram.messages import StoredMessage
from nanoclaw.testing.telegram.refusals import Refusal
from nanoclaw.testing.telegram.text import read_content
from nanoclaw.testing.telegram.world import World

Told = dict[str, Any]

_ACTIONS = {
    "typing", "upload_photo", "record_video", "upload_video", "record_voice", "upload_voice", "upload_document",
    "choose_sticker", "find_location", "record_video_note", "upload_video_note",
}  # fmt: skip
_GENERAL = 1  # the topic that every forum has; a message to it carries no topic
_ALBUM = range(2, 11)
_ALONE = {"document", "audio"}  # kinds that share an album only with their own
_CAPTIONED = {"animation", "photo", "document", "voice", "audio", "video"}


@dataclass(frozen=True, kw_only=True, slots=True)
class _Destination:
    """Where it goes: the chat, the topic, the message that it answers."""

    chat: Chat
    topic: int | None
    reply_to: int | None
    quote: Told
    silent: bool


def open_chat(world: World, bot: Bot, form: Form) -> Chat:
    """The chat, if this bot may write there and is not too fast."""
    chat = world.find_chat(bot, form)
    world.flood.count(bot.id, chat.id, group=chat.kind != "private")
    if refusal := chat.refusal(bot):
        raise refusal
    return chat


def send_message(world: World, bot: Bot, form: Form) -> Told:
    place = _place(world, bot, form)
    content = read_content(form, "text", required=True)
    return _sent(bot, place, "text", content, keyboard=read_keyboard(form))


def send_file(world: World, bot: Bot, form: Form, kind: str) -> Told:
    place = _place(world, bot, form)
    stored = world.files.take(form, kind, kind, form.text(kind))
    content = tell(stored, **_details(form)) | (read_content(form, "caption") if kind in _CAPTIONED else {})
    return _sent(bot, place, stored.kind, content, keyboard=read_keyboard(form), file=stored)


def send_media_group(world: World, bot: Bot, form: Form) -> list[Told]:
    place = _place(world, bot, form)
    items = form.nested("media", "can't parse media JSON object")
    if not isinstance(items, list) or not all(isinstance(item, dict) for item in items):
        raise Refusal("expected an Array of InputMedia")
    if len(items) not in _ALBUM:
        raise Refusal(f"too {'few' if len(items) < _ALBUM.start else 'many'} messages to send as an album")
    kinds = {str(item.get("type")) for item in items}
    if not kinds <= {"photo", "video", "document", "audio"}:
        raise Refusal("can't use the media of the specified type in the album")
    if len(kinds) > 1 and (mixed := kinds & _ALONE):
        raise Refusal(f"{min(mixed)} can't be mixed with other media types")
    # Nothing is shown before everything was checked: an album comes whole or not at all.
    ready: list[tuple[StoredFile, Told]] = []
    for item in items:
        own = Form(values={key: _as_text(value) for key, value in item.items()}, files=form.files)
        stored = world.files.take(own, item["type"], "media", own.text("media"))
        ready.append((stored, tell(stored, **_details(own)) | read_content(own, "caption")))
    album = {"media_group_id": str(secrets.randbits(53))}
    return [
        _sent(bot, place, stored.kind, content, file=stored, extra=dict(album)) for stored, content in ready
    ]


def send_chat_action(world: World, bot: Bot, form: Form) -> bool:
    chat = world.find_chat(bot, form)
    world.flood.count_in_all(bot.id)
    if refusal := chat.refusal(bot):
        raise refusal
    action = form.text("action")
    if action not in _ACTIONS:
        raise Refusal("wrong parameter action in request")
    topic = form.number("message_thread_id")
    if topic is not None and topic != _GENERAL:
        _check_topic(chat, topic)
    chat.show_typing(action, topic)
    return True


def _as_text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)


def _details(form: Form) -> Told:
    numbers = {name: form.number(name) for name in ("duration", "width", "height")}
    words = {name: form.text(name) for name in ("title", "performer")}
    return {key: value for key, value in (numbers | words).items() if value}


def _place(world: World, bot: Bot, form: Form) -> _Destination:
    chat = open_chat(world, bot, form)
    topic = form.number("message_thread_id")
    if topic is not None:
        _check_topic(chat, topic)
    silent = form.flag("disable_notification")
    given = form.nested("reply_parameters", "can't parse reply parameters JSON object") or {}
    message_id = given.get("message_id", form.number("reply_to_message_id"))
    if message_id is None:
        return _Destination(chat=chat, topic=topic, reply_to=None, quote={}, silent=silent)
    replied = chat.messages.get(int(message_id))
    if replied is None or replied.deleted:
        if not (given.get("allow_sending_without_reply") or form.flag("allow_sending_without_reply")):
            raise Refusal("message to be replied not found")
        return _Destination(chat=chat, topic=topic, reply_to=None, quote={}, silent=silent)
    quote = given.get("quote", "")
    if quote and quote not in replied.said:
        raise Refusal("QUOTE_TEXT_INVALID")
    told = {"quote": {"text": quote, "position": 0, "is_manual": True}} if quote else {}
    return _Destination(
        chat=chat, topic=topic or replied.topic, reply_to=replied.id, quote=told, silent=silent
    )


def _check_topic(chat: Chat, topic: int) -> None:
    known = chat.topics.get(topic) if isinstance(chat, Group) else None
    if known is None or known.deleted:
        raise Refusal("message thread not found")
    if known.closed:
        raise Refusal("TOPIC_CLOSED")


def _sent(
    bot: Bot,
    place: _Destination,
    kind: str,
    content: Told,
    *,
    keyboard: Told | None = None,
    file: StoredFile | None = None,
    extra: Told | None = None,
) -> Told:
    kept: StoredMessage = place.chat.add(
        bot,
        kind,
        content,
        topic=place.topic,
        reply_to=place.reply_to,
        keyboard=keyboard,
        file=file,
        extra=place.quote | (extra or {}),
    )
    kept.silent = place.silent
    return place.chat.tell(kept)
