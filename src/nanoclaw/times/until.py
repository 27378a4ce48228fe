"""Until when, and for how long, as a person writes it: `monday`, `завтра 9:00`, `2026-11-20`, `3h`, `2 дні`."""

import re
from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

from nanoclaw.domain.errors import Refused
from nanoclaw.domain.locale import first_moment
from nanoclaw.times.clocks import clocks_in, is_clock
from nanoclaw.times.dates import comes_yearly, day_meant, is_date, is_day, with_days_joined
from nanoclaw.times.time_words import UNITS, WEEKDAYS, words_of

_FARTHEST = timedelta(days=366)
_LONGEST_SHOWN = 100
_DAY = timedelta(days=1)
_MINUTE = timedelta(minutes=1)
_FIRST = {"until", "till", "til", "to", "for", "до", "на"}
_BEFORE = {"at", "on", "о", "об", "в", "у"}  # a clock or a day
_PART = r"([0-9]{1,6}) ?([^\W\d_]+)"
_SPAN = re.compile(rf"{_PART}(?: ?{_PART}){{0,3}}")


def read_until(text: str, at: datetime, zone: ZoneInfo) -> datetime:
    """The moment meant, in UTC. Days and clocks are those of the person's place."""
    words = with_days_joined(words_of(text))
    if words and words[0] in _FIRST:
        words = words[1:]
    span = span_of(" ".join(words))
    if span is not None:
        check_ahead(span, text)
        return at.astimezone(UTC) + span
    days, clock = _meant([word for word in words if word not in _BEFORE], text)
    here = at.astimezone(zone).date()
    moment = _moment(days, clock, here, zone, text)
    if moment <= at and (not days or comes_yearly(days[-1])):
        moment = _moment(days, clock, here + _DAY, zone, text)
    check_ahead(moment - at, text)
    return moment


def read_span(text: str) -> timedelta:
    """`30m`, `2h`, `1d`, `90s`; a number alone is minutes."""
    written = " ".join(words_of(text))
    span = int(written) * _MINUTE if re.fullmatch("[0-9]{1,6}", written) else span_of(written)
    if not span:
        raise Refused("span-unclear", text=shown(text))
    return span


def span_of(written: str) -> timedelta | None:
    if not _SPAN.fullmatch(written):
        return None
    parts = re.findall(_PART, written)
    if any(unit not in UNITS for _, unit in parts):
        return None
    return sum((int(count) * UNITS[unit] for count, unit in parts), timedelta())


def _meant(told: list[str], text: str) -> tuple[list[str], time]:
    """A day, a clock, or both in either order; a date may follow its day of the week."""
    days = [word for word in told if is_day(word)]
    clocks = [word for word in told if is_clock(word)]
    is_one_day = len(days) < 2 or (len(days) == 2 and days[0] in WEEKDAYS and is_date(days[1]))
    if not told or len(clocks) > 1 or not is_one_day or len(clocks) + len(days) != len(told):
        raise Refused("until-unclear", text=shown(text))
    return days, next(iter(clocks_in(clocks, shown(text))), time())


def _moment(days: list[str], clock: time, today: date, zone: ZoneInfo, text: str) -> datetime:
    if not days:
        return first_moment(datetime.combine(today, clock), zone)
    meant = day_meant(days[-1], today, shown(text))
    if days[0] in WEEKDAYS and meant.weekday() != WEEKDAYS[days[0]]:
        raise Refused("when-no-such-day", text=shown(text))
    # Before computing the moment: in the first and last year some moments do not exist in every zone.
    check_ahead(meant - today or _DAY, text)
    return first_moment(datetime.combine(meant, clock), zone)


def check_ahead(ahead: timedelta, text: str) -> None:
    if ahead <= timedelta():
        raise Refused("until-past", text=shown(text))
    if ahead > _FARTHEST:
        raise Refused("until-far", text=shown(text))


def shown(text: str) -> str:
    return text.strip()[:_LONGEST_SHOWN]
