"""Whether the others still count on this host.

On a shared database, a host that was silent for its lifetime is given up, and others continue its work. A
host that slept (a paused process, a suspended machine) does not know that when it wakes, and would overwrite
what they said. So a beat is valid for one lifetime by a clock that also counts sleep; after that nothing
leaves this host before the database was asked again, and what began in one life never continues in the next.
"""

import asyncio
from collections.abc import Awaitable, Callable
from contextvars import ContextVar

from nanoclaw.domain.errors import LeaseLost
from nanoclaw.durable.clock import since_boot

_BEGUN_IN: ContextVar[int | None] = ContextVar("life", default=None)
_SURE = 0.9  # of a lifetime: what is checked now must still hold when it leaves


class Liveness:
    """`beat` tells the database that the host is alive; it calls `renewed`, or `end` when the others gave it up."""

    def __init__(
        self, lifetime: float, beat: Callable[[], Awaitable[None]], *, clock: Callable[[], float] = since_boot
    ) -> None:
        self._lifetime = lifetime
        self._beat = beat
        self._clock = clock
        self.number = 0
        """Which life this is. What is remembered from an earlier one may be wrong: others continued it."""
        self._sure_until = float("inf")  # alone on its database, nobody can give it up
        self._asking = asyncio.Lock()

    @property
    def is_sure(self) -> bool:
        return self._clock() < self._sure_until

    @property
    def is_over(self) -> bool:
        """Whether others may have the current task's work by now."""
        return _BEGUN_IN.get() not in (None, self.number)

    def begin_work(self) -> None:
        """Bind this task, and every task it starts, to the present life."""
        _BEGUN_IN.set(self.number)

    def renewed(self, asked_at: float) -> None:
        self._sure_until = asked_at + self._lifetime * _SURE

    def end(self) -> None:
        """End this life: others may have its work by now."""
        self.number += 1
        self._sure_until = float("-inf")

    def check(self) -> None:
        """Called in a thread that has just locked a file: raises LeaseLost if others may have written it since."""
        if self.is_over or not self.is_sure:
            raise LeaseLost

    async def assure(self) -> None:
        """Called before anything leaves, and after it. Raises LeaseLost if the work is no longer this host's,
        and StoreUnavailable if that cannot be found out.
        """
        if not self.is_sure and not self.is_over:
            async with self._asking:
                if not self.is_sure:
                    await self._beat()
        if self.is_over:
            raise LeaseLost
