"""Flow F: the moment of a task comes, it runs as a turn of its own, and its result is in the chat (SPEC F1, F2)."""

import asyncio
from collections.abc import AsyncIterator
from datetime import timedelta

import pytest
import pytest_asyncio
from tests.question_scene import YES_NO
from tests.task_scene import NEWS, Tasks, handle, said, task_scene
from tests.telegram_scene import eventually, shown

from nanoclaw.domain.locale import Locale
from nanoclaw.domain.people import Role
from nanoclaw.domain.questions import Question
from nanoclaw.domain.tasks import RunStatus, TaskStatus
from nanoclaw.durable import questions, work
from nanoclaw.durable.why import explain
from nanoclaw.flows.tasks.run_start import spread

# One host for these tests, where a turn that asks a person ends at once. Every test takes back what it leaves.
pytestmark = [
    pytest.mark.asyncio(loop_scope="module"),
    pytest.mark.capability("F1"),
]


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def stage(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Tasks]:
    home = tmp_path_factory.mktemp("schedule") / "nanoclaw"
    async with task_scene(home, questions={"hold_minutes": 0.0001, "grace_seconds": 0}) as tasks:
        yield tasks


@pytest_asyncio.fixture(loop_scope="module")
async def here(stage: Tasks) -> AsyncIterator[Tasks]:
    yield await stage.joined()
    await stage.clear_up()


async def test_a_task_that_is_due_runs_in_a_session_of_its_own_and_its_result_is_in_the_chat(
    here: Tasks,
) -> None:
    task = await here.schedule(f"every monday 8:00 {NEWS}")
    here.agent.does(NEWS, "Three things happened.")
    await here.scene.ask("the weather is a secret")
    await here.due(task)
    (run,) = await here.ended(task)
    result = await here.says("Three things happened.")
    assert result.text == f"Three things happened.\n\nTask {task.id}: {task.title}"
    foot = [each for each in result.entities if each["type"] == "italic"]
    assert [each["length"] for each in foot] == [len(f"Task {task.id}: {task.title}")]

    assert (run.status, run.reason, run.attempts) == (RunStatus.SUCCESS, "schedule", 0)
    assert (run.result, run.error) == ("Three things happened.", None)
    assert run.started_at
    assert run.finished_at
    assert run.duration_ms == round((run.finished_at - run.started_at).total_seconds() * 1000)
    after = await here.now(task)
    assert (after.status, after.run_count, after.failures) == (TaskStatus.ACTIVE, 1, 0)
    assert after.last_run_at
    assert after.next_run_at == task.next_run_at  # the moment that follows
    asked = here.agent.asked[-1]
    assert asked.is_unattended
    assert asked.session_id == after.session_id
    assert after.session_id
    assert await here.lane_of(after) == work.RUN
    assert f"This is task {task.id}, which was due" in asked.prompt
    assert "secret" not in f"{asked.prompt} {asked.history}"  # it knows nothing of the conversation


async def test_a_run_knows_nothing_of_the_run_before_it(here: Tasks) -> None:
    task = await here.make(NEWS)
    here.agent.does(NEWS, "the first result")
    for count in (1, 2):
        await here.due(task)
        await here.ended(task, count)
    assert here.agent.asked[-1].history == ()
    assert "the first result" not in here.agent.asked[-1].prompt


async def test_the_agent_of_the_chat_knows_of_the_result_in_its_next_turn(here: Tasks) -> None:
    task = await here.make(NEWS)
    here.agent.does(NEWS, "Bees were seen.")
    await here.due(task)
    await here.says("Bees were seen.")
    asked = len(here.agent.asked)
    await here.scene.ask("tell me more about that")
    assert len(here.agent.asked) == asked + 1  # the result itself woke nobody
    prompt = here.agent.asked[-1].prompt
    assert (
        f'Task {task.id} ("{NEWS}") was run, and this result was sent to the chat:\nBees were seen.' in prompt
    )
    await here.scene.ask("and now?")
    assert "Bees were seen." not in here.agent.asked[-1].prompt.partition("<messages>")[2]


