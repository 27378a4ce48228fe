"""Flow F, work that takes hours: accepted at once, done apart, and its result brought back (SPEC F5)."""

import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
import sqlalchemy as sa
from tests.task_scene import NEWS, Tasks, cards_of, said, task_scene
from tests.telegram_scene import eventually, shown

from nanoclaw.domain.people import Role
from nanoclaw.domain.schedules import ScheduleType
from nanoclaw.domain.tasks import Priority, RunStatus, Task, TaskKind, TaskStatus
from nanoclaw.durable import work
from nanoclaw.durable.clock import now
from nanoclaw.durable.tables import scheduled_tasks
from nanoclaw.flows.turns import progress_message
from nanoclaw.testing.telegram.chats import Chat

# One host for these tests, with one place for background work and one for what is scheduled.
pytestmark = [
    pytest.mark.asyncio(loop_scope="module"),
    pytest.mark.capability("F5"),
]

AUDIT = "audit all competitors"


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def stage(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Tasks]:
    home = tmp_path_factory.mktemp("background") / "nanoclaw"
    async with task_scene(home, tasks={"background": 1, "concurrent": 1, "retry_seconds": 0}) as tasks:
        yield tasks


@pytest_asyncio.fixture(loop_scope="module")
async def here(stage: Tasks) -> AsyncIterator[Tasks]:
    yield await stage.joined()
    await stage.clear_up()


async def hand_over(here: Tasks, prompt: str = AUDIT, *, chat: Chat | None = None, **more: Any) -> Task:
    """The agent of this chat hands it over; the task, once it is accepted."""
    told = await here.use("background_task", prompt=prompt, chat=chat, **more)
    task = await here.newest()
    assert task
    assert told.startswith(f"Accepted as task {task.id}. It runs in a box of its own.")
    await here.card(task, chat)
    return task


def result_file(here: Tasks, task: Task) -> Path:
    """In the folder of the session that handed it over."""
    assert task.asked_by
    folder = here.host.home / "groups" / task.group / "ipc" / task.asked_by
    return folder / "results" / f"task-{task.id}.json"


async def filed(here: Tasks, task: Task) -> dict[str, Any]:
    file = result_file(here, task)

    async def look() -> dict[str, Any] | None:
        return json.loads(file.read_text("utf-8")) if file.exists() else None

    return await eventually(look)


async def test_background_task_is_created_as_a_once_type_scheduled_task(here: Tasks) -> None:
    held = here.agent.holds(AUDIT)
    task = await hand_over(here, estimated_minutes=30, priority="low")
    query = sa.select(scheduled_tasks).where(scheduled_tasks.c.id == task.id)
    row = await here.host.store.read(lambda tx: tx.execute(query).one())
    assert (row.schedule_type, row.kind, row.status) == ("once", "background", "active")
    assert (row.prompt, row.estimated_minutes, row.priority) == (AUDIT, 30, "low")
    assert (task.schedule.type, task.kind, task.priority) == (
        ScheduleType.ONCE,
        TaskKind.BACKGROUND,
        Priority.LOW,
    )
    await held.until_begun()
    run = await here.is_at(task, RunStatus.RUNNING)
    assert run.reason == "background"
    assert (now() - run.run_at).total_seconds() < 30
    task = await here.now(task)
    assert task.session_id
    assert await here.lane_of(task) == work.BACKGROUND
    assert task.session_id != task.asked_by


async def test_it_is_accepted_at_once_with_the_time_it_will_take(here: Tasks) -> None:
    held = here.agent.holds(AUDIT)
    task = await hand_over(here, estimated_minutes=30)
    card = await here.card(task)
    assert card.text == f"⏳ Task {task.id} accepted. About 30 min.\n\n{AUDIT}"
    assert card.labels == ["✖️ Stop it"]
    held.go_on()
    # The agent that handed it over has answered, and does not wait.
    assert said("told: Accepted as task", here.chat)


async def test_what_it_is_at_is_told_in_its_one_message(here: Tasks, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress_message, "_EVERY", 0.0)  # else it is told every ten seconds
    held = here.agent.holds(AUDIT, after=1)
    here.agent.does(AUDIT, here.agent.call("list_tasks"), "They are fine.")
    task = await hand_over(here)
    await held.until_begun()
    card = await here.card_says(task, "has been at it for")
    assert "list_tasks" in card.text
    assert AUDIT in card.text
    assert card.labels == ["✖️ Stop it"]
    held.go_on()
    done = await here.card_says(task, "is done after")
    assert done.id == card.id
    assert AUDIT in await here.scene.settled(done)
    await here.says("They are fine.")
    assert not [text for text in here.chat.texts() if "accepted." in text or "has been at it" in text]


