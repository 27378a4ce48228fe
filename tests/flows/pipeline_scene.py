"""The stage of the tests about pipelines: a whole host, and agents that hand in what a test wants for each step."""

import asyncio
import re
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import httpx
from tests.telegram_scene import eventually

from nanoclaw.channels.rooms import WEB
from nanoclaw.domain.ids import new_id
from nanoclaw.domain.people import LOCAL_OWNER, Actor, Person, Role
from nanoclaw.domain.pipeline_runs import PipelineRun, PipelineRunStatus, StepRun, StepState
from nanoclaw.domain.pipelines import Template
from nanoclaw.domain.questions import Question
from nanoclaw.domain.steps import ModelPiece, Returned, Step, ToolCall, ToolOffer
from nanoclaw.domain.turns import TurnRequest
from nanoclaw.durable import memberships, people, pipeline_runs, questions
from nanoclaw.durable.clock import now
from nanoclaw.durable.store import Tx
from nanoclaw.flows.pipelines.changes import WantedRun
from nanoclaw.host.host import Host
from nanoclaw.pipelines.estimates import RunEstimate
from nanoclaw.pipelines.template import read_template
from nanoclaw.testing import ScriptedModel, started_host

Played = Mapping[str, Any] | str | Exception | ToolCall
"""Arguments of `finish_step` besides the usual ones; or what the agent says without it; or what its model raises; or
any call of a tool."""

THREE = """# Three steps
## Trigger: /three
## Steps:
1. topic-researcher
2. outline-architect
3. editor
"""
APPROVED = """# Approved text
## Trigger: /approved
## Steps:
1. copywriter
2. HITL | type: approval | timeout: 15m
3. editor
"""
_ROLE = re.compile(r'role="([^"]*)">')


class StepAgent(ScriptedModel):
    """Hands in a short text for each step, unless a test says what it does; in the chat it says hello."""

    def __init__(self, log: Path | None = None) -> None:
        """Each call is noted in `log`, for tests whose hosts die."""
        super().__init__(self._pieces)
        self._log = log
        self.called: Callable[[int | None], None] = lambda _step: None
        self._played: dict[int, list[Played]] = {}
        self._gates: dict[int | None, asyncio.Event] = {}
        self.forms: dict[int | None, Mapping[str, Any]] = {}  # of `finish_step`, by step

    def plays(self, step: int, *parts: Played) -> None:
        """One for each call of the model in this step; the last one for all that follow."""
        self._played[step] = list(parts)

    def holds(self, step: int | None) -> None:
        """From now on nothing comes of the model in this step (None: in the chat), until `lets_go`."""
        self._gates[step] = asyncio.Event()

    def lets_go(self, step: int | None) -> None:
        self._gates.pop(step).set()

    def forget(self) -> None:
        """What was played and asked before."""
        for step in list(self._gates):
            self.lets_go(step)
        self._played.clear()
        self.asked.clear()
        self.steps.clear()

    def steps_of(self, step: int) -> list[list[Returned]]:
        """What tools had answered at each call of the model in this step."""
        pairs = zip(self.asked, self.steps, strict=True)
        return [
            [each for each in steps if isinstance(each, Returned)]
            for request, steps in pairs
            if request.step == step
        ]

    def requests(self, step: int) -> list[TurnRequest]:
        """What the agents of this step were given, one for each call of the model."""
        return [request for request in self.asked if request.step == step]

    def times(self, step: int) -> int:
        return len(self.requests(step))

    async def stream(
        self, request: TurnRequest, steps: Sequence[Step], tools: Sequence[ToolOffer]
    ) -> AsyncGenerator[ModelPiece, None]:
        finish = next((tool for tool in tools if tool.name == "finish_step"), None)
        self.forms[request.step] = finish.arguments if finish else {}
        pieces = super().stream(request, steps, tools)
        async for piece in pieces:
            if gate := self._gates.get(request.step):
                await gate.wait()
            yield piece

    def logged(self, step: int) -> int:
        """How often the model was asked in this step, in all lives of the host."""
        lines = self._log.read_text().split() if self._log and self._log.exists() else []
        return lines.count(str(step))

    def _pieces(self, request: TurnRequest) -> Iterator[str | ModelPiece]:
        if self._log:
            with self._log.open("a") as log:
                log.write(f"{request.step}\n")
        self.called(request.step)
        if request.step is None:
            yield "hello"
            return
        parts = self._played.get(request.step, [])
        part: Played = (parts.pop(0) if len(parts) > 1 else parts[0]) if parts else {}
        match part:
            case Exception():
                raise part
            case str():
                yield part
            case ToolCall():
                yield replace(part, id=new_id("call"))
            case _:
                given = self._usual(request) | dict(part)
                yield ToolCall(id=new_id("call"), name="finish_step", arguments=given)

    def _usual(self, request: TurnRequest) -> dict[str, Any]:
        """What the form of the step asks for."""
        found = _ROLE.search(request.prompt)
        text = f"Text of the {found[1] if found else 'agent'}"
        asked = self.forms[request.step]["properties"].items()
        return {name: text if name == "text" else _value(form, text) for name, form in asked}

    @property
    def told(self) -> list[Returned]:
        """What tools answered, in the last call of the model."""
        return [step for step in self.steps[-1] if isinstance(step, Returned)]