async def test_the_result_comes_to_the_topic_where_the_task_was_made(here: Tasks) -> None:
    forum = await here.group("Forum", here.scene.owner, forum=True)
    reports, other = forum.topic("Reports"), forum.topic("Other")
    task = await here.schedule(f"every monday 8:00 {NEWS}", chat=forum, topic=reports)
    assert task.thread == str(reports.id)
    assert (await here.card(task, forum)).topic == reports.id
    await here.due(task)
    assert (await here.says(f"heard {NEWS}", forum)).topic == reports.id
    # There the agent knows of it, and in the other topic not.
    for topic, knows in ((other, False), (reports, True)):
        before = forum.answers
        await here.scene.owner.says(forum, "@helper_bot what was that?", topic=topic)
        await forum.wait_for(before + 1)
        assert (f'Task {task.id} ("{NEWS}") was run' in here.agent.asked[-1].prompt) is knows


async def test_a_task_that_need_not_notify_keeps_its_result_and_sends_nothing(here: Tasks) -> None:
    task = await here.make(NEWS, notify=False)
    here.agent.does(NEWS, "All is well.")
    before = here.chat.answers
    await here.due(task)
    (run,) = await here.ended(task)
    assert (run.status, run.result, run.parcel_id) == (RunStatus.SUCCESS, "All is well.", None)
    assert "kept, and not sent to the chat" in here.agent.asked[-1].prompt
    await here.scene.ask("hello")  # whatever would have been sent is there before this answer
    assert here.chat.answers == before + 1
    assert "All is well." not in here.agent.asked[-1].prompt


async def test_a_run_that_has_nothing_to_tell_sends_nothing(here: Tasks) -> None:
    task = await here.make(NEWS)
    here.agent.does(NEWS, "<internal>nothing new</internal>")
    before = here.chat.answers
    await here.due(task)
    (run,) = await here.ended(task)
    assert (run.status, run.result, run.parcel_id) == (RunStatus.SUCCESS, "", None)
    await here.scene.ask("hello")
    assert here.chat.answers == before + 1


async def test_what_is_to_be_done_once_is_done_and_completed(here: Tasks) -> None:
    task = await here.schedule("in 2 hours call the bank")
    await here.passes(task, timedelta(hours=2))
    (run,) = await here.ended(task)
    assert run.status is RunStatus.SUCCESS
    assert (await here.becomes(task, TaskStatus.COMPLETED)).next_run_at is None
    card = await here.card_says(task, "is done")
    await here.chat.wait_until(lambda: not shown(card).buttons)


async def test_an_interval_keeps_its_distance_whenever_its_runs_end(here: Tasks) -> None:
    task = await here.make(NEWS, when="every 2 hours")
    began = task.schedule.anchor
    await here.passes(task, timedelta(hours=2, minutes=7))
    await here.ended(task)
    after = await here.now(task)
    assert after.next_run_at == began - timedelta(hours=2, minutes=7) + timedelta(hours=4)


async def test_a_run_works_for_its_owner_on_the_clock_of_the_task(here: Tasks) -> None:
    mia, mias = await here.meet("Mia", within={"main": Role.MEMBER})
    task = await here.make(
        NEWS, owner=handle(mia), chat=mias, when="every sunday 3:00", timezone="Asia/Tokyo"
    )
    await here.due(task)
    await here.says(f"heard {NEWS}", mias)
    prompt = here.agent.asked[-1].prompt
    assert '<context timezone="Asia/Tokyo"' in prompt
    assert 'sender="Mia"' in prompt


@pytest.mark.capability("A15")
async def test_why_tells_how_a_run_came_to_its_end(here: Tasks) -> None:
    task = await here.make(NEWS)
    await here.due(task)
    (run,) = await here.ended(task)
    told = await here.host.store.read(lambda tx: explain(tx, run.message_id or "", Locale()))
    assert told
    assert f"Task {task.id} was due" in [step.sentence for step in told.steps]
    assert told.state == "answered"


@pytest.mark.capability("F4")
async def test_jitter_spreads_the_start_by_the_same_span_each_time_it_is_asked(here: Tasks) -> None:
    jitter = timedelta(hours=2)
    starts = set()
    for number in range(4):
        task = await here.make(f"{NEWS} {number}", jitter="2h")
        await here.due(task)
        run = await here.is_at(task, RunStatus.QUEUED)
        begins = run.run_at + spread(task, run.run_at)
        assert timedelta() <= begins - run.run_at < jitter
        assert await here.begins_at(task) == (work.RUN, begins)
        starts.add(begins - run.run_at)
    assert len(starts) == 4
    assert not [heard for heard in here.agent.heard if NEWS in heard]