async def test_completion_notification_is_sent_to_the_correct_thread(here: Tasks) -> None:
    forum = await here.group("Forum", here.scene.owner, forum=True)
    here_topic, reports = forum.topic("Talk"), forum.topic("Reports")
    here.agent.does(AUDIT, "They sleep.")
    assert "Nothing was ever said in a thread" in await here.use(
        "background_task", prompt=AUDIT, chat=forum, topic=here_topic, notify_thread_id=reports.id
    )
    await here.scene.dropped(await here.scene.owner.says(forum, "reports come here", topic=reports))
    task = await hand_over(here, chat=forum, topic=here_topic, notify_thread_id=reports.id)
    result = await here.says("They sleep.", forum)
    assert result.text == f"✅ Task {task.id}: {AUDIT}\n\nThey sleep."
    assert result.topic == reports.id
    # Left out, it is the thread where it was handed over.
    here.agent.does("once more", "They wake.")
    await hand_over(here, "once more", chat=forum, topic=here_topic)
    assert (await here.says("They wake.", forum)).topic == here_topic.id


async def test_result_file_is_written_to_the_results_directory(here: Tasks) -> None:
    here.agent.does(AUDIT, "They sleep. Їх троє.")
    task = await hand_over(here)
    written = await filed(here, task)
    (run,) = await here.ended(task)
    assert (written["task_id"], written["status"], written["error"]) == (task.id, "success", None)
    assert (written["result"], written["prompt"]) == ("They sleep. Їх троє.", AUDIT)
    assert (written["run_id"], written["duration_ms"]) == (run.id, run.duration_ms)
    assert result_file(here, task).stat().st_mode & 0o777 == 0o644
    assert not list(result_file(here, task).parent.glob(".*"))
    await here.looked_at(task)
    assert (await here.runs(task))[0].filed_at


async def test_the_agent_that_asked_can_read_the_result_in_its_box_while_it_still_runs(here: Tasks) -> None:
    here.agent.does(AUDIT, "They sleep.")
    here.agent.does(
        "hand it over",
        here.agent.call("background_task", prompt=AUDIT),
        here.agent.call("bash", command="cat /ipc/results/task-*.json; echo x > /ipc/results/task-0.json"),
    )
    held = here.agent.holds("hand it over", after=1)
    await here.scene.owner.says(here.chat, "hand it over and wait")
    await held.until_begun()
    task = await here.newest()
    assert task
    await filed(here, task)
    held.go_on()
    answer = (await here.says("told: ")).text
    assert '"result": "They sleep."' in answer
    assert "Read-only file system" in answer or "Permission denied" in answer


async def test_a_skill_spawns_a_background_task_which_completes_and_notifies(here: Tasks) -> None:
    here.agent.does(AUDIT, "Three of them, and they sleep.")
    task = await hand_over(here, skill="news-curator", estimated_minutes=5)
    result = await here.says("Three of them, and they sleep.")
    (run,) = await here.ended(task)
    assert (run.status, run.result) == (RunStatus.SUCCESS, "Three of them, and they sleep.")
    assert run.duration_ms is not None
    assert [asked.skill for asked in here.agent.asked if asked.is_unattended][-1] == "news-curator"
    assert (await here.becomes(task, TaskStatus.COMPLETED)).next_run_at is None
    assert len(said("Three of them", here.chat)) == 1
    assert result.id > (await here.card(task)).id
    await here.scene.ask("what was that?")
    assert "Three of them, and they sleep." in here.agent.asked[-1].prompt


async def test_one_that_need_not_notify_only_leaves_its_file(here: Tasks) -> None:
    here.agent.does(AUDIT, "They sleep.")
    task = await hand_over(here, notify_on_complete=False)
    assert (await filed(here, task))["result"] == "They sleep."
    await here.card_says(task, "is done after")
    await here.scene.ask("hello")
    assert not said("They sleep.", here.chat)


