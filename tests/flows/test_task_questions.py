"""Flow F when a run asks a person: its questions end with it, and nothing that it says or does is lost (E7, F6)."""

import asyncio
from collections.abc import AsyncIterator
from datetime import timedelta

import httpx
import pytest
import pytest_asyncio
import sqlalchemy as sa
from tests.question_scene import FREED, YES_NO
from tests.task_scene import NEWS, Tasks, handle, said, task_scene
from tests.telegram_scene import eventually

from nanoclaw.domain.messages import End
from nanoclaw.domain.people import Role
from nanoclaw.domain.questions import Question, Status
from nanoclaw.domain.tasks import RunStatus, Task, TaskStatus
from nanoclaw.durable import people, questions, tasks
from nanoclaw.durable.tables import session_queue

# One host for these tests, where a turn that asks a person ends at once. Every test takes back what it leaves.
pytestmark = [
    pytest.mark.asyncio(loop_scope="module"),
    pytest.mark.capability("F6", "E7"),
]

MONDAYS = {"prompt": "count the stock", "schedule_type": "cron", "schedule_value": "0 8 * * 1"}


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def stage(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Tasks]:
    async with task_scene(tmp_path_factory.mktemp("asks") / "nanoclaw", questions=FREED) as scene:
        yield scene


@pytest_asyncio.fixture(loop_scope="module")
async def here(stage: Tasks) -> AsyncIterator[Tasks]:
    yield await stage.joined()
    await stage.clear_up()


def asks(here: Tasks, question: str, *then: str, when: str = NEWS) -> None:
    """Told `when`, the agent asks this, and then says something."""
    here.agent.does(when, here.agent.call("request_human", question=question, options=YES_NO), *then)


async def asked(here: Tasks, prompt: str) -> Question:
    async def look() -> Question | None:
        found = await here.host.store.read(questions.list_open)
        return next((each for each in found if each.prompt == prompt), None)

    return await eventually(look)


async def stands(here: Tasks, question: Question) -> Status:
    found = await here.host.store.read(lambda tx: questions.get(tx, question.id))
    assert found
    return found.status


async def owner_of(here: Tasks, task: Task) -> str:
    return (await here.host.store.read(lambda tx: people.person(tx, task.owner))).handle


# Its questions end with it


async def test_the_questions_of_a_run_that_failed_are_taken_back_and_the_next_run_delivers(
    here: Tasks,
) -> None:
    task = await here.make(NEWS, retries=0)
    asks(here, "Which of the failed?")
    held = here.agent.holds(NEWS, after=1)
    await here.due(task)
    await held.until_begun()
    question, card = (
        await asked(here, "Which of the failed?"),
        await here.scene.card("Which of the failed?"),
    )
    here.agent.fails(NEWS, times=1)
    held.go_on()
    (run,) = await here.ended(task)
    assert run.status is RunStatus.FAILED
    assert await stands(here, question) is Status.CANCELLED
    await here.scene.settled(card)
    assert await here.press(card, "Yes") != "Noted: Yes"

    here.agent.does(NEWS, "Three things happened.")
    await here.due(task)
    _, second = await here.ended(task, 2)
    assert (second.status, second.result) == (RunStatus.SUCCESS, "Three things happened.")
    await here.says("Three things happened.")
    heard = [each for each in here.agent.heard if "Which of the failed?" in each]
    assert not heard  # the answer that came too late woke nobody


@pytest.mark.capability("O3")
@pytest.mark.parametrize("how", ["fails", "is stopped on the page", "is stopped in a chat", "is deleted"])
async def test_an_open_page_hears_that_a_run_took_its_question_back(here: Tasks, how: str) -> None:
    words, prompt = f"Which when it {how}?", f"{NEWS}, until it {how}"
    task = await here.make(prompt, retries=0)
    asks(here, words, "I have asked.", when=prompt)
    held = here.agent.holds(prompt, after=1) if how == "fails" else None
    await here.due(task)
    if held is None:
        await here.is_at(task, RunStatus.WAITING)
    else:
        await held.until_begun()
    question = await asked(here, words)
    headers = {"authorization": f"Bearer {here.host.token}"}
    async with httpx.AsyncClient(base_url=here.host.url, headers=headers, timeout=60) as page:
        room = (await page.get("/api/rooms")).json()["rooms"][0]["id"]
        async with page.stream("GET", f"/api/rooms/{room}/live") as told:
            lines = told.aiter_lines()
            assert await anext(lines) == ": welcome"
            if how == "fails":
                assert held
                here.agent.fails(prompt, times=1)
                held.go_on()
            elif how == "is stopped on the page":
                assert (await page.post(f"/api/tasks/{task.id}/cancel")).is_success
            elif how == "is deleted":
                assert (await page.delete(f"/api/tasks/{task.id}")).is_success
            else:
                await here.scene.command(here.chat, f"/task_cancel {task.id}")
            async with asyncio.timeout(60):
                wanted = f'{{"id":"{question.id}","status":"cancelled"}}'
                async for line in lines:
                    if line == f"data: {wanted}":
                        break


