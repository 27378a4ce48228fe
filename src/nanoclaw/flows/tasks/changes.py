"""A person changes a task: pauses, resumes, edits, runs it now, cancels its runs, or deletes it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime

from nanoclaw.context.groups import Groups
from nanoclaw.domain.errors import NotFound, Refused
from nanoclaw.domain.people import Actor, Role
from nanoclaw.domain.schedules import Schedule
from nanoclaw.domain.tasks import Policy, RunReason, RunStatus, Task, TaskStatus, ZoneOf
from nanoclaw.durable import audit, people, session_queue, sessions, stored_texts, task_runs, tasks, work
from nanoclaw.durable.store import Tx
from nanoclaw.flows.tasks import waiting_runs
from nanoclaw.flows.tasks.blockers import Blockers
from nanoclaw.flows.tasks.cards import TaskCards
from nanoclaw.flows.tasks.creation import checked_prompt
from nanoclaw.flows.tasks.run_end import RunEnds
from nanoclaw.flows.tasks.run_money import let_cost
from nanoclaw.flows.tasks.run_start import start_next

Change = Callable[[Tx, Task, Actor, datetime], None]

_DIGITS = 9


@dataclass(frozen=True, kw_only=True, slots=True)
class TaskChanges:
    """Each method runs in the caller's transaction. When one raises Refused, nothing has changed."""

    groups: Groups
    blockers: Blockers
    cards: TaskCards
    run_ends: RunEnds

    def find(
        self, tx: Tx, ref: str, by: Actor, *, seen_from: tuple[str, ...] | None = None, to_change: bool = True
    ) -> Task:
        """The task, if the person may manage it: their own, or one of a group they are an admin of.
        `seen_from` are the agent groups of the chat they ask from: only those groups' tasks can be
        reached, except from the main group, which reaches all. A member may look.
        """
        number = number_of(ref)
        look = tasks.locked if to_change else tasks.get
        task = look(tx, number) if number is not None else None
        if task is None or task.status is TaskStatus.DELETED or not self.may_see(task, by, seen_from):
            raise NotFound("no-such-task", id=ref.strip()[:20])
        if to_change and not self._theirs(tx, task, by):
            raise NotFound("no-such-task", id=ref.strip()[:20])
        return task

    @property
    def acts(self) -> Mapping[str, Change]:
        """What can be done with a task by name alone."""
        return {
            "pause": self.pause,
            "resume": self.resume,
            "run": self.run_now,
            "cancel": self.cancel,
            "delete": self.delete,
        }

    def may_see(self, task: Task, by: Actor, seen_from: tuple[str, ...] | None) -> bool:
        reachable = seen_from is None or task.group in seen_from or self.groups.main().name in seen_from
        return reachable and by.rights.role_in(task.group).may(Role.MEMBER)

    def _theirs(self, tx: Tx, task: Task, by: Actor) -> bool:
        own = people.person(tx, task.owner).handle == by.handle
        return own or by.rights.role_in(task.group).may(Role.ADMIN)

    def pause(self, tx: Tx, task: Task, by: Actor, at: datetime) -> None:
        if task.status is TaskStatus.PAUSED:
            raise Refused("task-paused-already", id=task.id)
        if task.status is not TaskStatus.ACTIVE or task.is_background:
            raise Refused("task-not-active", id=task.id, status=task.status.value)
        tasks.mark(tx, task.id, status=TaskStatus.PAUSED.value, why=None)
        waiting_runs.hold(tx, task, at)
        self._changed(tx, task, by, at, "task-paused")

    def resume(self, tx: Tx, task: Task, by: Actor, at: datetime) -> None:
        """Resume at its next time; what was due meanwhile is skipped."""
        if task.status is not TaskStatus.PAUSED:
            raise Refused("task-not-paused", id=task.id, status=task.status.value)
        self._unobstructed(tx, task)
        due = task.schedule.next_after(at)
        held = waiting_runs.let_go(tx, task, at)
        if due is None and not held:
            raise Refused("task-over", id=task.id)
        tasks.mark(tx, task.id, status=TaskStatus.ACTIVE.value, why=None, failures=0, next_run_at=due)
        if not held:
            start_next(tx, task, task_runs.open_of(tx, task.id), at)
        if due:
            work.due(tx, work.TASK, str(task.id), due)
        self._changed(tx, task, by, at, "task-resumed")

    def run_now(self, tx: Tx, task: Task, by: Actor, at: datetime) -> None:
        """Run it in addition to its schedule; also if it is paused, or a one-off that failed."""
        self._unobstructed(tx, task)
        if task.status is TaskStatus.PAUSED and waiting_runs.let_go(tx, task, at):
            self._changed(tx, task, by, at, "task-run")
            return
        if task_runs.open_of(tx, task.id):
            raise Refused("task-runs-already", id=task.id)
        if not task.status.is_alive:
            tasks.mark(tx, task.id, status=TaskStatus.ACTIVE.value, why=None, next_run_at=None)
        if task.stored_text is not None:  # sent now, so it is not sent again at its time
            tasks.mark(tx, task.id, next_run_at=None)
        run = task_runs.add(tx, task, at, RunReason.MANUAL, at)
        owner = people.person(tx, task.owner)
        if run and by.handle != owner.handle and by.rights.role_in(task.group).may(Role.ADMIN):
            let_cost(tx, run, self.groups.get(task.group).company, by, at)
        start_next(tx, task, [run] if run else [], at)
        self._changed(tx, task, by, at, "task-run")

    def delete(self, tx: Tx, task: Task, by: Actor, at: datetime) -> None:
        self._stop_runs(tx, task, at)
        tasks.mark(tx, task.id, status=TaskStatus.DELETED.value, next_run_at=None)
        if task.batch_id:
            stored_texts.release_item(tx, task)
        self._changed(tx, task, by, at, "task-deleted")

    def cancel(self, tx: Tx, task: Task, by: Actor, at: datetime) -> None:
        """End the runs that run or wait; the series continues."""
        if not task_runs.open_of(tx, task.id):
            raise Refused("task-runs-not", id=task.id)
        self._stop_runs(tx, task, at)
        self._changed(tx, task, by, at, "task-cancelled")

    def edit(
        self,
        tx: Tx,
        task: Task,
        by: Actor,
        at: datetime,
        *,
        schedule: Schedule | None = None,
        prompt: str | None = None,
        is_mixed: bool = False,
        policy: Policy | None = None,
        **values: object,
    ) -> None:
        if task.is_background or not task.status.is_alive:
            raise Refused("task-not-active", id=task.id, status=task.status.value)
        if task.stored_text is not None:
            self._edit_text(tx, task, prompt, values)
            prompt = None
        elif prompt is not None:
            values |= {"prompt": checked_prompt(prompt), "is_mixed": is_mixed}
        if schedule is None and policy is None and prompt is None and not values:
            return
        if policy is not None:
            self.cards.telling.check_route(tx, policy, task.group)
        if schedule is not None:
            due = schedule.next_after(at)
            if due is None:
                raise Refused("until-past", text=schedule.value)
            values["next_run_at"] = due
            if schedule.timezone != task.schedule.timezone:
                values["zone_of"] = ZoneOf.NAMED.value
            work.due(tx, work.TASK, str(task.id), due)
        tasks.change(tx, task, schedule=schedule, policy=policy, **values)
        if prompt is not None:
            waiting_runs.reword(tx, task, str(values["prompt"]))
        self._changed(tx, task, by, at, "task-edited")

    def _edit_text(self, tx: Tx, task: Task, text: str | None, values: dict[str, object]) -> None:
        """Change the text it will send, here and in its batch. There is no agent whose skill or model could
        change.
        """
        if any(name in values for name in ("skill", "model", "check_script")):
            raise Refused("task-only-text", id=task.id)
        if task_runs.open_of(tx, task.id):
            raise Refused("task-text-sent", id=task.id)
        if text is not None:
            values["stored_text"] = checked_prompt(text)
            stored_texts.rewrite_item(tx, task, checked_prompt(text))

    def _unobstructed(self, tx: Tx, task: Task) -> None:
        if why := self.blockers.in_the_way_of(tx, task):
            raise Refused(f"task-{why}", skill=task.skill, group=task.group, id=task.id)

    def _stop_runs(self, tx: Tx, task: Task, at: datetime) -> None:
        session_id = task.session_id
        if session_id:
            session_queue.stop_waiting(tx, session_id)
        begun = session_queue.open_turn(tx, session_id) if session_id else None
        # Last first: otherwise each end would start the next.
        for run in reversed(task_runs.open_of(tx, task.id)):
            if session_id and begun and run.message_id:
                # Never before its start, even if the clock was set back.
                sessions.stop(tx, session_id, max(at, begun[1]))
                work.due(tx, tasks.lane_of(task), session_id, at)
            else:
                self.run_ends.end(tx, task, run, RunStatus.CANCELLED, at)

    def _changed(self, tx: Tx, task: Task, by: Actor, at: datetime, action: str) -> None:
        audit.record(tx, by, at, action, str(task.id), prompt=task.title, group=task.group)
        self.cards.refresh(tx, task.id, at)


def number_of(ref: str) -> int | None:
    """The number in the forms people and agents use: `7` or `#7`."""
    number = ref.strip().removeprefix("#")
    is_number = number.isascii() and number.isdigit() and len(number) <= _DIGITS
    return int(number) if is_number else None
