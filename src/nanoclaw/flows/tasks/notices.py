"""What the host says when a task was missed, paused, failed, or its result was not delivered."""

from dataclasses import dataclass
from datetime import datetime

from nanoclaw.delivery import outbox
from nanoclaw.domain.parcels import ParcelState
from nanoclaw.domain.tasks import OVERLAPS, Run, RunStatus, Task, TaskStatus
from nanoclaw.domain.text import as_written
from nanoclaw.durable import task_runs
from nanoclaw.durable.store import Tx
from nanoclaw.flows.tasks import task_text
from nanoclaw.flows.tasks.buttons import PAUSE, RESUME, RUN, buttons, to_delete
from nanoclaw.flows.tasks.cards import TaskCards
from nanoclaw.texts import say


@dataclass(frozen=True, kw_only=True, slots=True)
class Notices:
    cards: TaskCards

    def missed(self, tx: Tx, task: Task, run: Run, first: datetime, at: datetime) -> None:
        """It was due while no host ran, and no run replaces it."""
        telling = self.cards.telling
        locale = telling.locale_of(tx, task)
        text = say(
            locale.speaks,
            "task-missed",
            id=task.id,
            title=as_written(task.title),
            first=task_text.moment(first, locale),
            last=task_text.moment(run.run_at, locale),
            several="yes" if first != run.run_at else "no",
        )
        below = buttons(task, locale.speaks, RUN)
        origin = f"task missed {run.id}"
        telling.in_chat(tx, task, text, at, buttons=below, origin=f"{origin} {task.chat_id}")
        if task.policy.deliver_by is not None:  # someone relies on it
            telling.by_other_route(tx, task, text, at, buttons=below, origin=origin)

    def paused(self, tx: Tx, task: Task, at: datetime) -> None:
        """Only a person can fix this: tell those who may what is wrong, and how to resume."""
        telling = self.cards.telling
        language = telling.locale_of(tx, task).speaks
        text = say(
            language,
            "task-paused-notice",
            id=task.id,
            title=as_written(task.title),
            reason=as_written(task_text.why(task, language)),
        )
        below = (*buttons(task, language, RESUME), to_delete(task, language))
        origin = f"task paused {task.id} {at.isoformat()}"
        if task.why == "owner-lost-rights":  # they can fix nothing, and must not be told
            telling.owners(tx, task, text, at, buttons=below, origin=origin)
        else:
            telling.owner(tx, task, text, at, buttons=below, origin=origin)
            # Its own chat may be what is gone.
            telling.by_other_route(tx, task, text, at, buttons=below, origin=origin)
        self.cards.refresh(tx, task.id, at)

    def failed(self, tx: Tx, task: Task, run: Run, at: datetime) -> None:
        """Report the error and the next attempt, or that the task is paused because it failed too often."""
        telling = self.cards.telling
        locale = telling.locale_of(tx, task)
        language = locale.speaks
        told = {
            "id": task.id,
            "title": as_written(task.title),
            "reason": task_text.fault(run, language),
            "attempts": run.attempts + 1,
        }
        origin = f"task failed {run.id}"
        if task.why == "failures":
            text = say(language, "task-paused-by-failures", failures=task.failures, **told)
            below = (*buttons(task, language, RESUME, RUN), to_delete(task, language))
            telling.owner(tx, task, text, at, buttons=below, origin=origin)
            self.cards.refresh(tx, task.id, at)
            return
        is_active = task.status is TaskStatus.ACTIVE
        next_at = task_text.moment(task.next_run_at, locale) if is_active and task.next_run_at else ""
        key = "task-too-late" if run.status is RunStatus.MISSED else "task-failed"
        text = say(language, f"{key}-next" if next_at else key, next=next_at, **told)
        below = buttons(task, language, RUN, *([PAUSE] if next_at else []))
        telling.in_chat(tx, task, text, at, buttons=below, origin=origin)

    def mind_delivery(self, tx: Tx, task: Task, run: Run, at: datetime) -> None:
        """The result should have arrived by now; if it has not, tell someone by another route."""
        task_runs.mark(tx, run.id, alarmed_at=at)
        if not _is_awaited(tx, task, run):
            return
        telling = self.cards.telling
        locale = telling.locale_of(tx, task)
        language = locale.speaks
        state = "undelivered" if run.status is RunStatus.SUCCESS else run.status.value
        text = say(
            language,
            "task-not-delivered",
            id=task.id,
            title=as_written(task.title),
            due=task_text.moment(run.run_at, locale),
            by=task_text.moment(run.deliver_by or at, locale),
            state=say(language, f"run-{state}"),
            reason=task_text.fault(run, language) or "-",
        )
        below = buttons(task, language, RUN)
        telling.by_other_route(tx, task, text, at, buttons=below, origin=f"task alarm {run.id}")


def _is_awaited(tx: Tx, task: Task, run: Run) -> bool:
    """Whether there is, or will be, a result that has not arrived."""
    if run.status is RunStatus.SKIPPED:  # either the previous run is still going, or the agent was not needed
        return bool(run.error and run.error["key"] == OVERLAPS)
    if run.status is RunStatus.CANCELLED:
        return False
    if run.status is RunStatus.SUCCESS and not (task.notify and run.result):
        return False
    parcel = outbox.get(tx, run.parcel_id) if run.parcel_id else None
    return parcel is None or parcel.state is not ParcelState.DELIVERED
