"""Flow F when it goes wrong: retried, reported once, the series continues; paused when only a person can help
(F6).
"""

from collections.abc import AsyncIterator
from datetime import timedelta
from functools import partial

import pytest
import pytest_asyncio
from tests.task_scene import NEWS, Tasks, handle, said, task_scene
from tests.telegram_scene import eventually, found_group

from nanoclaw.domain.people import Role
from nanoclaw.domain.tasks import RunStatus, Task, TaskStatus
from nanoclaw.durable import memberships, people, timeline, wirings
from nanoclaw.durable.clock import now
from nanoclaw.durable.store import Tx
from nanoclaw.durable.timeline import Event
from nanoclaw.testing.telegram.chats import Chat
from nanoclaw.testing.telegram.people import Person

# One host for these tests. Every test takes back what it leaves.
pytestmark = [
    pytest.mark.asyncio(loop_scope="module"),
    pytest.mark.capability("F6"),
]


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def stage(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Tasks]:
    home = tmp_path_factory.mktemp("failures") / "nanoclaw"
    async with task_scene(home) as tasks:
        found_group(home, "sales")
        yield tasks


@pytest_asyncio.fixture(loop_scope="module")
async def here(stage: Tasks) -> AsyncIterator[Tasks]:
    yield await stage.joined()
    await stage.clear_up()


async def test_a_run_that_fails_is_tried_again_and_its_failure_is_told_once(here: Tasks) -> None:
    task = await here.make(NEWS, retries=2, retry_pause="0")
    here.agent.fails(NEWS)
    await here.due(task)
    (run,) = await here.ended(task)
    assert (run.status, run.attempts) == (RunStatus.FAILED, 2)
    assert run.error == {"key": "unexpected", "said": f"boom about {NEWS}"}
    assert here.agent.heard.count(NEWS) == 3
    notice = await here.says(f"Task {task.id} failed after 3 attempts: {NEWS}")
    assert f"boom about {NEWS}" in notice.text
    assert "The next run: Sun " in notice.text
    assert notice.labels == ["⚡ Run now", "⏸ Pause"]
    await here.scene.ask("hello")
    assert len(said("failed", here.chat)) == 1
    after = await here.now(task)
    assert (after.status, after.failures) == (TaskStatus.ACTIVE, 1)


async def test_each_retry_waits_five_times_as_long_as_the_one_before(here: Tasks) -> None:
    task = await here.make(NEWS, retries=3, retry_pause="10m")
    here.agent.fails(NEWS)
    await here.due(task)
    for attempt, minutes in ((1, 10), (2, 50), (3, 250)):
        run = await here.is_at(task, RunStatus.RETRYING, attempts=attempt)
        pause = await here.waits_until(run) - now()
        assert timedelta(minutes=minutes - 1) < pause <= timedelta(minutes=minutes)
        await here.retried(task)
    (run,) = await here.ended(task)
    assert (run.status, run.attempts) == (RunStatus.FAILED, 3)


async def test_a_retry_that_works_is_a_success_and_nobody_is_troubled(here: Tasks) -> None:
    task = await here.make(NEWS, retries=1, retry_pause="0")
    here.agent.fails(NEWS, times=1)
    await here.due(task)
    (run,) = await here.ended(task)
    assert (run.status, run.attempts) == (RunStatus.SUCCESS, 1)
    await here.says(f"heard {NEWS}")
    assert not said("failed", here.chat)
    assert (await here.now(task)).failures == 0
    noted = await here.host.store.read(lambda tx: timeline.of_message(tx, run.message_id or ""))
    assert Event.RUN_AGAIN in [step.event for step in noted]


async def test_the_series_goes_on_after_a_failure(here: Tasks) -> None:
    task = await here.make(NEWS, retries=0)
    here.agent.fails(NEWS, times=1)
    await here.due(task)
    await here.ended(task)
    assert (await here.now(task)).next_run_at == task.next_run_at
    await here.due(task)
    first, second = await here.ended(task, 2)
    assert (first.status, second.status) == (RunStatus.FAILED, RunStatus.SUCCESS)
    assert (await here.now(task)).failures == 0


async def test_what_is_done_once_and_fails_can_be_run_again_from_its_notice(here: Tasks) -> None:
    task = await here.schedule("in 2 hours call the bank")
    here.agent.fails("call the bank", times=3)
    await here.passes(task, timedelta(hours=2))
    for attempt in (1, 2):
        await here.is_at(task, RunStatus.RETRYING, attempts=attempt)
        await here.retried(task)
    await here.becomes(task, TaskStatus.FAILED)
    notice = await here.says("failed after 3 attempts")
    assert notice.labels == ["⚡ Run now"]
    await here.press(notice, "⚡ Run now")
    await here.says("heard call the bank")
    await here.becomes(task, TaskStatus.COMPLETED)


async def test_after_too_many_failures_a_task_is_paused_and_its_owner_has_a_card_to_resume_it(
    here: Tasks,
) -> None:
    group = await here.group("Team", here.scene.owner)
    task = await here.schedule(f"every monday 8:00 {NEWS}", chat=group)
    await here.treat(task, retries=0, pause_after=2)
    here.agent.fails(NEWS, times=2)
    await here.due(task)
    await here.says(f"Task {task.id} failed after one attempt", group)
    await here.due(task)
    paused = await here.becomes(task, TaskStatus.PAUSED)
    assert (paused.why, paused.failures) == ("failures", 2)
    words = f"Task {task.id} is paused: it failed 2 times in a row. {NEWS}"
    for place in (group, here.chat):  # where it speaks, and where its owner is alone with the bot
        notice = await here.says(words, place)
        assert f"boom about {NEWS}" in notice.text
        assert notice.labels[:2] == ["▶️ Resume", "⚡ Run now"]
    assert "It failed too often in a row." in (await here.card_says(task, "It failed too often", group)).text
    await here.due(task)
    await here.looked_at(task)
    assert len(await here.runs(task)) == 2

    await here.press(await here.says(words), "▶️ Resume")
    resumed = await here.becomes(task, TaskStatus.ACTIVE)
    assert (resumed.failures, resumed.why) == (0, None)
    await here.due(task)
    await here.says(f"heard {NEWS}", group)


