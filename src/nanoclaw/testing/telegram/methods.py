"""The methods of the Bot API by name, as in the address; Telegram ignores case."""

from collections.abc import Callable
from functools import partial
from typing import Any

from nanoclaw.testing.telegram.accounts import Bot
from nanoclaw.testing.telegram.edits import (
    delete_message,
    edit_message_caption,
    edit_message_reply_markup,
    edit_message_text,
    set_message_reaction,
)
from nanoclaw.testing.telegram.form import Form
from nanoclaw.testing.telegram.groups import Group
from nanoclaw.testing.telegram.members import member
from nanoclaw.testing.telegram.refusals import Refusal
from nanoclaw.testing.telegram.sends import send_chat_action, send_file, send_media_group, send_message
from nanoclaw.testing.telegram.world import World

Method = Callable[[World, Bot, Form], Any]

_GIFTS = ("unlimited_gifts", "limited_gifts", "unique_gifts", "premium_subscription", "gifts_from_channels")


def _get_me(_world: World, bot: Bot, _form: Form) -> Any:
    return bot.full


def _get_chat(world: World, bot: Bot, form: Form) -> Any:
    chat = world.find_chat(bot, form)
    if refusal := chat.refusal(bot):
        raise refusal
    gifts = {"accepted_gift_types": dict.fromkeys(_GIFTS, False)}
    return chat.told | {"accent_color_id": 0, "max_reaction_count": 11} | gifts


def _get_chat_member(world: World, bot: Bot, form: Form) -> Any:
    chat = world.find_chat(bot, form)
    number = form.number("user_id")
    if isinstance(chat, Group) and number in chat.members:
        return member(*chat.members[number])
    known = next((account for account in [*world.people, bot] if account.id == number), None)
    if known is None:
        raise Refusal("user not found")
    return member(known, "left" if isinstance(chat, Group) else "member")


def _answer_callback_query(world: World, bot: Bot, form: Form) -> Any:
    return world.around.presses.answer(bot.id, form)


def _get_file(world: World, _bot: Bot, form: Form) -> Any:
    return world.files.describe(form.text("file_id"))


def _set_commands(_world: World, bot: Bot, form: Form) -> Any:
    return bot.menus.set(form)


def _get_commands(_world: World, bot: Bot, form: Form) -> Any:
    return bot.menus.get(form)


def _delete_commands(_world: World, bot: Bot, form: Form) -> Any:
    return bot.menus.delete(form)


def _get_webhook_info(_world: World, bot: Bot, _form: Form) -> Any:
    return bot.updates.webhook_info()


METHODS: dict[str, Method] = {
    "getme": _get_me,
    "getchat": _get_chat,
    "getchatmember": _get_chat_member,
    "getfile": _get_file,
    "getwebhookinfo": _get_webhook_info,
    "sendmessage": send_message,
    "sendchataction": send_chat_action,
    "sendmediagroup": send_media_group,
    "sendphoto": partial(send_file, kind="photo"),
    "senddocument": partial(send_file, kind="document"),
    "sendvoice": partial(send_file, kind="voice"),
    "sendaudio": partial(send_file, kind="audio"),
    "sendanimation": partial(send_file, kind="animation"),
    "sendvideo": partial(send_file, kind="video"),
    "sendvideonote": partial(send_file, kind="video_note"),
    "sendsticker": partial(send_file, kind="sticker"),
    "editmessagetext": edit_message_text,
    "editmessagecaption": edit_message_caption,
    "editmessagereplymarkup": edit_message_reply_markup,
    "deletemessage": delete_message,
    "setmessagereaction": set_message_reaction,
    "answercallbackquery": _answer_callback_query,
    "setmycommands": _set_commands,
    "getmycommands": _get_commands,
    "deletemycommands": _delete_commands,
}
