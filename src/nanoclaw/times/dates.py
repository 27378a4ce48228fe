"""A day, as a person writes it: `friday`, `next friday`, `tomorrow`, `1 may`, `may 1st`, `1 травня 2027 року`.

Several words for one day are first joined: `next-friday`, `--05-01` (of any year, as in ISO 8601) or `2027-05-01`.
"""

import re
from collections.abc import Iterable
from datetime import date, timedelta

from nanoclaw.domain.errors import Refused
from nanoclaw.times.time_words import DAYS_AHEAD, MONTHS, NEXT, THIS, WEEKDAYS

_DAY = timedelta(days=1)
_WEEK = timedelta(days=7)
_LEAP_YEAR = 2028
_BETWEEN_LEAP_YEARS = 8  # at most: 2096 to 2104
_ISO = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_ANY_YEAR = re.compile(r"--([0-9]{2})-([0-9]{2})")


def _one_of(words: Iterable[str]) -> str:
    return "(" + "|".join(re.escape(word) for word in words) + ")"


_NUMBER = r"([0-9]{1,2})(?:st|nd|rd|th|-?го|-?ше|-?тє|-?те)?"
_YEAR = r"(?: (20[0-9]{2})(?: року| р)?)?(?!\S)"
_DAY_FIRST = re.compile(rf"(?<!\S)(?:the )?{_NUMBER} (?:of )?{_one_of(MONTHS)}{_YEAR}")
_MONTH_FIRST = re.compile(rf"(?<!\S){_one_of(MONTHS)} (?:the )?{_NUMBER}{_YEAR}")
_THIS_DAY = re.compile(rf"(?<!\S)(?:{_one_of(THIS)} ){{1,2}}{_one_of(WEEKDAYS)}(?!\S)")
_DOTTED = re.compile(r"(?<!\S)([0-9]{1,2})\.([0-9]{1,2})\.(20[0-9]{2})(?!\S)")
_NEXT_DAY = re.compile(rf"(?<!\S){_one_of(NEXT)} {_one_of(WEEKDAYS)}(?!\S)")


def with_days_joined(words: list[str]) -> list[str]:
    """Joins the words of each day into one."""
    written = " ".join(words)
    written = _DOTTED.sub(lambda found: f"{found[3]}-{found[2]:0>2}-{found[1]:0>2}", written)
    written = _DAY_FIRST.sub(lambda found: _dated(found[3], found[2], found[1]), written)
    written = _MONTH_FIRST.sub(lambda found: _dated(found[3], found[1], found[2]), written)
    return _NEXT_DAY.sub(r"next-\2", _THIS_DAY.sub(r"\2", written)).split()


def _dated(year: str | None, month: str, day: str) -> str:
    return f"{year or '-'}-{MONTHS[month]:02}-{int(day):02}"


def is_day(word: str) -> bool:
    known = word in WEEKDAYS or word in DAYS_AHEAD or word.removeprefix("next-") in WEEKDAYS
    return known or is_date(word)


def is_date(word: str) -> bool:
    """Also true for a date that no calendar has, such as the 31st of February."""
    return bool(_ISO.fullmatch(word)) or comes_yearly(word)


def comes_yearly(word: str) -> bool:
    return bool(_ANY_YEAR.fullmatch(word))


def day_meant(word: str, today: date, text: str) -> date:
    """The day that such a word means; refused if there is none. A day of the week is never today."""
    if word in DAYS_AHEAD:
        return today + _DAY * DAYS_AHEAD[word]
    if word in WEEKDAYS:
        return today + _DAY * ((WEEKDAYS[word] - today.weekday() - 1) % 7 + 1)
    if (weekday := WEEKDAYS.get(word.removeprefix("next-"))) is not None:
        # A person who means this week says "friday".
        return today - _DAY * today.weekday() + _WEEK + _DAY * weekday
    if comes_yearly(word):
        return _next_such_date(*month_and_day(word, text), today)
    try:
        return date.fromisoformat(word)
    except ValueError as error:
        raise Refused("when-no-such-day", text=text) from error


def month_and_day(word: str, text: str) -> tuple[int, int]:
    found = _ANY_YEAR.fullmatch(word)
    month, day = (int(found[1]), int(found[2])) if found else (0, 0)
    if not _exists(_LEAP_YEAR, month, day):
        raise Refused("when-no-such-day", text=text)
    return month, day


def _next_such_date(month: int, day: int, today: date) -> date:
    years = range(today.year, today.year + _BETWEEN_LEAP_YEARS + 1)
    dates = (date(year, month, day) for year in years if _exists(year, month, day))
    return next(each for each in dates if each >= today)


def _exists(year: int, month: int, day: int) -> bool:
    try:
        date(year, month, day)
    except ValueError:
        return False
    return True
