"""Flow F when two moments meet: after time without a host, and while the run before is still active (SPEC F4)."""

import asyncio
from collections.abc import AsyncIterator
from datetime import timedelta
from itertools import pairwise
from typing import Any

import pytest
import pytest_asyncio
from tests.task_scene import NEWS, Tasks, said, task_scene

from nanoclaw.domain.tasks import Run, RunStatus, Task, TaskStatus
from nanoclaw.durable import work
from nanoclaw.durable.clock import now

# One host for these tests, which runs one task at a time. Every test takes back what it leaves.
pytestmark = [
    pytest.mark.asyncio(loop_scope="module"),
    pytest.mark.capability("F4"),
]

HOUR = timedelta(hours=1)
AWAY = timedelta(hours=3, minutes=30)
"""Without a host; three moments of an hourly task come in it, the last half an hour ago."""


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def stage(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Tasks]:
    async with task_scene(tmp_path_factory.mktemp("moments") / "nanoclaw", tasks={"concurrent": 1}) as tasks:
        yield tasks


@pytest_asyncio.fixture(loop_scope="module")
async def here(stage: Tasks) -> AsyncIterator[Tasks]:
    yield await stage.joined()
    await stage.clear_up()


async def hourly(here: Tasks, **policy: Any) -> tuple[Task, list[Run]]:
    """Its runs after the host was away."""
    task = await here.make(NEWS, when="every 1 hour", **policy)
    await here.passes(task, AWAY)
    await here.looked_at(task)
    return await here.now(task), await here.ended(task)


def hours_ago(run: Run) -> float:
    """Rounded to half an hour."""
    return round((now() - run.run_at) / HOUR * 2) / 2


def shown_as(runs: list[Run]) -> list[tuple[float, str]]:
    """`late` are those that were made up for."""
    late = (RunStatus.SUCCESS, "late")
    return [
        (hours_ago(run), "late" if (run.status, run.reason) == late else run.status.value) for run in runs
    ]


async def test_the_latest_of_the_missed_moments_is_made_up_for_and_says_that_it_is_late(here: Tasks) -> None:
    task, runs = await hourly(here, catch_up="latest")
    assert shown_as(runs) == [(1.5, "missed"), (0.5, "late")]
    result = await here.says(f"heard {NEWS}")
    assert ". Late: it was due " in result.text
    assert "The host was not running then, so it is late." in here.agent.asked[-1].prompt
    assert not said("was not run", here.chat)
    assert task.next_run_at == runs[-1].run_at + HOUR


async def test_that_is_what_is_usual(here: Tasks) -> None:
    _, runs = await hourly(here)
    assert [run.status for run in runs] == [RunStatus.MISSED, RunStatus.SUCCESS]


async def test_none_of_the_missed_moments_is_made_up_for_when_so_wanted_and_that_is_told(here: Tasks) -> None:
    task, runs = await hourly(here, catch_up="none")
    assert shown_as(runs) == [(0.5, "missed")]
    assert runs[0].error == {"key": "run-missed"}
    notice = await here.says(f"Task {task.id} was not run: {NEWS}")
    first, last = (f"{now() - timedelta(hours=hours):%Y-%m-%d %H:}" for hours in (2.5, 0.5))
    assert f"It was due from {now() - timedelta(hours=2.5):%a} {first}" in notice.text
    assert f"to {now() - timedelta(hours=0.5):%a} {last}" in notice.text
    assert "and is not made up for" in notice.text
    assert not here.agent.heard
    assert (task.status, task.next_run_at) == (TaskStatus.ACTIVE, runs[0].run_at + HOUR)
    await here.press(notice, "⚡ Run now")
    await here.says(f"heard {NEWS}")


async def test_all_of_the_missed_moments_are_made_up_for_one_after_the_other(here: Tasks) -> None:
    task = await here.make(NEWS, when="every 1 hour", catch_up="all")
    held = here.agent.holds(NEWS)
    await here.passes(task, AWAY)
    await held.until_begun()
    runs = await here.runs(task)
    assert [run.status for run in runs] == [RunStatus.RUNNING, RunStatus.QUEUED, RunStatus.QUEUED]
    held.go_on()
    runs = await here.ended(task, 3)
    assert shown_as(runs) == [(ago, "late") for ago in (2.5, 1.5, 0.5)]
    for one, next_one in pairwise(runs):
        assert one.finished_at
        assert next_one.started_at
        assert one.finished_at <= next_one.started_at
    assert here.agent.heard.count(NEWS) == 3


async def test_only_so_many_of_them_are_made_up_for(here: Tasks) -> None:
    _, runs = await hourly(here, catch_up="all", most_caught_up=2)
    assert shown_as(runs) == [(2.5, "missed"), (1.5, "late"), (0.5, "late")]


async def test_a_week_of_minutes_is_one_row_of_missed_ones(here: Tasks) -> None:
    task = await here.make(NEWS, when="every 1 minute", catch_up="all", most_caught_up=3)
    await here.passes(task, timedelta(days=7, seconds=30))
    runs = await here.ended(task, 4)
    assert [run.status.value for run in runs] == ["missed", "success", "success", "success"]
    assert runs[-1].run_at > now() - timedelta(minutes=2)


