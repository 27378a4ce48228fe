"""Telegram accounts: an id, a name, and the Bot API's form of them."""

import secrets
from typing import Any

from nanoclaw.testing.telegram.menus import Menus
from nanoclaw.testing.telegram.updates import Updates


class Account:
    def __init__(
        self, account_id: int, name: str, *, is_bot: bool, username: str = "", language: str = ""
    ) -> None:
        self.id = account_id
        self.name = name
        self.username = username
        self.language = language
        self.is_bot = is_bot
        self.told: dict[str, Any] = {"id": account_id, "is_bot": is_bot, "first_name": name}
        if username:
            self.told["username"] = username
        if language:
            self.told["language_code"] = language

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.name}>"

    def rename(self, name: str, username: str) -> None:
        """Rename it; the id stays, and without a username there is none from now on."""
        self.name, self.username = name, username
        self.told["first_name"] = name
        self.told.pop("username", None)
        if username:
            self.told["username"] = username


class Bot(Account):
    """A bot as its owner got it from BotFather: `bot.token` goes into the settings."""

    def __init__(self, account_id: int, username: str, name: str) -> None:
        super().__init__(account_id, name, is_bot=True, username=username)
        self.token = f"{account_id}:{secrets.token_urlsafe(26)}"
        self.updates = Updates(first_id=account_id % 1000 * 1_000_000 + 1)
        self.menus = Menus()

    @property
    def full(self) -> dict[str, Any]:
        """The answer to getMe."""
        return self.told | {
            "can_join_groups": True,
            "can_read_all_group_messages": True,
            "supports_inline_queries": False,
            "can_connect_to_business": False,
            "has_main_web_app": False,
        }


# The named sender when a group or a channel writes in its own name.
ANONYMOUS_ADMIN = Account(1087968824, "Group", is_bot=True, username="GroupAnonymousBot")
CHANNEL_BOT = Account(136817688, "Channel", is_bot=True, username="Channel_Bot")
# For a channel's post that comes into its discussion group.
TELEGRAM = Account(777000, "Telegram", is_bot=False)
