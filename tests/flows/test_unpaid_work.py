"""Work that nobody waits for, at a limit: it waits, everybody sees what for, and it continues when there is money."""

import json
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
import sqlalchemy as sa
from tests.flows.pipeline_scene import PipelineScene, StepAgent
from tests.flows.test_budget import PRICED, put_budget
from tests.flows.test_cost_flows import PIPELINE, play
from tests.staging import KINDS, Kind, Stage, results, staged, until

from nanoclaw.domain.money import Usage
from nanoclaw.durable import budgets, work
from nanoclaw.durable.clock import now
from nanoclaw.durable.money_tables import budget_holds
from nanoclaw.durable.pipeline_tables import handoffs
from nanoclaw.durable.store import Tx
from nanoclaw.testing.model_parts import Asked, Reply, Use

pytestmark = pytest.mark.capability("J2")

NOTHING = {"daily_limit_usd": 0}


class Vendor:
    """Does what the words of an agent say; what each call costs is a test's choice, in dollars of the middle model."""

    def __init__(self) -> None:
        self.costs: Iterator[float] = iter(())

    def __call__(self, asked: Asked) -> Reply:
        handing = [each["name"] for each in asked.body.get("tools", []) if each["name"].endswith("handoff")]
        is_inside = handing and "hand it inside" in asked.text and "Its result" not in str(results(asked))
        given = {"to": "copywriter", "content": "some words", "way": "inside"}
        part = Use(handing[0], given) if is_inside else play(asked)
        return Reply(parts=(part,), usage=Usage(output=round(next(self.costs, 0) * 100_000)))


@asynccontextmanager
async def unpaid(
    home: Path, kind: Kind = KINDS[1], *, rest_minutes: float = 60, **budget: Any
) -> AsyncIterator[tuple[Stage, Vendor]]:
    """`rest_minutes`: after which memory is extracted from a conversation."""
    if budget:
        put_budget(home, **budget)
    vendor = Vendor()
    settings: dict[str, Any] = {**PRICED, "agents": {**PRICED["agents"], **kind.settings["agents"]}}
    async with staged(kind, home, vendor, memory={"rest_minutes": rest_minutes}, **settings) as stage:
        yield stage, vendor


async def held(stage: Stage) -> list[str]:
    """The kinds of work that wait for money."""

    def read(tx: Tx) -> list[str]:
        return list(tx.execute(sa.select(budget_holds.c.kind).order_by(budget_holds.c.kind)).scalars())

    return await stage.host.store.read(read)


async def _is_held(stage: Stage, *kinds: str) -> bool:
    return await held(stage) == sorted(kinds)


async def _says(stage: Stage, words: str) -> None:
    await until(lambda: any(words in each for each in stage.far_end.said_to("chat")))


async def _api(stage: Stage, path: str) -> Any:
    headers = {"Authorization": f"Bearer {stage.host.token}"}
    async with httpx.AsyncClient(base_url=stage.host.url, headers=headers, timeout=60) as page:
        return (await page.get(path)).json()


async def test_tasks_runs_handoffs_and_extraction_wait_say_so_and_go_on(home: Path) -> None:
    async with unpaid(home, rest_minutes=0.0001, daily_limit_usd=0, overdraft_usd=5) as (stage, _):
        assert "done" in await stage.ask("hello")  # a person's own message, within the overdraft
        await until(lambda: _is_held(stage, "extraction"))
        await stage.ask("/schedule every day at 9:00 look at the mail")
        await stage.far_end.say("chat", "/task_run 1")
        await _says(stage, "Task 1 waits: The daily budget is used up")
        pipelines = PipelineScene(host=stage.host, agent=StepAgent())
        run = await pipelines.start(PIPELINE)
        await until(lambda: _is_held(stage, "extraction", "run", "step"))
        await stage.ask("please hand it over")
        await until(lambda: _is_held(stage, "extraction", "run", "step", "step"))

        # Everywhere it is said what they wait for.
        assert "last: 💰 waits for money" in await stage.ask("/tasks")
        [task] = (await _api(stage, "/api/tasks"))["tasks"]
        assert (task["last_run"]["status"], task["running"]) == ("unpaid", True)
        assert "waits for money" in (await stage.ask("/pipelines")).partition("copywriter")[0]
        assert "Step 1 of 1: it waits for money" in await stage.ask(f"/pipelines {run.id[-5:]}")
        [shown] = (await _api(stage, "/api/pipelines/runs"))["runs"]
        assert (shown["status"], shown["unpaid"]) == ("running", True)
        assert "4 pieces of work wait for money" in await stage.ask("/budget")

        before = len(stage.server.asked)
        await stage.ask("/budget_override +$4")
        assert (await pipelines.until(run)).status == "done"
        await _says(stage, "Task 1: look at the mail")
        await until(lambda: _handoffs(stage, "done"))
        await until(lambda: _is_held(stage))
        flows = [json.dumps(asked.body) for asked in stage.server.asked[before:]]
        assert any("other words" in each for each in flows)
        await until(lambda: any(not asked.body.get("tools") for asked in stage.server.asked[before:]))
        assert "waits for money" not in await stage.ask("/tasks")
        [shown] = (await _api(stage, "/api/pipelines/runs"))["runs"]
        assert not shown["unpaid"]


