"""A time of day, as a person writes it: `9:00`, `at 9`, `6pm`, `о шостій вечора`, `noon`, `monday morning at 9`."""

import re
from datetime import time

from nanoclaw.domain.errors import Refused
from nanoclaw.times.dates import is_day
from nanoclaw.times.time_words import EVERY, GROUPS, THIS, UNITS, period, word_set

CLOCK = re.compile(r"([01]?[0-9]|2[0-3]):([0-5][0-9])")
_LIKE_A_CLOCK = re.compile(r"[0-9]{1,2}:[0-9]{2}")
_AT = word_set("at @ о об в у")
# What they add to the hour, or the hours to which they add twelve: "2 дня" is 14:00, "11 дня" 11:00, "11 ночі" 23:00.
_HALVES: dict[str, int | range] = {
    **dict.fromkeys(word_set("am a.m ранку вранці зранку"), 0),
    **dict.fromkeys(word_set("pm p.m вечора ввечері увечері"), 12),
    "дня": range(1, 7),
    "ночі": range(6, 12),
    "at-night": range(6, 12),
}
_NAMED = {"noon": "12:00", "опівдні": "12:00", "midnight": "0:00", "опівночі": "0:00"}
_DOTTED = re.compile(r"([0-9]{1,2})\.([0-9]{2})")
_TWELVE = re.compile(r"([0-9]{1,2}(?::[0-5][0-9])?)(am|pm)")
_HOUR = re.compile(r"([01]?[0-9]|2[0-3])(?:-?(?:й|ій))?")
_SPELLED = {
    word: str(hour)
    for hour, words in enumerate(
        (
            "one першій",
            "two другій",
            "three третій",
            "four четвертій",
            "five п'ятій",
            "six шостій",
            "seven сьомій",
            "eight восьмій",
            "nine дев'ятій",
            "ten десятій",
            "eleven одинадцятій",
            "twelve дванадцятій",
        ),
        1,
    )
    for word in words.split()
}
# The hours that belong to the second half of the day if this part of it was named.
_PARTS = {
    word: hours
    for words, hours in (
        ("morning ранок ранку вранці зранку", range(0)),
        ("afternoon вдень удень", range(1, 7)),
        ("evening вечір вечора ввечері увечері", range(4, 13)),
        ("night ніч ночі вночі уночі", range(6, 13)),
    )
    for word in words.split()
}


def clocks_in(words: list[str], text: str) -> list[time]:
    """Refused if one of them is not on any clock: `25:00`, `9:75`."""
    told = [word for word in words if is_clock(word)]
    found = [CLOCK.fullmatch(word) for word in told]
    if not all(found):
        raise Refused("when-no-such-clock", text=text)
    return [time(int(clock[1]), int(clock[2])) for clock in found if clock]


def is_clock(word: str) -> bool:
    """Also true for a time that no day has."""
    return bool(_LIKE_A_CLOCK.fullmatch(word))


def is_part_of_day(word: str) -> bool:
    return word in _PARTS


def with_clocks(words: list[str]) -> list[str]:
    """Clocks as `9:00`. A number alone is a clock only after `at`, or after a day, but not in `1 day 2 hours`."""
    out: list[str] = []
    for word, after in zip(words, [*words[1:], ""], strict=False):
        before = out[-1] if out else ""
        hour = _HOUR.fullmatch(word)
        joined = _TWELVE.fullmatch(word)
        if word in _HALVES and (half := _of_twelve(before, _HALVES[word])):
            out[-1] = half
        elif joined and (half := _of_twelve(joined[1], _HALVES[joined[2]])):
            out.append(half)
        elif before in _AT and (dotted := _DOTTED.fullmatch(word)):  # alone it may be a date
            out.append(f"{dotted[1]}:{dotted[2]}")
        elif word in _NAMED:
            out.append(_NAMED[word])
        elif word in ("o'clock", "годині", "год") and (before in _SPELLED or CLOCK.fullmatch(before)):
            out[-1] = f"{_SPELLED[before]}:00" if before in _SPELLED else before
        elif hour and _leads_to_clock(before) and (before in _AT or after not in UNITS):
            out.append(f"{hour[1]}:00")
        elif word.endswith("ій") and word in _SPELLED and before in ("о", "об"):
            out.append(f"{_SPELLED[word]}:00")  # "at six" may continue with "places"
        else:
            out.append(word)
    return _without_parts(out)


def _leads_to_clock(word: str) -> bool:
    return word in _AT or word in GROUPS or word in _PARTS or is_day(word) or period(word) == "day"


def _of_twelve(written: str, half: int | range) -> str | None:
    hour, _, minute = _SPELLED.get(written, written).partition(":")
    if not re.fullmatch("0?[1-9]|1[0-2]", hour) or not re.fullmatch("|[0-5][0-9]", minute):
        return None
    if isinstance(half, range):
        half = 12 if int(hour) % 12 in half or (hour == "12" and 1 in half) else 0
    return f"{int(hour) % 12 + half}:{minute or '00'}"


def _without_parts(words: list[str]) -> list[str]:
    """`tomorrow evening 6:00` as `tomorrow 18:00`; the `morning` in `9:00 monday morning briefing` is not a time."""
    first_clock = next((place for place, word in enumerate(words) if is_clock(word)), len(words))
    parts = (place for place, word in enumerate(words) if word in _PARTS)
    place = next((place for place in parts if place < first_clock or words[place - 1] in EVERY), 0)
    before = words[place - 1] if place else ""
    if before in EVERY:  # also after the clock: "at 7 every evening"
        led = [*(_in_part(word, _PARTS[words[place]]) for word in words[:place]), "day"]
    elif before in THIS:
        led = [*words[: place - 1], "today"]
    elif before in GROUPS or is_day(before) or period(before) == "day":
        led = words[:place]
    else:
        return words
    return [*led, *(_in_part(word, _PARTS[words[place]]) for word in words[place + 1 :])]


def _in_part(word: str, later: range) -> str:
    clock = CLOCK.fullmatch(word)
    if not clock or int(clock[1]) not in later:
        return word
    # "tomorrow night at 12" is on the day after: such a word is unknown.
    return f"-{word}" if clock[1] == "12" else f"{int(clock[1]) + 12}:{clock[2]}"
