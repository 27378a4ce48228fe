"""A run begins: its prompt enters the task's own session as a message, on behalf of its owner.

A task with a stored text needs no session: the text is posted as it is.
"""

import hashlib
from collections.abc import Sequence
from datetime import datetime, timedelta

from nanoclaw.domain.continuations import Continuation
from nanoclaw.domain.ids import MessageId, SessionId, new_id
from nanoclaw.domain.messages import End
from nanoclaw.domain.tasks import Run, RunStatus, Task
from nanoclaw.durable import messages, people, prompts, sessions, task_runs, tasks, work
from nanoclaw.durable.store import Tx
from nanoclaw.durable.timeline import Event, note


def start_next(tx: Tx, task: Task, waiting: Sequence[Run], at: datetime, **marks: object) -> None:
    """Start the first run that is not over, unless one is active. The active one may be later in the list: a person
    started it just before a scheduled time came. `marks` are written into the task's row too."""
    if not waiting or any(run.message_id for run in waiting):
        if marks:
            tasks.mark(tx, task.id, **marks)
    else:
        _start(tx, task, waiting[0], at, marks)


def _start(tx: Tx, task: Task, run: Run, at: datetime, marks: dict[str, object]) -> None:
    if task.stored_text is not None:
        _start_without_agent(tx, task, run, at, marks)
        return
    session_id = _session(tx, task, run, at)
    owner, begins = people.person(tx, task.owner), max(at, run.run_at + spread(task, run.run_at))
    message_id = prompts.give(tx, session_id, task.prompt, owner, f"run {run.id}", at, begins=begins)
    note(tx, message_id, Event.TASK_DUE, at, task=task.id, reason=run.reason)
    task_runs.mark(tx, run.id, message_id=message_id)
    tasks.mark(tx, task.id, last_run_at=at, run_count=task.run_count + 1, session_id=session_id, **marks)
    if run.deliver_by:
        work.due(tx, work.TASK, str(task.id), run.deliver_by)


def _start_without_agent(tx: Tx, task: Task, run: Run, at: datetime, marks: dict[str, object]) -> None:
    """Its text exists already: the next step of the run posts it. `why` explains the run through this message."""
    owner = people.person(tx, task.owner)
    told = messages.by_host(f"run {run.id}", owner, task.prompt, at, sender=owner.name, thread=task.thread)
    message = messages.store(tx, MessageId(new_id("m")), told, task.chat_id, task.owner, at)
    messages.end(tx, message.id, End.ANSWERED)
    note(tx, message.id, Event.TASK_DUE, at, task=task.id, reason=run.reason)
    task_runs.mark(tx, run.id, message_id=message.id, status=RunStatus.RUNNING.value, started_at=at)
    tasks.mark(tx, task.id, last_run_at=at, run_count=task.run_count + 1, **marks)
    work.due(tx, work.RUN_STEP, run.id, at)
    if run.deliver_by:
        work.due(tx, work.TASK, str(task.id), run.deliver_by)


def spread(task: Task, run_at: datetime) -> timedelta:
    """The jitter of a run: the same for the same run, even after a restart."""
    if not task.policy.jitter:
        return timedelta()
    drawn = hashlib.sha256(f"{task.id} {run_at.isoformat()}".encode()).digest()
    return task.policy.jitter * (int.from_bytes(drawn[:4]) / 2**32)


def _session(tx: Tx, task: Task, run: Run, at: datetime) -> SessionId:
    """Each run starts afresh; what it needs from the last one is in its files. The run waits for the session's
    turns."""
    session_id = task.session_id
    if session_id:
        sessions.clear(tx, session_id, at)
    else:
        session_id = sessions.open_apart(
            tx,
            lane=tasks.lane_of(task),
            group=task.group,
            chat_id=task.chat_id,
            thread=task.thread,
            task_id=task.id,
            at=at,
        )
    sessions.let_wait(tx, session_id, Continuation(work.RUN_STEP, run.id), task.priority.rank)
    return session_id
