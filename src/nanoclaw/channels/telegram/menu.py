"""The commands in Telegram's menu: what each person may use, in their language."""

from collections.abc import Callable, Mapping

import structlog
from telegram import Bot, BotCommand, BotCommandScopeChat
from telegram.error import TelegramError

from nanoclaw.admission.commands import COMMANDS
from nanoclaw.domain.people import Role
from nanoclaw.texts import LANGUAGES, say

log = structlog.get_logger("telegram")

_LONGEST = 256
_MOST = 100


def commands_for(
    role: Role, language: str, skills: Mapping[str, str], everywhere: Role | None = None
) -> list[BotCommand]:
    """The host's own, then those of skills with their descriptions. Telegram allows no hyphen in a name.

    `role` is the role in the chat; `everywhere` another that the person has in all agent groups.
    """
    own = [
        BotCommand(name.replace("-", "_"), say(language, f"command-{name}")[:_LONGEST])
        for name, command in COMMANDS.items()
        if command.listed and ((everywhere or role) if command.everywhere else role).may(command.role)
    ]
    others = [
        BotCommand(name.replace("-", "_")[:32].lower(), (about or name)[:_LONGEST])
        for name, about in skills.items()
        if name not in COMMANDS
    ]
    return [*own, *others][:_MOST]


class Menu:
    """`skills` gives the commands of skills with their descriptions."""

    def __init__(self, bot: Bot, default_language: str, skills: Callable[[], Mapping[str, str]]) -> None:
        self._bot = bot
        self._default = default_language
        self._skills = skills

    async def offer_to_all(self) -> None:
        """What a member may use; Telegram chooses by each person's app language."""
        for language in (None, *LANGUAGES):
            offered = commands_for(Role.MEMBER, language or self._default, self._skills())
            await self._set(offered, language_code=language)

    async def offer_in(self, address: str, role: Role, everywhere: Role, language: str | None) -> None:
        """In one chat: for an owner, or someone who chose a language here."""
        offered = commands_for(role, language or self._default, self._skills(), everywhere)
        await self._set(offered, scope=BotCommandScopeChat(address))

    async def _set(self, offered: list[BotCommand], **where: object) -> None:
        try:
            await self._bot.set_my_commands(offered, **where)  # type: ignore[arg-type]
        except TelegramError as error:  # the commands work without a menu
            log.warning("menu not set", reason=error)
