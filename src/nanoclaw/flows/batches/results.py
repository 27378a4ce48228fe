"""Takes in the results of a part: a few hundred per transaction, in any order, each once.

An interrupted read continues from the rows and skips what is already there. What a vendor adds, repeats or
garbles is counted and reported, and breaks nothing.
"""

from collections.abc import Sequence
from contextlib import aclosing
from dataclasses import dataclass, field, replace
from functools import partial

from nanoclaw.domain.batches import (
    Batch,
    BatchItem,
    BatchPart,
    BrokenLine,
    ItemResult,
    ItemState,
    PartState,
    custom_id,
)
from nanoclaw.domain.ports import BatchVendor
from nanoclaw.domain.text import storable
from nanoclaw.durable import batch_money, batch_parts, batches, part_items, people, work
from nanoclaw.durable.clock import now
from nanoclaw.durable.costs import Cost
from nanoclaw.durable.store import Store, Tx
from nanoclaw.durable.work import Claim
from nanoclaw.flows.batches.money import BatchMoney
from nanoclaw.flows.batches.requests import RequestFiles
from nanoclaw.texts import say

LOT = 200
_MOST_READS = 5  # of results with some missing
_MOST_TEXT = 200_000  # characters
ODDITIES = ("unknown", "repeated", "broken", "over")


@dataclass(kw_only=True, slots=True)
class ResultsRead:
    """One read of a part's results. `numbers` maps the custom ids of items without a result to their numbers."""

    numbers: dict[str, int]
    seen: set[str] = field(default_factory=set)
    unknown: int = 0
    repeated: int = 0
    broken: int = 0
    over: int = 0  # answers longer than allowed
    taken: int = 0


@dataclass(frozen=True, kw_only=True, slots=True)
class PartResults:
    store: Store
    files: RequestFiles
    money: BatchMoney

    async def take_in(self, batch: Batch, part: BatchPart, vendor: BatchVendor, claim: Claim) -> bool:
        """Returns whether every item of the part has its result. Raises ModelOutage when the results break off."""
        reading = ResultsRead(numbers=await self.store.read(partial(_open_numbers, part=part)))
        known = await self.store.read(partial(_taken, part=part))
        path = (
            await self.files.ensure(batch, part)
            if vendor.pays_by_call
            else self.files.path(batch.id, part.number)
        )
        lot: list[ItemResult] = []
        async with aclosing(vendor.results(batch, part, path, reading.numbers.keys())) as results:
            async for result in results:
                if isinstance(result, BrokenLine):
                    reading.broken += 1
                elif result.custom_id in reading.seen:
                    reading.repeated += 1
                elif result.custom_id in reading.numbers:
                    reading.seen.add(result.custom_id)
                    lot.append(result)
                elif result.custom_id in known:
                    reading.seen.add(result.custom_id)
                else:
                    reading.unknown += 1
                # Results paid for one by one are stored at once, so that a crash does not ask for them again.
                if len(lot) >= (1 if vendor.pays_by_call else LOT):
                    is_wanted = await self._store_lot(batch, part, lot, reading, claim)
                    lot = []
                    if vendor.pays_by_call and not is_wanted:
                        return False
        if lot:
            await self._store_lot(batch, part, lot, reading, claim)
        return await self.store.write(
            partial(self._end, batch=batch, part=part, reading=reading, claim=claim)
        )

    async def _store_lot(
        self, batch: Batch, part: BatchPart, lot: Sequence[ItemResult], reading: ResultsRead, claim: Claim
    ) -> bool:
        """False if somebody cancelled the batch meanwhile."""
        is_wanted, over, paid = await self.store.write(
            partial(self._put, batch=batch, part=part, lot=tuple(lot), reading=reading, claim=claim)
        )
        await self.money.told(batch, paid)
        reading.taken += len(lot)
        reading.over += over
        return is_wanted

    def _put(
        self,
        tx: Tx,
        batch: Batch,
        part: BatchPart,
        lot: Sequence[ItemResult],
        reading: ResultsRead,
        claim: Claim,
    ) -> tuple[bool, int, list[Cost]]:
        """Returns whether the batch is still wanted, how many answers were too long, and what was charged."""
        work.expect_mine(tx, claim)
        at, current = now(), batches.locked(tx, batch.id) or batch
        person = people.person(tx, batch.started_by).handle
        numbers = [reading.numbers[result.custom_id] for result in lot]
        rows = {item.custom_id: item for item in batches.items_numbered(tx, batch.id, numbers)}
        ended: list[BatchItem] = []
        costs: list[Cost] = []
        over = 0
        for result in lot:
            item = rows.get(result.custom_id)
            if item is None or item.state is not ItemState.SENT:  # it was given up meanwhile
                continue
            micros = result.micros or 0
            if result.micros is None and result.state is ItemState.SUCCEEDED:
                cost = self.money.paid(batch, person, item, result, at)
                costs.append(cost)
                micros = cost.micros
            over += result.usage.output > batch.max_tokens
            ended.append(_ended(batch, item, result, micros))
        batches.put_results(tx, batch.id, ended)
        batch_money.settle(tx, current, costs)
        batch_parts.mark(tx, batch.id, part.number, done=part.done + reading.taken + len(lot))
        return current.cancelled_by is None, over, costs

    def _end(self, tx: Tx, batch: Batch, part: BatchPart, reading: ResultsRead, claim: Claim) -> bool:
        work.expect_mine(tx, claim)
        odd = {name: getattr(reading, name) for name in ODDITIES if getattr(reading, name)}
        missing = _open_numbers(tx, part)
        reads = int((part.why or {}).get("reads", 0)) + (0 if reading.taken else 1)
        if missing and reads < _MOST_READS:
            batch_parts.mark(tx, batch.id, part.number, why={"reads": reads, **odd})
            return False
        if missing:
            error = say(batch.language, "batch-item-missing")
            values = {"state": ItemState.ERRORED.value, "error": error, "reserved_micros": 0}
            part_items.mark_part(tx, batch.id, part.number, ItemState.SENT, **values)
            self.money.take_back(tx, batch.id)
            odd["missing"] = len(missing)
        ended = {"state": PartState.ENDED.value, "ended_at": now(), "why": odd or None}
        batch_parts.mark(tx, batch.id, part.number, **ended)
        return True


def _ended(batch: Batch, item: BatchItem, result: ItemResult, micros: int) -> BatchItem:
    is_text = result.state is ItemState.SUCCEEDED
    error = say(batch.language, "batch-item-cut") if result.is_cut else result.error
    return replace(
        item,
        state=result.state,
        text=storable(result.text)[:_MOST_TEXT].strip() if is_text else item.text,
        error=storable(error) if error else None,
        micros=item.micros + micros,  # earlier attempts were paid for as well
        reserved_micros=0,
    )


def _open_numbers(tx: Tx, part: BatchPart) -> dict[str, int]:
    found = part_items.items_of_part(tx, part.batch_id, part.number, is_open=True)
    return {custom_id(part.batch_id, number, attempt): number for number, attempt in found}


def _taken(tx: Tx, part: BatchPart) -> set[str]:
    found = part_items.items_of_part(tx, part.batch_id, part.number, is_open=False)
    return {custom_id(part.batch_id, number, attempt) for number, attempt in found}


def oddities(parts: Sequence[BatchPart]) -> dict[str, int]:
    """What was odd in all results, counted."""
    counted = {name: sum(int((part.why or {}).get(name, 0)) for part in parts) for name in ODDITIES}
    return counted if any(counted.values()) else {}
