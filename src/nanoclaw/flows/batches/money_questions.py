"""The budget cannot pay all of a batch: it waits, and somebody may send the part that can be paid."""

from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from nanoclaw.domain.batches import Batch, BatchStatus, ItemState, PartState
from nanoclaw.domain.errors import ModelRefused
from nanoclaw.domain.ids import new_id
from nanoclaw.domain.money import dollars
from nanoclaw.domain.people import Actor, Rights, Role
from nanoclaw.domain.questions import NewQuestion, Option, Question, QuestionKind, Status, digest_of, too
from nanoclaw.domain.text import as_written
from nanoclaw.durable import batch_money, batch_parts, batches, part_items, people, questions
from nanoclaw.durable.store import Tx
from nanoclaw.flows.batches.changes import asker_of
from nanoclaw.flows.human.new_questions import NewQuestions
from nanoclaw.flows.human.resolution import Resolution
from nanoclaw.texts import say

PART, WAIT, CANCEL = "part", "wait", "cancel"
_OPEN_FOR = timedelta(days=1)
HOST = Actor(handle="host", name="", rights=Rights(everywhere=Role.STRANGER), via="host", language="en")


@dataclass(frozen=True, kw_only=True, slots=True)
class MoneyQuestions:
    new_questions: NewQuestions
    resolution: Resolution

    def wait(self, tx: Tx, batch: Batch, refused: ModelRefused, at: datetime) -> Batch:
        """Wait for money. Ask once whether to send the part that fits; if nothing fits there is nothing to ask."""
        left = refused.values.get("left")
        parts = [part.number for part in batch_parts.of_batch(tx, batch.id) if part.state is PartState.NEW]
        wanted = batch_money.wanted(tx, batch.id, parts)
        fits = batch_money.fitting(tx, batch.id, parts, left) if isinstance(left, int) else 0
        why = {
            "key": refused.key,
            **{name: value for name, value in refused.values.items() if name != "left"},
        }
        before = batch.why or {}
        question_id = before.get("question")
        if fits and not question_id:
            question = self._ask(tx, batch, fits, wanted, left if isinstance(left, int) else 0, at)
            question_id = question.id
        elif question_id:
            fits = int(before.get("fits", fits))  # what the card promised
        why |= {"question": question_id, "fits": fits}
        batches.mark(tx, batch.id, status=BatchStatus.WAITING.value, why=why)
        return replace(batch, status=BatchStatus.WAITING, why=why)

    def take_up(self, tx: Tx, batch: Batch) -> Batch:
        """Carry out what somebody chose."""
        why = batch.why or {}
        question = questions.get(tx, str(why["question"])) if why.get("question") else None
        if question is None or question.is_open:
            return batch
        chosen = question.chosen if question.status is Status.COMPLETED else WAIT
        if chosen == CANCEL:
            name = question.decided_name or "-"
            batches.mark(tx, batch.id, cancelled_by=name, why=None)
            return replace(batch, cancelled_by=name, why=None)
        if chosen == PART and not question.is_about(_effect(batch, int(why["fits"]))):
            kept = {name: value for name, value in why.items() if name != "question"}  # asked anew
            batches.mark(tx, batch.id, why=kept)
            return replace(batch, why=kept)
        if chosen == PART and not why.get("is_taken_up"):
            self._keep_first(tx, batch, int(why["fits"]))
        # A person who chose to wait is not asked again.
        kept = {**why, "is_taken_up": True}
        batches.mark(tx, batch.id, why=kept)
        return replace(batch, why=kept)

    def paid(self, tx: Tx, batch: Batch, at: datetime) -> None:
        """It fits after all: close the question."""
        question_id = (batch.why or {}).get("question")
        question = questions.locked(tx, str(question_id)) if question_id else None
        if question and question.is_open:
            self.resolution.cancel(tx, question, HOST, at)

    def _keep_first(self, tx: Tx, batch: Batch, fits: int) -> None:
        """Prepare the first items that can be paid for again; the others end here, and can be sent again later."""
        new = [part for part in batch_parts.of_batch(tx, batch.id) if part.state is PartState.NEW]
        for part in new:
            batch_parts.forget(tx, batch.id, part.number)
        waiting = batches.items(tx, batch.id, state=ItemState.WAITING, limit=batch.items)
        last = waiting[fits - 1].number if 0 < fits <= len(waiting) else 0
        part_items.mark_waiting(tx, batch.id, part=None, reserved_micros=0)
        error = say(batch.language, "batch-item-unpaid")
        part_items.mark_waiting(tx, batch.id, after=last, state=ItemState.CANCELED.value, error=error)

    def _ask(self, tx: Tx, batch: Batch, fits: int, wanted: int, left: int, at: datetime) -> Question:
        language = batch.language
        prompt = say(
            language,
            "batch-money-asked",
            subject=as_written(batch.subject[:200]),
            count=batch.items,
            most=dollars(wanted),
            left=dollars(left),
            fits=fits,
        )
        options = (
            Option(id=PART, label=say(language, "batch-money-part", count=fits)),
            Option(id=WAIT, label=say(language, "batch-money-wait"), safe=True),
            Option(id=CANCEL),
        )
        card = NewQuestion(
            kind=QuestionKind.CHOICE,
            prompt=prompt,
            options=options,
            timeout=_OPEN_FOR,
            default=WAIT,
            deciders=(too(people.person(tx, batch.started_by).handle),),
            effect=_effect(batch, fits),
        )
        return self.new_questions.open(tx, card, asker_of(batch, f"money {new_id('a')}"), None, at)


def _effect(batch: Batch, fits: int) -> str:
    """How many of its texts are sent."""
    return digest_of(batch.id, PART, fits)
