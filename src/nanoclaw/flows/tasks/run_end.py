"""A turn of a run has ended: the run is over, waits for a person, or is retried; the series continues.

All of it is one transaction, which also notes the turns the run has seen: even after a crash, a result is
posted once and a failure reported once.
"""

from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from nanoclaw.domain.continuations import Continuation
from nanoclaw.domain.people import Actor, Rights, Role
from nanoclaw.domain.pipeline_runs import PipelineRunStatus as PipelineStatus
from nanoclaw.domain.tasks import Run, RunReason, RunStatus, Task, TaskStatus
from nanoclaw.domain.turns import TurnState
from nanoclaw.durable import questions, session_queue, task_runs, tasks, work
from nanoclaw.durable.store import Tx
from nanoclaw.durable.timeline import Event, note
from nanoclaw.durable.turns import EndedTurn, ended_for
from nanoclaw.flows.human.resolution import Resolution
from nanoclaw.flows.pipelines.outputs import closing_of
from nanoclaw.flows.tasks import waiting_runs
from nanoclaw.flows.tasks.cards import TaskCards
from nanoclaw.flows.tasks.notices import Notices
from nanoclaw.flows.tasks.result_delivery import ResultDelivery, let_know
from nanoclaw.flows.tasks.run_start import start_next
from nanoclaw.flows.tasks.task_pipelines import TaskPipelines

_SLOWER = 5  # factor from one retry to the next
_MOST_TIMES_SLOWER = 8
_LONGEST_PAUSE = timedelta(hours=6)  # unless the first is configured longer


STALE = "run-stale"
"""The run waited so long that it is no longer useful."""


