"""Numbers as people write them in a command: `30`, `10 000`, `10,000`, `thirty`, `двадцять п'ять`, `a dozen`."""

import re
from collections.abc import Sequence

_DIGITS = re.compile(r"[-+−]?\d+(?:[.,]\d+)*\Z")
_THOUSANDS = re.compile(r"\d{1,3}(?:,\d{3})+\Z")
_GROUP = re.compile(r"\d{3}\Z")
_LONGEST = 12  # digits
_SMALL = {
    "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen": range(1, 20),
    "twenty thirty forty fifty sixty seventy eighty ninety": range(20, 100, 10),
    "один два три чотири п'ять шість сім вісім дев'ять десять одинадцять дванадцять тринадцять чотирнадцять "
    "п'ятнадцять шістнадцять сімнадцять вісімнадцять дев'ятнадцять": range(1, 20),
    "двадцять тридцять сорок п'ятдесят шістдесят сімдесят вісімдесят дев'яносто": range(20, 100, 10),
    "сто двісті триста чотириста п'ятсот шістсот сімсот вісімсот дев'ятсот": range(100, 1000, 100),
    "одна дві": range(1, 3),
}
_WORDS = {
    word: number
    for words, numbers in _SMALL.items()
    for word, number in zip(words.split(), numbers, strict=True)
}
_WORDS |= {"одне": 1, "dozen": 12, "дюжина": 12, "дюжину": 12, "десяток": 10, "сотня": 100, "сотню": 100}
_TIMES = {"hundred": 100, "thousand": 1000, "тисяча": 1000, "тисячу": 1000, "тисячі": 1000, "тисяч": 1000}
_BEFORE = ("a", "an", "the")


class NotANumber(ValueError):
    """It looks like a number but cannot be a count: `3.5`, or a hundred digits."""


def leading_number(words: Sequence[str]) -> tuple[int, int] | None:
    """The number that the words begin with, and how many words it takes. Raises NotANumber."""
    if not words:
        return None
    if _DIGITS.match(words[0]):
        return _digits(words)
    return _spoken(words)


def _digits(words: Sequence[str]) -> tuple[int, int]:
    first = words[0].replace("−", "-")
    if _THOUSANDS.match(first):
        first = first.replace(",", "")
    if not re.fullmatch(r"[-+]?\d+", first) or len(first) > _LONGEST:
        raise NotANumber(first)
    taken = 1
    if re.fullmatch(r"\d{1,3}", first):
        while taken < len(words) and _GROUP.match(words[taken]):
            first += words[taken]
            taken += 1
    return int(first), taken


def _spoken(words: Sequence[str]) -> tuple[int, int] | None:
    plain = [word.casefold().replace("’", "'").replace("ʼ", "'") for word in words]
    start = 1 if plain[0] in _BEFORE and len(plain) > 1 else 0
    total, part, place = 0, 0, start
    while place < len(plain):
        parts = plain[place].split("-")
        if all(each in _WORDS for each in parts):
            part += sum(_WORDS[each] for each in parts)
        elif (times := _TIMES.get(plain[place])) is not None:
            part = max(1, part) * times
            total, part = (total + part, 0) if times == 1000 else (total, part)
        else:
            break
        place += 1
    return (total + part, place) if place > start and total + part else None
