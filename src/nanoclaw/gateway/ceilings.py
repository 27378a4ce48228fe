"""What a chain, and a step of it, may cost. Its calls rather wait for each other than be refused."""

import asyncio
from collections import defaultdict
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from nanoclaw.domain.errors import ModelRefused
from nanoclaw.domain.ids import HostId
from nanoclaw.domain.money import RUN_SPENT, STEP_SPENT, Spender, dollars
from nanoclaw.durable import chains
from nanoclaw.durable.chains import Money
from nanoclaw.durable.store import Store, Tx

_MOST_KNOWN = 10_000
_LOOK_AGAIN = 0.25  # seconds: nobody tells this host when a call of another one is over


class MoneyHeld(Exception):
    """What is left is reserved for calls on their way: it may be enough when they are over."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Ceiling:
    chain_id: str
    step: int | None
    run_micros: int | None
    step_micros: int | None

    def check(self, tx: Tx, at_most: int, host: HostId) -> None:
        """Raises ModelRefused when this cannot be paid, and MoneyHeld when nobody knows yet."""
        chains.lock(tx, self.chain_id)
        run, step = chains.count(tx, self.chain_id, self.step, host)
        _check(self.run_micros, run, at_most, RUN_SPENT)
        _check(self.step_micros, step, at_most, STEP_SPENT)


class Ceilings:
    def __init__(self, store: Store) -> None:
        self._store = store
        self._known: dict[str, int | None] = {}  # by chain; set when it begins, and never changed
        self._waiting: dict[str, set[asyncio.Event]] = defaultdict(set)

    async def of(self, spender: Spender) -> Ceiling | None:
        """None: nothing but the company's budget limits the call."""
        chain_id = spender.chain_id
        if chain_id is None:
            return None
        if chain_id not in self._known:
            if len(self._known) >= _MOST_KNOWN:
                self._known.clear()
            self._known[chain_id] = await self._store.read(lambda tx: chains.budget_of(tx, chain_id))
        run_micros = self._known[chain_id]
        if run_micros is None and spender.step_budget is None:
            return None
        return Ceiling(
            chain_id=chain_id, step=spender.step, run_micros=run_micros, step_micros=spender.step_budget
        )

    @contextmanager
    def listen(self, spender: Spender) -> Iterator[Callable[[], Awaitable[None]]]:
        """What is given waits until money of the same chain was written down as spent, or as not needed."""
        if spender.chain_id is None:
            yield _nothing
            return
        news, waiting = asyncio.Event(), self._waiting[spender.chain_id]
        waiting.add(news)

        async def wait() -> None:
            try:
                async with asyncio.timeout(_LOOK_AGAIN):
                    await news.wait()
            except TimeoutError:
                pass

        try:
            yield wait
        finally:
            waiting.discard(news)
            if not waiting:
                self._waiting.pop(spender.chain_id, None)

    def tell(self, spender: Spender) -> None:
        for news in self._waiting.get(spender.chain_id or "", ()):
            news.set()


async def _nothing() -> None:
    """There is nothing to wait for."""


def _check(limit: int | None, money: Money, at_most: int, key: str) -> None:
    if limit is None or money.spent + at_most <= limit:
        return
    if money.spent - money.reserved + at_most <= limit:
        raise MoneyHeld
    raise ModelRefused(key, limit=dollars(limit), spent=dollars(money.spent - money.reserved))
