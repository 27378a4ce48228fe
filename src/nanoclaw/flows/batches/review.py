"""A person decides about single texts of a batch: approves, rewords or rejects them, or has them written again."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from nanoclaw.domain.batches import Batch, BatchItem, ItemState, TextVerdict
from nanoclaw.domain.errors import Refused
from nanoclaw.domain.people import Actor
from nanoclaw.domain.questions import hash_of
from nanoclaw.domain.shown_text import unmarked
from nanoclaw.domain.text import is_empty, storable
from nanoclaw.durable import audit, batch_texts, batches, tasks
from nanoclaw.durable.store import Tx
from nanoclaw.flows.batches.changes import BatchChanges
from nanoclaw.flows.tasks.changes import TaskChanges

LONGEST_TEXT = 20_000  # characters, as much as a task can hold
_LONGEST_NOTE = 2000

Check = Callable[[Batch, BatchItem], Sequence[Mapping[str, Any]]]
"""The faults of one text on its own."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Review:
    """Each method runs in the caller's transaction. When one raises Refused, nothing has changed."""

    changes: BatchChanges
    task_changes: TaskChanges
    check: Check

    def approve(self, tx: Tx, batch_id: str, number: int, by: Actor, at: datetime) -> BatchItem:
        batch, item = self._written(tx, batch_id, number, by)
        return self._decide(tx, batch, item, TextVerdict.APPROVED, by, at)

    def expect(self, tx: Tx, batch_id: str, number: int, seen: str | None) -> None:
        """Raises Refused if the text is another than the one with this digest, which the person looked at."""
        if seen is not None and hash_of(_item(tx, batch_id, number).text) != seen:
            raise Refused("batch-text-changed", number=number)

    def reject(self, tx: Tx, batch_id: str, number: int, by: Actor, at: datetime) -> BatchItem:
        batch, item = self._written(tx, batch_id, number, by)
        if item.task_id is not None:
            raise Refused("batch-item-scheduled", number=str(number), task=str(item.task_id))
        return self._decide(tx, batch, item, TextVerdict.REJECTED, by, at)

    def reopen(self, tx: Tx, batch_id: str, number: int, by: Actor, at: datetime) -> BatchItem:
        """Undo the decision about a text."""
        batch, item = self._written(tx, batch_id, number, by)
        if item.task_id is not None:
            raise Refused("batch-item-scheduled", number=str(number), task=str(item.task_id))
        return self._decide(tx, batch, item, TextVerdict.OPEN, by, at)

    def edit(self, tx: Tx, batch_id: str, number: int, text: str, by: Actor, at: datetime) -> BatchItem:
        """Replace a text by a person's, which also approves it. A scheduled text is changed where it waits."""
        batch, item = self._written(tx, batch_id, number, by)
        written = storable(unmarked(text, item.text)).strip()
        if is_empty(written):
            raise Refused("batch-text-empty", number=number)
        if len(written) > LONGEST_TEXT:
            raise Refused("batch-text-long", length=len(written), most=LONGEST_TEXT)
        if item.task_id is not None:
            task = tasks.locked(tx, item.task_id)
            if task is None or not task.status.is_alive:
                raise Refused("batch-item-sent", number=number)
            self.task_changes.edit(tx, task, by, at, prompt=written)
        batches.mark_item(tx, batch.id, number, text=written)
        item = _item(tx, batch.id, number)
        batches.put_faults(tx, batch.id, {number: self.check(batch, item)})
        return self._decide(tx, batch, item, TextVerdict.APPROVED, by, at)

    def regenerate(self, tx: Tx, batch_id: str, number: int, note: str, by: Actor, at: datetime) -> BatchItem:
        """Send it again as a single request, with the person's wish if there is one."""
        _, item = self._written(tx, batch_id, number, by)
        if item.task_id is not None:
            raise Refused("batch-item-scheduled", number=str(number), task=str(item.task_id))
        wish = storable(note).strip()[:_LONGEST_NOTE]
        self.changes.resubmit(tx, batch_id, by, at, [number], notes={number: wish})
        return _item(tx, batch_id, number)

    def approve_passed(self, tx: Tx, batch_id: str, by: Actor, at: datetime) -> int:
        """Approve everything that passed the check and that nobody has decided about; returns how many."""
        batch = self.changes.theirs(tx, batch_id, by)
        count = batch_texts.approve_passed(tx, batch.id, by.handle)
        audit.record(tx, by, at, "batch-approved", batch.id, count=count, group=batch.group)
        return count

    def _written(self, tx: Tx, batch_id: str, number: int, by: Actor) -> tuple[Batch, BatchItem]:
        batch = self.changes.theirs(tx, batch_id, by)
        item = _item(tx, batch.id, number)
        if item.state is not ItemState.SUCCEEDED:
            raise Refused("batch-item-no-text", number=number, state=item.state.value)
        return batch, item

    def _decide(
        self, tx: Tx, batch: Batch, item: BatchItem, verdict: TextVerdict, by: Actor, at: datetime
    ) -> BatchItem:
        decided = None if verdict is TextVerdict.OPEN else by.handle
        batches.mark_item(tx, batch.id, item.number, verdict=verdict.value, decided_by=decided)
        said = {"number": item.number, "verdict": verdict.value, "group": batch.group}
        audit.record(tx, by, at, "batch-reviewed", batch.id, **said)
        return _item(tx, batch.id, item.number)


def _item(tx: Tx, batch_id: str, number: int) -> BatchItem:
    item = batches.item(tx, batch_id, number)
    if item is None:
        raise Refused("batch-no-item", number=number)
    return item
