"""The ledger: money is reserved before a call leaves and settled after it, so that parallel turns cannot
overspend.

A call that does not fit beside others under way waits for what they do not need; see `reservations.py`. A call
to which no limit applies waits for none of this: its row is written while the call is in progress.
"""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from pathlib import Path

import structlog

from nanoclaw.domain.budgets import Budget
from nanoclaw.domain.errors import ModelRefused, StoreDamaged, StoreUnavailable
from nanoclaw.domain.ids import HostId, new_id
from nanoclaw.domain.money import Spender, Usage, dollars
from nanoclaw.durable import costs, limits, waiting_calls
from nanoclaw.durable.clock import now
from nanoclaw.durable.costs import NO_HOST, Cost, State
from nanoclaw.durable.limits import Money
from nanoclaw.durable.store import Store, Tx
from nanoclaw.gateway.call_limits import LimitsOfCalls
from nanoclaw.gateway.cost_log import append
from nanoclaw.gateway.prices import Prices
from nanoclaw.gateway.quotes import PriceQuote
from nanoclaw.gateway.reservations import Recount, Reservations, Trying, WhileWaiting, nothing_shown
from nanoclaw.gateway.standings import NoStandings
from nanoclaw.gateway.together import Together

log = structlog.get_logger("ledger")

_SOON = 0.02  # seconds from a call's departure until its row is written, if nobody waits for it
_ALONG = 0.1  # seconds that its cost may wait for another commit, if no budget waits for it


Doubted = Callable[[str, Usage, int, int | None], None]
"""A bill that cannot be true: the vendor, what it says, what the call counts as, and if it counts as billed, how much
was set aside for it.
"""


def not_told(_vendor: str, _said: Usage, _micros: int, _reserved: int | None) -> None:
    """Nobody hears of it."""


class RowSoon:
    """The row of a call that no budget waits for. It is written while the vendor thinks, unless the call is
    over by then: a busy database thread now would delay the outgoing request.
    """

    def __init__(self, write: Callable[[], "asyncio.Task[bool]"]) -> None:
        self._write = write
        self._writing: asyncio.Task[bool] | None = None
        self._timer = asyncio.get_running_loop().call_later(_SOON, self._begin)

    def _begin(self) -> None:
        self._writing = self._write()

    async def over(self) -> None:
        """The call is over: what follows is written after this row, if it is written at all."""
        self._timer.cancel()
        if self._writing is not None:
            await self._writing


@dataclass(frozen=True, kw_only=True, slots=True)
class Reservation:
    """Money set aside for one call."""

    cost: Cost
    max_output: int = 0  # tokens paid for; fewer than asked for if not all could be
    row: RowSoon | None = None  # None: already written


@dataclass(frozen=True, kw_only=True, slots=True)
class Settlement:
    """What a call cost. `written` completes once writing it was tried, and tells whether it is on disk."""

    micros: int
    written: "asyncio.Task[bool]"