async def test_the_questions_of_a_task_that_is_deleted_or_stopped_are_taken_back(here: Tasks) -> None:
    for command in ("cancel", "delete"):
        words = f"Which when I {command}?"
        task = await here.make(f"{NEWS} {command}")
        asks(here, words, "I have asked.", when=f"{NEWS} {command}")
        await here.due(task)
        await here.is_at(task, RunStatus.WAITING)
        question, card = await asked(here, words), await here.scene.card(words)
        await here.scene.command(here.chat, f"/task_{command} {task.id}")
        (run,) = await here.ended(task)
        assert run.status is RunStatus.CANCELLED
        assert await stands(here, question) is Status.CANCELLED
        await here.scene.settled(card)


async def test_a_run_that_is_tried_again_keeps_its_question_and_its_answer_ends_it_alone(
    here: Tasks,
) -> None:
    """The answer came while the turn that asked went wrong: it is acted on, and no retry is left behind."""
    task = await here.make(NEWS, retries=2, retry_pause="10m")
    asks(here, "Which before the retry?")
    here.agent.does("chose", "Here they are.")
    held = here.agent.holds(NEWS, after=1)
    await here.due(task)
    await held.until_begun()
    await here.press(await here.scene.card("Which before the retry?"), "Yes")
    here.agent.fails(NEWS, times=1)
    held.go_on()
    (run,) = await here.ended(task)
    assert (run.status, run.attempts, run.result) == (RunStatus.SUCCESS, 1, "Here they are.")
    session = (await here.now(task)).session_id
    query = sa.select(session_queue.c.end).where(session_queue.c.session_id == session)
    ends = await here.host.store.read(lambda tx: list(tx.execute(query).scalars()))
    assert len(ends) == 2
    assert None not in ends

    here.agent.does(NEWS, "And these are new.")
    await here.due(task)
    await here.ended(task, 2)
    assert here.agent.asked[-1].prompt.count(f">{NEWS}</message>") == 1


# What it says


async def test_what_is_said_before_a_question_is_posted_at_once_and_is_all_of_the_result(here: Tasks) -> None:
    task = await here.make(NEWS, retries=0, deliver_by="30m")
    asks(here, "Publish it?", "THE REPORT")
    await here.due(task)
    run = await here.is_at(task, RunStatus.WAITING)
    assert run.result == "THE REPORT"
    await here.says("THE REPORT")
    here.agent.does("chose", "<internal>nothing to add</internal>")
    await here.press(await here.scene.card("Publish it?"), "Yes")
    (run,) = await here.ended(task)
    assert (run.status, run.result) == (RunStatus.SUCCESS, "THE REPORT")
    assert len(said("THE REPORT", here.chat)) == 1
    await here.passes(task, timedelta(minutes=31))  # it was delivered
    await here.looked_at(task)
    assert not await here.told_anywhere(f"Task {task.id} has not delivered")


async def test_one_that_is_to_send_nothing_keeps_what_it_said_before_its_question(here: Tasks) -> None:
    task = await here.make(NEWS, notify=False)
    asks(here, "Keep it?", "A SECRET REPORT")
    here.agent.does("chose", "Kept.")
    await here.due(task)
    await here.is_at(task, RunStatus.WAITING)
    await here.press(await here.scene.card("Keep it?"), "Yes")
    (run,) = await here.ended(task)
    assert run.result == "A SECRET REPORT\n\nKept."
    assert not await here.told_anywhere("SECRET REPORT")


