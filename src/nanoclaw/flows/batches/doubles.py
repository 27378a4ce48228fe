"""Texts that say nearly the same: found as they come, without comparing each with each.

A text is the set of its neighbouring pairs of words, hashed. Two that share most of them also share one of their
smallest hashes, so only texts with a common one among those are compared.
"""

import re
from collections import defaultdict
from collections.abc import Hashable
from dataclasses import dataclass, field
from itertools import pairwise

_WORD = re.compile(r"[^\W_]+")
_SMALLEST = 12  # hashes by which a text is looked up
_KEPT = 256  # hashes of a long text that are compared: a sample of them all
_MOST_ALIKE = 20  # texts of one hash: words that all texts of a batch end with tell nothing


@dataclass
class Doubles:
    """`alike` is the least share of what two texts have together, from 0 to 1."""

    alike: float
    _sets: dict[Hashable, frozenset[int]] = field(default_factory=dict)
    _same: dict[frozenset[int], Hashable] = field(default_factory=dict)
    _by_hash: dict[int, list[Hashable]] = field(default_factory=lambda: defaultdict(list))

    def add(self, key: Hashable, marks: frozenset[int]) -> Hashable | None:
        """The key of the one that it repeats; it is not kept then."""
        if not marks:
            return None
        smallest = sorted(marks)[:_KEPT]
        kept, looked_up = frozenset(smallest), smallest[:_SMALLEST]
        if (same := self._same.setdefault(kept, key)) != key:
            return same
        seen: set[Hashable] = set()
        for mark in looked_up:
            for other in self._by_hash.get(mark, ()):
                if other not in seen and _share(kept, self._sets[other]) >= self.alike:
                    return other
                seen.add(other)
        self._sets[key] = kept
        for mark in looked_up:
            if len(self._by_hash[mark]) < _MOST_ALIKE:
                self._by_hash[mark].append(key)
        return None


def pairs_of(text: str) -> frozenset[int]:
    """Of a whole text."""
    words = _WORD.findall(text.casefold())
    return frozenset(map(hash, pairwise(words) if len(words) > 1 else words))


def _share(one: frozenset[int], other: frozenset[int]) -> float:
    """Samples of the smallest hashes are compared up to the end of the shorter one, as if both were whole."""
    if len(one) == _KEPT or len(other) == _KEPT:
        upto = min(max(one), max(other))
        one = frozenset(mark for mark in one if mark <= upto)
        other = frozenset(mark for mark in other if mark <= upto)
    both = len(one & other)
    return both / (len(one) + len(other) - both) if both else 0.0