class Ledger:
    """`budgets` gives the current budget of a company. `waiting` wraps each wait for money. `standings` are
    told what each call cost, `doubted` about bills that cannot be true.
    """

    def __init__(
        self,
        store: Store,
        host: HostId,
        prices: Prices,
        budgets: Callable[[str], Budget],
        log_path: Path,
        *,
        standings: NoStandings | None = None,
        waiting: WhileWaiting = nothing_shown,
        doubted: Doubted = not_told,
        clock: Callable[[], datetime] = now,
    ) -> None:
        self.prices = prices
        self._standings = standings or NoStandings()
        self._waiting = waiting
        self.doubted = doubted
        self._store = store
        self._host = host
        self._limits = LimitsOfCalls(store, budgets)
        self._log_path = log_path
        self._clock = clock
        self._reserving = Reservations(store, host, clock)
        self._over = Together[Cost, None](self._settle_together)
        self._under_way: dict[asyncio.Task[bool], str] = {}  # what is being written, and for which company

    async def reserve(
        self,
        spender: Spender,
        model: str,
        quote: PriceQuote,
        *,
        recount: Recount | None = None,
        overdraft: bool = False,
    ) -> Reservation:
        """Set money aside for a call, waiting for that of others if necessary. Raises ModelRefused if a limit
        leaves too little for the shortest useful answer, and ModelOutage if nobody waits for that answer.
        `recount` gives a closer quote: the first may be four times too high. With `overdraft` the call may
        exceed the company's limits by what the budget allows.
        """
        at = self._clock()
        cost = Cost(id=new_id("u"), at=at, spender=spender, model=model, host=self._host, micros=quote.whole)
        concerned = await self._limits.of(spender, overdraft=overdraft)
        if not concerned.is_any:
            row = RowSoon(partial(self._write_row, cost))
            return Reservation(cost=cost, max_output=quote.most, row=row)
        paid = await self._reserving.reserve(
            cost,
            quote,
            concerned,
            recount,
            renewed=partial(self._limits.of, spender, overdraft=overdraft),
            waiting=self._waiting,
            written=self._settled,
            give_up=lambda trying, call_id: self._go_on(cost, self._give_up(trying, call_id, cost)),
        )
        return Reservation(cost=paid.cost, max_output=paid.tokens)

    async def reserve_batch(self, spender: Spender, model: str, micros: int) -> str:
        """Set aside the most that a batch can cost, and return the id of its row. It waits for nobody, and
        nobody waits for it: a batch takes a day. Raises ModelRefused with what is `left`, in micros.
        """
        at = self._clock()
        cost = Cost(
            id=new_id("u"), at=at, spender=spender, model=model, host=NO_HOST, micros=micros, batch=True
        )
        concerned = await self._limits.of(spender)

        def story(tx: Tx) -> Money | None:
            costs.lock(tx, spender.company)
            found = limits.count(tx, spender.company, concerned.now(tx, at), self._host)
            worst = min(found, key=lambda money: money.left, default=None)
            if worst is not None and worst.left < micros:
                return worst
            costs.reserve(tx, cost)
            return None

        if (short := await self._store.write(story)) is not None:
            told = {"limit": dollars(short.limit.micros), "spent": dollars(short.paid)}
            raise ModelRefused(short.limit.error, left=max(short.left, 0), **told)
        return cost.id

    def settle(
        self,
        reservation: Reservation,
        usage: Usage,
        *,
        micros: int | None = None,
        estimated: bool = False,
        duration: float = 0,
    ) -> Settlement:
        """The call is over. Written in the background: an answer need not wait for the disk. `micros` is the
        price of a call not billed by tokens, such as a transcription. What the vendor used beyond its
        allowance is written too, and the next call sees it.
        """
        saved = 0
        if micros is None:
            model = reservation.cost.model
            micros = self.prices.price_of(model, usage)
            if usage.cache_read or usage.cache_write:
                saved = self.prices.price_of(model, usage.without_cache) - micros
        cost = replace(
            reservation.cost,
            micros=micros,
            usage=usage,
            state=State.ESTIMATED if estimated else State.SETTLED,
            duration_ms=round(duration * 1000),
            saved_by_cache=saved,
        )
        self._standings.ended(cost.spender.company, micros)
        return Settlement(micros=micros, written=self._go_on(cost, self._settle(reservation, cost)))

    def release(self, reservation: Reservation) -> "asyncio.Task[bool]":
        """Release a reservation of which nothing was spent."""
        return self._go_on(reservation.cost, self._release(reservation))

    def paid(self, company: str, micros: int) -> None:
        """A batch was paid for, and its rows say so."""
        self._standings.paid(company, micros)

    def look_again(self, company: str) -> None:
        """The company's budget was changed, or one of its batches is over: those who wait may try again."""
        self._reserving.queue.tell(company)

    async def recover(self) -> int:
        """Charge the unfinished calls of dead hosts with their maximum; returns their number."""

        def story(tx: Tx) -> list[Cost]:
            waiting_calls.forget_dead(tx, self._host)
            return costs.recover(tx, self._host)

        lost = await self._store.write(story)
        append(self._log_path, *lost)
        return len(lost)

    async def close(self) -> None:
        """Wait until everything is written."""
        while self._under_way:
            await asyncio.wait(self._under_way)

    def _write_row(self, cost: Cost) -> "asyncio.Task[bool]":
        return self._go_on(cost, self._write(cost, lambda tx: costs.reserve(tx, cost), is_owed=False))

    async def _settle(self, reservation: Reservation, cost: Cost) -> bool:
        if reservation.row:
            await reservation.row.over()
        # If no budget waits for it: the answer goes to disk first, and this with the news of its delivery.
        writing = (
            self._over.ask(cost.spender.company, cost)
            if reservation.row is None
            else self._store.write_along(lambda tx: costs.settle(tx, cost), within=_ALONG)
        )
        # Without a settled row there is no line: the next start finds the row reserved, and writes both.
        if is_written := await self._written_or_owed(cost, lambda tx: costs.settle(tx, cost), writing):
            self._standings.paid(cost.spender.company, cost.micros)
        self._standings.written(cost.spender.company, cost.micros)
        if is_written:
            append(self._log_path, cost)
        return is_written

    async def _give_up(self, trying: Trying | None, call_id: str, cost: Cost) -> bool:
        if trying is not None:
            await asyncio.wait([trying])

        def story(tx: Tx) -> None:
            costs.release(tx, cost)
            waiting_calls.remove(tx, call_id)

        return await self._write(cost, story)

    async def _release(self, reservation: Reservation) -> bool:
        if reservation.row:
            await reservation.row.over()
        return await self._write(reservation.cost, lambda tx: costs.release(tx, reservation.cost))

    async def _settle_together(self, _company: str, over: Sequence[Cost]) -> Sequence[None]:
        await self._store.write(lambda tx: costs.settle(tx, *over))
        return [None] * len(over)

    async def _write(self, cost: Cost, story: Callable[[Tx], None], *, is_owed: bool = True) -> bool:
        return await self._written_or_owed(cost, story, self._store.write(story), is_owed=is_owed)

    async def _written_or_owed(
        self, cost: Cost, story: Callable[[Tx], None], writing: Awaitable[None], *, is_owed: bool = True
    ) -> bool:
        """The answer is worth more than its bill: a database failure is logged, and ends no turn. The next
        reservation tries again; otherwise it would wait for money that nobody has.
        """
        try:
            await writing
        except (StoreUnavailable, StoreDamaged) as error:
            log.exception("cost not written", cost=cost.id, turn=cost.spender.turn_id, reason=error)
            if is_owed:
                self._reserving.owe(cost, story)
            return False
        return True

    def _go_on(self, cost: Cost, writing: Coroutine[None, None, bool]) -> "asyncio.Task[bool]":
        task = asyncio.create_task(writing)
        self._under_way[task] = cost.spender.company
        task.add_done_callback(self._written)
        return task

    def _written(self, task: "asyncio.Task[bool]") -> None:
        self._reserving.queue.tell(self._under_way.pop(task))

    async def _settled(self, company: str) -> bool:
        """Wait until what ended here is written: until then it counts at its maximum. False if nothing has ended."""
        writing = [task for task, other in self._under_way.items() if other == company]
        if writing:
            await asyncio.wait(writing)
        return bool(writing)
