"""Sends a part of a batch to its vendor exactly once: it is marked first, and searched for if the answer was
lost.

A vendor's list of batches does not name their requests; only results do. So a batch of the right size is a
candidate, and becomes ours when its results carry our custom ids. Until then nothing is sent again."""

from collections.abc import Callable, Sequence
from contextlib import aclosing
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import partial
from typing import Any

from nanoclaw.domain.batches import Batch, BatchPart, ItemResult, ItemState, PartState, VendorBatch, custom_id
from nanoclaw.domain.errors import ModelFailed, ModelOutage, ModelRefused, SendUnknown
from nanoclaw.domain.ports import BatchVendor
from nanoclaw.durable import batch_parts, part_items, work
from nanoclaw.durable.clock import now
from nanoclaw.durable.store import Store, Tx
from nanoclaw.durable.work import Claim
from nanoclaw.flows.batches.requests import RequestFiles
from nanoclaw.flows.batches.unclear import UnclearParts

_SKEW = timedelta(hours=26)  # between the vendor's clock and ours: people set clocks to the wrong zone
_LEAST_LOOKS = 3
_ENOUGH = 50  # results needed to say whose they are: a single one may be a stray


@dataclass(frozen=True, kw_only=True, slots=True)
class PartSender:
    store: Store
    files: RequestFiles
    unclear: UnclearParts
    settle: timedelta  # after this time a vendor's list shows everything that arrived

    async def send(self, batch: Batch, part: BatchPart, vendor: BatchVendor, claim: Claim) -> None:
        """Send a part that is marked as sending. Raises ModelOutage when it certainly did not arrive but may
        later."""
        path = await self.files.ensure(batch, part)
        count = await self.store.read(partial(_count, batch_id=batch.id, part=part.number))
        try:
            sent = await vendor.send(batch, path, count)
        except SendUnknown:
            return  # the next look finds it marked, and looks for it
        except ModelRefused:  # the key was refused: nothing arrived
            await self._write(claim, partial(_put_back, part=part))
            raise
        except ModelFailed as failed:
            said = str(failed.values.get("said", failed.key))
            await self._write(claim, partial(give_up, part=part, state=ItemState.ERRORED, error=said))
            return
        except ModelOutage:
            await self._write(claim, partial(_put_back, part=part))
            raise
        await self._write(claim, partial(_sent, part=part, sent=sent))

    async def look_up(self, batch: Batch, part: BatchPart, vendor: BatchVendor, claim: Claim) -> None:
        """Find out whether a part arrived whose answer was lost."""
        if vendor.pays_by_call:  # nothing leaves before results are asked for
            await self._write(claim, partial(_put_back, part=part))
            return
        count = await self.store.read(partial(_count, batch_id=batch.id, part=part.number))
        since = (part.sent_at or batch.created_at) - _SKEW
        known = tuple((part.why or {}).get("candidates", ()))
        try:
            listed = await vendor.look_up(since, count)
            found = await self.store.read(partial(_not_known, found=listed))
            for candidate in found:
                if candidate.has_ended and await self._is_ours(batch, part, vendor, candidate):
                    await self._write(claim, partial(_sent, part=part, sent=candidate))
                    return
        except ModelRefused:
            raise
        except ModelFailed:
            await self._write(claim, partial(self.unclear.ask, batch=batch, part=part, candidates=known))
            return
        pending = [each.vendor_id for each in found if not each.has_ended]
        await self._write(claim, partial(self._not_found, batch=batch, part=part, pending=pending))

    async def _is_ours(
        self, batch: Batch, part: BatchPart, vendor: BatchVendor, candidate: VendorBatch
    ) -> bool:
        asked = replace(part, vendor_id=candidate.vendor_id)
        path = self.files.path(batch.id, part.number)
        seen: list[str] = []
        async with aclosing(vendor.results(batch, asked, path, ())) as results:
            async for result in results:
                seen += [result.custom_id] if isinstance(result, ItemResult) else []
                if len(seen) >= _ENOUGH:
                    break
        return await self.store.read(partial(_is_part, part=part, custom_ids=seen))

    def _not_found(self, tx: Tx, batch: Batch, part: BatchPart, pending: list[str]) -> None:
        at, looks = now(), int((part.why or {}).get("looks", 0)) + 1
        is_over = part.sent_at is None or at - part.sent_at >= self.settle
        if pending or not is_over or looks < _LEAST_LOOKS:
            why: dict[str, Any] = {"key": "batch-looked-for", "looks": looks, "candidates": pending}
            batch_parts.mark(tx, part.batch_id, part.number, why=why)
            return
        # Any list would show it by now, and none does: it never arrived.
        _put_back(tx, part)

    async def _write(self, claim: Claim, story: Callable[[Tx], None]) -> None:
        def fenced(tx: Tx) -> None:
            work.expect_mine(tx, claim)
            story(tx)

        await self.store.write(fenced)


def mark_sending(tx: Tx, part: BatchPart, at: datetime) -> None:
    """Mark a part; committed before its first byte leaves."""
    values = {"state": PartState.SENDING.value, "sent_at": at, "why": None}
    batch_parts.mark(tx, part.batch_id, part.number, **values)
    part_items.mark_part(tx, part.batch_id, part.number, ItemState.WAITING, state=ItemState.SENT.value)


def give_up(tx: Tx, part: BatchPart, state: ItemState, error: str | None) -> None:
    """End its open items in this state, and free the money set aside for them."""
    ended = {"state": PartState.CANCELLED.value, "ended_at": now()}
    batch_parts.mark(tx, part.batch_id, part.number, **ended)
    values = {"state": state.value, "error": error, "reserved_micros": 0}
    for each in (ItemState.WAITING, ItemState.SENT):
        part_items.mark_part(tx, part.batch_id, part.number, each, **values)


def _put_back(tx: Tx, part: BatchPart) -> None:
    """Make a part that did not arrive ready again; its money stays set aside."""
    batch_parts.mark(tx, part.batch_id, part.number, state=PartState.READY.value, why=None)
    part_items.mark_part(tx, part.batch_id, part.number, ItemState.SENT, state=ItemState.WAITING.value)


def _sent(tx: Tx, part: BatchPart, sent: VendorBatch) -> None:
    values = {"state": PartState.SENT.value, "vendor_id": sent.vendor_id, "expires_at": sent.expires_at}
    batch_parts.mark(tx, part.batch_id, part.number, **values, why=None)


def _count(tx: Tx, batch_id: str, part: int) -> int:
    return part_items.count_in_part(tx, batch_id, part)


def _not_known(tx: Tx, found: Sequence[VendorBatch]) -> list[VendorBatch]:
    """The batches that do not belong to another part."""
    return [each for each in found if not batch_parts.is_known(tx, each.vendor_id)]


def _is_part(tx: Tx, part: BatchPart, custom_ids: Sequence[str]) -> bool:
    """Whether one of these ids belongs to this part, and to the attempt that was sent with it."""
    sent = part_items.items_of_part(tx, part.batch_id, part.number, is_open=True)
    return not {custom_id(part.batch_id, *each) for each in sent}.isdisjoint(custom_ids)
