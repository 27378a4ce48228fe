"""Flow F by the agent's tools, in the name of the person it works for: schedule, list and change (SPEC F1, F3)."""

import json
from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
import pytest_asyncio
import sqlalchemy as sa
from tests.task_scene import NEWS, Tasks, handle, task_scene
from tests.telegram_scene import found_group

from nanoclaw.domain.people import Role
from nanoclaw.domain.tasks import CatchUp, Overlap, RunStatus, Task, TaskStatus
from nanoclaw.durable.clock import now
from nanoclaw.durable.tables import scheduled_tasks

# One host for these tests. Every test takes back what it leaves.
pytestmark = [
    pytest.mark.asyncio(loop_scope="module"),
    pytest.mark.capability("F1", "A17"),
]

MONDAYS: dict[str, Any] = {"prompt": NEWS, "schedule_type": "cron", "schedule_value": "0 8 * * 1"}


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def stage(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Tasks]:
    home = tmp_path_factory.mktemp("tools") / "nanoclaw"
    async with task_scene(home, tasks={"most": 6, "most_background": 2}) as tasks:
        found_group(home, "sales")
        yield tasks


@pytest_asyncio.fixture(loop_scope="module")
async def here(stage: Tasks) -> AsyncIterator[Tasks]:
    yield await stage.joined()
    await stage.clear_up()


async def scheduled(here: Tasks, **more: Any) -> Task:
    told = await here.use("schedule_task", **(MONDAYS | more))
    task = await here.newest()
    assert task
    assert told.startswith(f"Scheduled as task {task.id}."), told
    return task


async def test_an_agent_schedules_what_its_person_asked_for_and_the_person_sees_a_card(here: Tasks) -> None:
    told = await here.use("schedule_task", **MONDAYS)
    task = await here.newest()
    assert task
    times = told.partition("Next: ")[2].partition(" (UTC)")[0].split("; ")
    assert len(times) == 3
    assert all(time.startswith("Mon 20") and time.endswith(" 08:00 (+00:00)") for time in times)
    assert "The person sees this on a card" in told
    card = await here.card(task)
    assert all(time in card.text for time in times)
    assert "⏸ Pause" in card.labels
    assert task.owner == (await here.person()).id
    assert (await here.scene.audit())[0].action == "task-made"


async def test_the_row_has_what_the_agent_wrote(here: Tasks) -> None:
    task = await scheduled(
        here,
        prompt="Підготуй тижневу зведення новин",
        skill="marketing/market-intelligence/news-curator",
        model="haiku",
        notify=True,
        timezone="Europe/Kyiv",
        catch_up="all",
        overlap="queue",
        stale_after="2h",
        jitter="30s",
        retries=4,
        retry_pause="90s",
        pause_after=3,
        deliver_by="1h",
    )
    query = sa.select(scheduled_tasks).where(scheduled_tasks.c.id == task.id)
    row = await here.host.store.read(lambda tx: tx.execute(query).one())
    assert (row.group_id, row.schedule_type, row.schedule_value) == ("main", "cron", "0 8 * * 1")
    assert (row.skill, row.model, row.notify) == ("news-curator", "haiku", True)
    assert (row.prompt, row.status, row.last_run_at) == ("Підготуй тижневу зведення новин", "active", None)
    assert (row.run_count, row.timezone, row.zone_of) == (0, "Europe/Kyiv", "named")
    assert row.created_at <= now() < row.next_run_at
    policy = task.policy
    assert (policy.catch_up, policy.overlap) == (CatchUp.ALL, Overlap.QUEUE)
    assert (policy.stale_after, policy.jitter) == (timedelta(hours=2), timedelta(seconds=30))
    assert (policy.retries, policy.retry_pause, policy.pause_after) == (4, timedelta(seconds=90), 3)
    assert policy.deliver_by == timedelta(hours=1)
    await here.card_says(task, "On the clock that was named: Europe/Kyiv")


@pytest.mark.capability("A14")
async def test_a_run_has_the_skill_and_the_model_of_the_task(here: Tasks) -> None:
    task = await scheduled(here, skill="news-curator", model="haiku")
    await here.due(task)
    await here.says(f"heard {NEWS}")
    asked = here.agent.asked[-1]
    assert (asked.skill, asked.model) == ("news-curator", here.host.settings.agents.haiku)


