"""Nobody can tell whether a part of a batch arrived: a person decides, who can look it up at the vendor."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from nanoclaw.domain.batches import Batch, BatchPart, ItemState, PartState
from nanoclaw.domain.ids import new_id
from nanoclaw.domain.questions import NewQuestion, Option, QuestionKind, Status, digest_of, too
from nanoclaw.domain.text import as_written
from nanoclaw.durable import batch_parts, part_items, people, questions
from nanoclaw.durable.clock import now
from nanoclaw.durable.store import Tx
from nanoclaw.flows.batches.changes import asker_of
from nanoclaw.flows.human.new_questions import NewQuestions
from nanoclaw.texts import say

THERE, AGAIN, GIVE_UP = "there", "again", "give-up"
_OPEN_FOR = timedelta(days=7)


@dataclass(frozen=True, kw_only=True, slots=True)
class UnclearParts:
    new_questions: NewQuestions

    def ask(self, tx: Tx, batch: Batch, part: BatchPart, candidates: tuple[str, ...]) -> None:
        """Ask what to do with it. If nobody answers, nothing is paid twice."""
        language = batch.language
        prompt = say(
            language,
            "batch-unclear",
            subject=as_written(batch.subject[:200]),
            first=part.first_item,
            last=part.last_item,
            candidate=", ".join(candidates) or "none",
        )
        ids = (*((THERE,) if len(candidates) == 1 else ()), AGAIN, GIVE_UP)
        options = tuple(
            Option(id=each, label=say(language, f"batch-unclear-{each}"), safe=each == GIVE_UP)
            for each in ids
        )
        wanted = NewQuestion(
            kind=QuestionKind.CHOICE,
            prompt=prompt,
            options=options,
            timeout=_OPEN_FOR,
            default=GIVE_UP,
            deciders=(too(people.person(tx, batch.started_by).handle),),
            effect=_effect(part, candidates),
        )
        asker = asker_of(batch, f"part {part.number} {new_id('a')}")
        question = self.new_questions.open(tx, wanted, asker, None, now())
        why = {"key": "batch-unclear", "question": question.id, "candidates": list(candidates)}
        batch_parts.mark(tx, batch.id, part.number, state=PartState.UNCLEAR.value, why=why)

    def take_up(self, tx: Tx, batch: Batch, part: BatchPart, at: datetime) -> bool:
        """Carry out the decision. False while there is none."""
        why = part.why or {}
        question = questions.get(tx, str(why.get("question", "")))
        if question is None or question.is_open:
            return False
        if not question.is_about(_effect(part, why.get("candidates") or ())):
            self.ask(tx, batch, part, tuple(why.get("candidates") or ()))
            return False
        chosen = question.chosen if question.status in (Status.COMPLETED, Status.TIMEOUT) else GIVE_UP
        if chosen == THERE and why.get("candidates"):
            values = {"state": PartState.SENT.value, "vendor_id": why["candidates"][0], "why": None}
            batch_parts.mark(tx, batch.id, part.number, **values)
        elif chosen == AGAIN:
            batch_parts.mark(tx, batch.id, part.number, state=PartState.READY.value, why=None)
            part_items.mark_part(tx, batch.id, part.number, ItemState.SENT, state=ItemState.WAITING.value)
        else:
            error = say(batch.language, "batch-item-unclear")
            batch_parts.mark(tx, batch.id, part.number, state=PartState.CANCELLED.value, ended_at=at)
            values = {"state": ItemState.ERRORED.value, "error": error, "reserved_micros": 0}
            part_items.mark_part(tx, batch.id, part.number, ItemState.SENT, **values)
        return True


def _effect(part: BatchPart, candidates: Sequence[str]) -> str:
    """Which part, and what the vendor may have of it."""
    return digest_of(part.batch_id, part.number, list(candidates))
