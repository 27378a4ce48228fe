"""An amount of dollars in the words that people write: `+20`, `$20`, `20 $`, `20.5`, `20,5`, `20 доларів`."""

import re
from decimal import Decimal

from nanoclaw.domain.errors import Refused
from nanoclaw.domain.money import MICROS

_MOST = Decimal(1_000_000_000)
_UNIT = r"(?:\$|usd|us\$|dollars?|bucks?|дол\.?|долар(?:и|ів|а)?|бакс(?:и|ів)?)"
_AMOUNT = re.compile(
    rf"(?P<sign>[+\-\u2212])?\s*{_UNIT}?\s*(?P<sign2>[+\-\u2212])?(?P<whole>\d{{1,3}}(?:[ \u00a0\u202f]\d{{3}})+|\d+)"
    rf"(?:[.,](?P<part>\d{{1,6}}))?\s*{_UNIT}?",
    re.I | re.ASCII,
)
_NONE = (
    "off",
    "none",
    "no",
    "no limit",
    "unlimited",
    "без ліміту",
    "без обмежень",
    "ні",
    "немає",
    "вимкнути",
)


def read_amount(written: str, below_zero: str = "budget-amount-below-zero") -> int:
    """In micros. Raises Refused with a sentence that says what to write."""
    text = written.strip().rstrip(".")
    found = _AMOUNT.fullmatch(text)
    # `1,000` may be a thousand or one: nobody should have to guess about money.
    if found is None or re.search(r"\d,\d{3}\b", text):
        raise Refused("budget-amount-unreadable", written=text[:40])
    if {found["sign"], found["sign2"]} & {"-", "\u2212"}:
        raise Refused(below_zero, written=text[:40])
    amount = Decimal(re.sub(r"\D", "", found["whole"]) + "." + (found["part"] or "0"))
    if amount > _MOST:
        raise Refused("budget-amount-unreadable", written=text[:40])
    return int(amount * MICROS)


def read_addition(written: str) -> int:
    """What an owner adds to the limits."""
    return read_amount(written, "budget-override-below-zero")


def read_limit(written: str) -> int | None:
    """As above; None for `off`: no limit."""
    return None if written.strip().lower() in _NONE else read_amount(written)
