"""The bots of a host: their tokens, readable only by this user, and a channel for each."""

import asyncio
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import structlog

from nanoclaw.admission.pairing import LIFETIME, new_code
from nanoclaw.channels.telegram.names import bot_id_of, channel_name
from nanoclaw.console.bot_shapes import Bot, Pairing
from nanoclaw.console.web_server import WebServer
from nanoclaw.domain.errors import NanoClawError, NotFound, Refused
from nanoclaw.domain.ids import new_id
from nanoclaw.domain.ports import Front
from nanoclaw.durable import pairings, set_aside
from nanoclaw.durable.clock import now
from nanoclaw.durable.set_aside import SetAside
from nanoclaw.durable.single_host import SingleHost
from nanoclaw.durable.store import Store
from nanoclaw.host.base import Base
from nanoclaw.host.owner_alerts import OwnerAlerts
from nanoclaw.host.private import BOTS, read_private, write_private
from nanoclaw.host.secret_mask import hide
from nanoclaw.host.settings import Settings
from nanoclaw.texts import say, tell

if TYPE_CHECKING:
    from telegram import User

    from nanoclaw.channels.telegram.channel import TelegramChannel
    from nanoclaw.channels.telegram.webhook import Webhooks

log = structlog.get_logger("bots")

_KNOWN_WITHIN = 5.0  # seconds that someone who connects a bot waits to see whether it listens


async def look_up(token: str, api_base: str) -> "User":
    """Whose token it is. Raises BadSettings if Telegram does not know it or cannot be reached."""
    seen: User = await (await _telegram("bots")).look_up(token, api_base)
    return seen


def tokens_of(home: Path, settings: Settings) -> dict[str, str]:
    """Tokens by bot id: from the settings, and those that were connected."""
    found = dict(read_private(home / "data" / BOTS))
    if named := settings.telegram.bot_token.get_secret_value():
        found[bot_id_of(named)] = named
        hide((named,))
    return found


def keep_token(home: Path, token: str) -> None:
    path = home / "data" / BOTS
    write_private(path, read_private(path) | {bot_id_of(token): token})


def drop_token(home: Path, settings: Settings, bot_id: str) -> None:
    if settings.telegram.bot_token.get_secret_value().startswith(f"{bot_id}:"):
        raise Refused("bot-in-settings", bot=bot_id)
    path = home / "data" / BOTS
    kept = read_private(path)
    if kept.pop(bot_id, None) is None:
        raise NotFound("no-such-bot", bot=bot_id, known=", ".join(kept) or "-")
    write_private(path, kept)