async def test_each_kind_of_schedule_can_be_asked_for(here: Tasks) -> None:
    interval = await scheduled(here, schedule_type="interval", schedule_value="90m")
    assert (interval.schedule.type, interval.schedule.value) == ("interval", "5400")
    once = await scheduled(here, schedule_type="once", schedule_value="tomorrow 9:00", timezone="Asia/Tokyo")
    assert once.next_run_at
    assert (once.schedule.type, once.next_run_at.hour, once.next_run_at.minute) == ("once", 0, 0)
    moment = (now() + timedelta(days=2)).replace(microsecond=0)
    dated = await scheduled(here, schedule_type="once", schedule_value=f"{moment:%Y-%m-%dT%H:%M}+00:00")
    assert dated.next_run_at == moment.replace(second=0)


@pytest.mark.capability("T3")
async def test_a_time_without_an_offset_is_on_the_clock_of_the_person_and_one_with_it_is_absolute(
    here: Tasks,
) -> None:
    await here.scene.command(here.chat, "/timezone Asia/Tokyo")
    try:
        day = f"{now() + timedelta(days=9):%Y-%m-%d}"
        for written, hour in (("T19:00", 10), ("T19:00Z", 19), ("T19:00+02:00", 17)):
            task = await scheduled(here, schedule_type="once", schedule_value=day + written)
            assert task.next_run_at
            assert f"{task.next_run_at:%Y-%m-%dT%H:%M}" == f"{day}T{hour}:00", written
    finally:
        await here.scene.command(here.chat, "/timezone UTC")


async def test_what_cannot_be_is_refused_with_a_sentence_and_makes_nothing(here: Tasks) -> None:
    past = f"{now() - timedelta(days=1):%Y-%m-%dT%H:%M}"
    refused: list[tuple[dict[str, Any], str]] = [
        ({"schedule_value": "* * * * * *"}, "has six fields; seconds are not known here. Write five"),
        ({"schedule_value": "61 * * * *"}, 'the minute "61" cannot be used. Write 0 to 59'),
        ({"schedule_value": "0 9 31 2 *"}, "never comes: there is no such day"),
        ({"schedule_value": "0 9 * *"}, "is not written in five fields"),
        ({"schedule_type": "interval", "schedule_value": "0"}, "A task can run once a minute at most"),
        ({"schedule_type": "interval", "schedule_value": "59"}, "59 seconds is less"),
        ({"schedule_type": "interval", "schedule_value": "9" * 90}, "must run at least once a year"),
        (
            {"schedule_type": "once", "schedule_value": past},
            "is over already. Write a time that is still to come",
        ),
        ({"schedule_type": "once", "schedule_value": "soon"}, "is no time that can be understood"),
        ({"timezone": "Mars/Olympus"}, 'There is no zone "Mars/Olympus". Write a name such as Europe/Kyiv'),
        ({"skill": "juggler"}, 'There is no skill "juggler". There are: '),
        ({"prompt": "   "}, "is empty"),
        ({"prompt": "x" * 1_000_000}, "20000"),
        ({"alarm_to": "@nobody"}, '"@nobody" is no person and no chat that can be written to'),
        ({"stale_after": "400 days"}, "at most 31 days are allowed"),
        ({"jitter": "a while"}, "a while"),
        ({"catch_up": "some"}, "latest"),
        ({"retries": 21}, "20"),
        ({"schedule_type": "yearly"}, "interval"),
        ({"colour": "red"}, "colour"),
        ({"target_group": "nowhere"}, "nowhere"),
    ]
    before = await here.newest()
    for wrong, words in refused:
        told = await here.use("schedule_task", **(MONDAYS | wrong))
        assert words in told, (wrong, told[:300])
        assert len(told) < 1000
        assert await here.newest() == before, wrong
    assert not any("Task " in text.splitlines()[0] for text in here.chat.texts() if "told: " not in text)