async def test_who_relies_on_a_task_is_told_of_what_was_left_out_because_a_run_waits(here: Tasks) -> None:
    group = await here.group("Team", here.scene.owner)
    task = await here.make(NEWS, chat=group, deliver_by="30m")
    asks(here, "Which at last?", "I have asked.")
    await here.due(task)
    await here.is_at(task, RunStatus.WAITING)
    await here.due(task)
    await here.looked_at(task)
    assert [run.status for run in await here.runs(task)] == [RunStatus.WAITING, RunStatus.SKIPPED]
    await here.passes(task, timedelta(minutes=31))
    await here.says("⏭ skipped. Why: The run before it still went on.")  # alone with its owner
    await here.looked_at(task)
    await here.passes(task, timedelta(hours=1))
    await here.looked_at(task)
    alarms = await here.told_anywhere(f"Task {task.id} has not delivered")
    assert len([each for each in alarms if "skipped" in each]) == 1


# For whom it works


async def test_after_the_decision_of_another_a_run_still_acts_for_the_owner_of_its_task(here: Tasks) -> None:
    mia, mias = await here.meet("Mia", within={"main": Role.MEMBER})
    theirs = await here.make("water the plants")
    task = await here.make(NEWS, owner=handle(mia), chat=mias)
    asks(here, "May Mia?", "I have asked.")
    here.agent.does(
        "chose",
        here.agent.call("schedule_task", **MONDAYS),
        here.agent.call("change_task", task_id=theirs.id, action="delete"),
        here.agent.call("background_task", prompt="dig"),
    )
    here.agent.holds("dig")
    await here.due(task)
    await here.is_at(task, RunStatus.WAITING)
    await here.press(await here.scene.card("May Mia?"), "Yes")  # by an owner of the host
    await here.ended(task)
    made = await _made_after(here, task)
    assert [each.prompt for each in made] == ["count the stock", "dig"]
    assert [await owner_of(here, each) for each in made] == [handle(mia)] * 2
    assert (await here.now(theirs)).status is TaskStatus.ACTIVE


async def test_after_the_decision_of_another_an_agent_still_acts_for_who_spoke_to_it(here: Tasks) -> None:
    mia, mias = await here.meet("Mia", within={"main": Role.MEMBER})
    theirs = await here.make("water the plants")
    asks(here, "May she plan?", "I have asked.", when="plan my week")
    here.agent.does(
        "chose",
        here.agent.call("change_task", task_id=theirs.id, action="delete"),
        here.agent.call("schedule_task", **MONDAYS),
    )
    await mia.says(mias, "plan my week")
    await here.says("I have asked.", mias)
    await here.press(await here.scene.card("May she plan?"), "Yes")
    await here.says("told: Scheduled as task", mias)
    (made,) = await _made_after(here, theirs)
    assert await owner_of(here, made) == handle(mia)
    assert (await here.now(theirs)).status is TaskStatus.ACTIVE


async def _made_after(here: Tasks, task: Task) -> list[Task]:
    alive = await here.host.store.read(tasks.alive)
    return [each for each in alive if each.id > task.id]


async def test_a_run_that_goes_wrong_after_the_answer_is_tried_again_with_the_answer(here: Tasks) -> None:
    task = await here.make(NEWS, retries=1, retry_pause="0")
    asks(here, "Which after all?", "I have asked.")
    here.agent.does("chose", "Here they are.")
    here.agent.fails("chose", times=1)
    await here.due(task)
    await here.is_at(task, RunStatus.WAITING)
    await here.press(await here.scene.card("Which after all?"), "Yes")
    (run,) = await here.ended(task)
    assert (run.status, run.attempts) == (RunStatus.SUCCESS, 1)
    assert run.result == "I have asked.\n\nHere they are."
    assert here.agent.heard.count(NEWS) == 2  # the turn that asked, and not once more


async def test_an_answer_that_a_run_failed_on_is_tried_again_by_nobody(here: Tasks) -> None:
    """The run is over: by its message the agent would act for no run, and what came of it would be lost."""
    task = await here.make(NEWS, retries=0)
    asks(here, "Which in vain?", "I have asked.")
    here.agent.fails("chose", times=1)
    await here.due(task)
    await here.is_at(task, RunStatus.WAITING)
    await here.press(await here.scene.card("Which in vain?"), "Yes")
    (run,) = await here.ended(task)
    assert run.status is RunStatus.FAILED
    await here.says(f"Task {task.id} failed")
    session = (await here.now(task)).session_id
    failed = sa.and_(session_queue.c.session_id == session, session_queue.c.end == End.FAILED.value)
    answer = await here.host.store.read(
        lambda tx: tx.execute(sa.select(session_queue.c.message_id).where(failed)).scalar_one()
    )
    assert not await here.host.inbound.retry(answer)
    await here.scene.ask("hello")
    assert len([heard for heard in here.agent.heard if "chose" in heard]) == 1
