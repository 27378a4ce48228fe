"""Removes secrets and other people's personal data from what leaves, and counts what it removed.

Everything blocks: use a thread.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

Check = Callable[[], None]
"""Called now and then while a long text is searched; may raise to give up."""
Mask = Callable[[str, Check], tuple[str, Sequence[str]]]
"""The masked text, and the kinds that were found in it."""


@dataclass(kw_only=True, slots=True)
class Scrubber:
    """Scrubs one package. The public addresses of the company, and those of the person who asked, stay."""

    mask: Mask
    holds_secret: Callable[[bytes], bool]  # whether a file that is not text contains a key of this host
    removed: Counter[str] = field(default_factory=Counter)  # by kind
    by_file: dict[str, Counter[str]] = field(default_factory=dict)

    def scrub(self, text: str, file: str = "", check: Check = lambda: None) -> str:
        """`file`: its place in the package."""
        made, found = self.mask(text, check) if text else (text, ())
        if found:
            self.removed.update(found)
            self.by_file.setdefault(file, Counter()).update(found)
        return made
