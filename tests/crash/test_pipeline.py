"""The host is killed again and again while a pipeline runs: no finished step runs twice, no question is asked twice."""

import asyncio
import os
import signal
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from tests.flows.pipeline_scene import PipelineScene, pipeline_scene
from tests.loaded import LOADED

from nanoclaw.domain.pipeline_runs import PipelineRun, PipelineRunStatus, StepState
from nanoclaw.domain.tool_requests import ToolReply
from nanoclaw.durable import pipeline_runs
from nanoclaw.durable.store import Tx
from nanoclaw.durable.tables import human_interactions, parcels
from nanoclaw.flows.pipelines.progress import RunProgress, RunState
from nanoclaw.flows.pipelines.step_tools import StepTools

pytestmark = pytest.mark.capability("D1", "L3")

TEMPLATE = """# Killed
## Trigger: /killed
## Steps:
1. copywriter
2. HITL | type: approval | timeout: 7d
3. editor | type: container
"""
HANDED_IN, TAKEN_UP, ASKED, DECIDED, WRITTEN = "handed in", "taken up", "asked", "decided", "written"
DURING = "during step 1"
LIVES = (DURING, HANDED_IN, TAKEN_UP, ASKED, DECIDED, WRITTEN)


def _die(*_: object) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


async def the_run(scene: PipelineScene) -> PipelineRun:
    def look(tx: Tx) -> PipelineRun | None:
        return next(iter(pipeline_runs.newest(tx, ["demo"])), None)

    found = await scene.host.store.read(look)
    return found or await scene.start(TEMPLATE, "killed")


async def _live(home: Path, url: str, until: str) -> None:
    """One life of the host: it continues the run, or begins it, and is killed at this moment."""
    async with pipeline_scene(home, url) as scene:
        if until.startswith("during"):
            scene.agent.called = lambda step: _die() if step == int(until[-1]) else None
        if until == WRITTEN:
            write = scene.host.pipeline_parts.story.outputs.write
            object.__setattr__(scene.host.pipeline_parts.story, "outputs", _DiesAfter(write))
        run = await the_run(scene)
        if until == ASKED:
            await scene.question(run)
            _die()
        if until == DECIDED:
            await scene.decide(await scene.question(run), "approve")
            _die()
        await asyncio.Event().wait()


class _DiesAfter:
    """The files are written, and nothing says so yet."""

    def __init__(self, write: Callable[..., Awaitable[None]]) -> None:
        self._write = write

    async def write(self, *given: Any) -> None:
        await self._write(*given)
        _die()


def life(home: Path, url: str, until: str) -> None:
    """In a process of its own. What is patched is only where it dies."""
    if until == HANDED_IN:
        finish = StepTools.finish

        async def finish_and_die(self: StepTools, *given: Any) -> ToolReply:
            await finish(self, *given)
            _die()
            raise AssertionError

        StepTools.finish = finish_and_die  # type: ignore[method-assign, assignment]
    if until == TAKEN_UP:
        go_on = RunProgress.go_on

        def go_on_and_die(self: RunProgress, tx: Tx, run_id: str, at: Any) -> RunState:
            look = go_on(self, tx, run_id, at)
            if look.steps[0].state is StepState.DONE:
                _die()  # before the commit
            return look

        RunProgress.go_on = go_on_and_die  # type: ignore[method-assign]
    asyncio.run(_live(home, url, until))


async def died(home: Path, url: str, until: str) -> None:
    process = LOADED.Process(target=life, args=(home, url, until), daemon=True)
    process.start()
    await asyncio.to_thread(process.join, 60)
    assert process.exitcode == -signal.SIGKILL, until


async def test_killed_at_every_turn_of_a_run(home: Path, database_url: str) -> None:
    for until in LIVES:
        await died(home, database_url, until)
    async with pipeline_scene(home, database_url) as scene:
        run = await scene.until(await the_run(scene))
        assert run.status is PipelineRunStatus.DONE
        assert await scene.states(run) == ["done"] * 3
        assert [step.attempt for step in await scene.steps(run)] == [1, 0, 1]
        # A call that was cut off is made again, one whose result is stored is not.
        assert scene.agent.logged(1) == 2

        def count(tx: Tx) -> tuple[int, int]:
            asked = tx.execute(sa.select(sa.func.count()).select_from(human_interactions)).scalar_one()
            origin = parcels.c.origin.like(f"outputs {run.id}%")
            sent = tx.execute(sa.select(sa.func.count()).select_from(parcels).where(origin)).scalar_one()
            return asked, sent

        asked, sent = await scene.host.store.read(count)
        assert asked == 1
        assert sent == 2  # the text, and the last word


STEPS = "1. editor\n2. copywriter | with: 1\n3. editor\n4. copywriter\n"


async def test_two_hosts_share_the_steps_of_a_run(tmp_path: Path, postgres_url: str) -> None:
    """Each has one place: of two steps that run at once, each host does one. The other goes on when one is gone."""
    template = f"# Shared\n## Trigger: /shared\n## Steps:\n{STEPS}"
    one_place = {"pipelines": {"concurrent": 1}}
    second = pipeline_scene(tmp_path / "b" / "nanoclaw", postgres_url, **one_place)
    async with pipeline_scene(tmp_path / "a" / "nanoclaw", postgres_url, **one_place) as here:
        async with second as there:
            for scene in (here, there):
                scene.agent.holds(1)
                scene.agent.holds(2)
            run = await here.start(template, "shared")
            await asyncio.gather(here.agent.wait_for_calls(1), there.agent.wait_for_calls(1))
            assert {scene.agent.asked[0].step for scene in (here, there)} == {1, 2}
            for scene in (here, there):
                scene.agent.lets_go(1)
                scene.agent.lets_go(2)
            await here.until_step(run, 2, StepState.DONE)
            await here.until_step(run, 1, StepState.DONE)
        run = await here.until(run)
        assert run.status is PipelineRunStatus.DONE
        assert {request.step for scene in (here, there) for request in scene.agent.asked} == {1, 2, 3, 4}
        assert [step.attempt for step in await here.steps(run)] == [1, 1, 1, 1]
