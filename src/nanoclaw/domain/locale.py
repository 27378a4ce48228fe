"""Whose language and clock: the person's, then the group's, then the workspace's."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, tzinfo
from functools import cache
from zoneinfo import ZoneInfo, available_timezones


@dataclass(frozen=True, kw_only=True, slots=True)
class Locale:
    """Either part may be unknown; `or_else` fills it from the next candidate."""

    language: str | None = None
    timezone: str | None = None

    def or_else(self, other: "Locale") -> "Locale":
        return Locale(language=self.language or other.language, timezone=self.timezone or other.timezone)

    @property
    def speaks(self) -> str:
        return self.language or "en"

    @property
    def zone(self) -> ZoneInfo:
        return ZoneInfo(self.timezone or "UTC")


@cache
def known_zone(name: str) -> bool:
    """Whether it is a standard zone, known to browsers too; accepts anything a person typed."""
    return name in _zones() and ("/" in name or name == "UTC")


@cache
def _zones() -> frozenset[str]:
    """Cached: it walks through hundreds of files."""
    return frozenset(available_timezones())


def find_zone(typed: str) -> str | None:
    """The zone a person means: its name in any case, or only its city."""
    wanted = typed.strip().lower().replace(" ", "_")
    fits = [name for name in sorted(_zones()) if known_zone(name)]
    exact = [name for name in fits if name.lower() == wanted]
    cities = [name for name in fits if name.lower().rpartition("/")[2] == wanted]
    return next(iter(exact or cities), None)


def zone_name(name: str) -> str:
    """Validate a person's input: returns the name; ValueError if it is not a zone."""
    if not known_zone(name):
        raise ValueError("a zone is a name such as Europe/Kyiv")
    return name


def clock_face(moment: datetime, zone: ZoneInfo) -> str:
    """`Jan 1, 2024, 1:30 PM`: how an agent is told the time, always on the clock of the person it works for."""
    local = moment.astimezone(zone)
    half = "AM" if local.hour < 12 else "PM"
    return f"{local:%b} {local.day}, {local.year}, {local.hour % 12 or 12}:{local:%M} {half}"


def first_moment(wall: datetime, zone: tzinfo) -> datetime:
    """When the clock there shows this time: the first occurrence if there are two; if it is skipped, the
    moment of the skip.
    """
    before, after = (wall.replace(tzinfo=zone, fold=fold).astimezone(UTC) for fold in (1, 0))
    if after.astimezone(zone).replace(tzinfo=None) == wall:
        return after
    # In a gap the second reading lies before the change and the first one after it.
    offset = after.astimezone(zone).utcoffset()
    while after - before > timedelta(seconds=1):
        middle = before + (after - before) // 2
        before, after = (before, middle) if middle.astimezone(zone).utcoffset() == offset else (middle, after)
    return after.replace(microsecond=0)