async def test_what_is_too_old_to_be_of_use_is_dropped(here: Tasks) -> None:
    _, runs = await hourly(here, catch_up="all", stale_after="1h")
    assert shown_as(runs) == [(1.5, "missed"), (0.5, "late")]
    task, runs = await hourly(here, catch_up="latest", stale_after="10m")
    assert shown_as(runs) == [(0.5, "missed")]
    await here.says(f"Task {task.id} was not run")


async def test_a_run_that_waited_too_long_for_its_place_is_not_begun_any_more(here: Tasks) -> None:
    held = here.agent.holds("the first")
    first = await here.make("the first")
    await here.due(first)
    await held.until_begun()
    short, long = (
        await here.make(f"{NEWS} 1", stale_after="1h"),
        await here.make(f"{NEWS} 2", stale_after="9h"),
    )
    for task in (short, long):
        await here.due(task)
        await here.is_at(task, RunStatus.QUEUED)
        await here.passes(task, timedelta(hours=2))
    held.go_on()
    (run,) = await here.ended(short)
    assert run.status is RunStatus.MISSED
    assert run.error
    assert run.error["key"] == "run-stale"
    await here.says("and that is too late for it.")
    assert (await here.now(short)).failures == 0
    assert [each.status for each in await here.ended(long)] == [RunStatus.SUCCESS]
    assert f"{NEWS} 1" not in here.agent.heard


async def test_what_was_to_be_done_once_and_was_missed_has_failed_and_can_still_be_run(here: Tasks) -> None:
    task = await here.schedule("in 2 hours call the bank")
    await here.treat(task, catch_up="none")
    await here.passes(task, AWAY)
    assert (await here.becomes(task, TaskStatus.FAILED)).next_run_at is None
    notice = await here.says(f"Task {task.id} was not run: call the bank")
    assert "It was due from" not in notice.text
    await here.press(notice, "⚡ Run now")
    await here.says("heard call the bank")
    await here.becomes(task, TaskStatus.COMPLETED)


async def test_a_moment_is_used_once_however_often_its_work_is_kicked(here: Tasks) -> None:
    task = await here.make(NEWS, when="every 1 hour")
    await here.passes(task, HOUR + timedelta(minutes=20))
    for _ in range(20):
        here.host.engine.kick(work.TASK, str(task.id))
        await asyncio.sleep(0)
    await here.looked_at(task)
    (run,) = await here.ended(task)
    await here.due(task, run.run_at)  # and also when the same moment comes again
    await here.looked_at(task)
    assert [each.id for each in await here.ended(task)] == [run.id]
    assert here.agent.heard.count(NEWS) == 1


async def test_a_run_that_is_due_while_the_one_before_goes_on_is_skipped(here: Tasks) -> None:
    task = await here.make(NEWS)
    held = here.agent.holds(NEWS)
    await here.due(task)
    await held.until_begun()
    await here.due(task)
    await here.looked_at(task)
    first, second = await here.runs(task)
    assert (first.status, second.status) == (RunStatus.RUNNING, RunStatus.SKIPPED)
    assert second.error == {"key": "run-overlaps"}
    held.go_on()
    await here.ended(task, 2)
    await here.says(f"heard {NEWS}")
    assert here.agent.heard.count(NEWS) == 1
    assert "⏭ skipped" in (history := await here.scene.command(here.chat, f"/task_history {task.id}"))
    assert "The run before it still went on." in history


async def test_or_it_waits_until_that_one_is_over_when_so_wanted(here: Tasks) -> None:
    task = await here.make(NEWS, overlap="queue")
    held = here.agent.holds(NEWS)
    await here.due(task)
    await held.until_begun()
    await here.due(task)
    await here.looked_at(task)
    first, second = await here.runs(task)
    assert (first.status, second.status) == (RunStatus.RUNNING, RunStatus.QUEUED)
    held.go_on()
    first, second = await here.ended(task, 2)
    assert (first.status, second.status) == (RunStatus.SUCCESS, RunStatus.SUCCESS)
    assert first.finished_at
    assert second.started_at
    assert first.finished_at <= second.started_at
    assert here.agent.heard.count(NEWS) == 2


async def test_to_stop_a_task_stops_what_waits_in_its_queue_too(here: Tasks) -> None:
    task = await here.make(NEWS, overlap="queue")
    held = here.agent.holds(NEWS)
    await here.due(task)
    await held.until_begun()
    await here.due(task)
    await here.looked_at(task)
    await here.scene.command(here.chat, f"/task_cancel {task.id}")
    runs = await here.ended(task, 2)
    assert [run.status for run in runs] == [RunStatus.CANCELLED, RunStatus.CANCELLED]
    assert here.agent.heard.count(NEWS) == 1
    assert (await here.now(task)).status is TaskStatus.ACTIVE
