"""Whatever a member starts and however: beyond their limit an admin decides, on a card; and it has a ceiling."""

import asyncio
from collections.abc import Awaitable, Callable
from functools import partial
from pathlib import Path

import pytest
import sqlalchemy as sa
from tests.flows.pipeline_scene import THREE, pipeline_scene
from tests.memory_scene import Memory, memory_scene
from tests.staging import until
from tests.task_agent import TaskAgent

from nanoclaw.domain.errors import Refused
from nanoclaw.domain.people import Actor, Person, Role
from nanoclaw.domain.pipeline_runs import PipelineRun, PipelineRunStatus
from nanoclaw.domain.pipelines import TemplateEstimate
from nanoclaw.domain.questions import Question
from nanoclaw.domain.steps import Returned
from nanoclaw.durable import audit, chains, committed_money, memberships
from nanoclaw.durable.clock import now
from nanoclaw.durable.store import Tx
from nanoclaw.durable.tables import human_interactions, messages
from nanoclaw.flows.human.each_language import prompt_in
from nanoclaw.pipelines.estimates import RunEstimate
from nanoclaw.testing import FarEnd, ModelServer, started_host

pytestmark = [pytest.mark.attack, pytest.mark.capability("E4", "J2")]

_WORK = "count the otters"
_DOLLAR = 1_000_000


async def _says(here: Memory, text: str) -> None:
    await here.far_end.say("chat", text, sender="member")


async def _uses(here: Memory, tool: str, **arguments: object) -> None:
    here.agent.does("please begin", here.agent.call(tool, **arguments), "It is on its way.")
    await _says(here, "please begin")


async def _by_command(here: Memory) -> None:
    await _says(here, f"/three {_WORK}")


async def _by_task(here: Memory) -> None:
    await _says(here, f"/schedule every day at 9:00 {_WORK}")
    await here.far_end.wait_for("chat", 2)
    await _says(here, "/task_run 1")


async def _in_background(here: Memory) -> None:
    await _uses(here, "background_task", prompt=_WORK)


async def _by_handoff(here: Memory) -> None:
    await _uses(here, "handoff", to="editor", content=_WORK, type="callback")


_WAYS: dict[str, Callable[[Memory], Awaitable[None]]] = {
    "pipeline": _by_command,
    "task": _by_task,
    "background": _in_background,
    "handoff": _by_handoff,
}


async def _ready(here: Memory, role: Role = Role.MEMBER) -> Person:
    here.host.home.joinpath("foundation", "process_templates", "three.md").write_text(THREE)
    member = await here.member(role=role)
    await here.say("hello")
    return member


def _press(tx: Tx, here: Memory, question: Question, by: Person, option: str) -> None:
    actor = Actor.of(by, memberships.rights_of(tx, by), via="web", language="en")
    here.host.question_parts.question_decisions.decide(tx, question.id, option, actor, now())


@pytest.mark.parametrize("way", ["task", "background", "handoff"])
@pytest.mark.parametrize("agrees", [True, False], ids=["yes", "no"])
async def test_an_admin_decides_about_what_a_member_starts_beyond_their_limit(
    home: Path, way: str, agrees: bool
) -> None:
    async with memory_scene(home, spending={"member_start": 1, "member_day": 0}) as here:
        member = await _ready(here)
        await _WAYS[way](here)
        question = await here.asked("an admin decides")
        assert "$1.00 at a time" in question.prompt
        assert "With your yes it may cost up to $0" not in question.prompt
        assert "вирішує адміністратор" in prompt_in(question, "uk")
        await until(lambda: any("I have asked an admin" in said for said in here.far_end.said_to("chat")))
        yes = question.options[0].id
        with pytest.raises(Refused, match="question-forbidden"):
            await here.host.store.write(partial(_press, here=here, question=question, by=member, option=yes))
        assert not any(_WORK in heard for heard in here.agent.heard[1:] if "please" not in heard)
        await here.decide(question, yes if agrees else question.options[1].id)
        if agrees:
            await until(lambda: any(_WORK in heard for heard in here.agent.heard))
            chain = next(each.chain_id for each in here.agent.asked if each.chain_id)
            assert await here.host.store.read(lambda tx: chains.budget_of(tx, chain)) is not None
        else:
            await _is_free_again(here, member)
            assert not any(_WORK in heard for heard in here.agent.heard)
        decided = await here.host.store.read(lambda tx: audit.newest(tx, limit=20))
        admin = await here.actor()
        by = {each.handle for each in decided if each.subject == question.id}
        assert by == {admin.handle}


async def test_a_yes_about_a_run_counts_only_for_the_words_on_its_card(home: Path) -> None:
    async with memory_scene(home, spending={"member_day": 0}) as here:
        member = await _ready(here)
        await _by_task(here)
        question = await here.asked("an admin decides")
        assert question.context == {"prompt": _WORK}

        def other_words(tx: Tx) -> None:
            tx.execute(sa.update(messages).where(messages.c.text == _WORK).values(text=f"{_WORK} and seals"))

        await here.host.store.write(other_words)
        await here.decide(question, "approve")
        await _is_free_again(here, member)
        await until(lambda: any("nobody gave it" in said for said in here.far_end.said_to("chat")))
        assert not any(_WORK in heard for heard in here.agent.heard)


