"""Finds the texts of a batch that wait for a person, for a day, or for a file, a page at a time."""

from collections.abc import Mapping, Sequence
from enum import StrEnum

import sqlalchemy as sa

from nanoclaw.domain.batches import BatchItem, ItemState, TextVerdict
from nanoclaw.domain.news import EVERY_CHAT, BatchChanged
from nanoclaw.durable import batches
from nanoclaw.durable.after_commit import announce
from nanoclaw.durable.batch_tables import batch_items
from nanoclaw.durable.store import Tx

_I = batch_items.c
_WRITTEN = _I.state == ItemState.SUCCEEDED.value
_SOUND = sa.cast(_I.faults, sa.Text) == "[]"
_APPROVED = _I.verdict == TextVerdict.APPROVED.value
_OPEN = _I.verdict == TextVerdict.OPEN.value
_SET_TASK = (
    sa.update(batch_items)
    .where(_I.batch_id == sa.bindparam("of_batch"), _I.number == sa.bindparam("of_number"))
    .values(task_id=sa.bindparam("new_task"))
)


class TextFilter(StrEnum):
    """Some texts of a batch."""

    ALL = "all"
    OPEN = "open"  # written, and nobody has decided about them
    PASSED = "passed"  # the check found no fault
    FAULTY = "faulty"
    APPROVED = "approved"
    REJECTED = "rejected"
    FAILED = "failed"  # there is no text
    SCHEDULED = "scheduled"


_WHERE: Mapping[TextFilter, Sequence[sa.ColumnElement[bool]]] = {
    TextFilter.ALL: (),
    TextFilter.OPEN: (_WRITTEN, _OPEN, _I.task_id.is_(None)),
    TextFilter.PASSED: (_WRITTEN, _SOUND),
    TextFilter.FAULTY: (_WRITTEN, ~_SOUND),
    TextFilter.APPROVED: (_APPROVED,),
    TextFilter.REJECTED: (_I.verdict == TextVerdict.REJECTED.value,),
    TextFilter.FAILED: (
        _I.state.in_(
            [ItemState.ERRORED.value, ItemState.EXPIRED.value, ItemState.CANCELED.value],
        ),
    ),
    TextFilter.SCHEDULED: (_I.task_id.is_not(None),),
}


def page(tx: Tx, batch_id: str, choice: TextFilter, *, after: int = 0, limit: int = 50) -> list[BatchItem]:
    """A page of texts in order."""
    where = (_I.batch_id == batch_id, _I.number > after, *_WHERE[choice])
    rows = tx.execute(sa.select(batch_items).where(*where).order_by(_I.number).limit(limit))
    return [batches.to_item(row) for row in rows]


def count(tx: Tx, batch_id: str, choice: TextFilter) -> int:
    where = (_I.batch_id == batch_id, *_WHERE[choice])
    return int(tx.execute(sa.select(sa.func.count()).select_from(batch_items).where(*where)).scalar_one())


def to_send(tx: Tx, batch_id: str, *, approved: bool, limit: int) -> list[BatchItem]:
    """Texts without a task: what a person approved, or what passed the check and nobody rejected."""
    rows = tx.execute(
        sa.select(batch_items)
        .where(_I.batch_id == batch_id, *_to_send(approved=approved))
        .order_by(_I.number)
        .limit(limit)
    )
    return [batches.to_item(row) for row in rows]


def count_to_send(tx: Tx, batch_id: str, *, approved: bool) -> int:
    where = (_I.batch_id == batch_id, *_to_send(approved=approved))
    return int(tx.execute(sa.select(sa.func.count()).select_from(batch_items).where(*where)).scalar_one())


def _to_send(*, approved: bool) -> tuple[sa.ColumnElement[bool], ...]:
    return (_WRITTEN, _I.task_id.is_(None), *((_APPROVED,) if approved else (_OPEN, _SOUND)))


def set_tasks(tx: Tx, batch_id: str, tasks: Mapping[int, int]) -> None:
    """Set the task that delivers each text, by number."""
    rows = [{"of_batch": batch_id, "of_number": number, "new_task": task} for number, task in tasks.items()]
    if rows:
        tx.execute(_SET_TASK, rows)
        announce(tx, EVERY_CHAT, BatchChanged(batch_id))


def approve_passed(tx: Tx, batch_id: str, by: str) -> int:
    """Approve everything that passed the check and that nobody has decided about; returns how many."""
    where = (_I.batch_id == batch_id, _WRITTEN, _OPEN, _SOUND)
    values = {"verdict": TextVerdict.APPROVED.value, "decided_by": by}
    done = tx.execute(sa.update(batch_items).where(*where).values(**values)).rowcount
    announce(tx, EVERY_CHAT, BatchChanged(batch_id))
    return int(done)
