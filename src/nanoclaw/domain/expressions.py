"""Regular expressions that people write, compiled by RE2 or refused with what is wrong.

RE2 does not backtrack: no text makes one of them slow. Matching ignores case unless the expression says `(?-i)`, and
`.` also matches a newline.
"""

from functools import lru_cache
from typing import Any

from nanoclaw.domain.errors import Refused

LONGEST = 500
_BIGGEST = 3000  # size of the compiled program: with 4000 letters, a tenth of a second at worst
_MOST_MEMORY = 8 << 20  # with less, RE2's cache would be flushed again and again, which is slow


@lru_cache(maxsize=256)
def machine(pattern: str) -> Any:
    """The compiled expression, or what is wrong with it."""
    # Imported with the first pattern: most hosts have only the one that matches everything.
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
