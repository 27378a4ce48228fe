"""The commands by which people schedule, list and change tasks in a chat."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import partial

from nanoclaw.context.groups import Groups
from nanoclaw.domain.errors import Refused
from nanoclaw.domain.people import Role
from nanoclaw.domain.tasks import Policy, Task, TaskStatus, WantedTask
from nanoclaw.domain.text import as_written
from nanoclaw.durable import stored_texts, task_runs, tasks
from nanoclaw.durable.store import Tx
from nanoclaw.flows.incoming.access_lists import listed
from nanoclaw.flows.incoming.commands import Answer, CommandContext, refused_in_words
from nanoclaw.flows.tasks import task_text
from nanoclaw.flows.tasks.changes import TaskChanges
from nanoclaw.flows.tasks.creation import TaskAuthor, TaskCreation
from nanoclaw.flows.tasks.edits import TIME, WORDS, TaskEdits
from nanoclaw.texts import say
from nanoclaw.times.task_line import split_when
from nanoclaw.times.when import read_when

_MOST_LISTED = 50
_RUNS_SHOWN = 10
_EDITED = {"time": TIME, "час": TIME, "text": WORDS, "текст": WORDS}


@dataclass(frozen=True, kw_only=True, slots=True)
class TaskCommands:
    groups: Groups
    task_creation: TaskCreation
    changes: TaskChanges
    task_edits: TaskEdits
    usual: Policy

    def answers(self) -> Mapping[str, Answer]:
        known: dict[str, Callable[[Tx, str, CommandContext], str]] = {
            "schedule": self._schedule,
            "tasks": self._tasks,
            **{f"task-{name}": partial(self._change, action=name) for name in self.changes.acts},
            "task-edit": self._edit,
            "task-history": self._history,
        }
        return {name: partial(refused_in_words, act) for name, act in known.items()}

    def _schedule(self, tx: Tx, argument: str, asked: CommandContext) -> str:
        """`/schedule every monday 8:00 send me the news`. Answered by the card."""
        if not argument:
            raise Refused("schedule-how")
        fits = [group for group in asked.groups if asked.rights.role_in(group).may(Role.MEMBER)]
        if not fits:
            raise Refused("task-no-agent")
        group = self.groups.get(fits[0])
        zone, _ = self.task_creation.clock_of(asked.person, group)
        schedule, prompt = split_when(argument, asked.at, zone)
        maker = TaskAuthor(
            person=asked.person,
            actor=asked.actor,
            group=group,
            chat_id=asked.chat.id,
            thread=asked.message.thread,
            origin=f"message {asked.message.id}",
        )
        wanted = WantedTask(schedule=schedule, prompt=prompt, policy=self.usual)
        task = self.task_creation.make(tx, wanted, maker, asked.at)
        self.changes.cards.show(tx, task, asked.at, message_id=asked.message.id)
        return ""

    def _tasks(self, tx: Tx, _argument: str, asked: CommandContext) -> str:
        main = self.groups.main().name
        found = [
            task
            for task in tasks.alive(tx, None if main in asked.groups else asked.groups)
            if self.changes.may_see(task, asked.actor, asked.groups)
        ]
        found.sort(key=task_text.by_next_time)
        last = task_runs.last_of(tx, [task.id for task in found])
        lines = [task_text.line(task, asked.locale, last.get(task.id)) for task in found[:_MOST_LISTED]]
        lines += [
            task_text.texts_line(texts, asked.locale)
            for texts in stored_texts.waiting(tx, None if main in asked.groups else asked.groups)
            if asked.rights.role_in(texts.group).may(Role.MEMBER)
        ]
        return listed(asked.locale.speaks, "tasks-head", lines)

    def _change(self, tx: Tx, argument: str, asked: CommandContext, *, action: str) -> str:
        task = self._meant(tx, argument, asked)
        self.changes.acts[action](tx, task, asked.actor, asked.at)
        left = tasks.get(tx, task.id) or task
        next_at = (
            task_text.moment(left.next_run_at, asked.locale)
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

    def _edit(self, tx: Tx, argument: str, asked: CommandContext) -> str:
        """`/task_edit 5 every day 9:00`, `/task_edit 5 time every day 9:00`, `/task_edit 5 text Send me the news`."""
        ref, _, rest = argument.partition(" ")
        task = self._meant(tx, ref, asked)
        what, value = _edit_in(rest.strip(), task, asked.at)
        self.task_edits.edit(tx, task, what, value, asked.actor, asked.at)
        return self.task_edits.told(tx, task, asked.locale)

    def _history(self, tx: Tx, argument: str, asked: CommandContext) -> str:
        task = self._meant(tx, argument, asked, to_change=False)
        runs = task_runs.history(tx, task.id, _RUNS_SHOWN)
        lines = [f"- {task_text.run_line(run, asked.locale)}" for run in runs]
        head = say(asked.locale.speaks, "task-history-head", id=task.id, title=as_written(task.title))
        return "\n".join([head, "", *(lines or [say(asked.locale.speaks, "task-history-none")])])

    def _meant(self, tx: Tx, argument: str, asked: CommandContext, *, to_change: bool = True) -> Task:
        if not argument.strip():
            raise Refused("task-which")
        ref = argument.split()[0]
        return self.changes.find(tx, ref, asked.actor, seen_from=asked.groups, to_change=to_change)


def _edit_in(written: str, task: Task, at: datetime) -> tuple[str, str]:
    """What to change, and into what. A time needs no word before it. Raises Refused."""
    what, _, value = written.partition(" ")
    if (named := _EDITED.get(what.lower())) and value.strip():
        return named, value.strip()
    try:
        read_when(written, at, task.schedule.timezone)
    except Refused as error:
        raise Refused("task-edit-how", id=task.id) from error
    return TIME, written