@pytest.mark.capability("E7")
async def test_a_run_that_asks_a_person_stays_open_and_ends_after_the_answer(here: Tasks) -> None:
    task = await here.make(NEWS)
    call = here.agent.call("request_human", question="Which news?", options=YES_NO)
    here.agent.does(NEWS, call, "I have asked.")
    here.agent.does("chose", "Here they are.")
    await here.due(task)
    run = await here.is_at(task, RunStatus.WAITING)
    await here.says("I have asked.")  # what it said before is often what the question is about
    assert not said("Here they are.", here.chat)
    assert (await here.now(task)).status is TaskStatus.ACTIVE

    async def look() -> Question | None:
        found = await here.host.store.read(questions.list_open)
        return next((each for each in found if each.prompt == "Which news?"), None)

    question = await eventually(look)
    card = await here.scene.card("Which news?")
    assert await here.press(card, "Yes") == "Noted: Yes"
    (ended,) = await here.ended(task)
    assert (ended.id, ended.status) == (run.id, RunStatus.SUCCESS)
    assert ended.result == "I have asked.\n\nHere they are."
    assert (await here.says("Here they are.")).text.endswith(f"Task {task.id}: {task.title}")
    assert ended.started_at == run.started_at
    answered = await here.host.store.read(lambda tx: questions.get(tx, question.id))
    assert answered
    assert answered.session_id == (await here.now(task)).session_id


async def test_stop_in_the_chat_leaves_a_task_alone_and_its_own_stop_ends_it(here: Tasks) -> None:
    task = await here.schedule(f"every monday 8:00 {NEWS}")
    held = here.agent.holds(NEWS)
    await here.due(task)
    await asyncio.wait_for(held.begun.wait(), 60)
    await here.scene.command(here.chat, "/stop")
    assert (await here.runs(task))[0].status is RunStatus.RUNNING
    assert "is stopped" in await here.scene.command(here.chat, f"/task_cancel {task.id}")
    (run,) = await here.ended(task)
    assert run.status is RunStatus.CANCELLED
    after = await here.now(task)
    assert (after.status, after.failures) == (TaskStatus.ACTIVE, 0)
    held.go_on()
    await here.scene.ask("hello")
    assert not said(f"heard {NEWS}", here.chat)


async def test_run_now_does_it_besides_its_own_times(here: Tasks) -> None:
    task = await here.schedule(f"every monday 8:00 {NEWS}")
    held = here.agent.holds(NEWS)
    card = await here.card(task)
    assert await here.press(card, "⚡ Run now") == "Taken."
    await asyncio.wait_for(held.begun.wait(), 60)
    again = await here.press(shown(card), "⚡ Run now")
    assert (
        again
        == f"Task {task.id} is being done right now. Wait for it, or stop it with /task_cancel {task.id}."
    )
    held.go_on()
    (run,) = await here.ended(task)
    assert (run.status, run.reason) == (RunStatus.SUCCESS, "manual")
    assert (await here.now(task)).next_run_at == task.next_run_at
    await here.says(f"heard {NEWS}")


async def test_a_paused_task_can_be_run_now_and_stays_paused(here: Tasks) -> None:
    task = await here.schedule(f"every monday 8:00 {NEWS}")
    await here.press(await here.card(task), "⏸ Pause")
    await here.press(await here.card_says(task, "is paused"), "⚡ Run now")
    (run,) = await here.ended(task)
    assert run.status is RunStatus.SUCCESS
    assert (await here.now(task)).status is TaskStatus.PAUSED


async def test_deleting_a_task_ends_what_it_does(here: Tasks) -> None:
    task = await here.schedule(f"every monday 8:00 {NEWS}")
    held = here.agent.holds(NEWS)
    await here.due(task)
    await asyncio.wait_for(held.begun.wait(), 60)
    await here.scene.command(here.chat, f"/task_delete {task.id}")
    (run,) = await here.ended(task)
    assert run.status is RunStatus.CANCELLED

    assert (await here.now(task)).status is TaskStatus.DELETED
    held.go_on()
    await here.scene.ask("hello")
    assert not said(f"heard {NEWS}", here.chat)
