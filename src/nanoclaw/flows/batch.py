"""Flow I. Many texts at once: topics become requests, money is set aside, they leave, and their answers come later.

A batch, its parts and its items are rows. Each look does what they need next, and stores it before the next; while the
vendor works nobody waits, and one row says when to look again.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial

from nanoclaw.domain.batches import Batch, BatchItem, BatchPart, BatchStatus, ItemState, PartState
from nanoclaw.domain.errors import ModelFailed, ModelOutage, ModelRefused, NanoClawError
from nanoclaw.domain.ports import BatchVendor
from nanoclaw.durable import batch_money, batch_parts, batches, part_items, people, work
from nanoclaw.durable.clock import now
from nanoclaw.durable.store import Store, Tx
from nanoclaw.durable.work import Claim
from nanoclaw.flows.batches.money import BatchMoney
from nanoclaw.flows.batches.part_sender import PartSender, give_up
from nanoclaw.flows.batches.progress import BatchProgress, Next, NextStage
from nanoclaw.flows.batches.requests import RequestFiles
from nanoclaw.flows.batches.results import Results
from nanoclaw.flows.batches.text_checks import TextChecks
from nanoclaw.flows.batches.topics import Topics

_LOT = 500
_LEAST_PAUSE = timedelta(seconds=1)


@dataclass(frozen=True, kw_only=True, slots=True)
class Batches:
    """The work of kind "batch"; its key is the batch."""

    kind = work.BATCH
    at_once = 8

    store: Store
    progress: BatchProgress
    topics: Topics
    files: RequestFiles
    money: BatchMoney
    sending: PartSender
    results: Results
    checking: TextChecks
    vendor_of: Callable[[Batch], BatchVendor]

    def begin(self, tx: Tx, claim: Claim) -> str:
        return claim.key

    def look_again(self, key: str) -> None:
        """Nothing to do: what arrives meanwhile is seen when the story runs again."""

    async def run(self, job: str, claim: Claim) -> datetime | None:
        asked: set[int] = set()
        look = NextStage()
        try:
            while True:
                look = await self.store.write(partial(self._look, claim=claim, asked=frozenset(asked)))
                if look.what is Next.REST or look.batch is None:
                    again_at = look.again_at
                    break
                await self._do(look, look.batch, asked, claim)
        except ModelOutage as outage:
            pause = max(min(timedelta(seconds=outage.after), self.progress.longest_poll), _LEAST_PAUSE)
            again_at = await self._wait(claim, look, outage, now() + pause)
        except (
            ModelFailed
        ) as failed:  # the key is refused or missing: it continues when somebody has fixed it
            again_at = await self._wait(claim, look, failed, now() + self.progress.longest_poll)
        return await self.store.write(partial(_finish, claim=claim, again_at=again_at))

    def _look(self, tx: Tx, claim: Claim, asked: frozenset[int]) -> NextStage:
        work.expect_mine(tx, claim)
        return self.progress.go_on(tx, claim.key, now(), asked)

    async def _do(self, look: NextStage, batch: Batch, asked: set[int], claim: Claim) -> None:
        vendor = self.vendor_of(batch)
        part = look.part
        if look.what is Next.FIND_TOPICS:
            try:
                await self._find_topics(batch, claim)
            except ModelRefused:
                raise
            except ModelFailed as failed:  # asking again and again would cost more and more
                await self._write(claim, partial(self._fail, batch_id=batch.id, why=_why(failed)))
        elif look.what is Next.WRITE:
            await self._write_requests(batch, look, claim)
        elif look.what is Next.RESERVE:
            await self._reserve(batch, look, claim)
        elif look.what is Next.CHECK:
            await self.checking.check(batch)
            await self._write(claim, partial(self._complete, look=look))
            await self.files.forget(batch.id)
            await self.money.told(batch, ())
        elif part is not None and look.what is Next.SEND:
            await self.sending.send(batch, part, vendor, claim)
            if not vendor.pays_by_call:  # otherwise the results are there at once
                asked.add(part.number)
        elif part is not None and look.what is Next.LOOK_UP:
            await self.sending.look_up(batch, part, vendor, claim)
            asked.add(part.number)
        elif part is not None and look.what is Next.CALL_BACK:
            await vendor.cancel(part.vendor_id or "")
            await self._write(claim, partial(_called_back, part=part))
            asked.discard(part.number)
        elif part is not None:
            await self._poll(batch, part, claim)
            asked.add(part.number)

    async def _find_topics(self, batch: Batch, claim: Claim) -> None:
        known = await self.store.read(partial(batches.topics, batch_id=batch.id))
        async for found in self.topics.find(batch, known):
            await self._add_topics(batch, len(known), found, claim)
            known = [*known, *found]
        if not known:
            await self._write(
                claim, partial(self._fail, batch_id=batch.id, why={"key": "batch-topics-not-found"})
            )
        elif len(known) < batch.items:  # there are no more distinct topics
            await self._write(claim, lambda tx: batches.mark(tx, batch.id, items=len(known)))

    async def _add_topics(self, batch: Batch, before: int, found: list[str], claim: Claim) -> None:
        items = [
            BatchItem(batch_id=batch.id, number=before + place, topic=topic)
            for place, topic in enumerate(found, 1)
        ]
        for start in range(0, len(items), _LOT):
            lot = items[start : start + _LOT]
            await self._write(claim, partial(self._put_topics, batch=batch, lot=lot))

    def _put_topics(self, tx: Tx, batch: Batch, lot: list[BatchItem]) -> None:
        batches.add_items(tx, batch.id, lot)
        self.progress.ends.cards.show(tx, batch, batches.counts(tx, batch.id), now())

    async def _write_requests(self, batch: Batch, look: NextStage, claim: Claim) -> None:
        number = look.parts[-1].number + 1 if look.parts else 1
        is_free = self.vendor_of(batch).pays_by_call
        written = await self.files.write(
            batch, number, lambda size: 0 if is_free else self.money.most(batch, size)
        )
        if not written:  # cancelled meanwhile
            return
        for start in range(0, len(written), _LOT):
            lot = dict(written[start : start + _LOT])
            await self._write(
                claim, partial(part_items.put_in_part, batch_id=batch.id, part=number, most=lot)
            )
        part = BatchPart(
            batch_id=batch.id,
            number=number,
            state=PartState.NEW,
            first_item=written[0][0],
            last_item=written[-1][0],
        )
        await self._write(claim, partial(batch_parts.add, part=part))

    async def _reserve(self, batch: Batch, look: NextStage, claim: Claim) -> None:
        new = [part for part in look.parts if part.state is PartState.NEW]
        person = await self.store.read(lambda tx: people.person(tx, batch.started_by).handle)
        try:
            cost_id = await self.money.reserve(batch, person, new)
        except ModelRefused as refused:
            if "left" not in refused.values:
                raise
            await self._write(claim, partial(self._wait_for_money, batch=batch, refused=refused))
            raise ModelOutage(refused.key, after=self.progress.first_poll.total_seconds()) from refused
        await self._write(claim, partial(self._paid, batch=batch, new=new, cost_id=cost_id))

    def _wait_for_money(self, tx: Tx, batch: Batch, refused: ModelRefused) -> None:
        waiting = self.progress.money_questions.wait(tx, batch, refused, now())
        self.progress.ends.cards.show(tx, waiting, batches.counts(tx, batch.id), now())

    def _paid(self, tx: Tx, batch: Batch, new: list[BatchPart], cost_id: str | None) -> None:
        for part in new:
            batch_parts.mark(tx, batch.id, part.number, state=PartState.READY.value)
        current = batches.locked(tx, batch.id) or batch
        self.progress.money_questions.paid(tx, current, now())
        batches.mark(tx, batch.id, why=None)
        if cost_id is not None:
            batch_money.hold(tx, current, batch_money.take_over(tx, current, cost_id))

    async def _poll(self, batch: Batch, part: BatchPart, claim: Claim) -> None:
        vendor = self.vendor_of(batch)
        try:
            found = await vendor.status(part.vendor_id or "")
            if found.has_ended:
                await self.results.take_in(batch, part, vendor, claim)
        except ModelRefused:
            raise
        except ModelFailed as failed:  # the vendor has forgotten it
            said = str(failed.values.get("said", failed.key))
            await self._write(claim, partial(self._lost, part=part, said=said))

    def _lost(self, tx: Tx, part: BatchPart, said: str) -> None:
        give_up(tx, part, ItemState.ERRORED, said)
        self.money.take_back(tx, part.batch_id)

    def _fail(self, tx: Tx, batch_id: str, why: dict[str, str]) -> None:
        batch = batches.locked(tx, batch_id)
        if batch and not batch.status.is_over:
            self.progress.ends.end(tx, batch, BatchStatus.FAILED, why, now())

    def _complete(self, tx: Tx, look: NextStage) -> None:
        self.progress.ends.complete(tx, look.batch.id if look.batch else "", look.parts, now())

    async def _wait(self, claim: Claim, look: NextStage, trouble: NanoClawError, at: datetime) -> datetime:
        """Show on its card why it waits."""
        if look.batch is not None:
            await self._write(claim, partial(self._show_trouble, trouble=trouble, batch_id=look.batch.id))
        return at

    def _show_trouble(self, tx: Tx, trouble: NanoClawError, batch_id: str) -> None:
        batch = batches.locked(tx, batch_id)
        if batch is None or batch.status.is_over or (batch.why or {}).get("key") == trouble.key:
            return
        at_vendor = batch.status in (BatchStatus.RUNNING, BatchStatus.CHECKING)
        status = batch.status if at_vendor else BatchStatus.WAITING
        batches.mark(tx, batch.id, status=status.value, why=_why(trouble))
        current = batches.get(tx, batch.id)
        if current:
            self.progress.ends.cards.show(tx, current, batches.counts(tx, batch.id), now())

    async def _write(self, claim: Claim, story: Callable[[Tx], None]) -> None:
        def fenced(tx: Tx) -> None:
            work.expect_mine(tx, claim)
            story(tx)

        await self.store.write(fenced)


def _why(trouble: NanoClawError) -> dict[str, str]:
    return {"key": trouble.key, **{name: str(value) for name, value in trouble.values.items()}}


def _called_back(tx: Tx, part: BatchPart) -> None:
    why = {**(part.why or {}), "called_back": True}
    batch_parts.mark(tx, part.batch_id, part.number, why=why)


def _finish(tx: Tx, claim: Claim, again_at: datetime | None) -> datetime | None:
    if again_at:  # as new work, so that what came meanwhile is seen first
        work.due(tx, work.BATCH, claim.key, again_at)
    return work.finish(tx, claim)
