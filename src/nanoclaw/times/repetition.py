"""How often, as a person writes it: `every mon, wed at 8:30`, `weekdays at 8`, `щоп'ятниці о 18:00`, `кожні 2 дні`."""

import re
from collections.abc import Iterable
from datetime import timedelta
from itertools import pairwise

from nanoclaw.domain.errors import Refused
from nanoclaw.times.clocks import clocks_in, is_clock, is_part_of_day, with_clocks
from nanoclaw.times.dates import comes_yearly, month_and_day, with_days_joined
from nanoclaw.times.time_words import (
    EVERY,
    GROUPS,
    JOINING,
    PLACES,
    UNITS,
    WEEKDAYS,
    period,
    word_set,
    words_of,
)
from nanoclaw.times.until import span_of

_ADVERBS = {
    "hourly": "hour",
    "daily": "day",
    "weekly": "week",
    "monthly": "month",
    "yearly": "year",
    "annually": "year",
    "nightly": "night",
    "щоденно": "дня",
    "щотижнево": "тижня",
    "щомісячно": "місяця",
    "щорічно": "року",
}
_ON_DAYS = ("понеділках", "вівторках", "середах", "четвергах", "п'ятницях", "суботах", "неділях")
_TO = word_set("- – — to through")
_HYPHEN = re.compile("([-–—])")
_DATE = re.compile(r"([0-9]{1,2})(?:st|nd|rd|th|-?го)")
_LAST = 100  # of the days of a month
_DATES = {*range(1, 32), _LAST}
_PLACED = re.compile("([0-6])(?:#[1-4]|L)")  # a day of the week, by its position in the month
_NTH = re.compile(r"(?:[2-9]|[1-3][0-9])(?:st|nd|rd|th)")
_OTHER = word_set("other second alternate другий друга друге другого другої другу")
_PHRASES = (
    (re.compile(r"\bhalf (?:an )?hour\b|\bпів ?години\b"), "30m"),
    (re.compile(r"\bonce (?:an?|every)\b"), "every"),
    (re.compile(r"\bраз на\b"), "кожні"),
    (re.compile(r"\b(?:the )?day after tomorrow\b"), "післязавтра"),
    (re.compile(r"(?<=[0-9]) at night\b"), " at-night"),
    (re.compile(r"(?<=[a-z]) from now\b"), ""),
    (re.compile(r"\blast day\b|\bостанній день\b|\bостаннього дня\b"), "last"),
    (re.compile(r"\b([0-9]{1,2})(?:-?го)? числа\b"), r"\1th"),
    (re.compile(r"\btonight\b"), "this evening"),
    (re.compile(r"\bin the morning\b"), "am"),
    (re.compile(r"\bin the (?:afternoon|evening)\b"), "pm"),
)


def plain_words(text: str) -> list[str]:
    """In lower case, with `щодня` and `daily` split, `mon-fri` expanded, clocks as `9:00`."""
    written = " ".join(word.strip('"“”„«»').rstrip(".,!:;") for word in words_of(text))
    for phrase, meant in _PHRASES:
        written = phrase.sub(meant, written)
    return with_clocks(_counted_out(_taken_apart(_placed(with_days_joined(written.split())))))


def read_repetition(words: list[str], text: str) -> timedelta | str | None:
    """An interval, five fields of cron, or None if it is not a repetition; refused if only the clock is missing."""
    if not words or not any(word in EVERY or word in GROUPS for word in words):
        return None
    distance = _distance(words)
    if distance is not None:
        return distance
    if _is_every_other(words):
        raise Refused("when-every-other", text=text)
    days = _days(words, text)
    if days is None:
        return None
    clocks = sorted(set(clocks_in(words, text)))
    if not clocks:
        raise Refused("when-clock", text=text)
    if len({clock.minute for clock in clocks}) > 1:  # it would need two expressions
        raise Refused("when-clocks", text=text)
    return f"{clocks[0].minute} {_listed(clock.hour for clock in clocks)} {days}"


def _placed(words: list[str]) -> list[str]:
    """`second monday` of a month as one word; without a month it means every other one."""
    if not any(
        period(word.removeprefix("що")) == "month" or word in ("monthly", "щомісячно") for word in words
    ):
        return words
    out: list[str] = []
    for word in words:
        if word in WEEKDAYS and out and out[-1] in PLACES:
            out[-1] = f"{_in_cron(WEEKDAYS[word])}{PLACES[out[-1]]}"
        else:
            out.append(word)
    return out


def _taken_apart(words: list[str]) -> list[str]:
    apart: list[str] = []
    for before, word in pairwise(["", *words]):
        # "18:00 weekly report" is a report, while "weekly 18:00" and "18:00 on weekends" say how often.
        leads = not before or before in JOINING or _of_many(before) is not None
        rest = word.removeprefix("що")
        if word in _ADVERBS and (leads or rest != word):
            apart += ["every", _ADVERBS[word]]
        elif rest != word and _can_be_every(rest):
            apart += ["every", rest]
        elif leads and (day := _of_many(word)) is not None:
            apart += ["every", _name(day)]
        elif word in GROUPS and not leads:
            apart.append(f"-{word}")  # such a word is unknown: "10:00 weekend plans"
        else:
            apart.append(word)
    return apart


def _can_be_every(word: str) -> bool:
    known = word in WEEKDAYS or word in UNITS or word in GROUPS
    return known or bool(period(word)) or is_part_of_day(word)


