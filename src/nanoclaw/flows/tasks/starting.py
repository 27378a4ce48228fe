"""A run begins: what is to be done comes into the task's own session as a message, in the name of its owner."""

import hashlib
from collections.abc import Sequence
from datetime import datetime, timedelta

from nanoclaw.domain.ids import MessageId, SessionId, new_id
from nanoclaw.domain.messages import Incoming
from nanoclaw.domain.tasks import Run, Task
from nanoclaw.durable import inbox, messages, people, sessions, task_runs, tasks, work
from nanoclaw.durable.store import Tx
from nanoclaw.durable.timeline import Event, note

_SCHEDULED, _BACKGROUND = "sr", "sb"  # how the ids of their sessions begin: they wait in lanes of their own


def start_next(tx: Tx, task: Task, waiting: Sequence[Run], at: datetime, **marks: object) -> None:
    """The first of the runs that are not over, unless one is under way, which may be a later one: somebody wanted it
    just before the moment of another was taken up. `marks` are written into the task's row too."""
    if not waiting or any(run.message_id for run in waiting):
        if marks:
            tasks.mark(tx, task.id, **marks)
    else:
        _start(tx, task, waiting[0], at, marks)


def _start(tx: Tx, task: Task, run: Run, at: datetime, marks: dict[str, object]) -> None:
    session_id = _session(tx, task, at)
    owner = people.person(tx, task.owner)
    told = Incoming(
        channel=messages.HOST,
        address="",
        external_id=f"run {run.id}",
        handle=owner.handle,
        sender=owner.name,
        text=task.prompt,
        sent_at=at,
    )
    message = messages.store(tx, MessageId(new_id("m")), told, task.chat_id, owner.id, at)
    inbox.join(tx, message.id, session_id)
    note(tx, message.id, Event.TASK_DUE, at, task=task.id, reason=run.reason)
    task_runs.mark(tx, run.id, message_id=message.id)
    tasks.mark(tx, task.id, last_run_at=at, run_count=task.run_count + 1, session_id=session_id, **marks)
    begins = max(at, run.run_at + spread(task, run.run_at))
    work.due(tx, work.lane_of(session_id), session_id, begins, priority=task.priority.rank)
    if run.deliver_by:
        work.due(tx, work.TASK, str(task.id), run.deliver_by)


def spread(task: Task, run_at: datetime) -> timedelta:
    """The same for the same run, also after a restart."""
    if not task.policy.jitter:
        return timedelta()
    drawn = hashlib.sha256(f"{task.id} {run_at.isoformat()}".encode()).digest()
    return task.policy.jitter * (int.from_bytes(drawn[:4]) / 2**32)


def _session(tx: Tx, task: Task, at: datetime) -> SessionId:
    """Each run begins anew in it; what it needs from the last one is in its files."""
    if task.session_id:
        sessions.clear(tx, task.session_id, at)
        return task.session_id
    return sessions.open_for_task(
        tx,
        task_id=task.id,
        lane=_BACKGROUND if task.is_background else _SCHEDULED,
        group=task.group,
        chat_id=task.chat_id,
        thread=task.thread,
        at=at,
    )
