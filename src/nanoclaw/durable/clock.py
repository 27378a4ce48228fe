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


class _Known:
    """How far the time is from the seconds since this machine started: as the database says, and as everything that is
    written down was last put right by. None: nobody said."""

    shared: float | None = None
    trusted: float | None = None


def now() -> datetime:
    return datetime.fromtimestamp(_seconds(), UTC)


def machine_now() -> datetime:
    """By this machine's own clock, whatever the time is that the host goes by."""
    return datetime.now(UTC)


def _seconds() -> float:
    """A clock that was just set is not believed before what is due by it was put right: else some of it would be
    reckoned by the old time and some by the new one.
    """
    seconds, trusted = _told(), _Known.trusted
    if trusted is None:
        return seconds
    steady = since_boot()
    return seconds if abs(seconds - steady - trusted) < A_JUMP.total_seconds() else steady + trusted


def _told() -> float:
    """The clock of the machine, or the database's."""
    return time.time() if _Known.shared is None else since_boot() + _Known.shared


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
    _Known.shared = moment.timestamp() - heard_at
    follow_clock(_seconds)


def follow_machine() -> None:
    """Nobody shares the database any more, and nobody watches the clock."""
    _Known.shared = _Known.trusted = None
    follow_clock(time.time)


class ClockWatch:
    """Notices when the clock was set while this program runs: that of the machine, or the database's."""

    def __init__(
        self, wall: Callable[[], float] | None = None, steady: Callable[[], float] = since_boot
    ) -> None:
        self._wall, self._steady = wall or _told, steady
        self._is_ours = wall is None
        self.apart = self._wall() - steady()
        """How far the clock is from the seconds since the machine started."""

    def moved(self) -> timedelta:
        """By how much, since that was last heeded; nothing when it was not."""
        by = timedelta(seconds=self._wall() - self._steady() - self.apart)
        return by if abs(by) >= A_JUMP else timedelta()

    def heeded(self, by: timedelta) -> None:
        """All that depends on it is put right, or is about to be."""
        self.apart += by.total_seconds()

    def trust(self) -> None:
        """From now on it is the time that this clock says."""
        if self._is_ours:
            _Known.trusted = self.apart
