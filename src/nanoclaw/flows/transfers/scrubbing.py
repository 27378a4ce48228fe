"""Takes secrets and other people's personal data out of what leaves, and counts what it took.

Everything blocks: use a thread.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

Mask = Callable[[str, Sequence[str]], tuple[str, Sequence[str]]]
"""A text and what of it may stay (addresses and numbers): the masked text, and the kinds that were found."""


@dataclass(kw_only=True, slots=True)
class Scrubber:
    """For one package. `own` are the addresses and numbers of the company, and of the person who asked."""

    mask: Mask
    own: Sequence[str] = ()
    removed: Counter[str] = field(default_factory=Counter)  # by kind
    by_file: dict[str, Counter[str]] = field(default_factory=dict)

    def scrub(self, text: str, file: str = "") -> str:
        """`file`: where in the package it goes."""
        made, found = self.mask(text, self.own)
        if found:
            self.removed.update(found)
            self.by_file.setdefault(file, Counter()).update(found)
        return made
