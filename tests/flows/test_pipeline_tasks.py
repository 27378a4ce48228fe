"""A task whose text is a command of a pipeline: it starts one without a card, waits for it, and has its result."""

from pathlib import Path
from typing import Any

import pytest
from tests.flows.pipeline_scene import THREE, PipelineScene, pipeline_scene
from tests.task_scene import FAR, made_due
from tests.telegram_scene import eventually

from nanoclaw.channels.rooms import WEB
from nanoclaw.domain.pipeline_runs import PipelineRun, StepState
from nanoclaw.domain.pipeline_runs import PipelineRunStatus as PipelineStatus
from nanoclaw.domain.tasks import Run, RunStatus, Task
from nanoclaw.durable import messages, people, pipeline_runs, questions, task_runs, tasks
from nanoclaw.durable.clock import now
from nanoclaw.durable.store import Tx
from nanoclaw.flows.pipelines.outputs import closing_of
from nanoclaw.flows.tasks.creation import TaskAuthor
from nanoclaw.flows.tasks.task_input import read_task
from nanoclaw.testing import made_workspace

pytestmark = pytest.mark.capability("D5", "F1")


def with_template(home: Path) -> Path:
    made_workspace(home)
    text = f"{THREE}## Estimated cost: $0.10-0.20\n"
    (home / "foundation" / "process_templates" / "three.md").write_text(text)
    return home


async def due(scene: PipelineScene, prompt: str, **given: Any) -> Task:
    """A task with this text, whose time has come."""
    parts, owner, by = scene.host.task_parts, await scene.owner(), await scene.actor()

    def story(tx: Tx) -> Task:
        chat = people.chat_at(tx, WEB, "main")
        assert chat
        group = parts.task_creation.groups.get("main")
        maker = TaskAuthor(person=owner, actor=by, group=group, chat_id=chat.id, thread=None)
        wanted = read_task({"when": FAR, "prompt": prompt} | given, now(), "UTC", parts.usual)
        return parts.task_creation.make(tx, wanted, maker, now())

    task = await scene.host.store.write(story)
    await made_due(scene.host, task.id, None)
    return task


async def ended(scene: PipelineScene, task: Task) -> Run:
    async def look() -> Run | None:
        found = await scene.host.store.read(lambda tx: task_runs.history(tx, task.id, 1))
        return found[0] if found and found[0].finished_at else None

    return await eventually(look)


async def started(scene: PipelineScene, *, than: PipelineRun | None = None) -> PipelineRun:
    """The only one that is newer."""

    async def look() -> PipelineRun | None:
        found = await scene.host.store.read(lambda tx: pipeline_runs.newest(tx, limit=5))
        fresh = [run for run in found if than is None or run.id > than.id]
        assert len(fresh) < 2, "each time starts one"
        return fresh[0] if fresh else None

    return await eventually(look)


async def test_it_starts_one_without_a_card_and_gets_its_result(home: Path, database_url: str) -> None:
    async with pipeline_scene(with_template(home), database_url) as scene:
        task = await due(scene, "/three why otters hold hands", retries=2)
        run = await ended(scene, task)
        made = await started(scene)
        assert (run.status, run.result) == (RunStatus.SUCCESS, "Text of the editor")
        assert (made.status, made.task_id) == (PipelineStatus.DONE, task.id)
        assert made.subject == "why otters hold hands"
        assert made.budget == 400_000, "twice the most that it should cost"
        assert [request.step for request in scene.agent.asked] == [1, 2, 3], "nobody else was asked"

        def read(tx: Tx) -> tuple[Any, ...]:
            told = (tasks.get(tx, task.id) or task).told
            return questions.list_open(tx), closing_of(tx, made.id), told and messages.get(tx, told)

        cards, closing, told = await scene.host.store.read(read)
        assert not cards
        assert "Text of the editor" in told.text, "the agent of the chat knows it too"
        assert run.parcel_id == closing, "its result is in the chat once"

        # The turn that started it is cut off, and runs again.
        parts = scene.host.task_parts.task_pipelines
        found = parts.template_of(task)
        assert found
        await scene.host.store.write(lambda tx: parts.start(tx, task, run, *found, now()))
        assert await started(scene) == made


async def test_who_cancels_the_one_cancels_the_other(home: Path) -> None:
    async with pipeline_scene(with_template(home)) as scene:
        scene.agent.holds(1)
        task = await due(scene, "/three otters")
        made = await started(scene)
        await scene.until_step(made, 1, StepState.RUNNING)
        by, changes = await scene.actor(), scene.host.task_parts.changes
        # While the turn that started it ends, it is this that is stopped.
        await eventually(lambda: _waits(scene, task))
        await scene.host.store.write(lambda tx: changes.cancel(tx, task, by, now()))
        assert (await scene.until(made)).status is PipelineStatus.CANCELLED
        assert (await ended(scene, task)).status is RunStatus.CANCELLED

        other = await due(scene, "/three beavers")
        made = await started(scene, than=made)
        pipelines = scene.host.pipeline_parts.changes
        await scene.host.store.write(lambda tx: pipelines.cancel(tx, made.id, by, now()))
        assert (await ended(scene, other)).status is RunStatus.CANCELLED


async def test_one_that_fails_is_a_failed_run_that_is_not_tried_again(home: Path) -> None:
    async with pipeline_scene(with_template(home)) as scene:
        scene.agent.holds(2)
        task = await due(scene, "/three otters", retries=2)
        made = await started(scene)
        await scene.until_step(made, 2, StepState.RUNNING)
        ends = scene.host.pipeline_parts.changes.run_ends
        why = {"key": "run-skill-gone", "skill": "editor", "step": 2}

        def fail(tx: Tx) -> None:
            found = pipeline_runs.locked(tx, made.id)
            assert found
            ends.end(tx, found, PipelineStatus.FAILED, why, None, now())

        await scene.host.store.write(fail)
        run = await ended(scene, task)
        assert (run.status, run.attempts) == (RunStatus.FAILED, 0)
        assert run.error == why


async def test_a_command_without_a_subject_fails_with_a_sentence(home: Path) -> None:
    async with pipeline_scene(with_template(home)) as scene:
        run = await ended(scene, await due(scene, "/three"))
        assert run.status is RunStatus.FAILED
        assert run.error
        assert run.error["key"] == "run-no-subject"


async def _waits(scene: PipelineScene, task: Task) -> bool | None:
    """The turn is over, and the run waits for the pipeline."""

    def look(tx: Tx) -> bool | None:
        run = task_runs.current(tx, task.id)
        return True if run and run.turn_id else None

    return await scene.host.store.read(look)