def _value(form: Mapping[str, Any], text: str) -> Any:
    match form["type"]:
        case "number":
            return form.get("maximum", 1)
        case "array":
            return [f"{text} {number}" for number in range(1, form.get("minItems", 5) + 1)]
        case "object":
            return {name: _value(each, f"{text} for {name}") for name, each in form["properties"].items()}
        case _:
            return text


@dataclass(frozen=True, kw_only=True)
class PipelineScene:
    host: Host
    agent: StepAgent

    def template(self, text: str = THREE, name: str = "test") -> Template:
        """As if a person had written this file."""
        reading = self.host.pipeline_parts.catalogue.check(
            read_template(text.encode(), name=name, path=f"{name}.md")
        )
        assert reading.template, reading.mistakes
        assert not reading.mistakes
        return reading.template

    async def start(
        self,
        text: str | Template = THREE,
        subject: str = "otters",
        *,
        by: Person | None = None,
        **wanted: Any,
    ) -> PipelineRun:
        """Without a card, in the first room of the page. Each is a run of its own."""
        asked = await self.wanted(text, subject, **({"origin": new_id("start")} | wanted))
        owner = by or await self.owner()
        return await self.host.store.write(
            lambda tx: self.host.pipeline_parts.changes.start(tx, asked, owner, None, now())
        )

    async def propose(
        self, text: str | Template, estimate: RunEstimate, subject: str = "otters"
    ) -> PipelineRun:
        asked, owner = await self.wanted(text, subject), await self.owner()
        return await self.host.store.write(
            lambda tx: self.host.pipeline_parts.changes.propose(tx, asked, owner, estimate, now())
        )

    async def wanted(self, text: str | Template, subject: str, **more: Any) -> WantedRun:
        template = self.template(text) if isinstance(text, str) else text
        chat = await self.host.store.read(lambda tx: people.chat_at(tx, WEB, "main"))
        assert chat
        given = {"group": "main", "company": "demo", "chat_id": chat.id, "language": "en"}
        return WantedRun(template=template, subject=subject, **(given | more))

    async def owner(self) -> Person:
        found = await self.host.store.read(lambda tx: people.person_named(tx, LOCAL_OWNER))
        assert found
        return found

    async def member(self, name: str) -> Person:
        """Someone who may talk to the agent of the main group, and no more."""

        def story(tx: Tx) -> Person:
            person = people.add_person(
                tx, handle=f"web:{name.lower()}", name=name, role=Role.STRANGER, at=now()
            )
            memberships.put(tx, person.id, "main", Role.MEMBER, now())
            return person

        return await self.host.store.write(story)

    async def dismiss(self, person: Person) -> None:
        await self.host.store.write(lambda tx: memberships.put(tx, person.id, "main", None, now()))

    async def actor(self, person: Person | None = None) -> Actor:
        one = person or await self.owner()
        rights = await self.host.store.read(lambda tx: memberships.rights_of(tx, one))
        return Actor.of(one, rights, via="web", language="en")

    async def run(self, run: PipelineRun) -> PipelineRun:
        found = await self.host.store.read(lambda tx: pipeline_runs.get(tx, run.id))
        assert found
        return found

    async def steps(self, run: PipelineRun) -> list[StepRun]:
        return await self.host.store.read(lambda tx: pipeline_runs.steps(tx, run.id))

    async def states(self, run: PipelineRun) -> list[str]:
        return [step.state.value for step in await self.steps(run)]

    async def until(self, run: PipelineRun, *statuses: PipelineRunStatus) -> PipelineRun:
        """Until the run is over, or has one of these statuses."""

        async def look() -> PipelineRun | None:
            found = await self.run(run)
            return found if found.status in statuses or (not statuses and found.status.is_over) else None

        return await eventually(look)

    async def until_step(self, run: PipelineRun, number: int, *states: StepState) -> StepRun:
        async def look() -> StepRun | None:
            found = (await self.steps(run))[number - 1]
            return found if found.state in states else None

        return await eventually(look)

    async def question(self, run: PipelineRun, *, not_this: Question | None = None) -> Question:
        """The open question of the run."""

        def look(tx: Tx) -> Question | None:
            mine = [each for each in questions.list_open(tx) if each.chain_id == run.id]
            return next((each for each in mine if not_this is None or each.id != not_this.id), None)

        return await eventually(lambda: self.host.store.read(look))

    async def decide(self, question: Question, option: str | None = None, said: str | None = None) -> None:
        """As the owner, on the page."""
        body = {name: value for name, value in (("option", option), ("text", said)) if value is not None}
        headers = {"Authorization": f"Bearer {self.host.token}"}
        async with httpx.AsyncClient(base_url=self.host.url, headers=headers, timeout=60) as page:
            answer = await page.post(f"/api/questions/{question.id}/decide", json=body)
            assert answer.is_success, answer.text


@asynccontextmanager
async def pipeline_scene(home: Path, url: str | None = None, **settings: Any) -> AsyncIterator[PipelineScene]:
    agent = StepAgent(home.parent / "model-calls.txt")
    database = {"database": {"url": url, "host_lifetime": 2}} if url else {}
    async with started_host(home, model=agent, **(database | settings)) as host:
        yield PipelineScene(host=host, agent=agent)
