"""Flow F with real boxes: the check that decides whether the model is woken (F7), and a run that costs money (F6)."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio
import sqlalchemy as sa
from tests.staging import KINDS, staged
from tests.task_scene import NEWS, Tasks, made_due, said, task_scene
from tests.telegram_scene import eventually

from nanoclaw.domain.errors import ModelFailed
from nanoclaw.domain.locale import Locale
from nanoclaw.domain.tasks import Run, RunStatus, TaskStatus
from nanoclaw.durable import task_runs, tasks, timeline
from nanoclaw.durable.clock import now
from nanoclaw.durable.tables import costs
from nanoclaw.durable.timeline import Event
from nanoclaw.flows.tasks.check import TaskChecks
from nanoclaw.testing.model_parts import Asked, Say

pytestmark = [pytest.mark.asyncio(loop_scope="module")]


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def stage(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Tasks]:
    async with task_scene(tmp_path_factory.mktemp("boxes") / "nanoclaw") as tasks:
        yield tasks


@pytest_asyncio.fixture(loop_scope="module")
async def here(stage: Tasks) -> AsyncIterator[Tasks]:
    yield await stage.joined()
    await stage.clear_up()


def files(here: Tasks) -> Path:
    folder = here.host.home / "groups" / "main" / "files"
    folder.mkdir(exist_ok=True)
    return folder


@pytest.mark.capability("F7")
async def test_a_check_that_ends_well_wakes_the_agent_which_reads_what_it_printed(here: Tasks) -> None:
    (files(here) / "orders.txt").write_text("3 new <orders>\n", "utf-8")
    task = await here.make(NEWS, check="cat orders.txt; echo unseen >&2")
    await here.due(task)
    (run,) = await here.ended(task)
    assert run.status is RunStatus.SUCCESS
    prompt = here.agent.asked[-1].prompt
    assert "<check_output>3 new &lt;orders&gt;</check_output>" in prompt
    assert "unseen" not in prompt
    noted = await here.host.store.read(lambda tx: timeline.of_message(tx, run.message_id or ""))
    assert [step.detail["needed"] for step in noted if step.event is Event.CHECKED] == ["yes"]


@pytest.mark.capability("F7")
async def test_a_check_that_ends_with_one_lets_the_agent_sleep(here: Tasks) -> None:
    task = await here.make(NEWS, check="echo nothing; exit 1")
    before = here.chat.answers
    await here.due(task)
    (run,) = await here.ended(task)
    assert (run.status, run.result, run.micros) == (RunStatus.SKIPPED, None, 0)
    assert run.error == {"key": "run-not-needed"}
    assert not here.agent.heard
    after = await here.now(task)
    assert (after.status, after.failures) == (TaskStatus.ACTIVE, 0)
    history = await here.scene.command(here.chat, f"/task_history {task.id}")
    assert "⏭ skipped" in history
    assert "The check said that there is nothing to do." in history
    assert here.chat.answers == before + 1


@pytest.mark.capability("F7")
async def test_a_check_that_is_broken_is_a_failure_and_never_silence(here: Tasks) -> None:
    task = await here.make(NEWS, check="echo the list is gone >&2; exit 7", retries=0)
    await here.due(task)
    (run,) = await here.ended(task)
    assert run.status is RunStatus.FAILED
    assert run.error == {"key": "check-failed", "code": 7, "said": "the list is gone"}
    notice = await here.says(f"Task {task.id} failed after one attempt")
    assert "The check of the task ended with code 7: the list is gone" in notice.text
    assert not here.agent.heard
    # A program that falls over often ends with 1 as well; it complains, and one that only says no does not.
    for broken in ("no-such-program", "python3 -c 'raise OSError'", "cat no-such-file"):
        task = await here.make(NEWS, check=broken, retries=0)
        await here.due(task)
        await here.says(f"Task {task.id} failed")
    assert not here.agent.heard


@pytest.mark.capability("F7")
async def test_a_check_that_does_not_end_is_ended(here: Tasks) -> None:
    await here.scene.ask("hello")
    permissions = here.host.question_parts.permissions
    impatient = TaskChecks(
        session_boxes=here.host.agents.session_boxes, permissions=permissions, patience=0.5
    )
    with pytest.raises(ModelFailed, match="check-slow"):
        await impatient.needed(here.agent.asked[-1], "sleep 600")
    patient = TaskChecks(session_boxes=here.host.agents.session_boxes, permissions=permissions, patience=30)
    printed = await patient.needed(here.agent.asked[-1], "head -c 3000000 /dev/zero | tr '\\0' x")
    assert printed is not None
    kept, _, about = printed.partition("\n")
    assert set(kept) == {"x"}
    assert about == "[... 2,990,000 bytes left out by the host]"
    assert len(printed) < 100_000  # what is too much is cut, and holds nothing up


@pytest.mark.capability("F7")
async def test_a_check_runs_in_the_box_of_its_group_without_a_network(here: Tasks) -> None:
    probe = "test -d /ipc && ! test -e /work/../../etc/shadow && ls /sys/class/net | tr '\\n' ' '; pwd"
    task = await here.make(NEWS, check=probe, retries=0)
    await here.due(task)
    (run,) = await here.ended(task)
    assert run.status is RunStatus.SUCCESS, run.error
    printed = here.agent.asked[-1].prompt.partition("<check_output>")[2]
    assert "/work</check_output>" in printed
    assert "eth" not in printed
    assert not said("failed", here.chat)


@pytest.mark.asyncio(loop_scope="function")
@pytest.mark.capability("F6", "J1")
async def test_a_run_carries_what_it_cost_and_how_long_it_took(home: Path) -> None:
    def script(asked: Asked) -> Say:
        return Say("Three things happened.")

    async with staged(KINDS[1], home, script) as staging:
        await staging.ask("hello")
        host = staging.host
        await staging.ask(f"/schedule every monday 8:00 {NEWS}")
        await made_due(host, 1)
        await staging.far_end.wait_for("chat", 3)

        async def look() -> Run | None:
            (run,) = await host.store.read(lambda tx: task_runs.history(tx, 1, 10))
            return None if run.status.is_open else run

        run = await eventually(look)
        assert run.status is RunStatus.SUCCESS
        assert run.duration_ms
        # Money that is only set aside, while the ledger is a moment behind, is not a cost.
        query = sa.select(costs.c.micros).where(costs.c.turn_id == run.turn_id, costs.c.state != "reserved")

        async def settled() -> list[int] | None:
            found = await host.store.read(lambda tx: list(tx.execute(query).scalars()))
            return found or None

        spent = await eventually(settled)
        assert run.micros == sum(spent) > 0
        task = await host.store.read(lambda tx: tasks.get(tx, 1))
        assert task
        cards = host.task_parts.changes.cards
        english = Locale(language="en", timezone="UTC")
        card = await host.store.read(lambda tx: cards.text(tx, task, english, now()))
        assert "from the last run like it" in card
