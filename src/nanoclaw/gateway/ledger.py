"""The ledger: money is reserved before a call leaves and settled after it, so that parallel turns cannot overspend.

A call that no limit concerns does not wait for this: its row is written while the call is in progress.
"""

import asyncio
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, tzinfo
from pathlib import Path

import structlog

from nanoclaw.domain.errors import ModelRefused, StoreDamaged, StoreUnavailable
from nanoclaw.domain.ids import HostId, new_id
from nanoclaw.domain.money import Spender, Usage, dollars
from nanoclaw.durable import costs
from nanoclaw.durable.clock import now
from nanoclaw.durable.company_costs import day_and_month
from nanoclaw.durable.costs import Cost, State
from nanoclaw.durable.store import Store, Tx
from nanoclaw.gateway.ceilings import Ceiling, Ceilings, MoneyHeld
from nanoclaw.gateway.cost_log import append
from nanoclaw.gateway.prices import Prices

log = structlog.get_logger("ledger")

_SOON = 0.02  # seconds from a call's departure until its row is written, if nobody waits for it


@dataclass(frozen=True, kw_only=True, slots=True)
class Budget:
    """What a company may spend; None is no limit."""

    day_micros: int | None = None
    month_micros: int | None = None

    @property
    def is_set(self) -> bool:
        return self.day_micros is not None or self.month_micros is not None


@dataclass(frozen=True, kw_only=True, slots=True)
class Reservation:
    """Money set aside for one call. `writing` is its row on the way to the disk, when nobody waited for it."""

    cost: Cost
    writing: "asyncio.Task[bool] | None" = None
    over: asyncio.Event = field(default_factory=asyncio.Event)


@dataclass(frozen=True, kw_only=True, slots=True)
class Settlement:
    """What a call cost. `written` is done once that was tried, and tells whether it is on the disk."""

    micros: int
    written: "asyncio.Task[bool]"


