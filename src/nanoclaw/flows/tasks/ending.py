"""A turn of a task ends: the run is over, waits for a person, or is tried again; the series goes on.

All of it is in the transaction that ends the turn, so that a result is posted once, and a failure is told once.
"""

from dataclasses import dataclass, replace
from datetime import datetime

from nanoclaw.delivery import outbox
from nanoclaw.domain.errors import NanoClawError, Refused
from nanoclaw.domain.ids import MessageId, ParcelId, TurnId, new_id
from nanoclaw.domain.messages import Incoming
from nanoclaw.domain.parcels import Author
from nanoclaw.domain.people import Rights, Role, Ruler
from nanoclaw.domain.tasks import Run, RunStatus, Task, TaskStatus
from nanoclaw.domain.turns import Session, TurnState
from nanoclaw.durable import inbox, messages, people, questions, sessions, task_runs, tasks, work
from nanoclaw.durable.aftermath import Aftermath
from nanoclaw.durable.store import Tx
from nanoclaw.durable.timeline import Event, note
from nanoclaw.flows.human.resolution import Resolution
from nanoclaw.flows.tasks import words
from nanoclaw.flows.tasks.cards import TaskCards
from nanoclaw.flows.tasks.notices import Notices
from nanoclaw.flows.tasks.starting import start_next

_SLOWER = 5  # times, from one retry to the next


class TooLate(Refused):
    """The run had to wait until it was of no use any more."""


@dataclass(frozen=True, kw_only=True, slots=True)
class TurnOver:
    """How a turn of a task went."""

    turn_id: TurnId
    session: Session
    state: TurnState
    said: str
    error: NanoClawError | None = None
    skipped: bool = False  # the check said that the agent is not needed
    micros: int = 0  # that it has cost since it began on this host


