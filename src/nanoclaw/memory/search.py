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
from nanoclaw.durable.memory_words import ACTIVITY, CONTEXT, scope_of
from nanoclaw.durable.store import Store, Tx
from nanoclaw.memory import analyser, index, ranking
from nanoclaw.memory.dates import dates_in
from nanoclaw.memory.embeddings import Embeddings
from nanoclaw.memory.expansion import Term, query_terms
from nanoclaw.memory.ranking import Candidate, Collection

MOST_FACTS = 20
MOST_FACT_TOKENS = 1500
MOST_ACTIVITY = 5  # of them: what was worked on matters where nothing was kept of it yet
MOST_DECISIONS = 10
MOST_DECISION_TOKENS = 1000
MOST_PASSAGE_TOKENS = 2500
WORTH_TELLING = 0.2  # of the best entry's score: what is weaker would only fill a prompt

_CANDIDATES = 500  # that are ranked
_POSTINGS = 10_000  # entries of rare words that are looked at; common words then only add to them
_FROM_COMMON = 3000  # newest entries, where all words are common
_FROM_ACTIVITY = 100  # newest lines with a word: every turn leaves one, and most are like the others
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
_SAID_KINDS = tuple(kind for kind in _MEMORY_KINDS if kind is not EntryKind.ACTIVITY)


@dataclass(frozen=True, slots=True)
class Hit:
    entry: Entry
    score: float


class MemorySearch:
    def __init__(self, store: Store, embed: Embeddings | None = None) -> None:
        self._store = store
        self._embed = embed

    async def close(self) -> None:
        if self._embed is not None:
            await self._embed.close()

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
        if not text.strip():
            latest = await self.latest(company, filter=filter, limit=limit, offset=offset)
            return [Hit(entry, 0.0) for entry in latest]
        wanted = _Wanted(company, text, await understood(text, near), filter, now())
        return await self._found(wanted, limit, offset)

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
        wanted = _Wanted(wish.company, wish.text, terms, _EVERYTHING, now())
        shown = EntryFilter(is_public_only=wish.is_public_only)
        facts: list[Entry] = []
        decisions: list[Entry] = []
        passages: list[Entry] = []
        if wish.wants_memory:
            said = replace(wanted, filter=replace(shown, kinds=_SAID_KINDS))
            # Not by what was just spoken of: most of that activity is this conversation, which the agent sees anyway.
            asked = [term for term in terms if term.weight > _NEARBY]
            done = replace(wanted, terms=asked, filter=replace(shown, kinds=(EntryKind.ACTIVITY,)))

            def story(tx: Tx) -> tuple[list[Entry], list[Hit], list[Hit] | None]:
                """One transaction where words are enough: each takes its time."""
                binding = index.latest_binding(
                    tx, wish.company, wanted.at, MOST_DECISIONS, is_public_only=wish.is_public_only
                )
                return binding, _page(tx, done, MOST_ACTIVITY), None if self._embed else _page(tx, said, most)

            most = MOST_FACTS + MOST_DECISIONS
            binding, lately, hits = await self._store.read(story)
            if hits is None:
                hits = await self._found(said, most)
            decisions = within(binding, MOST_DECISION_TOKENS)
            known = {entry.id for entry in decisions}
            told = [entry for entry in _worth_telling(hits) if entry.id not in known]
            facts = within([*told, *_worth_telling(lately)][:MOST_FACTS], MOST_FACT_TOKENS)
        if wish.passages_of:
            of_context = replace(
                wanted,
                filter=replace(shown, kinds=(EntryKind.CONTEXT,)),
                files=tuple(f"context/{name}.md" for name in wish.passages_of),
            )
            passages = within(
                _worth_telling(await self._found(of_context, wish.most_passages)), MOST_PASSAGE_TOKENS
            )
        return Recalled(facts=tuple(facts), decisions=tuple(decisions), passages=tuple(passages))

    async def _found(self, wanted: "_Wanted", limit: int, offset: int = 0) -> list[Hit]:
        if self._embed is None:
            return await self._store.read(partial(_page, wanted=wanted, limit=limit, offset=offset))
        ranked = await self._store.read(partial(_ranked, wanted=wanted, most=_CANDIDATES))
        fused = await self._embed.fused(wanted.text, ranked[:_CANDIDATES])
        return await self._store.read(partial(_hits, ranked=fused[offset : offset + limit]))


@dataclass(frozen=True, slots=True)
class _Wanted:
    company: str
    text: str
    terms: Sequence[Term]
    filter: EntryFilter
    at: datetime
    files: tuple[str, ...] = ()


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
) -> list[Hit]:
    """By words alone, in the caller's transaction and on its thread."""
    return _page(tx, _Wanted(company, text, terms, wanted, at), limit, offset)