# What stands in the way of a task


async def paused(here: Tasks, task: Task, why: str) -> None:
    """Its time came, nothing was run, and it says so."""
    heard = list(here.agent.heard)
    await here.due(task)
    stopped = await here.becomes(task, TaskStatus.PAUSED)
    await here.looked_at(task)
    assert stopped.why == why
    assert await here.runs(task) == []
    assert here.agent.heard == heard


def are_said(words: str, chat: Chat, count: int) -> bool:
    return len(said(words, chat)) == count


async def owned_by_mia(here: Tasks) -> tuple[Task, Person]:
    mia, _ = await here.meet("Mia", within={"main": Role.MEMBER})
    group = await here.group("Team", here.scene.owner, mia)
    return await here.schedule(f"every monday 8:00 {NEWS}", by=mia, chat=group), mia


async def test_a_task_stops_with_a_notice_when_its_owner_lost_their_rights(here: Tasks) -> None:
    task, mia = await owned_by_mia(here)

    def take_away(tx: Tx, role: Role | None) -> None:
        known = people.person_named(tx, handle(mia))
        assert known
        memberships.put(tx, known.id, "main", role, now())

    await here.host.store.write(partial(take_away, role=None))
    await paused(here, task, "owner-lost-rights")
    words = f"Task {task.id} is paused: {NEWS}\n\nWhoever wanted it may no longer talk to main."
    notice = await here.says(words)  # where the owner of the host is alone with the bot
    assert notice.labels[0] == "▶️ Resume"
    assert not said("is paused", mia.chat_with(here.scene.bot))
    refused = f"Whoever wanted task {task.id} may no longer talk to main."
    assert refused in await here.scene.command(here.chat, f"/task_resume {task.id}")
    assert refused in await here.scene.command(here.chat, f"/task_run {task.id}")
    await here.host.store.write(partial(take_away, role=Role.MEMBER))
    assert "goes on" in await here.scene.command(here.chat, f"/task_resume {task.id}")


async def test_a_task_of_someone_who_was_blocked_is_not_run(here: Tasks) -> None:
    task, mia = await owned_by_mia(here)
    await here.block(mia)
    await paused(here, task, "owner-lost-rights")


async def test_a_task_of_a_chat_that_was_unwired_is_not_run_and_someone_hears_of_it(here: Tasks) -> None:
    group = await here.group("Team", here.scene.owner)
    task = await here.schedule(f"every monday 8:00 {NEWS}", chat=group)
    await here.host.store.write(lambda tx: wirings.unwire(tx, here.place(tx, group), "main"))
    await paused(here, task, "unwired")
    await here.says("Its chat is no longer wired to main.")  # where its owner is alone with the bot


async def test_a_task_whose_skill_was_removed_is_not_run(here: Tasks) -> None:
    file = here.host.home / "skills" / "marketing" / "content" / "telegram-poster" / "SKILL.md"
    kept = file.read_text("utf-8")
    task = await here.make(NEWS, skill="telegram-poster")
    await here.due(task)
    await here.ended(task)
    assert here.agent.asked[-1].skill == "telegram-poster"

    async def is_known(wanted: bool) -> bool | None:
        """The shelf is looked through now and then."""
        known = here.host.task_parts.task_creation.known_skills.find("telegram-poster") is not None
        return True if known is wanted else None

    file.unlink()
    await eventually(lambda: is_known(False))
    await here.due(task)
    assert (await here.becomes(task, TaskStatus.PAUSED)).why == "skill-gone"
    await here.says("Its skill telegram-poster is no longer there.")
    assert len(await here.runs(task)) == 1
    file.write_text(kept, "utf-8")
    await eventually(lambda: is_known(True))
    assert "goes on" in await here.scene.command(here.chat, f"/task_resume {task.id}")


async def test_a_task_of_a_group_whose_file_is_gone_is_not_run(here: Tasks) -> None:
    sam, sams = await here.meet("Sam", within={"sales": Role.MEMBER})
    task = await here.make(NEWS, owner=handle(sam), chat=sams, group="sales")
    file = here.host.home / "groups" / "sales" / "group.toml"
    kept = file.read_text("utf-8")
    gone = "Its agent group sales is no longer there, or its file cannot be read."
    for number, broken in enumerate(("company = [", None), 1):
        file.write_text(broken, "utf-8") if broken else file.unlink()
        await paused(here, task, "group-gone")
        await sams.wait_until(partial(are_said, gone, sams, number))
        file.write_text(kept, "utf-8")
        assert "goes on" in await here.scene.command(sams, f"/task_resume {task.id}", by=sam)


async def test_who_loses_their_rights_while_a_run_waits_has_it_run_no_more(here: Tasks) -> None:
    task, mia = await owned_by_mia(here)
    await here.treat(task, retries=3, retry_pause="10m")
    here.agent.fails(NEWS, times=1)
    await here.due(task)
    await here.is_at(task, RunStatus.RETRYING)
    await here.block(mia)
    await here.retried(task)
    (run,) = await here.ended(task)
    assert run.status is RunStatus.FAILED
    assert run.error
    assert run.error["key"] == "task-owner-lost-rights"
    assert here.agent.heard.count(NEWS) == 1
