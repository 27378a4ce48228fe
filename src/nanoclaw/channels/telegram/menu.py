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
    """`skills` gives the commands of skills and templates with their descriptions."""

    def __init__(self, bot: Bot, default_language: str, skills: Callable[[], Mapping[str, str]]) -> None:
        self._bot = bot
        self._default = default_language
        self._skills = skills
        self._offered: dict[
            str | None, int
        ] = {}  # by chat; None: to all; a digest each, for there may be many

    async def offer_to_all(self) -> None:
        """What a member may use; Telegram chooses by each person's app language. Once, until that changes."""
        skills = dict(self._skills())
        digest = hash(tuple(skills.items()))
        if self._offered.get(None) == digest:
            return
        for language in (None, *LANGUAGES):
            offered = commands_for(Role.MEMBER, language or self._default, skills)
            if not await self._set(offered, language_code=language):
                return
        self._offered[None] = digest

    async def offer_in(self, address: str, role: Role, everywhere: Role, language: str | None) -> None:
        """In one chat: for an owner, or someone who chose a language here."""
        offered = commands_for(role, language or self._default, self._skills(), everywhere)
        digest = hash(tuple((each.command, each.description) for each in offered))
        if self._offered.get(address) != digest and await self._set(
            offered, scope=BotCommandScopeChat(address)
        ):
            self._offered[address] = digest

    async def _set(self, offered: list[BotCommand], **where: object) -> bool:
        try:
            await self._bot.set_my_commands(offered, **where)  # type: ignore[arg-type]
        except TelegramError as error:  # the commands work without a menu
            log.warning("menu not set", reason=error)
            return False
        return True
