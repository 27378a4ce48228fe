"""The rows of runs: each time a task was done, or should have been."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

import sqlalchemy as sa

from nanoclaw.domain.ids import MessageId, ParcelId, new_id
from nanoclaw.domain.news import EVERY_CHAT, TaskChanged
from nanoclaw.domain.tasks import OVERLAPS, Run, RunReason, RunStatus, Task
from nanoclaw.durable import budgets
from nanoclaw.durable.after_commit import announce
from nanoclaw.durable.store import Tx
from nanoclaw.durable.tables import RESERVED, costs, session_queue, task_run_logs
from nanoclaw.durable.upsert import insert_if_new

_LOGS = task_run_logs
_CALLS_OF_TURN = 20
_MOST_OUTLINED = 100_000
_LOOKED_AT = 200  # runs examined: some of them were skipped
_OPEN = sa.and_(_LOGS.c.task_id == sa.bindparam("task"), _LOGS.c.finished_at.is_(None))
_OPEN_OF = sa.select(_LOGS).where(_OPEN).order_by(_LOGS.c.run_at)
_GET = sa.select(_LOGS).where(_LOGS.c.id == sa.bindparam("id"))
_MARK = sa.update(_LOGS).where(_LOGS.c.id == sa.bindparam("run")).returning(_LOGS.c.task_id)
_PUT_OFF = sa.update(session_queue).where(session_queue.c.message_id == sa.bindparam("message"))
_AWAITED = (
    sa.select(_LOGS)
    .where(
        _LOGS.c.task_id == sa.bindparam("task"), _LOGS.c.deliver_by.is_not(None), _LOGS.c.alarmed_at.is_(None)
    )
    .order_by(_LOGS.c.deliver_by)
)
_UNFILED = sa.select(_LOGS).where(
    _LOGS.c.task_id == sa.bindparam("task"), _LOGS.c.finished_at.is_not(None), _LOGS.c.filed_at.is_(None)
)


def add(
    tx: Tx,
    task: Task,
    run_at: datetime,
    reason: RunReason,
    at: datetime,
    *,
    status: RunStatus = RunStatus.QUEUED,
    error: dict[str, object] | None = None,
) -> Run | None:
    """None if this time of the task already has its run."""
    run_id = new_id("r")
    by = task.policy.deliver_by
    values: dict[str, Any] = {
        "id": run_id,
        "task_id": task.id,
        "run_at": run_at,
        "reason": reason.value,
        "status": status.value,
        "attempts": 0,
        "created_at": at,
        "micros": 0,
        "error": error,
        **({"deliver_by": run_at + by} if by and (status.is_open or _overlaps(error)) else {}),
        **({} if status.is_open else {"finished_at": at}),
    }
    if tx.execute(insert_if_new(tx, _LOGS), values).first() is None:
        return None
    announce(tx, EVERY_CHAT, TaskChanged(task.id))
    return Run(
        id=run_id,
        task_id=task.id,
        run_at=run_at,
        reason=reason,
        status=status,
        created_at=at,
        finished_at=values.get("finished_at"),
        error=error,
        deliver_by=values.get("deliver_by"),
    )


def _overlaps(error: dict[str, object] | None) -> bool:
    """Nothing will be delivered for it, and people who rely on it must be told."""
    return error is not None and error["key"] == OVERLAPS


def get(tx: Tx, run_id: str) -> Run | None:
    row = tx.execute(_GET, {"id": run_id}).first()
    return to_run(row) if row else None


def open_of(tx: Tx, task_id: int) -> list[Run]:
    """Runs that are active or wait, first due first."""
    return [to_run(row) for row in tx.execute(_OPEN_OF, {"task": task_id})]


def current(tx: Tx, task_id: int) -> Run | None:
    """The run whose message is in the task's session."""
    return next((run for run in open_of(tx, task_id) if run.message_id), None)


def mark(tx: Tx, run_id: str, **values: object) -> None:
    announce(tx, EVERY_CHAT, TaskChanged(tx.execute(_MARK, {"run": run_id, **values}).scalar_one()))


def end(tx: Tx, run: Run, status: RunStatus, at: datetime, **values: object) -> Run:
    took = round((at - run.started_at).total_seconds() * 1000) if run.started_at else None
    mark(tx, run.id, status=status.value, finished_at=at, duration_ms=took, doing=None, **values)
    return get(tx, run.id) or run


def awaited(tx: Tx, task_id: int) -> list[Run]:
    """Runs with a delivery deadline, unless someone was already told that it was missed."""
    return [to_run(row) for row in tx.execute(_AWAITED, {"task": task_id})]


def unfiled(tx: Tx, task_id: int) -> list[Run]:
    """Finished runs whose result the asking agent has not received."""
    return [to_run(row) for row in tx.execute(_UNFILED, {"task": task_id})]


