"""The calls that wait for money on this host, in order of arrival. The rows have the order across all hosts."""

import asyncio
from bisect import insort
from collections.abc import Iterator
from dataclasses import dataclass, field

_LOOK_AGAIN = 0.25  # seconds: nothing tells this host when another host's call is over
_SAFETY_NET = 1.0  # the same for a file shared only with a trial on the command line


@dataclass(kw_only=True, slots=True, eq=False)
class Waiter:
    """One call, and the limits at which it waits."""

    id: str  # of its row: the order
    company: str
    limits: frozenset[str] = frozenset()
    news: asyncio.Event = field(default_factory=asyncio.Event)


class CallQueue:
    """`shared`: other hosts spend the same money."""

    def __init__(self, *, shared: bool) -> None:
        self._shared = shared
        # By company, in the order of the rows: a call behind another there must not be ahead of it here.
        self._waiting: dict[str, list[Waiter]] = {}
        self._told = 0

    def look(self) -> int:
        """Call before looking at what is left: `wait` then knows whether money came back meanwhile."""
        return self._told

    def leave(self, waiter: Waiter) -> None:
        """It has money, or wants none: the next one may try."""
        waiting = self._waiting.get(waiter.company, [])
        if waiter in waiting:
            waiting.remove(waiter)
            if not waiting:
                del self._waiting[waiter.company]
            self.tell(waiter.company)

    def tell(self, company: str) -> None:
        """Money of this company may have come back. Only those first at a limit need to look: the others are
        behind them.
        """
        self._told += 1
        for waiter in self._first(company):
            waiter.news.set()

    async def wait(self, waiter: Waiter, looked: int) -> None:
        """Until it is worth looking again."""
        waiting = self._waiting.setdefault(waiter.company, [])
        if waiter not in waiting:
            insort(waiting, waiter, key=lambda each: each.id)
        if looked != self._told and waiter in self._first(waiter.company):
            waiter.news.set()
        while not waiter.news.is_set():
            try:
                async with asyncio.timeout(_LOOK_AGAIN if self._shared else _SAFETY_NET):
                    await waiter.news.wait()
            except TimeoutError:
                if waiter in self._first(waiter.company):
                    break
        waiter.news.clear()

    def _first(self, company: str) -> Iterator[Waiter]:
        taken: set[str] = set()
        for waiter in self._waiting.get(company, ()):
            if not waiter.limits & taken:
                yield waiter
            taken |= waiter.limits
