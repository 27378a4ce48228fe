"""When a task is to run, as a person writes it: `every monday 8:00`, `завтра о 9`, `in 2 hours`, `0 8 * * 1`.

`repetition` reads how often; `until` reads a day, a clock and a duration. A time without an offset is on the person's
clock.
"""

import re
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

from nanoclaw.domain.errors import Refused
from nanoclaw.domain.locale import first_moment
from nanoclaw.domain.schedules import NICKNAMES, Schedule, checked_zone, cron, interval, once
from nanoclaw.times.clocks import CLOCK
from nanoclaw.times.dates import day_meant, is_date, is_day
from nanoclaw.times.repetition import plain_words, read_repetition
from nanoclaw.times.time_words import AND, JOINING, UNITS, word_set, words_of
from nanoclaw.times.until import check_ahead, read_until, shown, span_of

LONGEST = 100  # characters of a time
_ONCE = word_set("once одноразово")
_AHEAD = word_set("in через за")
_ONE = word_set("a an")
_FOR = word_set("for на")
_UNTIL = word_set("until till til to до")  # an end, not a beginning
_ISO = re.compile(
    r"([0-9]{4}-[0-9]{2}-[0-9]{2}) ((?:[01]?[0-9]|2[0-3]):[0-5][0-9])(:[0-5][0-9])?(?:\.[0-9]{1,6})?"
    r" ?(z|[+-][0-9]{2}(?::?[0-9]{2})?)?"
)
_CLOCK_FIELD = re.compile(r"[0-9*,/-]+")
_DAY_FIELD = re.compile(
    r"(?:[0-9*,/#?l-]|lw|jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|mon|tue|wed|thu|fri|sat|sun)+"
)
_HOURLY = re.compile("(?:every hour at|щогодини о) :([0-5][0-9])")


def read_when(text: str, at: datetime, timezone: str) -> Schedule:
    """Raises Refused, with what to write instead."""
    zone = ZoneInfo(checked_zone(timezone))
    if len(text) > LONGEST:
        raise Refused("when-unclear", text=shown(text))
    if not text.strip():
        raise Refused("when-missing")
    written = words_of(text)
    if written and written[0].rstrip(":") == "cron":
        if not all(_DAY_FIELD.fullmatch(word) for word in written[1:]):
            raise Refused("when-unclear", text=shown(text))
        return cron(" ".join(written[1:]), timezone, at)
    if _is_cron(written):
        return cron(" ".join(written), timezone, at)
    if hourly := _HOURLY.fullmatch(" ".join(written)):
        return cron(f"{int(hourly[1])} * * * *", timezone, at)
    words = plain_words(text)
    if not words or words[-1] in JOINING:
        raise Refused("when-unclear", text=shown(text))
    often = read_repetition(words, shown(text))
    if isinstance(often, timedelta):
        return interval(often, timezone, at)
    if isinstance(often, str):
        return cron(often, timezone, at)
    try:
        return once(_moment(words, at, zone), timezone, at)
    except Refused as refused:
        # The words were rearranged for reading; a person is shown their own.
        key = "when-unclear" if refused.key == "until-unclear" else refused.key
        raise Refused(key, text=shown(text)) from refused


def _is_cron(words: list[str]) -> bool:
    if len(words) == 1:
        return words[0] in NICKNAMES
    fields = len(words) >= 5 or (len(words) >= 3 and any("*" in word for word in words))
    return (
        fields
        and all(_CLOCK_FIELD.fullmatch(word) for word in words[:2])
        and all(_DAY_FIELD.fullmatch(word) for word in words[2:])
    )


def _moment(words: list[str], at: datetime, zone: ZoneInfo) -> datetime:
    if words[0] in _ONCE:
        words = words[1:]
    written = " ".join(words)
    if iso := _ISO.fullmatch(written):
        return _iso_moment(iso, written, at, zone)
    if words and words[0] in _AHEAD:
        return at.astimezone(UTC) + _span_ahead(words[1:], written)
    if words and (words[0] in _UNTIL or (words[0] in _FOR and span_of(" ".join(words[1:])) is not None)):
        raise Refused("until-unclear", text=written)
    clocks = {word for word in words if CLOCK.fullmatch(word)}
    if all(is_day(word) or word in clocks or word in JOINING for word in words):
        _check_clocks(words, clocks, at, written)
    return read_until(written, at, zone)


def _check_clocks(words: list[str], clocks: set[str], at: datetime, written: str) -> None:
    for word in filter(is_date, words):
        day_meant(word, at.date(), written)
    if words and not clocks:
        raise Refused("when-clock", text=written)  # "tomorrow": nobody means midnight
    if len(clocks) > 1 and not AND.isdisjoint(words):  # "9:00 on monday 2 reports" has one
        raise Refused("when-clocks", text=written)


def _span_ahead(words: list[str], written: str) -> timedelta:
    told = words[1:] if words and words[0] in _ONE else words
    span = UNITS.get(told[0]) if len(told) == 1 else None
    span = span or span_of(" ".join(told))
    if span is None:
        raise Refused("until-unclear", text=written)
    check_ahead(span, written)
    return span


def _iso_moment(iso: re.Match[str], written: str, at: datetime, zone: ZoneInfo) -> datetime:
    day_meant(iso[1], at.date(), written)
    clock = f"{iso[2]:0>5}{iso[3] or ''}"
    try:
        wall = datetime.fromisoformat(f"{iso[1]} {clock}")
        told = datetime.fromisoformat(f"{iso[1]} {clock}{(iso[4] or '').upper()}")
    except ValueError as error:  # an offset of 99 hours
        raise Refused("until-unclear", text=written) from error
    # Before computing the moment: in the first and last year some moments do not exist in every zone.
    if abs(wall.year - at.year) > 2:
        check_ahead(wall - at.replace(tzinfo=None), written)
    moment = told.astimezone(UTC) if told.tzinfo else first_moment(wall, zone)
    check_ahead(moment - at, written)
    return moment