def history(tx: Tx, task_id: int, limit: int, *, before: str | None = None) -> list[Run]:
    """Runs, newest first."""
    found = sa.select(_LOGS).where(_LOGS.c.task_id == task_id)
    if before:
        found = found.where(_LOGS.c.id < before)
    rows = tx.execute(found.order_by(_LOGS.c.id.desc()).limit(limit))
    return _as_shown(tx, [to_run(row) for row in rows])


def outline(tx: Tx, start: datetime, end: datetime) -> list[tuple[str, int, datetime, str]]:
    """Id, task, time and status of the runs of all tasks; if there are very many, the newest."""
    found = sa.select(_LOGS.c.id, _LOGS.c.task_id, _LOGS.c.run_at, _LOGS.c.status).where(
        _LOGS.c.run_at >= start, _LOGS.c.run_at < end
    )
    rows = tx.execute(found.order_by(_LOGS.c.run_at.desc()).limit(_MOST_OUTLINED)).all()
    return [(row.id, row.task_id, row.run_at, row.status) for row in reversed(rows)]


def by_ids(tx: Tx, ids: Sequence[str]) -> list[Run]:
    """These runs, in the order they were due."""
    found = sa.select(_LOGS).where(_LOGS.c.id.in_(ids)).order_by(_LOGS.c.run_at)
    return _as_shown(tx, [to_run(row) for row in tx.execute(found)])


def last_of(tx: Tx, task_ids: Sequence[int]) -> dict[int, Run]:
    """The newest run of each of these tasks."""
    newest = sa.select(sa.func.max(_LOGS.c.id)).where(_LOGS.c.task_id.in_(task_ids)).group_by(_LOGS.c.task_id)
    rows = tx.execute(sa.select(_LOGS).where(_LOGS.c.id.in_(newest)))
    return {run.task_id: run for run in _as_shown(tx, [to_run(row) for row in rows])}


def _as_shown(tx: Tx, runs: list[Run]) -> list[Run]:
    """Runs as shown: one that waits for money is not under way, whatever its row says."""
    if not any(run.status is RunStatus.RUNNING for run in runs):
        return runs
    unpaid = budgets.waiting(tx).tasks
    return [
        replace(run, status=RunStatus.UNPAID)
        if run.status is RunStatus.RUNNING and run.task_id in unpaid
        else run
        for run in runs
    ]


def costs_of(tx: Tx, task_id: int, limit: int) -> list[int]:
    """The cost of the last completed runs, in micros."""
    found = (
        sa.select(_LOGS.c.micros, _LOGS.c.status)
        .where(_LOGS.c.task_id == task_id)
        .order_by(_LOGS.c.id.desc())
        .limit(_LOOKED_AT)
    )
    done = [row.micros for row in tx.execute(found) if row.status == RunStatus.SUCCESS]
    return done[:limit]


def costs_like(tx: Tx, group: str, skill: str, limit: int) -> list[int]:
    """The cost of the last turns of this agent group, with this skill if one is named."""
    like = [costs.c.agent_group == group, costs.c.turn_id != "", ~RESERVED]
    found = (
        sa.select(costs.c.turn_id, costs.c.micros)
        .where(*like, *([costs.c.skill == skill] if skill else []))
        .order_by(costs.c.id.desc())
        .limit(_CALLS_OF_TURN * limit)  # not every call ever paid for
    )
    turns: dict[str, int] = {}
    for row in tx.execute(found):
        turns[row.turn_id] = turns.get(row.turn_id, 0) + row.micros
    return list(turns.values())[:limit]


def spent_in(tx: Tx, turn_id: str) -> int:
    """What a turn cost, in micros, as far as known."""
    spent = sa.select(sa.func.coalesce(sa.func.sum(costs.c.micros), 0)).where(
        costs.c.turn_id == turn_id, ~RESERVED
    )
    return int(tx.execute(spent).scalar_one())


def to_run(row: Any) -> Run:
    return Run(
        id=row.id,
        task_id=row.task_id,
        run_at=row.run_at,
        reason=RunReason(row.reason),
        status=RunStatus(row.status),
        created_at=row.created_at,
        attempts=row.attempts,
        started_at=row.started_at,
        finished_at=row.finished_at,
        duration_ms=row.duration_ms,
        micros=row.micros,
        result=row.result,
        error=row.error,
        message_id=row.message_id and MessageId(row.message_id),
        turn_id=row.turn_id,
        parcel_id=row.parcel_id and ParcelId(row.parcel_id),
        deliver_by=row.deliver_by,
        alarmed_at=row.alarmed_at,
        filed_at=row.filed_at,
        doing=row.doing,
    )
