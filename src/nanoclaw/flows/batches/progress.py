"""Decides what a batch needs next from its rows alone: after a crash the next look finds the same place."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from enum import Enum, auto

from nanoclaw.domain.batches import Batch, BatchCounts, BatchPart, BatchStatus, ItemState, PartState
from nanoclaw.durable import batch_parts, batches, part_items
from nanoclaw.durable.store import Tx
from nanoclaw.flows.batches.ends import BatchEnds
from nanoclaw.flows.batches.money import BatchMoney
from nanoclaw.flows.batches.money_questions import MoneyQuestions
from nanoclaw.flows.batches.part_sender import give_up, mark_sending
from nanoclaw.flows.batches.unclear import UnclearParts

_AT_VENDOR = (PartState.SENDING, PartState.UNCLEAR, PartState.SENT)


class Next(Enum):
    FIND_TOPICS = auto()
    WRITE = auto()  # requests into files
    RESERVE = auto()  # money for them
    SEND = auto()
    LOOK_UP = auto()  # a part whose answer was lost
    CALL_BACK = auto()  # a part of a cancelled batch
    POLL = auto()
    CHECK = auto()
    REST = auto()


@dataclass(frozen=True, kw_only=True, slots=True)
class NextStage:
    what: Next = Next.REST
    batch: Batch | None = None
    parts: Sequence[BatchPart] = ()
    part: BatchPart | None = None
    again_at: datetime | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class BatchProgress:
    ends: BatchEnds
    money: BatchMoney
    money_questions: MoneyQuestions
    unclear: UnclearParts
    first_poll: timedelta
    longest_poll: timedelta

    def go_on(self, tx: Tx, batch_id: str, at: datetime, asked: Collection[int]) -> NextStage:
        """`asked` are the parts that the vendor was already asked about in this look."""
        batch = batches.locked(tx, batch_id)
        if batch and batch.question_id and batch.status is not BatchStatus.ASKED:
            batch = self.ends.take_up_again(tx, batch, at)
        if batch is None or batch.status.is_over:
            return NextStage(batch=batch)
        if batch.status is BatchStatus.ASKED:
            batch = self.ends.started(tx, batch, at)
        if batch.status is BatchStatus.READY and batch.cancelled_by is not None:  # nothing can be called back
            batch = self.ends.end(tx, batch, BatchStatus.CANCELLED, None, at)
        if batch.status in (BatchStatus.ASKED, BatchStatus.READY) or batch.status.is_over:
            return NextStage(batch=batch)
        batch = self.money_questions.take_up(tx, batch)
        parts = batch_parts.of_batch(tx, batch.id)
        if batch.cancelled_by is not None:
            parts = self._call_off(tx, batch, parts)
            called = next((part for part in parts if _is_to_be_called_back(part)), None)
            if called:
                return NextStage(what=Next.CALL_BACK, batch=batch, part=called)
        else:
            look = self._send_next(tx, batch, parts, at)
            if look:
                return look
        return self._ask_vendor(tx, batch, parts, at, asked)

    def _send_next(self, tx: Tx, batch: Batch, parts: Sequence[BatchPart], at: datetime) -> NextStage | None:
        if batches.counts(tx, batch.id).items < batch.items:
            return NextStage(what=Next.FIND_TOPICS, batch=batch)
        last = parts[-1].number if parts else 0
        if part_items.unwritten(tx, batch.id, beyond_part=last, limit=1):
            return NextStage(what=Next.WRITE, batch=batch, parts=parts)
        if any(part.state is PartState.NEW for part in parts):
            return NextStage(what=Next.RESERVE, batch=batch, parts=parts)
        ready = next((part for part in parts if part.state is PartState.READY), None)
        if ready:
            mark_sending(tx, ready, at)
            sending = replace(ready, state=PartState.SENDING, sent_at=at, why=None)
            return NextStage(what=Next.SEND, batch=batch, part=sending)
        return None

    def _ask_vendor(
        self, tx: Tx, batch: Batch, parts: Sequence[BatchPart], at: datetime, asked: Collection[int]
    ) -> NextStage:
        for part in parts:
            if part.state is PartState.UNCLEAR and self.unclear.take_up(tx, batch, part, at):
                self.money.take_back(tx, batch.id)
                return self.go_on(tx, batch.id, at, asked)
        for part in parts:
            if part.number in asked:
                continue
            if part.state is PartState.SENDING:
                return NextStage(what=Next.LOOK_UP, batch=batch, part=part)
            if part.state is PartState.SENT:
                return NextStage(what=Next.POLL, batch=batch, part=part)
        if any(part.state in _AT_VENDOR for part in parts):
            counts = batches.counts(tx, batch.id)
            self._show_running(tx, batch, counts, at)
            return NextStage(batch=batch, again_at=self._again_at(parts, at))
        if batch.status is not BatchStatus.CHECKING:
            batches.mark(tx, batch.id, status=BatchStatus.CHECKING.value, why=None)
        return NextStage(what=Next.CHECK, batch=replace(batch, status=BatchStatus.CHECKING), parts=parts)

    def _call_off(self, tx: Tx, batch: Batch, parts: Sequence[BatchPart]) -> list[BatchPart]:
        """Cancel the parts: those that have not left stay here, and unclear ones are given up."""
        for part in parts:
            if part.state in (PartState.NEW, PartState.READY, PartState.UNCLEAR):
                give_up(tx, part, ItemState.CANCELED, None)
        part_items.mark_waiting(tx, batch.id, state=ItemState.CANCELED.value, reserved_micros=0)
        self.money.take_back(tx, batch.id)
        return batch_parts.of_batch(tx, batch.id)

    def _show_running(self, tx: Tx, batch: Batch, counts: BatchCounts, at: datetime) -> None:
        if batch.status is not BatchStatus.RUNNING or batch.why:
            batches.mark(tx, batch.id, status=BatchStatus.RUNNING.value, why=None)
            batch = replace(batch, status=BatchStatus.RUNNING, why=None)
        self.ends.cards.show(tx, batch, counts, at)

    def _again_at(self, parts: Sequence[BatchPart], at: datetime) -> datetime:
        """A fifth of the time since sending, between a minute and five minutes."""
        sent = [part.sent_at for part in parts if part.state in _AT_VENDOR and part.sent_at]
        age = at - min(sent) if sent else timedelta()
        return at + min(max(age / 5, self.first_poll), self.longest_poll)


def _is_to_be_called_back(part: BatchPart) -> bool:
    return part.state is PartState.SENT and not (part.why or {}).get("called_back")
