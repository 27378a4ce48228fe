"""Repairs sloppy server output before the library parses it: a missing field, a number as text.

Self-hosted servers, proxies and imitations omit what is usual. The library parses all or nothing, and a
person's message must not be lost because of a field that nobody looks at. Who wrote it, where, and what is
never made up. What cannot be repaired is left as it is, so that the library fails on it, and it is set aside.
"""

import time
from collections.abc import Callable, Mapping
from typing import Any

Told = dict[str, Any]

_MISSING = object()


def _number(value: object) -> object:
    """`"12"` and `12.0` are 12; anything that is not a number stays as it is."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, str) and value.strip().removeprefix("-").isdecimal():
        return int(value)
    return value


def _moment(value: object) -> object:
    found = _number(value)
    return found if isinstance(found, int) and not isinstance(found, bool) else int(time.time())


def _text(value: object) -> object:
    return str(value) if isinstance(value, int | float) and not isinstance(value, bool) else value


def _flag(value: object) -> object:
    if isinstance(value, str):
        return value.strip().lower() in ("true", "1", "yes")
    return bool(value) if isinstance(value, int) else value


class _Shape:
    """`fields` says how each is parsed; `usual` gives the default for a missing one."""

    def __init__(
        self, fields: Mapping[str, Callable[[object], object]], usual: Mapping[str, Callable[[Told], object]]
    ) -> None:
        self._fields = fields
        self._usual = usual

    def mend(self, told: Told) -> None:
        for name, read in self._fields.items():
            if name in told:
                told[name] = read(told[name])
        for name, make in self._usual.items():
            if name not in told and (made := make(told)) is not _MISSING:
                told[name] = made


def _always(value: object) -> Callable[[Told], object]:
    return lambda _told: value


def _no(_told: Told) -> bool:
    return False


def _now(_told: Told) -> int:
    return int(time.time())


def _is_bot(told: Told) -> bool:
    """Only bots may have such names."""
    return str(told.get("username", "")).lower().endswith("bot")


def _kind_of_chat(told: Told) -> object:
    """Ids are positive for people, negative for groups and channels; the title does not tell those two apart."""
    number = told.get("id")
    if not isinstance(number, int):
        return _MISSING
    return "private" if number > 0 else "supergroup"


def _before(told: Told) -> object:
    """A current member without a previous state has just become one."""
    new = told.get("new_chat_member")
    user = new.get("user") if isinstance(new, dict) else None
    return {"status": "left", "user": user} if user else _MISSING


_FILE = {"file_id": _text, "file_unique_id": _text, "file_size": _number, "duration": _number}
_OF_FILE = {"file_unique_id": _always("")}
_SIZED = {**_OF_FILE, "width": _always(0), "height": _always(0)}

_USER = _Shape(
    {"id": _number, "is_bot": _flag, "first_name": _text, "last_name": _text, "username": _text},
    {"is_bot": _is_bot, "first_name": _always("")},
)
_CHAT = _Shape({"id": _number, "title": _text, "is_forum": _flag}, {"type": _kind_of_chat})
_MESSAGE = _Shape(
    {
        "message_id": _number,
        "message_thread_id": _number,
        "date": _moment,
        "edit_date": _moment,
        "text": _text,
        "caption": _text,
        "is_topic_message": _flag,
        "media_group_id": _text,
        "migrate_to_chat_id": _number,
        "migrate_from_chat_id": _number,
    },
    {"date": _now},
)
_ENTITY = _Shape({"offset": _number, "length": _number}, {})
_MEMBER = _Shape(
    {},
    dict.fromkeys(
        (
            *("is_anonymous", "is_member", "can_be_edited", "can_manage_chat", "can_delete_messages"),
            *("can_manage_video_chats", "can_restrict_members", "can_promote_members", "can_change_info"),
            *("can_invite_users", "can_post_stories", "can_edit_stories", "can_delete_stories"),
            *("can_pin_messages", "can_send_messages", "can_send_polls", "can_send_other_messages"),
            *("can_add_web_page_previews", "can_manage_topics", "can_send_audios", "can_send_documents"),
            *("can_send_photos", "can_send_videos", "can_send_video_notes", "can_send_voice_notes"),
            *("can_edit_tag", "until_date"),
        ),
        _no,
    ),
)

# By key; a list holds several.
_SHAPES: Mapping[str, _Shape] = {
    **dict.fromkeys(("message", "edited_message", "reply_to_message", "pinned_message"), _MESSAGE),
    **dict.fromkeys(("from", "user", "via_bot", "sender_user", "sender_business_bot"), _USER),
    **dict.fromkeys(("new_chat_members", "left_chat_member"), _USER),
    **dict.fromkeys(("chat", "sender_chat"), _CHAT),
    **dict.fromkeys(("entities", "caption_entities"), _ENTITY),
    **dict.fromkeys(("old_chat_member", "new_chat_member"), _MEMBER),
    "callback_query": _Shape({"id": _text, "data": _text}, {"chat_instance": _always("")}),
    "my_chat_member": _Shape({"date": _moment}, {"date": _now, "old_chat_member": _before}),
    "forward_origin": _Shape({"date": _moment, "message_id": _number}, {"date": _now}),
    "quote": _Shape({"text": _text, "position": _number}, {"position": _always(0)}),
    "photo": _Shape({**_FILE, "width": _number, "height": _number}, _SIZED),
    "voice": _Shape(_FILE, {**_OF_FILE, "duration": _always(0)}),
    "audio": _Shape(_FILE, {**_OF_FILE, "duration": _always(0)}),
    "document": _Shape(_FILE, _OF_FILE),
    **dict.fromkeys(("video", "animation"), _Shape(_FILE, {**_SIZED, "duration": _always(0)})),
    "video_note": _Shape(_FILE, {**_OF_FILE, "length": _always(0), "duration": _always(0)}),
    "sticker": _Shape(
        _FILE,
        {**_SIZED, "is_animated": _no, "is_video": _no, "type": _always("regular")},
    ),
    "contact": _Shape({"phone_number": _text}, {"first_name": _always("")}),
    "dice": _Shape({"value": _number}, {"emoji": _always("")}),
}


def mended_update(raw: object) -> Any:
    """An update as the library can parse it. Raises RecursionError for one that is nested absurdly deep."""
    made = _mended(raw, "")
    if isinstance(made, dict):
        if "update_id" in made:
            made["update_id"] = _number(made["update_id"])
        edited = made.get("edited_message")
        if isinstance(edited, dict):
            edited.setdefault("edit_date", int(time.time()))
    return made


def mended_user(raw: object) -> Any:
    return _mended(raw, "user")


def number_of(raw: object) -> int | None:
    """The number of an update, by which it is confirmed."""
    found = _number(raw.get("update_id")) if isinstance(raw, dict) else None
    return found if isinstance(found, int) and not isinstance(found, bool) else None


def sent_message(raw: object, chat_id: object) -> Told | None:
    """All we need of a sent message: its id. Whatever else the server says about it is ignored."""
    number = _number(raw.get("message_id")) if isinstance(raw, dict) else None
    if not isinstance(number, int) or isinstance(number, bool):
        return None
    where = _number(chat_id)
    chat = {"id": where if isinstance(where, int) else 0, "type": "private"}
    return {"message_id": number, "date": int(time.time()), "chat": chat}


def _mended(value: object, key: str) -> object:
    """A copy, built from the inside out. null counts as missing."""
    if isinstance(value, list):
        return [_mended(each, key) for each in value]
    if not isinstance(value, dict):
        return value
    made = {name: _mended(inner, name) for name, inner in value.items() if inner is not None}
    if shape := _SHAPES.get(key):
        shape.mend(made)
    return made
