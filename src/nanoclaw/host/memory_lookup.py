"""What a turn recalls from the index; context files that a person has edited are indexed first."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

import structlog

from nanoclaw.domain.errors import StoreDamaged, StoreUnavailable
from nanoclaw.domain.memory import Entry, Recalled, RecallWish
from nanoclaw.durable.store import Store
from nanoclaw.memory.expansion import Term
from nanoclaw.memory.passage_search import PassageSearch, load
from nanoclaw.memory.passages import ContextIndex
from nanoclaw.memory.search import MemorySearch, understood

log = structlog.get_logger("memory")

_Stamps = tuple[tuple[int, int], ...]


class IndexLookup:
    def __init__(self, home: Path, store: Store, search: MemorySearch) -> None:
        self._home = home
        self._store = store
        self._search = search
        self._context = ContextIndex(home, store)
        self._seen: dict[str, _Stamps] = {}
        self._passages: dict[str, PassageSearch] = {}
        self._refreshing: dict[str, asyncio.Task[None]] = {}
        self._expecting: set[asyncio.Task[None]] = set()

    async def recall(self, wish: RecallWish) -> Recalled:
        terms = await understood(wish.text, wish.near)
        passages = await self._passages_for(wish, terms) if wish.passages_of else []
        if not wish.wants_memory:
            return Recalled(passages=tuple(passages))
        recalled = await self._search.recall(replace(wish, passages_of=()), terms)
        return replace(recalled, passages=tuple(passages))

    def expect(self, company: str, stamps: _Stamps) -> None:
        task = asyncio.create_task(self._prepare(company, stamps))
        self._expecting.add(task)  # otherwise nothing holds it, and it may be garbage-collected midway
        task.add_done_callback(self._expecting.discard)

    async def close(self) -> None:
        tasks = [*self._refreshing.values(), *self._expecting]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _prepare(self, company: str, stamps: _Stamps) -> None:
        try:
            await self._refresh(company, stamps)
        except (StoreUnavailable, StoreDamaged) as error:  # the turn tries again
            log.warning("context not indexed", company=company, reason=error)

    async def _passages_for(self, wish: RecallWish, terms: Sequence[Term]) -> list[Entry]:
        await self._refresh(wish.company, wish.stamps)
        files = {f"context/{name}.md" for name in wish.passages_of}
        return self._passages[wish.company].find(terms, files, wish.most_passages)

    async def _refresh(self, company: str, stamps: _Stamps) -> None:
        if stamps == self._seen.get(company):
            return
        task = self._refreshing.get(company)
        if task is None:
            task = self._refreshing[company] = asyncio.create_task(self._read(company))
            task.add_done_callback(lambda _done: self._refreshing.pop(company, None))
        await asyncio.shield(task)  # the waiter may lose patience; the next turn finds it done
        self._seen[company] = stamps

    async def _read(self, company: str) -> None:
        await self._context.refresh(company)
        self._passages[company] = await self._store.read(partial(load, company=company))
