"""Fetches updates by long polling. An update is confirmed to Telegram only when what it says is stored.

One that cannot be understood, or that the host chokes on, is kept aside with its error and stops nobody.
"""

import asyncio
import json
import random
from collections.abc import Awaitable, Callable
from typing import Any

import structlog
from telegram import Bot, Update
from telegram.error import Conflict, InvalidToken, RetryAfter, TelegramError

from nanoclaw.channels.telegram.bots import RawBot, seconds_asked
from nanoclaw.channels.telegram.updates import WANTED, address_of
from nanoclaw.domain.errors import NanoClawError, StoreUnavailable
from nanoclaw.durable.clock import now
from nanoclaw.durable.lease import Lease
from nanoclaw.durable.set_aside import SetAside, keep
from nanoclaw.durable.store import Store

log = structlog.get_logger("telegram")

_BATCH = 100
_FIRST_PAUSE, _LONGEST_PAUSE = 0.5, 30.0
_CONFLICT_PAUSE = 10.0
_TOKEN_PAUSE = 20.0
_LEASE_PAUSE = 2.0
_BREATH = 0.01  # the first words of an answer leave before the next updates are asked for

Handle = Callable[[Update], Awaitable[None]]


class Intake:
    """Takes updates in, however they came: chats beside each other, the updates of one chat one after the other."""

    def __init__(self, bot: Bot, channel: str, store: Store, handle: Handle) -> None:
        self._bot = bot
        self._channel = channel
        self._store = store
        self._handle = handle

    async def take_in(self, updates: list[dict[str, Any]]) -> None:
        """When this returns, each is stored or kept aside. Raises StoreUnavailable: then they must come again."""
        by_chat: dict[str, list[tuple[dict[str, Any], Update]]] = {}
        for raw in updates:
            try:
                update = Update.de_json(raw, self._bot)
                address = address_of(update)
            except Exception as error:  # noqa: BLE001 - whatever the library makes of what is no update
                await self._set_aside(raw, error)
            else:
                by_chat.setdefault(address, []).append((raw, update))
        # All of them to the end: what is still being stored must not come again beside itself.
        for failure in await asyncio.gather(*map(self._one_chat, by_chat.values()), return_exceptions=True):
            if failure is not None:
                raise failure

    async def _one_chat(self, updates: list[tuple[dict[str, Any], Update]]) -> None:
        for raw, update in updates:
            try:
                await self._handle(update)
            except StoreUnavailable:
                raise
            except Exception as error:  # noqa: BLE001 - it must not make the bot deaf for what comes after it
                await self._set_aside(raw, error)

    async def _set_aside(self, raw: object, error: Exception) -> None:
        log.error("update set aside", channel=self._channel, reason=repr(error), exc_info=error)
        number = raw.get("update_id", "?") if isinstance(raw, dict) else "?"
        aside = SetAside(
            channel=self._channel,
            update_id=str(number),
            body=json.dumps(raw),
            error=repr(error),
            at=now(),
        )
        await self._store.write(lambda tx: keep(tx, aside))


class Polling:
    """`troubled` hears what keeps the bot from its updates, and None when that is over."""

    def __init__(
        self, bot: RawBot, lease: Lease, intake: Intake, troubled: Callable[[NanoClawError | None], None]
    ) -> None:
        self._bot = bot
        self._lease = lease
        self._intake = intake
        self._troubled = troubled

    async def run(self) -> None:
        """For ever."""
        offset, failures = 0, 0
        while True:
            try:
                if failures or not offset:  # another host may have the bot, or has taken it over
                    await self._wait_for_lease()
                updates = await self._bot.fetch_updates(offset, _BATCH, WANTED)
                await self._intake.take_in(updates)
                numbers = _numbers(updates)
            except (TelegramError, NanoClawError) as error:
                failures += 1
                await asyncio.sleep(self._explain(error, failures))
                continue
            except Exception as error:
                # An answer that is none; whatever it is, the bot must not go deaf in silence.
                log.exception("updates not fetched")
                failures += 1
                self._troubled(NanoClawError("telegram-silent", said=repr(error)[:100]))
                await asyncio.sleep(_LONGEST_PAUSE / 2)
                continue
            if failures:
                self._troubled(None)
            failures = 0
            offset = max((offset, *(number + 1 for number in numbers)))
            if updates:
                await asyncio.sleep(_BREATH)

    async def _wait_for_lease(self) -> None:
        while not await self._lease.take():  # noqa: ASYNC110 - in another process nobody can set an event
            await asyncio.sleep(_LEASE_PAUSE)

    def _explain(self, error: TelegramError | NanoClawError, failures: int) -> float:
        """What is wrong, for the log and the owner; returns how long to wait."""
        # Not in step with others: after an outage everybody comes back at once.
        pause: float = min(_FIRST_PAUSE * 2 ** min(failures, 10), _LONGEST_PAUSE) * random.uniform(0.5, 1)  # noqa: S311
        match error:
            case NanoClawError():
                log.warning("updates not stored", reason=str(error))
                return pause
            case Conflict():
                self._troubled(NanoClawError("telegram-conflict"))
                return _CONFLICT_PAUSE
            case InvalidToken():
                self._troubled(NanoClawError("telegram-token"))
                return _TOKEN_PAUSE
            case RetryAfter():
                return max(seconds_asked(error), pause)
            case _:
                log.warning("updates not fetched", reason=error.message)
                if pause > _LONGEST_PAUSE / 4:
                    self._troubled(NanoClawError("telegram-silent", said=error.message[:100]))
                return pause


def _numbers(updates: list[Any]) -> list[int]:
    found = [each.get("update_id") for each in updates if isinstance(each, dict)]
    numbers = [number for number in found if isinstance(number, int)]
    if updates and not numbers:  # nothing of it can be confirmed: asked again at once, it would come for ever
        raise TelegramError("updates without a number")
    return numbers