@dataclass(frozen=True, kw_only=True, slots=True)
class Endings:
    cards: TaskCards
    notices: Notices
    resolution: Resolution

    def ended(self, tx: Tx, over: TurnOver, at: datetime) -> Aftermath:
        task = tasks.locked(tx, over.session.task or 0)
        run = task_runs.current(tx, task.id) if task else None
        if task is None or run is None:  # it was deleted, or its run was ended by a person, meanwhile
            return Aftermath()
        # The book may be a moment behind; what was paid before a crash is in it alone.
        spent = max(over.micros, task_runs.spent_in(tx, over.turn_id))
        task_runs.mark(tx, run.id, micros=run.micros + spent, turn_id=over.turn_id)
        run = task_runs.get(tx, run.id) or run
        return self._ended(tx, task, run, over, at) + Aftermath(changed_tasks=(task.id,))

    def _ended(self, tx: Tx, task: Task, run: Run, over: TurnOver, at: datetime) -> Aftermath:
        match over.state:
            case TurnState.FAILED:
                return self._went_wrong(tx, task, run, over, at)
            case TurnState.STOPPED:
                return self._end(tx, task, run, RunStatus.CANCELLED, at)
            case _ if questions.open_of(tx, over.session.id) or inbox.waiting_in(tx, over.session.id, 1, at):
                return self._wait(tx, task, run, over, at)
            case _ if over.skipped:
                return self._end(tx, task, run, RunStatus.SKIPPED, at, error={"key": "run-not-needed"})
            case _:
                return self._succeed(tx, task, run, over, at)

    def _wait(self, tx: Tx, task: Task, run: Run, over: TurnOver, at: datetime) -> Aftermath:
        """What it said before it asked is often what the question is about: it is sent at once."""
        parts = [part for part in (run.result, over.said) if part]
        task_runs.mark(tx, run.id, status=RunStatus.WAITING.value, result="\n\n".join(parts) or None)
        return self._post(tx, task, run, over, at)[1]

    def _post(
        self, tx: Tx, task: Task, run: Run, over: TurnOver, at: datetime
    ) -> tuple[ParcelId | None, Aftermath]:
        if not task.notify or not over.said:
            return None, Aftermath()
        locale = self.cards.telling.locale_of(tx, task)
        parcel_id = outbox.post(
            tx,
            chat_id=task.chat_id,
            thread=task.thread,
            author=Author.AGENT,
            text=words.result(task, run, over.said, locale),
            at=at,
            turn_id=over.turn_id,
            origin=f"result {over.turn_id}",
            silent=self.cards.telling.is_quiet(tx, task, at),
        )
        _let_the_chat_s_agent_know(tx, task, over, at)
        return parcel_id, Aftermath(deliver_to=(task.chat_id,))

    def _succeed(self, tx: Tx, task: Task, run: Run, over: TurnOver, at: datetime) -> Aftermath:
        parcel_id, going = self._post(tx, task, run, over, at)
        said = "\n\n".join(part for part in (run.result, over.said) if part)
        tasks.mark(tx, task.id, failures=0)
        return going + self._end(
            tx, task, run, RunStatus.SUCCESS, at, result=said, parcel_id=parcel_id or run.parcel_id
        )

    def _went_wrong(self, tx: Tx, task: Task, run: Run, over: TurnOver, at: datetime) -> Aftermath:
        error = over.error or NanoClawError("unexpected", said="")
        written = {"key": error.key, **{name: _plain(value) for name, value in error.values.items()}}
        again_helps = not isinstance(error, Refused)  # that, only a person can mend
        if again_helps and run.attempts < task.policy.retries and run.message_id:
            again_at = at + task.policy.retry_pause * _SLOWER**run.attempts
            task_runs.mark(
                tx, run.id, status=RunStatus.RETRYING.value, attempts=run.attempts + 1, error=written
            )
            inbox.reopen(tx, run.message_id)
            inbox.put_off(tx, run.message_id, again_at)
            note(tx, run.message_id, Event.RUN_AGAIN, at, turn=over.turn_id, seconds=_seconds(again_at, at))
            work.due(tx, work.lane_of(over.session.id), over.session.id, again_at)
            return self.cards.refresh(tx, task.id, at) if task.is_background else Aftermath()
        too_late = isinstance(error, TooLate)  # nothing is wrong with the task itself
        tasks.mark(tx, task.id, failures=task.failures + (not too_late))
        status = RunStatus.MISSED if too_late else RunStatus.FAILED
        going = self._end(tx, task, run, status, at, error=written)
        left, ended = tasks.get(tx, task.id) or task, task_runs.get(tx, run.id) or run
        return going + self.notices.failed(tx, left, ended, at)

    def _take_questions_back(self, tx: Tx, task: Task, at: datetime) -> Aftermath:
        """Nobody waits for their answers any more, and the next run must not be taken for one that does."""
        going = Aftermath()
        for question in questions.open_of(tx, task.session_id) if task.session_id else ():
            questions.carry(tx, question.id, at)  # an answer that is on its way wakes nobody
            going += self.resolution.cancel(tx, question, _HOST, at) or Aftermath()
        return going

    def end_unrun(self, tx: Tx, task: Task, run: Run, status: RunStatus, at: datetime) -> Aftermath:
        """A person, or the host, ended it before its turn did."""
        return self._end(tx, task, run, status, at)

    def _end(
        self, tx: Tx, task: Task, run: Run, status: RunStatus, at: datetime, **values: object
    ) -> Aftermath:
        task_runs.end(tx, run, status, at, **values)
        going = self._take_questions_back(tx, task, at)
        if task.session_id:  # a retry that an answer made needless
            inbox.stop_waiting(tx, task.session_id)
        left = tasks.get(tx, task.id) or task
        waiting = task_runs.open_of(tx, task.id) if left.status.is_alive else []
        # One that a person had run besides has its own moment still to come.
        if left.status.is_alive and left.next_run_at is None and not waiting:
            tasks.mark(tx, task.id, status=_LAST[status].value)
            left = replace(left, status=_LAST[status])
        going += start_next(tx, left, waiting, at)
        if task.is_background or not left.status.is_alive:
            going += self.cards.refresh(tx, task.id, at)
        if task.asked_by:  # the result is left where the agent that asked can read it
            work.due(tx, work.TASK, str(task.id), at)
            going += Aftermath(tasks=((task.id, at),))
        return going


_LAST = {
    RunStatus.SUCCESS: TaskStatus.COMPLETED,
    RunStatus.SKIPPED: TaskStatus.COMPLETED,
    RunStatus.CANCELLED: TaskStatus.CANCELLED,
    RunStatus.FAILED: TaskStatus.FAILED,
    RunStatus.MISSED: TaskStatus.FAILED,
}


_HOST = Ruler(handle="host", name="", rights=Rights(everywhere=Role.STRANGER), via="host", language="en")


def _let_the_chat_s_agent_know(tx: Tx, task: Task, over: TurnOver, at: datetime) -> None:
    """What was posted in its chat by another session: a person who speaks of it must be understood."""
    session = sessions.find_or_open(tx, task.group, task.chat_id, task.thread, at)
    owner = people.person(tx, task.owner)
    told = Incoming(
        channel=messages.HOST,
        address="",
        external_id=f"result {over.turn_id}",
        handle=owner.handle,
        sender=messages.HOST,
        text=f'Task {task.id} ("{task.title}") was run, and this result was sent to the chat:\n{over.said}',
        sent_at=at,
        thread=task.thread,
    )
    message = messages.bring(tx, MessageId(new_id("m")), task.chat_id, owner.id, told)
    if message:
        inbox.keep(tx, message.id, session.id)
        sessions.keep(tx, session.id, keeps=True)


def _plain(value: object) -> object:
    return value if isinstance(value, int | float | str | bool) else str(value)


def _seconds(later: datetime, at: datetime) -> int:
    return round((later - at).total_seconds())
