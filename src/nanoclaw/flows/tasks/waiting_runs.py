"""A run that waits in its session, for a place or a retry, stays there while its task is paused."""

from datetime import datetime, timedelta

from nanoclaw.domain.tasks import RunStatus, Task
from nanoclaw.durable import messages, session_queue, task_runs, tasks, work
from nanoclaw.durable.store import Tx

_FOR_GOOD = timedelta(days=36_500)  # until a person resumes it
_WAITING = (RunStatus.QUEUED, RunStatus.RETRYING)


def hold(tx: Tx, task: Task, at: datetime) -> None:
    if task.session_id and _waits(tx, task):
        session_queue.put_off_waiting(tx, task.session_id, at + _FOR_GOOD)


def let_go(tx: Tx, task: Task, at: datetime) -> bool:
    """Let a held run continue. False if nothing was held."""
    if not task.session_id or not _waits(tx, task):
        return False
    session_queue.put_off_waiting(tx, task.session_id, at)
    work.due(tx, tasks.lane_of(task), task.session_id, at, priority=task.priority.rank)
    return True


def reword(tx: Tx, task: Task, prompt: str) -> None:
    """Put a corrected text into the retry of a failed task too, not only into its next run."""
    run = task_runs.current(tx, task.id)
    if run and run.message_id and run.status in _WAITING and messages.is_untouched(tx, run.message_id):
        messages.reword(tx, run.message_id, prompt)


def _waits(tx: Tx, task: Task) -> bool:
    run = task_runs.current(tx, task.id)
    return run is not None and run.status in _WAITING
