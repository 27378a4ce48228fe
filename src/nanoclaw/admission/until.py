"""Until when, and for how long, as a person writes it: `monday`, `завтра 9:00`, `2026-11-20`, `3h`, `2 дні`."""

import re
import unicodedata
from collections.abc import Iterable
from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

from nanoclaw.domain.errors import Refused

_FARTHEST = timedelta(days=366)
_LONGEST_SHOWN = 100
_DAY = timedelta(days=1)
_MINUTE = timedelta(minutes=1)
_FIRST = {"until", "till", "til", "to", "for", "до", "на"}
_BEFORE = {"at", "on", "о", "об", "в", "у"}  # a clock or a day


def _by_word(rows: Iterable[str]) -> dict[str, int]:
    return {word: number for number, words in enumerate(rows) for word in words.split()}


_WEEKDAYS = _by_word(
    (
        "monday mon понеділок понеділка пон пн",
        "tuesday tue tues вівторок вівторка вт",
        "wednesday wed weds середа середи середу ср",
        "thursday thu thur thurs четвер четверга чт",
        "friday fri п'ятниця п'ятниці п'ятницю пт",
        "saturday sat субота суботи суботу сб",
        "sunday sun неділя неділі неділю нд",
    )
)
_DAYS_AHEAD = _by_word(("today сьогодні", "tomorrow завтра", "післязавтра"))
_UNITS = {
    word: timedelta(seconds=seconds)
    for seconds, words in {
        1: "s sec secs second seconds с сек секунда секунди секунду секунд",
        60: "m min mins minute minutes хв хвилина хвилини хвилину хвилин",
        3600: "h hr hrs hour hours г год година години годину годин",
        86_400: "d day days д дн день дня дні днів",
        604_800: "w week weeks тиж тиждень тижня тижні тижнів",
    }.items()
    for word in words.split()
}
_PART = r"([0-9]{1,6}) ?([^\W\d_]+)"
_SPAN = re.compile(rf"{_PART}(?: ?{_PART}){{0,3}}")
_CLOCK = re.compile(r"([01]?[0-9]|2[0-3]):([0-5][0-9])")
_ISO = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")


def read_until(text: str, at: datetime, zone: ZoneInfo) -> datetime:
    """The moment that is meant, in UTC. A day begins, and a clock shows a time, where the person is."""
    words = _words(text)
    if words and words[0] in _FIRST:
        words = words[1:]
    span = _span(" ".join(words))
    if span is not None:
        _check(span, text)
        return at.astimezone(UTC) + span
    here = at.astimezone(zone)
    day, clock = _meant(words, here.date(), text)
    if day is not None:
        # Before a moment is made of it: those of the first and the last year cannot be told in every zone.
        _check(day - here.date() or _DAY, text)
    wall = datetime.combine(day or here.date(), clock or time())
    moment = _moment(wall, zone)
    if day is None and moment <= at:
        moment = _moment(wall + _DAY, zone)
    _check(moment - at, text)
    return moment


def read_span(text: str) -> timedelta:
    """`30m`, `2h`, `1d`, `90s`; a number alone counts minutes."""
    written = " ".join(_words(text))
    span = int(written) * _MINUTE if re.fullmatch("[0-9]{1,6}", written) else _span(written)
    if not span:
        raise Refused("span-unclear", text=_shown(text))
    return span


def _words(text: str) -> list[str]:
    plain = unicodedata.normalize("NFC", text).lower()
    plain = re.sub("[’ʼ`´]", "'", plain)
    plain = re.sub(r"(?<=-[0-9]{2})t(?=[0-9])", " ", plain)
    return [word.rstrip(".,!") for word in plain.split()]


def _span(written: str) -> timedelta | None:
    if not _SPAN.fullmatch(written):
        return None
    parts = re.findall(_PART, written)
    if any(unit not in _UNITS for _, unit in parts):
        return None
    return sum((int(count) * _UNITS[unit] for count, unit in parts), timedelta())


def _meant(words: list[str], today: date, text: str) -> tuple[date | None, time | None]:
    """A day, a clock, or both in either order."""
    told = [word for word in words if word not in _BEFORE]
    clocks = [time(int(found[1]), int(found[2])) for word in told if (found := _CLOCK.fullmatch(word))]
    days = [day for word in told if (day := _day(word, today))]
    if not told or len(clocks) > 1 or len(days) > 1 or len(clocks) + len(days) != len(told):
        raise Refused("until-unclear", text=_shown(text))
    return next(iter(days), None), next(iter(clocks), None)


def _day(word: str, today: date) -> date | None:
    if word in _WEEKDAYS:
        return today + _DAY * ((_WEEKDAYS[word] - today.weekday() - 1) % 7 + 1)
    if word in _DAYS_AHEAD:
        return today + _DAY * _DAYS_AHEAD[word]
    try:
        return date.fromisoformat(word) if _ISO.fullmatch(word) else None
    except ValueError:  # the 30th of February
        return None


def _check(ahead: timedelta, text: str) -> None:
    if ahead <= timedelta():
        raise Refused("until-past", text=_shown(text))
    if ahead > _FARTHEST:
        raise Refused("until-far", text=_shown(text))


def _moment(wall: datetime, zone: ZoneInfo) -> datetime:
    """When the clock there shows it: the first time if it does so twice, and if it never does, when it skips it."""
    before, after = (wall.replace(tzinfo=zone, fold=fold).astimezone(UTC) for fold in (1, 0))
    if after.astimezone(zone).replace(tzinfo=None) == wall:
        return after
    # In a gap the second reading lies before the change and the first one behind it.
    offset = after.astimezone(zone).utcoffset()
    while after - before > timedelta(seconds=1):
        middle = before + (after - before) // 2
        before, after = (before, middle) if middle.astimezone(zone).utcoffset() == offset else (middle, after)
    return after.replace(microsecond=0)


def _shown(text: str) -> str:
    return text.strip()[:_LONGEST_SHOWN]
