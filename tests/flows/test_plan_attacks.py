"""What someone could try against plans: floods, files that are none, and going on after they were shut out."""

import os
from collections.abc import AsyncIterator
from dataclasses import replace

import pytest
import pytest_asyncio
from tests.plan_scene import DONE, FIRST, REFRESH, Planner, PlanScene, asks, planning
from tests.telegram_scene import eventually

from nanoclaw.domain.ids import PersonId
from nanoclaw.domain.plans import PlanState
from nanoclaw.durable import people, plans, work
from nanoclaw.durable.clock import now
from nanoclaw.durable.store import Tx
from nanoclaw.testing.model_parts import Fail

pytestmark = [
    pytest.mark.asyncio(loop_scope="module"),
    pytest.mark.capability("Q1", "Q4"),
    pytest.mark.attack,
]

_LIMIT = 15


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def stage(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[PlanScene]:
    home = tmp_path_factory.mktemp("plan") / "nanoclaw"
    async with planning(home, Planner(), limits={"person_per_minute": _LIMIT}) as scene:
        yield scene


@pytest_asyncio.fixture(loop_scope="module")
async def scene(stage: PlanScene) -> PlanScene:
    return await stage.with_someone("Taras")


async def test_whoever_is_blocked_while_the_model_is_away_costs_nothing_more(scene: PlanScene) -> None:
    refused = Fail(529, "overloaded_error", "Overloaded", headers={"retry-after": "1"})
    scene.planner.will_ask(*[refused] * 3, FIRST)
    await scene.owner.says(scene.chat, "/plan steal the crown")
    await scene.card("as soon as that changes")
    plan = await scene.plan()

    def block(tx: Tx) -> None:
        people.block(tx, PersonId(plan.person_id), blocked=True)
        work.due(tx, work.PLAN, plan.id, now())

    asked = len(scene.planner.prompts)
    await scene.host.store.write(block)
    await scene.plan_in(PlanState.CANCELLED)
    assert len(scene.planner.prompts) == asked


async def test_a_confirmed_plan_of_someone_shut_out_meanwhile_starts_no_agent(scene: PlanScene) -> None:
    await scene.begin()
    plan = await scene.plan()

    def shut_out(tx: Tx) -> None:
        """Confirmed, and then this host was away."""
        people.block(tx, PersonId(plan.person_id), blocked=True)
        found = plans.locked(tx, plan.id)
        assert found
        plans.save(tx, replace(found, state=PlanState.EXECUTING))
        work.due(tx, work.PLAN, plan.id, now())

    await scene.host.store.write(shut_out)
    assert (await scene.plan_in(PlanState.CANCELLED)).started_id is None
    assert not any("planned this together" in each for each in scene.planner.turns)


async def test_a_flood_of_plans_asks_the_model_no_more_often_than_a_flood_of_messages(
    scene: PlanScene,
) -> None:
    for number in range(_LIMIT + 10):
        await scene.owner.says(scene.chat, f"/plan number {number}")
        await scene.owner.says(scene.chat, "/stop")
    await scene.owner.says(scene.chat, "/plan the last one")
    await scene.card("the last one")

    async def is_last() -> bool | None:
        return (await scene.plan()).task == "the last one" or None

    await eventually(is_last)
    plan = await scene.plan()
    due = await scene.host.store.read(lambda tx: work.due_at(tx, work.PLAN, plan.id))
    assert due
    assert due > now()
    assert plan.state is PlanState.GENERATING
    assert len(scene.planner.prompts) <= _LIMIT


async def test_nothing_that_stands_in_the_place_of_a_plan_is_lost_or_waited_for(scene: PlanScene) -> None:
    folder = scene.host.home / "groups" / "main" / "files" / ".claude" / "todos" / "full"
    folder.mkdir(parents=True)
    big = "of somebody\n" * 50_000
    (folder / "implement-jwt.md").write_text(big)
    (folder / "implement-jwt-2.md").mkdir()
    os.mkfifo(folder / "implement-jwt-3.md")
    scene.planner.will_ask(asks(REFRESH, goal="full"), DONE)
    await scene.begin()
    await scene.answers("Yes")
    assert (await scene.plan()).path == ".claude/todos/full/implement-jwt-3.md"
    assert (folder / "implement-jwt.md").read_text() == big
    assert "Refresh tokens?" in (folder / "implement-jwt-3.md").read_text()
