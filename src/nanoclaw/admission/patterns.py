"""Patterns by which an agent engages: checked when they are set, and matched in time linear to the text.

They are RE2's regular expressions, which have no backtracking: there is no text on which one of them takes long. The
case of letters does not matter unless a pattern says `(?-i)`, `.` also stands for the end of a line, and a pattern
may fit anywhere in the beginning of a text. `.` alone fits everything, also a file without a word.
"""

from functools import lru_cache
from typing import Any

from nanoclaw.domain.errors import Refused
from nanoclaw.domain.wirings import ALWAYS

LONGEST = 500
LONGEST_TEXT = 4000  # what is said to an agent is said at the beginning
_BIGGEST = 3000  # steps of the machine that it becomes: with that text, a tenth of a second at the very worst
_MOST_MEMORY = 8 << 20  # with less, the machine would have to forget, and be slow


def check(pattern: str) -> str:
    """The pattern as it is kept. Raises Refused when it cannot be used, and says why."""
    wanted = pattern.strip()
    made = _made(wanted)
    if isinstance(made, Refused):
        raise Refused(made.key, **made.values)
    return wanted


def fits(pattern: str | None, text: str) -> bool:
    """A pattern that cannot be used fits nothing."""
    if pattern == ALWAYS:
        return True
    made = _made((pattern or "").strip())
    if isinstance(made, Refused):
        return False
    # Half a letter cannot be written as UTF-8; what is stored has none, but nothing here may fail.
    return made.search(text[:LONGEST_TEXT].encode("utf-8", "replace").decode()) is not None


@lru_cache(maxsize=256)
def _made(pattern: str) -> Any:
    """The machine that it becomes, or what is wrong with it."""
    # Loaded with the first pattern: most hosts have none but the one that fits everything.
    import re2  # type: ignore[import-untyped]  # noqa: PLC0415

    if not pattern.strip():
        return Refused("pattern-empty")
    if len(pattern) > LONGEST:
        return Refused("pattern-long", length=len(pattern), longest=LONGEST)
    options = re2.Options()
    options.case_sensitive = False
    options.dot_nl = True
    options.max_mem = _MOST_MEMORY
    options.log_errors = False
    try:
        made = re2.compile(pattern, options)
    except re2.error as error:
        said = error.args[0]
        told = said.decode("utf-8", "replace") if isinstance(said, bytes) else str(said)
        return Refused("pattern-bad", pattern=pattern, said=told)
    except UnicodeEncodeError:
        return Refused("pattern-bad", pattern=ascii(pattern), said="half a letter")
    return made if made.programsize <= _BIGGEST else Refused("pattern-big", pattern=pattern)
