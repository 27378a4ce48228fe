"""Flow F while it stands still: what waits is held by a pause, let go by a person, and said in new words (F3, F6)."""

from collections.abc import AsyncIterator
from datetime import timedelta

import pytest
import pytest_asyncio
import sqlalchemy as sa
from tests.task_agent import Held
from tests.task_scene import NEWS, Tasks, task_scene
from tests.telegram_scene import eventually

from nanoclaw.domain.tasks import Run, RunReason, RunStatus, Task, TaskStatus
from nanoclaw.durable import messages, task_runs, work
from nanoclaw.durable.clock import now
from nanoclaw.durable.store import Tx
from nanoclaw.durable.tables import session_queue
from nanoclaw.durable.tables import work as works

# One host for these tests, which runs one task at a time. Every test takes back what it leaves.
pytestmark = [
    pytest.mark.asyncio(loop_scope="module"),
    pytest.mark.capability("F3"),
]

HOUR = timedelta(hours=1)
OLD, NEW = "the old words", "the new words"


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def stage(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Tasks]:
    async with task_scene(tmp_path_factory.mktemp("pauses") / "nanoclaw", tasks={"concurrent": 1}) as scene:
        yield scene


@pytest_asyncio.fixture(loop_scope="module")
async def here(stage: Tasks) -> AsyncIterator[Tasks]:
    yield await stage.joined()
    await stage.clear_up()


async def waits_for_its_place(here: Tasks, task: Task) -> Held:
    """It is due while another task has the only place; that one, which waits to be let go on."""
    other = await here.running(await here.make("something long"))
    await here.due(task)
    await here.looked_at(task)
    (run,) = await here.runs(task)
    assert run.status is RunStatus.QUEUED
    assert run.message_id
    return other


async def waits_for_a_retry(here: Tasks, task: Task) -> Run:
    here.agent.fails(task.prompt, times=1)
    await here.due(task)
    return await here.is_at(task, RunStatus.RETRYING, attempts=1)


async def an_hour_passes(here: Tasks, task: Task) -> None:
    """Its run would have been begun or tried again by now. The host has looked, and whatever it began is over."""
    session = (await here.now(task)).session_id
    assert session
    lane = await here.lane_of(task)

    def story(tx: Tx) -> None:
        paused = sa.and_(session_queue.c.session_id == session, session_queue.c.not_before.is_not(None))
        for row in tx.execute(sa.select(session_queue.c.not_before).where(paused)).all():
            tx.execute(sa.update(session_queue).where(paused).values(not_before=row.not_before - HOUR))
        work.due(tx, lane, session, now())

    await here.host.store.write(story)
    here.host.engine.kick(lane, session)
    await is_left_alone(here, task)


async def is_left_alone(here: Tasks, task: Task) -> None:
    """Until the host has nothing more to do in its session."""
    query = sa.select(works.c.key).where(works.c.key == (await here.now(task)).session_id)

    async def look() -> bool | None:
        return await here.host.store.read(lambda tx: tx.execute(query).first()) is None or None

    await eventually(look)


# What a pause holds, and who lets it go


async def test_a_run_that_waits_for_its_place_is_not_begun_while_its_task_is_paused(here: Tasks) -> None:
    task = await here.make(NEWS)
    other = await waits_for_its_place(here, task)
    await here.command(task, "pause")
    other.go_on()
    await is_left_alone(here, task)
    (run,) = await here.runs(task)
    assert run.status is RunStatus.QUEUED
    assert NEWS not in here.agent.heard

    await here.command(task, "resume")
    (run,) = await here.ended(task)
    assert run.status is RunStatus.SUCCESS
    assert here.agent.heard.count(NEWS) == 1
    assert (await here.now(task)).status is TaskStatus.ACTIVE


@pytest.mark.capability("F4")
async def test_nor_is_one_that_was_to_begin_a_little_later_than_others(here: Tasks) -> None:
    task = await here.make(NEWS, jitter="31 days")
    await here.due(task)
    await here.looked_at(task)
    await here.command(task, "pause")
    await an_hour_passes(here, task)
    assert NEWS not in here.agent.heard
    await here.command(task, "resume")
    await here.ended(task)
    assert here.agent.heard.count(NEWS) == 1


@pytest.mark.capability("F6")
async def test_a_retry_is_held_by_a_pause_and_resuming_lets_it_go(here: Tasks) -> None:
    task = await here.make(NEWS, retries=1, retry_pause="10m")
    await waits_for_a_retry(here, task)
    await here.command(task, "pause")
    await an_hour_passes(here, task)
    assert here.agent.heard.count(NEWS) == 1

    await here.command(task, "resume")
    (run,) = await here.ended(task)
    assert (run.status, run.attempts) == (RunStatus.SUCCESS, 1)
    assert here.agent.heard.count(NEWS) == 2
    assert (await here.now(task)).status is TaskStatus.ACTIVE


