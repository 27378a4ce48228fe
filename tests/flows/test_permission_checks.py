"""E12, F7: the check of a task is a command: a rule about commands holds for it when it is set, and when it runs."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.permission_scene import AT_ONCE, Agent, Desk, desk
from tests.task_scene import made_due
from tests.telegram_scene import eventually

from nanoclaw.client.connection import Address
from nanoclaw.client.tasks import TaskClient
from nanoclaw.domain.questions import Question
from nanoclaw.domain.steps import ModelPiece
from nanoclaw.domain.tasks import Run, RunStatus, Task
from nanoclaw.domain.turns import TurnRequest
from nanoclaw.durable import permits, task_runs, tasks
from nanoclaw.durable.clock import now
from nanoclaw.testing import FarEnd, started_host

pytestmark = [pytest.mark.capability("E12", "F7"), pytest.mark.attack]

TOUCH = {"tool": "bash", "pattern": "touch"}
WEEKLY = {"schedule_type": "cron", "schedule_value": "0 3 * * 0", "prompt": "water the flowers"}
CHECK = "touch checked"


class Planner(Agent):
    """It does its one thing for people; of a task it only says that it was done."""

    def _pieces(self, request: TurnRequest) -> Iterator[str | ModelPiece]:
        if request.is_unattended:
            yield "watered"
        else:
            yield from super()._pieces(request)


def shown(question: Question) -> str:
    assert question.tool is not None
    return str(question.tool["shown"])


def options(question: Question) -> list[str]:
    return [option.id for option in question.options]


async def newest(here: Desk) -> Task:
    found = await here.host.store.read(lambda tx: tasks.alive(tx))
    return found[-1]


async def runs(here: Desk, task: Task) -> list[Run]:
    return await here.host.store.read(lambda tx: task_runs.history(tx, task.id, 10))


async def ended(here: Desk, task: Task, count: int) -> Run:
    """Its newest run, once so many are over."""

    async def look() -> Run | None:
        found = await runs(here, task)
        return found[0] if sum(not run.status.is_open for run in found) >= count else None

    return await eventually(look)


async def waiting(here: Desk, task: Task) -> Run:
    async def look() -> Run | None:
        newest = (await runs(here, task))[0]
        return newest if newest.status is RunStatus.WAITING else None

    return await eventually(look)


async def take_back(here: Desk) -> None:
    for permit in await here.permits():
        await here.host.store.write(lambda tx, permit=permit: permits.revoke(tx, permit.id, now()))  # type: ignore[misc]


async def test_a_check_waits_for_a_person_before_there_is_a_task_at_all(home: Path) -> None:
    async with desk(home, Planner("schedule_task", **WEEKLY, check=CHECK), TOUCH) as here:
        await here.far_end.say("chat", "go")
        asked = await here.asked()
        card = await here.says("touch checked")
        assert "as the check of a task: it runs by itself" in card
        assert options(asked) == ["always", "reject"]
        assert await here.host.store.read(lambda tx: tasks.alive(tx)) == []
        await here.decide(asked, "reject")
        await here.says("told: Not done")
        assert await here.host.store.read(lambda tx: tasks.alive(tx)) == []
        assert not (home / "groups/main/files/checked").exists()


async def test_a_check_that_was_allowed_runs_until_the_permit_is_taken_back(home: Path) -> None:
    checked = home / "groups/main/files/checked"
    agent = Planner("schedule_task", **WEEKLY, check=CHECK)
    async with desk(home, agent, TOUCH, **AT_ONCE) as here:
        await here.far_end.say("chat", "go")
        await here.says("told: Not done yet")
        await here.decide(await here.asked(), "always")
        await here.says("told: Scheduled as task")
        assert "touch checked" in await here.says("Before each run this command decides")
        task = await newest(here)
        await made_due(here.host, task.id)
        assert (await ended(here, task, 1)).status is RunStatus.SUCCESS
        assert (checked.exists(), await here.count()) == (True, 1)
        # It is valid when it runs, or it is asked about then; the run waits, and the agent knows of nothing.
        checked.unlink()
        await take_back(here)
        heard = len(agent.asked)
        await made_due(here.host, task.id)
        asked = await here.asked()
        assert options(asked) == ["once", "session", "always", "reject"]
        assert "as the check of a task" in shown(asked)
        await waiting(here, task)
        assert (checked.exists(), len(agent.asked)) == (False, heard)
        await here.decide(asked, "once")
        assert (await ended(here, task, 2)).status is RunStatus.SUCCESS
        assert checked.exists()
        prompt = agent.asked[-1].prompt
        assert ("water the flowers" in prompt, "You asked" in prompt) == (True, False)


async def test_a_check_that_is_rejected_when_it_runs_ends_the_run_as_failed(home: Path) -> None:
    agent = Planner("schedule_task", **WEEKLY, check=CHECK)
    async with desk(home, agent, TOUCH) as here:
        await here.far_end.say("chat", "go")
        await here.decide(await here.asked(), "always")
        await here.says("told: Scheduled as task")
        task = await newest(here)
        await take_back(here)
        await made_due(here.host, task.id)
        await here.decide(await here.asked(), "reject")
        run = await ended(here, task, 1)
        assert (run.status, run.error and run.error["key"]) == (RunStatus.FAILED, "check-forbidden")
        assert not (home / "groups/main/files/checked").exists()
        await here.says("The check of the task was not run")


async def test_a_check_that_a_person_wrote_and_a_script_that_was_edited_are_asked_about_when_they_run(
    home: Path,
) -> None:
    files = home / "groups/main/files"
    agent = Planner("schedule_task", **WEEKLY)
    async with desk(home, agent, {"tool": "bash", "pattern": "look.sh"}) as here:
        await here.far_end.say("chat", "go")
        await here.says("told: Scheduled as task")
        task = await newest(here)
        files.mkdir(exist_ok=True)
        (files / "look.sh").write_text("touch looked")
        async with TaskClient(Address(url=here.host.url, token=here.host.token)) as client:
            await client.edit(str(task.id), {"check": "sh look.sh"})
        await made_due(here.host, task.id)
        asked = await here.asked()
        assert "/work/look.sh" in shown(asked)
        await here.decide(asked, "always")
        assert (await ended(here, task, 1)).status is RunStatus.SUCCESS
        assert (files / "looked").exists()
        (files / "look.sh").write_text("touch evil")
        await made_due(here.host, task.id)
        await here.decide(await here.asked(), "reject")
        assert (await ended(here, task, 2)).status is RunStatus.FAILED
        assert not (files / "evil").exists()


@pytest.mark.parametrize(
    "said", ["$ touch forbidden", "& $ touch forbidden", "@ every sunday 3:00 | $ touch forbidden"]
)
async def test_the_demo_agent_asks_now_in_the_background_and_when_a_task_is_due(
    said: str, home: Path
) -> None:
    async with (
        FarEnd() as far_end,
        started_host(home, scripted={"url": far_end.url}, demo={"pace": 0}, approvals=[TOUCH]) as host,
    ):
        here = Desk(host=host, far_end=far_end)
        await far_end.say("chat", said)
        if said.startswith("@"):
            await here.says("Task 1")
            await made_due(host, 1)
        asked = await here.asked()
        assert shown(asked) == "command: touch forbidden"
        await here.decide(asked, "reject")
        await here.says("Not done")
        assert not (home / "groups/main/files/forbidden").exists()
