"""Long-polls for updates. An update is confirmed to Telegram only when its content is stored."""

import asyncio
import random
from collections.abc import Callable
from typing import Any

import structlog
from telegram.error import Conflict, InvalidToken, RetryAfter, TelegramError

from nanoclaw.channels.telegram.bots import POLL_SECONDS, RawBot, is_page, seconds_asked
from nanoclaw.channels.telegram.intake import Intake
from nanoclaw.channels.telegram.update_repair import number_of
from nanoclaw.channels.telegram.updates import WANTED
from nanoclaw.domain.errors import HostIll, NanoClawError
from nanoclaw.durable.clock import since_boot
from nanoclaw.durable.single_host import SingleHost

log = structlog.get_logger("telegram")

_BATCH = 100
_FIRST_PAUSE, _LONGEST_PAUSE = 0.5, 30.0
_CONFLICT_PAUSE = 5.0
# An interrupted poll of ours may still be open at Telegram: only a longer conflict means another program.
_CONFLICT_LASTS = POLL_SECONDS + 15.0
_DEAF_AFTER = POLL_SECONDS + 70.0
_TOKEN_PAUSE = 20.0
_LEASE_PAUSE = 2.0
_BREATH = 0.025  # lets the first words of a quick answer leave before the next poll


Report = Callable[[NanoClawError | None], None]


class Polling:
    """`troubled` is told what keeps the bot from its updates for a while, and None when that is over; `listens` how
    each poll went.
    """

    def __init__(
        self, bot: RawBot, lease: SingleHost, intake: Intake, *, troubled: Report, listens: Report
    ) -> None:
        self._bot = bot
        self._lease = lease
        self._intake = intake
        self._troubled = troubled
        self._listens = listens
        self._is_answered = False  # the last poll was answered
        self._answered_at = since_boot()  # when Telegram last gave updates, or another host had the bot
        self._conflict_since: float | None = None

    @property
    def deaf_for(self) -> float:
        """Seconds without anything from Telegram, if that is too long; otherwise 0."""
        silent = since_boot() - self._answered_at
        return silent if silent > _DEAF_AFTER else 0.0

    async def run(self) -> None:
        """Never returns."""
        offset, failures = 0, 0
        while True:
            try:
                await self._wait_for_lease()  # another host may have the bot, or has taken it over
                # Until it is known that anyone answers at all, do not long-poll.
                wait = POLL_SECONDS if self._is_answered else 0
                updates = await self._bot.fetch_updates(offset, _BATCH, WANTED, wait=wait)
                self._answered_at, self._conflict_since = since_boot(), None
                await self._intake.take_in(updates)
                numbers = _numbers(updates)
            except (TelegramError, NanoClawError) as error:
                failures += 1
                self._tell(_reason(error))
                await asyncio.sleep(self._explain(error, failures))
                continue
            except Exception as error:
                # Whatever it is, the bot must not go deaf silently.
                log.exception("updates not fetched")
                failures += 1
                self._tell(NanoClawError("telegram-silent", said=repr(error)[:100]))
                self._troubled(NanoClawError("telegram-silent", said=repr(error)[:100]))
                await asyncio.sleep(_pause(failures))
                continue
            self._tell(None)
            if failures:
                self._troubled(None)
            failures = 0
            offset = max((offset, *(number + 1 for number in numbers)))
            if updates:
                await asyncio.sleep(_BREATH)

    def _tell(self, trouble: NanoClawError | None) -> None:
        self._is_answered = trouble is None
        self._listens(trouble)

    async def _wait_for_lease(self) -> None:
        while not await self._lease.take():
            self._answered_at = since_boot()
            self._listens(None)  # the other host reports its state
            await asyncio.sleep(_LEASE_PAUSE)

    def _explain(self, error: TelegramError | NanoClawError, failures: int) -> float:
        """Tell the log and the owner what is wrong; returns how long to wait."""
        pause = _pause(failures)
        match error:
            case HostIll():
                self._troubled(error)
                return pause
            case NanoClawError():
                log.warning("updates not stored", reason=error)
                return pause
            case Conflict():
                self._conflict_since = self._conflict_since or since_boot()
                if since_boot() - self._conflict_since > _CONFLICT_LASTS:
                    self._troubled(NanoClawError("telegram-conflict"))
                return _CONFLICT_PAUSE
            case InvalidToken() if not is_page(error):
                self._troubled(NanoClawError("telegram-token"))
                return _TOKEN_PAUSE
            case RetryAfter():
                return max(seconds_asked(error), pause)
            case _:
                log.warning("updates not fetched", reason=_reason(error))
                if pause > _LONGEST_PAUSE / 4:
                    self._troubled(_reason(error))
                return pause


def _pause(failures: int) -> float:
    """A pause with jitter: after an outage everybody comes back at once."""
    pause: float = min(_FIRST_PAUSE * 2 ** min(failures, 10), _LONGEST_PAUSE) * random.uniform(0.5, 1)  # noqa: S311
    return pause


def _reason(error: TelegramError | NanoClawError) -> NanoClawError:
    match error:
        case NanoClawError():
            return error
        case Conflict():
            return NanoClawError("telegram-conflict")
        case InvalidToken() if not is_page(error):
            return NanoClawError("telegram-token")
    return NanoClawError("telegram-silent", said=error.message.partition(". ")[0][:100])


def _numbers(updates: list[Any]) -> list[int]:
    numbers = [number for number in map(number_of, updates) if number is not None]
    if updates and not numbers:  # nothing can be confirmed: asked again at once, it would come for ever
        raise TelegramError("updates without a number")
    return numbers
