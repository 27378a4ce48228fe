"""What the console needs of the rest of the host, handed in by the wiring."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from nanoclaw.console.inbox_keeper import InboxKeeper
from nanoclaw.console.keeper import Keeper
from nanoclaw.console.task_keeper import TaskKeeper
from nanoclaw.delivery.live import Live
from nanoclaw.domain.locale import Locale
from nanoclaw.domain.messages import Press, Pressed
from nanoclaw.domain.people import LOCAL_OWNER
from nanoclaw.domain.ports import Receive
from nanoclaw.durable import people
from nanoclaw.durable.store import Store, Tx

OWNER = LOCAL_OWNER


@dataclass(frozen=True, kw_only=True, slots=True)
class Bot:
    """A bot on a chat network, and what keeps it from its work, if anything does."""

    id: str
    username: str
    trouble: str | None


@dataclass(frozen=True, kw_only=True, slots=True)
class Pairing:
    """A one-time code that makes whoever sends it to a bot the owner."""

    code: str
    minutes: int


@dataclass(frozen=True, kw_only=True, slots=True)
class ChannelState:
    """A channel that the settings name, and what keeps it from its work, if anything does."""

    name: str
    trouble: str | None


class BotKeeper(Protocol):
    async def connect(self, token: str) -> Bot: ...

    async def disconnect(self, bot_id: str) -> None: ...

    async def pair(self) -> Pairing: ...

    async def report(self, language: str) -> list[Bot]: ...


@dataclass(frozen=True, kw_only=True)
class Desk:
    store: Store
    live: Live
    receive: Receive
    retry: Callable[[str], Awaitable[bool]]
    main_group: Callable[[], str]
    channels: tuple[str, ...]
    owner_name: str
    locale: Locale
    token: str
    version: str
    database: str
    attachments: Path  # the bytes of files that agents sent, by the parcel's id
    expect: Callable[[str], None]  # someone has come to this chat and may soon write
    bots: BotKeeper
    channel_states: Callable[[str], list[ChannelState]]  # in this language
    press: Callable[[Press], Awaitable[Pressed]]
    keeper: Keeper
    inbox: InboxKeeper
    tasks: TaskKeeper

    def locale_of_owner(self, tx: Tx) -> Locale:
        """Whoever holds the token is the owner; their own language and zone come first."""
        owner = people.person_named(tx, OWNER)
        own = Locale(language=owner.language, timezone=owner.timezone) if owner else Locale()
        return own.or_else(self.locale)
