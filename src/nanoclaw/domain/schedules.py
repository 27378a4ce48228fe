"""When a task is due: at clock times (cron), at a fixed interval, or once.

A clock time happens once a day, whatever daylight saving does: one that comes twice counts the first time, one that is
skipped counts at the moment of the skip. Intervals are not affected.
"""

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from itertools import count, islice, takewhile
from zoneinfo import ZoneInfo

from cronsim import CronSim, CronSimError

from nanoclaw.domain.errors import Refused
from nanoclaw.domain.locale import first_moment, known_zone

LEAST_INTERVAL = timedelta(minutes=1)
MOST_INTERVAL = timedelta(days=366)
_SECOND = timedelta(seconds=1)
_LOOK_BACK = timedelta(minutes=15)
_STRIDE = timedelta(days=1)  # clocks do not change twice within it
NICKNAMES = {
    "@hourly": "0 * * * *",
    "@daily": "0 0 * * *",
    "@midnight": "0 0 * * *",
    "@weekly": "0 0 * * 0",
    "@monthly": "0 0 1 * *",
    "@yearly": "0 0 1 1 *",
    "@annually": "0 0 1 1 *",
}
_FIELDS = ("minute", "hour", "day-of-month", "month", "day-of-week")
_COUNTED = 100
_LONGEST = 200  # characters of an expression


class ScheduleType(StrEnum):
    """How a task repeats."""

    CRON = "cron"
    INTERVAL = "interval"
    ONCE = "once"