def _of_many(word: str) -> int | None:
    """`mondays`, `понеділках`."""
    if word in _ON_DAYS:
        return _ON_DAYS.index(word)
    return WEEKDAYS.get(word[:-1]) if word.endswith("days") else None


def _counted_out(words: list[str]) -> list[str]:
    """`mon-fri`, `monday to friday`, `з понеділка по п'ятницю`: every day from one to the other."""
    split = [part for word in words for part in (_HYPHEN.split(word) if _is_range(word) else [word])]
    out: list[str] = []
    for before, word, after in zip(["", *split], split, [*split[1:], ""], strict=False):
        between = word in _TO or (word == "по" and ("з" in out or "із" in out))
        if between and before in WEEKDAYS and after in WEEKDAYS:
            first, last = WEEKDAYS[before], WEEKDAYS[after]
            out += ["every", *(_name(first + step) for step in range(1, (last - first) % 7))]
        else:
            out.append(word)
    return out


def _is_range(word: str) -> bool:
    parts = _HYPHEN.split(word)
    return len(parts) == 3 and parts[0] in WEEKDAYS and parts[2] in WEEKDAYS


def _distance(words: list[str]) -> timedelta | None:
    if words[0] not in EVERY:
        return None
    if len(words) == 2 and words[1] in UNITS:
        # A day and a week follow the calendar; "every second" may continue with "monday".
        unit = UNITS[words[1]]
        return unit if timedelta(seconds=1) < unit < timedelta(days=1) else None
    return span_of(" ".join(words[1:]))


def _is_every_other(words: list[str]) -> bool:
    """`every other day at 9:00`, `every 2 days at 9:00`: an interval has no clock, and cron does not count days."""
    place = next((place for place, word in enumerate(words) if word in EVERY), len(words))
    told = [word for word in words if word not in JOINING and not is_clock(word)]
    if any(word in told for word in words[:place]):
        return False
    if len(told) == 2 and (told[0] in _OTHER or _NTH.fullmatch(told[0])):
        return told[1] in WEEKDAYS or period(told[1]) in ("day", "week")
    return (span_of(" ".join(told)) or timedelta()) >= timedelta(days=1)


def _days(words: list[str], text: str) -> str | None:
    """The last three fields of cron; None if it is not said, or said in two ways."""
    told: dict[str, set[int]] = {}
    shape = ""
    for before, word in pairwise(["", *words]):
        if word in JOINING:
            continue
        kind, numbers = _meaning(word)
        # "every monday 9:00 week review": the work begins after the clock.
        if not kind or (kind != "clock" and shape.endswith("c") and before not in JOINING):
            return None
        told.setdefault(kind, set()).update(numbers)
        shape += "c" if kind == "clock" else "d"
    # "every friday at 18:00 and saturday at 10:00" would need two expressions.
    if not re.fullmatch("d+c*|c+d+", shape):
        return None
    if "yearly" in told or "year" in told:
        dates = {month_and_day(word, text) for word in words if comes_yearly(word)}
        return _yearly(dates, text) if told.keys() <= {"yearly", "year", "clock"} else None
    if "placed" in told:
        placed = ",".join(word for word in words if _PLACED.fullmatch(word))
        return f"* * {placed}" if told.keys() == {"placed", "month", "clock"} else None
    if not told.get("date", set()) <= _DATES:
        raise Refused("when-no-such-day", text=text)
    return _fields(told)


def _yearly(dates: set[tuple[int, int]], text: str) -> str | None:
    months, days = {month for month, _ in dates}, {day for _, day in dates}
    if len(months) * len(days) > len(dates):  # each day of one field comes in each month of the other
        raise Refused("when-clocks", text=text)
    return f"{_listed(sorted(days))} {_listed(sorted(months))} *" if dates else None


def _meaning(word: str) -> tuple[str, Iterable[int]]:
    if is_clock(word):
        return "clock", ()
    if word in WEEKDAYS:
        return "weekday", (WEEKDAYS[word],)
    if _PLACED.fullmatch(word):
        return "placed", ()
    if word in GROUPS:
        return "group", GROUPS[word]
    if date := _DATE.fullmatch(word):
        return "date", (int(date[1]),)
    if comes_yearly(word):
        return "yearly", ()
    return ("date", (_LAST,)) if word == "last" else (period(word), ())


def _fields(told: dict[str, set[int]]) -> str | None:
    weekdays = told.get("weekday", set()) | told.get("group", set())
    if "date" in told or "month" in told:
        dates = _listed(sorted(told.get("date", {1}))).replace(str(_LAST), "L")
        return None if weekdays or "week" in told else f"{dates} * *"
    if "day" in told:  # "every work day", but not "every day monday"
        return None if "weekday" in told or "week" in told else f"* * {_numbered(weekdays)}"
    return f"* * {_numbered(weekdays or {0})}"


def _numbered(weekdays: set[int]) -> str:
    if len(weekdays) in (0, 7):
        return "*"
    return "1-5" if weekdays == {0, 1, 2, 3, 4} else _listed(sorted(map(_in_cron, weekdays)))


def _in_cron(weekday: int) -> int:
    """Cron counts from Sunday, people here from Monday."""
    return (weekday + 1) % 7


def _listed(numbers: Iterable[int]) -> str:
    return ",".join(str(number) for number in numbers)


def _name(day: int) -> str:
    return next(word for word, number in WEEKDAYS.items() if number == day % 7)
