"""Flow F. Work that starts itself: a task comes due, and a run of it begins.

A task has one row of work, due at its next time; the host sleeps until then. That a time was used is written
in the same transaction as its run and the next time, so that no time is used twice or lost.
"""

import asyncio
from dataclasses import replace
from datetime import datetime, timedelta
from functools import partial

import structlog

from nanoclaw.domain.tasks import OVERLAPS, CatchUp, Overlap, RunReason, RunStatus, Task, TaskStatus
from nanoclaw.durable import task_runs, tasks, work
from nanoclaw.durable.clock import now
from nanoclaw.durable.engine import Engine
from nanoclaw.durable.store import Store, Tx
from nanoclaw.durable.work import Claim
from nanoclaw.flows.tasks.blockers import Blockers
from nanoclaw.flows.tasks.notices import Notices
from nanoclaw.flows.tasks.results import RunResults
from nanoclaw.flows.tasks.run_start import start_next

log = structlog.get_logger("schedule")

_ON_TIME = timedelta(minutes=1)  # a host restarted just then has missed nothing
_FILE_AGAIN = timedelta(seconds=30)


class Schedules:
    """The work of kind "task"; its key is the number of the task."""

    kind = work.TASK
    at_once = 32  # they share commits

    def __init__(
        self,
        *,
        store: Store,
        engine: Engine,
        blockers: Blockers,
        notices: Notices,
        results: RunResults,
    ) -> None:
        self._store = store
        self._engine = engine
        self._blockers = blockers
        self._notices = notices
        self._results = results

    def begin(self, tx: Tx, claim: Claim) -> Task | None:
        return tasks.get(tx, int(claim.key))

    def look_again(self, key: str) -> None:
        """Changes made meanwhile are seen when this runs again."""

    async def run(self, job: Task, claim: Claim) -> datetime | None:
        filed = await self._leave_results(job)
        return await self._store.write(partial(self._go_on, claim=claim, filed=filed))

    def _go_on(self, tx: Tx, claim: Claim, *, filed: bool) -> datetime | None:
        task, at = tasks.locked(tx, int(claim.key)), now()
        if task is None:
            return work.finish(tx, claim)
        if task.status is TaskStatus.ACTIVE and task.next_run_at and task.next_run_at <= at:
            task = self._begin_due(tx, task, task.next_run_at, at)
        later = [] if filed else [at + _FILE_AGAIN]
        relied_on = task.policy.deliver_by and task.status is not TaskStatus.DELETED
        for run in task_runs.awaited(tx, task.id) if relied_on else ():
            if run.deliver_by and run.deliver_by > at:
                later.append(run.deliver_by)
                break
            self._notices.mind_delivery(tx, task, run, at)
        if task.status is TaskStatus.ACTIVE and task.next_run_at:
            later.append(task.next_run_at)
        return work.finish(tx, claim, again_at=min(later, default=None))

    def _begin_due(self, tx: Tx, task: Task, due: datetime, at: datetime) -> Task:
        """Begin the runs of the times that have come: one, or several if no host ran. Returns the task as it
        is afterwards.
        """
        if why := self._blockers.in_the_way_of(tx, task):
            tasks.mark(tx, task.id, status=TaskStatus.PAUSED.value, why=why)
            task = replace(task, status=TaskStatus.PAUSED, why=why)
            self._notices.paused(tx, task, at)
            return task
        moments = task.schedule.last_times(due, at, task.policy.most_caught_up + 1) or [due]
        wanted = self._chosen(task, moments, at)
        missed = [moment for moment in (due, *moments) if moment not in wanted]
        if missed:
            self._miss(tx, task, missed, at, told=not wanted)
        following = task.schedule.next_after(max(at, moments[-1]))
        task = replace(task, next_run_at=following)
        self._queue(tx, task, wanted, at)
        if following is None and not wanted:
            tasks.mark(tx, task.id, status=TaskStatus.FAILED.value)
            task = replace(task, status=TaskStatus.FAILED)
            self._notices.cards.refresh(tx, task.id, at)
        return task

    def _chosen(self, task: Task, moments: list[datetime], at: datetime) -> list[datetime]:
        """The times to run, of those that have come."""
        policy = task.policy
        match policy.catch_up:
            case CatchUp.ALL:
                wanted = moments[-policy.most_caught_up :]
            case CatchUp.LATEST:
                wanted = moments[-1:]
            case CatchUp.NONE:
                wanted = [moment for moment in moments[-1:] if self._is_on_time(moment, at)]
        return [moment for moment in wanted if not policy.is_stale(moment, at)]

    def _is_on_time(self, moment: datetime, at: datetime) -> bool:
        """A time that only waited for others due with it was not missed."""
        return moment >= self._engine.awake_since or at - moment <= _ON_TIME

    def _queue(self, tx: Tx, task: Task, wanted: list[datetime], at: datetime) -> None:
        """Each time gets its row; the first starts unless a run is active."""
        queues = task.policy.overlap is Overlap.QUEUE or len(wanted) > 1
        room = (task.policy.most_caught_up if queues else 0) + 1
        waiting = task_runs.open_of(tx, task.id)
        for moment in wanted:
            reason = RunReason.SCHEDULE if self._is_on_time(moment, at) else RunReason.LATE
            if len(waiting) >= room:
                error: dict[str, object] = {"key": OVERLAPS}
                task_runs.add(tx, task, moment, reason, at, status=RunStatus.SKIPPED, error=error)
            elif run := task_runs.add(tx, task, moment, reason, at):
                waiting.append(run)
        start_next(tx, task, waiting, at, next_run_at=task.next_run_at)

    def _miss(self, tx: Tx, task: Task, missed: list[datetime], at: datetime, *, told: bool) -> None:
        """Add one row however many were missed; reported if nothing runs in their place."""
        error: dict[str, object] = {"key": "run-missed"}
        run = task_runs.add(
            tx, task, missed[-1], RunReason.SCHEDULE, at, status=RunStatus.MISSED, error=error
        )
        if run and told:
            self._notices.missed(tx, task, run, missed[0], at)

    async def _leave_results(self, task: Task) -> bool:
        """Leave results for the agent that handed the work over. False if that failed for now."""
        if task.asked_by is None:
            return True
        for run in await self._store.read(lambda tx: task_runs.unfiled(tx, task.id)):
            try:
                await asyncio.to_thread(self._results.leave, task, run)
            except OSError as error:
                log.warning("result not left yet", task=task.id, reason=error)
                return False
            await self._store.write(partial(task_runs.mark, run_id=run.id, filed_at=now()))
        return True


def heed_clock(tx: Tx, by: timedelta) -> None:
    """The clock was set: fixed intervals keep their distance."""
    by += timedelta(
        microseconds=1
    )  # if the clock was set back, it must not reach a time that already has its run
    work.shift(tx, work.TASK, [str(task_id) for task_id in tasks.shift_intervals(tx, by)], by)
