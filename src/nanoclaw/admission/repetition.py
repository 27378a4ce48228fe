"""How often, as a person writes it: `every mon, wed at 8:30`, `weekdays at 8`, `щоп'ятниці о 18:00`, `кожні 2 дні`."""

import re
from collections.abc import Iterable
from datetime import timedelta
from itertools import pairwise

from nanoclaw.admission.until import CLOCK, DAYS_AHEAD, ISO_DATE, UNITS, WEEKDAYS, span_of, word_set, words_of
from nanoclaw.domain.errors import Refused

EVERY = word_set("every each кожен кожна кожне кожні кожного кожної кожну кожних що")
AND = word_set("and & і й та")
# Words that only join others. None of them ends a time: "щодня о 9:00 у Києві" must not lose its "у".
JOINING = EVERY | AND | word_set("at on the of from о об в у на з із по")
GROUPS = {
    word: days
    for days, words in {
        (
            0,
            1,
            2,
            3,
            4,
        ): "weekday weekdays workday workdays будень будні будня буднях робочі робочих робочого",
        (5, 6): "weekend weekends вихідні вихідних вихідним",
    }.items()
    for word in words.split()
}
_PERIODS = {
    "day": word_set("day days день дня дні днях"),
    "week": word_set("week тиждень тижня"),
    "month": word_set("month місяць місяця"),
}
_ADVERBS = {
    "hourly": "hour",
    "daily": "day",
    "weekly": "week",
    "monthly": "month",
    "щоденно": "дня",
    "щотижнево": "тижня",
    "щомісячно": "місяця",
}
_ON_DAYS = ("понеділках", "вівторках", "середах", "четвергах", "п'ятницях", "суботах", "неділях")
_TO = word_set("- – — to through")
_HYPHEN = re.compile("([-–—])")
_AT = word_set("at @ о об в у")
_HALVES = {"am": 0, "a.m": 0, "ранку": 0, "pm": 12, "p.m": 12, "вечора": 12}
_NAMED = {"noon": "12:00", "опівдні": "12:00", "midnight": "0:00", "опівночі": "0:00"}
_TWELVE = re.compile(r"([0-9]{1,2}(?::[0-5][0-9])?)(am|pm)")
_HOUR = re.compile(r"([01]?[0-9]|2[0-3])(?:-?(?:й|ій))?")
_DATE = re.compile(r"(0?[1-9]|[12][0-9]|3[01])(?:st|nd|rd|th|-?го)")
_LAST = 32  # of the days of a month
_PHRASES = (
    (re.compile(r"\bhalf an hour\b|\bпівгодини\b"), "30m"),
    (re.compile(r"\blast day\b|\bостанній день\b|\bостаннього дня\b"), "last"),
    (re.compile(r"\b([0-9]{1,2})(?:-?го)? числа\b"), r"\1th"),
)


def plain_words(text: str) -> list[str]:
    """In small letters, `щодня` and `daily` taken apart, `mon-fri` counted out, clocks as `9:00`."""
    written = " ".join(word.strip('"“”„«»').rstrip(".,!:;") for word in words_of(text))
    for phrase, meant in _PHRASES:
        written = phrase.sub(meant, written)
    return _with_clocks(_counted_out(_taken_apart(written.split())))


def read_repetition(words: list[str], text: str) -> timedelta | str | None:
    """A distance, five fields of cron, or None for what is no repetition; refused when only the clock is missing."""
    if not words or not any(word in EVERY or word in GROUPS for word in words):
        return None
    distance = _distance(words)
    if distance is not None:
        return distance
    clocks = sorted({(int(found[1]), int(found[2])) for word in words if (found := CLOCK.fullmatch(word))})
    days = _days(words)
    # Two clocks of different minutes would need two expressions.
    if days is None or len({minute for _, minute in clocks}) > 1:
        return None
    if not clocks:
        raise Refused("when-clock", text=text)
    return f"{clocks[0][1]} {_listed(hour for hour, _ in clocks)} {days}"


def is_day(word: str) -> bool:
    return word in WEEKDAYS or word in DAYS_AHEAD or bool(ISO_DATE.fullmatch(word))


def _taken_apart(words: list[str]) -> list[str]:
    apart: list[str] = []
    for before, word in pairwise(["", *words]):
        # "18:00 weekly report" is a report, while "weekly 18:00" and "18:00 on weekends" say how often.
        leads = not before or before in JOINING or _of_many(before) is not None
        rest = word.removeprefix("що")
        if word in _ADVERBS and (leads or rest != word):
            apart += ["every", _ADVERBS[word]]
        elif rest != word and (rest in WEEKDAYS or rest in UNITS or rest in GROUPS or _period(rest)):
            apart += ["every", rest]
        elif leads and (day := _of_many(word)) is not None:
            apart += ["every", _name(day)]
        elif word in GROUPS and not leads:
            apart.append(f"-{word}")  # such a word is unknown: "10:00 weekend plans"
        else:
            apart.append(word)
    return apart


