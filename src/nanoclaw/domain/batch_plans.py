"""When the texts of a batch go out: from a first day on, at one or more hours of each day, on one clock."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import date, datetime, time, timedelta
from typing import Any, Self
from zoneinfo import ZoneInfo

from nanoclaw.domain.locale import first_moment

USUAL_TIME = time(10)
MOST_A_DAY = 24
_DAY = timedelta(days=1)
_SATURDAY, _WEEK = 5, 7


@dataclass(frozen=True, kw_only=True, slots=True)
class TextRhythm:
    """`day` and `slot` are where the next text goes; an hour stays the same when clocks change."""

    day: date
    times: tuple[time, ...] = (USUAL_TIME,)
    weekdays: bool = False
    timezone: str = "UTC"
    slot: int = 0

    def moments(self) -> Iterator[tuple[datetime, Self]]:
        """Each moment, with the rhythm as it continues after it."""
        zone, here = ZoneInfo(self.timezone), self
        while True:
            while here.weekdays and here.day.weekday() >= _SATURDAY:
                here = replace(here, day=here.day + _DAY, slot=0)
            moment = first_moment(datetime.combine(here.day, here.times[here.slot]), zone)
            is_last = here.slot + 1 == len(here.times)
            here = (
                replace(here, day=here.day + _DAY, slot=0) if is_last else replace(here, slot=here.slot + 1)
            )
            yield moment, here

    def moment(self, place: int) -> datetime:
        """The moment of the text at this position, counted from 0, without going through all before it."""
        days, slot = divmod(self.slot + place, len(self.times))
        day = self.day
        if self.weekdays:
            day += _DAY * max(0, _WEEK - day.weekday()) if day.weekday() >= _SATURDAY else timedelta()
            weeks, days = divmod(days, _SATURDAY)
            days += 7 * weeks + (2 if day.weekday() + days >= _SATURDAY else 0)
        return first_moment(datetime.combine(day + _DAY * days, self.times[slot]), ZoneInfo(self.timezone))

    def row(self) -> dict[str, Any]:
        return {
            "day": self.day.isoformat(),
            "times": [each.isoformat("minutes") for each in self.times],
            "weekdays": self.weekdays,
            "timezone": self.timezone,
            "slot": self.slot,
        }

    @classmethod
    def read(cls, row: Mapping[str, Any]) -> Self:
        return cls(
            day=date.fromisoformat(row["day"]),
            times=tuple(time.fromisoformat(each) for each in row["times"]),
            weekdays=row["weekdays"],
            timezone=row["timezone"],
            slot=row["slot"],
        )
