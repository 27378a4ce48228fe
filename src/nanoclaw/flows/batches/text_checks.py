"""Checks the texts of a batch in lots, in a thread, and grades them if wanted. If interrupted, it starts over."""

import asyncio
import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from nanoclaw.context.adaptors import Adaptors
from nanoclaw.domain.batches import Batch, BatchItem, ItemState
from nanoclaw.durable import batch_history, batches
from nanoclaw.durable.store import Store, Tx
from nanoclaw.flows.batches.grader import Grader
from nanoclaw.flows.batches.quality import BatchCheck, Fault

_LOT = 200  # texts of one transaction
_PAUSE = 0.0005  # seconds after each text, for the threads that answer people: the check is in no hurry
_GRADED = 10  # texts whose grades are stored together, so that a crash does not ask again for what was paid


@dataclass(frozen=True, kw_only=True, slots=True)
class TextChecks:
    store: Store
    adaptors: Adaptors
    grading: Grader

    async def check(self, batch: Batch) -> None:
        """Give each text its faults and its grade. Raises ModelOutage or ModelRefused when grading is
        impossible now."""
        usual = await self.store.read(partial(batch_history.usual_length, batch_id=batch.id))
        adaptor = self.adaptors.find(batch.channel) if batch.channel else None
        batch_check = BatchCheck(adaptor=adaptor, language=batch.language, usual_length=usual)
        after = 0
        while lot := await self.store.read(partial(_lot, batch_id=batch.id, after=after)):
            after = lot[-1].number
            found = await asyncio.to_thread(_faults, batch_check, lot)
            grades = await self._grades(batch, [item for item in lot if item.grade is None])
            for item in lot:
                found[item.number] += _grade_fault(batch, grades.get(item.number, item.grade))
            await self.store.write(partial(batches.put_faults, batch_id=batch.id, faults=found))

    async def _grades(self, batch: Batch, items: Sequence[BatchItem]) -> dict[int, int]:
        grades: dict[int, int] = {}
        for start in range(0, len(items) if batch.least_grade is not None else 0, _GRADED):
            given = await self.grading.grade(batch, items[start : start + _GRADED])
            await self.store.write(partial(_keep, batch_id=batch.id, grades=given))
            grades |= given
        return grades


def _lot(tx: Tx, batch_id: str, after: int) -> list[BatchItem]:
    return batches.items(tx, batch_id, state=ItemState.SUCCEEDED, after=after, limit=_LOT)


def _keep(tx: Tx, batch_id: str, grades: dict[int, int]) -> None:
    for number, grade in grades.items():
        batches.mark_item(tx, batch_id, number, grade=grade)


def _faults(batch_check: BatchCheck, lot: Sequence[BatchItem]) -> dict[int, tuple[Fault, ...]]:
    found = {}
    for item in lot:
        found[item.number] = batch_check.faults(item.number, item.text)
        if item.error:  # the answer was cut off at the token limit
            found[item.number] += ({"key": "cut", "values": {}},)
        time.sleep(_PAUSE)
    return found


def _grade_fault(batch: Batch, grade: int | None) -> tuple[Fault, ...]:
    if batch.least_grade is None:
        return ()
    if grade is None:
        return ({"key": "ungraded", "values": {}},)
    if grade < batch.least_grade:
        return ({"key": "grade", "values": {"grade": grade, "least": batch.least_grade}},)
    return ()
