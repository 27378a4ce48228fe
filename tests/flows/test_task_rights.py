"""Flow F in other hands: what a task may be asked to do, by whom, and whom it may tell (SPEC F1, F3, F6)."""

from collections.abc import AsyncIterator
from datetime import timedelta
from typing import Any

import pytest
import pytest_asyncio
import sqlalchemy as sa
from tests.task_scene import NEWS, Tasks, handle, said, task_scene
from tests.telegram_scene import found_group

from nanoclaw.domain.ids import SessionId
from nanoclaw.domain.parcels import RETRY
from nanoclaw.domain.people import Role
from nanoclaw.domain.tasks import RunStatus, Task, TaskStatus
from nanoclaw.domain.tool_requests import ToolRequest
from nanoclaw.domain.tools import TOOLS
from nanoclaw.domain.wirings import UnknownSenders
from nanoclaw.durable import memberships, people, sessions
from nanoclaw.durable.clock import now
from nanoclaw.durable.store import Tx
from nanoclaw.durable.tables import parcels
from nanoclaw.testing.telegram.chats import Chat
from nanoclaw.testing.telegram.people import Person

# One host for these tests. Every test takes back what it leaves.
pytestmark = [
    pytest.mark.asyncio(loop_scope="module"),
    pytest.mark.capability("F3"),
]

MONDAYS: dict[str, Any] = {"prompt": NEWS, "schedule_type": "cron", "schedule_value": "0 8 * * 1"}
NO_ROUTE = "is no person and no chat that can be written to"


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def stage(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Tasks]:
    home = tmp_path_factory.mktemp("rights") / "nanoclaw"
    async with task_scene(home) as tasks:
        found_group(home, "rivals", company="rival")
        yield tasks


@pytest_asyncio.fixture(loop_scope="module")
async def here(stage: Tasks) -> AsyncIterator[Tasks]:
    yield await stage.joined()
    await stage.clear_up()


async def session_in(here: Tasks, chat: Chat) -> SessionId:
    """Where the agent of this chat works."""

    def story(tx: Tx) -> SessionId:
        found = sessions.find(tx, "main", here.place(tx, chat), None)
        assert found
        return found.id

    return await here.host.store.read(story)


async def take_role_away(here: Tasks, person: Person, group: str = "main") -> None:
    def story(tx: Tx) -> None:
        known = people.person_named(tx, handle(person))
        assert known
        memberships.put(tx, known.id, group, None, now())

    await here.host.store.write(story)


# Who may have something done


async def test_what_a_box_asks_for_after_its_turn_is_done_for_nobody(here: Tasks) -> None:
    """A process that someone's agent left behind in its box can still write requests."""
    mia, mias = await here.meet("Mia", within={"main": Role.MEMBER})
    await here.scene.why(await mia.says(mias, "hello there"), "answered")
    theirs = await here.make("count the stock")
    session_id, before = await session_in(here, mias), await here.newest()
    wanted: dict[str, dict[str, Any]] = {
        "schedule_task": MONDAYS,
        "background_task": {"prompt": "dig"},
        "change_task": {"task_id": theirs.id, "action": "delete"},
        "list_tasks": {},
    }
    for number, (tool, arguments) in enumerate(wanted.items()):
        asking = ToolRequest(
            id=f"{number}" * 32,
            kind=TOOLS[tool].kind,
            tool=tool,
            session_id=session_id,
            arguments=TOOLS[tool].takes(**arguments),
        )
        reply = await here.host.requests.answer(asking)
        assert (reply.ok, reply.data) == (False, {"refused": "task-no-turn"}), tool
    assert await here.newest() == before
    assert (await here.now(theirs)).status is TaskStatus.ACTIVE


async def test_a_stranger_whom_everyone_may_hear_has_nothing_done(here: Tasks) -> None:
    eve = here.scene.server.person("Eve")
    group = await here.group("Market", here.scene.owner, eve)
    await here.host.store.write(
        lambda tx: people.set_strangers(tx, here.place(tx, group), UnknownSenders.PUBLIC)
    )
    before = await here.newest()
    for tool, given in (("schedule_task", MONDAYS), ("background_task", {"prompt": "dig"})):
        told = await here.use(tool, by=eve, chat=group, **given)
        assert told.startswith("Only members of main can have something done by it."), (tool, told)
    assert await here.newest() == before
    assert not said("Task ", group)


