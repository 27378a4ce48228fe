"""The order of search results: which entries that share words with a question answer it.

BM25 for short texts, over the words of the question and what stands for them. An entry is judged together
with those said right before and after it: in a conversation the question has one half of the words and the
answer the other.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from math import exp, log
from typing import NamedTuple

from nanoclaw.domain.memory import EntryKind, Trust
from nanoclaw.memory.expansion import Term


class Candidate(NamedTuple):
    number: int
    company: str
    kind: str
    terms: str
    at: datetime
    chat_id: str | None
    file: str
    confidence: float
    trust: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Collection:
    """What the index knows about all entries: how rare words are, and how long entries are."""

    entries: int
    words: int
    counts: Mapping[str, int]

    @property
    def average_length(self) -> float:
        return self.words / self.entries if self.words else 1.0

    def rarity(self, term: str) -> float:
        count = self.counts.get(term, 0)
        return log(1 + (self.entries - count + 0.5) / (count + 0.5))


# Chosen on the labelled sets (`tests/memory_sets`): benchmarks/memory.py prints what each is worth.
SATURATION = 0.7  # BM25's k1: a word said twice counts hardly more than once
LENGTH = 0.3  # BM25's b: how much a long entry is held back for each of its words
SUBSTANCE = 0.6  # what a long entry gains as a whole: small talk is short
BEFORE = (
    0.5,
    0.28,
    0.14,
)  # how much counts of what was said one, two, three entries before: an answer follows
AFTER = (0.33, 0.18, 0.1)
QUESTION = 0.8  # an entry that asks is rarely the answer
ACTIVITY = 0.6  # that something was worked on says less than its outcome
HEARSAY = 0.9
RECENT, HALF_LIFE = 0.05, 90.0  # what a new entry gains, and the days in which that fades
DATED = 0.25  # what an entry gains if it is from a day, month or year that the question names

ASKS = "?"  # the term of an entry that ends with a question mark


def rank(
    candidates: Sequence[Candidate],
    terms: Sequence[Term],
    collection: Collection,
    at: datetime,
    *,
    dated: Callable[[datetime], bool] | None = None,
) -> list[tuple[Candidate, float]]:
    """The best first. `dated`: whether a moment is one that the question names."""
    worth = {term.text: (term.word, term.weight * collection.rarity(term.text)) for term in terms}
    average = collection.average_length
    own = {each.number: _own_score(each.terms.split(), worth, average) for each in candidates}
    of = {each.number: each for each in candidates}
    found = []
    for each in candidates:
        score = own[each.number] + _of_neighbours(each, of, own)
        if score:
            score *= _circumstances(each, average, at)
            if dated and dated(each.at):
                score *= 1 + DATED
            found.append((each, score))
    found.sort(key=lambda pair: (-pair[1], -pair[0].number))
    return found


def _circumstances(each: Candidate, average: float, at: datetime) -> float:
    """What speaks for an entry whatever was asked."""
    factor = 1 + SUBSTANCE * min(1.0, (each.terms.count(" ") + 1) / (2 * average))
    if each.terms.endswith(ASKS):
        factor *= QUESTION
    if each.kind == EntryKind.ACTIVITY:
        factor *= ACTIVITY
    if each.trust == Trust.HEARSAY:
        factor *= HEARSAY
    age = (at - each.at).total_seconds() / 86400
    return factor * (0.7 + 0.3 * each.confidence) * (1 + RECENT * exp(-max(age, 0.0) / HALF_LIFE))


def below_what_was_said(
    ranked: Sequence[tuple[Candidate, float]], terms: Sequence[Term]
) -> list[tuple[Candidate, float]]:
    """Activity counts less than what people said or decided with as many of the words. Words are counted apart for the
    two, so that their scores alone do not compare: a word is rare where few lines are."""
    asked = {term.text: term.word for term in terms}
    said: dict[int, float] = {}  # by how many of the words it has at least: the best score
    for each, score in ranked:
        if each.kind != EntryKind.ACTIVITY and each.trust != Trust.HEARSAY:
            for count in range(1, _matched(each, asked) + 1):
                said[count] = max(score, said.get(count, 0.0))
    found = []
    for each, score in ranked:
        best = said.get(_matched(each, asked)) if each.kind == EntryKind.ACTIVITY else None
        found.append((each, min(score, best * ACTIVITY) if best else score))
    return found


def _matched(each: Candidate, asked: Mapping[str, int]) -> int:
    """How many words of the question it has."""
    return len({asked[word] for word in each.terms.split() if word in asked})


def distinct(ranked: Iterable[tuple[Candidate, float]]) -> Iterator[tuple[Candidate, float]]:
    """Entries that say nearly the same are shown once: the best of them. Other numbers mean something else,
    and so does a denial in only one of them.
    """
    shown: dict[frozenset[str], list[frozenset[str]]] = defaultdict(list)
    for each, score in ranked:
        words = frozenset(word for word in each.terms.split() if word[0] not in "@?")
        telling = frozenset(word for word in words if word in _DENYING or not word.isalpha())
        if len(words) < _FEW or not any(_are_alike(words, other) for other in shown[telling]):
            shown[telling].append(words)
            yield each, score


_FEW = 4  # words; two shorter entries may be alike by chance
_ALIKE = 0.85  # share of all words of two entries that both have
_DENYING = {"not", "no", "never", "without", "не", "ні", "без"}


def _are_alike(one: frozenset[str], other: frozenset[str]) -> bool:
    return abs(len(one) - len(other)) <= 2 and len(one & other) >= _ALIKE * len(one | other)


def belong_together(one: Candidate, other: Candidate) -> bool:
    """Said in one conversation, within an hour. Passages of one file are about different things, and so are lines
    that were written by hand or imported.
    """
    return (
        one.chat_id is not None
        and one.chat_id == other.chat_id
        and one.file == other.file
        and one.company == other.company
        and one.kind != EntryKind.CONTEXT
        and abs((one.at - other.at).total_seconds()) <= 3600
    )


def _own_score(words: Sequence[str], worth: Mapping[str, tuple[int, float]], average: float) -> float:
    """How well these words match those of the question. Of several that stand for one, the best counts."""
    matched = [word for word in words if word in worth]
    if not matched:
        return 0.0
    norm = SATURATION * (1 - LENGTH + LENGTH * len(words) / average)
    found: dict[int, float] = {}
    for term in set(matched):
        asked, value = worth[term]
        times = matched.count(term)
        score = value * times * (SATURATION + 1) / (times + norm)
        if score > found.get(asked, 0.0):
            found[asked] = score
    return sum(found.values())


def _of_neighbours(each: Candidate, of: Mapping[int, Candidate], own: Mapping[int, float]) -> float:
    """What an entry gains from those said right before and after it: the farther away, the less."""
    gained = 0.0
    for direction, shares in ((-1, BEFORE), (1, AFTER)):
        number = each.number
        for share in shares:
            number += direction
            score = own.get(number)
            if score and belong_together(each, of[number]):
                gained += share * score
    return gained
