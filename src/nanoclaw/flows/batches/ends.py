"""A batch begins after a yes, and ends: its texts are ready for a person, or it failed, or was cancelled."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from nanoclaw.domain.batches import Batch, BatchPart, BatchStatus
from nanoclaw.domain.locale import Locale
from nanoclaw.domain.news import EVERY_CHAT, BudgetChanged
from nanoclaw.domain.questions import Question, Status
from nanoclaw.durable import batches, budgets, questions
from nanoclaw.durable.after_commit import announce
from nanoclaw.durable.store import Tx
from nanoclaw.flows.batches.cards import BatchCards, agreed, effect_of
from nanoclaw.flows.batches.money import BatchMoney
from nanoclaw.flows.batches.remember import remember
from nanoclaw.flows.batches.results import oddities


@dataclass(frozen=True, kw_only=True, slots=True)
class BatchEnds:
    cards: BatchCards
    money: BatchMoney
    ask_end: Callable[[Tx, Batch, datetime], None]  # what should become of the texts?
    pass_to_admin: Callable[
        [Tx, Batch, Question, datetime], Batch | None
    ]  # if a member's yes does not suffice
    take_up_again: Callable[[Tx, Batch, datetime], Batch]  # texts that an admin lets be written again
    locale: Locale  # of the workspace

    def started(self, tx: Tx, batch: Batch, at: datetime) -> Batch:
        """Start or cancel the batch once its start question is closed."""
        question = questions.get(tx, batch.question_id) if batch.question_id else None
        if batch.cancelled_by is not None:
            return self.end(tx, batch, BatchStatus.CANCELLED, None, at)
        if question is None or question.is_open:
            return batch
        count = agreed(batch, question.chosen) if question.status is Status.COMPLETED else 0
        if count and not question.is_about(effect_of(batch, batches.topics(tx, batch.id))):
            return self.end(tx, batch, BatchStatus.CANCELLED, {"key": "batch-not-as-shown"}, at)
        if not count:
            batches.mark(tx, batch.id, cancelled_by=question.decided_name)
            return self.end(tx, batch, BatchStatus.CANCELLED, None, at)
        if waits := self.pass_to_admin(tx, batch, question, at):
            return waits
        if count < batch.items:  # named topics beyond this number are left out
            batches.forget_items(tx, batch.id, after=count)
        values = {
            "status": BatchStatus.PREPARING.value,
            "started_at": at,
            "items": count,
            "question_id": None,
        }
        batches.mark(tx, batch.id, **values)
        batch = replace(batch, status=BatchStatus.PREPARING, started_at=at, items=count, question_id=None)
        self.cards.show(tx, batch, batches.counts(tx, batch.id), at)
        return batch

    def complete(self, tx: Tx, batch_id: str, parts: Sequence[BatchPart], at: datetime) -> None:
        """Complete the batch when every item has ended and every text was checked."""
        batch = batches.locked(tx, batch_id)
        if batch is None or batch.status is not BatchStatus.CHECKING:
            return
        counts = batches.counts(tx, batch.id)
        if counts.over < counts.items:  # somebody sent one again while the others were checked
            return
        odd = oddities(parts)
        why: dict[str, Any] | None = {"key": "batch-odd-results", **odd} if odd else None
        if batch.cancelled_by is not None:
            self.end(tx, batch, BatchStatus.CANCELLED, why, at)
            return
        if not counts.succeeded:
            self.end(tx, batch, BatchStatus.FAILED, why or {"key": "batch-no-text"}, at)
            return
        batch = self.end(tx, batch, BatchStatus.READY, why, at)
        remember(tx, batch, counts, at, self.locale)
        self.ask_end(tx, batch, at)

    def end(
        self, tx: Tx, batch: Batch, status: BatchStatus, why: dict[str, Any] | None, at: datetime
    ) -> Batch:
        self.money.take_back(tx, batch.id)
        # Other work may be waiting for the money that was set aside.
        budgets.let_go(tx, at, batch.company)
        announce(tx, EVERY_CHAT, BudgetChanged(batch.company))
        batches.mark(tx, batch.id, status=status.value, why=why, ended_at=at)
        ended = replace(batches.get(tx, batch.id) or batch, status=status, why=why, ended_at=at)
        self.cards.show(tx, ended, batches.counts(tx, batch.id), at)
        return ended
