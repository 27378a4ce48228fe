"""What time it is. Everything inside is UTC; zones belong to people.

Alone on its database, a host has the time of its machine. Hosts that share one have the database's: theirs may be
apart, and what one of them writes down as due must be due for the others.
"""

import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

from nanoclaw.domain.ids import follow_clock

A_JUMP = timedelta(seconds=2)
"""Less than this is a clock being kept right."""

_BOOT = Path("/proc/sys/kernel/random/boot_id")


class _Shared:
    """How far the database's time is from the seconds since this machine started; None: nobody said."""

    apart: float | None = None


def now() -> datetime:
    return datetime.fromtimestamp(_seconds(), UTC)


def _seconds() -> float:
    return time.time() if _Shared.apart is None else since_boot() + _Shared.apart


def since_boot() -> float:
    """Seconds, those that the machine slept included. Nobody can set it."""
    return time.clock_gettime(time.CLOCK_BOOTTIME)


def boot_id() -> str:
    """Another one after every start of the machine; empty where that cannot be told."""
    try:
        return _BOOT.read_text("ascii").strip()
    except OSError:
        return ""


def follow(moment: datetime, heard_at: float) -> None:
    """The database says what time it is; `heard_at` is by `since_boot`."""
    _Shared.apart = moment.timestamp() - heard_at
    follow_clock(_seconds)


def follow_machine() -> None:
    """Nobody shares the database any more."""
    _Shared.apart = None
    follow_clock(time.time)


class ClockWatch:
    """Notices when the clock was set while this program runs: that of the machine, or the database's."""

    def __init__(
        self, wall: Callable[[], float] = _seconds, steady: Callable[[], float] = since_boot
    ) -> None:
        self._wall, self._steady = wall, steady
        self.apart = wall() - steady()
        """How far the clock is from the seconds since the machine started."""

    def moved(self) -> timedelta:
        """By how much, since that was last heeded; nothing when it was not."""
        by = timedelta(seconds=self._wall() - self._steady() - self.apart)
        return by if abs(by) >= A_JUMP else timedelta()

    def heeded(self, by: timedelta) -> None:
        """All that depends on it was put right."""
        self.apart += by.total_seconds()
