"""A run begins: what is to be done comes into the task's own session as a message, in the name of its owner."""

import hashlib
from datetime import datetime, timedelta

from nanoclaw.domain.ids import ChatId, MessageId, new_id
from nanoclaw.domain.messages import Incoming
from nanoclaw.domain.tasks import Run, Task
from nanoclaw.domain.turns import Session
from nanoclaw.durable import inbox, messages, people, sessions, task_runs, tasks, work
from nanoclaw.durable.aftermath import Aftermath
from nanoclaw.durable.store import Tx
from nanoclaw.durable.timeline import Event, note

_SCHEDULED, _BACKGROUND = "sr", "sb"  # how the ids of their sessions begin: they wait in lanes of their own


def start_next(tx: Tx, task: Task, at: datetime) -> Aftermath:
    """The first run that waits, unless one is under way."""
    waiting = task_runs.open_of(tx, task.id)
    if not waiting or waiting[0].message_id:
        return Aftermath()
    return _start(tx, task, waiting[0], at)


def _start(tx: Tx, task: Task, run: Run, at: datetime) -> Aftermath:
    session = _session(tx, task, at)
    sessions.clear(
        tx, session.id, at
    )  # each run begins anew; what it needs from the last one is in its files
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
    message = messages.bring(tx, MessageId(new_id("m")), ChatId(session.chat_id), owner.id, told)
    if message is None:
        return Aftermath()
    inbox.join(tx, message.id, session.id)
    note(tx, message.id, Event.TASK_DUE, at, task=task.id, reason=run.reason)
    task_runs.mark(tx, run.id, message_id=message.id)
    tasks.mark(tx, task.id, last_run_at=at, run_count=task.run_count + 1)
    begins = max(at, run.run_at + spread(task, run.run_at))
    work.due(tx, work.lane_of(session.id), session.id, begins, priority=task.priority.rank)
    return Aftermath(runs=((session.id, begins, task.priority.rank),))


def spread(task: Task, run_at: datetime) -> timedelta:
    """The same for the same run, also after a restart."""
    if not task.policy.jitter:
        return timedelta()
    drawn = hashlib.sha256(f"{task.id} {run_at.isoformat()}".encode()).digest()
    return task.policy.jitter * (int.from_bytes(drawn[:4]) / 2**32)


def _session(tx: Tx, task: Task, at: datetime) -> Session:
    if task.session_id:
        return sessions.get(tx, task.session_id)
    session = sessions.open_for_task(
        tx,
        task_id=task.id,
        lane=_BACKGROUND if task.is_background else _SCHEDULED,
        group=task.group,
        chat_id=task.chat_id,
        thread=task.thread,
        at=at,
    )
    tasks.mark(tx, task.id, session_id=session.id)
    return session
