"""The orders by which people schedule tasks in a chat, see them, and change them."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial

from nanoclaw.admission.task_line import split_when
from nanoclaw.context.groups import Groups
from nanoclaw.domain.errors import Refused
from nanoclaw.domain.people import Role
from nanoclaw.domain.tasks import Policy, Task, TaskStatus, WantedTask
from nanoclaw.domain.text import as_written
from nanoclaw.durable import task_runs, tasks
from nanoclaw.durable.store import Tx
from nanoclaw.flows.door.orders import Answer, Asked, refused_in_words
from nanoclaw.flows.door.rule_lists import listed
from nanoclaw.flows.tasks import words
from nanoclaw.flows.tasks.changing import Changes
from nanoclaw.flows.tasks.editing import TIME, WORDS, Editing
from nanoclaw.flows.tasks.making import Maker, Making
from nanoclaw.texts import say

_MOST_LISTED = 50
_RUNS_SHOWN = 10


@dataclass(frozen=True, kw_only=True, slots=True)
class TaskOrders:
    groups: Groups
    making: Making
    changes: Changes
    editing: Editing
    usual: Policy

    def answers(self) -> Mapping[str, Answer]:
        known: dict[str, Callable[[Tx, str, Asked], str]] = {
            "schedule": self._schedule,
            "tasks": self._tasks,
            **{f"task-{name}": partial(self._change, action=name) for name in self.changes.acts},
            "task-edit": self._edit,
            "task-history": self._history,
        }
        return {name: partial(refused_in_words, act) for name, act in known.items()}

    def _schedule(self, tx: Tx, argument: str, asked: Asked) -> str:
        """`/schedule every monday 8:00 send me the news`. Its card is the answer."""
        if not argument:
            raise Refused("schedule-how")
        fits = [group for group in asked.groups if asked.rights.role_in(group).may(Role.MEMBER)]
        if not fits:
            raise Refused("task-no-agent")
        group = self.groups.get(fits[0])
        zone, _ = self.making.clock_of(asked.person, group)
        schedule, prompt = split_when(argument, asked.at, zone)
        maker = Maker(
            person=asked.person,
            ruler=asked.ruler,
            group=group,
            chat_id=asked.chat.id,
            thread=asked.message.thread,
            origin=f"message {asked.message.id}",
        )
        wanted = WantedTask(schedule=schedule, prompt=prompt, policy=self.usual)
        task = self.making.make(tx, wanted, maker, asked.at)
        self.changes.cards.show(tx, task, asked.at, message_id=asked.message.id)
        return ""

    def _tasks(self, tx: Tx, _argument: str, asked: Asked) -> str:
        main = self.groups.main().name
        found = [
            task
            for task in tasks.alive(tx, None if main in asked.groups else asked.groups)
            if self.changes.may_see(task, asked.ruler, asked.groups)
        ]
        found.sort(key=words.by_next_time)
        last = task_runs.last_of(tx, [task.id for task in found])
        lines = [words.line(task, asked.locale, last.get(task.id)) for task in found[:_MOST_LISTED]]
        return listed(asked.locale.speaks, "tasks-head", lines)

    def _change(self, tx: Tx, argument: str, asked: Asked, *, action: str) -> str:
        task = self._meant(tx, argument, asked)
        self.changes.acts[action](tx, task, asked.ruler, asked.at)
        left = tasks.get(tx, task.id) or task
        next_at = (
            words.moment(left.next_run_at, asked.locale)
            if left.next_run_at and left.status is TaskStatus.ACTIVE
            else "-"
        )
        return say(
            asked.locale.speaks,
            f"order-task-{action}",
            id=task.id,
            title=as_written(task.title),
            next=next_at,
        )

    def _edit(self, tx: Tx, argument: str, asked: Asked) -> str:
        """`/task_edit 5 time every day 9:00`, `/task_edit 5 text Send me the news`."""
        ref, _, rest = argument.partition(" ")
        what, _, value = rest.strip().partition(" ")
        if what.lower() not in (TIME, WORDS) or not value.strip():
            raise Refused("task-edit-how")
        task = self._meant(tx, ref, asked)
        self.editing.edit(tx, task, what.lower(), value.strip(), asked.ruler, asked.at)
        return self.editing.told(tx, task, asked.locale)

    def _history(self, tx: Tx, argument: str, asked: Asked) -> str:
        task = self._meant(tx, argument, asked, to_change=False)
        runs = task_runs.history(tx, task.id, _RUNS_SHOWN)
        lines = [f"- {words.run_line(run, asked.locale)}" for run in runs]
        head = say(asked.locale.speaks, "task-history-head", id=task.id, title=as_written(task.title))
        return "\n".join([head, "", *(lines or [say(asked.locale.speaks, "task-history-none")])])

    def _meant(self, tx: Tx, argument: str, asked: Asked, *, to_change: bool = True) -> Task:
        if not argument.strip():
            raise Refused("task-which")
        ref = argument.split()[0]
        return self.changes.find(tx, ref, asked.ruler, seen_from=asked.groups, to_change=to_change)
