"""The time. Everything inside is UTC; zones belong to people.

A host alone on its database uses its machine's clock. Hosts that share a database use the database's: their own may
differ, and what one of them stores as due must be due for the others.
"""

import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

from nanoclaw.domain.ids import follow_clock

A_JUMP = timedelta(seconds=2)
"""Smaller steps are normal clock corrections."""
_JUMP = A_JUMP.total_seconds()

_BOOT = Path("/proc/sys/kernel/random/boot_id")


class _Known:
    """The offset between the time and the seconds since boot: as the database says, and as everything stored
    was last adjusted to. None: unknown.
    """

    shared: float | None = None
    trusted: float | None = None


def now() -> datetime:
    return datetime.fromtimestamp(_seconds(), UTC)


def machine_now() -> datetime:
    """This machine's own clock, whatever clock the host follows."""
    return datetime.now(UTC)


def _seconds() -> float:
    """The time in seconds. A clock that was just set is not trusted before due times were adjusted: otherwise
    some would use the old time and some the new one.
    """
    steady, shared, trusted = since_boot(), _Known.shared, _Known.trusted
    seconds = time.time() if shared is None else steady + shared
    if trusted is None or -_JUMP < seconds - steady - trusted < _JUMP:
        return seconds
    return steady + trusted


def _told() -> float:
    """What the clock says: the machine's, or the database's."""
    return time.time() if _Known.shared is None else since_boot() + _Known.shared


def since_boot() -> float:
    """Seconds, including those the machine slept. Nobody can set this clock."""
    return time.clock_gettime(time.CLOCK_BOOTTIME)


def boot_id() -> str:
    """Changes with every start of the machine; empty if unknown."""
    try:
        return _BOOT.read_text("ascii").strip()
    except OSError:
        return ""


def follow(moment: datetime, heard_at: float) -> None:
    """Follow the database's time; `heard_at` is a value of `since_boot`."""
    _Known.shared = moment.timestamp() - heard_at
    follow_clock(_seconds)


def follow_machine() -> None:
    """Follow this machine's clock again: nobody shares the database or watches the clock any more."""
    _Known.shared = _Known.trusted = None
    follow_clock(time.time)


class ClockWatch:
    """Notices when the machine's or the database's clock was set while this program runs."""

    def __init__(
        self, wall: Callable[[], float] | None = None, steady: Callable[[], float] = since_boot
    ) -> None:
        self._wall, self._steady = wall or _told, steady
        self._is_ours = wall is None
        self.apart = self._wall() - steady()
        """The offset between the clock and the seconds since boot."""

    def moved(self) -> timedelta:
        """By how much the clock was set since that was last handled; zero if it was not."""
        by = timedelta(seconds=self._wall() - self._steady() - self.apart)
        return by if abs(by) >= A_JUMP else timedelta()

    def heeded(self, by: timedelta) -> None:
        """Everything that depends on it has been adjusted, or is about to be."""
        self.apart += by.total_seconds()

    def trust(self) -> None:
        """Let this clock's time count from now on."""
        if self._is_ours:
            _Known.trusted = self.apart