@dataclass(frozen=True, kw_only=True, slots=True)
class Schedule:
    """`value` is five cron fields, a number of seconds, or an ISO time; `timezone` is whose clock counts.

    An interval counts from its `anchor`.
    """

    type: ScheduleType
    value: str
    timezone: str
    anchor: datetime

    def next_after(self, moment: datetime) -> datetime | None:
        """The first time after this one, in UTC; None if there is none."""
        return next(self.times_after(moment), None)

    def times_after(self, moment: datetime) -> Iterator[datetime]:
        # Python subtracts times of one zone by wall clock, and would lose or gain an hour at a change.
        moment = moment.astimezone(UTC)
        match self.type:
            case ScheduleType.ONCE:
                at = datetime.fromisoformat(self.value)
                return iter([at] if at > moment else [])
            case ScheduleType.INTERVAL:
                step, anchor = timedelta(seconds=int(self.value)), self.anchor.astimezone(UTC)
                passed = max(0, (moment - anchor) // step)
                return (anchor + step * number for number in count(passed + 1))
            case ScheduleType.CRON:
                times = _every_hour if self.value.split(" ")[1] == "*" else _by_clock
                return times(self.value, moment, ZoneInfo(self.timezone))

    def last_times(self, since: datetime, until: datetime, most: int) -> list[datetime]:
        """The last of the times from `since`, which is one of them, up to `until`, in order.

        Searched from the end: a year of minutes costs no more than an hour of them.
        """
        span = _LOOK_BACK
        while True:
            start = max(since - _SECOND, until - span)
            found = deque(takewhile(lambda at: at <= until, self.times_after(start)), maxlen=most)
            if len(found) == most or start < since:
                return list(found)
            span *= 8

    def runs_within(self, moment: datetime, span: timedelta) -> int:
        """About how often it will be due; if that is often, extrapolated from the first times."""
        if self.type is ScheduleType.INTERVAL:
            return span // timedelta(seconds=int(self.value))
        until = moment.astimezone(UTC) + span
        found = list(islice(takewhile(lambda at: at <= until, self.times_after(moment)), _COUNTED))
        return len(found) if len(found) < _COUNTED else round(_COUNTED * (span / (found[-1] - moment)))

    @property
    def repeats(self) -> bool:
        return self.type is not ScheduleType.ONCE


def cron(expression: str, timezone: str, at: datetime) -> Schedule:
    """Raises Refused, with what is wrong and an example."""
    written = " ".join(expression.split())
    shown = written[:_LONGEST]
    plain = NICKNAMES.get(written.lower(), written).upper()
    fields = plain.split(" ")
    if len(fields) == 6:
        raise Refused("cron-seconds", text=shown)
    if len(fields) != 5 or len(written) > _LONGEST:
        raise Refused("cron-fields", text=shown)
    schedule = Schedule(type=ScheduleType.CRON, value=plain, timezone=checked_zone(timezone), anchor=at)
    try:
        CronSim(plain, at.replace(tzinfo=None))
    except CronSimError as error:
        raise _fault(fields, shown, str(error)) from error
    if schedule.next_after(at) is None:
        raise Refused("cron-never", text=shown)
    return schedule


def interval(span: timedelta, timezone: str, at: datetime) -> Schedule:
    if span < LEAST_INTERVAL:
        raise Refused("interval-short", seconds=round(span.total_seconds()))
    if span > MOST_INTERVAL:
        raise Refused("interval-long", days=span.days)
    seconds = str(round(span.total_seconds()))
    return Schedule(type=ScheduleType.INTERVAL, value=seconds, timezone=checked_zone(timezone), anchor=at)


def once(moment: datetime, timezone: str, at: datetime) -> Schedule:
    """Raises Refused unless it is in the future."""
    zone = checked_zone(timezone)
    if moment <= at:
        raise Refused("until-past", text=moment.astimezone(ZoneInfo(zone)).isoformat(" ", "minutes"))
    value = moment.astimezone(UTC).isoformat()
    return Schedule(type=ScheduleType.ONCE, value=value, timezone=zone, anchor=at)


def checked_zone(name: str) -> str:
    """The name itself; refused if there is no such zone."""
    if not known_zone(name):
        raise Refused("timezone-unknown", zone=name[:50])
    return name


def _fault(fields: list[str], shown: str, said: str) -> Refused:
    """Distinguishes a day that no month of the expression has from an invalid field."""
    for name, field in zip(_FIELDS, fields, strict=True):
        alone = ["*" if other != name else field for other in _FIELDS]
        try:
            CronSim(" ".join(alone), datetime(2026, 1, 1))  # noqa: DTZ001 - only read
        except CronSimError:
            return Refused("cron-field", text=shown, field=name, value=field[:40])
    return Refused("cron-never", text=shown) if said.startswith("Bad") else Refused("cron-fields", text=shown)


def _by_clock(expression: str, moment: datetime, zone: ZoneInfo) -> Iterator[datetime]:
    """Times of day: of a repeated one the first counts, and a skipped one happens at the skip."""
    wall = moment.astimezone(zone).replace(tzinfo=None)
    for due in CronSim(expression, wall):
        at = first_moment(due, zone)
        if at > moment:
            yield at
            moment = at


def _every_hour(expression: str, moment: datetime, zone: ZoneInfo) -> Iterator[datetime]:
    """An expression that names no time of day continues at even intervals through clock changes. Clocks run
    evenly between two changes, so one such stretch is searched at a time.
    """
    begin, offset = moment, _offset(moment, zone)
    while True:
        for due in CronSim(expression, (begin + offset).replace(tzinfo=None)):
            found = due.replace(tzinfo=UTC) - offset
            if changed := _first_change(begin + _SECOND, found, zone, offset):
                begin, offset = changed - _SECOND, _offset(changed, zone)
                break
            yield found
            begin = found
        else:
            return


def _first_change(begin: datetime, until: datetime, zone: ZoneInfo, offset: timedelta) -> datetime | None:
    """The first second from `begin` up to `until` with another offset."""
    while _offset(begin, zone) == offset:
        if begin >= until:
            return None
        end = min(begin + _STRIDE, until)
        if _offset(end, zone) == offset:
            begin = end
            continue
        before, after = begin.replace(microsecond=0), end
        while after - before > _SECOND:
            middle = (before + (after - before) / 2).replace(microsecond=0)
            before, after = (middle, after) if _offset(middle, zone) == offset else (before, middle)
        return after
    return begin


def _offset(at: datetime, zone: ZoneInfo) -> timedelta:
    return at.astimezone(zone).utcoffset() or timedelta()
