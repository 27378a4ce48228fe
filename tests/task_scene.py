"""The stage of the tests about tasks: a host whose agent has some, people, and time that can be moved on."""

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from tests.delivery_scene import known
from tests.task_agent import Held, TaskAgent
from tests.telegram_scene import Scene, eventually, telegram_scene

from nanoclaw.client.connection import Address
from nanoclaw.client.tasks import TaskClient
from nanoclaw.domain.ids import ChatId, new_id
from nanoclaw.domain.money import Spender, Usage
from nanoclaw.domain.people import Actor, Role
from nanoclaw.domain.people import Person as Known
from nanoclaw.domain.schedules import ScheduleType
from nanoclaw.domain.steps import Returned
from nanoclaw.domain.tasks import Run, Task
from nanoclaw.domain.tool_requests import ToolReply, ToolRequest
from nanoclaw.domain.tools import TOOLS
from nanoclaw.domain.wirings import ChatKind
from nanoclaw.durable import memberships, people, sent, sessions, task_runs, tasks, wirings, work
from nanoclaw.durable.clock import now
from nanoclaw.durable.store import Tx
from nanoclaw.durable.tables import costs, parcels, scheduled_tasks, session_queue
from nanoclaw.durable.tables import people as persons
from nanoclaw.durable.tables import work as works
from nanoclaw.flows.tasks.creation import TaskAuthor
from nanoclaw.flows.tasks.task_input import read_policy, read_task
from nanoclaw.gateway.quotes import PriceQuote
from nanoclaw.host.host import Host
from nanoclaw.testing.telegram.chats import Chat, PrivateChat, SeenMessage
from nanoclaw.testing.telegram.groups import Group
from nanoclaw.testing.telegram.people import Person

