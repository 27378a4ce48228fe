"""Whose language and whose clock: the person's, then the group's, then the workspace's."""

from dataclasses import dataclass
from datetime import datetime
from functools import cache
from zoneinfo import ZoneInfo


@dataclass(frozen=True, kw_only=True, slots=True)
class Locale:
    """Either part may be unknown; `or_else` fills it from the next one to ask."""

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
    """Whether the name is a zone; never raises, whatever a person typed."""
    try:
        ZoneInfo(name)
    except (KeyError, ValueError, OSError):
        return False
    return "/" in name or name == "UTC"


def zone_name(name: str) -> str:
    """The name itself, for those who check what a person wrote; a ValueError for what is no zone."""
    if not known_zone(name):
        raise ValueError("a zone is a name such as Europe/Kyiv")
    return name


def clock_face(moment: datetime, zone: ZoneInfo) -> str:
    """`Jan 1, 2024, 1:30 PM`: how an agent is told the time, always on the clock of the person it works for."""
    local = moment.astimezone(zone)
    half = "AM" if local.hour < 12 else "PM"
    return f"{local:%b} {local.day}, {local.year}, {local.hour % 12 or 12}:{local:%M} {half}"
