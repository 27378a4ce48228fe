"""What a run of a pipeline costs: estimated before, and learned from the runs that were."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from nanoclaw.context.groups import Groups
from nanoclaw.context.skills import Skills
from nanoclaw.domain.ids import new_id
from nanoclaw.domain.people import LOCAL_OWNER
from nanoclaw.domain.pipeline_runs import PipelineRun, RunStatus, StepRun, StepState
from nanoclaw.domain.pipelines import Inputs, Step, StepType, Template
from nanoclaw.durable import people, pipeline_runs
from nanoclaw.durable.clock import now
from nanoclaw.durable.store import Tx
from nanoclaw.flows.pipelines.estimates import Estimates
from nanoclaw.gateway.prices import Prices
from nanoclaw.host.host import Host
from nanoclaw.pipelines.estimates import RunEstimate
from nanoclaw.testing import started_host

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
            status=RunStatus.DONE,
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
        unknown = await _estimated(host, _estimates(home, models={**MODELS, "opus": "a-model-of-nobody"}))
        assert [step.cost for step in unknown.steps] == [(14_000, 50_000), None]
        assert unknown.cost is None
