"""Until when, and for how long, as a person writes it: `monday`, `завтра 9:00`, `2026-11-20`, `3h`, `2 дні`."""

import re
import unicodedata
from collections.abc import Iterable
from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

from nanoclaw.domain.errors import Refused
from nanoclaw.domain.locale import first_moment

_FARTHEST = timedelta(days=366)
_LONGEST_SHOWN = 100
_DAY = timedelta(days=1)
_MINUTE = timedelta(minutes=1)
_FIRST = {"until", "till", "til", "to", "for", "до", "на"}
_BEFORE = {"at", "on", "о", "об", "в", "у"}  # a clock or a day


def word_set(words: str) -> frozenset[str]:
    return frozenset(words.split())


def _by_word(rows: Iterable[str]) -> dict[str, int]:
    return {word: number for number, words in enumerate(rows) for word in words.split()}


WEEKDAYS = _by_word(
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
DAYS_AHEAD = _by_word(("today сьогодні", "tomorrow завтра", "післязавтра"))
UNITS = {
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
CLOCK = re.compile(r"([01]?[0-9]|2[0-3]):([0-5][0-9])")
ISO_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")


def read_until(text: str, at: datetime, zone: ZoneInfo) -> datetime:
    """The moment that is meant, in UTC. A day begins, and a clock shows a time, where the person is."""
    words = words_of(text)
    if words and words[0] in _FIRST:
        words = words[1:]
    span = span_of(" ".join(words))
    if span is not None:
        check_ahead(span, text)
        return at.astimezone(UTC) + span
    here = at.astimezone(zone)
    day, clock = _meant(words, here.date(), text)
    if day is not None:
        # Before a moment is made of it: those of the first and the last year cannot be told in every zone.
        check_ahead(day - here.date() or _DAY, text)
    wall = datetime.combine(day or here.date(), clock or time())
    moment = first_moment(wall, zone)
    if day is None and moment <= at:
        moment = first_moment(wall + _DAY, zone)
    check_ahead(moment - at, text)
    return moment


def read_span(text: str) -> timedelta:
    """`30m`, `2h`, `1d`, `90s`; a number alone counts minutes."""
    written = " ".join(words_of(text))
    span = int(written) * _MINUTE if re.fullmatch("[0-9]{1,6}", written) else span_of(written)
    if not span:
        raise Refused("span-unclear", text=shown(text))
    return span


def words_of(text: str) -> list[str]:
    plain = unicodedata.normalize("NFC", text).lower()
    plain = re.sub("[’ʼ`´]", "'", plain)
    plain = re.sub(r"(?<=-[0-9]{2})t(?=[0-9])", " ", plain)
    return [word.rstrip(".,!") for word in plain.split()]


def span_of(written: str) -> timedelta | None:
    if not _SPAN.fullmatch(written):
        return None
    parts = re.findall(_PART, written)
    if any(unit not in UNITS for _, unit in parts):
        return None
    return sum((int(count) * UNITS[unit] for count, unit in parts), timedelta())


def _meant(words: list[str], today: date, text: str) -> tuple[date | None, time | None]:
    """A day, a clock, or both in either order."""
    told = [word for word in words if word not in _BEFORE]
    clocks = [time(int(found[1]), int(found[2])) for word in told if (found := CLOCK.fullmatch(word))]
    days = [day for word in told if (day := _day(word, today))]
    if not told or len(clocks) > 1 or len(days) > 1 or len(clocks) + len(days) != len(told):
        raise Refused("until-unclear", text=shown(text))
    return next(iter(days), None), next(iter(clocks), None)


def _day(word: str, today: date) -> date | None:
    if word in WEEKDAYS:
        return today + _DAY * ((WEEKDAYS[word] - today.weekday() - 1) % 7 + 1)
    if word in DAYS_AHEAD:
        return today + _DAY * DAYS_AHEAD[word]
    try:
        return date.fromisoformat(word) if ISO_DATE.fullmatch(word) else None
    except ValueError:  # the 30th of February
        return None


def check_ahead(ahead: timedelta, text: str) -> None:
    if ahead <= timedelta():
        raise Refused("until-past", text=shown(text))
    if ahead > _FARTHEST:
        raise Refused("until-far", text=shown(text))


def shown(text: str) -> str:
    return text.strip()[:_LONGEST_SHOWN]
