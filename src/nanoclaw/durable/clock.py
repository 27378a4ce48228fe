"""What time it is. Everything inside is UTC; zones belong to people."""

import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

_A_JUMP = timedelta(seconds=2)  # less than this is the clock being kept right


def now() -> datetime:
    return datetime.now(UTC)


def _since_boot() -> float:
    """Seconds, those that the machine slept included."""
    return time.clock_gettime(time.CLOCK_BOOTTIME)


class ClockWatch:
    """Notices when the clock of the machine was set while this program runs."""

    def __init__(
        self, wall: Callable[[], float] = time.time, steady: Callable[[], float] = _since_boot
    ) -> None:
        self._wall, self._steady = wall, steady
        self._apart = wall() - steady()

    def moved(self) -> timedelta:
        """By how much, since that was last heeded; nothing when it was not."""
        by = timedelta(seconds=self._wall() - self._steady() - self._apart)
        return by if abs(by) >= _A_JUMP else timedelta()

    def heeded(self, by: timedelta) -> None:
        """All that depends on it was put right."""
        self._apart += by.total_seconds()
