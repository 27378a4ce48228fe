"""J1: whom each call was for. Every flow is played once, and its rows are looked at; then every limit is."""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from tests.flows.pipeline_scene import PipelineScene, StepAgent
from tests.flows.test_budget import put_budget
from tests.staging import KINDS, Stage, results, staged, until

from nanoclaw.domain.people import LOCAL_OWNER
from nanoclaw.durable import work
from nanoclaw.durable.clock import now
from nanoclaw.durable.store import Tx
from nanoclaw.durable.tables import costs, turns
from nanoclaw.durable.tables import work as work_rows
from nanoclaw.testing.model_parts import Asked, Say, Use

pytestmark = pytest.mark.capability("J1", "J2")

PIPELINE = """# Short
## Trigger: /short
## Steps:
1. copywriter
"""


def play(asked: Asked) -> Any:
    """Does what its last words say: hands in a step, hands work over, or answers."""
    if "Which skill fits best?" in asked.text:
        return Say('{"skill": "general-assistant", "confidence": 0.9}')
    tools = {tool["name"]: tool.get("input_schema", {}) for tool in asked.body.get("tools", [])}
    if not tools:
        return Say("[]")
    if "finish_step" in tools:
        values = {"string": "A text.", "number": 1, "array": ["one"]}
        return Use(
            "finish_step",
            {name: values[of["type"]] for name, of in tools["finish_step"]["properties"].items()},
        )
    if "This is task" in asked.text:  # what was said before may be recalled for it
        return Say("done")
    if "hand it inside" in asked.text and not results(asked):
        return Use("handoff", {"to": "copywriter", "content": "some words", "way": "inside"})
    if "hand it over" in asked.text and not results(asked):
        return Use("handoff", {"to": "copywriter", "content": "other words"})
    return Say("done")


@asynccontextmanager
async def stage_of(home: Path, **settings: Any) -> AsyncIterator[Stage]:
    async with staged(KINDS[1], home, play, **settings) as stage:
        yield stage


async def test_every_flow_says_whom_its_calls_were_for(home: Path) -> None:
    group = home / "groups" / "main" / "group.toml"
    group.write_text('company = "demo"\nmain = true\nclassify = true\n')
    async with stage_of(home, memory={"rest_minutes": 0.0001}) as stage:
        assert await stage.ask("hello") == "done"
        await until(lambda: _has(stage, "A", 2))
        seen = [(row.runtime, row.flow, row.person, row.task_id) for row in await _rows(stage)]
        assert seen == [
            ("classifier", "A", "scripted:tester", None),
            ("native", "A", "scripted:tester", None),
        ]
        group.write_text('company = "demo"\nmain = true\n')

        await stage.ask("/update-context product: the price is 5")
        await stage.ask("please hand it inside")
        await stage.far_end.say("chat", "please hand it over")
        await until(lambda: _has(stage, "C", 2))
        await stage.ask("/schedule every day at 9:00 look at the mail")
        await stage.far_end.say("chat", "/task_run 1")
        await until(lambda: _has(stage, "F", 1))
        pipelines = PipelineScene(host=stage.host, agent=StepAgent())
        await pipelines.until(await pipelines.start(PIPELINE))
        await stage.host.store.write(_extract_now)
        await until(lambda: _has(stage, "G", 1))
        for flow in "DH":  # a call is written a moment after it
            await until(partial(_has, stage, flow, 1))

        rows = await _rows(stage)
        assert {row.flow for row in rows} == {"A", "C", "D", "F", "G", "H"}
        assert {(row.company, row.agent_group) for row in rows} == {("demo", "main")}
        assert all(row.chat_id for row in rows)
        assert {row.person for row in rows if row.flow != "D"} == {"scripted:tester"}
        assert {row.person for row in rows if row.flow == "D"} == {LOCAL_OWNER}  # the page started it
        assert {row.task_id for row in rows if row.flow == "F"} == {1}
        assert not [(row.flow, row.runtime) for row in rows if row.flow != "F" and row.task_id is not None]
        assert all(row.chain_id for row in rows if row.flow in "CD")
        assert {row.step for row in rows if row.flow == "D"} == {1}


async def test_each_limit_of_the_file_holds(home: Path) -> None:
    nothing = {"daily_limit_usd": 0}
    async with stage_of(home) as stage:
        assert await stage.ask("hello") == "done"

        async def refused(words: str, told: str, **budget: Any) -> None:
            put_budget(home, **budget)
            before, asked = len(stage.far_end.said_to("chat")), len(stage.server.asked)
            await stage.far_end.say("chat", words)
            await until(lambda: any(told in each for each in stage.far_end.said_to("chat")[before:]))
            assert len(stage.server.asked) == asked

        await refused("go", "of this group", groups={"main": nothing})
        await refused("go", "of this group", groups={"*": {"monthly_limit_usd": 0}})
        await refused("go", "Your budget", people={"scripted:tester": nothing})
        put_budget(home, groups={"other": nothing}, people={"scripted:other": nothing}, tasks={"7": nothing})
        assert await stage.ask("go") == "done"

        await stage.ask("/schedule every day at 9:00 look at the mail")
        put_budget(home, tasks={"1": nothing})
        await stage.far_end.say("chat", "/task_run 1")
        await until(lambda: any("Task 1 waits" in each for each in stage.far_end.said_to("chat")))
        asked = len(stage.server.asked)
        pipelines = PipelineScene(host=stage.host, agent=StepAgent())
        put_budget(home, run_limit_usd=0, tasks={"1": nothing})
        run = await pipelines.until(await pipelines.start(PIPELINE))
        assert (run.why or {})["key"] == "budget-of-run-spent"
        assert len(stage.server.asked) == asked
        put_budget(home, chain_limit_usd=0, tasks={"1": nothing})
        await stage.far_end.say("chat", "please hand it over")
        await until(lambda: _has_failed(stage, "budget-of-run-spent", count=2))


async def _rows(stage: Stage) -> list[Any]:
    def read(tx: Tx) -> list[Any]:
        return list(tx.execute(sa.select(costs).order_by(costs.c.id)))

    return await stage.host.store.read(read)


async def _has(stage: Stage, flow: str, count: int) -> bool:
    return len([row for row in await _rows(stage) if row.flow == flow]) >= count


async def _has_failed(stage: Stage, error: str, count: int = 1) -> bool:
    """So many turns, of an agent that someone else waits for."""

    def read(tx: Tx) -> list[Any]:
        return list(tx.execute(sa.select(turns.c.result).where(turns.c.result.is_not(None))).scalars())

    return sum(error in json.dumps(each) for each in await stage.host.store.read(read)) >= count


def _extract_now(tx: Tx) -> None:
    for key in list(
        tx.execute(sa.select(work_rows.c.key).where(work_rows.c.kind == work.EXTRACTION)).scalars()
    ):
        work.due(tx, work.EXTRACTION, key, now())
