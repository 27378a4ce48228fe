"""Assembles what becomes of the texts of batches: their review, their days, their files."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

from nanoclaw.context.adaptors import Adaptors
from nanoclaw.domain.batches import Batch, BatchItem
from nanoclaw.flows.batch_output import BatchOutput
from nanoclaw.flows.batches.afterwards import Afterwards
from nanoclaw.flows.batches.cards import BatchCards, wanted_end
from nanoclaw.flows.batches.changes import BatchChanges
from nanoclaw.flows.batches.files import BatchFiles
from nanoclaw.flows.batches.quality import check_texts, fault_text
from nanoclaw.flows.batches.review import Review
from nanoclaw.flows.batches.schedule import BatchSchedule
from nanoclaw.host.base import Base
from nanoclaw.host.question_parts import QuestionParts
from nanoclaw.host.task_parts import TaskParts


@dataclass(frozen=True, kw_only=True, slots=True)
class BatchOutputParts:
    review: Review
    schedule: BatchSchedule
    afterwards: Afterwards
    story: BatchOutput

    @classmethod
    def of(
        cls,
        base: Base,
        question_parts: QuestionParts,
        task_parts: TaskParts,
        changes: BatchChanges,
        cards: BatchCards,
        owner_of: Callable[[str], int],
    ) -> Self:
        """`owner_of` gives the user id that a company's boxes run as."""
        adaptors = Adaptors(base.home)

        def faults(batch: Batch, item: BatchItem) -> Sequence[Mapping[str, Any]]:
            adaptor = adaptors.find(batch.channel) if batch.channel else None
            text = (item.number, item.text)
            return check_texts([text], adaptor=adaptor, language=batch.language)[item.number]

        review = Review(changes=changes, task_changes=task_parts.changes, check=faults)
        schedule = BatchSchedule(
            changes=changes, groups=base.groups, locale=base.settings.locale, usual=task_parts.usual
        )
        afterwards = Afterwards(
            new_questions=question_parts.new_questions,
            review=review,
            schedule=schedule,
            end_card=wanted_end,
            language_of=cards.language_of,
            fault=fault_text,
        )
        files = BatchFiles(store=base.store, home=base.home, owner_of=owner_of, fault=fault_text)
        return cls(
            review=review,
            schedule=schedule,
            afterwards=afterwards,
            story=BatchOutput(store=base.store, afterwards=afterwards, files=files),
        )
