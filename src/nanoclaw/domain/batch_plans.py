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
_SATURDAY = 5


@dataclass(frozen=True, kw_only=True, slots=True)
class Rhythm:
    """`day` and `slot` are where the next text goes; an hour stays the same hour when clocks change."""

    day: date
    times: tuple[time, ...] = (USUAL_TIME,)
    weekdays: bool = False
    timezone: str = "UTC"
    slot: int = 0

    def moments(self) -> Iterator[tuple[datetime, Self]]:
        """Each moment, with the rhythm as it goes on after it."""
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
