"""Keeps the entries of small memories in the process: every turn asks for them, and most companies have few.

A turn that finds nothing then costs no transaction. The database remains the truth: each commit that changes
entries names them (`after_commit.outdate`), and they are read again before the next turn. If other hosts
write to the same database nothing announces it, so nothing is kept.
"""

import asyncio
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from nanoclaw.domain.memory import EntryKind
from nanoclaw.durable.memory_words import scope_of
from nanoclaw.durable.store import Store, Tx
from nanoclaw.memory import index
from nanoclaw.memory.sources import KeptEntries, live_rows

MOST = 2000  # entries of one scope: some megabytes


@dataclass(slots=True)
class _Scope:
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    kept: KeptEntries | None = None
    old: set[int] = field(default_factory=set)  # numbers written since
    is_too_big: bool = False


class KeptMemory:
    def __init__(self, store: Store) -> None:
        self._store = store
        self._scopes: dict[str, _Scope] = {}
        if not store.shared:
            store.after_commit.renews(self._outdate)

    async def of(self, company: str, kinds: Sequence[EntryKind]) -> KeptEntries | None:
        """The entries of these kinds, which share a scope; None if they are not kept."""
        if self._store.shared:
            return None
        scope = self._scopes.setdefault(scope_of(company, kinds[0]), _Scope())
        if scope.is_too_big:
            return None
        if scope.kept is None or scope.old:
            async with scope.lock:
                await self._renew(scope, company, kinds)
        return scope.kept

    async def _renew(self, scope: _Scope, company: str, kinds: Sequence[EntryKind]) -> None:
        if scope.kept is not None and not scope.old:  # another turn has just done it
            return
        numbers, scope.old = scope.old, set()
        try:
            if scope.kept is None:
                every = await self._store.read(partial(_all_rows, company=company, kinds=kinds))
                scope.is_too_big = every is None
                if every is not None:
                    scope.kept = KeptEntries()
                    scope.kept.renew((), every)
            else:
                story = partial(live_rows, company=company, kinds=kinds, numbers=numbers)
                scope.kept.renew(numbers, await self._store.read(story))
        except BaseException:
            scope.old |= numbers  # the next turn reads them
            raise

    def _outdate(self, name: str, numbers: Collection[int]) -> None:
        scope = self._scopes.get(name)
        if scope is None:
            return
        scope.old.update(numbers)
        if len(scope.old) > MOST or (scope.kept is not None and len(scope.kept) > MOST):
            self._scopes.pop(name)  # much has changed, or it has grown: start over


def _all_rows(tx: Tx, company: str, kinds: Sequence[EntryKind]) -> list[Any] | None:
    there = index.word_counts(tx, scope_of(company, kinds[0]), [index.ALL_ENTRIES])
    if there.get(index.ALL_ENTRIES, 0) > MOST:
        return None
    return live_rows(tx, company, kinds, None)