@dataclass(frozen=True, kw_only=True, slots=True)
class RunEnds:
    cards: TaskCards
    notices: Notices
    result_delivery: ResultDelivery
    resolution: Resolution
    pipelines: TaskPipelines

    def go_on(self, tx: Tx, run_id: str, at: datetime) -> None:
        """Process the turns that have ended since the run was last looked at."""
        found = task_runs.get(tx, run_id)
        task = tasks.locked(tx, found.task_id) if found else None
        # Read again under the lock; a person may have ended it meanwhile.
        while task and (run := task_runs.get(tx, run_id)) and run.status.is_open:
            if task.stored_text is not None:
                self._post_stored(tx, task, run, task.stored_text, at)
                return
            ended = ended_for(tx, Continuation(work.RUN_STEP, run_id), after=run.turn_id)
            if not ended:
                self._look_at_pipeline(tx, task, run, at)
                return
            # The ledger may lag a moment behind; but only it knows what was paid before a crash.
            spent = max(ended[0].micros, task_runs.spent_in(tx, ended[0].id))
            task_runs.mark(tx, run.id, micros=run.micros + spent, turn_id=ended[0].id)
            self._ended(tx, task, task_runs.get(tx, run.id) or run, ended[0], at, is_last=len(ended) == 1)
            task = tasks.get(tx, task.id)

    def _ended(self, tx: Tx, task: Task, run: Run, turn: EndedTurn, at: datetime, *, is_last: bool) -> None:
        session_id = turn.session_id
        match turn.state:
            case TurnState.FAILED:
                self._went_wrong(tx, task, run, turn, at)
            case TurnState.STOPPED:
                self.end(tx, task, run, RunStatus.CANCELLED, at)
            case _ if turn.skipped and self.pipelines.is_started(tx, run):
                return  # its end makes this due again
            # The check, too, may wait for permission, and the answer may be there before the turn has ended.
            case _ if turn.skipped and not (
                questions.open_of(tx, session_id) or session_queue.waiting_in(tx, session_id, 1, at)
            ):
                self.end(tx, task, run, RunStatus.SKIPPED, at, error={"key": "run-not-needed"})
            case _:
                waits = (
                    questions.open_of(tx, session_id)
                    or session_queue.waiting_in(tx, session_id, 1, at)
                    or session_queue.open_turn(tx, session_id)
                )
                self._went_well(tx, task, run, turn, at, waits=bool(waits) or not is_last)

    def _post_stored(self, tx: Tx, task: Task, run: Run, text: str, at: datetime) -> None:
        """Post in the transaction that ends the run: once, even after a crash."""
        parcel_id = self.result_delivery.post_stored(tx, task, run, text, at)
        tasks.mark(tx, task.id, failures=0)
        self.end(tx, task, run, RunStatus.SUCCESS, at, result=text, parcel_id=parcel_id)

    def _look_at_pipeline(self, tx: Tx, task: Task, run: Run, at: datetime) -> None:
        """The pipeline it started has posted its texts itself; only tell the agent of the chat."""
        ended = self.pipelines.ended(tx, run)
        if ended is None:
            return
        task_runs.mark(tx, run.id, micros=run.micros + ended.micros)
        run = replace(run, micros=run.micros + ended.micros)
        match ended.status:
            case PipelineStatus.DONE:
                if task.notify and ended.said:
                    let_know(tx, task, ended.said, ended.run_id, at)
                tasks.mark(tx, task.id, failures=0)
                told = {"result": ended.said, "parcel_id": closing_of(tx, ended.run_id)}
                self.end(tx, task, run, RunStatus.SUCCESS, at, **told)
            case PipelineStatus.CANCELLED:
                self.end(tx, task, run, RunStatus.CANCELLED, at)
            case _:
                self._give_up(tx, task, run, dict(ended.error or {}), at)

    def _went_well(self, tx: Tx, task: Task, run: Run, turn: EndedTurn, at: datetime, *, waits: bool) -> None:
        """What it says before it waits for an answer is sent too: often the question refers to it."""
        shown = f"{turn.said}{turn.note}" if turn.said else ""
        parcel_id = self.result_delivery.post(tx, task, run, shown, turn.id, at)
        said = "\n\n".join(part for part in (run.result, turn.said) if part)
        told = {"result": said, "parcel_id": parcel_id or run.parcel_id}
        if waits:
            task_runs.mark(tx, run.id, status=RunStatus.WAITING.value, **told)
            return
        tasks.mark(tx, task.id, failures=0)
        self.end(tx, task, run, RunStatus.SUCCESS, at, **told)

    def _went_wrong(self, tx: Tx, task: Task, run: Run, turn: EndedTurn, at: datetime) -> None:
        written = turn.error or {"key": "unexpected", "said": ""}
        if not turn.lasting and run.attempts < task.policy.retries and run.message_id:
            slower = _SLOWER ** min(run.attempts, _MOST_TIMES_SLOWER)
            pause = min(task.policy.retry_pause * slower, max(_LONGEST_PAUSE, task.policy.retry_pause))
            task_runs.mark(
                tx, run.id, status=RunStatus.RETRYING.value, attempts=run.attempts + 1, error=written
            )
            for message in session_queue.messages_of(
                tx, turn.id
            ):  # the task itself, or an answer it waited for
                session_queue.reopen(tx, message.id, turn.session_id)
                session_queue.put_off(tx, message.id, at + pause)
            seconds = round(pause.total_seconds())
            note(tx, run.message_id, Event.RUN_AGAIN, at, turn=turn.id, seconds=seconds)
            work.due(tx, tasks.lane_of(task), turn.session_id, at + pause)
            # Edited while it ran.
            waiting_runs.reword(tx, task, task.prompt)
            if task.status is TaskStatus.PAUSED and run.reason is not RunReason.MANUAL:
                waiting_runs.hold(tx, task, at)
            if task.is_background:
                self.cards.refresh(tx, task.id, at)
            return
        self._give_up(tx, task, run, written, at)

    def _give_up(self, tx: Tx, task: Task, run: Run, written: dict[str, object], at: datetime) -> None:
        task, status = self._count(tx, task, str(written["key"]))
        self.end(tx, task, run, status, at, error=written)
        left, ended = tasks.get(tx, task.id) or task, task_runs.get(tx, run.id) or run
        self.notices.failed(tx, left, ended, at)

    def _count(self, tx: Tx, task: Task, error: str) -> tuple[Task, RunStatus]:
        """Pause a series that failed too often, before its queued runs fail too."""
        if error == STALE:  # the task itself is fine
            return task, RunStatus.MISSED
        task = replace(task, failures=task.failures + 1)
        too_often = task.schedule.repeats and task.failures >= task.policy.pause_after
        if too_often and task.status is TaskStatus.ACTIVE:
            task = replace(task, status=TaskStatus.PAUSED, why="failures")
        tasks.mark(tx, task.id, failures=task.failures, status=task.status.value, why=task.why)
        return task, RunStatus.FAILED

    def _take_questions_back(self, tx: Tx, task: Task, at: datetime) -> None:
        """Nobody waits for the answers any more, and the next run must not be mistaken for one that does."""
        for question in questions.open_of(tx, task.session_id) if task.session_id else ():
            questions.carry(tx, question.id, at)  # an answer already on its way wakes nobody
            self.resolution.cancel(tx, question, _HOST, at)

    def end(self, tx: Tx, task: Task, run: Run, status: RunStatus, at: datetime, **values: object) -> None:
        """End the run. The next waiting one begins, unless the task is paused."""
        task_runs.end(tx, run, status, at, **values)
        self._take_questions_back(tx, task, at)
        self.pipelines.cancel(tx, run, at)
        if task.session_id:  # drop a retry that an answer made unnecessary
            session_queue.stop_waiting(tx, task.session_id)
        left = tasks.get(tx, task.id) or task
        waiting = task_runs.open_of(tx, task.id)
        # A run started by hand leaves the scheduled time as it is.
        if left.status.is_alive and _is_over(left, at) and not waiting:
            tasks.mark(tx, task.id, status=_LAST[status].value)
            left = replace(left, status=_LAST[status])
        if left.status is TaskStatus.ACTIVE:
            start_next(tx, left, waiting, at)
        if task.is_background or not left.status.is_alive:
            self.cards.refresh(tx, task.id, at)
        if task.asked_by:  # leave the result where the agent that asked can read it
            work.due(tx, work.TASK, str(task.id), at)


def _is_over(task: Task, at: datetime) -> bool:
    """Whether no time is left: a one-off may have come due while it was paused."""
    passed = task.status is TaskStatus.PAUSED and not task.schedule.repeats
    return task.next_run_at is None or (passed and task.next_run_at <= at)


_LAST = {
    RunStatus.SUCCESS: TaskStatus.COMPLETED,
    RunStatus.SKIPPED: TaskStatus.COMPLETED,
    RunStatus.CANCELLED: TaskStatus.CANCELLED,
    RunStatus.FAILED: TaskStatus.FAILED,
    RunStatus.MISSED: TaskStatus.FAILED,
}


_HOST = Actor(handle="host", name="", rights=Rights(everywhere=Role.STRANGER), via="host", language="en")
