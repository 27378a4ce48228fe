"""Finds texts that say nearly the same as they come, without comparing all pairs.

A text is the set of its neighbouring pairs of words, hashed. Two texts that share most of their pairs also
share one of their smallest hashes, so only texts with one of these in common are compared."""

import re
from collections import defaultdict
from collections.abc import Hashable
from dataclasses import dataclass, field
from itertools import pairwise

_WORD = re.compile(r"[^\W_]+")
_SMALLEST = 12  # smallest hashes by which a text is looked up
_KEPT = 256  # hashes of a long text that are compared: a sample of them all
_MOST_ALIKE = 20  # texts per hash: a phrase that every text of a batch ends with tells nothing


@dataclass
class Doubles:
    """`alike` is the share of common pairs, from 0 to 1, from which two texts count as doubles."""

    alike: float
    _sets: dict[Hashable, frozenset[int]] = field(default_factory=dict)
    _same: dict[frozenset[int], Hashable] = field(default_factory=dict)
    _by_hash: dict[int, list[Hashable]] = field(default_factory=lambda: defaultdict(list))

    def add(self, key: Hashable, marks: frozenset[int]) -> Hashable | None:
        """Add a text. Returns the key of the text that it repeats; a repeat is not kept."""
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
    """The hashed pairs of a whole text."""
    words = _WORD.findall(text.casefold())
    return frozenset(map(hash, pairwise(words) if len(words) > 1 else words))


def _share(one: frozenset[int], other: frozenset[int]) -> float:
    """The share of common hashes. Two samples are compared up to the end of the shorter one, as if both were
    complete."""
    if len(one) == _KEPT or len(other) == _KEPT:
        upto = min(max(one), max(other))
        one = frozenset(mark for mark in one if mark <= upto)
        other = frozenset(mark for mark in other if mark <= upto)
    both = len(one & other)
    return both / (len(one) + len(other) - both) if both else 0.0