async def test_it_is_stopped_by_its_button_and_only_by_who_may(here: Tasks) -> None:
    tom, _ = await here.meet("Tom", within={"main": Role.MEMBER})
    group = await here.group("Team", here.scene.owner, tom)
    held = here.agent.holds(AUDIT)
    task = await hand_over(here, chat=group)
    await held.until_begun()
    card = await here.card(task, group)
    assert "There is no task" in await here.press(card, "✖️ Stop it", by=tom)
    await here.scene.owner.says(group, "/stop@helper_bot")
    assert (await here.is_at(task, RunStatus.RUNNING)).finished_at is None
    assert await here.press(card, "✖️ Stop it") == "Taken."
    (run,) = await here.ended(task)
    assert run.status is RunStatus.CANCELLED
    await here.card_says(task, "was stopped after", group)
    assert await here.scene.settled(card)
    assert (await here.now(task)).status is TaskStatus.CANCELLED
    assert (await filed(here, task))["status"] == "cancelled"
    held.go_on()
    assert not said(f"heard {AUDIT}", group)


async def test_one_that_fails_is_tried_again_then_told_of_and_can_be_run_again(here: Tasks) -> None:
    here.agent.fails(AUDIT, times=3)
    task = await hand_over(here)
    notice = await here.says(f"Task {task.id} failed after 3 attempts: {AUDIT}")
    assert f"boom about {AUDIT}" in notice.text
    written = await filed(here, task)
    assert written["status"] == "failed"
    assert f"boom about {AUDIT}" in written["error"]
    assert (await here.now(task)).status is TaskStatus.FAILED
    card = await here.card_says(task, "failed after")
    await here.chat.wait_until(lambda: shown(card).labels == ["⚡ Run now"])
    await here.press(shown(card), "⚡ Run now")
    await here.says(f"heard {AUDIT}")
    await here.becomes(task, TaskStatus.COMPLETED)

    async def look() -> bool | None:
        return (await filed(here, task))["status"] == "success" or None

    assert await eventually(look)


async def test_the_same_request_twice_makes_one_task(here: Tasks) -> None:
    """A host that died after it had accepted finds the request again."""
    before = await here.newest()
    async with here.in_a_turn() as ask:
        replies = [await ask("background_task", "a" * 32, prompt="count the stars") for _ in range(3)]
    assert [reply.ok for reply in replies] == [True] * 3
    assert len({reply.text for reply in replies}) == 1
    task = await here.newest()
    assert task
    assert task.id == (before.id if before else 0) + 1
    await here.says("heard count the stars")
    assert len(await here.ended(task)) == 1
    await here.card_says(task, "is done")
    assert len([each for each in cards_of(task, here.chat) if "is done" in each.text]) == 1
    assert len(said("heard count the stars", here.chat)) == 1


async def test_the_more_important_goes_first_when_a_place_is_free(here: Tasks) -> None:
    held = here.agent.holds("the first")
    await hand_over(here, "the first")
    await held.until_begun()
    handed = [
        await hand_over(here, f"work of {priority}", priority=priority)
        for priority in ("low", "normal", "high")
    ]
    assert [(await here.runs(task))[0].status for task in handed] == [RunStatus.QUEUED] * 3
    held.go_on()
    for task in handed:
        await here.ended(task)
    order = [heard for heard in here.agent.heard if heard.startswith("work of")]
    assert order == ["work of high", "work of normal", "work of low"]


async def test_a_person_is_answered_while_every_place_of_tasks_is_taken(here: Tasks) -> None:
    scheduled, background = here.agent.holds(NEWS), here.agent.holds(AUDIT)
    one, waits = await here.make(NEWS), await here.make("wait for a place")
    await here.due(one)
    await scheduled.until_begun()
    other = await hand_over(here)
    await background.until_begun()
    await here.due(waits)
    await here.is_at(waits, RunStatus.QUEUED)
    assert await here.scene.ask("are you there?") == ["heard are you there?"]
    mia, mias = await here.meet("Mia", within={"main": Role.MEMBER})
    await mia.says(mias, "and for me?")
    await here.says("heard and for me?", mias)
    assert (await here.runs(one))[0].status is RunStatus.RUNNING
    assert (await here.runs(other))[0].status is RunStatus.RUNNING
    assert (await here.runs(waits))[0].status is RunStatus.QUEUED
    background.go_on()
    await here.ended(other)
    assert (await here.runs(waits))[0].status is RunStatus.QUEUED  # the places are of two kinds
    scheduled.go_on()
    await here.ended(waits)