async def test_a_group_has_so_many_tasks_and_no_more(here: Tasks) -> None:
    for number in range(6):
        await here.make(f"{NEWS} {number}")
    told = await here.use("schedule_task", **MONDAYS)
    assert "The group main has 6 tasks already, and no more are allowed. Delete some" in told
    held = here.agent.holds("dig")
    for number in range(2):
        assert "Accepted" in await here.use("background_task", prompt=f"dig {number}")
    assert "The group main has 2 tasks already" in await here.use("background_task", prompt="dig 2")
    held.go_on()


async def test_the_same_request_twice_schedules_once(here: Tasks) -> None:
    async with here.in_a_turn() as ask:
        replies = [await ask("schedule_task", "b" * 32, **MONDAYS) for _ in range(2)]
        other = await ask("schedule_task", "c" * 32, **MONDAYS)
    first, second = (reply.data["task_id"] for reply in replies)
    assert first == second != other.data["task_id"]


async def test_nothing_is_scheduled_for_nobody(here: Tasks) -> None:
    async with here.in_a_turn() as ask:
        pass
    refused = await ask("schedule_task", "d" * 32, **MONDAYS)
    assert (refused.ok, refused.data) == (False, {"refused": "task-no-turn"})


async def test_a_request_can_come_as_a_file_from_the_box(here: Tasks) -> None:
    """As an agent of any kind can write it: /ipc/background/{id}.json."""
    request = {"id": "c" * 32, "tool": "background_task", "arguments": {"prompt": "count the stars"}}
    file = f"/ipc/background/{'c' * 32}.json"
    command = (
        f"printf %s '{json.dumps(request)}' > {file}.part && mv {file}.part {file};"
        f" until [ -e /ipc/results/{'c' * 32}.json ]; do sleep 0.02; done; cat /ipc/results/{'c' * 32}.json"
    )
    told = await here.use("bash", command=command)
    task = await here.newest()
    assert task
    assert f"Accepted as task {task.id}." in told
    assert task.prompt == "count the stars"
    await here.says("heard count the stars")


@pytest.mark.capability("F3")
async def test_an_agent_sees_the_tasks_of_its_own_group_and_the_main_one_all(here: Tasks) -> None:
    assert await here.use("list_tasks") == "There are no tasks."
    sam, sams = await here.meet("Sam", within={"sales": Role.MEMBER})
    ours = await here.make("count the stock")
    theirs = await here.make("call the customers", owner=handle(sam), chat=sams, group="sales")
    seen = await here.use("list_tasks")
    assert f"**{ours.id}** count the stock" in seen
    assert f"**{theirs.id}** call the customers" in seen
    assert "next Sun 20" in seen
    seen = await here.use("list_tasks", by=sam, chat=sams)
    assert f"**{theirs.id}** call the customers" in seen
    assert "count the stock" not in seen
    # Nor does an owner of the host, who talks to the agent of that group.
    room = await here.group("Sales", here.scene.owner, agent="sales")
    assert "count the stock" not in await here.use("list_tasks", chat=room)
    # The agent of the main group shows nobody what they could not see themselves.
    mia, mias = await here.meet("Mia", within={"main": Role.MEMBER})
    seen = await here.use("list_tasks", by=mia, chat=mias)
    assert "count the stock" in seen
    assert "call the customers" not in seen


@pytest.mark.capability("F3")
async def test_an_agent_changes_tasks_as_its_person_could(here: Tasks) -> None:
    task = await scheduled(here)
    assert await here.change(task, "pause") == f"Done. Task {task.id} is paused."
    assert (await here.now(task)).status is TaskStatus.PAUSED
    assert f"Task {task.id} is paused already." in await here.change(task, "pause")
    resumed = await here.change(task, "resume")
    assert resumed.startswith(f"Done. Task {task.id} is active. Mon 20")
    edited = await here.change(
        task,
        "edit",
        schedule_value="30 9 * * *",
        prompt="look at the weather",
        retries=0,
        timezone="Asia/Tokyo",
    )
    assert "09:30 (+09:00)" in edited
    after = await here.now(task)
    assert (after.prompt, after.schedule.value, after.policy.retries) == (
        "look at the weather",
        "30 9 * * *",
        0,
    )
    assert after.schedule.timezone == "Asia/Tokyo"
    assert "cannot be used" in await here.change(task, "edit", schedule_value="61 * * * *")
    assert (await here.now(task)).schedule == after.schedule
    held = here.agent.holds("look at the weather")
    await here.change(task, "run")
    await held.until_begun()
    assert "is being done right now" in await here.change(task, "run")
    await here.change(task, "cancel")
    (run,) = await here.ended(task)
    assert run.status is RunStatus.CANCELLED
    assert f"Task {task.id} is deleted" in await here.change(task, "delete")
    assert (await here.now(task)).status is TaskStatus.DELETED
    assert f"There is no task {task.id}" in await here.change(task, "resume")


