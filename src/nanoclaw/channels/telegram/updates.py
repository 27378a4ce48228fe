"""What an update of Telegram says, in our terms: a message, a press, or news about a chat. Pure."""

from dataclasses import dataclass
from datetime import timedelta
from zlib import crc32

from telegram import (
    CallbackQuery,
    Chat,
    ChatMemberUpdated,
    Message,
    MessageEntity,
    MessageOriginChannel,
    MessageOriginChat,
    MessageOriginHiddenUser,
    MessageOriginUser,
    Update,
    User,
)
from telegram.constants import ChatMemberStatus, ChatType

from nanoclaw.channels.telegram.names import PREFIX
from nanoclaw.domain.messages import File, FileKind, Incoming, Press, Quote
from nanoclaw.domain.people import ANONYMOUS
from nanoclaw.domain.wirings import ChatKind

WANTED = ("message", "edited_message", "callback_query", "my_chat_member")

_OUTSIDE = (ChatMemberStatus.LEFT, ChatMemberStatus.BANNED)
_LONGEST_QUOTE = 2000


@dataclass(frozen=True, kw_only=True, slots=True)
class Pressing:
    """A press, and the query that must be answered at once."""

    press: Press
    query_id: str


@dataclass(frozen=True, kw_only=True, slots=True)
class ChatMoved:
    address: str
    to: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Joined:
    """Someone added us to a chat: who and where, as if they had said something there."""

    incoming: Incoming


@dataclass(frozen=True, kw_only=True, slots=True)
class ChatClosed:
    address: str
    why: str


Heard = Incoming | Pressing | ChatMoved | Joined | ChatClosed | None
"""None: it does not concern us."""


def read(update: Update, *, channel: str, me: User) -> Heard:
    if message := update.message or update.edited_message:
        if message.migrate_to_chat_id:
            return ChatMoved(address=str(message.chat.id), to=str(message.migrate_to_chat_id))
        if message.migrate_from_chat_id:
            return ChatMoved(address=str(message.migrate_from_chat_id), to=str(message.chat.id))
        return _incoming(message, channel, me)
    if update.callback_query:
        return _press(update.callback_query, channel)
    if update.my_chat_member:
        return _membership(update.my_chat_member, channel)
    return None


def address_of(update: Update) -> str:
    """The chat of an update: those of one chat are taken in sequentially."""
    return str(update.effective_chat.id) if update.effective_chat else ""


def _incoming(message: Message, channel: str, me: User) -> Incoming | None:
    if message.edit_date and message.location:
        return None  # a live location sends every step, for hours
    text = _as_command(message, me) or message.text or message.caption or _described(message)
    files = _files(message)
    handle, sender = _sender(message)
    if (not text and not files) or (
        message.from_user and message.from_user.is_bot and not message.sender_chat
    ):
        return None  # someone joined, a title changed; or another bot speaks, and two bots would never end
    edited_at = message.edit_date
    number = str(message.message_id)
    return Incoming(
        channel=channel,
        address=str(message.chat.id),
        external_id=f"{number}:{int(edited_at.timestamp())}:{crc32(text.encode())}" if edited_at else number,
        handle=handle,
        sender=sender,
        text=text,
        sent_at=edited_at or message.date,
        thread=str(message.message_thread_id) if message.is_topic_message else None,
        chat_title=message.chat.title or sender,
        reply_to=_quote(message, me),
        files=() if edited_at else files,
        album=message.media_group_id,
        edits=number if edited_at else None,
        forwarded_from=_whose(message),
        kind=_kind(message.chat),
        addressed=_is_addressed(message, me),
        language=message.from_user.language_code if message.from_user else None,
        username=None if message.sender_chat or not message.from_user else message.from_user.username,
    )


def _sender(message: Message) -> tuple[str, str]:
    """An anonymous admin or a channel speaks as a chat, not as a person that we know."""
    if message.from_user and not message.sender_chat:
        return f"{PREFIX}:{message.from_user.id}", message.from_user.full_name or ""
    speaks = message.sender_chat or message.chat
    return f"{PREFIX}{ANONYMOUS}:{speaks.id}", _chat_name(speaks)