async def test_a_yes_where_members_may_spend_nothing_lets_a_run_spend(home: Path) -> None:
    async with (
        FarEnd() as far_end,
        ModelServer("done") as server,
        started_host(
            home,
            agents={"runtime": "native", "sonnet": "paid", "opus": "paid", "haiku": "paid"},
            anthropic={"api_key": server.key, "base_url": server.url},
            prices={"paid": "3/15"},
            scripted={"url": far_end.url},
            spending={"member_start": 0, "member_day": 0},
        ) as host,
    ):
        here = Memory(host, far_end, TaskAgent())
        await _ready(here)
        asked = len(server.asked)
        await _by_task(here)
        await here.decide(await here.asked("an admin decides"), "approve")
        await server.wait_for(asked + 1)


async def _is_free_again(here: Memory, member: Person) -> None:
    async def nothing_open() -> bool:
        return not await here.host.store.read(lambda tx: committed_money.of_person(tx, member.id, "demo"))

    await until(nothing_open)


@pytest.mark.parametrize("way", ["task", "background", "handoff"])
async def test_work_of_an_agent_has_a_ceiling_and_counts_until_it_ends(home: Path, way: str) -> None:
    async with memory_scene(home) as here:
        member = await _ready(here)
        held = here.agent.holds(_WORK)
        await _WAYS[way](here)
        await held.until_begun()

        def look(tx: Tx) -> int:
            return committed_money.of_person(tx, member.id, "demo")

        assert await here.host.store.read(look) == _DOLLAR
        held.go_on()
        await _is_free_again(here, member)


@pytest.mark.parametrize("way", ["pipeline", "task", "background", "handoff"])
async def test_an_admin_has_no_such_limit(home: Path, way: str) -> None:
    async with memory_scene(home, spending={"member_start": 0, "member_day": 0}) as here:
        await _ready(here, Role.ADMIN)
        await _WAYS[way](here)
        if way == "pipeline":
            question = await here.asked(_WORK)
            assert "an admin decides" not in question.prompt
            await here.decide(question, "start")
        await until(lambda: any(_WORK in heard for heard in here.agent.heard))


async def test_a_sub_agent_cannot_wait_for_an_admin_and_its_sender_hears_what_can(home: Path) -> None:
    async with memory_scene(home, spending={"member_day": 0}) as here:
        await _ready(here)
        await _uses(here, "handoff", to="editor", content=_WORK, way="inside")
        await until(lambda: any("It is on its way" in said for said in here.far_end.said_to("chat")))
        replies = [step.text for step in here.agent.steps[-1] if isinstance(step, Returned)]
        assert "callback" in replies[-1]
        assert not any(_WORK in heard for heard in here.agent.heard)


@pytest.mark.parametrize("again", ["in the same turn", "after a no"])
async def test_what_is_handed_over_next_does_not_pass_as_part_of_what_waits_for_an_admin(
    home: Path, again: str
) -> None:
    async with memory_scene(home, spending={"member_day": 0}) as here:
        await _ready(here)
        first = here.agent.call("handoff", to="editor", content="count the seals", type="callback")
        second = here.agent.call("handoff", to="editor", content=_WORK, type="callback")
        if again == "in the same turn":
            here.agent.does("please begin", first, second, "It is on its way.")
        else:
            here.agent.does("please begin", first, "It is on its way.")
            here.agent.does("has no result", second, "Then so.")
        await _says(here, "please begin")
        if again == "after a no":
            await here.decide(await here.asked("an admin decides"), "reject")

        async def both_are_asked() -> bool:
            found = sa.select(sa.func.count()).where(human_interactions.c.prompt.contains("an admin decides"))
            return await here.host.store.read(lambda tx: tx.execute(found).scalar_one()) == 2

        await until(both_are_asked)
        assert not any(_WORK in heard for heard in here.agent.heard)


async def test_a_run_that_an_admin_agreed_to_still_counts_for_its_owner(home: Path) -> None:
    async with memory_scene(home, spending={"member_day": 0}) as here:
        member = await _ready(here)
        await _by_task(here)
        await here.decide(await here.asked("an admin decides"), "approve")
        await until(lambda: any(_WORK in heard for heard in here.agent.heard))
        assert here.agent.asked[-1].person == member.handle


def _estimate(micros: int) -> RunEstimate:
    return RunEstimate(cost=(0, micros), seconds=(1, 1), steps=(), author=TemplateEstimate())


