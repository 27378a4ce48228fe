"""The rows of tasks: what to do, when next, and under which policy."""

from collections.abc import Sequence
from dataclasses import fields
from datetime import datetime, timedelta
from typing import Any

import sqlalchemy as sa

from nanoclaw.domain.ids import ChatId, PersonId, SessionId
from nanoclaw.domain.model_choice import ThinkingChoice
from nanoclaw.domain.news import EVERY_CHAT, TaskChanged
from nanoclaw.domain.schedules import Schedule, ScheduleType
from nanoclaw.domain.tasks import (
    SPANS,
    CatchUp,
    Overlap,
    Policy,
    Priority,
    Task,
    TaskKind,
    TaskStatus,
    WantedTask,
    ZoneOf,
    title_of,
)
from nanoclaw.durable import work
from nanoclaw.durable.after_commit import announce
from nanoclaw.durable.store import Tx
from nanoclaw.durable.tables import TASK_LISTED, UtcTime, scheduled_tasks

_GET = sa.select(scheduled_tasks).where(scheduled_tasks.c.id == sa.bindparam("id"))
_LOCKED = _GET.with_for_update()
_MADE_FOR = sa.select(scheduled_tasks).where(scheduled_tasks.c.origin == sa.bindparam("origin"))
_MARK = sa.update(scheduled_tasks).where(scheduled_tasks.c.id == sa.bindparam("task"))
_RESCHEDULE = _MARK.values(
    next_run_at=sa.bindparam("next_run_at", type_=UtcTime), anchor_at=sa.bindparam("anchor_at", type_=UtcTime)
)

# The column of each field of a task but its schedule: the same name, except for two.
_NAMED = {"group": "group_id", "check": "check_script"}
_COLUMNS = {each.name: _NAMED.get(each.name, each.name) for each in fields(Task) if each.name != "schedule"}


def add(
    tx: Tx,
    wanted: WantedTask,
    *,
    group: str,
    chat_id: ChatId,
    thread: str | None,
    owner: PersonId,
    zone_of: ZoneOf,
    next_run_at: datetime | None,
    at: datetime,
    asked_by: SessionId | None = None,
    origin: str | None = None,
    is_mixed: bool = False,
) -> Task:
    values = {
        "kind": wanted.kind.value,
        "group_id": group,
        **_scheduled(wanted.schedule),
        "skill": wanted.skill,
        "prompt": wanted.prompt,
        "model": wanted.model,
        "notify": wanted.notify,
        "next_run_at": next_run_at,
        "run_count": 0,
        "status": TaskStatus.ACTIVE.value,
        "created_at": at,
        "zone_of": zone_of.value,
        "owner": owner,
        "chat_id": chat_id,
        "thread": thread or "",
        "policy": written_policy(wanted.policy),
        "priority": wanted.priority.value,
        "check_script": wanted.check,
        "estimated_minutes": wanted.estimated_minutes,
        "failures": 0,
        "asked_by": asked_by,
        "origin": origin,
        "is_mixed": is_mixed,
    }
    row = tx.execute(sa.insert(scheduled_tasks).returning(*scheduled_tasks.c), values).one()
    announce(tx, EVERY_CHAT, TaskChanged(row.id))
    return to_task(row)


def lane_of(task: Task) -> str:
    """The kind of work its turns are, so that those that take hours do not hold up others."""
    return work.BACKGROUND if task.is_background else work.RUN


def get(tx: Tx, task_id: int) -> Task | None:
    row = tx.execute(_GET, {"id": task_id}).first()
    return to_task(row) if row else None


def locked(tx: Tx, task_id: int) -> Task | None:
    """The task, locked until this transaction ends."""
    row = tx.execute(_LOCKED, {"id": task_id}).first()
    return to_task(row) if row else None


def made_for(tx: Tx, origin: str) -> Task | None:
    """The task that this request of an agent already created."""
    row = tx.execute(_MADE_FOR, {"origin": origin}).first()
    return to_task(row) if row else None


def alive(tx: Tx, groups: Sequence[str] | None = None, limit: int = 1000) -> list[Task]:
    """Tasks that may still run, of these agent groups or all, without those of batches; oldest first."""
    found = sa.select(scheduled_tasks).where(TASK_LISTED)
    if groups is not None:
        found = found.where(scheduled_tasks.c.group_id.in_(groups))
    return [to_task(row) for row in tx.execute(found.order_by(scheduled_tasks.c.id).limit(limit))]


