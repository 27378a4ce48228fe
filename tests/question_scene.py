"""The stage of the tests about questions: an agent that asks what the test wants, and a clock that can be moved on."""

from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from tests.telegram_scene import NO_IS_HARMLESS, Scene, eventually, telegram_scene

from nanoclaw.client.connection import Address
from nanoclaw.client.inbox import InboxClient
from nanoclaw.domain.ids import new_id
from nanoclaw.domain.people import LOCAL_OWNER, Role
from nanoclaw.domain.question_requests import read_wanted
from nanoclaw.domain.questions import Asker, Question
from nanoclaw.domain.steps import ModelPiece, Returned, Told, ToolCall
from nanoclaw.domain.tool_arguments import RequestHuman
from nanoclaw.domain.turns import TurnRequest
from nanoclaw.domain.wirings import ChatKind
from nanoclaw.durable import memberships, people, questions, sessions, wirings, work
from nanoclaw.durable.clock import now
from nanoclaw.durable.store import Tx
from nanoclaw.durable.tables import human_interactions
from nanoclaw.durable.tables import memberships as members
from nanoclaw.durable.tables import people as persons
from nanoclaw.durable.tables import work as works
from nanoclaw.testing import ScriptedModel, started_host
from nanoclaw.testing.telegram.chats import Chat, PrivateChat, SeenMessage
from nanoclaw.testing.telegram.groups import Group
from nanoclaw.testing.telegram.people import Person

HELD = {"hold_minutes": 3, "grace_seconds": 0}
"""A turn that asks waits for the answer."""
FREED = {"hold_minutes": 0.0001, "grace_seconds": 0}
"""A turn that asks ends at once, and the answer wakes its session."""

ASK = "please ask"
FORBIDDEN = "This is not yours to decide: owners and the admins of the agent group do."
POST: dict[str, Any] = {
    "skill": "marketing/content/copywriter",
    "options": [
        {"id": "now", "label": "Зараз", "description": "Опублікувати негайно"},
        {"id": "schedule", "label": "О 9:00", "description": "Запланувати на завтра 9:00"},
        {"id": "edit", "label": "Редагувати", "description": "Повернути на редагування"},
    ],
    "timeout_minutes": 60,
    "default_action": "schedule",
}
YES_NO: list[dict[str, Any]] = [
    {"id": "yes", "label": "Yes"},
    {"id": "no", "label": "No"},
]


class AskingAgent(ScriptedModel):
    """Told `please ask`, it calls `request_human` with `wants`; then it says what it was told, or what woke it."""

    def __init__(self) -> None:
        super().__init__(self._pieces)
        self.wants: Mapping[str, Any] = {}
        self.tool = "request_human"

    @property
    def told(self) -> list[Returned]:
        """What its last turn got back."""
        return [step for step in self.steps[-1] if isinstance(step, Returned)] if self.steps else []

    def wants_to_ask(self, question: str, **more: Any) -> None:
        self.tool, self.wants = "request_human", {"question": question} | more

    def _pieces(self, request: TurnRequest) -> Iterator[str | ModelPiece]:
        last = self.steps[-1][-1] if self.steps[-1] else None
        heard = last.prompt if isinstance(last, Told) else request.prompt
        if isinstance(last, Returned):
            yield f"told: {last.text}"
        elif ASK in heard:
            yield ToolCall(id=f"call-{len(self.asked)}", name=self.tool, arguments=dict(self.wants))
        elif "answers=" in heard:
            yield "woken"
        else:
            yield "heard you"


