"""Flood control: about one message a second to a chat, twenty a minute to a group, thirty a second in all.

A bot over the limit is held, and one that does not wait is held longer: so an impatient bot is slow for everyone.
"""

import math
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass

from nanoclaw.testing.telegram.refusals import Refusal

_BURST = 24  # messages that a chat accepts at once before one a second counts
_GROUP = 22  # twenty in a minute, and Telegram's slack
_GROUP_WINDOW = 60
_ALL = 33  # thirty in a second, and a little
_ALL_WINDOW = 1
_LONGEST = 300  # seconds; impatience does not extend beyond


@dataclass(slots=True)
class _SendCount:
    """How much one bot sent to one chat, or in all."""

    tokens: float = _BURST
    at: float = 0
    recent: deque[float] | None = None
    until: float = 0
    told: bool = True  # whether the bot was told that it is held


class FloodControl:
    def __init__(self, clock: Callable[[], float]) -> None:
        self.on = True
        self.violations = 0
        self._clock = clock
        self._places: dict[tuple[int, int], _SendCount] = {}

    def hold(self, bot: int, chat: int, seconds: float) -> None:
        """Hold it as if it had gone over the limit; the bot learns about it with its next call."""
        place = self._place(bot, chat)
        place.until = self._clock() + seconds
        place.told = False

    def count(self, bot: int, chat: int, *, group: bool) -> None:
        """One message, edit or album to a chat."""
        place = self._place(bot, chat)
        now = self._clock()
        self._check_held(place, now)
        if not self.on:
            return
        self.count_in_all(bot)
        place.tokens = min(_BURST, place.tokens + now - place.at)
        place.at = now
        wait = 1 - place.tokens
        if group:
            wait = max(wait, _window_wait(place, now, _GROUP, _GROUP_WINDOW))
        if wait > 0:
            self._refuse(place, now, wait)
        place.tokens -= 1
        if place.recent is not None:
            place.recent.append(now)

    def count_in_all(self, bot: int) -> None:
        """Typing and reactions count only for the bot, not for the chat."""
        place = self._place(bot, 0)
        now = self._clock()
        self._check_held(place, now)
        if not self.on:
            return
        if (wait := _window_wait(place, now, _ALL, _ALL_WINDOW)) > 0:
            self._refuse(place, now, wait)
        assert place.recent is not None  # noqa: S101
        place.recent.append(now)

    def _place(self, bot: int, chat: int) -> _SendCount:
        key = (bot, chat)
        if key not in self._places:
            self._places[key] = _SendCount(at=self._clock())
        return self._places[key]

    def _check_held(self, place: _SendCount, now: float) -> None:
        if now >= place.until:
            return
        if place.told:
            self.violations += 1
            place.until = min(place.until + 1, now + _LONGEST)
        place.told = True
        _say(place.until - now)

    def _refuse(self, place: _SendCount, now: float, wait: float) -> None:
        self.violations += 1
        place.until = now + math.ceil(wait)
        place.told = True
        _say(wait)


def _window_wait(place: _SendCount, now: float, most: int, window: float) -> float:
    if place.recent is None:
        place.recent = deque(maxlen=most)
    if len(place.recent) < most:
        return 0
    return place.recent[0] + window - now


def _say(seconds: float) -> None:
    wait = max(math.ceil(seconds), 1)
    raise Refusal(f"retry after {wait}", status=429, retry_after=wait)
