"""The money of a batch: set aside before its requests leave, and charged item by item as results come in."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

from nanoclaw.domain.batches import Batch, BatchItem, BatchPart, ItemResult
from nanoclaw.domain.ids import HostId, new_id
from nanoclaw.domain.money import Spender, Usage
from nanoclaw.durable import batch_money, batches, people
from nanoclaw.durable.costs import Cost, State
from nanoclaw.durable.store import Store, Tx
from nanoclaw.gateway import tokens
from nanoclaw.gateway.cost_log import append
from nanoclaw.gateway.ledger import Ledger
from nanoclaw.gateway.possible_bills import believed

_NO_HOST = HostId("")


@dataclass(frozen=True, kw_only=True, slots=True)
class BatchMoney:
    store: Store
    ledger: Ledger
    log: Path  # data/cost_log.jsonl

    def most(self, batch: Batch, size: int) -> int:
        """The most that a request of this size can cost, in micros. Raises ModelRefused when its price is unknown."""
        longest = tokens.of_text(size, with_tools=False)
        return self.ledger.prices.most(batch.model, longest, batch.max_tokens, batch=True)

    async def reserve(self, batch: Batch, person: str, parts: Sequence[BatchPart]) -> str | None:
        """Set money aside for all items of these parts; None if there is nothing to pay. Raises ModelRefused
        with what is `left`."""

        def story(tx: Tx) -> int:
            batch_money.forget_strays(tx, batch)
            return batch_money.wanted(tx, batch.id, [part.number for part in parts])

        wanted = await self.store.write(story)
        if not wanted:
            return None
        return await self.ledger.reserve_batch(spender_of(batch, person), batch.model, wanted)

    def paid(self, batch: Batch, person: str, item: BatchItem, result: ItemResult, at: datetime) -> Cost:
        """The vendor's charge for one result at the batch price; the maximum if the vendor does not report usage, or
        reports what cannot be true.
        """
        prices, usage = self.ledger.prices, result.usage
        believable = believed(usage, input_tokens=0, max_output=batch.max_tokens)
        is_told = usage != Usage() and usage == believable
        micros = prices.price_of(batch.model, usage, batch=True) if is_told else item.reserved_micros
        return Cost(
            id=new_id("u"),
            at=at,
            spender=replace(spender_of(batch, person), turn_id=item.custom_id),
            model=batch.model,
            host=_NO_HOST,
            micros=micros,
            state=State.SETTLED if is_told else State.ESTIMATED,
            usage=believable,
            batch=True,
            saved_by_batch=prices.price_of(batch.model, usage) - micros if is_told else 0,
            saved_by_cache=prices.price_of(batch.model, usage.without_cache, batch=True) - micros
            if is_told
            else 0,
        )

    async def told(self, batch: Batch, paid: Sequence[Cost]) -> None:
        """After the commit: update the budget's levels and the cost file, and let those who wait for money
        continue."""
        self.ledger.paid(batch.company, sum(cost.micros for cost in paid))
        await asyncio.to_thread(append, self.log, *paid)  # a batch has thousands of them
        self.ledger.look_again(batch.company)

    def take_back(self, tx: Tx, batch_id: str) -> None:
        """Free what is set aside for items that have ended."""
        batch = batches.get(tx, batch_id)
        if batch is None:
            return
        batch_money.forget_strays(tx, batch)
        if batch.cost_id:
            batch_money.hold(tx, batch, batch.cost_id)


async def payer(store: Store, batch: Batch) -> Spender:
    """Who pays for the calls of a batch that are billed one by one."""
    return spender_of(batch, await store.read(lambda tx: people.person(tx, batch.started_by).handle))


def spender_of(batch: Batch, person: str) -> Spender:
    return Spender(
        company=batch.company,
        group=batch.group,
        session_id="",
        turn_id="",
        runtime="batch",
        skill=batch.skill,
        flow="I",
        person=person,
        chat_id=batch.chat_id,
        batch_id=batch.id,
    )
