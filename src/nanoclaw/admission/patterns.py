"""Patterns by which an agent engages: checked when they are set, and matched in time linear to the text.

They are RE2's regular expressions (`domain/expressions.py`). A pattern may fit anywhere in the beginning of a text.
`.` alone fits everything, also a file without a word.
"""

from collections.abc import Collection

from nanoclaw.domain import expressions
from nanoclaw.domain.errors import Refused
from nanoclaw.domain.wirings import ALWAYS

LONGEST = expressions.LONGEST
LONGEST_TEXT = 4000  # what is said to an agent is said at the beginning
_MOST_STEPS = 100_000_000  # letters times the steps of the machine: a second and a half at the very worst


def check(pattern: str) -> str:
    """The pattern as it is kept. Raises Refused when it cannot be used, and says why."""
    wanted = pattern.strip()
    made = expressions.machine(wanted)
    if isinstance(made, Refused):
        raise Refused(made.key, **made.values)
    return wanted


def fits(pattern: str | None, text: str) -> bool:
    """A pattern that cannot be used fits nothing."""
    if pattern == ALWAYS:
        return True
    made = expressions.machine((pattern or "").strip())
    if isinstance(made, Refused):
        return False
    return made.search(_whole_letters(text[:LONGEST_TEXT])) is not None


def may_fit(pattern: str, texts: Collection[str]) -> bool:
    """Whether it fits one of the texts, each of them read to its end.

    For what stands guard: a pattern that cannot be used fits everything, and so does one that would take long.
    """
    wanted = pattern.strip()
    if wanted == ALWAYS:
        return True
    made = expressions.machine(wanted)
    if isinstance(made, Refused) or sum(map(len, texts)) * made.programsize > _MOST_STEPS:
        return True
    return any(made.search(_whole_letters(text)) is not None for text in texts)


def _whole_letters(text: str) -> str:
    """Half a letter cannot be written as UTF-8; what is stored has none, but nothing here may fail."""
    return text.encode("utf-8", "replace").decode()
