"""Flow F where someone relies on a task: what has not arrived by its time is told by another route (SPEC F6)."""

from collections.abc import AsyncIterator
from datetime import timedelta
from typing import Any

import pytest
import pytest_asyncio
from tests.task_scene import NEWS, Tasks, said, task_scene
from tests.telegram_scene import eventually

from nanoclaw.domain.people import Role
from nanoclaw.domain.tasks import RunStatus, Task, TaskStatus

# One host for these tests. Every test takes back what it leaves.
pytestmark = [
    pytest.mark.asyncio(loop_scope="module"),
    pytest.mark.capability("F6"),
]


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def stage(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Tasks]:
    async with task_scene(tmp_path_factory.mktemp("alarms") / "nanoclaw") as tasks:
        yield tasks


@pytest_asyncio.fixture(loop_scope="module")
async def here(stage: Tasks) -> AsyncIterator[Tasks]:
    yield await stage.joined()
    await stage.clear_up()


async def awaited(here: Tasks, **more: Any) -> Task:
    return await here.make(NEWS, deliver_by="30m", retries=0, **more)


async def alarm_of(here: Tasks, task: Task) -> str:
    async def look() -> str | None:
        return next(iter(await here.told_anywhere(f"Task {task.id} has not delivered")), None)

    return await eventually(look)


async def test_a_result_that_arrived_in_time_alarms_nobody(here: Tasks) -> None:
    task = await awaited(here)
    await here.due(task)
    await here.says(f"heard {NEWS}")
    await here.ended(task)
    await here.passes(task, timedelta(minutes=31))
    await here.looked_at(task)
    (run,) = await here.runs(task)
    assert run.alarmed_at  # it was looked at
    assert not await here.told_anywhere(f"Task {task.id} has not delivered")


async def test_a_run_that_still_goes_on_alarms_by_another_route(here: Tasks) -> None:
    group = await here.group("Team", here.scene.owner)
    task = await awaited(here, chat=group)
    held = here.agent.holds(NEWS)
    await here.due(task)
    await held.until_begun()
    await here.passes(task, timedelta(minutes=29))
    await here.looked_at(task)
    assert not await here.told_anywhere(f"Task {task.id} has not delivered")
    await here.passes(task, timedelta(minutes=2))
    alarm = await here.says(f"Task {task.id} has not delivered: {NEWS}")  # alone with its owner
    assert "It stands: ▶️ under way. Why: -" in alarm.text
    assert alarm.labels == ["⚡ Run now"]
    held.go_on()
    await here.says(f"heard {NEWS}", group)
    await here.passes(task, timedelta(hours=1))
    await here.looked_at(task)
    assert len(await here.told_anywhere(f"Task {task.id} has not delivered")) == 1


async def test_a_run_that_failed_alarms_the_person_who_is_named(here: Tasks) -> None:
    _, mias = await here.meet("Mia", within={"main": Role.MEMBER})
    task = await awaited(here, alarm_to="@mia")
    here.agent.fails(NEWS)
    await here.due(task)
    await here.ended(task)
    await here.passes(task, timedelta(minutes=31))
    alarm = await here.says(f"Task {task.id} has not delivered", mias)
    assert "❌ failed" in alarm.text
    assert f"boom about {NEWS}" in alarm.text
    assert not said("has not delivered", here.chat)


async def test_a_result_that_could_not_be_delivered_alarms_the_chat_that_is_named(here: Tasks) -> None:
    group = await here.group("Alarms", here.scene.owner)
    task = await awaited(here, alarm_to="alarms")
    with here.scene.refusing("sendMessage", 400, "Bad Request: message is wrong", chat=here.chat):
        await here.due(task)
        (run,) = await here.ended(task)
        await here.passes(task, timedelta(minutes=31))
        alarm = await here.says(f"Task {task.id} has not delivered", group)
    assert run.status is RunStatus.SUCCESS
    assert "📭 done, but not delivered" in alarm.text


async def test_a_failure_that_pauses_the_task_alarms_all_the_same(here: Tasks) -> None:
    _, mias = await here.meet("Mia", within={"main": Role.MEMBER})
    task = await here.make(NEWS, deliver_by="30m", retries=0, pause_after=1, alarm_to="@mia")
    here.agent.fails(NEWS)
    await here.due(task)
    await here.becomes(task, TaskStatus.PAUSED)
    await here.passes(task, timedelta(minutes=31))
    await here.says(f"Task {task.id} has not delivered", mias)


async def test_a_task_that_sends_nothing_alarms_only_when_it_was_not_done(here: Tasks) -> None:
    task = await awaited(here, notify=False)
    await here.due(task)
    await here.ended(task)
    await here.passes(task, timedelta(minutes=31))
    await here.looked_at(task)
    assert not await here.told_anywhere(f"Task {task.id} has not delivered")
    here.agent.fails(NEWS)
    await here.due(task)
    await here.ended(task, 2)
    await here.passes(task, timedelta(minutes=31))
    await alarm_of(here, task)


async def test_a_run_that_a_person_started_must_be_delivered_in_time_too(here: Tasks) -> None:
    task = await awaited(here)
    here.agent.fails(NEWS)
    await here.scene.command(here.chat, f"/task_run {task.id}")
    await here.ended(task)
    await here.passes(task, timedelta(minutes=31))
    await alarm_of(here, task)


async def test_what_was_missed_is_told_on_the_other_route_too_when_someone_relies_on_it(here: Tasks) -> None:
    _, mias = await here.meet("Mia", within={"main": Role.MEMBER})
    policy: dict[str, Any] = {"catch_up": "none", "deliver_by": "30m", "alarm_to": "@mia"}
    task = await here.make(NEWS, when="every 1 hour", **policy)
    await here.passes(task, timedelta(hours=1, minutes=30))
    await here.says(f"Task {task.id} was not run")
    await here.says(f"Task {task.id} was not run", mias)


async def test_where_there_is_no_other_route_nothing_is_told_twice(here: Tasks) -> None:
    policy: dict[str, Any] = {"catch_up": "none", "deliver_by": "30m", "retries": 0}
    task = await here.make(NEWS, when="every 1 hour", room="main", owner="local:owner", **policy)
    await here.forget_people()
    await here.passes(task, timedelta(hours=1, minutes=30))
    await here.looked_at(task)
    assert len(await here.told_anywhere(f"Task {task.id} was not run")) == 1