async def issue_code(store: Store) -> Pairing:
    code = new_code()
    await store.write(lambda tx: pairings.issue(tx, code, now() + LIFETIME))
    return Pairing(code=code, minutes=int(LIFETIME.total_seconds() // 60))


async def _telegram(name: str) -> Any:
    """Loaded only if there is a bot, and without blocking others: the library takes a third of a second and 47 MiB."""
    return await asyncio.to_thread(import_module, f"nanoclaw.channels.telegram.{name}")


class Bots:
    """`channels` is the host's own table: a bot connected at run time appears there."""

    def __init__(self, base: Base, owners: OwnerAlerts, templates: Callable[[], Mapping[str, str]]) -> None:
        """`templates` gives the commands of templates, for menus."""
        self._home = base.home
        self._settings = base.settings
        self._store = base.store
        self._engine = base.engine
        self._known_skills = base.known_skills
        self._templates = templates
        self._channels = base.channels
        self._owners = owners
        self._bots: dict[str, TelegramChannel] = {}
        self._troubles: dict[str, NanoClawError] = {}
        self._front: Front | None = None
        self._hooks: Webhooks | None = None
        self._serving: WebServer | None = None

    async def open(self) -> None:
        """Let parcels find their channel; nothing is received yet."""
        for bot_id, token in tokens_of(self._home, self._settings).items():
            await self._open(bot_id, token)

    async def start(self, front: Front) -> None:
        """Start receiving messages."""
        self._front = front
        for channel in self._bots.values():
            await channel.start(front)

    async def stop(self) -> None:
        if self._serving is not None:
            await self._serving.stop()
        for bot in self._bots.values():
            await bot.stop()

    async def connect(self, token: str) -> Bot:
        """Check, store and start a bot."""
        seen = await look_up(token, self._settings.telegram.api_base)
        keep_token(self._home, token)
        bot_id = bot_id_of(token)
        await self._shut(bot_id)
        await self._open(bot_id, token)
        trouble = None
        if self._front is not None and (bot := self._bots.get(bot_id)):  # someone may disconnect it meanwhile
            with suppress(TimeoutError):
                async with asyncio.timeout(_KNOWN_WITHIN):
                    await bot.until_tried()
            known = await self.report(self._settings.language)
            trouble = next((each.trouble for each in known if each.id == bot_id), None)
        return Bot(id=bot_id, username=seen.username or "", trouble=trouble)

    async def disconnect(self, bot_id: str) -> None:
        drop_token(self._home, self._settings, bot_id)
        await self._shut(bot_id)

    async def pair(self) -> Pairing:
        return await issue_code(self._store)

    def has(self, channel: str) -> bool:
        """Whether this channel is one of the bots."""
        return any(bot.name == channel for bot in self._bots.values())

    async def report(self, language: str) -> list[Bot]:
        today = now().replace(hour=0, minute=0, second=0, microsecond=0)
        asides = await self._store.read(lambda tx: set_aside.count_since(tx, today))
        found = []
        for bot_id, bot in self._bots.items():
            trouble = self._trouble_of(bot_id, bot, asides.get(bot.name, 0))
            told = tell(language, trouble) if trouble else None
            found.append(Bot(id=bot_id, username=bot.username, trouble=told))
        return found

    def _trouble_of(self, bot_id: str, bot: "TelegramChannel", aside: int) -> NanoClawError | None:
        """What it reported, or that it has been silent for too long. A bot that does not listen never works, nor does
        one that could not read everything today.
        """
        if trouble := self._troubles.get(bot_id) or bot.trouble:
            return trouble
        if bot.deaf_for:
            return NanoClawError("telegram-deaf", seconds=round(bot.deaf_for))
        return NanoClawError("telegram-aside", count=aside) if aside else None

    async def _open(self, bot_id: str, token: str) -> None:
        settings = self._settings.telegram
        await self._open_webhooks()
        room = await _telegram("channel")
        channel: TelegramChannel = room.TelegramChannel(
            token,
            settings.api_base,
            store=self._store,
            lease=SingleHost(self._store, lambda: self._engine.host, channel_name(bot_id)),
            attachments=self._home / "data" / "attachments",
            language=self._settings.language,
            skills=lambda: {
                **{name: skill.head.description for name, skill in self._known_skills.commands().items()},
                **self._templates(),
            },
            webhook=room.Webhook(hooks=self._hooks, url=settings.webhook_url) if self._hooks else None,
            liveness=self._engine.liveness,
            hosts=lambda: self._engine.heartbeat.hosts,
            troubled=self._report_trouble(bot_id),
            aside=partial(self._report_aside, bot_id),
        )
        self._bots[bot_id] = channel
        self._channels[channel.name] = channel
        if self._front is not None:
            await channel.start(self._front)

    async def _open_webhooks(self) -> None:
        """Serve updates that Telegram posts, if configured; opened with the first bot."""
        if self._settings.telegram.webhook_url and self._hooks is None:
            self._serving = WebServer(self._settings.telegram.webhook_port)
            self._hooks = (await _telegram("webhook")).Webhooks()
            self._serving.start(self._hooks.app())

    async def _shut(self, bot_id: str) -> None:
        self._troubles.pop(bot_id, None)
        if before := self._bots.pop(bot_id, None):
            self._channels.pop(before.name, None)
            await before.stop()

    def _report_trouble(self, bot_id: str) -> Callable[[NanoClawError | None], None]:
        """Report once until it is over: owners should know about a bot that cannot work, but must not be flooded."""

        def hear(trouble: NanoClawError | None) -> None:
            before = self._troubles.pop(bot_id, None)
            if trouble is None:
                return
            self._troubles[bot_id] = trouble
            if before is None or before.key != trouble.key:
                log.error("bot in trouble", bot=bot_id, reason=trouble)
                self._say_trouble(bot_id, trouble)

        return hear

    def _say_trouble(self, bot_id: str, trouble: NanoClawError) -> None:
        def words(language: str) -> str:
            return say(language, "alert-bot", bot=self._name(bot_id), reason=tell(language, trouble))

        self._owners.tell(new_id("x"), words)

    def _report_aside(self, bot_id: str, aside: SetAside) -> None:
        """Report once a day: what is set aside is listed, and a flood of it must not become a flood of alerts."""
        once, bot = f"aside-{bot_id}-{aside.at:%Y-%m-%d}", self._name(bot_id)
        self._owners.tell(once, lambda language: say(language, "alert-aside", bot=bot))

    def _name(self, bot_id: str) -> str:
        channel = self._bots.get(bot_id)
        return f"@{channel.username}" if channel and channel.username else bot_id
