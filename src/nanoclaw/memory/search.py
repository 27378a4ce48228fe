"""What a company knows about something: candidates by their words from the database, ranked here."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from itertools import islice

from nanoclaw.domain.memory import Entry, EntryFilter, EntryKind, Recalled, RecallWish
from nanoclaw.durable.clock import now
from nanoclaw.durable.memory_words import scope_of
from nanoclaw.durable.store import Store, Tx
from nanoclaw.memory import analyser, index, ranking
from nanoclaw.memory.embeddings import Embeddings
from nanoclaw.memory.expansion import Term, query_terms
from nanoclaw.memory.fit import has_subject
from nanoclaw.memory.kept import KeptMemory
from nanoclaw.memory.matches import CANDIDATES, Query, matching
from nanoclaw.memory.ranking import Candidate
from nanoclaw.memory.sources import KeptSources, SearchFilter, Sources, StoredSources

MOST_FACTS = 20
MOST_FACT_TOKENS = 1500
MOST_ACTIVITY = 5  # what was worked on matters if nothing was kept of it yet
MOST_DECISIONS = 10
MOST_DECISION_TOKENS = 1000
MOST_PASSAGE_TOKENS = 2500
WORTH_TELLING = 0.2  # of the best entry's score: weaker ones would only fill the prompt

_NEARBY = 0.3  # weight of a word that the conversation just mentioned
_NEARBY_WORDS = 12
_LINE_TOKENS = 12  # what surrounds a text in a prompt: id, date, whose word it is
_EVERYTHING = EntryFilter()
_MEMORY_KINDS = tuple(kind for kind in EntryKind if kind is not EntryKind.CONTEXT)
_SAID_KINDS = tuple(kind for kind in _MEMORY_KINDS if kind is not EntryKind.ACTIVITY)
_MOST_SAID = MOST_FACTS + MOST_DECISIONS


@dataclass(frozen=True, slots=True)
class Hit:
    entry: Entry
    score: float


class MemorySearch:
    def __init__(self, store: Store, embed: Embeddings | None = None) -> None:
        self._store = store
        self._embed = embed
        self._kept = KeptMemory(store)

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
        query = Query(text, await understood(text, near), SearchFilter(company, filter, now()))
        return await self._found(query, limit, offset)

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
        """What a turn should know before it begins, within the limits. `terms`, if the text was already analysed."""
        if terms is None:
            terms = await understood(wish.text, wish.near)
        asked = _Asked(wish, terms, now())
        facts: list[Entry] = []
        decisions: list[Entry] = []
        passages: list[Entry] = []
        if wish.wants_memory:
            binding, hits, lately = await self._of_memory(asked)
            decisions = within(binding, MOST_DECISION_TOKENS)
            known = {entry.id for entry in decisions}
            told = [entry for entry in _worth_telling(hits) if entry.id not in known]
            facts = within([*told, *_worth_telling(lately)][:MOST_FACTS], MOST_FACT_TOKENS)
        if wish.passages_of:
            found = await self._found(asked.context(), wish.most_passages)
            passages = within(_worth_telling(found), MOST_PASSAGE_TOKENS)
        return Recalled(facts=tuple(facts), decisions=tuple(decisions), passages=tuple(passages))

    async def _of_memory(self, asked: "_Asked") -> tuple[list[Entry], list[Hit], list[Hit]]:
        """Binding decisions, matching entries, and what was worked on."""
        company = asked.wish.company
        said = await self._kept.of(company, _SAID_KINDS)
        done = await self._kept.of(company, (EntryKind.ACTIVITY,))
        if said is not None and done is not None:
            told = _told(KeptSources(said, done), asked)
        else:
            told = await self._store.read(lambda tx: _told(StoredSources(tx), asked))
        if self._embed is not None and has_subject(asked.terms):
            meant = replace(asked.said(), must_fit=False)  # other words may mean the same
            return told[0], await self._found(meant, _MOST_SAID), told[2]
        return told

    async def _found(self, query: Query, limit: int, offset: int = 0) -> list[Hit]:
        if self._embed is None:
            return await self._store.read(lambda tx: _page(StoredSources(tx), query, limit, offset))
        ranked = await self._store.read(lambda tx: _ranked(StoredSources(tx), query, CANDIDATES))
        fused = (await self._embed.fused(query.text, ranked[:CANDIDATES]))[offset : offset + limit]
        return await self._store.read(lambda tx: _hits(StoredSources(tx), fused))


@dataclass(frozen=True, slots=True)
class _Asked:
    """What is searched on behalf of a turn."""

    wish: RecallWish
    terms: Sequence[Term]
    at: datetime

    def said(self) -> Query:
        return self._query(self.terms, _SAID_KINDS)

    def done(self) -> Query:
        """Without recently mentioned words: most of that activity is this conversation, which the agent sees
        anyway.
        """
        return self._query([term for term in self.terms if not term.is_near], (EntryKind.ACTIVITY,))

    def context(self) -> Query:
        files = tuple(f"context/{name}.md" for name in self.wish.passages_of)
        return self._query(self.terms, (EntryKind.CONTEXT,), files)

    def _query(
        self, terms: Sequence[Term], kinds: tuple[EntryKind, ...], files: tuple[str, ...] = ()
    ) -> Query:
        shown = EntryFilter(is_public_only=self.wish.is_public_only, kinds=kinds)
        wanted = SearchFilter(self.wish.company, shown, self.at, files)
        return Query(self.wish.text, terms, wanted, must_fit=True)


def _told(sources: Sources, asked: _Asked) -> tuple[list[Entry], list[Hit], list[Hit]]:
    wish = asked.wish
    binding = sources.binding(wish.company, asked.at, MOST_DECISIONS, is_public_only=wish.is_public_only)
    return binding, _page(sources, asked.said(), _MOST_SAID), _page(sources, asked.done(), MOST_ACTIVITY)


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
    """Search by words alone, in the caller's transaction and on its thread."""
    return _page(StoredSources(tx), Query(text, terms, SearchFilter(company, wanted, at)), limit, offset)


