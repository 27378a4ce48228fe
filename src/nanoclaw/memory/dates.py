"""Dates in people's words: the moments that a question names, and the moment that a line was said."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

_MONTHS = (
    ("january", "jan", "січень", "січня", "січні"),
    ("february", "feb", "лютий", "лютого", "лютому"),
    ("march", "mar", "березень", "березня", "березні"),
    ("april", "apr", "квітень", "квітня", "квітні"),
    ("may", "травень", "травня", "травні"),
    ("june", "jun", "червень", "червня", "червні"),
    ("july", "jul", "липень", "липня", "липні"),
    ("august", "aug", "серпень", "серпня", "серпні"),
    ("september", "sep", "sept", "вересень", "вересня", "вересні"),
    ("october", "oct", "жовтень", "жовтня", "жовтні"),
    ("november", "nov", "листопад", "листопада", "листопаді"),
    ("december", "dec", "грудень", "грудня", "грудні"),
)
_MONTH_OF = {name: number for number, names in enumerate(_MONTHS, 1) for name in names}
_NAMES = "|".join(sorted(_MONTH_OF, key=len, reverse=True))
_DAY_MONTH = re.compile(
    rf"\b(\d{{1,2}})(?:st|nd|rd|th)?(?: of)? ({_NAMES})\b\.?,? ?(\d{{4}})?", re.IGNORECASE
)
_MONTH_DAY = re.compile(rf"\b({_NAMES})\b\.? (\d{{1,2}})(?:st|nd|rd|th)?\b(?!:),? ?(\d{{4}})?", re.IGNORECASE)
_MONTH_YEAR = re.compile(rf"\b({_NAMES})\b,? ?(\d{{4}})?", re.IGNORECASE)
_ISO = re.compile(r"\b(\d{4})-(\d{2})-(\d{2})\b")
_DOTTED = re.compile(r"\b(\d{1,2})[./](\d{1,2})[./](\d{4})\b")
_YEAR = re.compile(r"\b(19\d\d|20\d\d)\b")
_TIME = re.compile(r"\b(\d{1,2}):(\d{2})(?::\d{2})?(?:\s*([ap])\.?m\b)?", re.IGNORECASE)
_AFTER = timedelta(days=10)  # things are told when they are over


@dataclass(frozen=True, slots=True)
class NamedDate:
    """A day, a month or a year, as far as it was said."""

    year: int | None
    month: int | None
    day: int | None

    def holds(self, at: datetime) -> bool:
        if self.day is None or self.month is None:
            return (self.year in (None, at.year)) and (self.month in (None, at.month))
        try:
            day = datetime(self.year or at.year, self.month, self.day, tzinfo=UTC)
        except ValueError:
            return False
        return day <= at < day + _AFTER


def dates_in(text: str) -> Callable[[datetime], bool] | None:
    """A test whether a moment belongs to what the text names; None if it names no date."""
    named = list(_named(text))
    return (lambda at: any(each.holds(at) for each in named)) if named else None


def moment_of(text: str) -> datetime | None:
    """When something was said, from free text such as `1:56 pm on 8 May, 2023`."""
    for each in _named(text):
        if each.year and each.month and each.day:
            hour, minute = _time_in(text)
            try:
                return datetime(each.year, each.month, each.day, hour, minute, tzinfo=UTC)
            except ValueError:
                return None
    return None


def _named(text: str) -> list[NamedDate]:
    found = [NamedDate(int(year), int(month), int(day)) for year, month, day in _ISO.findall(text)]
    found += [NamedDate(int(year), int(month), int(day)) for day, month, year in _DOTTED.findall(text)]
    rest = _ISO.sub(" ", _DOTTED.sub(" ", text))
    for day, month, year in _DAY_MONTH.findall(rest):
        found.append(NamedDate(int(year) if year else None, _MONTH_OF[month.lower()], int(day)))
    rest = _DAY_MONTH.sub(" ", rest)
    for month, day, year in _MONTH_DAY.findall(rest):
        found.append(NamedDate(int(year) if year else None, _MONTH_OF[month.lower()], int(day)))
    rest = _MONTH_DAY.sub(" ", rest)
    for match in _MONTH_YEAR.finditer(rest):
        # "may" and "march" are also ordinary words: a month has a capital letter, or a year after it.
        if match[2] or match[1][0].isupper() or match[1].lower() not in {"may", "march", "mar"}:
            found.append(NamedDate(int(match[2]) if match[2] else None, _MONTH_OF[match[1].lower()], None))
    rest = _MONTH_YEAR.sub(" ", rest)
    return found + [NamedDate(int(year), None, None) for year in _YEAR.findall(rest)]


def _time_in(text: str) -> tuple[int, int]:
    found = _TIME.search(text)
    if found is None:
        return 0, 0
    hour, minute = int(found[1]), int(found[2])
    if found[3]:
        hour = hour % 12 + (12 if found[3].lower() == "p" else 0)
    return (hour, minute) if hour < 24 and minute < 60 else (0, 0)
