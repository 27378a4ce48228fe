"""Whether the others still count on this host.

On a shared database a host that was not heard of for its lifetime is given up, and others go on with its work. One
that was asleep (a paused process, a machine that slept) does not know that when it wakes, and would overwrite what
they said. So a beat is good for a lifetime by the clock that also counts sleep; after that nothing leaves this host
before the database was asked again, and what began in one life never goes on in the next.
"""

import asyncio
from collections.abc import Awaitable, Callable
from contextvars import ContextVar

from nanoclaw.domain.errors import LeaseLost
from nanoclaw.durable.clock import since_boot

_BEGUN_IN: ContextVar[int | None] = ContextVar("life", default=None)
_SURE = 0.9  # of a lifetime: what is found to be sure must still be so when it leaves


class Liveness:
    """`beat` tells the database that the host lives; it calls `renewed`, or `end` when the others gave it up."""

    def __init__(
        self, lifetime: float, beat: Callable[[], Awaitable[None]], *, clock: Callable[[], float] = since_boot
    ) -> None:
        self._lifetime = lifetime
        self._beat = beat
        self._clock = clock
        self.number = 0
        """What is remembered of an earlier one may not be true any more: others went on with it."""
        self._sure_until = float("inf")  # alone on its database nobody can give it up
        self._asking = asyncio.Lock()

    @property
    def is_sure(self) -> bool:
        return self._clock() < self._sure_until

    @property
    def is_over(self) -> bool:
        """Of what is done here: others may have it by now."""
        return _BEGUN_IN.get() not in (None, self.number)

    def begin_work(self) -> None:
        """What this task does, and every task that it starts, belongs to the present life."""
        _BEGUN_IN.set(self.number)

    def renewed(self, asked_at: float) -> None:
        self._sure_until = asked_at + self._lifetime * _SURE

    def end(self) -> None:
        """Others may have its work by now."""
        self.number += 1
        self._sure_until = float("-inf")

    async def assure(self) -> None:
        """Before anything leaves, and after it. Raises LeaseLost when what it belongs to is not this host's any more,
        and StoreUnavailable when that cannot be found out.
        """
        if not self.is_sure and not self.is_over:
            async with self._asking:
                if not self.is_sure:
                    await self._beat()
        if self.is_over:
            raise LeaseLost
