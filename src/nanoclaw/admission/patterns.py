"""Patterns by which an agent engages: checked when they are set, and matched in time linear to the text.

They are RE2 regular expressions (`domain/expressions.py`), searched for in the beginning of a text. `.` alone
matches everything, even a file without a word.
"""

from collections.abc import Collection

from nanoclaw.domain import expressions
from nanoclaw.domain.errors import Refused
from nanoclaw.domain.wirings import ALWAYS

LONGEST = expressions.LONGEST
LONGEST_TEXT = 4000  # what is addressed to an agent is at the beginning
_MOST_STEPS = 100_000_000  # characters times automaton steps: a second and a half at the very worst


def check(pattern: str) -> str:
    """The pattern as it is stored. Raises Refused, with the reason, if it cannot be used."""
    wanted = pattern.strip()
    made = expressions.machine(wanted)
    if isinstance(made, Refused):
        raise Refused(made.key, **made.values)
    return wanted


def fits(pattern: str | None, text: str) -> bool:
    """An unusable pattern matches nothing."""
    if pattern == ALWAYS:
        return True
    made = expressions.machine((pattern or "").strip())
    if isinstance(made, Refused):
        return False
    return made.search(_whole_letters(text[:LONGEST_TEXT])) is not None


def may_fit(pattern: str, texts: Collection[str]) -> bool:
    """Whether it matches one of the texts, each read to its end. For guards: an unusable or slow pattern
    matches everything.
    """
    wanted = pattern.strip()
    if wanted == ALWAYS:
        return True
    made = expressions.machine(wanted)
    if isinstance(made, Refused) or sum(map(len, texts)) * made.programsize > _MOST_STEPS:
        return True
    return any(made.search(_whole_letters(text)) is not None for text in texts)


def _whole_letters(text: str) -> str:
    """A lone surrogate cannot be UTF-8; stored text has none, but nothing here may fail."""
    return text.encode("utf-8", "replace").decode()
