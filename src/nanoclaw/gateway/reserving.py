"""How a call gets its money: all that it may cost, or after a wait, or for a shorter answer, or not at all.

First come first: a call that does not fit beside others on their way waits until they give back what they did not need.
It waits without holding anything itself, so nobody waits for ever.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, replace
from datetime import datetime

from nanoclaw.domain.budgets import BUDGET_HELD
from nanoclaw.domain.errors import ModelOutage, ModelRefused
from nanoclaw.domain.ids import HostId, new_id
from nanoclaw.domain.money import Spender, dollars
from nanoclaw.durable import cost_sums, costs, limits, waiting_calls
from nanoclaw.durable.costs import Cost
from nanoclaw.durable.limits import Money
from nanoclaw.durable.store import Store, Tx
from nanoclaw.durable.waiting_calls import WaitingCall
from nanoclaw.gateway.call_limits import CallLimits
from nanoclaw.gateway.call_queue import CallQueue, Waiter
from nanoclaw.gateway.quotes import Quote

Recount = Callable[[], Awaitable[Quote]]
WhileWaiting = Callable[[Spender], AbstractAsyncContextManager[None]]
"""Around a wait for money: who is told of it, and who uses the turn's place meanwhile."""
Written = Callable[[str], Awaitable[bool]]
"""Waits until what a company has paid on this host is written; False when nothing is being written."""


@dataclass(frozen=True, slots=True)
class Paid:
    """It can leave, with an answer of at most so many tokens."""

    cost: Cost
    tokens: int


@dataclass(frozen=True, slots=True)
class Held:
    """What is left at these limits is reserved for others: it may be enough when they are over."""

    limits: frozenset[str]


@dataclass(frozen=True, slots=True)
class Short:
    """This limit leaves less than the whole answer costs, whatever the others give back."""

    money: Money
    tokens: int  # that it pays for; below the least: the call is refused


Trying = asyncio.Future[Paid | Held | Short]
GiveUp = Callable[[Trying | None, str], object]
"""Gives the money back if it comes after all, and the place in line."""


def judge(found: Sequence[Money], quote: Quote, ahead: Collection[str]) -> Held | Short | None:
    """None: all of it can be paid. `ahead` are the limits at which others have waited longer."""
    if not found:  # the limits were lifted while it waited
        return None
    worst = min(found, key=lambda money: money.left_at_most)
    at_most = quote.tokens_for(worst.left_at_most)
    if at_most < quote.least:
        return Short(worst, at_most)
    if ahead:
        return Held(frozenset(ahead))
    short = [money for money in found if money.left < quote.whole]
    if not short:
        return None
    if waits_at := frozenset(money.limit.key for money in short if money.on_the_way):
        return Held(waits_at)
    return Short(worst, at_most)


