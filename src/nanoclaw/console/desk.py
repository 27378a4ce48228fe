"""What the console needs of the rest of the host, handed in by the wiring."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from starlette.requests import Request

from nanoclaw.channels.rooms import WEB
from nanoclaw.console import owner
from nanoclaw.console.shape import COMMAND_LINE, VIA
from nanoclaw.console.shapes import Bot, Pairing
from nanoclaw.context.founding import Founding
from nanoclaw.context.groups import Groups
from nanoclaw.context.skills import Shelf
from nanoclaw.delivery.live import Live
from nanoclaw.domain.locale import Locale
from nanoclaw.domain.messages import Press, Pressed
from nanoclaw.domain.people import Ruler
from nanoclaw.domain.ports import Receive
from nanoclaw.domain.tasks import Policy
from nanoclaw.durable.store import Store, Tx
from nanoclaw.flows.background import Background
from nanoclaw.flows.door.admitting import Admitting
from nanoclaw.flows.door.approvals import Approvals
from nanoclaw.flows.door.rulings import Rulings
from nanoclaw.flows.human.deciding import Deciding
from nanoclaw.flows.human.questions import Questions
from nanoclaw.flows.tasks.changing import Changes
from nanoclaw.flows.tasks.making import Making

T = TypeVar("T")


@dataclass(frozen=True, kw_only=True)
class Desk:
    store: Store
    live: Live
    channels: tuple[str, ...]
    owner_name: str
    locale: Locale
    token: str
    version: str
    database: str
    attachments: Path  # the bytes of files that agents sent, by the parcel's id
    groups: Groups
    shelf: Shelf
    founding: Founding
    # Rooms
    receive: Receive
    retry: Callable[[str], Awaitable[bool]]
    press: Callable[[Press], Awaitable[Pressed]]
    expect: Callable[[str], None]  # someone has come to this chat and may soon write
    # Bots on chat networks
    list_bots: Callable[[str], Awaitable[list[Bot]]]  # in this language
    connect_bot: Callable[[str], Awaitable[Bot]]  # by its token
    disconnect_bot: Callable[[str], Awaitable[None]]
    pair: Callable[[], Awaitable[Pairing]]
    # People and access
    admitting: Admitting
    rulings: Rulings
    approvals: Approvals
    # Questions to people
    questions: Questions
    deciding: Deciding
    # Tasks
    making: Making
    changes: Changes
    background: Background
    usual_policy: Policy

    def locale_of_owner(self, tx: Tx) -> Locale:
        """Whoever holds the token is the owner."""
        return owner.owner_locale(tx, self.locale)

    def ruler(self, tx: Tx, via: str = WEB) -> Ruler:
        return owner.owner_ruler(tx, usual=self.locale, name=self.owner_name, via=via)

    async def act(self, request: Request, story: Callable[[Tx, Ruler], T]) -> T:
        """One transaction in the name of the owner. Who acts is known by the token; the header only says with what."""
        via = COMMAND_LINE if request.headers.get(VIA) == COMMAND_LINE else WEB
        return await self.store.write(lambda tx: story(tx, self.ruler(tx, via)))