NEWS = "send me the news"
FAR = "every sunday 3:00"
"""When nothing of the tests is due by itself."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Tasks:
    """A scene whose agent has tasks. `chat` is the first owner's."""

    scene: Scene
    agent: TaskAgent

    @property
    def chat(self) -> PrivateChat:
        return self.scene.chat

    @property
    def host(self) -> Host:
        return self.scene.host

    # How tasks come to be

    @property
    def tasks(self) -> TaskClient:
        """What the page and the command line ask."""
        return TaskClient(Address(url=self.host.url, token=self.host.token))

    async def schedule(
        self, line: str, *, by: Person | None = None, chat: Chat | None = None, **place: Any
    ) -> Task:
        """`/schedule line`; the task, once its card is there."""
        before = await self.newest()
        await (by or self.scene.owner).says(chat or self.chat, f"/schedule {line}", **place)

        async def look() -> Task | None:
            found = await self.newest()
            return found if found and found != before and found.card else None

        task = await eventually(look)
        await self.card(task, chat)
        return task

    async def make(
        self,
        prompt: str,
        *,
        when: str = FAR,
        owner: str = "",
        chat: Chat | None = None,
        room: str = "",
        group: str = "main",
        thread: str | None = None,
        **given: Any,
    ) -> Task:
        """Without a chat's detour, treated as `given` says, in the words of the tool. `room` is one of the page."""
        task_parts = self.host.task_parts

        def story(tx: Tx) -> Task:
            person = people.person_named(tx, owner or handle(self.scene.owner))
            place = room_of_page(tx, room) if room else self.place(tx, chat or self.chat)
            assert person
            maker = TaskAuthor(
                person=person,
                actor=_actor(tx, person),
                group=task_parts.task_creation.groups.get(group),
                chat_id=place,
                thread=thread,
            )
            wanted = read_task({"when": when, "prompt": prompt} | given, now(), "UTC", task_parts.usual)
            return task_parts.task_creation.make(tx, wanted, maker, now())

        return await self.host.store.write(story)

    async def use(
        self,
        tool: str,
        *,
        by: Person | None = None,
        chat: Chat | None = None,
        topic: Any = None,
        **given: Any,
    ) -> str:
        """Someone has the agent use this tool; what the agent was told."""
        place, words = chat or self.chat, f"use {tool} {new_id('u')}"
        self.agent.does(words, self.agent.call(tool, **given))
        before = len(self.agent.steps)
        await (by or self.scene.owner).says(place, f"@helper_bot {words}", topic=topic)

        async def look() -> str | None:
            returned = [
                step.text
                for steps in self.agent.steps[before:]
                for step in steps[-1:]
                if isinstance(step, Returned)
                and step.call.name == tool
                and dict(step.call.arguments) == given
            ]
            return returned[-1] if returned else None

        said = await eventually(look)
        await place.wait_until(lambda: any("told: " in text for text in place.texts()[-3:]))
        return said

    @asynccontextmanager
    async def in_a_turn(self) -> AsyncIterator[Callable[..., Awaitable[ToolReply]]]:
        """The agent is in the middle of a turn for the owner; what it asks for comes with an id, as after a crash."""
        self.agent.does("stay", self.agent.call("list_tasks"))
        held = self.agent.holds("stay", after=1)
        said_first = await self.scene.owner.says(self.chat, "stay")
        await held.until_begun()
        session_id = self.agent.asked[-1].session_id

        async def ask(tool: str, asked_id: str, **given: Any) -> ToolReply:
            kind, arguments = TOOLS[tool].kind, TOOLS[tool].takes(**given)
            asking = ToolRequest(
                id=asked_id, kind=kind, tool=tool, session_id=session_id, arguments=arguments
            )
            return await self.host.requests.answer(asking)

        yield ask
        held.go_on()
        await self.scene.why(said_first, "answered")

    async def command(self, task: Task, what: str, rest: str = "") -> str:
        """`/task_pause 5` and the like, and what the host says to it."""
        return await self.scene.command(self.chat, f"/task_{what} {task.id} {rest}".strip())

    async def running(self, task: Task) -> Held:
        """Its run is under way, and waits to be let go on."""
        held = self.agent.holds(task.prompt)
        await self.due(task)
        await held.until_begun()
        return held

    async def change(self, task: Task, action: str, **more: Any) -> str:
        """Someone has the agent change a task; what the agent was told."""
        return await self.use("change_task", task_id=task.id, action=action, **more)

    # How they go on

    async def due(self, task: Task, at: datetime | None = None) -> None:
        """Its time has come: now, or at some moment while no host ran."""
        await made_due(self.host, task.id, at)

    async def passes(self, task: Task, length: timedelta) -> None:
        """So much time: whatever is written down for the task becomes that much older, and its work is due."""

        def story(tx: Tx) -> None:
            found = tasks.get(tx, task.id)
            assert found
            schedule = replace(found.schedule, anchor=found.schedule.anchor - length)
            if schedule.type is ScheduleType.ONCE:
                moment = datetime.fromisoformat(schedule.value) - length
                schedule = replace(schedule, value=moment.isoformat())
            later = found.next_run_at and found.next_run_at - length
            tasks.change(tx, found, schedule=schedule, next_run_at=later)
            for run in task_runs.open_of(tx, task.id):
                task_runs.mark(tx, run.id, run_at=run.run_at - length)
            for run in task_runs.awaited(tx, task.id):
                assert run.deliver_by
                task_runs.mark(tx, run.id, deliver_by=run.deliver_by - length)
            work.due(tx, work.TASK, str(task.id), now())

        await self.host.store.write(story)
        self.host.engine.kick(work.TASK, str(task.id))

    async def lane_of(self, task: Task) -> str:
        """In which the session of its runs waits."""
        session = (await self.now(task)).session_id
        assert session
        return (await self.host.store.read(lambda tx: sessions.get(tx, session))).lane

    async def retried(self, task: Task) -> None:
        """The pause before the next attempt of its run is over."""
        session = (await self.now(task)).session_id
        assert session
        lane = tasks.lane_of(task)

        def story(tx: Tx) -> None:
            for run in task_runs.open_of(tx, task.id):
                tx.execute(
                    sa.update(session_queue)
                    .where(session_queue.c.message_id == run.message_id)
                    .values(not_before=None)
                )
            work.due(tx, lane, session, now())

        await self.host.store.write(story)
        self.host.engine.kick(lane, session)

    async def waits_until(self, run: Run) -> datetime:
        """When a run that went wrong is tried again."""
        query = sa.select(session_queue.c.not_before).where(session_queue.c.message_id == run.message_id)
        moment: datetime = await self.host.store.read(lambda tx: tx.execute(query).scalar_one())
        return moment

    async def begins_at(self, task: Task) -> tuple[str, datetime]:
        """In which lane its turn waits, and until when."""
        query = sa.select(works.c.kind, works.c.due_at).where(
            works.c.key == (await self.now(task)).session_id
        )
        row = await self.host.store.read(lambda tx: tx.execute(query).one())
        return row.kind, row.due_at

    async def treat(self, task: Task, **policy: Any) -> None:
        """Another policy for what was made in the chat."""
        await self.host.store.write(
            lambda tx: tasks.change(tx, task, policy=read_policy(policy, task.policy))
        )

    async def told_anywhere(self, words: str) -> list[str]:
        """What the host has said with these words, or will, in any chat."""
        query = sa.select(parcels.c.text).where(parcels.c.text.contains(words))
        return list(await self.host.store.read(lambda tx: tx.execute(query).scalars().all()))

    async def now(self, task: Task) -> Task:
        """As it stands."""
        found = await self.host.store.read(lambda tx: tasks.get(tx, task.id))
        assert found
        return found

    async def becomes(self, task: Task, status: str) -> Task:
        async def look() -> Task | None:
            found = await self.now(task)
            return found if found.status == status else None

        return await eventually(look)

    async def newest(self) -> Task | None:
        def story(tx: Tx) -> Task | None:
            newest = tx.execute(sa.select(sa.func.max(scheduled_tasks.c.id))).scalar()
            return tasks.get(tx, newest) if newest else None

        return await self.host.store.read(story)

    async def runs(self, task: Task) -> list[Run]:
        """The first first."""
        found = await self.host.store.read(lambda tx: task_runs.history(tx, task.id, 100))
        return sorted(found, key=lambda run: run.run_at)

    async def ended(self, task: Task, count: int = 1) -> list[Run]:
        """Its runs, once so many of them are over and the others too."""

        async def look() -> list[Run] | None:
            found = await self.runs(task)
            over = [run for run in found if not run.status.is_open]
            return found if len(over) >= count and len(over) == len(found) else None

        return await eventually(look)

    async def is_at(self, task: Task, status: str, *, attempts: int | None = None) -> Run:
        """Its newest run, once it stands so, after so many attempts."""

        async def look() -> Run | None:
            found = [run for run in await self.runs(task) if run.status == status]
            return found[-1] if found and attempts in (None, found[-1].attempts) else None

        return await eventually(look)

    async def looked_at(self, task: Task) -> None:
        """Until nothing is due for it now: whatever its time brought has been done."""

        async def look() -> bool | None:
            return await self.host.store.read(lambda tx: _is_idle(tx, task)) or None

        await eventually(look)

    # What people see of them

    async def card(self, task: Task, chat: Chat | None = None) -> SeenMessage:
        """As it is now."""
        place = chat or self.chat
        await place.wait_until(lambda: cards_of(task, place))
        return cards_of(task, place)[0]

    async def card_says(self, task: Task, words: str, chat: Chat | None = None) -> SeenMessage:
        place = chat or self.chat
        await place.wait_until(lambda: [each for each in cards_of(task, place) if words in each.text])
        return next(each for each in cards_of(task, place) if words in each.text)

    async def says(self, words: str, chat: Chat | None = None) -> SeenMessage:
        """What the bot says there with these words, once it has."""
        place = chat or self.chat
        await place.wait_until(lambda: said(words, place))
        return said(words, place)[-1]

    async def is_known(self, message: SeenMessage, chat: Chat | None = None) -> None:
        """The host has heard which message it became: nobody replies sooner than that."""
        place = await known(self.scene, chat or self.chat)
        await eventually(
            lambda: self.host.store.read(lambda tx: sent.subject_at(tx, place.id, str(message.id)))
        )

    async def press(self, card: SeenMessage, label: str, *, by: Person | None = None) -> str:
        return await self.scene.press(card, label, by=by)

    # Who there is, and where

    async def person(self) -> Known:
        """The owner, as the host knows them."""
        found = await self.host.store.read(lambda tx: people.person_named(tx, handle(self.scene.owner)))
        assert found
        return found

    async def is_place(self, task: Task, chat: Chat) -> bool:
        """Whether its results go there."""
        return await self.host.store.read(lambda tx: self.place(tx, chat)) == task.chat_id

    async def joined(self) -> "Tasks":
        """The same host with another owner, whose chat is still empty."""
        person, chat = await self.meet("Olena", role=Role.OWNER)
        return replace(self, scene=replace(self.scene, owner=person, chat=chat))

    def place(self, tx: Tx, chat: Chat) -> ChatId:
        found = people.chat_at(tx, f"telegram:{self.scene.bot.id}", str(chat.id))
        assert found
        return found.id

    async def meet(
        self, name: str, *, role: Role = Role.STRANGER, within: Mapping[str, Role] | None = None
    ) -> tuple[Person, PrivateChat]:
        """Someone with a role everywhere or in single agent groups, who talks to the first of them alone."""
        person = self.scene.server.person(name, username=name.lower())
        await self.scene.know(person, role)
        chat = person.chat_with(self.scene.bot)

        def story(tx: Tx) -> None:
            known = people.person_named(tx, handle(person))
            assert known
            for group, here in (within or {}).items():
                memberships.put(tx, known.id, group, here, now())
            people.rename_person(tx, known.id, person.name, person.username)
            channel = f"telegram:{self.scene.bot.id}"
            own = people.add_chat(tx, channel=channel, address=str(person.id), title=name, at=now())
            wirings.wire(tx, own.id, own.kind, next(iter(within or {}), "main"), now())

        await self.host.store.write(story)
        return person, chat

    async def group(self, title: str, *members: Person, agent: str = "main", forum: bool = False) -> Group:
        """A group chat where this agent listens."""
        group = self.scene.server.group(title, self.scene.bot, members=members, forum=forum)
        kind = ChatKind.THREADED if forum else ChatKind.GROUP

        def story(tx: Tx) -> None:
            channel = f"telegram:{self.scene.bot.id}"
            made = people.add_chat(
                tx, channel=channel, address=str(group.id), title=title, at=now(), kind=kind
            )
            wirings.wire(tx, made.id, made.kind, agent, now())

        await self.host.store.write(story)
        return group

    async def forget_people(self) -> None:
        """Forget everyone except the owner of this machine."""
        await self.host.store.write(_forget_people)

    async def block(self, person: Person, *, blocked: bool = True) -> None:
        def story(tx: Tx) -> None:
            known = people.person_named(tx, handle(person))
            assert known
            people.block(tx, known.id, blocked=blocked)

        await self.host.store.write(story)

    async def spend(self, micros: int, *, turn: str, skill: str = "", group: str = "main") -> None:
        """A turn of this agent group has cost so much."""
        ledger = self.host.agents.ledger
        spender = Spender(
            company="demo", group=group, session_id="s_1", turn_id=turn, runtime="native", skill=skill
        )
        reserved = await ledger.reserve(spender, "model", PriceQuote.fixed(micros))
        await ledger.settle(reserved, Usage(), micros=micros).written

    async def clear_up(self) -> None:
        """For the next test: nothing is scheduled or under way, and only the owner is known."""
        self.agent.forget()
        changes = self.host.task_parts.changes

        def story(tx: Tx) -> None:
            owner = people.person_named(tx, handle(self.scene.owner))
            assert owner
            for task in tasks.alive(tx):
                changes.delete(tx, task, _actor(tx, owner), now())
            _forget_people(tx)
            people.set_role(tx, owner.id, Role.OWNER)
            tx.execute(sa.delete(costs))

        await self.host.store.write(story)