def _page(sources: Sources, query: Query, limit: int, offset: int = 0) -> list[Hit]:
    return _hits(sources, _ranked(sources, query, offset + limit)[offset : offset + limit])


def _hits(sources: Sources, ranked: Sequence[tuple[int, float]]) -> list[Hit]:
    entries = sources.entries([number for number, _ in ranked])
    return [Hit(entries[number], score) for number, score in ranked if number in entries]


def _ranked(sources: Sources, query: Query, most: int) -> list[tuple[int, float]]:
    """Numbers and scores, at least as many as wanted, if there are."""
    ranked: list[tuple[Candidate, float]] = []
    wanted = query.wanted
    kinds = wanted.filter.kinds or _MEMORY_KINDS
    scopes = dict.fromkeys(scope_of(wanted.company, kind) for kind in kinds)
    for scope in scopes:
        ranked += matching(sources.of(scope), scope, query, most)
    if wanted.filter.by_own_words:
        asked = {term.text for term in query.terms}
        ranked = [pair for pair in ranked if not asked.isdisjoint(pair[0].terms.split())]
    if len(scopes) > 1:
        ranked = ranking.below_what_was_said(ranked, query.terms)
    ranked.sort(key=lambda pair: (-pair[1], -pair[0].number))
    return [(each.number, score) for each, score in islice(ranking.distinct(ranked), most)]


async def understood(text: str, near: Sequence[str]) -> list[Term]:
    """What to look for: the words of a question, and with less weight those just mentioned."""
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
                weight, word = _NEARBY / (1 + age), following + len(nearby)
                nearby.append(Term(term.text, weight, word, is_near=True))
    return [*terms, *nearby]


def _worth_telling(hits: Sequence[Hit]) -> list[Entry]:
    return [hit.entry for hit in hits if hit.score >= WORTH_TELLING * hits[0].score]


def within(entries: Iterable[Entry], most_tokens: int) -> list[Entry]:
    """As many as fit; a long one that does not is skipped, and shorter ones after it may still fit."""
    kept = []
    for entry in entries:
        size = tokens(entry.text) + _LINE_TOKENS
        if size <= most_tokens:
            kept.append(entry)
            most_tokens -= size
    return kept


def tokens(text: str) -> int:
    """An estimate: four Latin letters or two of another script make one token."""
    latin = sum(map(str.isascii, text))
    return (latin + 3) // 4 + (len(text) - latin + 1) // 2
