"""Finds facts that say the same, or nearly, without comparing all pairs."""

import math
import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

from nanoclaw.domain.memory import Trust
from nanoclaw.memory.entries import Fact

_ALIKE = 0.85  # share of all words of both
_LEAST_WORDS = 6  # in a shorter fact each word counts
_WORD = re.compile(r"[^\W_]+(?:[.,:/'’ʼ-][^\W_]+)*")
_TRUST = {Trust.OWNER: 2, Trust.MEMBER: 1, Trust.HEARSAY: 0}
# One of these words more makes a fact say the opposite.
TURNS = {
    "not", "no", "never", "none", "nothing", "without", "except", "only", "isn't", "don't", "doesn't", "won't", "can't",
    "stopped", "не", "ні", "ніколи", "нема", "немає", "без", "крім", "лише", "тільки", "жодного", "жодної", "жоден",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Double:
    gone: Fact
    kept: Fact


@dataclass(frozen=True, slots=True)
class _Words:
    fact: Fact
    all: tuple[str, ...]  # in order
    set: frozenset[str]
    marks: frozenset[str]  # what must be the same: numbers, names, negations


def doubles(facts: Iterable[Fact]) -> list[Double]:
    """In each group the most trusted one is kept, then the newest. Activity repeats itself, and is left alone."""
    found: list[Double] = []
    groups: dict[tuple[object, ...], list[_Words]] = defaultdict(list)
    for fact in facts:
        if fact.kind != "activity":
            groups[fact.kind, fact.public, fact.domain.casefold()].append(_words(fact))
    for group in groups.values():
        for alike in _alike(group):
            kept = max(alike, key=_worth)
            found += [Double(fact, kept) for fact in alike if fact.id != kept.id]
    return found


def _worth(fact: Fact) -> tuple[object, ...]:
    return (_TRUST[fact.trust], fact.timestamp, fact.confidence, fact.id)


def _words(fact: Fact) -> _Words:
    text = unicodedata.normalize("NFKC", fact.fact)
    seen = [found[0] for found in _WORD.finditer(text)]
    words = tuple(each.casefold().replace("’", "'").replace("ʼ", "'") for each in seen)
    marks = {
        word
        for place, (each, word) in enumerate(zip(seen, words, strict=True))
        if any(map(str.isdigit, word)) or word in TURNS or (place and each[:1].isupper())
    }
    # Signs that are not part of words: $490 is not 490%.
    signs = re.findall(r"[$€£₴%+<>≤≥-]+(?=\d)|(?<=\d)\s?[$€£₴%]", text)
    return _Words(fact, words, frozenset(words), frozenset(chain(marks, signs)))


def _alike(group: Sequence[_Words]) -> Iterator[list[Fact]]:
    """The groups of two or more."""
    parents = list(range(len(group)))

    def root(place: int) -> int:
        while parents[place] != place:
            parents[place] = parents[parents[place]]
            place = parents[place]
        return place

    for one, other in chain(_same(group), _near(group)):
        parents[root(one)] = root(other)
    together: dict[int, list[Fact]] = defaultdict(list)
    for place, words in enumerate(group):
        together[root(place)].append(words.fact)
    yield from (facts for facts in together.values() if len(facts) > 1)


def _same(group: Sequence[_Words]) -> Iterator[tuple[int, int]]:
    """Pairs with the same words in the same order, whatever stands between them."""
    first: dict[tuple[object, ...], int] = {}
    for place, words in enumerate(group):
        if words.all:
            seen = first.setdefault((words.all, words.marks - words.set), place)
            if seen != place:
                yield seen, place


def _near(group: Sequence[_Words]) -> Iterator[tuple[int, int]]:
    """Two facts that share this many words also share one of their rarest: only those are looked up."""
    counts = Counter(word for words in group for word in words.set)
    by_word: dict[tuple[str, frozenset[str]], list[int]] = defaultdict(list)
    for place, words in enumerate(group):
        if len(words.set) < _LEAST_WORDS:
            continue
        rarest = sorted(words.set, key=lambda word: (counts[word], word))
        few = rarest[: len(rarest) - math.ceil(_ALIKE * len(rarest)) + 1]
        candidates = {other for word in few for other in by_word[word, words.marks]}
        for other in sorted(candidates):
            shared = len(words.set & group[other].set)
            if shared >= _ALIKE * (len(words.set) + len(group[other].set) - shared) and _in_order(
                words, group[other]
            ):
                yield other, place
        for word in few:
            by_word[word, words.marks].append(place)


def _in_order(one: _Words, other: _Words) -> bool:
    """Anna pays Olena is not Olena pays Anna: common words must come in the same order."""
    both = one.set & other.set
    return _first(one.all, both) == _first(other.all, both)


def _first(words: Sequence[str], wanted: frozenset[str]) -> list[str]:
    return [word for word in dict.fromkeys(words) if word in wanted]
