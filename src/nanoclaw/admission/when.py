"""When a task is to run, as a person writes it: `every monday 8:00`, `завтра о 9`, `in 2 hours`, `0 8 * * 1`.

How often is read by `repetition`; a day, a clock and a length of time by `until`. A time without an offset is that of
the person's clock.
"""

import re
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

from nanoclaw.admission.clocks import CLOCK
from nanoclaw.admission.dates import day_meant, is_date, is_day
from nanoclaw.admission.repetition import plain_words, read_repetition
from nanoclaw.admission.time_words import AND, EVERY, GROUPS, JOINING, UNITS, word_set, words_of
from nanoclaw.admission.until import check_ahead, read_until, shown, span_of
from nanoclaw.domain.errors import Refused
from nanoclaw.domain.locale import first_moment
from nanoclaw.domain.schedules import NICKNAMES, Schedule, checked_zone, cron, interval, once

_LONGEST = 100  # characters of a time
_ONCE = word_set("once одноразово")
_AHEAD = word_set("in через за")
_ONE = word_set("a an")
_FOR = word_set("for на")
_UNTIL = word_set("until till til to до")  # an end, and no beginning
_ISO = re.compile(
    r"([0-9]{4}-[0-9]{2}-[0-9]{2}) ((?:[01]?[0-9]|2[0-3]):[0-5][0-9])(:[0-5][0-9])?(?:\.[0-9]{1,6})?"
    r" ?(z|[+-][0-9]{2}(?::?[0-9]{2})?)?"
)
_CLOCK_FIELD = re.compile(r"[0-9*,/-]+")
_DAY_FIELD = re.compile(
    r"(?:[0-9*,/#?l-]|lw|jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|mon|tue|wed|thu|fri|sat|sun)+"
)
_QUOTED = re.compile(r'["“„«]([^"“”„«»]{1,100})["“”»]')
_HOURLY = re.compile("(?:every hour at|щогодини о) :([0-5][0-9])")
_ENDS = " \t,:;-–—"
_SEPARATOR = re.compile(r"\s*(?:[,:;]|[-–—](?=\s))+\s*")
_LISTED = re.compile(r"\S?\s*,")  # "at 9:00, 18:30"
_RANGES = word_set("from between з із від")
_TO = word_set("to and till until до по - –")
_GOES_ON = _RANGES | AND | word_set("at on о об в у до по until till to through except крім")
_LASTING = word_set("for на протягом впродовж")
# Said of what was read to its end; its end may be what is to be done: "every day at 9:00: 18:30 is too late".
_AT_THE_END = word_set("when-clocks when-every-other when-no-such-clock when-no-such-day")


def read_when(text: str, at: datetime, timezone: str) -> Schedule:
    """Raises Refused, with what to write instead."""
    zone = ZoneInfo(checked_zone(timezone))
    if len(text) > _LONGEST:
        raise Refused("when-unclear", text=shown(text))
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
        # The words were put another way to be read; a person is shown their own.
        key = "when-unclear" if refused.key == "until-unclear" else refused.key
        raise Refused(key, text=shown(text)) from refused


def split_when(text: str, at: datetime, timezone: str) -> tuple[Schedule, str]:
    """The time that a line begins with, and the rest of it: what is to be done then."""
    line = text.strip()
    if quoted := _QUOTED.match(line):
        return read_when(quoted[1], at, timezone), _after(line[quoted.end() :])
    bar = line.find("|", 0, _LONGEST + 1)
    if bar >= 0:
        return read_when(line[:bar].strip(_ENDS), at, timezone), line[bar + 1 :].strip()
    head = line.partition("\n")[0]  # a time is written in one line
    schedule, end = _longest(head, at, timezone)
    if not _is_separate(head, end) and _goes_on(head[end:]):
        # "every 2 hours at 9:00": what was understood is less than what was said.
        raise Refused("when-end", text=shown(line))
    return schedule, _after(line[end:]) if head[end:].strip() else line[end:].strip()


def _longest(line: str, at: datetime, timezone: str) -> tuple[Schedule, int]:
    """Read from the longest beginning to the shortest: `0 0 8 * * 1` has one field too many, and no prompt of `1`."""
    ends = [word.end() for word in re.finditer(r"\S+", line[: 2 * _LONGEST]) if word.end() <= _LONGEST]
    at_the_end: Refused | None = None
    for end in reversed(ends):
        try:
            schedule = read_when(line[:end].rstrip(_ENDS), at, timezone)
        except Refused as refused:
            if refused.key in _AT_THE_END:
                at_the_end = at_the_end or refused
            elif refused.key != "when-unclear":
                raise at_the_end or refused from None
            continue
        if not at_the_end or (_is_separate(line, end) and not _LISTED.match(line[end - 1 :])):
            return schedule, end
        break
    raise at_the_end or Refused("when-unclear", text=shown(line))


def _is_separate(line: str, end: int) -> bool:
    return line[end - 1] in _ENDS or bool(_SEPARATOR.match(line[end:]))


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
        raise Refused("when-clock", text=written)  # "tomorrow": nobody means the midnight
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
    # Before a moment is made of it: those of the first and the last year cannot be told in every zone.
    if abs(wall.year - at.year) > 2:
        check_ahead(wall - at.replace(tzinfo=None), written)
    moment = told.astimezone(UTC) if told.tzinfo else first_moment(wall, zone)
    check_ahead(moment - at, written)
    return moment


def _after(rest: str) -> str:
    separator = _SEPARATOR.match(rest)
    return rest[separator.end() if separator else 0 :].strip()


def _goes_on(rest: str) -> bool:
    """Whether the words behind the time still belong to it: a clock, `on weekdays`, `from 9 to 18`, `for 2 weeks`."""
    told = [*words_of(rest[:_LONGEST])[:2], "", ""]
    first, second, third = (*plain_words(rest[:_LONGEST])[:3], "", "", "")[:3]
    number = second.isdecimal()
    return (
        bool(CLOCK.fullmatch(first))
        or (told[0] in EVERY and (is_day(told[1]) or told[1] in UNITS))
        or (first in _GOES_ON and (is_day(second) or second in GROUPS or bool(CLOCK.fullmatch(second))))
        or (first in _GOES_ON and second in EVERY and (is_day(third) or third in UNITS))
        or (first in _RANGES and number and third in _TO)
        or (first in _LASTING and number and third in UNITS)
    )