async def _handoffs(stage: Stage, *states: str) -> bool:
    query = sa.select(handoffs.c.state).order_by(handoffs.c.id)
    return await stage.host.store.read(lambda tx: tuple(tx.execute(query).scalars()) == states)


@pytest.mark.parametrize("kind", KINDS[:2], ids=["claude-code", "native"])
async def test_a_sub_agent_waits_with_its_task(home: Path, kind: Kind) -> None:
    async with unpaid(home, kind, daily_limit_usd=1) as (stage, vendor):
        assert await stage.ask("hello") == "done"
        await stage.ask("/schedule every day at 9:00 hand it inside")
        vendor.costs = iter([1.0])  # the task itself spends all there is, before its sub-agent begins
        await stage.far_end.say("chat", "/task_run 1")
        await _says(stage, "Task 1 waits: The daily budget is used up")
        assert await held(stage) == ["run"]
        assert len(stage.server.asked) == 2
        assert await _handoffs(stage, "cancelled")
        await stage.ask("/budget_override +$4")
        await _says(stage, "Task 1: hand it inside")
        assert await _handoffs(stage, "cancelled", "done")
        assert not [each for each in stage.far_end.said_to("chat") if "failed" in each]


async def test_at_the_limit_of_a_task_a_group_or_a_person_work_waits_and_people_are_refused(
    home: Path,
) -> None:
    async with unpaid(home) as (stage, _):
        assert await stage.ask("hello") == "done"
        await stage.ask("/schedule every day at 9:00 look at the mail")

        async def waits(words: str, **budget: Any) -> None:
            put_budget(home, **budget)
            said, asked = len(stage.far_end.said_to("chat")), len(stage.server.asked)
            await stage.far_end.say("chat", "/task_run 1")
            told = f"Task 1 waits: The daily budget of this {words} is used up until the next day begins"
            await until(lambda: any(told in each for each in stage.far_end.said_to("chat")[said:]))
            assert await held(stage) == ["run"]
            assert len(stage.server.asked) == asked
            assert "waits for money" in await stage.ask("/tasks")

        result = "done\n\n*Task 1: look at the mail*"
        await waits("task", tasks={"1": NOTHING})
        assert await stage.ask("hello again") == "done"  # it is no limit of theirs
        assert "Only an owner" not in await stage.ask("/budget_override +$2 task 1")
        await until(lambda: _said(stage, result, 1))

        # The limits of others stay as they are; more money for one of them is not more for all.
        await waits("group", groups={"main": NOTHING}, tasks={"1": NOTHING})
        assert "The budget of this group is used up" in await stage.ask("how are you?")
        assert "Task 9 has no limit" in await stage.ask("/budget_override +$2 task 9")
        await stage.ask("/budget_override +$2 group main")
        await until(lambda: _said(stage, result, 2))

        await waits("person", people={"scripted:tester": NOTHING})
        assert "Your budget is used up" in await stage.ask("how are you?")
        put_budget(home, people={"scripted:tester": {"daily_limit_usd": 3}})  # by hand
        await until(lambda: _said(stage, result, 3))
        assert await held(stage) == []

        # As when a new day begins: nobody lets it go, it is due, there is money, and it waits no longer.
        await waits("person", people={"scripted:tester": NOTHING})
        await stage.host.store.write(_begin_a_day)
        await until(lambda: _said(stage, result, 4))
        assert await held(stage) == []


def _begin_a_day(tx: Tx) -> None:
    added = budgets.Addition(9_000_000, "person", "scripted:tester")
    [key] = tx.execute(sa.select(budget_holds.c.key)).scalars()
    budgets.add_override(tx, "demo", added, "web:owner", now())
    work.due(tx, work.RUN, key, now())


def _said(stage: Stage, text: str, times: int) -> bool:
    return stage.far_end.said_to("chat").count(text) >= times
