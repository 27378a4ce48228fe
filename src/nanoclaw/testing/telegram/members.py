"""Chat membership in the Bot API's form: members, administrators, those who left or were removed."""

import time
from typing import Any

from nanoclaw.testing.telegram.accounts import Account, Bot
from nanoclaw.testing.telegram.chats import Chat

Told = dict[str, Any]

_RIGHTS = (
    "can_be_edited", "can_manage_chat", "can_delete_messages", "can_manage_video_chats", "can_restrict_members",
    "can_promote_members", "can_change_info", "can_invite_users", "can_post_stories", "can_edit_stories",
    "can_delete_stories", "can_pin_messages",
)  # fmt: skip
_MAY = (
    "can_send_messages", "can_send_audios", "can_send_documents", "can_send_photos", "can_send_videos",
    "can_send_video_notes", "can_send_voice_notes", "can_send_polls", "can_send_other_messages",
    "can_add_web_page_previews", "can_change_info", "can_invite_users", "can_pin_messages", "can_manage_topics",
    "can_edit_tag", "can_react_to_messages",
)  # fmt: skip


def member(account: Account, status: str) -> Told:
    told: Told = {"user": account.told, "status": status}
    if status == "administrator":
        return told | dict.fromkeys(_RIGHTS, True) | {"is_anonymous": False}
    if status == "creator":
        return told | {"is_anonymous": False}
    if status == "restricted":
        return told | dict.fromkeys(_MAY, False) | {"is_member": True, "until_date": 0}
    return told | ({"until_date": 0} if status == "kicked" else {})


def tell_bot(chat: Chat, bot: Bot, by: Account, old: str, new: str) -> None:
    """The bot itself was added, removed, blocked or given rights."""
    bot.updates.push(
        "my_chat_member",
        {
            "chat": chat.told,
            "from": by.told,
            "date": int(time.time()),
            "old_chat_member": member(bot, old),
            "new_chat_member": member(bot, new),
        },
    )