async def test_of_ten_parallel_starts_as_many_run_as_the_day_pays_for(home: Path, database_url: str) -> None:
    async with pipeline_scene(home, database_url) as scene:
        scene.agent.holds(1)
        mia = await scene.member("Mia")
        wanted = [await scene.wanted(THREE, f"otter {number}") for number in range(11)]
        changes = scene.host.pipeline_parts.changes

        async def start(number: int) -> PipelineRun:
            estimate = _estimate(900_000)
            return await scene.host.store.write(
                lambda tx: changes.start(tx, wanted[number], mia, estimate, now())
            )

        runs = await asyncio.gather(*(start(number) for number in range(10)))
        running = [run for run in runs if run.status is PipelineRunStatus.RUNNING]
        assert (len(running), {run.budget for run in running}) == (5, {_DOLLAR})
        assert {run.status for run in runs} == {PipelineRunStatus.RUNNING, PipelineRunStatus.ASKED}
        by = await scene.actor(mia)
        await scene.host.store.write(lambda tx: changes.cancel(tx, running[0].id, by, now()))
        assert (await start(10)).status is PipelineRunStatus.RUNNING


@pytest.mark.parametrize(
    "command", ["/three {}", "/schedule every day at 9:00 /three {}"], ids=["said", "task"]
)
async def test_a_pipeline_that_a_member_starts_in_a_chat_is_for_an_admin(home: Path, command: str) -> None:
    async with (
        FarEnd() as far_end,
        ModelServer("done") as server,
        started_host(
            home,
            agents={"runtime": "native", "sonnet": "paid", "opus": "paid", "haiku": "paid"},
            anthropic={"api_key": server.key, "base_url": server.url},
            prices={"paid": "3/15"},
            scripted={"url": far_end.url},
            spending={"member_start": 0.001},
        ) as host,
    ):
        here = Memory(host, far_end, TaskAgent())
        member = await _ready(here)
        asked = len(server.asked)
        await _says(here, command.format(_WORK))
        if command.startswith("/schedule"):
            await far_end.wait_for("chat", 2)
            await _says(here, "/task_run 1")
        question = await here.asked("an admin decides")
        assert _WORK in question.prompt
        with pytest.raises(Refused, match="question-forbidden"):
            await host.store.write(partial(_press, here=here, question=question, by=member, option="start"))
        assert len(server.asked) == asked
        await here.decide(question, "start")
        await server.wait_for(asked + 1)


@pytest.mark.parametrize("how", ["proposed", "started"])
async def test_a_pipeline_beyond_the_limit_is_for_an_admin(home: Path, how: str) -> None:
    """Proposed: by a command or in plain words. Started: by a task, which has no card of its own."""
    async with pipeline_scene(home) as scene:
        mia = await scene.member("Mia")
        wanted, changes = await scene.wanted(THREE, "otters"), scene.host.pipeline_parts.changes
        begin = changes.propose if how == "proposed" else changes.start
        run = await scene.host.store.write(lambda tx: begin(tx, wanted, mia, _estimate(1_500_000), now()))
        assert (run.status, run.budget) == (PipelineRunStatus.ASKED, 3 * _DOLLAR)
        question = await scene.question(run)
        assert "With your yes it may cost up to $3.00" in question.prompt
        ukrainian = prompt_in(question, "uk")
        assert ukrainian.startswith("Почати ")
        assert "З вашою згодою це може коштувати до $3.00" in ukrainian
        by, decisions = await scene.actor(mia), scene.host.question_parts.question_decisions
        with pytest.raises(Refused, match="question-forbidden"):
            await scene.host.store.write(lambda tx: decisions.decide(tx, question.id, "start", by, now()))
        await scene.decide(question, "start")
        run = await scene.until(run)
        assert run.status is PipelineRunStatus.DONE
        assert await scene.host.store.read(lambda tx: chains.budget_of(tx, run.id)) == 3 * _DOLLAR


async def test_a_run_that_is_repeated_beyond_the_limit_waits_for_an_admin(home: Path) -> None:
    async with pipeline_scene(home, spending={"member_start": 1, "member_day": 1}) as scene:
        mia = await scene.member("Mia")
        run = await scene.until(await scene.start(THREE, by=mia, budget=600_000))
        changes = scene.host.pipeline_parts.changes
        scene.agent.holds(1)
        held = await scene.start(THREE, "seals", by=mia, budget=600_000)
        again = await scene.host.store.write(lambda tx: changes.retry(tx, run.id, mia, now(), note="shorter"))
        assert again.status is PipelineRunStatus.ASKED
        question = await scene.question(again)
        assert "Mia asks" in question.prompt
        assert question.context == {"note": "shorter"}
        scene.agent.lets_go(1)
        await scene.until(held)
        await scene.decide(question, "start")
        assert (await scene.until(again)).status is PipelineRunStatus.DONE


async def test_without_an_estimate_a_member_does_not_start_by_themselves(home: Path) -> None:
    async with pipeline_scene(home) as scene:
        run = await scene.start(THREE, by=await scene.member("Mia"))
        assert (run.status, run.budget) == (PipelineRunStatus.ASKED, 5 * _DOLLAR)
