"""Quiet hours: when, on a person's own clock, the host does not ring."""

import re
from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta
from zoneinfo import ZoneInfo

from nanoclaw.domain.errors import Refused

_CLOCK = r"([0-9]{1,2})(?::([0-9]{2}))?"
_WRITTEN = re.compile(rf"{_CLOCK}\s*[-‐‑‒–—−]\s*{_CLOCK}")
_DAY = 24 * 60
_LONGEST_SHOWN = 100


@dataclass(frozen=True, kw_only=True, slots=True)
class Quiet:
    """Includes the start, excludes the end. May span midnight; `22:00-07:00` as text."""

    start: time
    end: time

    def __str__(self) -> str:
        return f"{self.start:%H:%M}-{self.end:%H:%M}"

    def is_now(self, at: datetime, zone: ZoneInfo) -> bool:
        wall = at.astimezone(zone).time()
        if self.start < self.end:
            return self.start <= wall < self.end
        return wall >= self.start or wall < self.end

    def ends_after(self, at: datetime, zone: ZoneInfo) -> datetime:
        """The first moment from then on that is not quiet, in UTC: that moment itself if it is not."""
        moment = at.astimezone(UTC)
        if not self.is_now(moment, zone):
            return moment
        local = moment.astimezone(zone)
        end = moment + _from(local.time(), self.end)
        if end.astimezone(zone).utcoffset() == local.utcoffset():
            return end
        # Clock changes in between: the end may come twice or never, and the hours before it may come again.
        moment = moment.replace(second=0, microsecond=0)
        while self.is_now(moment, zone):
            moment += timedelta(minutes=1)
        return moment


def read_quiet(text: str) -> Quiet:
    """`22:00-07:00`, `22-7`."""
    found = _WRITTEN.fullmatch(text.strip())
    if found:
        start, end = _minutes(found[1], found[2]), _minutes(found[3], found[4])
        if start is not None and end is not None and start != end:
            return Quiet(start=time(*divmod(start, 60)), end=time(*divmod(end, 60)))
    raise Refused("quiet-unclear", text=text.strip()[:_LONGEST_SHOWN])


def _minutes(hours: str, minutes: str | None) -> int | None:
    """Minutes since midnight; 24:00 is midnight too."""
    count = int(hours) * 60 + int(minutes or 0)
    return count % _DAY if int(minutes or 0) < 60 and count <= _DAY else None


def _from(wall: time, end: time) -> timedelta:
    """How long the clock takes from one to the other; never zero."""
    day = timedelta(days=1)
    return (_since_midnight(end) - _since_midnight(wall)) % day or day


def _since_midnight(wall: time) -> timedelta:
    return timedelta(hours=wall.hour, minutes=wall.minute, seconds=wall.second, microseconds=wall.microsecond)
