"""Flow D through the whole host: agents and people do the steps of a template."""

from pathlib import Path

import pytest
from tests.flows.pipeline_scene import APPROVED, THREE, pipeline_scene

from nanoclaw.domain.pipeline_runs import RunStatus, StepState

pytestmark = pytest.mark.capability("D1")


async def test_steps_run_in_order_and_each_is_given_what_the_one_before_made(
    home: Path, database_url: str
) -> None:
    async with pipeline_scene(home, database_url) as scene:
        scene.agent.plays(1, {"text": "Otters hold hands."})
        run = await scene.until(await scene.start(THREE, "otters"))
        assert run.status is RunStatus.DONE
        steps = await scene.steps(run)
        assert [step.state for step in steps] == [StepState.DONE] * 3
        assert [step.attempt for step in steps] == [1, 1, 1]
        first, second, third = (scene.agent.requests(number)[0] for number in (1, 2, 3))
        assert "<subject>otters</subject>" in first.prompt
        assert "Otters hold hands." in second.prompt
        assert "Otters hold hands." not in third.prompt
        assert [each.skill for each in (first, second, third)] == [
            "topic-researcher",
            "outline-architect",
            "editor",
        ]
        assert [each.history for each in (first, second, third)] == [(), (), ()]
        assert {each.session_id for each in (first, second, third)} == {run.session_id}


async def test_a_person_approves_changes_or_cancels(home: Path) -> None:
    async with pipeline_scene(home) as scene:
        run = await scene.start(APPROVED)
        question = await scene.question(run)
        assert "Text of the copywriter" in question.prompt
        await scene.decide(question, "edit", "Shorter, please.")
        again = await scene.question(run, not_this=question)
        assert scene.agent.times(1) == 2
        assert "Shorter, please." in scene.agent.requests(1)[1].prompt
        await scene.decide(again, "approve")
        assert (await scene.until(run)).status is RunStatus.DONE
        assert scene.agent.times(3) == 1
