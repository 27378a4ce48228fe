"""Takes updates in, however they came. When it is done with one, it is stored, or set aside with its error.

An update that cannot be parsed, or that makes the host fail again and again, is set aside and blocks nobody.
If chat after chat fails, the host itself is ill: then nothing is set aside or confirmed, so that Telegram
keeps what people write until the host has recovered.
"""

import asyncio
import json
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from typing import Any

import structlog
from telegram import Bot, Update

from nanoclaw.channels.telegram.plain_updates import read_plain
from nanoclaw.channels.telegram.update_repair import mended_update, number_of
from nanoclaw.channels.telegram.updates import address_of
from nanoclaw.domain.errors import HostIll, StoreUnavailable
from nanoclaw.domain.messages import Incoming
from nanoclaw.durable.clock import now
from nanoclaw.durable.set_aside import SetAside, keep
from nanoclaw.durable.store import Store

log = structlog.get_logger("telegram")

_TRIES = 3
_ILL = 3  # chats in a row for which nothing could be taken in
_REMEMBERED = 1000

Handle = Callable[[Update | Incoming], Awaitable[None]]


class Intake:
    """Chats in parallel, the updates of one chat in order. `aside` is told what was set aside."""

    def __init__(
        self, bot: Bot, channel: str, store: Store, handle: Handle, aside: Callable[[SetAside], None]
    ) -> None:
        self._bot = bot
        self._channel = channel
        self._store = store
        self._handle = handle
        self._aside = aside
        self._failures: OrderedDict[str, int] = OrderedDict()  # per update
        self._taken: OrderedDict[str, None] = OrderedDict()  # a repeat of these proves nothing
        self._failing: set[str] = set()  # chats, since something was last taken in

    async def take_in(self, updates: list[dict[str, Any]]) -> None:
        """Raises StoreUnavailable or HostIll: then the updates must come again."""
        by_chat: dict[str, list[tuple[dict[str, Any], Update | Incoming]]] = {}
        for raw in updates:
            if plain := read_plain(raw, channel=self._channel):
                by_chat.setdefault(plain.address, []).append((raw, plain))
                continue
            try:
                update = Update.de_json(mended_update(raw), self._bot)
                address = address_of(update)
            except Exception as error:  # noqa: BLE001 - whatever the library makes of what is no update
                await self._set_aside(raw, error)
            else:
                by_chat.setdefault(address, []).append((raw, update))
        chats = [self._one_chat(address, come) for address, come in by_chat.items()]
        if len(chats) == 1:
            await chats[0]
            return
        # Let all of them finish: what is still being stored must not arrive again in parallel.
        for failure in await asyncio.gather(*chats, return_exceptions=True):
            if failure is not None:
                raise failure

    async def _one_chat(self, address: str, updates: list[tuple[dict[str, Any], Update | Incoming]]) -> None:
        for raw, update in updates:
            number = str(number_of(raw))
            try:
                await self._handle(update)
            except StoreUnavailable:
                raise  # an outage: the update comes again until it is over
            except Exception as error:
                self._failing.add(address)
                log.exception("update not taken in", channel=self._channel, update=number)
                if len(self._failing) >= _ILL:
                    raise HostIll("host-ill", said=type(error).__name__) from error
                if not self._is_hopeless(number):
                    raise StoreUnavailable("update-fails", said=type(error).__name__) from error
                await self._give_up(number, raw, error)
            else:
                self._went_well(number)

    def _is_hopeless(self, number: str) -> bool:
        """Count a failed try; returns whether it is hopeless."""
        self._failures[number] = self._failures.pop(number, 0) + 1
        if len(self._failures) > _REMEMBERED:
            self._failures.popitem(last=False)
        return self._failures[number] >= _TRIES

    def _went_well(self, number: str) -> None:
        if number not in self._taken:
            self._failing.clear()
        self._taken[number] = None
        if len(self._taken) > _REMEMBERED:
            self._taken.popitem(last=False)

    async def _give_up(self, number: str, raw: object, error: Exception) -> None:
        await self._set_aside(raw, error)
        self._failures.pop(number, None)

    async def _set_aside(self, raw: object, error: Exception) -> None:
        log.error("update set aside", channel=self._channel, reason=error, exc_info=error)
        number = number_of(raw)
        aside = SetAside(
            channel=self._channel,
            update_id="?" if number is None else str(number),
            body=json.dumps(raw),
            error=repr(error),
            at=now(),
        )
        await self._store.write(lambda tx: keep(tx, aside))
        self._aside(aside)
