"""Creates a task: checked against its author's rights and what exists, stored, and shown with its next times."""

from dataclasses import dataclass, replace
from datetime import datetime

from nanoclaw.context.groups import Group, Groups
from nanoclaw.context.skills import Skills
from nanoclaw.domain.errors import Refused
from nanoclaw.domain.ids import ChatId, SessionId
from nanoclaw.domain.locale import Locale
from nanoclaw.domain.people import LOCAL_OWNER, Actor, Person, Role
from nanoclaw.domain.schedules import Schedule
from nanoclaw.domain.tasks import LONGEST_PROMPT, RunReason, Task, TaskKind, WantedTask, ZoneOf
from nanoclaw.domain.text import is_empty, storable
from nanoclaw.durable import audit, people, task_runs, tasks, wirings, work
from nanoclaw.durable.store import Tx
from nanoclaw.flows.tasks.routes import Routes
from nanoclaw.flows.tasks.run_start import start_next


@dataclass(frozen=True, kw_only=True, slots=True)
class TaskAuthor:
    """Who wants it, for which agent group, and where its results go."""

    person: Person
    actor: Actor
    group: Group
    chat_id: ChatId
    thread: str | None
    asked_by: SessionId | None = None
    origin: str | None = None
    is_mixed: bool = False  # an agent that has read what no member said wants it


@dataclass(frozen=True, kw_only=True, slots=True)
class TaskCreation:
    """Runs in the caller's transaction. When it raises Refused, nothing has changed."""

    groups: Groups
    known_skills: Skills
    telling: Routes
    locale: Locale  # of the workspace
    most: int  # open tasks of one group
    most_background: int

    def clock_of(self, person: Person, group: Group) -> tuple[str, ZoneOf]:
        """The zone in which they write times, and whose it is."""
        if person.timezone:
            return person.timezone, ZoneOf.PERSON
        if group.timezone:
            return group.timezone, ZoneOf.GROUP
        return self.locale.zone.key, ZoneOf.HOST

    def make(self, tx: Tx, wanted: WantedTask, maker: TaskAuthor, at: datetime) -> Task:
        if maker.origin and (known := tasks.made_for(tx, maker.origin)):
            return known
        wanted = self._checked(tx, wanted, maker)
        is_background = wanted.kind is TaskKind.BACKGROUND
        due = at if is_background else wanted.schedule.next_after(at)
        if due is None:
            raise Refused("until-past", text=wanted.schedule.value)
        task = tasks.add(
            tx,
            wanted,
            group=maker.group.name,
            chat_id=maker.chat_id,
            thread=maker.thread,
            owner=maker.person.id,
            zone_of=self._zone_of(wanted.schedule, maker),
            next_run_at=None if is_background else due,
            at=at,
            asked_by=maker.asked_by,
            origin=maker.origin,
            is_mixed=maker.is_mixed,
        )
        what = {"prompt": task.title, "group": task.group, "schedule": wanted.schedule.value}
        audit.record(tx, maker.actor, at, "task-made", str(task.id), **what)
        if is_background:
            run = task_runs.add(tx, task, at, RunReason.BACKGROUND, at)
            start_next(tx, task, [run] if run else [], at)
        else:
            work.due(tx, work.TASK, str(task.id), due)
        return task

    def _checked(self, tx: Tx, wanted: WantedTask, maker: TaskAuthor) -> WantedTask:
        prompt = checked_prompt(wanted.prompt)
        group = maker.group.name
        if not maker.actor.rights.role_in(group).may(Role.MEMBER):
            raise Refused("task-forbidden", group=group)
        if group not in wirings.groups_of(tx, maker.chat_id):
            raise Refused("task-not-wired", group=group)
        is_background = wanted.kind is TaskKind.BACKGROUND
        most = self.most_background if is_background else self.most
        if tasks.count_alive(tx, group, wanted.kind) >= most:
            setting = "tasks.most_background" if is_background else "tasks.most"
            raise Refused("task-too-many", most=most, group=group, setting=setting)
        self.telling.check_route(tx, wanted.policy, group)
        return replace(wanted, prompt=prompt, skill=self.skill_named(wanted.skill))

    def chat_for(self, tx: Tx, ref: str | None, group: Group) -> ChatId:
        """The named chat; otherwise a private chat of an owner with the group's agent, preferably on the phone."""
        if ref:
            named = self.telling.route(tx, ref, group.name)
            if not named:
                raise Refused("task-no-route", text=ref[:80])
            wired = wirings.chats_wired_to(tx, group.name)
            return next((each for each in named if each in wired), named[0])
        owners = sorted(people.with_role(tx, Role.OWNER), key=lambda one: one.handle == LOCAL_OWNER)
        usual = self.telling.usual_chat(tx, group.name, owners)
        if usual is None:
            raise Refused("task-not-wired", group=group.name)
        return usual

    def skill_named(self, ref: str) -> str:
        """The skill's name; empty for none, which means the group's own."""
        if not ref.strip():
            return ""
        skill = self.known_skills.find(ref.strip())
        if skill is None:
            known = ", ".join(sorted(each.name for each in self.known_skills.skills()))
            raise Refused("task-no-skill", skill=ref.strip()[:80], known=known)
        return skill.name

    def _zone_of(self, schedule: Schedule, maker: TaskAuthor) -> ZoneOf:
        zone, whose = self.clock_of(maker.person, maker.group)
        return whose if zone == schedule.timezone else ZoneOf.NAMED


def checked_prompt(written: str) -> str:
    """The prompt in a form that can be stored. Raises Refused."""
    prompt = storable(written).strip()
    if is_empty(prompt):
        raise Refused("task-no-prompt")
    if len(prompt) > LONGEST_PROMPT:
        raise Refused("task-prompt-long", length=len(prompt), most=LONGEST_PROMPT)
    return prompt