async def made_due(host: Host, task_id: int, at: datetime | None = None) -> None:
    moment = at or now()

    def story(tx: Tx) -> None:
        tasks.mark(tx, task_id, next_run_at=moment)
        work.due(tx, work.TASK, str(task_id), min(moment, now()))

    await host.store.write(story)
    host.engine.kick(work.TASK, str(task_id))


def _actor(tx: Tx, person: Known) -> Actor:
    return Actor.of(person, memberships.rights_of(tx, person), via="test", language="en")


def _forget_people(tx: Tx) -> None:
    others = ~persons.c.handle.startswith("local:")
    tx.execute(sa.update(persons).where(others).values(role=Role.STRANGER.value))


def _is_idle(tx: Tx, task: Task) -> bool:
    row = tx.execute(sa.select(works).where(works.c.kind == work.TASK, works.c.key == str(task.id))).first()
    return row is None or (row.host is None and row.due_at > now())


def handle(person: Person) -> str:
    return f"telegram:{person.id}"


def room_of_page(tx: Tx, address: str) -> ChatId:
    found = people.chat_at(tx, "web", address)
    assert found
    return found.id


def said(words: str, chat: Chat) -> list[SeenMessage]:
    return [seen for seen in chat.seen if seen.by_bot and words in seen.text]


def cards_of(task: Task, chat: Chat) -> list[SeenMessage]:
    """What shows this task there: its card first, then what was told of it."""
    return [seen for seen in chat.seen if seen.by_bot and f"Task {task.id}" in seen.text.split("\n")[0]]


@asynccontextmanager
async def task_scene(home: Path, **settings: Any) -> AsyncIterator[Tasks]:
    agent = TaskAgent()
    async with telegram_scene(home, model=agent, paced=False, **settings) as scene:
        await scene.ask("hello")
        agent.forget()
        yield Tasks(scene=scene, agent=agent)
