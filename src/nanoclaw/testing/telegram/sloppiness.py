"""A server less careful than Telegram: optional fields are missing, numbers come as text, errors as pages.

Self-hosted servers, proxies and imitations do that. Nothing that a person wrote is lost or changed by it.
"""

from collections import Counter
from collections.abc import Callable
from typing import Any

from starlette.responses import HTMLResponse, JSONResponse, Response

Told = dict[str, Any]

_PAGE = "<html><head><title>{0}</title></head><body><center><h1>{0}</h1></center><hr>nginx</body></html>"
_USERS = ("from", "user", "via_bot", "sender_user", "left_chat_member", "new_chat_members")
_MESSAGES = ("message", "edited_message", "reply_to_message")
_CHATS = ("chat", "sender_chat")
_FILES = ("photo", "voice", "audio", "document", "video", "video_note", "animation", "sticker")
_MEMBERS = ("old_chat_member", "new_chat_member")
_OF_A_FILE = ("file_id", "file_name", "mime_type", "file_size", "emoji", "set_name")
_NULL_FOR_TRUE = (
    "setmycommands",
    "deletewebhook",
    "answercallbackquery",
    "sendchataction",
    "editmessagetext",
)


def sloppy_update(update: Told) -> Told:
    dressed: Told = _told(update, "")
    dressed["update_id"] = str(update["update_id"])
    return dressed


def sloppy_result(method: str, result: Any) -> Any:
    if method in _NULL_FOR_TRUE:
        return None
    if method == "getme":
        return _user(result)
    return _told(result, "message") if method.startswith("send") else result


class Stumbling:
    """Now and then answers with an error page, where a repeated call does nothing twice."""

    def __init__(self) -> None:
        self._asked: Counter[str] = Counter()

    def instead(self, method: str) -> Response | None:
        name = method.lower()
        self._asked[name] += 1
        first = self._asked[name] == 1
        if name in ("getme", "deletewebhook", "setmycommands", "editmessagetext", "file") and first:
            return HTMLResponse(_PAGE.format("502 Bad Gateway"), 502)
        if name == "sendmessage" and first:  # refused by a proxy, so nothing was done
            return HTMLResponse(_PAGE.format("403 Forbidden"), 403)
        if name == "sendchataction" and first:
            return HTMLResponse(_PAGE.format("Maintenance"), 200)
        if name == "getupdates":
            return _POLLS.get(self._asked[name], lambda: None)()
        return None


# By how many came before it: first often, then seldom.
_POLLS: dict[int, Callable[[], Response | None]] = {
    1: lambda: HTMLResponse(_PAGE.format("404 Not Found"), 404),
    3: lambda: JSONResponse({"ok": True, "result": None}),
    5: lambda: HTMLResponse(_PAGE.format("504 Gateway Time-out"), 504),
    7: lambda: JSONResponse([]),
    20: lambda: JSONResponse({"ok": True, "result": None}),
}


def _told(value: Any, key: str) -> Any:
    if isinstance(value, list):
        return [_told(each, key) for each in value]
    if not isinstance(value, dict):
        return value
    made = {name: _told(inner, name) for name, inner in value.items()}
    if key in _USERS:
        return _user(made)
    if key in _CHATS:
        return _chat(made)
    if key in _FILES:
        return {name: made[name] for name in _OF_A_FILE if name in made}
    if key in _MESSAGES:
        made = _without(made, "date", "edit_date")
        return made | {
            "message_id": str(made["message_id"]),
            "via_bot": made.get("via_bot"),
            "tomorrow": {"x": [1]},
        }
    if key in _MEMBERS:
        return {"status": made["status"], "user": made["user"], "can_fly": "no"}
    return _without(made, "chat_instance") if key in ("callback_query", "my_chat_member") else made


def _user(told: Told) -> Told:
    return _without(told, "is_bot", "can_join_groups") | {
        "id": str(told["id"]),
        "is_premium": None,
        "aura": 7,
    }


def _chat(told: Told) -> Told:
    """A channel cannot be told from a group by its id."""
    left = told if told.get("type") == "channel" else _without(told, "type")
    return left | {"id": str(told["id"]), "photo": None}


def _without(told: Told, *names: str) -> Told:
    return {name: value for name, value in told.items() if name not in names}