@dataclass(frozen=True, kw_only=True, slots=True)
class Asking:
    """A scene whose agent asks; `frees`: its turns do not wait. `chat` is the first owner's."""

    scene: Scene
    agent: AskingAgent
    frees: bool
    inbox: InboxClient = field(repr=False)

    @property
    def chat(self) -> PrivateChat:
        return self.scene.chat

    async def ask(
        self, question: str, *, by: Person | None = None, chat: Chat | None = None, **more: Any
    ) -> Question:
        """A person has the agent ask this; the question as it is written down."""
        place = chat or self.chat
        before = place.answers
        self.agent.wants_to_ask(question, **more)
        await (by or self.scene.owner).says(place, f"@helper_bot {ASK}")
        asked = await self.asked(question)
        if self.frees:  # its turn is over then, and whatever comes next begins another
            await self.says("told: Nobody has answered yet", place, after=before)
        return asked

    async def ask_and_show(
        self, question: str, *, by: Person | None = None, chat: Chat | None = None, **more: Any
    ) -> tuple[Question, SeenMessage]:
        """And its card in that chat; one without buttons is found by its words."""
        asked = await self.ask(question, by=by, chat=chat, **more)
        return asked, await self.card(asked, chat)

    async def ask_beside(
        self, other: Question, question: str, *, chat: Chat | None = None, **more: Any
    ) -> tuple[Question, SeenMessage]:
        """The session that asked `other` asks this too, without a turn: words would answer an open input."""
        host = self.scene.host
        assert other.session_id
        session = await host.store.read(partial(sessions.get, session_id=other.session_id))
        asker = Asker(
            session_id=session.id,
            execution_id=other.execution_id,
            asked_id=new_id("a"),
            group=session.group,
            company=other.company,
            thread=session.thread,
            chat_id=session.chat_id,
        )
        wanted = read_wanted(RequestHuman(question=question, **more), usual_timeout=timedelta(hours=1))
        asked = await host.question_parts.questions.ask(wanted, asker)
        return asked, await self.card(asked, chat)

    async def asked(self, prompt: str) -> Question:
        """The newest question with these words, once there is one."""

        async def look() -> Question | None:
            found = await self.scene.host.store.read(questions.list_open)
            return next((each for each in reversed(found) if each.prompt == prompt), None)

        return await eventually(look)

    async def card(self, question: Question, chat: Chat | None = None) -> SeenMessage:
        place = chat or self.chat
        await place.wait_until(lambda: cards_of(question, place))
        return cards_of(question, place)[-1]

    async def now(self, question: Question) -> Question:
        """As it stands."""
        return await self.scene.host.question_parts.questions.get(question.id)

    async def ended(self, question: Question) -> Question:
        """Once it is decided and written into the company's decisions."""

        async def look() -> Question | None:
            found = await self.now(question)
            return found if found.recorded_at else None

        return await eventually(look)

    async def says(self, words: str, chat: Chat | None = None, *, after: int = 0) -> str:
        """What the bot says there with these words, once it has; `after` so many messages."""
        place = chat or self.chat
        await place.wait_until(lambda: [text for text in place.texts()[after:] if words in text])
        return [text for text in place.texts()[after:] if words in text][-1]

    async def passes(self, question: Question, length: timedelta) -> None:
        """So much time: its row becomes that much older, and its work is due."""

        def story(tx: Tx) -> None:
            found = questions.get(tx, question.id)
            assert found
            questions.mark(
                tx,
                question.id,
                created_at=found.created_at - length,
                deadline_at=found.deadline_at - length,
            )
            work.due(tx, work.QUESTION, question.id, now())

        host = self.scene.host
        await host.store.write(story)
        host.engine.kick(work.QUESTION, question.id)

    async def looked_at(self, question: Question) -> None:
        """Until nothing is due for it now: whatever its time brought has been done."""

        async def look() -> bool | None:
            return await self.scene.host.store.read(lambda tx: _is_idle(tx, question)) or None

        await eventually(look)

    async def meet(
        self, name: str, *, within: Mapping[str, Role], language: str = "", role: Role = Role.STRANGER
    ) -> tuple[Person, PrivateChat]:
        """Someone with a role in single agent groups, or everywhere, who talks to the first of their agents alone."""
        scene = self.scene
        person = scene.server.person(name, language=language, username=name.lower())
        await scene.know(person, role)
        chat = person.chat_with(scene.bot)

        def story(tx: Tx) -> None:
            known = people.person_named(tx, handle(person))
            assert known
            for group, role in within.items():
                memberships.put(tx, known.id, group, role, now())
            people.rename_person(tx, known.id, person.name, person.username)
            own = people.add_chat(
                tx, channel=f"telegram:{scene.bot.id}", address=str(person.id), title=name, at=now()
            )
            wirings.wire(tx, own.id, own.kind, next(iter(within), "main"), now())

        await scene.host.store.write(story)
        return person, chat

    async def group(self, title: str, *members: Person, agent: str = "main") -> Group:
        """A group chat where this agent listens."""
        scene = self.scene
        group = scene.server.group(title, scene.bot, members=members)

        def story(tx: Tx) -> None:
            channel = f"telegram:{scene.bot.id}"
            made = people.add_chat(
                tx, channel=channel, address=str(group.id), title=title, at=now(), kind=ChatKind.GROUP
            )
            wirings.wire(tx, made.id, made.kind, agent, now())

        await scene.host.store.write(story)
        return group

    async def clear_up(self) -> None:
        """For the next test: nothing is open, and only the owner is known."""
        for row in await self.inbox.open():
            await self.inbox.change(row.id, "cancel")

        def story(tx: Tx) -> None:
            known = (LOCAL_OWNER, handle(self.scene.owner))
            tx.execute(sa.delete(members))
            tx.execute(
                sa.update(persons).where(persons.c.handle.not_in(known)).values(role=Role.STRANGER.value)
            )
            tx.execute(sa.update(persons).values(away_until=None, delegate=None, quiet=None))

        await self.scene.host.store.write(story)