@pytest.mark.capability("F3")
async def test_whatever_time_an_agent_gives_a_task_all_of_them_can_still_be_listed(here: Tasks) -> None:
    """One of the page, without a card: nothing would have told it before it was kept."""
    other = await here.make("count the stock")
    async with here.tasks as client:
        row = await client.add({"prompt": NEWS, "when": "every day 9:00"})
    task = await here.now(replace(other, id=row.id))
    assert f"Task {task.id} is active" in await here.change(task, "edit", schedule_value="*/20,5 * * * *")
    async with here.tasks as client:
        shown = {each.id: each.when for each in await client.all(200, over=False)}
    assert shown.keys() >= {task.id, other.id}
    assert shown[task.id] == "cron */20,5 * * * *"
    assert "count the stock" in await here.scene.command(here.chat, "/tasks")
    assert "count the stock" in await here.use("list_tasks")


@pytest.mark.capability("F3")
async def test_an_agent_reaches_no_task_that_its_person_could_not(here: Tasks) -> None:
    sam, sams = await here.meet("Sam", within={"sales": Role.MEMBER})
    ours = await here.make("count the stock")
    theirs = await here.make("call the customers", owner=handle(sam), chat=sams, group="sales")
    for action in ("pause", "run", "delete", "edit"):
        told = await here.change(ours, action, by=sam, chat=sams, prompt="send all the money")
        assert f"There is no task {ours.id} here that is yours." in told
    # Not even for an owner of the host, who talks to the agent of that group.
    room = await here.group("Sales", here.scene.owner, agent="sales")
    assert f"There is no task {ours.id}" in await here.change(ours, "delete", chat=room)
    assert (await here.now(ours)).prompt == "count the stock"
    assert (await here.now(ours)).status is TaskStatus.ACTIVE
    tom, toms = await here.meet("Tom", within={"main": Role.MEMBER})  # it is not his
    assert f"There is no task {ours.id}" in await here.change(ours, "delete", by=tom, chat=toms)
    assert "is paused" in await here.change(theirs, "pause")  # from the main group


@pytest.mark.capability("F3")
async def test_the_main_group_schedules_for_another_and_no_other_does(here: Tasks) -> None:
    sam, sams = await here.meet("Sam", within={"sales": Role.MEMBER})
    room = await here.group("Sales", here.scene.owner, sam, agent="sales")
    before = await here.newest()
    refused = await here.use("schedule_task", by=sam, chat=sams, **(MONDAYS | {"target_group": "main"}))
    assert refused == "Only the main group may act outside its own group."
    assert await here.newest() == before
    told = await here.use("schedule_task", **(MONDAYS | {"target_group": "sales"}))
    task = await here.newest()
    assert task
    assert told.startswith(f"Scheduled as task {task.id}")
    assert task.group == "sales"
    await here.due(task)
    await here.ended(task)
    assert here.agent.asked[-1].group == "sales"
    places = [place for place in (sams, room) if any(f"heard {NEWS}" in text for text in place.texts())]
    assert places == [place for place in (sams, room) if await here.is_place(task, place)]


async def test_a_run_may_schedule_and_it_is_its_owner_s_task(here: Tasks) -> None:
    mia, mias = await here.meet("Mia", within={"main": Role.MEMBER})
    task = await here.make("plan the week", owner=handle(mia), chat=mias)
    here.agent.does("plan the week", here.agent.call("schedule_task", **MONDAYS))
    await here.due(task)
    (run,) = await here.ended(task)
    made = await here.newest()
    assert made
    assert run.result
    assert f"Scheduled as task {made.id}" in run.result
    assert (made.owner, made.chat_id, made.group) == (task.owner, task.chat_id, "main")