def _of_many(word: str) -> int | None:
    """`mondays`, `понеділках`."""
    if word in _ON_DAYS:
        return _ON_DAYS.index(word)
    return WEEKDAYS.get(word[:-1]) if word.endswith("days") else None


def _counted_out(words: list[str]) -> list[str]:
    """`mon-fri`, `monday to friday`, `з понеділка по п'ятницю`: every day from the one to the other."""
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


def _with_clocks(words: list[str]) -> list[str]:
    """A number alone is a clock only behind `at`, or behind a day."""
    out: list[str] = []
    for word in words:
        before = out[-1] if out else ""
        joined = _TWELVE.fullmatch(word)
        if word in _HALVES and (half := _of_twelve(before, _HALVES[word])):
            out[-1] = half
        elif joined and (half := _of_twelve(joined[1], _HALVES[joined[2]])):
            out.append(half)
        elif word in _NAMED:
            out.append(_NAMED[word])
        elif word in ("o'clock", "годині") and CLOCK.fullmatch(before):
            continue
        elif (hour := _HOUR.fullmatch(word)) and _leads_to_clock(before):
            out.append(f"{hour[1]}:00")
        else:
            out.append(word)
    return out


def _leads_to_clock(word: str) -> bool:
    return word in _AT or word in GROUPS or is_day(word) or _period(word) == "day"


def _of_twelve(written: str, half: int) -> str | None:
    hour, _, minute = written.partition(":")
    if not re.fullmatch("0?[1-9]|1[0-2]", hour) or not re.fullmatch("|[0-5][0-9]", minute):
        return None
    return f"{int(hour) % 12 + half}:{minute or '00'}"


def _distance(words: list[str]) -> timedelta | None:
    if words[0] not in EVERY:
        return None
    if len(words) == 2 and words[1] in UNITS:
        # A day and a week are told by the calendar; "every second" may go on with "monday".
        unit = UNITS[words[1]]
        return unit if timedelta(seconds=1) < unit < timedelta(days=1) else None
    return span_of(" ".join(words[1:]))


def _days(words: list[str]) -> str | None:
    """The last three fields of cron; None when it is not said, or said in two ways."""
    told: dict[str, set[int]] = {}
    shape = ""
    for before, word in pairwise(["", *words]):
        if word in JOINING:
            continue
        kind, numbers = _meaning(word)
        # "every monday 9:00 week review": what is to be done begins behind the clock.
        if not kind or (kind != "clock" and shape.endswith("c") and before not in JOINING):
            return None
        told.setdefault(kind, set()).update(numbers)
        shape += "c" if kind == "clock" else "d"
    # "every friday at 18:00 and saturday at 10:00" would need two expressions.
    return _fields(told) if re.fullmatch("d+c*|c+d+", shape) else None


def _meaning(word: str) -> tuple[str, Iterable[int]]:
    if CLOCK.fullmatch(word):
        return "clock", ()
    if word in WEEKDAYS:
        return "weekday", (WEEKDAYS[word],)
    if word in GROUPS:
        return "group", GROUPS[word]
    if date := _DATE.fullmatch(word):
        return "date", (int(date[1]),)
    return ("date", (_LAST,)) if word == "last" else (_period(word), ())


def _period(word: str) -> str:
    return next((name for name, words in _PERIODS.items() if word in words), "")


def _fields(told: dict[str, set[int]]) -> str | None:
    weekdays = told.get("weekday", set()) | told.get("group", set())
    if "date" in told or "month" in told:
        dates = _listed(sorted(told.get("date", {1}))).replace(str(_LAST), "L")
        return None if weekdays or "week" in told else f"{dates} * *"
    if "day" in told:  # "every work day", but not "every day monday"
        return None if "weekday" in told or "week" in told else f"* * {_numbered(weekdays)}"
    return f"* * {_numbered(weekdays or {0})}"


def _numbered(weekdays: set[int]) -> str:
    """Cron counts from Sunday, people here from Monday."""
    if len(weekdays) in (0, 7):
        return "*"
    return "1-5" if weekdays == {0, 1, 2, 3, 4} else _listed(sorted((day + 1) % 7 for day in weekdays))


def _listed(numbers: Iterable[int]) -> str:
    return ",".join(str(number) for number in numbers)


def _name(day: int) -> str:
    return next(word for word, number in WEEKDAYS.items() if number == day % 7)
