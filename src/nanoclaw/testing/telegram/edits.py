"""What a bot changes afterwards: text, caption, keyboard, reactions, or deleting the message."""

import re
from typing import Any

from nanoclaw.testing.telegram.accounts import Bot
from nanoclaw.testing.telegram.chats import Chat
from nanoclaw.testing.telegram.form import Form
from nanoclaw.testing.telegram.groups import Group
from nanoclaw.testing.telegram.keyboards import read_keyboard
from nanoclaw.testing.telegram.messages import StoredMessage
from nanoclaw.testing.telegram.refusals import Refusal
from nanoclaw.testing.telegram.sends import open_chat
from nanoclaw.testing.telegram.text import read_content
from nanoclaw.testing.telegram.world import World

Told = dict[str, Any]

_SAME = (
    "message is not modified: specified new message content and reply markup are exactly the same as a current "
    "content and reply markup of the message"
)
_REACTIONS = re.compile(
    "[👍👎❤🔥🥰👏😁🤔🤯😱🤬😢🎉🤩🤮💩🙏👌🕊🤡🥱🥴😍🐳🌚🌭💯🤣⚡🍌🏆💔🤨😐🍓🍾💋🖕😈😴😭🤓👻👀🎃🙈😇😨🤝✍🤗🫡"
    "🎅🎄☃💅🤪🗿🆒💘🙉🦄😘💊🙊😎👾🤷😡]|❤\ufe0f?\u200d🔥|👨\u200d💻|🤷\u200d[♂♀]\ufe0f?"
)


def edit_message_text(world: World, bot: Bot, form: Form) -> Told:
    chat, kept = _editable(world, bot, form)
    if kept.kind != "text":
        raise Refusal("there is no text in the message to edit")
    content = read_content(form, "text", required=True, too_long="MESSAGE_TOO_LONG")
    return _changed(chat, kept, content, form)


def edit_message_caption(world: World, bot: Bot, form: Form) -> Told:
    chat, kept = _editable(world, bot, form)
    if kept.file is None:
        raise Refusal("there is no caption in the message to edit")
    rest = {key: value for key, value in kept.content.items() if not key.startswith("caption")}
    return _changed(chat, kept, rest | read_content(form, "caption"), form)


def edit_message_reply_markup(world: World, bot: Bot, form: Form) -> Told:
    chat, kept = _editable(world, bot, form)
    return _changed(chat, kept, kept.content, form)


def delete_message(world: World, bot: Bot, form: Form) -> bool:
    chat, kept = _found(world, bot, form, "message to delete not found", counted=False)
    admin = isinstance(chat, Group) and chat.status(bot) == "administrator"
    if kept.sender is not bot and chat.kind != "private" and not admin:
        raise Refusal("message can't be deleted")
    chat.delete(kept)
    return True


def set_message_reaction(world: World, bot: Bot, form: Form) -> bool:
    chat, kept = _found(world, bot, form, "message to react not found", counted=False)
    given = form.nested("reaction", "can't parse reaction types JSON object") or []
    if len(given) > 1:
        raise Refusal("REACTIONS_TOO_MANY")
    emojis = tuple(str(each.get("emoji", "")) for each in given)
    if not all(_REACTIONS.fullmatch(emoji) for emoji in emojis):
        raise Refusal("REACTION_INVALID")
    kept.reactions = emojis
    chat.changed()
    return True


def _found(world: World, bot: Bot, form: Form, missing: str, *, counted: bool) -> tuple[Chat, StoredMessage]:
    if counted:
        chat = open_chat(world, bot, form)
    else:
        chat = world.find_chat(bot, form)
        world.flood.count_in_all(bot.id)
        if refusal := chat.refusal(bot):
            raise refusal
    number = form.number("message_id")
    if number is None:
        raise Refusal("message identifier is not specified")
    kept = chat.messages.get(number)
    if kept is None or kept.deleted:
        raise Refusal(missing)
    return chat, kept


def _editable(world: World, bot: Bot, form: Form) -> tuple[Chat, StoredMessage]:
    chat, kept = _found(world, bot, form, "message to edit not found", counted=True)
    if kept.sender is not bot:
        raise Refusal("message can't be edited")
    return chat, kept


def _changed(chat: Chat, kept: StoredMessage, content: Told, form: Form) -> Told:
    keyboard = read_keyboard(form, inline=True)
    if content == kept.content and keyboard == kept.keyboard:
        raise Refusal(_SAME)
    chat.change(kept, content, keyboard)
    return chat.tell(kept)
