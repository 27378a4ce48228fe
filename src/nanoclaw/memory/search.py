"""What a company knows about something: candidates by their words from the database, ranked here."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import lru_cache, partial
from itertools import combinations, islice
from typing import Any

import sqlalchemy as sa

from nanoclaw.domain.memory import Entry, EntryFilter, EntryKind, Recalled, RecallWish
from nanoclaw.durable import memory_words
from nanoclaw.durable.clock import now
from nanoclaw.durable.knowledge_tables import memory_entries
from nanoclaw.durable.memory_words import CONTEXT, scope_of
from nanoclaw.durable.store import Store, Tx
from nanoclaw.memory import analyser, index, ranking
from nanoclaw.memory.dates import dates_in
from nanoclaw.memory.expansion import Term, query_terms
from nanoclaw.memory.ranking import Candidate, Collection

MOST_FACTS = 20
MOST_FACT_TOKENS = 1500
MOST_DECISIONS = 10
MOST_DECISION_TOKENS = 1000
MOST_PASSAGE_TOKENS = 2500
WORTH_TELLING = 0.2  # of the best entry's score: what is weaker would only fill a prompt

_CANDIDATES = 500  # that are ranked
_POSTINGS = 10_000  # entries of rare words that are looked at; common words then only add to them
_FROM_COMMON = 3000  # newest entries, where all words are common
_NEARBY = 0.3  # how much a word counts that the conversation just spoke of
_NEARBY_WORDS = 12
_COMMON = 4  # common words that are looked at
_LINE_TOKENS = 12  # what stands around a text in a prompt: id, date, whose word it is
# An entry's score counts for its neighbours, by their distance.
_SHARES = (
    *((distance, share) for distance, share in enumerate(ranking.BEFORE, 1)),
    *((-distance, share) for distance, share in enumerate(ranking.AFTER, 1)),
)
_COLUMNS = tuple(memory_entries.c[name] for name in Candidate._fields)
_EVERYTHING = EntryFilter()
_MEMORY_KINDS = tuple(kind for kind in EntryKind if kind is not EntryKind.CONTEXT)


@dataclass(frozen=True, slots=True)
class Hit:
    entry: Entry
    score: float


class MemorySearch:
    def __init__(self, store: Store) -> None:
        self._store = store

    async def find(
        self,
        company: str,
        text: str,
        *,
        filter: EntryFilter = _EVERYTHING,  # noqa: A002 - what it is called everywhere
        limit: int = 20,
        offset: int = 0,
        near: Sequence[str] = (),
    ) -> list[Hit]:
        """The best first. Without words: the newest."""
        terms = await understood(text, near)
        at = now()
        if not text.strip():
            latest = partial(index.latest, company=company, wanted=filter, at=at, limit=limit, offset=offset)
            return [Hit(entry, 0.0) for entry in await self._store.read(latest)]
        story = partial(
            find, company=company, text=text, terms=terms, wanted=filter, at=at, limit=limit, offset=offset
        )
        return await self._store.read(story)

    async def latest(
        self,
        company: str,
        *,
        filter: EntryFilter = _EVERYTHING,  # noqa: A002
        limit: int = 20,
        offset: int = 0,
    ) -> list[Entry]:
        """Newest first."""
        return await self._store.read(
            partial(index.latest, company=company, wanted=filter, at=now(), limit=limit, offset=offset)
        )

    async def recall(self, wish: RecallWish, terms: Sequence[Term] | None = None) -> Recalled:
        """What a turn should know before it begins, within the limits. `terms`, if it was understood already."""
        if terms is None:
            terms = await understood(wish.text, wish.near)
        return await self._store.read(partial(_recall, wish=wish, terms=terms, at=now()))


def find(
    tx: Tx,
    company: str,
    text: str,
    terms: Sequence[Term],
    wanted: EntryFilter,
    at: datetime,
    *,
    limit: int,
    offset: int = 0,
    files: Sequence[str] = (),
) -> list[Hit]:
    ranked: list[tuple[Candidate, float]] = []
    kinds = wanted.kinds or _MEMORY_KINDS
    for scope in dict.fromkeys(scope_of(company, kind) for kind in kinds):
        ranked += _ranked(tx, company, scope, text, terms, wanted, at, tuple(files), offset + limit)
    if wanted.by_own_words:
        asked = {term.text for term in terms}
        ranked = [pair for pair in ranked if not asked.isdisjoint(pair[0].terms.split())]
    ranked.sort(key=lambda pair: (-pair[1], -pair[0].number))
    page = list(islice(ranking.distinct(ranked), offset, offset + limit))
    entries = index.by_number(tx, [each.number for each, _ in page])
    return [Hit(entries[each.number], score) for each, score in page]


async def understood(text: str, near: Sequence[str]) -> list[Term]:
    """What to look for: the words of a question, and with less weight those that were just spoken of."""
    await analyser.warm_for(" ".join((text, *near)))
    terms = query_terms(text)
    if not near:
        return terms
    known = {term.text for term in terms}
    following = max((term.word for term in terms), default=-1) + 1
    nearby: list[Term] = []
    for age, said in enumerate(near):
        for term in query_terms(said):
            if term.weight == 1.0 and term.text not in known and len(nearby) < _NEARBY_WORDS:
                known.add(term.text)
                nearby.append(replace(term, weight=_NEARBY / (1 + age), word=following + len(nearby)))
    return [*terms, *nearby]


def _ranked(
    tx: Tx,
    company: str,
    scope: str,
    text: str,
    terms: Sequence[Term],
    wanted: EntryFilter,
    at: datetime,
    files: tuple[str, ...],
    most: int,
) -> list[tuple[Candidate, float]]:
    counts = index.word_counts(
        tx, scope, [index.ALL_ENTRIES, index.ALL_WORDS, *(term.text for term in terms)]
    )
    entries, words = counts.pop(index.ALL_ENTRIES, 0), counts.pop(index.ALL_WORDS, 0)
    collection = Collection(entries=entries, words=words, counts=counts)
    known = [term for term in terms if term.text in counts]
    own = _own_scores(tx, scope, known, collection)
    if not own:
        return []
    scores = own if scope.endswith(CONTEXT) else _spread(own)
    # Among all entries the best few are enough to fill a page; a filter may leave out most of them.
    few = 3 * most if wanted == _EVERYTHING and not files else _CANDIDATES
    for best in dict.fromkeys((min(few, _CANDIDATES), _CANDIDATES)):
        numbers = _with_neighbours(_best(best, scores), own)
        found = _fetched(tx, company, numbers, wanted, at, files)
        if len(found) >= most:
            break
    return ranking.rank(found, known, collection, at, dated=dates_in(text))


def _own_scores(tx: Tx, scope: str, terms: Sequence[Term], collection: Collection) -> dict[int, float]:
    """How much entries promise by their words, before any of them is read: the best ones."""
    own: dict[int, float] = defaultdict(float)
    rare: list[str] = []
    common: list[Term] = []
    room = _POSTINGS
    for term in sorted(terms, key=lambda term: collection.counts[term.text]):
        room -= collection.counts[term.text]
        if room < 0:
            common.append(term)
            continue
        rare.append(term.text)
        worth = term.weight * collection.rarity(term.text)
        for number in memory_words.numbers(tx, scope, [term.text]):
            own[number] += worth
    if common:
        _add_common(tx, scope, rare, common[:_COMMON], own, collection)
    return {number: own[number] for number in _best(_CANDIDATES, own)}


def _spread(own: Mapping[int, float]) -> dict[int, float]:
    """With what they gain from those right around them, which may have no word of the question themselves."""
    scores = dict(own)
    for number, worth in own.items():
        for step, share in _SHARES:
            scores[number + step] = scores.get(number + step, 0.0) + share * worth
    return scores


def _add_common(
    tx: Tx,
    scope: str,
    rare: Sequence[str],
    common: Sequence[Term],
    scores: dict[int, float],
    collection: Collection,
) -> None:
    """Common words do not bring all their entries: they only sort those that rare words have found. Where these are
    few, entries with two common words come in, and at last the newest with one."""
    worth = {term.text: term.weight * collection.rarity(term.text) for term in common}
    if len(scores) > _CANDIDATES:
        for term in common:
            for number in memory_words.numbers(tx, scope, rare, also=term.text):
                scores[number] += worth[term.text]
        return
    for one, other in combinations(common, 2):
        if one.word != other.word:
            both = worth[one.text] + worth[other.text]
            for number in memory_words.numbers(tx, scope, [one.text], also=other.text, most=_FROM_COMMON):
                scores[number] = max(scores[number], both)
    if len(scores) < _CANDIDATES:
        for number in memory_words.numbers(tx, scope, [common[0].text], most=_FROM_COMMON):
            scores[number] = max(scores[number], worth[common[0].text])


def _best(most: int, scores: Mapping[int, float]) -> list[int]:
    """Of equal ones the newest."""
    if len(scores) <= most:
        return list(scores)
    least = sorted(scores.values())[-most]
    above = [number for number, score in scores.items() if score > least]
    equal = sorted((number for number, score in scores.items() if score == least), reverse=True)
    return above + equal[: most - len(above)]


def _with_neighbours(numbers: Sequence[int], own: Mapping[int, float]) -> list[int]:
    """Those around them that have words of the question too: without them they cannot be judged."""
    near = {number + step for number in numbers for step, _ in _SHARES if number + step in own}
    return sorted(near.union(numbers))


def _fetched(
    tx: Tx, company: str, numbers: Sequence[int], wanted: EntryFilter, at: datetime, files: tuple[str, ...]
) -> list[Candidate]:
    """Without the company in the statement, whose index SQLite would take instead of the numbers."""
    given = {"numbers": memory_words.listed(tx, numbers), "now": at}
    return [
        Candidate._make(row)
        for row in tx.execute(_listed(tx.dialect.name, wanted, files), given)
        if row[1] == company
    ]


@lru_cache(64)
def _listed(dialect: str, wanted: EntryFilter, files: tuple[str, ...]) -> sa.Select[Any]:
    statement = sa.select(*_COLUMNS).where(
        memory_words.is_in(memory_entries.c.number, "numbers", dialect), *index.conditions(wanted)
    )
    return statement.where(memory_entries.c.file.in_(files)) if files else statement


def _recall(tx: Tx, wish: RecallWish, terms: Sequence[Term], at: datetime) -> Recalled:
    shown = partial(EntryFilter, is_public_only=wish.is_public_only)
    facts: list[Entry] = []
    decisions: list[Entry] = []
    passages: list[Entry] = []
    if wish.wants_memory:
        binding = index.latest_binding(
            tx, wish.company, at, MOST_DECISIONS, is_public_only=wish.is_public_only
        )
        decisions = within(binding, MOST_DECISION_TOKENS)
        known = {entry.id for entry in decisions}
        hits = find(tx, wish.company, wish.text, terms, shown(), at, limit=MOST_FACTS + MOST_DECISIONS)
        told = [hit.entry for hit in _worth_telling(hits) if hit.entry.id not in known]
        facts = within(told[:MOST_FACTS], MOST_FACT_TOKENS)
    if wish.passages_of:
        files = [f"context/{name}.md" for name in wish.passages_of]
        of_context = shown(kinds=(EntryKind.CONTEXT,))
        hits = find(tx, wish.company, wish.text, terms, of_context, at, limit=wish.most_passages, files=files)
        passages = within([hit.entry for hit in _worth_telling(hits)], MOST_PASSAGE_TOKENS)
    return Recalled(facts=tuple(facts), decisions=tuple(decisions), passages=tuple(passages))


def _worth_telling(hits: Sequence[Hit]) -> list[Hit]:
    return [hit for hit in hits if hit.score >= WORTH_TELLING * hits[0].score]


def within(entries: Iterable[Entry], most_tokens: int) -> list[Entry]:
    """As many as fit; a long one that does not is left out, and shorter ones after it may still fit."""
    kept = []
    for entry in entries:
        size = tokens(entry.text) + _LINE_TOKENS
        if size <= most_tokens:
            kept.append(entry)
            most_tokens -= size
    return kept


def tokens(text: str) -> int:
    """An estimate: four Latin letters or two of another script make one."""
    latin = sum(map(str.isascii, text))
    return (latin + 3) // 4 + (len(text) - latin + 1) // 2
