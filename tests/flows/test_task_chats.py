"""Flow F in the chat of a task: where its result comes, when it makes no sound, and on whose clock it is read (F1)."""

from collections.abc import AsyncIterator
from datetime import timedelta

import pytest
import pytest_asyncio
import sqlalchemy as sa
from tests.task_scene import NEWS, Tasks, handle, task_scene
from tests.telegram_scene import found_group

from nanoclaw.domain.messages import End
from nanoclaw.domain.people import Role
from nanoclaw.domain.tasks import RunStatus
from nanoclaw.durable import people, sessions
from nanoclaw.durable.clock import now
from nanoclaw.durable.store import Tx
from nanoclaw.durable.tables import session_queue

# One host for these tests. Every test takes back what it leaves.
pytestmark = [
    pytest.mark.asyncio(loop_scope="module"),
    pytest.mark.capability("F1"),
]


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def stage(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Tasks]:
    home = tmp_path_factory.mktemp("chats") / "nanoclaw"
    async with task_scene(home) as tasks:
        found_group(home, "sales")
        with (home / "groups" / "sales" / "group.toml").open("a", encoding="utf-8") as file:
            file.write('timezone = "America/New_York"\nlanguage = "uk"\n')
        yield tasks


@pytest_asyncio.fixture(loop_scope="module")
async def here(stage: Tasks) -> AsyncIterator[Tasks]:
    yield await stage.joined()
    await stage.clear_up()


# Where


@pytest.mark.capability("F6")
async def test_a_chat_is_found_by_its_title_in_any_letters(here: Tasks) -> None:
    for title in ("Новини", "News", "ЇЖАК"):
        group = await here.group(title, here.scene.owner)
        task = await here.make(f"{NEWS} {title}", deliver_by="30m", alarm_to=title, retries=0)
        here.agent.fails(task.prompt)
        await here.due(task)
        await here.ended(task)
        await here.passes(task, timedelta(minutes=31))
        await here.says(f"Task {task.id} has not delivered", group)
        async with here.tasks as client:
            added = await client.add({"prompt": NEWS, "when": "every monday 8:00", "chat": title})
        assert added.chat_title == title


@pytest.mark.capability("F5")
async def test_a_thread_that_the_chat_has_not_is_refused_before_anything_is_begun(here: Tasks) -> None:
    before = await here.newest()
    for thread in ("release-notes", "99999"):
        told = await here.use("background_task", prompt="dig", notify_thread_id=thread)
        assert f'Nothing was ever said in a thread "{thread}" of this chat.' in told
    assert await here.newest() == before
    assert "dig" not in here.agent.heard


@pytest.mark.capability("A12")
async def test_a_chat_that_joins_another_takes_its_tasks_along(here: Tasks) -> None:
    """A group becomes a supergroup, and someone wrote there before we knew."""
    old, new = await here.group("Team", here.scene.owner), await here.group("Team", here.scene.owner)
    task = await here.make(NEWS, chat=old)
    await here.due(task)
    await here.says(f"heard {NEWS}", old)
    await here.ended(task)

    def move(tx: Tx) -> None:
        people.move_chat(tx, f"telegram:{here.scene.bot.id}", str(old.id), str(new.id))

    await here.host.store.write(move)
    assert await here.is_place(await here.now(task), new)
    here.agent.does(NEWS, here.agent.call("request_human", question="Where are you?", kind="approval"))
    await here.due(task)
    await here.is_at(task, RunStatus.RUNNING)
    session = (await here.now(task)).session_id
    assert session
    assert (await here.host.store.read(lambda tx: sessions.get(tx, session))).chat_id == (
        await here.host.store.read(lambda tx: here.place(tx, new))
    )
    await here.scene.card("Where are you?")
    here.agent.forget()
    here.host.question_parts.waits.let_go(session)
    await here.is_at(task, RunStatus.WAITING)
    await here.says("told: Nobody has answered yet", new)
    assert not [text for text in old.texts() if "Nobody has answered" in text]


# When it makes no sound


async def test_a_result_makes_no_sound_in_the_quiet_hours_of_its_owner(here: Tasks) -> None:
    group = await here.group("Team", here.scene.owner)
    hour = timedelta(hours=1)
    alone, among = await here.make("count the stock"), await here.make("water the plants", chat=group)
    for number, (hours, silent) in enumerate(
        ((f"{now() - hour:%H:%M}-{now() + hour:%H:%M}", True), ("off", False)), 1
    ):
        await here.scene.command(here.chat, f"/quiet {hours}")
        for task, place in ((alone, here.chat), (among, group)):
            here.agent.does(task.prompt, f"{task.prompt}: done {number}")
            await here.due(task)
            result = await here.says(f"{task.prompt}: done {number}", place)
            assert result.silent is (silent and place is here.chat)
    here.agent.fails("count the stock")
    await here.treat(alone, retries=0)
    await here.scene.command(here.chat, f"/quiet {now() - hour:%H:%M}-{now() + hour:%H:%M}")
    await here.due(alone)
    assert (await here.says(f"Task {alone.id} failed")).silent


# On whose clock


async def test_in_a_group_chat_a_task_is_read_on_its_own_clock(here: Tasks) -> None:
    mia, _ = await here.meet("Mia", within={"sales": Role.MEMBER})
    room = await here.group("Sales", here.scene.owner, mia, agent="sales")
    for zone, offset in (("Asia/Tokyo", "(+09:00)"), ("Asia/Kolkata", "(+05:30)")):
        known = handle(mia)

        def live_there(tx: Tx, zone: str = zone, known: str = known) -> None:
            person = people.person_named(tx, known)
            assert person
            people.set_preference(tx, person.id, timezone=zone)

        await here.host.store.write(live_there)
        before = room.answers
        await mia.says(room, f"/schedule@helper_bot every day 9:00 {NEWS}")
        card = (await room.wait_for(before + 1))[-1]
        times = [line for line in card.splitlines() if " 09:00 " in line]
        assert len(times) == 3, card
        assert all(line.endswith(offset) for line in times), card
        assert "Задача" in card  # and in the language of the group


# What the agent of the chat gets to know


async def test_only_the_newest_result_of_each_task_waits_to_be_read(here: Tasks) -> None:
    tasks = [await here.make("count the stock"), await here.make("water the plants")]
    for number in (1, 2, 3):
        for task in tasks:
            here.agent.does(task.prompt, f"{task.prompt}: done {number}")
            await here.due(task)
            await here.ended(task, number)
    for task in tasks:
        await here.says(f"{task.prompt}: done 3")

    def unread(tx: Tx) -> int:
        """The unread messages in the chat's session; each is a copy of a result."""
        session = sessions.find(tx, "main", here.place(tx, here.chat), None)
        kept = session_queue.c.end == End.KEPT.value
        count = sa.select(sa.func.count()).where(session_queue.c.session_id == (session and session.id), kept)
        return int(tx.execute(count).scalar_one())

    assert await here.host.store.read(unread) == len(tasks)
    await here.scene.ask("what is new?")
    prompt = here.agent.asked[-1].prompt
    for task in tasks:
        assert prompt.count(f"{task.prompt}: done") == 1
        assert f"{task.prompt}: done 3" in prompt
