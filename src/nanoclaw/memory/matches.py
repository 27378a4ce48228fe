"""Finds the entries that share words with a question, in the order in which they answer it."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import combinations, islice

from nanoclaw.domain.memory import EntryFilter, EntryKind
from nanoclaw.durable.memory_words import ACTIVITY, CONTEXT, scope_of
from nanoclaw.memory import index, ranking
from nanoclaw.memory.dates import dates_in
from nanoclaw.memory.expansion import Term
from nanoclaw.memory.fit import Fit
from nanoclaw.memory.ranking import Candidate, Collection
from nanoclaw.memory.sources import SearchFilter, Source

CANDIDATES = 500  # entries that are ranked
_POSTINGS = 10_000  # entries of rare words that are examined; common words then only add to them
_FROM_COMMON = 3000  # newest entries, if all words are common
_FROM_ACTIVITY = 100  # newest lines with a word: every turn leaves one, and most are alike
_COMMON = 4  # common words that are examined
# The share of an entry's score that its neighbours get, by distance.
_SHARES = (
    *((distance, share) for distance, share in enumerate(ranking.BEFORE, 1)),
    *((-distance, share) for distance, share in enumerate(ranking.AFTER, 1)),
)


@dataclass(frozen=True, slots=True)
class Query:
    text: str
    terms: Sequence[Term]
    wanted: SearchFilter
    must_fit: bool = False  # a person who searches is shown whatever there is, a prompt is not


def matching(source: Source, scope: str, query: Query, most: int) -> list[tuple[Candidate, float]]:
    """The best first; at least as many as wanted, if there are."""
    counts = source.counts(term.text for term in query.terms)
    entries, words = counts.pop(index.ALL_ENTRIES, 0), counts.pop(index.ALL_WORDS, 0)
    collection = Collection(entries=entries, words=words, counts=counts)
    known = [term for term in query.terms if term.text in counts]
    own = _own_scores(source, scope, known, collection)
    if not own:
        return []
    is_talk = not scope.endswith((CONTEXT, ACTIVITY))
    scores = _spread(own) if is_talk else own
    # Among all entries the best few fill a page; a filter may drop most of them.
    few = 3 * most if _takes_all(query.wanted, scope) else CANDIDATES
    found: list[Candidate] = []
    for best in dict.fromkeys((min(few, CANDIDATES), CANDIDATES)):
        chosen = _best(best, scores)
        found = source.candidates(query.wanted, _with_neighbours(chosen, own) if is_talk else sorted(chosen))
        if len(found) >= most:
            break
    ranked = ranking.rank(found, known, collection, query.wanted.now, dated=dates_in(query.text))
    if not query.must_fit:
        return ranked
    # Some are left out later, because others say nearly the same.
    return list(islice(_fitting(ranked, query, collection), 3 * most))


def _fitting(
    ranked: Sequence[tuple[Candidate, float]], query: Query, collection: Collection
) -> Iterator[tuple[Candidate, float]]:
    """Those that the question is about, and what was said right beside them in the same conversation."""
    fit = Fit(query.terms, collection.rarity, collection.counts.__contains__)
    of = {each.number: each for each, _ in ranked}

    @cache
    def is_about(number: int) -> bool:
        return number in of and fit.holds(of[number].terms.split())

    for each, score in ranked:
        near = (each.number - step for step, _ in _SHARES)
        if is_about(each.number) or any(
            is_about(number) and ranking.belong_together(each, of[number]) for number in near
        ):
            yield each, score


def _takes_all(wanted: SearchFilter, scope: str) -> bool:
    """Whether the filter drops nothing of this scope except what is past."""
    kinds = wanted.filter.kinds
    takes_kinds = not kinds or all(
        kind in kinds for kind in EntryKind if scope_of(wanted.company, kind) == scope
    )
    return takes_kinds and not wanted.files and replace(wanted.filter, kinds=()) == EntryFilter()


def _own_scores(
    source: Source, scope: str, terms: Sequence[Term], collection: Collection
) -> dict[int, float]:
    """How promising entries are by their words, before any of them is read: the best ones."""
    own: dict[int, float] = defaultdict(float)
    rare: list[str] = []
    common: list[Term] = []
    room = _POSTINGS
    newest = _FROM_ACTIVITY if scope.endswith(ACTIVITY) else None
    for term in sorted(terms, key=lambda term: collection.counts[term.text]):
        room -= collection.counts[term.text]
        if room < 0:
            common.append(term)
            continue
        rare.append(term.text)
        worth = term.weight * collection.rarity(term.text)
        for number in source.numbers([term.text], most=newest):
            own[number] += worth
    if common:
        _add_common(source, rare, common[:_COMMON], own, collection)
    return {number: own[number] for number in _best(CANDIDATES, own)}


def _spread(own: Mapping[int, float]) -> dict[int, float]:
    """Add what entries gain from their immediate neighbours, even if they have no word of the question themselves."""
    scores = dict(own)
    for number, worth in own.items():
        for step, share in _SHARES:
            scores[number + step] = scores.get(number + step, 0.0) + share * worth
    return scores


def _add_common(
    source: Source,
    rare: Sequence[str],
    common: Sequence[Term],
    scores: dict[int, float],
    collection: Collection,
) -> None:
    """Common words do not bring in all their entries: they only sort what rare words have found. If that is
    little, entries with two common words come in, and finally the newest with one.
    """
    worth = {term.text: term.weight * collection.rarity(term.text) for term in common}
    if len(scores) > CANDIDATES:
        for term in common:
            for number in source.numbers(rare, also=term.text):
                scores[number] += worth[term.text]
        return
    for one, other in combinations(common, 2):
        if one.word != other.word:
            both = worth[one.text] + worth[other.text]
            for number in source.numbers([one.text], also=other.text, most=_FROM_COMMON):
                scores[number] = max(scores[number], both)
    if len(scores) < CANDIDATES:
        for number in source.numbers([common[0].text], most=_FROM_COMMON):
            scores[number] = max(scores[number], worth[common[0].text])


def _best(most: int, scores: Mapping[int, float]) -> list[int]:
    """The best entries; among equals the newest."""
    if len(scores) <= most:
        return list(scores)
    least = sorted(scores.values())[-most]
    above = [number for number, score in scores.items() if score > least]
    equal = sorted((number for number, score in scores.items() if score == least), reverse=True)
    return above + equal[: most - len(above)]


def _with_neighbours(numbers: Sequence[int], own: Mapping[int, float]) -> list[int]:
    """Add neighbours that have words of the question too: without them entries cannot be judged."""
    near = {number + step for number in numbers for step, _ in _SHARES if number + step in own}
    return sorted(near.union(numbers))