class Reserving:
    def __init__(self, store: Store, host: HostId, clock: Callable[[], datetime]) -> None:
        self.queue = CallQueue(shared=store.shared)
        # What could not be written when it happened, by company and the id of its row.
        self._owed: dict[tuple[str, str], Callable[[Tx], None]] = {}
        self._store = store
        self._host = host
        self._clock = clock

    async def reserve(
        self,
        cost: Cost,
        quote: Quote,
        concerned: CallLimits,
        recount: Recount | None,
        *,
        renewed: Callable[[], Awaitable[CallLimits]],
        waiting: WhileWaiting,
        written: Written,
        give_up: GiveUp,
    ) -> Paid:
        """Raises ModelRefused, or ModelOutage for work that nobody waits for.

        `renewed` gives the limits after a wait: people may have changed them."""
        spender = cost.spender
        call = WaitingCall(
            id=new_id("w"), company=spender.company, host=self._host, turn_id=spender.turn_id, at=cost.at
        )
        attempt = _Attempt(cost=cost, quote=quote, concerned=concerned, call=call, recount=recount)
        waiter = Waiter(id=call.id, company=spender.company)
        try:
            async with AsyncExitStack() as shown:
                while isinstance(got := await self._next(attempt), Held):
                    waiter.limits = got.limits
                    if attempt.looks == 1 and await written(spender.company):
                        continue
                    if not attempt.is_shown:
                        attempt.is_shown = True
                        await shown.enter_async_context(waiting(spender))
                    await self.queue.wait(waiter, attempt.looked)
                    attempt.concerned = await renewed()
                return got
        except BaseException as error:
            # Nobody makes the call any more: neither its money nor its place in line may stay.
            if attempt.is_queued or not isinstance(error, ModelRefused | ModelOutage):
                give_up(attempt.trying, call.id)
            raise
        finally:
            self.queue.leave(waiter)

    def owe(self, cost: Cost, story: Callable[[Tx], None]) -> None:
        """This could not be written. The next look writes it first: or it would wait for money that nobody has."""
        self._owed[cost.spender.company, cost.id] = story

    async def _next(self, attempt: "_Attempt") -> Paid | Held:
        while True:
            attempt.looks += 1
            attempt.looked = self.queue.look()
            attempt.trying = asyncio.ensure_future(self._try(attempt))
            got = await asyncio.shield(attempt.trying)
            if not isinstance(got, Short):
                attempt.is_queued = isinstance(got, Held)
                return got
            if attempt.recount is None:
                attempt.is_queued = False
                raise self._refusal(got.money, attempt.cost.spender)
            attempt.quote, attempt.recount = await attempt.recount(), None

    def _refusal(self, short: Money, spender: Spender) -> ModelRefused | ModelOutage:
        """Work that nobody waits for is held until the limit's day or month is over. Whether the company's own limits
        hold it is decided where smaller models are."""
        limit = short.limit
        if spender.is_own or limit.ends is None or limit.kind == cost_sums.COMPANY:
            return ModelRefused(limit.error, limit=dollars(limit.micros), spent=dollars(short.paid))
        after = max((limit.ends - self._clock()).total_seconds(), 1.0)
        told = {"company": spender.company, "period": limit.period, "of": limit.kind}
        return ModelOutage(BUDGET_HELD, after=after, **told)

    async def _try(self, attempt: "_Attempt") -> Paid | Held | Short:
        quote, call, is_new = attempt.quote, attempt.call, not attempt.is_queued
        is_exact = attempt.recount is None
        at = self._clock()  # of each look: a wait may be longer than the day
        owed = {row: write for row, write in self._owed.items() if row[0] == call.company}

        def story(tx: Tx) -> Paid | Held | Short:
            costs.lock(tx, call.company)
            for write in owed.values():
                write(tx)
            now_limited = attempt.concerned.now(tx, at)
            found = limits.count(tx, call.company, now_limited, self._host)
            keys = {limit.key for limit in now_limited}
            got = judge(found, quote, waiting_calls.ahead(tx, call, keys, is_new=is_new))
            if isinstance(got, Held):
                waiting_calls.put(tx, call, sorted(got.limits), is_new=is_new)
                return got
            if isinstance(got, Short) and not is_exact:
                return got  # with its place in line: it comes back at once
            if not is_new:
                waiting_calls.remove(tx, call.id)
            if isinstance(got, Short) and got.tokens < quote.least:
                return got
            tokens = got.tokens if isinstance(got, Short) else quote.most
            cost = replace(attempt.cost, at=at, micros=quote.price(tokens))
            costs.reserve(tx, cost)
            return Paid(cost, tokens)

        got = await self._store.write(story)
        for row in owed:
            self._owed.pop(row, None)
        return got


@dataclass(kw_only=True, slots=True)
class _Attempt:
    """How far one call is on its way to its money."""

    cost: Cost
    quote: Quote
    concerned: CallLimits
    call: WaitingCall
    recount: Recount | None
    trying: Trying | None = None
    looks: int = 0
    looked: int = 0
    is_queued: bool = False
    is_shown: bool = False


@asynccontextmanager
async def nothing_shown(_spender: Spender) -> AsyncIterator[None]:
    """Nobody is told."""
    yield