def _page(tx: Tx, wanted: _Wanted, limit: int, offset: int = 0) -> list[Hit]:
    return _hits(tx, _ranked(tx, wanted, offset + limit)[offset : offset + limit])


def _hits(tx: Tx, ranked: Sequence[tuple[int, float]]) -> list[Hit]:
    entries = index.by_number(tx, [number for number, _ in ranked])
    return [Hit(entries[number], score) for number, score in ranked if number in entries]


def _ranked(tx: Tx, wanted: _Wanted, most: int) -> list[tuple[int, float]]:
    """Numbers and scores, at least as many as wanted if there are."""
    ranked: list[tuple[Candidate, float]] = []
    kinds = wanted.filter.kinds or _MEMORY_KINDS
    for scope in dict.fromkeys(scope_of(wanted.company, kind) for kind in kinds):
        ranked += _ranked_in(tx, scope, wanted, most)
    if wanted.filter.by_own_words:
        asked = {term.text for term in wanted.terms}
        ranked = [pair for pair in ranked if not asked.isdisjoint(pair[0].terms.split())]
    ranked.sort(key=lambda pair: (-pair[1], -pair[0].number))
    return [(each.number, score) for each, score in islice(ranking.distinct(ranked), most)]


async def understood(text: str, near: Sequence[str]) -> list[Term]:
    """What to look for: the words of a question, and with less weight those that were just spoken of."""
    await analyser.warm_for(" ".join((text, *near)))
    terms = list(query_terms(text))
    if not near:
        return terms
    known = {term.text for term in terms}
    following = max((term.word for term in terms), default=-1) + 1
    nearby: list[Term] = []
    for age, said in enumerate(near):
        for term in query_terms(said):
            if term.weight == 1.0 and term.text not in known and len(nearby) < _NEARBY_WORDS:
                known.add(term.text)
                nearby.append(Term(term.text, _NEARBY / (1 + age), following + len(nearby)))
    return [*terms, *nearby]


def _ranked_in(tx: Tx, scope: str, wanted: _Wanted, most: int) -> list[tuple[Candidate, float]]:
    terms = wanted.terms
    counts = index.word_counts(
        tx, scope, [index.ALL_ENTRIES, index.ALL_WORDS, *(term.text for term in terms)]
    )
    entries, words = counts.pop(index.ALL_ENTRIES, 0), counts.pop(index.ALL_WORDS, 0)
    collection = Collection(entries=entries, words=words, counts=counts)
    known = [term for term in terms if term.text in counts]
    own = _own_scores(tx, scope, known, collection)
    if not own:
        return []
    scores = own if scope.endswith((CONTEXT, ACTIVITY)) else _spread(own)
    # Among all entries the best few are enough to fill a page; a filter may leave out most of them.
    few = 3 * most if _takes_all(wanted, scope) else _CANDIDATES
    found: list[Candidate] = []
    for best in dict.fromkeys((min(few, _CANDIDATES), _CANDIDATES)):
        found = _fetched(tx, wanted, _with_neighbours(_best(best, scores), own))
        if len(found) >= most:
            break
    return ranking.rank(found, known, collection, wanted.at, dated=dates_in(wanted.text))


def _takes_all(wanted: _Wanted, scope: str) -> bool:
    """Whether the filter leaves out nothing of this scope but what is past."""
    kinds = wanted.filter.kinds
    takes_kinds = not kinds or all(
        kind in kinds for kind in EntryKind if scope_of(wanted.company, kind) == scope
    )
    return takes_kinds and not wanted.files and replace(wanted.filter, kinds=()) == _EVERYTHING


def _own_scores(tx: Tx, scope: str, terms: Sequence[Term], collection: Collection) -> dict[int, float]:
    """How much entries promise by their words, before any of them is read: the best ones."""
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
        for number in memory_words.numbers(tx, scope, [term.text], most=newest):
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


def _fetched(tx: Tx, wanted: _Wanted, numbers: Sequence[int]) -> list[Candidate]:
    """Without the company in the statement, whose index SQLite would take instead of the numbers."""
    statement = _listed(tx.dialect.name, wanted.filter, wanted.files)
    rows = tx.execute(statement, {"numbers": memory_words.listed(tx, numbers), "now": wanted.at})
    return [Candidate._make(row) for row in rows if row.company == wanted.company]


@lru_cache(64)
def _listed(dialect: str, wanted: EntryFilter, files: tuple[str, ...]) -> sa.Select[Any]:
    statement = sa.select(*_COLUMNS).where(
        memory_words.is_in(memory_entries.c.number, "numbers", dialect), *index.conditions(wanted)
    )
    return statement.where(memory_entries.c.file.in_(files)) if files else statement


def _worth_telling(hits: Sequence[Hit]) -> list[Entry]:
    return [hit.entry for hit in hits if hit.score >= WORTH_TELLING * hits[0].score]


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
