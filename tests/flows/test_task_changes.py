"""Flow F changed half way: run by hand, edited, stopped or paused while something of it is under way (SPEC F3, F6)."""

from collections.abc import AsyncIterator
from datetime import datetime, timedelta
from functools import partial

import pytest
import pytest_asyncio
from tests.task_scene import NEWS, Tasks, handle, said, task_scene
from tests.telegram_scene import found_group, shown

from nanoclaw.domain.people import Actor
from nanoclaw.domain.schedules import ScheduleType
from nanoclaw.domain.tasks import RunReason, RunStatus, Task, TaskStatus
from nanoclaw.durable import memberships, people, task_runs
from nanoclaw.durable.clock import now
from nanoclaw.durable.store import Tx

# One host for these tests. Every test takes back what it leaves.
pytestmark = [
    pytest.mark.asyncio(loop_scope="module"),
    pytest.mark.capability("F3"),
]

HOUR = timedelta(hours=1)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def stage(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Tasks]:
    home = tmp_path_factory.mktemp("changes") / "nanoclaw"
    async with task_scene(home) as scene:
        found_group(home, "sales")
        yield scene


@pytest_asyncio.fixture(loop_scope="module")
async def here(stage: Tasks) -> AsyncIterator[Tasks]:
    yield await stage.joined()
    await stage.clear_up()


# What is to be done once, and is run besides


async def test_what_is_to_be_done_once_and_is_run_by_hand_keeps_its_own_moment(here: Tasks) -> None:
    task = await here.make("call the bank", when="tomorrow 9:00")
    await here.command(task, "run")
    (run,) = await here.ended(task)
    assert (run.status, run.reason) == (RunStatus.SUCCESS, RunReason.MANUAL)
    after = await here.now(task)
    assert (after.status, after.next_run_at) == (TaskStatus.ACTIVE, task.next_run_at)

    await here.passes(task, timedelta(days=2))
    await here.becomes(task, TaskStatus.COMPLETED)
    runs = await here.ended(task, 2)
    assert {(run.status, run.reason) for run in runs} == {
        (RunStatus.SUCCESS, RunReason.MANUAL),
        (RunStatus.SUCCESS, RunReason.LATE),
    }


async def test_nor_does_it_lose_its_moment_when_that_run_fails_or_is_stopped(here: Tasks) -> None:
    task = await here.make("call the bank", when="tomorrow 9:00", retries=0)
    here.agent.fails("call the bank", times=1)
    await here.command(task, "run")
    await here.ended(task)
    held = here.agent.holds("call the bank")
    await here.command(task, "run")
    await held.until_begun()
    await here.command(task, "cancel")
    runs = await here.ended(task, 2)
    assert [run.status for run in runs] == [RunStatus.FAILED, RunStatus.CANCELLED]
    after = await here.now(task)
    assert (after.status, after.next_run_at) == (TaskStatus.ACTIVE, task.next_run_at)


async def test_a_moment_that_is_given_to_it_while_it_runs_still_comes(here: Tasks) -> None:
    for when in ("every sunday 3:00", "tomorrow 9:00"):
        task = await here.make(f"look {when}", when=when)
        held = await here.running(task)
        await here.command(task, "edit", "time in 2 days")
        held.go_on()
        await here.ended(task)
        after = await here.now(task)
        assert (after.status, after.schedule.type) == (TaskStatus.ACTIVE, ScheduleType.ONCE)
        assert after.next_run_at
        assert after.next_run_at > now() + timedelta(days=1)


# Stopped


async def test_a_run_is_stopped_though_the_clock_was_set_back_since_it_began(here: Tasks) -> None:
    for action, left in (("cancel", TaskStatus.ACTIVE), ("delete", TaskStatus.DELETED)):
        task = await here.make(f"{NEWS} {action}")
        held = await here.running(task)
        await at_that_time(here, task, action, now() - 2 * HOUR)
        (run,) = await here.ended(task)
        assert run.status is RunStatus.CANCELLED
        assert (await here.now(task)).status is left
        held.go_on()
    await here.scene.ask("hello")
    assert not await here.told_anywhere(f"heard {NEWS}")


async def at_that_time(here: Tasks, task: Task, action: str, at: datetime) -> None:
    """Its owner wants this, when the clock shows that time."""
    changes = here.host.task_parts.changes

    def story(tx: Tx) -> None:
        person = people.person_named(tx, handle(here.scene.owner))
        assert person
        by = Actor.of(person, memberships.rights_of(tx, person), via="test", language="en")
        changes.acts[action](tx, changes.find(tx, str(task.id), by), by, at)

    await here.host.store.write(story)


# Paused


@pytest.mark.capability("F4", "F6")
async def test_a_pause_stops_what_waits_in_the_queue_until_it_is_resumed(here: Tasks) -> None:
    task = await here.make(NEWS, overlap="queue")
    held = await here.running(task)
    await here.due(task)
    await here.looked_at(task)
    await here.command(task, "pause")
    held.go_on()
    await here.is_at(task, RunStatus.SUCCESS)
    first, second = await here.runs(task)
    assert (second.status, second.message_id) == (RunStatus.QUEUED, None)
    assert (await here.now(task)).status is TaskStatus.PAUSED

    await here.command(task, "resume")
    first, second = await here.ended(task, 2)
    assert (first.status, second.status) == (RunStatus.SUCCESS, RunStatus.SUCCESS)
    assert here.agent.heard.count(NEWS) == 2


