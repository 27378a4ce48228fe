"""Finds numbers that belong to people in a text: phones, payment cards, bank accounts."""

import re
from collections.abc import Iterator
from functools import cache
from importlib import import_module, resources
from typing import Any

HOME = "UA"
Span = tuple[int, int]

_CARD = re.compile(r"(?<![\w.,-])\d(?:[ -]?\d){14,15}(?![\w-]|[.,]\d)")
_CARD_STARTS = re.compile(r"4|5[1-5]|2[2-7]|3[47]|6011|65|9804|62")
_IBAN = re.compile(r"\b[A-Z]{2}\d{2}(?:[ ]?[A-Z0-9]){11,30}\b")
_BEFORE, _AFTER = 15, 35  # characters around the first seven digits of a number; no number is longer
_LONG = re.compile(r"\d(?:[^\w\n]{0,3}\d){6}")


def has_long_number(text: str) -> bool:
    """Otherwise there is nothing to look for."""
    return _LONG.search(text) is not None


def cards(text: str) -> Iterator[Span]:
    for found in _CARD.finditer(text):
        digits = re.sub(r"\D", "", found[0])
        if _CARD_STARTS.match(digits) and _luhn(digits):
            yield found.span()


def ibans(text: str) -> Iterator[Span]:
    for found in _IBAN.finditer(text):
        words = found[0]
        # The next word may look like part of it: take the longest valid beginning.
        for end in [len(words), *(place.start() for place in reversed([*re.finditer(" ", words)]))]:
            if _is_iban(words[:end].replace(" ", "")):
                yield found.start(), found.start() + end
                break


def _luhn(digits: str) -> bool:
    total = 0
    for place, digit in enumerate(reversed(digits)):
        number = int(digit) * (1 + place % 2)
        total += number - 9 if number > 9 else number
    return total % 10 == 0


def _is_iban(words: str) -> bool:
    if not 15 <= len(words) <= 34:
        return False
    return int("".join(str(int(each, 36)) for each in words[4:] + words[:4])) % 97 == 1


def phones(text: str, region: str) -> Iterator[Span]:
    for start, end in _places(text, region):
        yield from ((start + first, start + last) for first, last in _phones(text[start:end], region))


def _phones(text: str, region: str) -> Iterator[Span]:
    library: Any = import_module("phonenumbers")
    for match in library.PhoneNumberMatcher(text, region, leniency=library.Leniency.VALID):
        # Local numbers must look like one: `1 240 46 345` does not, `067 123 45 67` and `0671234567` do.
        if match.raw_string.startswith("+") or _is_local(match.raw_string, region, library, match.number):
            yield match.start, match.end
    if region != "US" and ("(" in text or "（" in text):
        for match in library.PhoneNumberMatcher(text, "US", leniency=library.Leniency.STRICT_GROUPING):
            if match.raw_string.startswith("("):
                yield match.start, match.end


def _places(text: str, region: str) -> Iterator[Span]:
    """The surroundings of each number that begins as `_phones` requires: trying every number of a table takes
    seconds.
    """
    start = end = 0
    for found in _beginning(region).finditer(text):
        if found.start() - _BEFORE > end:
            if end:
                yield start, end
            start = max(text.rfind("\n", 0, found.start()) + 1, found.start() - _BEFORE)
            while start > end and text[start - 1].isalnum():  # the end of a longer number is not a number
                start -= 1
        newline = text.find("\n", found.end(), found.end() + _AFTER)
        end = newline if newline >= 0 else min(len(text), found.end() + _AFTER)
    if end:
        yield start, end


@cache
def _beginning(region: str) -> re.Pattern[str]:
    library: Any = import_module("phonenumbers")
    country = library.country_code_for_region(region)
    starts = {library.ndd_prefix_for_region(region, strip_non_digits=True) or "0", str(country), "00"}
    local = "|".join(sorted(map(re.escape, starts), key=len, reverse=True))
    # Digits of other scripts begin anything; Americans write groups without a prefix.
    begun = rf"(?:[+＋(（]\s{{0,2}}\d|(?<![0-9])(?:{local})|(?![0-9])\d)(?:[^\w\n]{{0,3}}\d){{6}}"
    return re.compile(rf"{begun}|[0-9]{{3}}[-. ][0-9]{{3}}[-. ][0-9]{{4}}")


def _is_local(raw: str, region: str, library: Any, number: Any) -> bool:
    prefix = library.ndd_prefix_for_region(region, strip_non_digits=True)
    digits = re.sub(r"\D", "", raw)
    is_whole = bool(prefix) and digits.startswith((prefix, f"{number.country_code}{number.national_number}"))
    # Americans leave the prefix out, and write groups.
    is_grouped = number.country_code == 1 and re.fullmatch(r"\d{3}[-. ]\d{3}[-. ]\d{4}", raw) is not None
    return is_whole or is_grouped or raw.startswith(("(", "00"))


@cache
def region_of(zone: str | None) -> str:
    """The country of a time zone, as `UA`: whose numbers are local ones."""
    table = resources.files("tzdata.zoneinfo").joinpath("zone.tab").read_text("utf-8")
    rows = (line.split("\t") for line in table.splitlines() if not line.startswith("#"))
    return next((row[0] for row in rows if row[2] == zone), HOME)
