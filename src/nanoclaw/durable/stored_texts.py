"""The rows of tasks that deliver a stored text: added in bulk, and listed as one line per batch."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

import sqlalchemy as sa

from nanoclaw.domain.ids import ChatId, PersonId
from nanoclaw.domain.news import EVERY_CHAT, TaskChanged
from nanoclaw.domain.schedules import ScheduleType
from nanoclaw.domain.tasks import Policy, Priority, Task, TaskKind, TaskStatus, ZoneOf
from nanoclaw.durable import tasks, work
from nanoclaw.durable.after_commit import announce
from nanoclaw.durable.batch_tables import batch_items
from nanoclaw.durable.store import Tx
from nanoclaw.durable.tables import TASK_OF_BATCH, scheduled_tasks

_TASKS = scheduled_tasks
_INSERT = sa.insert(_TASKS).returning(_TASKS.c.id, sort_by_parameter_order=True)
_ITEM = sa.and_(
    batch_items.c.batch_id == sa.bindparam("batch"), batch_items.c.task_id == sa.bindparam("task")
)
_ITEM_OF = sa.update(batch_items).where(_ITEM)
_MOST_LINES = 100


@dataclass(frozen=True, kw_only=True, slots=True)
class TextToSend:
    title: str
    text: str
    at: datetime


@dataclass(frozen=True, kw_only=True, slots=True)
class TextSender:
    """On whose behalf the texts of a batch are sent, where to, and on whose clock."""

    batch_id: str
    group: str
    chat_id: ChatId
    thread: str | None
    owner: PersonId
    timezone: str
    zone_of: ZoneOf
    policy: Policy


@dataclass(frozen=True, kw_only=True, slots=True)
class WaitingTexts:
    """The texts of one batch that are not sent yet."""

    batch_id: str
    group: str
    count: int
    paused: int
    next: datetime | None
    last: datetime | None


def add_many(tx: Tx, sender: TextSender, texts: Sequence[TextToSend], at: datetime) -> list[int]:
    """Add tasks; returns their numbers in the order of the texts."""
    same = {
        "kind": TaskKind.SCHEDULED.value,
        "group_id": sender.group,
        "schedule_type": ScheduleType.ONCE.value,
        "timezone": sender.timezone,
        "anchor_at": at,
        "skill": "",
        "notify": True,
        "run_count": 0,
        "status": TaskStatus.ACTIVE.value,
        "created_at": at,
        "zone_of": sender.zone_of.value,
        "owner": sender.owner,
        "chat_id": sender.chat_id,
        "thread": sender.thread or "",
        "policy": tasks.written_policy(sender.policy),
        "priority": Priority.NORMAL.value,
        "failures": 0,
        "batch_id": sender.batch_id,
    }
    rows = [
        {
            **same,
            "prompt": text.title,
            "stored_text": text.text,
            "schedule_value": text.at.isoformat(),
            "next_run_at": text.at,
        }
        for text in texts
    ]
    if not rows:
        return []
    made = list(tx.execute(_INSERT, rows).scalars())
    work.due_many(tx, work.TASK, [(str(task), text.at) for task, text in zip(made, texts, strict=True)])
    announce(tx, EVERY_CHAT, TaskChanged(made[-1]))
    return made


def of_batch(tx: Tx, batch_id: str, limit: int, *, after: tuple[datetime, int] | None = None) -> list[Task]:
    """Unsent texts, next first; `after` is the time and number of the last one seen."""
    found = sa.select(_TASKS).where(TASK_OF_BATCH, _TASKS.c.batch_id == batch_id)
    if after:
        moment, number = after
        later = sa.and_(_TASKS.c.next_run_at == moment, _TASKS.c.id > number)
        found = found.where(sa.or_(_TASKS.c.next_run_at > moment, later))
    rows = tx.execute(found.order_by(_TASKS.c.next_run_at, _TASKS.c.id).limit(limit))
    return [tasks.to_task(row) for row in rows]


def waiting(tx: Tx, groups: Sequence[str] | None = None, batch_id: str | None = None) -> list[WaitingTexts]:
    """One line per batch, of these agent groups or all; next first."""
    paused = sa.case((_TASKS.c.status == TaskStatus.PAUSED.value, 1), else_=0)
    next_at = sa.func.min(_TASKS.c.next_run_at, type_=_TASKS.c.next_run_at.type)
    found = sa.select(
        _TASKS.c.batch_id,
        _TASKS.c.group_id,
        sa.func.count().label("texts"),
        sa.func.sum(paused).label("paused"),
        next_at.label("next_at"),
        sa.func.max(_TASKS.c.next_run_at, type_=_TASKS.c.next_run_at.type).label("last_at"),
    ).where(TASK_OF_BATCH)
    if groups is not None:
        found = found.where(_TASKS.c.group_id.in_(groups))
    if batch_id is not None:
        found = found.where(_TASKS.c.batch_id == batch_id)
    by_batch = found.group_by(_TASKS.c.batch_id, _TASKS.c.group_id).order_by(next_at).limit(_MOST_LINES)
    return [
        WaitingTexts(
            batch_id=row.batch_id,
            group=row.group_id,
            count=row.texts,
            paused=int(row.paused),
            next=row.next_at,
            last=row.last_at,
        )
        for row in tx.execute(by_batch)
    ]


def count_in(tx: Tx, group: str) -> int:
    found = sa.select(sa.func.count()).where(TASK_OF_BATCH, _TASKS.c.group_id == group)
    return int(tx.execute(found).scalar_one())


def delete_waiting(tx: Tx, batch_id: str) -> int:
    """Delete all texts of the batch that are not being sent right now; they may be scheduled again. Returns
    how many.
    """
    gone = sa.and_(TASK_OF_BATCH, _TASKS.c.batch_id == batch_id, _TASKS.c.next_run_at.is_not(None))
    these = sa.select(_TASKS.c.id).where(gone)
    items = sa.and_(batch_items.c.batch_id == batch_id, batch_items.c.task_id.in_(these))
    tx.execute(sa.update(batch_items).where(items).values(task_id=None))
    deleted = {"status": TaskStatus.DELETED.value, "next_run_at": None}
    count = tx.execute(sa.update(_TASKS).where(gone).values(**deleted)).rowcount
    announce(tx, EVERY_CHAT, TaskChanged(0))  # not a single task: lists are reloaded
    return int(count)


def rewrite_item(tx: Tx, task: Task, text: str) -> None:
    """Update the batch's text too, so that it shows what will be sent."""
    tx.execute(_ITEM_OF, {"batch": task.batch_id, "task": task.id, "text": text})


def release_item(tx: Tx, task: Task) -> None:
    """The task is deleted: its text may be scheduled again."""
    tx.execute(_ITEM_OF, {"batch": task.batch_id, "task": task.id, "task_id": None})