@pytest.mark.capability("F4", "F6")
async def test_so_does_one_after_too_many_failures_and_it_is_told_once(here: Tasks) -> None:
    task = await here.make(NEWS, retries=0, pause_after=1, overlap="queue")
    held = await here.running(task)
    for _ in range(2):
        await here.due(task)
        await here.looked_at(task)
    here.agent.fails(NEWS, times=1)
    held.go_on()
    assert (await here.becomes(task, TaskStatus.PAUSED)).why == "failures"
    first, *waiting = await here.runs(task)
    assert first.status is RunStatus.FAILED
    assert [(run.status, run.message_id) for run in waiting] == [(RunStatus.QUEUED, None)] * 2
    assert here.agent.heard.count(NEWS) == 1

    await here.press(await here.says(f"Task {task.id} is paused: it failed once"), "▶️ Resume")
    runs = await here.ended(task, 3)
    assert [run.status.value for run in runs] == ["failed", "success", "success"]
    assert len(said("it failed", here.chat)) == 1


# The buttons of a notice


@pytest.mark.capability("F6")
async def test_the_buttons_of_a_notice_work_without_a_card_and_are_gone_then(here: Tasks) -> None:
    """A task of the page or of the command line has no card in any chat."""
    shown_status = {
        "▶️ Resume": TaskStatus.ACTIVE,
        "⚡ Run now": TaskStatus.PAUSED,
        "🗑 Delete": TaskStatus.DELETED,  # at once: there is no card that could ask again
    }
    for label, left in shown_status.items():
        task = await here.make(f"{NEWS} {label}", retries=0, pause_after=1)
        assert task.card is None
        here.agent.fails(task.prompt, times=1)
        await here.due(task)
        notice = await here.says(f"Task {task.id} is paused: it failed")
        assert notice.labels == list(shown_status)
        assert await here.press(notice, label) == "Taken."
        settled = await here.scene.settled(notice)
        assert settled.endswith(f"{label}: {here.scene.owner.name}")
        assert (await here.now(task)).status is left
        if label == "⚡ Run now":
            await here.says(f"heard {task.prompt}")


@pytest.mark.capability("F6")
async def test_those_elsewhere_than_the_card_work_too_and_the_card_keeps_its_own(here: Tasks) -> None:
    group = await here.group("Team", here.scene.owner)
    task = await here.schedule(f"every monday 8:00 {NEWS}", chat=group)
    card = await here.card(task, group)
    await here.treat(task, retries=0, pause_after=1)
    here.agent.fails(NEWS, times=1)
    await here.due(task)
    notice = await here.says(f"Task {task.id} is paused: it failed")  # alone with the owner
    assert await here.press(notice, "▶️ Resume") == "Taken."
    await here.scene.settled(notice)
    await group.wait_until(lambda: "⏸ Pause" in shown(card).labels)
    assert (await here.now(task)).status is TaskStatus.ACTIVE


# Tried again


@pytest.mark.capability("F6")
async def test_no_retry_waits_for_longer_than_six_hours(here: Tasks) -> None:
    task = await here.make(NEWS, retries=20, retry_pause="10m")
    here.agent.fails(NEWS)
    await here.due(task)
    run = await here.is_at(task, RunStatus.RETRYING, attempts=1)
    for attempts in (3, 19):
        await here.host.store.write(partial(task_runs.mark, run_id=run.id, attempts=attempts))
        await here.retried(task)
        run = await here.is_at(task, RunStatus.RETRYING, attempts=attempts + 1)
        pause = await here.waits_until(run) - now()
        assert 5 * HOUR < pause <= 6 * HOUR


@pytest.mark.capability("F6")
async def test_unless_that_is_wanted_from_the_start(here: Tasks) -> None:
    task = await here.make(NEWS, retries=20, retry_pause="12h")
    here.agent.fails(NEWS)
    await here.due(task)
    for attempts in (1, 2):
        run = await here.is_at(task, RunStatus.RETRYING, attempts=attempts)
        assert 11 * HOUR < await here.waits_until(run) - now() <= 12 * HOUR
        await here.retried(task)


# Edited


@pytest.mark.capability("F1")
async def test_a_new_time_need_not_be_of_the_kind_of_the_old_one(here: Tasks) -> None:
    task = await here.make(NEWS, when="every 2 hours")
    kinds = [
        ("90m", ScheduleType.INTERVAL, "5400"),
        ("0 9 * * *", ScheduleType.CRON, "0 9 * * *"),
        ("30 9 * * 1", ScheduleType.CRON, "30 9 * * 1"),
        ("every 3 hours", ScheduleType.INTERVAL, "10800"),
        ("7200", ScheduleType.INTERVAL, "7200"),
        ("every day 8:15", ScheduleType.CRON, "15 8 * * *"),
    ]
    for value, kind, written in kinds:
        assert "is active" in await here.change(task, "edit", schedule_value=value), value
        schedule = (await here.now(task)).schedule
        assert (schedule.type, schedule.value) == (kind, written)
    before = await here.now(task)
    for value in ("61 * * * *", "whenever", "59"):
        assert "is active" not in await here.change(task, "edit", schedule_value=value, prompt="other words")
        assert await here.now(task) == before
    async with here.tasks as client:
        await client.edit(str(task.id), {"schedule_value": "tomorrow 9:00"})
    assert (await here.now(task)).schedule.type is ScheduleType.ONCE
