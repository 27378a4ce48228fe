"""Passages of a company's context that fit a message, found in memory.

A company has a hundred of them, rarely a thousand, and every turn asks for them: the database would take a
millisecond, a fifth of everything the host adds to an answer.
"""

from collections import Counter, defaultdict
from collections.abc import Container, Iterator, Sequence

import sqlalchemy as sa

from nanoclaw.domain.memory import Entry, EntryKind
from nanoclaw.durable.knowledge_tables import memory_entries
from nanoclaw.durable.store import Tx
from nanoclaw.memory import index
from nanoclaw.memory.analyser import analyse
from nanoclaw.memory.expansion import Term
from nanoclaw.memory.fit import Fit
from nanoclaw.memory.ranking import Collection
from nanoclaw.memory.search import MOST_PASSAGE_TOKENS, WORTH_TELLING, tokens

_SATURATION = 0.7  # BM25's k1 and b, as in ranking.py
_LENGTH = 0.3
_HEADING = 0.6  # what a word gains if it is also in the heading of the passage


class PassageSearch:
    """The passages of one company, as they were when this was made."""

    def __init__(self, passages: Sequence[tuple[Entry, str]]) -> None:
        """`passages` come with their terms, separated by spaces."""
        self._entries = [entry for entry, _ in passages]
        self._sizes = [tokens(entry.text) for entry in self._entries]
        words = [terms.split() for _, terms in passages]
        average = sum(map(len, words)) / len(words) if words else 1.0
        norms = [_SATURATION * (1 - _LENGTH + _LENGTH * len(each) / average) for each in words]
        # The worth of each word in each passage that has it.
        self._worth: dict[str, list[tuple[int, float]]] = defaultdict(list)
        self._terms = [frozenset(each) for each in words]
        heads = [set(analyse(entry.topic.rpartition(" > ")[2])) for entry in self._entries]
        for number, each in enumerate(words):
            for term, times in Counter(each).items():
                worth = times * (_SATURATION + 1) / (times + norms[number])
                self._worth[term].append((number, worth * (1 + _HEADING * (term in heads[number]))))
        counts = {term: len(found) for term, found in self._worth.items()}
        self._known = Collection(entries=len(words), words=sum(map(len, words)), counts=counts)
        for term, found in self._worth.items():
            rarity = self._known.rarity(term)
            found[:] = [(number, worth * rarity) for number, worth in found]

    def __len__(self) -> int:
        return len(self._entries)

    def find(self, terms: Sequence[Term], files: Container[str], most: int) -> list[Entry]:
        """The best passages first, of these files."""
        return list(self._fitting(self._ranked(terms, files), most))

    def _ranked(self, terms: Sequence[Term], files: Container[str]) -> list[tuple[int, float]]:
        by_word: dict[int, dict[int, float]] = defaultdict(dict)
        for term in terms:
            best = by_word[term.word]  # of several terms for one word, the best counts
            for number, worth in self._worth.get(term.text, ()):
                if (value := term.weight * worth) > best.get(number, 0.0):
                    best[number] = value
        scores: dict[int, float] = defaultdict(float)
        for found in by_word.values():
            for number, value in found.items():
                scores[number] += value
        fit = Fit(terms, self._known.rarity, self._known.counts.__contains__)
        named = [
            pair
            for pair in scores.items()
            if self._entries[pair[0]].file in files and fit.holds(self._terms[pair[0]])
        ]
        return sorted(named, key=lambda pair: (-pair[1], pair[0]))

    def _fitting(self, ranked: Sequence[tuple[int, float]], most: int) -> Iterator[Entry]:
        room = MOST_PASSAGE_TOKENS
        for number, score in ranked[:most]:
            if score < WORTH_TELLING * ranked[0][1]:
                return
            if self._sizes[number] <= room:
                room -= self._sizes[number]
                yield self._entries[number]


def load(tx: Tx, company: str) -> PassageSearch:
    rows = tx.execute(
        sa.select(memory_entries.c.terms, *index.ENTRY_COLUMNS)
        .where(memory_entries.c.company == company, memory_entries.c.kind == EntryKind.CONTEXT.value)
        .order_by(memory_entries.c.file, memory_entries.c.number)
    )
    return PassageSearch([(index.entry_of(row), row.terms) for row in rows])
