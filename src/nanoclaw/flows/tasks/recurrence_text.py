"""How often a task runs, as people say it: `Mondays at 08:00`, `щодня о 09:00`; unusual schedules stay as written.

`times/when.py` can read these words, so that a person can edit them in place.
"""

import re
from datetime import timedelta

from cronsim import CronSim

from nanoclaw.domain.locale import Locale
from nanoclaw.domain.schedules import Schedule, ScheduleType
from nanoclaw.flows.human.card_text import span
from nanoclaw.texts import say

_WEEKDAYS, _WEEKEND, _ALL_DAYS = {0, 1, 2, 3, 4}, {5, 6}, set(range(7))
_MOST_CLOCKS = 4
_PLACED = re.compile("([0-7])(?:#([1-4])|L)")  # e.g. the second Monday of a month, or the last Friday
_HOUR = 60  # minutes
_MINUTE = 60  # seconds


def rhythm(schedule: Schedule, locale: Locale) -> str:
    language = locale.speaks
    match schedule.type:
        case ScheduleType.ONCE:
            return say(language, "task-once")
        case ScheduleType.INTERVAL:
            return say(language, "task-every", span=_exactly(int(schedule.value), language))
        case ScheduleType.CRON:
            return _of_cron(schedule, language) or say(language, "task-cron", cron=schedule.value)


def rhythm_for(schedule: Schedule, reader: Locale) -> str:
    """The rhythm, with its zone if that is not the reader's: next to a time on their clock it would look wrong."""
    told = rhythm(schedule, reader)
    is_other = schedule.type is ScheduleType.CRON and schedule.timezone != reader.zone.key
    return f"{told} ({schedule.timezone})" if is_other else told


def _exactly(seconds: int, language: str) -> str:
    """Never rounded: `150 min`, not `2 h`."""
    for name, size in (("days", 86_400), ("hours", 3600)):
        if seconds >= 2 * size and seconds % size == 0:
            return say(language, f"span-{name}", count=seconds // size)
    if seconds % _MINUTE:
        return say(language, "span-seconds", count=seconds)
    return say(language, "span-minutes", count=seconds // _MINUTE)


def _of_cron(schedule: Schedule, language: str) -> str | None:
    minute, hour, date, month, weekday = schedule.value.split(" ")
    if minute[:2] == "*/" and minute[2:].isdigit() and (hour, date, month, weekday) == ("*",) * 4:
        minutes = int(minute[2:])
        is_even = _HOUR % minutes == 0  # otherwise the last interval of each hour is shorter
        return (
            say(language, "task-every", span=span(language, timedelta(minutes=minutes))) if is_even else None
        )
    if not minute.isdigit():
        return None
    if (hour, date, month, weekday) == ("*", "*", "*", "*"):
        return say(language, "task-hourly", minute=f"{int(minute):02}")
    clocks = _clocks(schedule, hour, int(minute))
    if not clocks:
        return None
    match date, month, weekday:
        case "*", "*", _:
            return _on_weekdays(schedule, weekday, clocks, language)
        case "L", "*", "*":
            return say(language, "task-on-last", clocks=clocks)
        case _, "*", "*" if date.isdigit():
            return say(language, "task-on-date", day=_ordinal(int(date), language), clocks=clocks)
        case _, _, "*" if date.isdigit() and month.isdigit():
            named = say(language, f"month-of-{int(month)}")
            return say(language, "task-yearly", day=str(int(date)), month=named, clocks=clocks)
    return None


def _on_weekdays(schedule: Schedule, weekday: str, clocks: str, language: str) -> str | None:
    if placed := _PLACED.fullmatch(weekday):
        day, place = (int(placed[1]) - 1) % 7, int(placed[2] or 0)
        return say(language, "task-on-placed", place=place, day=day, clocks=clocks)
    days = _days(schedule, weekday)
    if days is None:
        return None
    for known, key in (
        (_ALL_DAYS, "task-daily"),
        (_WEEKDAYS, "task-on-weekdays"),
        (_WEEKEND, "task-on-weekends"),
    ):
        if days == known:
            return say(language, key, clocks=clocks)
    named = ", ".join(say(language, f"weekday-each-{day}") for day in sorted(days))
    return say(language, "task-on-days", days=named, clocks=clocks)


def _clocks(schedule: Schedule, hour: str, minute: int) -> str:
    if hour.startswith("*"):
        return ""
    hours = sorted(CronSim(schedule.value, schedule.anchor.replace(tzinfo=None)).hours)
    return ", ".join(f"{each:02}:{minute:02}" for each in hours) if len(hours) <= _MOST_CLOCKS else ""


def _days(schedule: Schedule, weekday: str) -> set[int] | None:
    """Monday is 0; None for, say, the second Friday of a month."""
    if weekday == "*":
        return _ALL_DAYS
    found = CronSim(schedule.value, schedule.anchor.replace(tzinfo=None)).weekdays
    return (
        {(each - 1) % 7 for each in found if isinstance(each, int)}
        if all(isinstance(each, int) for each in found)
        else None
    )


def _ordinal(day: int, language: str) -> str:
    ending = {1: "st", 2: "nd", 3: "rd"}.get(day % 10, "th") if day // 10 != 1 else "th"
    return f"{day}{ending}" if language == "en" else str(day)
