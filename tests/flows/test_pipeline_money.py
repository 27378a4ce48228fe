"""What a run of a pipeline costs: estimated before, learned from the runs that were, and never more than its budget."""

import asyncio
import sys
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
import sqlalchemy as sa
from tests.flows.pipeline_scene import PipelineScene, StepAgent
from tests.telegram_scene import eventually

from nanoclaw.context.groups import Groups
from nanoclaw.context.skills import Skills
from nanoclaw.domain.ids import new_id
from nanoclaw.domain.money import Usage
from nanoclaw.domain.people import LOCAL_OWNER
from nanoclaw.domain.pipeline_runs import PipelineRun, PipelineRunStatus, StepRun, StepState
from nanoclaw.domain.pipelines import Inputs, Step, StepType, Template
from nanoclaw.durable import chains, people, pipeline_runs
from nanoclaw.durable.clock import now
from nanoclaw.durable.store import Tx
from nanoclaw.durable.tables import costs
from nanoclaw.flows.pipelines.estimates import Estimates
from nanoclaw.gateway.prices import Prices
from nanoclaw.host.host import Host
from nanoclaw.pipelines.estimates import RunEstimate
from nanoclaw.testing import Asked, ModelServer, started_host
from nanoclaw.testing.model_parts import Reply, Use, Wait

pytestmark = pytest.mark.capability("D5")

RESEARCH, EDIT = "marketing/content/topic-researcher", "marketing/content/editor"
MODELS = {"haiku": "small", "sonnet": "middle", "opus": "big"}
PRICES = Prices({"small": "0.1/1", "middle": "1/10", "big": "10/100"})


def _step(number: int, skill: str, model: str = "") -> Step:
    return Step(
        number=number,
        role=skill.rpartition("/")[2],
        type=StepType.SUB_AGENT,
        line=number,
        skill=skill,
        model=model,
        inputs=Inputs(steps=(number - 1,) if number > 1 else ()),
    )


TEMPLATE = Template(name="trial", title="Trial", steps=(_step(1, RESEARCH), _step(2, EDIT, "opus")))


def _estimates(home: Path, *, runtime: str = "native", models: Mapping[str, str] = MODELS) -> Estimates:
    return Estimates(
        prices=PRICES,
        groups=Groups(home),
        known_skills=Skills(home),
        models=models,
        runtime=lambda: runtime,
    )


async def _estimated(host: Host, estimates: Estimates, template: Template = TEMPLATE) -> RunEstimate:
    company = Groups(host.home).get("main").company
    return await host.store.read(lambda tx: estimates.of(tx, template, company, "main"))


async def _ran(host: Host, micros: tuple[int, int], template: Template = TEMPLATE) -> None:
    """A run that is done, as the story leaves its rows."""
    at = now()

    def story(tx: Tx) -> None:
        owner, chat = people.person_named(tx, LOCAL_OWNER), people.chat_at(tx, "web", "main")
        assert owner
        assert chat
        run = PipelineRun(
            id=new_id("pl"),
            template=template,
            subject="otters",
            status=PipelineRunStatus.DONE,
            company=Groups(host.home).get("main").company,
            group="main",
            chat_id=chat.id,
            started_by=owner.id,
            created_at=at,
        )
        steps = [
            StepRun(
                run_id=run.id,
                number=number,
                state=StepState.DONE,
                micros=spent,
                started_at=at,
                ended_at=at + timedelta(seconds=40),
            )
            for number, spent in enumerate(micros, 1)
        ]
        pipeline_runs.add(tx, run, steps)

    await host.store.write(story)


async def test_an_estimate_learns_from_the_runs_that_were_done(home: Path) -> None:
    async with started_host(home) as host:
        estimates = _estimates(home)
        first = await _estimated(host, estimates)
        # 6,000 to 20,000 tokens in, 800 to 3,000 out, by what the model of each step costs
        assert [(step.model, step.cost, step.runs) for step in first.steps] == [
            ("middle", (14_000, 50_000), 0),
            ("big", (140_000, 500_000), 0),
        ]
        assert not first.is_learned

        for spent in (1000, 2000, 3000):
            await _ran(host, (spent, 9000))
        await _ran(host, (0, 0))  # played by the demo agent
        then = await _estimated(host, estimates)
        assert then.cost == (1500 + 9000, 2500 + 9000)
        assert then.seconds == (80, 80)
        assert [step.runs for step in then.steps] == [4, 4]

        edited = replace(TEMPLATE, steps=(_step(1, EDIT, "opus"), TEMPLATE.steps[1]))
        assert [step.runs for step in (await _estimated(host, estimates, edited)).steps] == [0, 4]


