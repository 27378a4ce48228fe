"""The commands in the menu of a bot, for each scope and language, and which of them a person sees."""

import re
from typing import Any

from nanoclaw.testing.telegram.form import Form
from nanoclaw.testing.telegram.refusals import Refusal

_MOST = 100
_DESCRIPTION = 256
_NAME = re.compile(r"[a-z0-9_]{1,32}")
_LANGUAGE = re.compile(r"([a-z]{2})?")
_SCOPES = {
    "default": (),
    "all_private_chats": (),
    "all_group_chats": (),
    "all_chat_administrators": (),
    "chat": ("chat_id",),
    "chat_administrators": ("chat_id",),
    "chat_member": ("chat_id", "user_id"),
}

Key = tuple[str, ...]


class Menus:
    def __init__(self) -> None:
        self._by_scope: dict[tuple[Key, str], list[dict[str, str]]] = {}

    def set(self, form: Form) -> bool:
        commands = form.nested("commands", "can't parse commands JSON object")
        if not isinstance(commands, list):
            raise Refusal("parameter commands must be an Array")
        if len(commands) > _MOST:
            raise Refusal("BOT_COMMANDS_TOO_MUCH")
        for command in commands:
            _check(command)
        self._by_scope[_key(form)] = commands
        return True

    def get(self, form: Form) -> list[dict[str, str]]:
        return self._by_scope.get(_key(form), [])

    def delete(self, form: Form) -> bool:
        self._by_scope.pop(_key(form), None)
        return True

    def seen(self, *, chat_id: int, private: bool, language: str) -> dict[str, str]:
        """What a person finds in the menu of this chat: the closest scope, there their language, else any."""
        near = "all_private_chats" if private else "all_group_chats"
        scopes: list[Key] = [("chat", str(chat_id)), (near,), ("default",)]
        for scope in scopes:
            for spoken in dict.fromkeys((language[:2], "")):
                if commands := self._by_scope.get((scope, spoken)):
                    return {command["command"]: command["description"] for command in commands}
        return {}


def _key(form: Form) -> tuple[Key, str]:
    scope: Any = form.nested("scope", "can't parse BotCommandScope") or {"type": "default"}
    kind = scope.get("type") if isinstance(scope, dict) else None
    if kind not in _SCOPES:
        raise Refusal("can't parse BotCommandScope: unsupported type specified")
    if any(field not in scope for field in _SCOPES[kind]):
        raise Refusal("can't parse BotCommandScope: chat_id is empty")
    language = form.text("language_code")
    if not _LANGUAGE.fullmatch(language):
        raise Refusal("invalid language code specified")
    return (kind, *(str(scope[field]) for field in _SCOPES[kind])), language


def _check(command: Any) -> None:
    if not isinstance(command, dict) or not isinstance(command.get("command"), str):
        raise Refusal("can't parse BotCommand: expected an Object")
    if not _NAME.fullmatch(command["command"].removeprefix("/")):
        raise Refusal("BOT_COMMAND_INVALID")
    if not 1 <= len(str(command.get("description", "")).strip()) <= _DESCRIPTION:
        raise Refusal("BOT_COMMAND_DESCRIPTION_INVALID")
