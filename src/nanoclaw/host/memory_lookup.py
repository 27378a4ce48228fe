"""What a turn recalls, from the index; files of the context that a person has edited are indexed first."""

import asyncio
import os
from collections.abc import Iterable
from pathlib import Path

import structlog

from nanoclaw.context.system_prompt import CONTEXT_FILES
from nanoclaw.domain.errors import StoreDamaged, StoreUnavailable
from nanoclaw.domain.memory import Recalled, RecallWish
from nanoclaw.durable.store import Store
from nanoclaw.memory.passages import ContextIndex
from nanoclaw.memory.search import MemorySearch

log = structlog.get_logger("memory")

_Stamps = tuple[tuple[int, int], ...]


class IndexLookup:
    def __init__(self, home: Path, store: Store) -> None:
        self._home = home
        self._search = MemorySearch(store)
        self._context = ContextIndex(home, store)
        self._seen: dict[str, _Stamps] = {}
        self._refreshing: dict[str, asyncio.Task[None]] = {}
        self._expecting: asyncio.Task[None] | None = None

    async def recall(self, wish: RecallWish) -> Recalled:
        if wish.passages_of:
            await self._refresh(wish.company)
        return await self._search.recall(wish)

    def expect(self, companies: Iterable[str]) -> None:
        """Index what was edited while no host ran; nobody waits for it."""
        self._expecting = asyncio.create_task(self._index(sorted(companies)))

    async def close(self) -> None:
        tasks = [*self._refreshing.values(), *([self._expecting] if self._expecting else [])]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _index(self, companies: list[str]) -> None:
        for company in companies:
            try:
                await self._refresh(company)
            except (StoreUnavailable, StoreDamaged) as error:  # the first turn tries again
                log.warning("context not indexed", company=company, reason=error)

    async def _refresh(self, company: str) -> None:
        stamps = self._stamps(company)
        if stamps == self._seen.get(company):
            return
        task = self._refreshing.get(company)
        if task is None:
            task = self._refreshing[company] = asyncio.create_task(self._context.refresh(company))
            task.add_done_callback(lambda _done: self._refreshing.pop(company, None))
        await asyncio.shield(task)  # whoever waits may lose patience; the next turn finds it done
        self._seen[company] = stamps

    def _stamps(self, company: str) -> _Stamps:
        """Every message passes here: text is quicker than paths, and this is quicker than another thread."""
        folder = f"{self._home}/companies/{company}/context"
        return tuple(_stamp(f"{folder}/{name}.md") for name in CONTEXT_FILES)


def _stamp(path: str) -> tuple[int, int]:
    try:
        stat = os.stat(path)  # noqa: PTH116
    except OSError:
        return 0, 0
    return stat.st_mtime_ns, stat.st_size
