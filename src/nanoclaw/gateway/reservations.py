"""How a call gets its money: all that it may cost, or after a wait, or for a shorter answer, or not at all.

First come, first served: a call that does not fit beside others under way waits until they return what they
did not need. It holds nothing while it waits, so nobody waits for ever.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from datetime import datetime

from nanoclaw.domain.budgets import BUDGET_HELD
from nanoclaw.domain.errors import ModelOutage, ModelRefused
from nanoclaw.domain.ids import HostId, new_id
from nanoclaw.domain.money import Spender, dollars
from nanoclaw.durable import cost_sums, costs
from nanoclaw.durable.costs import Cost
from nanoclaw.durable.limits import Money
from nanoclaw.durable.store import Store, Tx
from nanoclaw.durable.waiting_calls import WaitingCall
from nanoclaw.gateway.call_limits import CallLimits
from nanoclaw.gateway.call_queue import CallQueue, Waiter
from nanoclaw.gateway.money_checks import MustWait, Paid, Short, Try, Verdict, judge_all
from nanoclaw.gateway.quotes import Quote
from nanoclaw.gateway.together import Together

Recount = Callable[[], Awaitable[Quote]]
WhileWaiting = Callable[[Spender], AbstractAsyncContextManager[None]]
"""Wraps a wait for money: who is told about it, and who uses the turn's place meanwhile."""
Written = Callable[[str], Awaitable[bool]]
"""Waits until what a company has paid on this host is written; False if nothing is being written."""


Trying = asyncio.Future[Verdict]
GiveUp = Callable[[Trying | None, str], object]
"""Gives back the money if it comes after all, and the place in line."""


class Reservations:
    def __init__(self, store: Store, host: HostId, clock: Callable[[], datetime]) -> None:
        self.queue = CallQueue(shared=store.shared)
        # What could not be written when it happened, by company and row id.
        self._owed: dict[tuple[str, str], Callable[[Tx], None]] = {}
        self._judged = Together[Try, Verdict](self._judge)
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
                while isinstance(got := await self._next(attempt), MustWait):
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
        """Note what could not be written. The next look writes it first; otherwise it would wait for money
        that nobody has.
        """
        self._owed[cost.spender.company, cost.id] = story

    async def _next(self, attempt: "_Attempt") -> Paid | MustWait:
        while True:
            attempt.looks += 1
            attempt.looked = self.queue.look()
            attempt.trying = self._judged.ask(attempt.call.company, attempt.asked())
            got = await asyncio.shield(attempt.trying)
            if not isinstance(got, Short):
                attempt.is_queued = isinstance(got, MustWait)
                return got
            if attempt.recount is None:
                attempt.is_queued = False
                raise self._refusal(got.money, attempt.cost.spender)
            attempt.quote, attempt.recount = await attempt.recount(), None

    def _refusal(self, short: Money, spender: Spender) -> ModelRefused | ModelOutage:
        """Work that nobody waits for is held until the limit's day or month is over. For the company's own
        limits that is decided where smaller models are chosen.
        """
        limit = short.limit
        if spender.is_own or limit.ends is None or limit.kind == cost_sums.COMPANY:
            return ModelRefused(limit.error, limit=dollars(limit.micros), spent=dollars(short.paid))
        after = max((limit.ends - self._clock()).total_seconds(), 1.0)
        told = {"company": spender.company, "period": limit.period, "of": limit.kind}
        return ModelOutage(BUDGET_HELD, after=after, **told)

    async def _judge(self, company: str, tries: Sequence[Try]) -> list[Verdict]:
        """Judge all who ask meanwhile in one transaction."""
        owed = {row: write for row, write in self._owed.items() if row[0] == company}
        at = self._clock()  # read at each look: a wait may outlast the day

        def story(tx: Tx) -> list[Verdict]:
            costs.lock(tx, company)
            for write in owed.values():
                write(tx)
            return judge_all(tx, company, tries, self._host, at)

        verdicts = await self._store.write(story)
        for row in owed:
            self._owed.pop(row, None)
        return verdicts


@dataclass(kw_only=True, slots=True)
class _Attempt:
    """How far one call has got with its money."""

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

    def asked(self) -> Try:
        return Try(
            cost=self.cost,
            quote=self.quote,
            concerned=self.concerned,
            call=self.call,
            is_new=not self.is_queued,
            is_exact=self.recount is None,
        )


@asynccontextmanager
async def nothing_shown(_spender: Spender) -> AsyncIterator[None]:
    """Nobody is told."""
    yield
