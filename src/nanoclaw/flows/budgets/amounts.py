"""Reads amounts of dollars as people write them: `+20`, `$20`, `20 $`, `20.5`, `20,5`, `20 доларів`."""

import re
from decimal import Decimal

from nanoclaw.domain.errors import Refused
from nanoclaw.domain.money import MICROS
from nanoclaw.durable import cost_sums
from nanoclaw.durable.budgets import Addition

_MOST = Decimal(1_000_000_000)
_UNIT = r"(?:\$|usd|us\$|dollars?|bucks?|дол\.?|долар(?:и|ів|а)?|бакс(?:и|ів)?)"
_AMOUNT = re.compile(
    rf"(?P<sign>[+\-\u2212])?\s*{_UNIT}?\s*(?P<sign2>[+\-\u2212])?(?P<whole>\d{{1,3}}(?:[ \u00a0\u202f]\d{{3}})+|\d+)"
    rf"(?:[.,](?P<part>\d{{1,6}}))?\s*{_UNIT}?",
    re.I | re.ASCII,
)
_KINDS = {
    cost_sums.TASK: ("task", "задача", "задачі", "завдання", "завданню"),
    cost_sums.GROUP: ("group", "група", "групі"),
    cost_sums.PERSON: ("person", "людина", "людині"),
}
_WORDS = "|".join(word for words in _KINDS.values() for word in words)
_WHOSE = re.compile(rf"(?P<amount>.+?)\s+(?:for\s+|для\s+)?(?P<kind>{_WORDS})\s+(?P<name>\S+)", re.I)
_DIGITS = 10  # no task number is longer
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
    """The amount in micros. Raises Refused with a sentence that says what to write."""
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


def read_addition(written: str) -> Addition:
    """Read what an owner adds: `+20` to the company's limits, `+5 task 7` to those of a task."""
    text, kind, name = written.strip(), None, None
    if found := _WHOSE.fullmatch(text):
        word = found["kind"].lower()
        kind = next(kind for kind, words in _KINDS.items() if word in words)
        text, name = found["amount"], found["name"].lstrip("#") if kind == cost_sums.TASK else found["name"]
        if kind == cost_sums.TASK and not (name.isascii() and name.isdigit() and len(name) < _DIGITS):
            raise Refused("budget-override-how")
    return Addition(read_amount(text, "budget-override-below-zero"), kind, name)


def read_limit(written: str) -> int | None:
    """Like `read_amount`; None for `off`, which means no limit."""
    return None if written.strip().lower() in _NONE else read_amount(written)
