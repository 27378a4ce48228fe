"""The stage of the plans: a model that asks what a test wants, over the played Telegram."""

import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from tests.telegram_scene import Scene, eventually, telegram_scene

from nanoclaw.delivery import outbox
from nanoclaw.domain.parcels import ParcelState
from nanoclaw.domain.plans import Plan, PlanState
from nanoclaw.durable import people, plans
from nanoclaw.durable.steering_tables import plans as rows
from nanoclaw.durable.store import Tx
from nanoclaw.flows.plans.files import mirror_path
from nanoclaw.testing import started_host
from nanoclaw.testing.model_parts import Asked, Fail
from nanoclaw.testing.model_server import ModelServer
from nanoclaw.testing.telegram.chats import SeenMessage
from nanoclaw.testing.telegram.people import Person
from nanoclaw.testing.telegram.server import TelegramServer

DONE = json.dumps({"done": True, "questions": []})


def question(text: str, *labels: str, free: bool = False) -> dict[str, Any]:
    options = [{"label": label, "value": label.lower()} for label in labels]
    return {"id": "q1", "question": text, "options": options, "allowFreeText": free}


def asks(*questions: dict[str, Any], goal: str = "jwt-auth", description: str = "implement-jwt") -> str:
    return json.dumps(
        {"goal": goal, "description": description, "questions": questions, "done": False}, ensure_ascii=False
    )


FRAMEWORK = question("What framework are you using?", "Express", "Fastify", "Hono", free=True)
STORAGE = question("Token storage?", "Cookies", "Memory")
REFRESH = question("Refresh tokens?", "Yes", "No")
FIRST = asks(FRAMEWORK, STORAGE, REFRESH)

Answer = str | Fail | Callable[[Asked], Any]


@dataclass
class Planner:
    """The model of every call: it asks round by round what the test says, and answers as the agent."""

    rounds: list[Answer] = field(default_factory=lambda: [FIRST, DONE])
    prompts: list[str] = field(default_factory=list)
    turns: list[str] = field(default_factory=list)

    def __call__(self, asked: Asked) -> Any:
        if "clarifying questions" in asked.text:
            self.prompts.append(asked.text)
            answer = self.rounds.pop(0) if self.rounds else DONE
            return answer(asked) if callable(answer) else answer
        said = asked.text.rpartition("<messages>")[2]  # what stands before it is remembered
        self.turns.append(said)
        return "Done as planned." if "planned this together" in said else "As you wish."

    def will_ask(self, *rounds: Answer) -> None:
        self.rounds[:] = rounds
        self.prompts.clear()
        self.turns.clear()


@dataclass(frozen=True, kw_only=True, slots=True)
class PlanScene(Scene):
    planner: Planner

    async def with_someone(self, name: str, *, language: str = "") -> "PlanScene":
        """A person of their own, whose chat is wired already."""
        joined = await self.joined_by(name, language=language)
        assert isinstance(joined, PlanScene)
        await joined.ask("Hello")
        self.planner.will_ask(FIRST, DONE)
        return joined

    async def begin(self, task: str = "add JWT authentication") -> SeenMessage:
        """The first question, once it is there."""
        await self.owner.says(self.chat, f"/plan {task}")
        return await self.card("Q1 of")

    async def plan(self, *, by: Person | None = None) -> Plan:
        """The newest plan of this person, open or over."""
        return await self.host.store.read(lambda tx: _newest(tx, by or self.owner))

    async def plan_in(self, state: PlanState) -> Plan:
        async def look() -> Plan | None:
            plan = await self.plan()
            return plan if plan.state is state else None

        return await eventually(look)

    async def mirrored(self) -> dict[str, Any]:
        """Its mirror, once it shows the row."""
        plan = await self.plan()
        path = mirror_path(self.host.home, plan)

        async def look() -> dict[str, Any] | None:
            try:
                said = json.loads(path.read_text("utf-8")) if path.exists() else None
            except ValueError:  # a test broke it, and it is not rewritten yet
                return None
            shown = said and (said["state"].lower(), said["currentQuestionIndex"])
            now = await self.plan()
            return said if shown == (now.state.value, now.current) else None

        return await eventually(look)

    async def answers(self, *labels: str) -> SeenMessage:
        """Presses them one after the other; what is shown then."""
        for label in labels:
            card = await self.shown_with(label)
            await self.press(card, label)
        return await self.card("Plan Ready")

    async def shown_with(self, label: str) -> SeenMessage:
        """The card that has this button now."""
        await self.chat.wait_until(lambda: any(label in each.labels for each in self.chat.seen))
        return [each for each in self.chat.seen if label in each.labels][-1]

    async def delivered(self, words: str) -> SeenMessage:
        """The card with these words, when the host knows that it arrived."""
        card = await self.card(words)

        async def look() -> bool | None:
            return await self.host.store.read(lambda tx: _is_delivered(tx, self.owner)) or None

        await eventually(look)
        return card


def _is_delivered(tx: Tx, person: Person) -> bool:
    parcel = outbox.get(tx, _newest(tx, person).parcel_id or "")
    return parcel is not None and parcel.state is ParcelState.DELIVERED


def _newest(tx: Tx, person: Person) -> Plan:
    found = people.person_named(tx, f"telegram:{person.id}")
    assert found
    query = sa.select(rows.c.id).where(rows.c.person_id == found.id).order_by(rows.c.id.desc())
    plan = plans.get(tx, tx.execute(query).scalar() or "")
    assert plan
    return plan


@asynccontextmanager
async def planning(
    home: Path,
    planner: Planner,
    *,
    server: TelegramServer | None = None,
    vendor: str = "anthropic",
    **settings: Any,
) -> AsyncIterator[PlanScene]:
    async with (
        ModelServer(planner) as model,
        telegram_scene(
            home, server=server, paced=False, **_settings(home, model, vendor), **settings
        ) as scene,
    ):
        yield PlanScene(
            server=scene.server,
            bot=scene.bot,
            host=scene.host,
            owner=scene.owner,
            chat=scene.chat,
            planner=planner,
        )


@asynccontextmanager
async def planning_again(scene: PlanScene) -> AsyncIterator[PlanScene]:
    """The host of a scene that is over, started again with the same bot and the same people."""
    async with (
        ModelServer(scene.planner) as model,
        started_host(
            scene.host.home,
            channels=None,
            telegram=scene.telegram,
            **_settings(scene.host.home, model),
        ) as host,
    ):
        yield replace(scene, host=host)


def _settings(home: Path, model: ModelServer, vendor: str = "anthropic") -> dict[str, Any]:
    if vendor == "anthropic":
        return {
            "anthropic": {"api_key": model.key, "base_url": model.url},
            "agents": {"runtime": "native"},
        }
    (home / "data").mkdir(exist_ok=True)
    (home / "data" / "keys.json").write_text(json.dumps({vendor: model.key}), "utf-8")
    agents = {"runtime": "native", "sonnet": f"{vendor}:small-model", "base_url": f"{model.url}/v1"}
    return {"agents": agents, "prices": {"small-model": "1/5"}}