def _kind(chat: Chat) -> ChatKind:
    if chat.type == ChatType.PRIVATE:
        return ChatKind.PRIVATE
    return ChatKind.THREADED if chat.is_forum else ChatKind.GROUP


def _chat_name(chat: Chat) -> str:
    return chat.title or chat.full_name or str(chat.id)


def _described(message: Message) -> str:
    """What is neither text nor a file, in words that an agent understands."""
    if sticker := message.sticker:
        return f"[sticker {sticker.emoji or ''} of the set {sticker.set_name or 'unknown'}]"
    if venue := message.venue:
        where = venue.location
        return f"[place: {venue.title}, {venue.address}; {where.latitude:.6f}, {where.longitude:.6f}]"
    if place := message.location:
        return f"[location: latitude {place.latitude:.6f}, longitude {place.longitude:.6f}]"
    if contact := message.contact:
        name = " ".join(filter(None, (contact.first_name, contact.last_name)))
        return f"[contact: {name}, {contact.phone_number}]"
    if poll := message.poll:
        return f"[poll: {poll.question} " + " / ".join(option.text for option in poll.options) + "]"
    if dice := message.dice:
        return f"[dice {dice.emoji}: {dice.value}]"
    if message.story or message.game or message.invoice or message.giveaway or message.paid_media:
        return "[something that this host cannot read]"
    return ""


def _files(message: Message) -> tuple[File, ...]:
    """The files of a message: at most one. A photo comes in several sizes, largest last; an animation also as
    a document.
    """
    number = str(message.message_id)
    photo = message.photo[-1] if message.photo else None
    for kind, name, media_type, found in (
        (FileKind.PHOTO, f"photo-{number}.jpg", "image/jpeg", photo),
        (FileKind.VOICE, f"voice-{number}.ogg", "audio/ogg", message.voice),
        (FileKind.VIDEO, f"video-{number}.mp4", "video/mp4", message.video_note),
        (FileKind.VIDEO, f"video-{number}.mp4", "video/mp4", message.animation),
        (FileKind.AUDIO, f"audio-{number}.mp3", "audio/mpeg", message.audio),
        (FileKind.VIDEO, f"video-{number}.mp4", "video/mp4", message.video),
        (FileKind.DOCUMENT, f"document-{number}", "application/octet-stream", message.document),
    ):
        if found:
            file = File(
                kind=kind,
                name=getattr(found, "file_name", None) or name,
                media_type=getattr(found, "mime_type", None) or media_type,
                ref=found.file_id,
                part_of=number,
                size=found.file_size,
                seconds=_seconds(getattr(found, "duration", None)),
            )
            return (file,)
    return ()


def _seconds(duration: int | float | timedelta | None) -> float | None:
    return duration.total_seconds() if isinstance(duration, timedelta) else duration


def _quote(message: Message, me: User) -> Quote | None:
    """In a topic every message is a reply to its opening, which nobody means."""
    quoted = message.reply_to_message
    if quoted is None or quoted.forum_topic_created:
        return None
    whole = quoted.text or quoted.caption or _described(quoted) or _named_file(quoted)
    chosen = message.quote.text if message.quote else whole
    return Quote(
        ref=str(quoted.message_id),
        sender=_sender(quoted)[1],
        text=(chosen or "")[:_LONGEST_QUOTE],
        # Only if the whole message was quoted: a part of it proves nothing.
        ours=message.quote is None and quoted.from_user is not None and quoted.from_user.id == me.id,
    )


def _named_file(message: Message) -> str:
    """A file being replied to that the host does not know; of known files it can tell more."""
    return "".join(f"[{file.kind.value}: {file.name}]" for file in _files(message))


def _whose(message: Message) -> str | None:
    """Who made it, if not its sender: it was forwarded, or another bot wrote it for them (inline, business).
    A bot can be made to write anything, even a command; the sender only tapped it.
    """
    if origin := _origin(message):
        return origin
    if bot := message.via_bot or message.sender_business_bot:
        return f"@{bot.username}" if bot.username else bot.full_name or "?"
    # Servers older than `forward_origin` report it like this.
    return "?" if any(name.startswith("forward_") for name in message.api_kwargs) else None


