"""Finds topics that mean nearly the same, by the beginnings of their words, without comparing all pairs."""

import math
import re
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field

_ALIKE = 0.75  # of the words of both
_WORD = re.compile(r"[^\W_]+")
_STEM = 4  # letters by which a word is known in English and in Ukrainian, whatever its ending
_SHORT_WORD = 2


@dataclass
class TopicDoubles:
    _by_stem: dict[str, list[frozenset[str]]] = field(default_factory=lambda: defaultdict(list))

    def different(self, topics: Iterable[str]) -> list[str]:
        """The topics that repeat no earlier one."""
        return [topic for topic in topics if self._add(stems_of(topic))]

    def _add(self, stems: frozenset[str]) -> bool:
        # A topic that shares this many stems shares one of any few of them; the rarest lead to the fewest candidates.
        few = len(stems) - math.ceil(_ALIKE * len(stems)) + 1
        rarest = sorted(stems, key=lambda stem: len(self._by_stem.get(stem, ())))[:few]
        if any(_is_alike(stems, other) for stem in rarest for other in self._by_stem.get(stem, ())):
            return False
        for stem in stems:
            self._by_stem[stem].append(stems)
        return bool(stems)


def stems_of(topic: str) -> frozenset[str]:
    words = _WORD.findall(topic.casefold())
    long = [word for word in words if len(word) > _SHORT_WORD or word.isdigit()]
    return frozenset(word[:_STEM] for word in long or words)


def _is_alike(one: frozenset[str], other: frozenset[str]) -> bool:
    both = len(one & other)
    return both >= _ALIKE * (len(one) + len(other) - both)