async def test_nobody_schedules_for_a_group_that_is_none_of_theirs(here: Tasks) -> None:
    mia, mias = await here.meet("Mia", within={"main": Role.MEMBER})
    await here.group("Rivals", here.scene.owner, agent="rivals")
    before = await here.newest()
    told = await here.use("schedule_task", by=mia, chat=mias, **MONDAYS, target_group="rivals")
    assert told.startswith("Not done: Mia would have to be an owner, or an admin of rivals."), told
    assert await here.newest() == before


async def test_what_is_scheduled_for_another_group_never_speaks_where_someone_else_is_alone(
    here: Tasks,
) -> None:
    _, sams = await here.meet("Sam", within={"elsewhere": Role.MEMBER})
    found_group(here.host.home, "elsewhere")
    for_elsewhere = {**MONDAYS, "target_group": "elsewhere"}
    told = await here.use("schedule_task", **for_elsewhere)
    assert "The group elsewhere has no chat here to send its results to." in told
    assert not await told_in(here, sams)
    room = await here.group("Room", here.scene.owner, agent="elsewhere")
    assert "Scheduled as task" in await here.use("schedule_task", **for_elsewhere)
    task = await here.newest()
    assert task
    assert await here.is_place(task, room)


@pytest.mark.capability("F6")
async def test_a_run_that_failed_is_run_again_by_its_task_alone(here: Tasks) -> None:
    """By its message it would be done by nobody's command, and what came of it would be lost."""
    task = await here.make(NEWS, retries=0)
    here.agent.fails(NEWS, times=1)
    await here.due(task)
    (run,) = await here.ended(task)
    notice = await here.says(f"Task {task.id} failed")
    assert run.message_id
    assert not await here.host.inbound.retry(run.message_id)
    pressed = await here.scene.forge(notice, f"{RETRY}:{run.message_id}")
    assert pressed == "This was decided before, or is no longer open. Nothing was changed."
    assert "there is nothing to retry" in await here.scene.command(here.chat, "/retry")
    await here.scene.ask("hello")
    assert here.agent.heard.count(NEWS) == 1
    assert [each.status for each in await here.runs(task)] == [RunStatus.FAILED]


# Whom it may tell


@pytest.mark.capability("F6")
async def test_alarms_of_one_company_reach_nobody_of_another(here: Tasks) -> None:
    await here.meet("Rita", within={"rivals": Role.MEMBER})
    await here.group("Rival news", here.scene.owner, agent="rivals")
    await here.meet("Noone")
    before = await here.newest()
    for route in ("@rita", "Rival news", "@noone"):
        told = await here.use("schedule_task", **MONDAYS, deliver_by="30m", alarm_to=route)
        assert NO_ROUTE in told, route
    assert await here.newest() == before
    task = await here.make(NEWS, deliver_by="30m")
    for route in ("@rita", "Rival news"):
        assert NO_ROUTE in await here.change(task, "edit", alarm_to=route)
    assert (await here.now(task)).policy.alarm_to is None


@pytest.mark.capability("F6")
async def test_an_alarm_does_not_follow_someone_who_left_the_group(here: Tasks) -> None:
    mia, mias = await here.meet("Mia", within={"main": Role.MEMBER})
    group = await here.group("Team", here.scene.owner)
    task = await here.make(NEWS, chat=group, deliver_by="30m", retries=0, alarm_to="@mia")
    await take_role_away(here, mia)
    here.agent.fails(NEWS)
    await here.due(task)
    await here.ended(task)
    await here.passes(task, timedelta(minutes=31))
    await here.says(f"Task {task.id} has not delivered")  # the owner of the task, instead
    assert not await told_in(here, mias)


async def test_who_lost_their_rights_is_not_told_and_who_can_mend_it_is(here: Tasks) -> None:
    """Also where the task speaks only to the one who lost them."""
    for name, lose in (("Mia", take_role_away), ("Tom", Tasks.block)):
        person, chat = await here.meet(name, within={"main": Role.MEMBER})
        task: Task = await here.make(f"{NEWS} {name}", owner=handle(person), chat=chat)
        await lose(here, person)
        await here.due(task)
        assert (await here.becomes(task, TaskStatus.PAUSED)).why == "owner-lost-rights"
        notice = await here.says(f"Task {task.id} is paused: {NEWS} {name}")
        assert "▶️ Resume" in notice.labels
        await here.looked_at(task)
        assert not await told_in(here, chat)


async def told_in(here: Tasks, chat: Chat) -> list[str]:
    """What the host has said there, or will."""

    def story(tx: Tx) -> list[str]:
        there = sa.select(parcels.c.text).where(parcels.c.chat_id == here.place(tx, chat))
        return list(tx.execute(there).scalars())

    return await here.host.store.read(story)