def _is_idle(tx: Tx, question: Question) -> bool:
    row = tx.execute(sa.select(works).where(works.c.key == question.id)).first()
    return row is None or (row.host is None and row.due_at > now())


def handle(person: Person) -> str:
    return f"telegram:{person.id}"


def cards_of(question: Question, chat: Chat) -> list[SeenMessage]:
    """What shows this question there: its card, and its reminders while it is open."""
    short = question.id[-5:]
    return [seen for seen in chat.seen if seen.by_bot and f"{short} ·" in seen.text]


@asynccontextmanager
async def asking_scene(home: Path, settings: Mapping[str, object], **more: Any) -> AsyncIterator[Asking]:
    agent = AskingAgent()
    async with telegram_scene(home, model=agent, paced=False, questions=settings, **more) as scene:
        main = home / "groups" / "main" / "group.toml"
        main.write_text(f"{main.read_text('utf-8')}\n{NO_IS_HARMLESS}", "utf-8")
        await scene.ask("hello")  # from here on it is known which agent the owner talks to
        async with _asking_in(scene, agent, settings) as asking:
            yield asking


@asynccontextmanager
async def _asking_in(
    scene: Scene, agent: AskingAgent, settings: Mapping[str, object]
) -> AsyncIterator[Asking]:
    """The inbox is that of the page."""
    frees = settings["hold_minutes"] == FREED["hold_minutes"]
    async with InboxClient(Address(url=scene.host.url, token=scene.host.token), via="") as inbox:
        yield Asking(scene=scene, agent=agent, frees=frees, inbox=inbox)


@asynccontextmanager
async def asking_again(home: Path, before: Asking, settings: Mapping[str, object]) -> AsyncIterator[Asking]:
    """The host of a scene that is over, started again with the same bot, people and agent."""
    telegram = before.scene.telegram
    async with (
        started_host(home, model=before.agent, channels=None, telegram=telegram, questions=settings) as host,
        _asking_in(replace(before.scene, host=host), before.agent, settings) as asking,
    ):
        yield asking


async def row_of(asking: Asking, question: Question) -> Any:
    query = sa.select(human_interactions).where(human_interactions.c.id == question.id)
    return await asking.scene.host.store.read(lambda tx: tx.execute(query).one())
