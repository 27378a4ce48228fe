"""Which of the entries that share words with a question answer it: the order of what a search shows.

BM25 for short texts, over the words of the question and what stands for them. An entry is judged together with those
said right before and after it: in a conversation the question has one half of the words and the answer the other.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from math import exp, log
from typing import NamedTuple

from nanoclaw.domain.memory import EntryKind
from nanoclaw.memory.expansion import Term


class Candidate(NamedTuple):
    number: int
    company: str
    id: str
    kind: str
    terms: str
    at: datetime
    chat_id: str | None
    file: str
    confidence: float
    is_binding: bool


@dataclass(frozen=True, kw_only=True, slots=True)
class Collection:
    """What the index knows of all entries of a company: how rare words are, and how long entries."""

    entries: int
    words: int
    counts: Mapping[str, int]

    @property
    def average_length(self) -> float:
        return self.words / self.entries if self.entries else 1.0

    def rarity(self, term: str) -> float:
        count = self.counts.get(term, 0)
        return log(1 + (self.entries - count + 0.5) / (count + 0.5))


@dataclass(frozen=True, kw_only=True, slots=True)
class Parameters:
    saturation: float = 0.9  # BM25's k1: a word said twice is hardly more than once
    length: float = 0.4  # BM25's b: how much a long entry is held back
    neighbours: tuple[float, ...] = (
        0.45,
        0.25,
        0.1,
    )  # how much of what was said one, two, three entries away counts
    coverage: float = 0.5  # for having many of the question's words
    recent: float = 0.05  # for what is new
    half_life: float = 90.0  # days


USUAL = Parameters()


def rank(
    candidates: Sequence[Candidate],
    terms: Sequence[Term],
    collection: Collection,
    at: datetime,
    *,
    dated: Callable[[datetime], bool] | None = None,
    parameters: Parameters = USUAL,
) -> list[tuple[Candidate, float]]:
    """The best first. `dated`: whether a moment is one the question names."""
    worth = {term.text: (term.word, term.weight * collection.rarity(term.text)) for term in terms}
    own = {each.number: _own_scores(each, worth, collection, parameters) for each in candidates}
    of = {each.number: each for each in candidates}
    whole = sum(_best_of_words(worth).values()) or 1.0
    found = []
    for each in candidates:
        words = _with_neighbours(each, of, own, parameters)
        if not words:
            continue
        score = sum(words.values())
        score *= 1 + parameters.coverage * score / whole
        score *= 0.7 + 0.3 * each.confidence
        age = max((at - each.at).total_seconds() / 86400, 0)
        score *= 1 + parameters.recent * exp(-age / parameters.half_life)
        if dated and dated(each.at):
            score *= 1.25
        found.append((each, score))
    found.sort(key=lambda pair: (-pair[1], -pair[0].number))
    return found


def distinct(ranked: Iterable[tuple[Candidate, float]]) -> list[tuple[Candidate, float]]:
    """Entries that say the same are shown once: the best of them."""
    seen: set[frozenset[str]] = set()
    kept = []
    for each, score in ranked:
        words = frozenset(each.terms.split())
        if len(words) > 3 and words in seen:
            continue
        seen.add(words)
        kept.append((each, score))
    return kept


def belong_together(one: Candidate, other: Candidate) -> bool:
    """Said in one conversation, within the hour."""
    return (
        one.company == other.company
        and one.kind != EntryKind.CONTEXT  # passages of one file are about different things
        and one.chat_id == other.chat_id
        and one.file == other.file
        and abs((one.at - other.at).total_seconds()) <= 3600
    )


def _best_of_words(worth: Mapping[str, tuple[int, float]]) -> dict[int, float]:
    best: dict[int, float] = {}
    for word, value in worth.values():
        best[word] = max(value, best.get(word, 0.0))
    return best


def _own_scores(
    each: Candidate, worth: Mapping[str, tuple[int, float]], collection: Collection, parameters: Parameters
) -> dict[int, float]:
    """For each word of the question: how well this entry alone has it."""
    words = each.terms.split()
    times: dict[str, int] = {}
    for word in words:
        if word in worth:
            times[word] = times.get(word, 0) + 1
    if not times:
        return {}
    k1, b = parameters.saturation, parameters.length
    norm = k1 * (1 - b + b * len(words) / collection.average_length)
    found: dict[int, float] = {}
    for term, count in times.items():
        asked, value = worth[term]
        score = value * count * (k1 + 1) / (count + norm)
        if score > found.get(asked, 0.0):
            found[asked] = score
    return found


def _with_neighbours(
    each: Candidate,
    of: Mapping[int, Candidate],
    own: Mapping[int, dict[int, float]],
    parameters: Parameters,
) -> dict[int, float]:
    """Words that the entry lacks or has weakly, from its neighbours: the farther away, the less they count."""
    words = dict(own[each.number])
    for distance, share in enumerate(parameters.neighbours, 1):
        for number in (each.number - distance, each.number + distance):
            theirs = own.get(number)
            if theirs and belong_together(each, of[number]):
                for word, score in theirs.items():
                    words[word] = words.get(word, 0.0) + share * score
    return words
