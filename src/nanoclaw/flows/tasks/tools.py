"""The tools by which an agent schedules, lists and changes tasks, on behalf of the person it works for."""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime

from nanoclaw.context.groups import Group, Groups
from nanoclaw.domain.errors import BadWorkspace, Refused
from nanoclaw.domain.ids import ChatId
from nanoclaw.domain.locale import Locale
from nanoclaw.domain.people import Actor, Role
from nanoclaw.domain.tasks import Policy, Task, TaskStatus
from nanoclaw.domain.tool_arguments import ChangeTask
from nanoclaw.domain.tool_requests import ToolReply, ToolRequest
from nanoclaw.domain.turns import Session
from nanoclaw.durable import memberships, task_runs, tasks
from nanoclaw.durable.clock import now
from nanoclaw.durable.store import Store, Tx
from nanoclaw.durable.turns import speaker_of
from nanoclaw.flows.knowledge.trust import has_heard_others
from nanoclaw.flows.tasks import task_text
from nanoclaw.flows.tasks.changes import TaskChanges
from nanoclaw.flows.tasks.creation import TaskAuthor, TaskCreation
from nanoclaw.flows.tasks.estimate import estimate
from nanoclaw.flows.tasks.task_input import read_edit, read_task
from nanoclaw.texts import tell

_Act = Callable[[Tx, ToolRequest, TaskAuthor, datetime], ToolReply]

_AGENT = "agent"
_MOST_LISTED = 100


@dataclass(frozen=True, kw_only=True, slots=True)
class TaskTools:
    store: Store
    groups: Groups
    task_creation: TaskCreation
    changes: TaskChanges
    usual: Policy
    locale: Locale

    async def schedule(self, asking: ToolRequest, session: Session, group: Group) -> ToolReply:
        return await self._do(asking, session, group, self._schedule)

    async def show(self, asking: ToolRequest, session: Session, group: Group) -> ToolReply:
        return await self._do(asking, session, group, self._list)

    async def change(self, asking: ToolRequest, session: Session, group: Group) -> ToolReply:
        return await self._do(asking, session, group, self._change)

    async def _do(
        self,
        asking: ToolRequest,
        session: Session,
        group: Group,
        act: _Act,
    ) -> ToolReply:
        def story(tx: Tx) -> ToolReply:
            return act(tx, asking, self.maker(tx, asking, session, group), now())

        try:
            return await self.store.write(story)
        except Refused as error:
            return ToolReply(ok=False, text=tell("en", error), data={"refused": error.key})

    def maker(self, tx: Tx, asking: ToolRequest, session: Session, group: Group) -> TaskAuthor:
        """The person the agent works for right now, in the session's chat; for another group, in that group's chat."""
        person = speaker_of(tx, session)
        if person is None:
            raise Refused("task-no-turn")
        rights = memberships.rights_of(tx, person)
        if not asking.by_model:
            rights = rights.as_member_of(group.name)
        chat_id, thread, target = ChatId(session.chat_id), session.thread, group
        named = asking.target_group
        if named and named != group.name:
            target = self.groups.get(named)
            chat = self.task_creation.telling.usual_chat(tx, target.name, [person])
            if chat is None:
                raise Refused("task-not-wired", group=target.name)
            chat_id, thread = chat, None
        language = Locale(language=person.language).or_else(self.locale).speaks
        return TaskAuthor(
            person=person,
            actor=Actor.of(person, rights, via=_AGENT, language=language),
            group=target,
            chat_id=chat_id,
            thread=thread,
            asked_by=session.id,
            origin=f"{session.id} {asking.id}",
            is_mixed=not asking.by_model or has_heard_others(tx, session),
        )

    def _schedule(self, tx: Tx, asking: ToolRequest, maker: TaskAuthor, at: datetime) -> ToolReply:
        zone, _ = self.task_creation.clock_of(maker.person, maker.group)
        wanted = read_task(asking.arguments.plain(), at, zone, self.usual)
        # Separate results per run are of no use to an agent that ended long ago.
        task = self.task_creation.make(tx, wanted, replace(maker, asked_by=None), at)
        self.changes.cards.show(tx, task, at)
        return ToolReply(ok=True, text=self._told(tx, task, at), data={"task_id": task.id})

    def _told(self, tx: Tx, task: Task, at: datetime) -> str:
        locale = Locale(language="en", timezone=task.schedule.timezone)
        times = task_text.times_told(task_text.next_times(task, at), locale)
        cost = task_text.priced(estimate(tx, task, at), "en")
        return (
            f"Scheduled as task {task.id}. Next: {times} ({task.schedule.timezone}). {cost} The person sees this on a "
            "card with buttons to pause and edit it: do not repeat it all."
        )

    def _list(self, tx: Tx, _asking: ToolRequest, maker: TaskAuthor, at: datetime) -> ToolReply:
        seen = self._company(maker.group) if maker.group.main else [maker.group.name]
        found = [
            task
            for task in tasks.alive(tx, seen, _MOST_LISTED)
            if maker.actor.rights.role_in(task.group).may(Role.MEMBER)
        ]
        last = task_runs.last_of(tx, [task.id for task in found])
        locale = Locale(language="en", timezone=self.task_creation.clock_of(maker.person, maker.group)[0])
        lines = [task_text.line(task, locale, last.get(task.id)) for task in found]
        return ToolReply(ok=True, text="\n".join(lines) or "There are no tasks.")

    def _company(self, group: Group) -> list[str]:
        """The groups of the same company: this agent must not know what others have planned."""
        found = []
        for name in self.groups.names():
            with suppress(BadWorkspace):
                found += [name] if self.groups.get(name).company == group.company else []
        return found

    def _change(self, tx: Tx, asking: ToolRequest, maker: TaskAuthor, at: datetime) -> ToolReply:
        given, by = asking.given(ChangeTask), maker.actor
        owns_more = memberships.rights_of(tx, maker.person).role_in(maker.group.name).may(Role.ADMIN)
        if owns_more and not asking.by_model:  # anyone's script could run in an owner's turn
            raise Refused("task-by-script")
        task = self.changes.find(tx, str(given.task_id), by, seen_from=(maker.group.name,))
        if given.action == "edit":
            self.changes.edit(tx, task, by, at, is_mixed=maker.is_mixed, **read_edit(given.plain(), task, at))
        else:
            self.changes.acts[given.action](tx, task, by, at)
        left = tasks.get(tx, task.id) or task
        locale = Locale(language="en", timezone=left.schedule.timezone)
        times = (
            task_text.times_told(task_text.next_times(left, at), locale)
            if left.status is TaskStatus.ACTIVE
            else ""
        )
        return ToolReply(ok=True, text=f"Done. Task {task.id} is {left.status}. {times}".strip())