def _origin(message: Message) -> str | None:
    match message.forward_origin:
        case MessageOriginUser(sender_user=user):
            return user.full_name or "?"
        case MessageOriginHiddenUser(sender_user_name=name):
            return name or "?"
        case MessageOriginChat(sender_chat=chat):
            return _chat_name(chat)
        case MessageOriginChannel(chat=chat):
            return _chat_name(chat)
        case None:
            return None
    return "?"


def _is_addressed(message: Message, me: User) -> bool:
    """By what Telegram marked in the text, not by searching it: a name in a quoted email is not a mention."""
    if message.chat.type == ChatType.PRIVATE:
        return True
    wanted = f"@{me.username or ''}".lower()  # without a username nobody can mention it
    found = {**message.parse_entities(), **message.parse_caption_entities()}
    if any(_is_others_command(entity, text.lower(), wanted) for entity, text in found.items()):
        return False
    replied = message.reply_to_message
    if replied and replied.from_user and replied.from_user.id == me.id and not replied.forum_topic_created:
        return True
    return any(_calls(entity, text.lower(), wanted, me) for entity, text in found.items())


def _as_command(message: Message, me: User) -> str | None:
    """`@us /status` is the command `/status`; a mention before anything else stays."""
    text = message.text or message.caption or ""
    ours = f"@{me.username or ''}".lower()
    if not me.username or not text.lower().startswith(ours):
        return None
    rest = text[len(ours) :]
    command = rest.lstrip(" \t\n\xa0,:")
    # `@us_too /stop` and `@us /stop@others` address someone else.
    word, *_ = command.split(maxsplit=1) or [""]
    is_others = "@" in word and not word.lower().endswith(ours)
    return command if command.startswith("/") and rest != command and not is_others else None


def _is_others_command(entity: MessageEntity, text: str, wanted: str) -> bool:
    """`/clear@other_bot`, even in reply to us."""
    is_command = entity.type == MessageEntity.BOT_COMMAND and entity.offset == 0
    return is_command and "@" in text and not text.endswith(wanted)


def _calls(entity: MessageEntity, text: str, wanted: str, me: User) -> bool:
    if entity.type == MessageEntity.MENTION:
        return text == wanted
    if entity.type == MessageEntity.TEXT_MENTION:
        return entity.user is not None and entity.user.id == me.id
    if entity.type == MessageEntity.BOT_COMMAND:
        return "@" not in text or text.endswith(wanted)
    return False


def _press(query: CallbackQuery, channel: str) -> Pressing | None:
    if query.message is None or query.data is None:
        return None
    return Pressing(
        query_id=query.id,
        press=Press(
            channel=channel,
            address=str(query.message.chat.id),
            handle=f"{PREFIX}:{query.from_user.id}",
            platform_id=str(query.message.message_id),
            data=query.data,
        ),
    )


def _membership(change: ChatMemberUpdated, channel: str) -> Joined | ChatClosed | None:
    """Blocked by a person, removed from a group, or added to one. In a private chat, they will write.

    An anonymous group admin is reported as a bot.
    """
    is_private = change.chat.type == ChatType.PRIVATE
    if change.new_chat_member.status in _OUTSIDE:
        why = "bot was blocked by the user" if is_private else "bot was removed from the group"
        return ChatClosed(address=str(change.chat.id), why=why)
    if is_private or change.chat.type == ChatType.CHANNEL or change.old_chat_member.status not in _OUTSIDE:
        return None
    by, hides = change.from_user, change.from_user.is_bot
    return Joined(
        incoming=Incoming(
            addressed=True,
            channel=channel,
            address=str(change.chat.id),
            external_id="",
            handle=f"{PREFIX}{ANONYMOUS}:{change.chat.id}" if hides else f"{PREFIX}:{by.id}",
            sender=_chat_name(change.chat) if hides else by.full_name or "",
            text="",
            sent_at=change.date,
            chat_title=change.chat.title or "",
            kind=_kind(change.chat),
            language=by.language_code,
            username=None if hides else by.username,
        )
    )
