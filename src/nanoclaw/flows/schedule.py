"""Flow F. Work that starts itself: the moment of a task comes, and a run of it begins.

A task has one row of work, due at its next moment; the host sleeps until then. That a moment was used is written in
the same transaction as the run that it begins and the moment that follows, so that no moment is used twice or lost.
"""

import asyncio
from datetime import datetime, timedelta
from functools import partial

import structlog

from nanoclaw.delivery import outbox
from nanoclaw.domain.errors import BadWorkspace
from nanoclaw.domain.parcels import ParcelState
from nanoclaw.domain.tasks import CatchUp, Overlap, Run, RunStatus, Task, TaskStatus
from nanoclaw.domain.text import as_written
from nanoclaw.durable import task_runs, tasks, work
from nanoclaw.durable.aftermath import Aftermath
from nanoclaw.durable.clock import now
from nanoclaw.durable.engine import Engine
from nanoclaw.durable.store import Store, Tx
from nanoclaw.durable.work import Claim
from nanoclaw.flows.tasks import words
from nanoclaw.flows.tasks.cards import TaskCards
from nanoclaw.flows.tasks.obstacles import Obstacles
from nanoclaw.flows.tasks.results import Results
from nanoclaw.flows.tasks.starting import start_next
from nanoclaw.texts import say

log = structlog.get_logger("schedule")

_ON_TIME = timedelta(minutes=1)  # a host that was restarted just then has missed nothing
_FILE_AGAIN = timedelta(seconds=30)