class Ledger:
    """`limits` gives the budget of a company; its days and months begin on the clock of `zone`."""

    def __init__(
        self,
        store: Store,
        host: HostId,
        prices: Prices,
        limits: Callable[[str], Budget],
        log_path: Path,
        *,
        zone: tzinfo = UTC,
        clock: Callable[[], datetime] = now,
    ) -> None:
        self.prices = prices
        self._store = store
        self._host = host
        self._limits = limits
        self._log_path = log_path
        self._zone = zone
        self._clock = clock
        self._ceilings = Ceilings(store)
        self._under_way: dict[asyncio.Task[bool], Spender] = {}  # what is being written, and for whom

    async def reserve(self, spender: Spender, model: str, at_most: int) -> Reservation:
        """Set money aside for a call. Raises ModelRefused when the budget does not allow it."""
        cost = Cost(
            id=new_id("u"), at=self._clock(), spender=spender, model=model, host=self._host, micros=at_most
        )
        budget = self._limits(spender.company)
        ceiling = await self._ceilings.of(spender) if spender.chain_id else None
        if not budget.is_set and ceiling is None:
            over = asyncio.Event()
            return Reservation(cost=cost, over=over, writing=self._go_on(cost, self._write_soon(cost, over)))
        while True:
            # A finished call counts with its maximum until its row says otherwise.
            await self._settled(spender, budget)
            with self._ceilings.listen(spender) as released:
                try:
                    return await self._reserve(cost, budget, ceiling)
                except MoneyHeld:
                    await released()

    async def _reserve(self, cost: Cost, budget: Budget, ceiling: Ceiling | None) -> Reservation:
        company, at_most = cost.spender.company, cost.micros
        day, month = day_and_month(cost.at, self._zone)

        def reserve(tx: Tx) -> None:
            if budget.is_set:
                costs.lock(tx, company)
                today, this_month = costs.spent(tx, company, day=day, month=month)
                for limit, spent in ((budget.day_micros, today), (budget.month_micros, this_month)):
                    if limit is not None and spent + at_most > limit:
                        raise ModelRefused("budget-spent", limit=dollars(limit), spent=dollars(spent))
            if ceiling:  # after the company's lock: whoever needs both takes them in this order
                ceiling.check(tx, at_most, self._host)
            costs.reserve(tx, cost)

        writing = asyncio.ensure_future(self._store.write(reserve))
        try:
            await asyncio.shield(writing)
        except asyncio.CancelledError:  # nobody makes the call any more; its money must not stay reserved
            self._go_on(cost, self._undo(writing, cost))
            raise
        return Reservation(cost=cost)

    def settle(
        self,
        reservation: Reservation,
        usage: Usage,
        *,
        micros: int | None = None,
        estimated: bool = False,
        duration: float = 0,
    ) -> Settlement:
        """The call is over. Written in the background: an answer need not wait for the disk.

        `micros` is the price of a call that is not paid by tokens, such as a transcription.
        """
        if micros is None:
            micros = self.prices.price_of(reservation.cost.model, usage)
        cost = replace(
            reservation.cost,
            micros=micros,
            usage=usage,
            state=State.ESTIMATED if estimated else State.SETTLED,
            duration_ms=round(duration * 1000),
        )
        return Settlement(micros=micros, written=self._go_on(cost, self._settle(reservation, cost)))

    def release(self, reservation: Reservation) -> "asyncio.Task[bool]":
        """Nothing was spent."""
        return self._go_on(reservation.cost, self._release(reservation))

    async def recover(self) -> int:
        """Charge the unfinished calls of dead hosts with their maximum; returns their number."""
        lost = await self._store.write(lambda tx: costs.recover(tx, self._host))
        await append(self._log_path, *lost)
        return len(lost)

    async def close(self) -> None:
        """Waits until everything is written."""
        while self._under_way:
            await asyncio.wait(self._under_way)

    async def _write_soon(self, cost: Cost, over: asyncio.Event) -> bool:
        """While the vendor thinks: a busy database thread right now would delay the request on its way out."""
        try:
            async with asyncio.timeout(_SOON):
                await over.wait()
        except TimeoutError:
            return await self._write(cost, lambda tx: costs.reserve(tx, cost))
        return True

    async def _settle(self, reservation: Reservation, cost: Cost) -> bool:
        await _over(reservation)
        if reservation.writing is not None:  # no budget waits for it: the answer goes to the disk first
            await asyncio.sleep(_SOON)
        # Without a settled row there is no line: the next start finds the row reserved, and writes both.
        if not await self._write(cost, lambda tx: costs.settle(tx, cost)):
            return False
        await append(self._log_path, cost)
        return True

    async def _undo(self, writing: "asyncio.Future[None]", cost: Cost) -> bool:
        await asyncio.wait([writing])
        return await self._write(cost, lambda tx: costs.release(tx, cost))

    async def _release(self, reservation: Reservation) -> bool:
        await _over(reservation)
        return await self._write(reservation.cost, lambda tx: costs.release(tx, reservation.cost))

    async def _write(self, cost: Cost, story: Callable[[Tx], None]) -> bool:
        """The answer is worth more than its bill: a database failure is logged, and ends no turn."""
        try:
            await self._store.write(story)
        except (StoreUnavailable, StoreDamaged) as error:
            log.exception("cost not written", cost=cost.id, turn=cost.spender.turn_id, reason=error)
            return False
        return True

    def _go_on(self, cost: Cost, writing: Coroutine[None, None, bool]) -> "asyncio.Task[bool]":
        task = asyncio.create_task(writing)
        self._under_way[task] = cost.spender
        task.add_done_callback(self._written)
        return task

    def _written(self, task: "asyncio.Task[bool]") -> None:
        self._ceilings.tell(self._under_way.pop(task))

    async def _settled(self, spender: Spender, budget: Budget) -> None:
        """Those that count against the same limits."""

        def is_counted(other: Spender) -> bool:
            return (budget.is_set and other.company == spender.company) or (
                spender.chain_id is not None and other.chain_id == spender.chain_id
            )

        if writing := [task for task, other in self._under_way.items() if is_counted(other)]:
            await asyncio.wait(writing)


async def _over(reservation: Reservation) -> None:
    reservation.over.set()
    if reservation.writing is not None:
        await reservation.writing
