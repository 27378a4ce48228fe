"""Flow F on a bad day: nothing falls silent, and nothing is called missed, because of a small mishap (F4 to F7)."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import suppress
from datetime import timedelta
from typing import TypeVar

import pytest
import pytest_asyncio
from structlog.testing import capture_logs
from tests.task_scene import NEWS, Tasks, said, task_scene
from tests.telegram_scene import eventually

from nanoclaw.domain.errors import StoreUnavailable
from nanoclaw.domain.tasks import RunReason, RunStatus, TaskStatus
from nanoclaw.durable import session_queue, task_runs, tasks, timeline
from nanoclaw.durable.clock import now
from nanoclaw.durable.store import Store, Tx
from nanoclaw.durable.timeline import Event
from nanoclaw.flows.turns import progress_message

# One host for these tests. Every test takes back what it leaves.
pytestmark = [pytest.mark.asyncio(loop_scope="module")]

T = TypeVar("T")
AUDIT = "audit all competitors"


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def stage(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Tasks]:
    async with task_scene(tmp_path_factory.mktemp("hiccups") / "nanoclaw") as tasks:
        yield tasks


@pytest_asyncio.fixture(loop_scope="module")
async def here(stage: Tasks) -> AsyncIterator[Tasks]:
    yield await stage.joined()
    await stage.clear_up()


async def refuse_writes(store: Store) -> None:
    """Make the database file read-only, as on a disk that the system remounted."""
    with suppress(StoreUnavailable):  # what others write in the same commit fails already
        await store.write(lambda tx: tx.exec_driver_sql("PRAGMA query_only=ON"))


async def allow_writes(store: Store) -> None:
    def allow() -> None:
        connection = (
            store.engine.raw_connection()
        )  # the writer has given its own back, unless it is just trying
        connection.cursor().execute("PRAGMA query_only=OFF")
        connection.close()

    async def look() -> bool | None:
        await asyncio.to_thread(allow)
        with suppress(StoreUnavailable):
            await store.write(lambda _tx: None)
            return True
        return None

    await eventually(look)


@pytest.mark.capability("F5")
async def test_hours_of_work_do_not_end_because_what_it_is_at_cannot_be_told(
    here: Tasks, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(progress_message, "_EVERY", 0.0)  # else it is told every ten seconds
    here.agent.does(AUDIT, here.agent.call("bash", command="true"), "They are fine.")
    begins, used = here.agent.holds("audit"), here.agent.holds("competitors", after=1)
    await here.use("background_task", prompt=AUDIT)
    task = await here.newest()
    assert task
    await begins.until_begun()
    with capture_logs() as logs:
        await refuse_writes(here.host.store)
        begins.go_on()

        async def look() -> bool | None:
            return any(line["event"] in ("progress not told", "turn failed") for line in logs) or None

        await eventually(look)
        await allow_writes(here.host.store)
    assert "progress not told" in [line["event"] for line in logs]
    used.go_on()
    (run,) = await here.ended(task)
    assert (run.status, run.attempts, run.result) == (RunStatus.SUCCESS, 0, "They are fine.")
    await here.says("They are fine.")


# The check before a run


@pytest.mark.capability("F7")
async def test_a_check_that_falls_over_with_the_code_of_no_is_a_fault(here: Tasks) -> None:
    """Only one that says no without a complaint says no."""
    broken = {
        "python3 -c 'import json; json.loads(\"<html>\")'": "JSONDecodeError",
        "set -e; grep -c news no-such-file": "no-such-file",
        "echo cannot reach the shop >&2; exit 1": "cannot reach the shop",
    }
    for check, complaint in broken.items():
        task = await here.make(NEWS, check=check, retries=0)
        await here.due(task)
        (run,) = await here.ended(task)
        assert run.status is RunStatus.FAILED, check
        assert complaint in str(run.error), run.error
        await here.says(f"Task {task.id} failed")
    for check in ("false", "grep -qs news no-such-file || exit 1", "test -s no-such-file"):
        task = await here.make(NEWS, check=check, retries=0)
        await here.due(task)
        (run,) = await here.ended(task)
        assert run.status is RunStatus.SKIPPED, check
    assert not here.agent.heard


@pytest.mark.capability("F7")
async def test_that_the_agent_is_not_needed_is_written_together_with_the_end_of_its_turn(
    here: Tasks, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Killed in between, the next host would take it for a run that had begun, and wake the agent after all."""
    store, write = here.host.store, here.host.store.write
    seen: list[bool] = []
    task = await here.make(NEWS, check="exit 1")

    def look(tx: Tx) -> list[bool]:
        runs = task_runs.history(tx, task.id, 1)
        noted = [step for run in runs for step in timeline.of_message(tx, run.message_id or "")]
        session = getattr(tasks.get(tx, task.id), "session_id", None)
        is_under_way = session is not None and session_queue.open_turn(tx, session) is not None
        return [is_under_way for step in noted if step.event is Event.CHECKED]

    async def watched(story: Callable[[Tx], T], **given: bool) -> T:
        written = await write(story, **given)
        seen.extend(await store.read(look))
        return written

    monkeypatch.setattr(store, "write", watched)
    await here.due(task)
    await here.ended(task)
    await here.looked_at(task)
    assert set(seen) == {False}
    await here.is_at(task, RunStatus.SKIPPED)


@pytest.mark.capability("F7")
async def test_that_it_is_needed_is_written_before_the_agent_begins(here: Tasks) -> None:
    task = await here.make(NEWS, check="echo 3 orders")
    held = here.agent.holds(NEWS)
    await here.due(task)
    await held.until_begun()
    run = await here.is_at(task, RunStatus.RUNNING)
    noted = await here.host.store.read(lambda tx: timeline.of_message(tx, run.message_id or ""))
    assert [step.detail["needed"] for step in noted if step.event is Event.CHECKED] == ["yes"]
    held.go_on()
    await here.ended(task)


# Moments that come together


@pytest.mark.capability("F4")
async def test_what_is_due_together_and_begins_later_was_not_missed(
    here: Tasks, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ten thousand of one minute cannot all begin within it; the host was there all the time."""
    monkeypatch.setattr(here.host.engine, "awake_since", now() - timedelta(hours=1))
    task = await here.make(NEWS, catch_up="none")
    await here.due(task, now() - timedelta(minutes=10))
    (run,) = await here.ended(task)
    assert (run.status, run.reason) == (RunStatus.SUCCESS, RunReason.SCHEDULE)
    result = await here.says(f"heard {NEWS}")
    assert "late" not in result.text
    assert not said("was not run", here.chat)


@pytest.mark.capability("F4")
async def test_what_came_before_the_host_was_there_was_missed(
    here: Tasks, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(here.host.engine, "awake_since", now() - timedelta(minutes=5))
    task = await here.make(NEWS, catch_up="none")
    await here.due(task, now() - timedelta(minutes=10))
    (run,) = await here.ended(task)
    assert run.status is RunStatus.MISSED
    await here.says(f"Task {task.id} was not run")
    assert (await here.now(task)).status is TaskStatus.ACTIVE
