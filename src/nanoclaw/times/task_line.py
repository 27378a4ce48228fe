"""Splits a line that begins with a time: where the time ends, and the work begins.

It never understands less than was said: "every day at 9:00 except weekends" is refused, asking for other
words, rather than scheduled every day.
"""

import re
from datetime import datetime

from nanoclaw.domain.errors import Refused
from nanoclaw.domain.locale import find_zone
from nanoclaw.domain.schedules import Schedule
from nanoclaw.times.clocks import CLOCK
from nanoclaw.times.dates import is_day
from nanoclaw.times.repetition import plain_words
from nanoclaw.times.time_words import AND, EVERY, GROUPS, JOINING, MONTHS, UNITS, WEEKDAYS, word_set, words_of
from nanoclaw.times.until import shown
from nanoclaw.times.when import LONGEST, read_when

_QUOTED = re.compile(r'["“„«]([^"“”„«»]{1,100})["“”»]')
_ENDS = " \t,:;-–—"
_SEPARATOR = re.compile(r"\s*(?:[,:;]|[-–—](?=\s))+\s*")
_LISTED = re.compile(r"\S?\s*,")  # "at 9:00, 18:30"
# Said about what was read to its end; its end may be the work: "every day at 9:00: 18:30 is too late".
_AT_THE_END = word_set("when-clocks when-every-other when-no-such-clock when-no-such-day")

_RANGES = word_set("from between з із від")
_TO = word_set("to and till until до по - –")
_JOINS = _RANGES | AND | word_set("at on о об в у до по until till to through except крім")
_OR = AND | word_set("or або чи")
_LIMITS = word_set(
    "except excluding but only starting in until till til to крім окрім але лише тільки починаючи до в у"
)
_IN_MONTHS = word_set(
    "січні лютому березні квітні травні червні липні серпні вересні жовтні листопаді грудні"
)
_NOT = word_set("not не")
_LASTING = word_set("for на протягом впродовж")
_DURING = word_set("протягом впродовж")
_ONE = word_set("a an")
_MINUTES = re.compile("[0-5][0-9]")
_MANY_DAYS = re.compile("(?:mon|tues|wednes|thurs|fri|satur|sun)days")
_RANGE_OF_DAYS = re.compile(r"(\w+'?\w*)[-–](\w+'?\w*)")
_ZONE = re.compile(
    r"\(?(?:(?:utc|gmt)(?:[+-][0-9:]+)?|[+-][0-9]{2}:[0-9]{2}|[ecmp][ds]t|ee?st|eet|cest|cet|bst|msk|[a-z]+/[a-z_/]+)\)?"
)
_TIME = word_set("time часу часом")


def split_when(text: str, at: datetime, timezone: str) -> tuple[Schedule, str]:
    """The time that a line begins with, and the rest of it: the work to do then."""
    line = text.strip()
    if quoted := _QUOTED.match(line):
        return read_when(quoted[1], at, timezone), _after(line[quoted.end() :])
    bar = line.find("|", 0, LONGEST + 1)
    if bar >= 0:
        return read_when(line[:bar].strip(_ENDS), at, timezone), line[bar + 1 :].strip()
    head = line.partition("\n")[0]  # a time is written on one line
    schedule, end = _longest(head, at, timezone)
    if not _is_separate(head, end):
        if _is_of_another_clock(words_of(head[end : end + LONGEST])):
            raise Refused("when-zone", text=shown(line))
        if _goes_on(head[:end], head[end:]):
            # "every 2 hours at 9:00": less was understood than was said.
            raise Refused("when-end", text=shown(line))
    return schedule, _after(line[end:]) if head[end:].strip() else line[end:].strip()


