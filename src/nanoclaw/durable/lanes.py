"""A host's places for work of one kind: who has one, who waits for one, and who has lent theirs."""

import asyncio
from collections import Counter, OrderedDict
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from datetime import datetime
from typing import Generic, Protocol, TypeVar

from nanoclaw.durable.store import Tx
from nanoclaw.durable.work import Claim

Job = TypeVar("Job")


class Story(Protocol[Job]):
    """One kind of work."""

    @property
    def kind(self) -> str: ...

    @property
    def at_once(self) -> int:
        """How many pieces of it this host does at once."""

    def begin(self, tx: Tx, claim: Claim) -> Job | None:
        """Collect what is to be done, in the transaction that takes the lease. None if there is nothing."""

    async def run(self, job: Job, claim: Claim) -> datetime | None:
        """Do it, and end it with `work.finish`, whose result is returned. May run again after a crash."""

    def look_again(self, key: str) -> None:
        """Something was stored for work that runs here: more of it, or a request to stop."""


class Ready:
    """Who waits for a place: lowest priority number first, then in order of arrival."""

    def __init__(self) -> None:
        self._ranks: dict[str, int] = {}
        self._queues: dict[int, OrderedDict[str, None]] = {}  # in order, each key once

    def __contains__(self, key: str) -> bool:
        return key in self._ranks

    def __len__(self) -> int:
        return len(self._ranks)

    def add(self, key: str, priority: int) -> None:
        if self._ranks.setdefault(key, priority) == priority:
            self._queues.setdefault(priority, OrderedDict())[key] = None

    def pop(self) -> str:
        rank = min(self._queues)
        queue = self._queues[rank]
        key, _ = queue.popitem(last=False)
        del self._ranks[key]
        if not queue:
            del self._queues[rank]
        return key


class Lane(Generic[Job]):
    """The work of one kind on this host: who runs, and who waits for a free place."""

    def __init__(self, story: Story[Job]) -> None:
        self.story = story
        self.running: dict[str, asyncio.Task[None]] = {}
        self.ready = Ready()
        self.ranks: dict[str, int] = {}  # of work not done yet, if it is not the default
        self.kicked: set[str] = set()  # keys kicked while they ran; perhaps too late for that run to see it
        self.reserved = 0  # places that a running transaction may fill
        self._waits: Counter[str] = Counter()  # how many outside waits each running work has
        self._lent: set[str] = set()  # whose places others may use
        self._coming_back: OrderedDict[str, asyncio.Future[None]] = OrderedDict()

    @property
    def is_full(self) -> bool:
        return len(self.running.keys() - self._lent) + self.reserved >= self.story.at_once

    @property
    def has_room(self) -> bool:
        """Whether there is room for new work: those who come back go first."""
        return not self.is_full and not self._coming_back

    @asynccontextmanager
    async def place_lent(self, key: str, fill: Callable[[], None]) -> AsyncIterator[None]:
        """Let others use its place meanwhile. At the end it takes one again, before any new work."""
        if key not in self.running:
            yield
            return
        self._waits[key] += 1
        self._lent.add(key)
        fill()
        try:
            yield
            if key in self._lent:
                await self._come_back(key, fill)
        finally:  # also if the host or a person stops it: then it needs no place
            self._waits[key] -= 1
            if not self._waits[key]:
                del self._waits[key]
                self._lent.discard(key)

    def ended(self, key: str) -> None:
        """Make sure that a wait left over from a finished turn lends nothing of the next one."""
        self._lent.discard(key)

    def let_come_back(self) -> None:
        """Let as many come back as there is room for."""
        while self._coming_back and not self.is_full:
            key, turn = self._coming_back.popitem(last=False)
            self._lent.discard(key)
            if not turn.done():
                turn.set_result(None)

    async def _come_back(self, key: str, fill: Callable[[], None]) -> None:
        turn = self._coming_back.setdefault(key, asyncio.get_running_loop().create_future())
        fill()
        try:
            await asyncio.shield(turn)
        finally:
            if self._waits[key] == 1:  # nothing else of this turn waits to come back
                self._coming_back.pop(key, None)
