"""The periods of cost reports: words that people write, and the days of a company on its own clock."""

import re
from collections.abc import Iterator
from datetime import date, datetime, timedelta, tzinfo

from nanoclaw.domain.errors import Refused
from nanoclaw.domain.locale import first_moment
from nanoclaw.durable.cost_reports import CompanyDay

MONTH, WEEK, TODAY, ALL = "month", "week", "today", "all"
_DAYS = re.compile(r"(\d{1,4})\s*(?:d|days?|д|дн|дні|днів|день)", re.ASCII | re.IGNORECASE)
_WORDS = {
    **dict.fromkeys(("month", "місяць", "місяця", "місяці"), MONTH),
    **dict.fromkeys(("week", "тиждень", "тижня", "тижні"), WEEK),
    **dict.fromkeys(("today", "day", "сьогодні", "день"), TODAY),
    **dict.fromkeys(("all", "everything", "все", "усе", "весь"), ALL),
}
_A_DAY = timedelta(days=1)


def read_since(typed: str) -> str:
    """`month`, `week`, `today`, `all`, `7d` or `2026-11-01`, tidied up; anything else is refused."""
    word = typed.strip().casefold()
    if known := _WORDS.get(word):
        return known
    if (days := _DAYS.fullmatch(word)) and int(days[1]) > 0:
        return f"{int(days[1])}d"
    try:
        return date.fromisoformat(word).isoformat() if len(word) == len("2026-11-01") else _refuse(typed)
    except ValueError:
        return _refuse(typed)


def _refuse(typed: str) -> str:
    raise Refused("costs-since", said=typed.strip()[:40])


def first_day(since: str, today: date) -> date | None:
    """The first day of a period from `read_since`; None means from the beginning."""
    if since == ALL:
        return None
    if since == MONTH:
        return today.replace(day=1)
    if since in (WEEK, TODAY) or since.endswith("d"):
        days = 7 if since == WEEK else 1 if since == TODAY else int(since[:-1])
        return date.fromordinal(max(today.toordinal() - days + 1, 1))
    return date.fromisoformat(since)


def day_of(at: datetime, zone: tzinfo) -> date:
    return at.astimezone(zone).date()


def start_of(day: date, zone: tzinfo) -> datetime:
    """The start of a day, even where the clock skips midnight or shows it twice."""
    return first_moment(datetime(day.year, day.month, day.day), zone)  # noqa: DTZ001 - a wall clock's time


def days_between(company: str, first: date, last: date, zone: tzinfo) -> Iterator[CompanyDay]:
    """The days from first to last, both included."""
    start = start_of(first, zone)
    while first <= last:
        end = start_of(first + _A_DAY, zone)
        yield CompanyDay(company=company, day=first, start=start, end=end)
        first, start = first + _A_DAY, end


def month_end(day: date) -> date:
    """The last day of the month."""
    return (day.replace(day=28) + timedelta(days=4)).replace(day=1) - _A_DAY