@pytest.mark.capability("F6")
async def test_run_now_lets_the_run_of_a_paused_task_go_and_the_task_stays_paused(here: Tasks) -> None:
    task = await here.make(NEWS, retries=1, retry_pause="10m")
    await waits_for_a_retry(here, task)
    await here.command(task, "pause")
    assert "being done right now" not in await here.command(task, "run")
    (run,) = await here.ended(task)  # the same one: nothing is done twice
    assert (run.status, run.reason) == (RunStatus.SUCCESS, RunReason.SCHEDULE)
    assert here.agent.heard.count(NEWS) == 2
    assert (await here.now(task)).status is TaskStatus.PAUSED


async def test_what_is_held_can_be_stopped_for_good(here: Tasks) -> None:
    task = await here.make(NEWS, retries=1, retry_pause="10m")
    await waits_for_a_retry(here, task)
    await here.command(task, "pause")
    await here.command(task, "cancel")
    (run,) = await here.ended(task)
    assert run.status is RunStatus.CANCELLED
    await here.command(task, "resume")
    await here.command(task, "run")
    await here.ended(task, 2)
    assert here.agent.heard.count(NEWS) == 2


@pytest.mark.capability("F6")
async def test_the_retry_of_what_is_done_once_goes_on_when_it_is_resumed(here: Tasks) -> None:
    task = await here.make(NEWS, when="tomorrow 9:00", retries=1, retry_pause="10m")
    here.agent.fails(NEWS, times=1)
    await here.passes(task, timedelta(days=2))
    await here.is_at(task, RunStatus.RETRYING, attempts=1)
    await here.command(task, "pause")
    assert "goes on" in await here.command(task, "resume")
    (run,) = await here.ended(task)
    assert run.status is RunStatus.SUCCESS
    assert (await here.now(task)).status is TaskStatus.COMPLETED


@pytest.mark.capability("F6")
async def test_a_run_that_fails_after_its_task_was_paused_is_not_tried_again_before_it_is_resumed(
    here: Tasks,
) -> None:
    task = await here.make(NEWS, retries=1, retry_pause="10m")
    held = await here.running(task)
    here.agent.fails(NEWS, times=1)
    await here.command(task, "pause")
    held.go_on()
    await here.is_at(task, RunStatus.RETRYING, attempts=1)
    await an_hour_passes(here, task)
    assert here.agent.heard.count(NEWS) == 1
    await here.command(task, "resume")
    (run,) = await here.ended(task)
    assert run.status is RunStatus.SUCCESS


@pytest.mark.capability("F6")
async def test_what_someone_had_run_by_hand_is_tried_again_though_the_task_is_paused(here: Tasks) -> None:
    task = await here.make(NEWS, retries=1, retry_pause="0")
    here.agent.fails(NEWS, times=1)
    await here.command(task, "pause")
    await here.command(task, "run")
    (run,) = await here.ended(task)
    assert (run.status, run.attempts) == (RunStatus.SUCCESS, 1)
    assert (await here.now(task)).status is TaskStatus.PAUSED


# Edited while it waits


async def words_of_its_message(here: Tasks, task: Task) -> str:
    (run,) = await here.runs(task)
    stored = await here.host.store.read(lambda tx: messages.get(tx, run.message_id or ""))
    assert stored
    return stored.text


@pytest.mark.capability("F6")
async def test_new_words_are_used_by_the_retry(here: Tasks) -> None:
    task = await here.make(OLD, retries=1, retry_pause="10m")
    await waits_for_a_retry(here, task)
    await here.command(task, "edit", f"text {NEW}")
    await here.retried(task)
    await here.ended(task)
    assert here.agent.heard == [OLD, NEW]
    await here.says(f"heard {NEW}")


async def test_so_they_are_by_a_run_that_waits_for_its_place(here: Tasks) -> None:
    task = await here.make(OLD)
    other = await waits_for_its_place(here, task)
    await here.command(task, "edit", f"text {NEW}")
    other.go_on()
    await here.ended(task)
    assert here.agent.heard == ["something long", NEW]


@pytest.mark.capability("F6")
async def test_so_they_are_when_the_run_fails_after_they_were_changed(here: Tasks) -> None:
    task = await here.make(OLD, retries=1, retry_pause="10m")
    held = await here.running(task)
    here.agent.fails(OLD, times=1)
    await here.command(task, "edit", f"text {NEW}")
    held.go_on()
    await here.is_at(task, RunStatus.RETRYING, attempts=1)
    await here.retried(task)
    await here.ended(task)
    assert here.agent.heard == [OLD, NEW]