async def test_an_estimate_says_what_the_runtime_of_this_workspace_costs(home: Path) -> None:
    async with started_host(home) as host:
        played = await _estimated(host, _estimates(home, runtime="demo"))
        assert played.cost == (0, 0)
        local = await _estimated(host, _estimates(home, models={**MODELS, "opus": "ollama:qwen3"}))
        assert [step.cost for step in local.steps] == [(14_000, 50_000), (0, 0)]
        auto = replace(TEMPLATE, steps=(replace(TEMPLATE.steps[0], model="auto"), TEMPLATE.steps[1]))
        middle = (await _estimated(host, _estimates(home), auto)).steps[0]
        assert (middle.model, middle.cost is not None) == (MODELS["sonnet"], True)
        unknown = await _estimated(host, _estimates(home, models={**MODELS, "opus": "a-model-of-nobody"}))
        assert [step.cost for step in unknown.steps] == [(14_000, 50_000), None]
        assert unknown.cost is None


async def test_a_workspace_without_a_key_needs_no_table_of_prices(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "genai_prices.data_snapshot", None)  # it is installed with the first key
    approval = Step(number=2, role="HITL", type=StepType.APPROVAL, line=2)
    approved = replace(TEMPLATE, steps=(TEMPLATE.steps[0], approval))
    async with started_host(home) as host:
        await _ran(host, (0, 0), approved)
        played = await _estimated(host, _estimates(home, runtime="demo"), approved)
        assert [(step.cost, step.runs) for step in played.steps] == [((0, 0), 1)]
        unpriced = _estimates(home, models={"sonnet": "a-model-without-price"})
        assert (await _estimated(host, unpriced, approved)).cost is None


BUDGETED = """# Budgeted
## Trigger: /budgeted
## Steps:
1. copywriter
2. editor | with: 1
3. copywriter
4. editor
## Budget: $0.175
"""
TIGHT = """# Tight
## Trigger: /tight
## Steps:
1. copywriter | budget: $0.01
"""


class Vendor:
    """Hands in each step for as many tokens as a test says; a token of an answer costs 10 micros, any other nothing."""

    def __init__(self, *tokens: int) -> None:
        self.tokens = list(tokens)
        self.pause: asyncio.Event | float = 0.0

    def __call__(self, asked: Asked) -> Reply:
        form = next(tool["input_schema"] for tool in asked.body["tools"] if tool["name"] == "finish_step")
        values = {"string": "A text.", "number": 1, "array": ["one"]}
        given = {name: values[about["type"]] for name, about in form["properties"].items()}
        return Reply(
            parts=(Wait(self.pause), Use("finish_step", given)),
            usage=Usage(input=100, output=self.tokens.pop(0)),
        )


@asynccontextmanager
async def _paid(home: Path, vendor: Vendor) -> AsyncIterator[tuple[PipelineScene, ModelServer]]:
    async with (
        ModelServer(vendor) as server,
        started_host(
            home,
            agents={"runtime": "native", "sonnet": "paid", "opus": "paid", "haiku": "paid"},
            anthropic={"api_key": server.key, "base_url": server.url},
            prices={"paid": "0/10"},
        ) as host,
    ):
        yield PipelineScene(host=host, agent=StepAgent()), server


async def test_a_run_never_costs_more_than_its_budget(home: Path) -> None:
    # An answer can have 16,000 tokens, so $0.16 are reserved for each: steps 1 and 2 cannot be asked at once.
    async with _paid(home, Vendor(1000, 1000, 15_000)) as (scene, server):
        run = await scene.until(await scene.start(BUDGETED))
        assert run.status is PipelineRunStatus.FAILED
        assert run.why == {"key": "budget-of-run-spent", "limit": "$0.1750", "spent": "$0.1700"}
        # The third may answer at the length that what is left pays for; for the fourth that is too short.
        assert [asked.body["max_tokens"] for asked in server.asked] == [16_000, 16_000, 15_500]
        assert await scene.states(run) == ["done", "done", "done", "failed"]
        # What each step cost is in its row, and in the ledger.
        assert [step.micros for step in await scene.steps(run)] == [10_000, 10_000, 150_000, 0]
        spent = await scene.host.store.read(lambda tx: chains.spent_by_step(tx, run.id))
        assert spent == {1: 10_000, 2: 10_000, 3: 150_000}
        flows = await scene.host.store.read(
            lambda tx: tx.execute(sa.select(costs.c.flow, costs.c.chain_id).distinct()).all()
        )
        assert [tuple(row) for row in flows] == [("D", run.id)]

        run = await scene.until(await scene.start(TIGHT, "others"))
        assert run.why == {"key": "budget-of-step-spent", "limit": "$0.0100", "spent": "$0.00"}
        assert len(server.asked) == 3


async def test_cancelling_a_run_releases_what_was_reserved_for_it(home: Path) -> None:
    vendor = Vendor(1000)
    vendor.pause = asyncio.Event()
    async with _paid(home, vendor) as (scene, server):
        run = await scene.start(BUDGETED)
        await server.wait_for(1)
        assert await scene.host.store.read(lambda tx: chains.spent(tx, run.id)) == 160_000
        by = await scene.actor()
        await scene.host.store.write(
            lambda tx: scene.host.pipeline_parts.changes.cancel(tx, run.id, by, now())
        )

        async def is_released() -> bool:
            return await scene.host.store.read(lambda tx: chains.spent(tx, run.id)) == 0

        await eventually(is_released)
        assert len(server.asked) == 1