def coming(tx: Tx, until: datetime, limit: int) -> list[Task]:
    """Tasks due by then, next first."""
    due = sa.and_(scheduled_tasks.c.status == TaskStatus.ACTIVE.value, scheduled_tasks.c.next_run_at < until)
    found = sa.select(scheduled_tasks).where(due).order_by(scheduled_tasks.c.next_run_at).limit(limit)
    return [to_task(row) for row in tx.execute(found)]


def recent(tx: Tx, limit: int, *, before: int | None = None, alive: bool = True) -> list[Task]:
    """Tasks that may still run, or all that were not deleted, without those of batches; newest first."""
    kept = scheduled_tasks.c.status != TaskStatus.DELETED.value
    found = sa.select(scheduled_tasks).where(
        *([TASK_LISTED] if alive else [kept, scheduled_tasks.c.batch_id.is_(None)])
    )
    if before is not None:
        found = found.where(scheduled_tasks.c.id < before)
    return [to_task(row) for row in tx.execute(found.order_by(scheduled_tasks.c.id.desc()).limit(limit))]


def titles(tx: Tx, ids: Sequence[int]) -> dict[int, str]:
    """The first words of each prompt."""
    table = scheduled_tasks
    found = sa.select(table.c.id, sa.func.substr(table.c.prompt, 1, 300).label("prompt")).where(
        table.c.id.in_(ids)
    )
    return {row.id: title_of(row.prompt) for row in tx.execute(found)}


def count_alive(tx: Tx, group: str, kind: TaskKind) -> int:
    found = sa.select(sa.func.count()).where(
        scheduled_tasks.c.group_id == group, TASK_LISTED, scheduled_tasks.c.kind == kind.value
    )
    return int(tx.execute(found).scalar_one())


def mark(tx: Tx, task_id: int, **values: object) -> None:
    if values:
        tx.execute(_MARK, {"task": task_id, **values})
        announce(tx, EVERY_CHAT, TaskChanged(task_id))


def change(
    tx: Tx, task: Task, *, schedule: Schedule | None = None, policy: Policy | None = None, **values: object
) -> None:
    """Store a person's edit."""
    scheduled = _scheduled(schedule) if schedule else {}
    treated = {"policy": written_policy(policy)} if policy else {}
    mark(tx, task.id, **scheduled, **treated, **values)


def shift_intervals(tx: Tx, by: timedelta) -> list[int]:
    """The clock was set: intervals keep their distance, because only the clock jumped. Clock times stay."""
    table = scheduled_tasks
    found = sa.select(table.c.id, table.c.next_run_at, table.c.anchor_at).where(
        TASK_LISTED, table.c.schedule_type == ScheduleType.INTERVAL.value
    )
    moved = [
        {
            "task": row.id,
            "next_run_at": row.next_run_at and row.next_run_at + by,
            "anchor_at": row.anchor_at + by,
        }
        for row in tx.execute(found)
    ]
    if moved:
        tx.execute(_RESCHEDULE, moved)
    return [each["task"] for each in moved]


def _scheduled(schedule: Schedule) -> dict[str, Any]:
    return {
        "schedule_type": schedule.type.value,
        "schedule_value": schedule.value,
        "timezone": schedule.timezone,
        "anchor_at": schedule.anchor,
    }


def written_policy(policy: Policy) -> dict[str, Any]:
    """Only what differs from the defaults, because those may change."""
    usual = Policy().in_seconds()
    return {name: value for name, value in policy.in_seconds().items() if value != usual[name]}


def _policy(written: dict[str, Any]) -> Policy:
    values: dict[str, Any] = {
        name: timedelta(seconds=value) if name in SPANS else value for name, value in written.items()
    }
    if "catch_up" in values:
        values["catch_up"] = CatchUp(values["catch_up"])
    if "overlap" in values:
        values["overlap"] = Overlap(values["overlap"])
    if values.get("thinking"):
        values["thinking"] = ThinkingChoice(values["thinking"])
    return Policy(**values)


def to_task(row: Any) -> Task:
    values = {name: getattr(row, column) for name, column in _COLUMNS.items()}
    return Task(
        **values
        | {
            "kind": TaskKind(row.kind),
            "thread": row.thread or None,
            "zone_of": ZoneOf(row.zone_of),
            "policy": _policy(row.policy),
            "priority": Priority(row.priority),
            "status": TaskStatus(row.status),
            "is_mixed": bool(row.is_mixed),
        },
        schedule=Schedule(
            type=ScheduleType(row.schedule_type),
            value=row.schedule_value,
            timezone=row.timezone,
            anchor=row.anchor_at,
        ),
    )