async def test_a_run_that_is_under_way_keeps_its_words(here: Tasks) -> None:
    task = await here.make(OLD)
    held = await here.running(task)
    await here.command(task, "edit", f"text {NEW}")
    assert await words_of_its_message(here, task) == OLD
    held.go_on()
    await here.ended(task)
    await here.says(f"heard {OLD}")
    await here.due(task)
    await here.ended(task, 2)
    assert here.agent.heard == [OLD, NEW]


async def test_a_paused_task_that_gets_a_new_time_says_that_it_is_still_paused(here: Tasks) -> None:
    """The host itself advises to do so when the time of a task has passed while it was paused."""
    task = await here.make("call the bank", when="tomorrow 9:00")
    await here.command(task, "pause")
    await here.passes(task, timedelta(days=2))
    await here.looked_at(task)
    assert f"/task_edit {task.id} time" in await here.command(task, "resume")
    told = await here.command(task, "edit", "time in 1 hour")
    assert f"It is still paused: /task_resume {task.id}" in told
    assert "next" not in told
    assert (await here.now(task)).status is TaskStatus.PAUSED

    await here.command(task, "resume")
    await here.passes(task, 2 * HOUR)
    (run,) = await here.ended(task)
    assert run.status is RunStatus.SUCCESS


# Run besides its own times


async def under_way(here: Tasks, task: Task) -> list[RunReason]:
    return [run.reason for run in await here.runs(task) if run.status.is_open and run.message_id]


@pytest.mark.capability("F4")
async def test_a_run_wanted_just_before_a_moment_is_taken_up_is_the_only_one_under_way(here: Tasks) -> None:
    """The moment came first, and was looked at last: the host was busy. Its run is the older one."""
    task = await here.make(NEWS, overlap="queue")
    held = here.agent.holds(NEWS)
    moment = now() - timedelta(seconds=1)
    await here.command(task, "run")
    await held.until_begun()
    for due in (moment, None):  # and the one after it
        await here.due(task, due)
        await here.looked_at(task)
    assert await under_way(here, task) == [RunReason.MANUAL]
    held.go_on()
    runs = await here.ended(task, 3)
    assert [run.status for run in runs] == [RunStatus.SUCCESS] * 3
    assert here.agent.heard.count(NEWS) == 3


@pytest.mark.capability("F4")
async def test_so_it_is_when_the_task_is_paused_and_resumed_meanwhile(here: Tasks) -> None:
    task = await here.make(NEWS, when="every 10 minutes", catch_up="all", most_caught_up=5)
    held = here.agent.holds(NEWS)
    await here.command(task, "run")
    await held.until_begun()
    (manual,) = await here.runs(task)
    await here.passes(task, timedelta(minutes=35))
    await here.looked_at(task)
    # It was wanted after these were due.
    await here.host.store.write(lambda tx: task_runs.mark(tx, manual.id, run_at=now()))
    for change in ("pause", "resume"):
        await here.command(task, change)
    assert await under_way(here, task) == [RunReason.MANUAL]
    held.go_on()
    runs = await here.ended(task, 2)
    assert {run.status for run in runs} == {RunStatus.SUCCESS}
    assert here.agent.heard.count(NEWS) == len(runs)


async def test_what_was_paused_past_its_only_moment_is_over_once_it_was_run(here: Tasks) -> None:
    for prompt, left in (("pay the rent", TaskStatus.COMPLETED), ("win the lottery", TaskStatus.FAILED)):
        task = await here.make(prompt, when="tomorrow 9:00", retries=0)
        await here.command(task, "pause")
        await here.passes(task, timedelta(days=2))
        await here.looked_at(task)
        if left is TaskStatus.FAILED:
            here.agent.fails(prompt, times=1)
        await here.command(task, "run")
        await here.ended(task)
        assert (await here.now(task)).status is left


async def test_one_whose_moment_is_still_to_come_stays_paused(here: Tasks) -> None:
    task = await here.make("pay the rent", when="tomorrow 9:00")
    await here.command(task, "pause")
    await here.command(task, "run")
    await here.ended(task)
    after = await here.now(task)
    assert (after.status, after.next_run_at) == (TaskStatus.PAUSED, task.next_run_at)


# Deleted


@pytest.mark.capability("F6")
async def test_a_deleted_task_raises_no_alarm(here: Tasks) -> None:
    task = await here.make(NEWS, deliver_by="30m", retries=0)
    here.agent.fails(NEWS)
    await here.due(task)
    await here.ended(task)
    await here.command(task, "delete")
    await here.passes(task, HOUR)
    await here.looked_at(task)
    assert not await here.told_anywhere(f"Task {task.id} has not delivered")