def _longest(line: str, at: datetime, timezone: str) -> tuple[Schedule, int]:
    """Read from the longest beginning to the shortest: `0 0 8 * * 1` has one field too many, and is not a
    prompt of `1`.
    """
    ends = [word.end() for word in re.finditer(r"\S+", line[: 2 * LONGEST]) if word.end() <= LONGEST]
    at_the_end: Refused | None = None
    for end in reversed(ends):
        try:
            schedule = read_when(line[:end].rstrip(_ENDS), at, timezone)
        except Refused as refused:
            if refused.key in _AT_THE_END:
                at_the_end = at_the_end or refused
            elif refused.key not in ("when-unclear", "when-missing"):
                raise at_the_end or refused from None
            continue
        if not at_the_end or (_is_separate(line, end) and not _LISTED.match(line[end - 1 :])):
            return schedule, end
        break
    raise at_the_end or Refused("when-line", text=shown(line))


def _is_separate(line: str, end: int) -> bool:
    return line[end - 1] in _ENDS or bool(_SEPARATOR.match(line[end:]))


def _after(rest: str) -> str:
    separator = _SEPARATOR.match(rest)
    return rest[separator.end() if separator else 0 :].strip()


def _goes_on(time: str, rest: str) -> bool:
    """Whether the words after the time still belong to it."""
    told = [*words_of(rest[:LONGEST])[:3], "", "", ""]
    words = [*plain_words(rest[:LONGEST])[:5], "", "", ""]
    return (
        _is_of_more_days(told, words)
        or _is_a_limit(words)
        or _is_of_more_hours(words_of(time)[-1], told, words)
    )


def _is_of_another_clock(told: list[str]) -> bool:
    """Not on the person's clock: `9:00 UTC`, `9:00 +03:00`, `9:00 Europe/Paris`, `9:00 Kyiv time`, `9:00 за UTC`."""
    zone, time = [*(told[1:] if told[:1] == ["за"] else told), "", ""][:2]
    named = time in _TIME and (find_zone(zone) is not None or zone.startswith("київськ"))
    return named or bool(_ZONE.fullmatch(zone))


def _is_of_more_days(told: list[str], words: list[str]) -> bool:
    """`9:00 mondays`, `9:00 mon-fri`, `9:00 every day`, `9:00 and on friday`, `mon 9am wed 10am`."""
    first, second, third = words[:3]
    ranged = _RANGE_OF_DAYS.fullmatch(told[0])
    return (
        told[0] in ("weekdays", "weekends")
        or bool(_MANY_DAYS.fullmatch(told[0]))
        or (ranged is not None and ranged[1] in WEEKDAYS and ranged[2] in WEEKDAYS)
        or (told[0] in EVERY and (is_day(told[1]) or told[1] in UNITS))
        or (first in _JOINS and (is_day(second) or second in GROUPS))
        or (first in _JOINS and second in EVERY and (is_day(third) or third in UNITS))
        or (is_day(first) and bool(CLOCK.fullmatch(second)))
    )


def _is_a_limit(words: list[str]) -> bool:
    """`except weekends`, `but not on sunday`, `until december`, `from 9 to 18`, `for a week`."""
    first, second, third = words[:3]
    named = next((word for word in words[1:] if word not in JOINING and word not in _NOT), "")
    return (
        (first in _LIMITS and (is_day(named) or named in MONTHS or named in _IN_MONTHS))
        or (first in _LIMITS and named.removeprefix("-") in GROUPS)
        or (first in _RANGES and second.isdecimal() and third in _TO)
        or (first in _DURING and second in UNITS)
        or (first in _LASTING and (second.isdecimal() or second in _ONE) and third in UNITS)
    )


def _is_of_more_hours(last: str, told: list[str], words: list[str]) -> bool:
    """`9:00 18:00`, `at 9 and 18`, `at 9 30`, `in 2 hours 30 minutes`, `every hour and a half`."""
    first, second, third = words[:3]
    return (
        bool(CLOCK.fullmatch(first))
        or (first in _JOINS and bool(CLOCK.fullmatch(second)))
        or (first in _OR and (second.isdecimal() or (second, third) == ("a", "half")))
        or (last in UNITS and first.isdecimal() and second in UNITS)
        or (last.isdecimal() and bool(_MINUTES.fullmatch(told[0])))
    )