class Schedules:
    """The work of kind "task"; its key is the number of the task."""

    kind = work.TASK
    at_once = 8

    def __init__(
        self, *, store: Store, engine: Engine, obstacles: Obstacles, cards: TaskCards, results: Results
    ) -> None:
        self._store = store
        self._engine = engine
        self._obstacles = obstacles
        self._cards = cards
        self._results = results

    def begin(self, tx: Tx, claim: Claim) -> Task | None:
        return tasks.get(tx, int(claim.key))

    def look_again(self, key: str) -> None:
        """What is changed meanwhile is seen when this runs again."""

    async def run(self, job: Task, claim: Claim) -> datetime | None:
        filed = await self._leave_results(job)
        again, going = await self._store.write(partial(self._go_on, claim=claim, filed=filed))
        going.set_going(self._engine)
        return again

    def _go_on(self, tx: Tx, claim: Claim, *, filed: bool) -> tuple[datetime | None, Aftermath]:
        task, at = tasks.locked(tx, int(claim.key)), now()
        if task is None:
            return work.finish(tx, claim), Aftermath()
        going = Aftermath()
        if task.status is TaskStatus.ACTIVE and task.next_run_at and task.next_run_at <= at:
            going += self._begin_due(tx, task, task.next_run_at, at)
        later = [] if filed else [at + _FILE_AGAIN]
        for run in task_runs.awaited(tx, task.id):
            if run.deliver_by and run.deliver_by > at:
                later.append(run.deliver_by)
                break
            going += self._mind_delivery(tx, task, run, at)
        left = tasks.get(tx, task.id) or task
        if left.status is TaskStatus.ACTIVE and left.next_run_at:
            later.append(left.next_run_at)
        return work.finish(tx, claim, again_at=min(later, default=None)), going

    def _begin_due(self, tx: Tx, task: Task, due: datetime, at: datetime) -> Aftermath:
        """One moment has come, or several while no host ran."""
        if why := self._obstacles.in_the_way_of(tx, task):
            return self._pause(tx, task, why, at)
        moments = task.schedule.last_times(due, at, task.policy.most_caught_up + 1) or [due]
        wanted = _chosen(task, moments, at)
        missed = [moment for moment in (due, *moments) if moment not in wanted]
        going = self._miss(tx, task, missed, at, told=not wanted) if missed else Aftermath()
        queues = task.policy.overlap is Overlap.QUEUE or len(wanted) > 1
        for moment in wanted:
            reason = "schedule" if at - moment <= _ON_TIME else "late"
            in_the_way = len(task_runs.open_of(tx, task.id))
            if in_the_way > (task.policy.most_caught_up if queues else 0):
                error: dict[str, object] = {"key": "run-overlaps"}
                task_runs.add(tx, task, moment, reason, at, status=RunStatus.SKIPPED, error=error)
            else:
                task_runs.add(tx, task, moment, reason, at)
        following = task.schedule.next_after(max(at, moments[-1]))
        tasks.mark(tx, task.id, next_run_at=following)
        going += start_next(tx, tasks.get(tx, task.id) or task, at)
        if following is None and not wanted:
            tasks.mark(tx, task.id, status=TaskStatus.FAILED.value)
            going += self._cards.refresh(tx, task.id, at)
        return going

    def _miss(self, tx: Tx, task: Task, missed: list[datetime], at: datetime, *, told: bool) -> Aftermath:
        """In one row, however many they are; told when nothing is done in their place."""
        error: dict[str, object] = {"key": "run-missed"}
        run = task_runs.add(tx, task, missed[-1], "schedule", at, status=RunStatus.MISSED, error=error)
        if run is None or not told:
            return Aftermath()
        locale = self._cards.telling.locale_of(tx, task)
        text = say(
            locale.speaks,
            "task-missed",
            id=task.id,
            title=as_written(task.title),
            first=words.moment(missed[0], locale),
            last=words.moment(missed[-1], locale),
            several="yes" if missed[0] != missed[-1] else "no",
        )
        buttons = [words.button(task, words.RUN, locale.speaks)]
        return self._cards.telling.in_chat(
            tx, task, text, at, buttons=buttons, origin=f"task missed {run.id}"
        )[1]

    def _pause(self, tx: Tx, task: Task, why: str, at: datetime) -> Aftermath:
        """Something is wrong that only a person can mend; who may is told what, and how to go on."""
        tasks.mark(tx, task.id, status=TaskStatus.PAUSED.value, why=why)
        language = self._cards.telling.locale_of(tx, task).speaks
        reason = as_written(words.why(tasks.get(tx, task.id) or task, language))
        text = say(language, "task-paused-notice", title=as_written(task.title), reason=reason, id=task.id)
        paused = tasks.get(tx, task.id) or task
        buttons = [words.button(paused, each, language) for each in (words.RESUME, words.DELETE)]
        origin = f"task paused {task.id} {at.isoformat()}"
        telling = self._cards.telling
        here = telling.owner(tx, task, text, at, buttons=buttons, origin=origin)
        # Its own chat or owner may be what is missing.
        return (
            here
            + telling.elsewhere(tx, task, text, at, buttons=buttons, origin=origin)
            + self._cards.refresh(tx, task.id, at)
        )

    def _mind_delivery(self, tx: Tx, task: Task, run: Run, at: datetime) -> Aftermath:
        """By now its result should have arrived; if it has not, someone is told by another route."""
        task_runs.mark(tx, run.id, alarmed_at=at)
        parcel = outbox.get(tx, run.parcel_id) if run.parcel_id else None
        arrived = parcel is not None and parcel.state is ParcelState.DELIVERED
        in_vain = run.status in (RunStatus.SKIPPED, RunStatus.CANCELLED)  # nothing was to be delivered
        silent = run.status is RunStatus.SUCCESS and (parcel is None or not task.notify)
        if arrived or in_vain or (silent and not run.result):
            return Aftermath()
        locale = self._cards.telling.locale_of(tx, task)
        language = locale.speaks
        state = "undelivered" if run.status is RunStatus.SUCCESS else run.status.value
        text = say(
            language,
            "task-not-delivered",
            id=task.id,
            title=as_written(task.title),
            due=words.moment(run.run_at, locale),
            by=words.moment(run.deliver_by or at, locale),
            state=say(language, f"run-{state}"),
            reason=words.fault(run, language) or "-",
        )
        buttons = [words.button(task, words.RUN, language)]
        return self._cards.telling.elsewhere(
            tx, task, text, at, buttons=buttons, origin=f"task alarm {run.id}"
        )

    async def _leave_results(self, task: Task) -> bool:
        """For the agent that handed the work over. False when that could not be done now."""
        if task.asked_by is None:
            return True
        for run in await self._store.read(lambda tx: task_runs.unfiled(tx, task.id)):
            try:
                await asyncio.to_thread(self._results.leave, task, run)
            except (OSError, BadWorkspace) as error:
                log.warning("result not left yet", task=task.id, reason=str(error))
                return False
            await self._store.write(partial(task_runs.mark, run_id=run.id, filed_at=now()))
        return True


def _chosen(task: Task, moments: list[datetime], at: datetime) -> list[datetime]:
    """Which of the moments that have come are used."""
    policy = task.policy
    match policy.catch_up:
        case CatchUp.ALL:
            wanted = moments[-policy.most_caught_up :]
        case CatchUp.LATEST:
            wanted = moments[-1:]
        case CatchUp.NONE:
            wanted = [moment for moment in moments[-1:] if at - moment <= _ON_TIME]
    if policy.stale_after is None:
        return wanted
    return [moment for moment in wanted if at - moment <= max(policy.stale_after, _ON_TIME)]


def heed_clock(tx: Tx, by: timedelta) -> None:
    """The clock of this machine was set: what is to happen at even distances keeps them."""
    work.shift(tx, work.TASK, [str(task_id) for task_id in tasks.shift_intervals(tx, by)], by)
