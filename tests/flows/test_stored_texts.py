"""Flow F: a task that delivers a text which is written already: no turn, no model, no cost (SPEC I1)."""

from collections.abc import AsyncIterator
from datetime import timedelta

import pytest
import pytest_asyncio
import sqlalchemy as sa
from tests.task_scene import FAR, Tasks, said, task_scene
from tests.telegram_scene import eventually

from nanoclaw.domain.locale import Locale
from nanoclaw.domain.tasks import CatchUp, Policy, RunReason, RunStatus, Task, TaskStatus, ZoneOf
from nanoclaw.durable import stored_texts, tasks
from nanoclaw.durable.clock import now
from nanoclaw.durable.store import Tx
from nanoclaw.durable.stored_texts import TextSender, TextToSend
from nanoclaw.durable.tables import costs, turns
from nanoclaw.durable.why import explain

pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.capability("I1", "F1")]


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def stage(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Tasks]:
    home = tmp_path_factory.mktemp("texts") / "nanoclaw"
    async with task_scene(home, tasks={"most": 1}) as scene:
        yield scene


@pytest_asyncio.fixture(loop_scope="module")
async def here(stage: Tasks) -> AsyncIterator[Tasks]:
    yield await stage.joined()
    await stage.clear_up()


async def stored(
    here: Tasks, *texts: str, batch: str = "b_abcde", policy: Policy | None = None
) -> list[Task]:
    """As a batch schedules them: one a day from tomorrow on."""
    person = await here.person()

    def story(tx: Tx) -> list[Task]:
        sender = TextSender(
            batch_id=batch,
            group="main",
            chat_id=here.place(tx, here.chat),
            thread=None,
            owner=person.id,
            timezone="UTC",
            zone_of=ZoneOf.HOST,
            policy=policy or Policy(),
        )
        wanted = [
            TextToSend(title=f"Topic {text[:20]}", text=text, at=now() + timedelta(days=day))
            for day, text in enumerate(texts, start=1)
        ]
        made = stored_texts.add_many(tx, sender, wanted, now())
        return [task for number in made if (task := tasks.get(tx, number))]

    return await here.host.store.write(story)


async def comes(here: Tasks, task: Task, *, late: timedelta = timedelta()) -> None:
    """Its day, or one that passed while no host ran."""
    assert task.next_run_at
    await here.passes(task, task.next_run_at - now() + late)


async def clear(here: Tasks, *left: Task) -> None:
    for task in left:
        await here.command(task, "delete")


async def counted(here: Tasks) -> tuple[int, int]:
    """Turns and calls of models so far."""
    found = [sa.select(sa.func.count()).select_from(table) for table in (turns, costs)]
    a, b = await here.host.store.read(lambda tx: [tx.execute(each).scalar_one() for each in found])
    return a, b


async def test_a_stored_text_is_posted_as_it_is_once_without_a_turn_and_why_tells_it(here: Tasks) -> None:
    (task,) = await stored(here, "Coffee is **better** with friends.\n\n- one\n- two")
    before = await counted(here)
    await comes(here, task)
    (run,) = await here.ended(task)
    seen = await here.says("Coffee is better with friends.")
    assert "Task" not in seen.text
    assert [each["type"] for each in seen.entities] == ["bold"]
    assert (run.status, run.micros, run.result) == (RunStatus.SUCCESS, 0, task.stored_text)
    assert await counted(here) == before
    assert (await here.becomes(task, TaskStatus.COMPLETED)).run_count == 1
    await here.passes(task, timedelta())  # a second look at its row
    await here.looked_at(task)
    assert len(said("Coffee is better", here.chat)) == 1

    async def told() -> str | None:
        story = await here.host.store.read(lambda tx: explain(tx, run.message_id or "", Locale()))
        found = "\n".join(step.sentence for step in story.steps) if story else ""
        return found if "deliver" in found.lower() else None

    assert f"Task {task.id} was due" in await eventually(told)


async def test_a_text_can_be_edited_paused_and_sent_at_once_until_it_is_sent(here: Tasks) -> None:
    first, second, third = await stored(here, "First words", "Second words", "Third words")
    answer = await here.command(first, "edit", "text Better words")
    assert f"{first.id}" in answer
    async with here.tasks as client:
        changed = await client.edit(str(second.id), {"prompt": "Words of the page"})
        assert (changed.stored_text, changed.title) == ("Words of the page", "Topic Second words")
        assert (changed.cost_per_run_usd, changed.cost_per_month_usd) == (0, 0)
        with pytest.raises(Exception, match="written already"):
            await client.edit(str(second.id), {"model": "opus"})
    await here.command(first, "run")
    await here.says("Better words")
    await here.becomes(first, TaskStatus.COMPLETED)  # and its day brings it no second time
    assert (await here.now(first)).next_run_at is None
    assert "is done, so this cannot" in await here.command(first, "edit", "text Too late")
    await here.command(second, "pause")
    await comes(here, second)
    await here.looked_at(second)
    assert not said("Words of the page", here.chat)
    await here.command(third, "delete")
    assert (await here.now(third)).status is TaskStatus.DELETED
    await clear(here, second)


async def test_what_was_due_while_no_host_ran_follows_the_catch_up_policy(here: Tasks) -> None:
    made = await stored(here, "Made up for")
    dropped = await stored(here, "Never sent", policy=Policy(catch_up=CatchUp.NONE))
    stale = await stored(here, "Too old", policy=Policy(stale_after=timedelta(minutes=30)))
    for (task,) in (made, dropped, stale):
        await comes(here, task, late=timedelta(hours=2))
    await here.says("Made up for")
    assert (await here.ended(made[0]))[0].reason is RunReason.LATE
    for (task,) in (dropped, stale):
        assert (await here.ended(task))[0].status is RunStatus.MISSED
    assert not [each for each in here.chat.seen if each.text in ("Never sent", "Too old")]


async def test_many_texts_are_one_line_of_a_list_and_no_limit_of_tasks_counts_them(here: Tasks) -> None:
    texts = await stored(here, *(f"Text {number}" for number in range(30)))
    task = await here.make("look", when=FAR)  # one is allowed
    listed = await here.scene.command(here.chat, "/tasks")
    assert "📚 30 texts of batch abcde: next" in listed
    assert listed.count("\n") < 6
    assert f"{task.id} look" in listed
    async with here.tasks as client:
        assert [row.id for row in await client.all(100, over=False)] == [task.id]
        (line,) = await client.texts()
        assert (line.count, line.paused, line.short) == (30, 0, "abcde")
        assert (line.next_at, line.last_at) == (texts[0].next_run_at, texts[-1].next_run_at)
        begin = now()
        calendar = await client.calendar(begin, begin + timedelta(days=10, hours=1))
        assert len([each for each in calendar.coming if each.title.startswith("Topic")]) == 10
    await here.command(texts[0], "pause")
    assert "29" not in await here.scene.command(here.chat, "/tasks")
    assert "⏸ 1 paused" in await here.scene.command(here.chat, "/tasks")

    def forget(tx: Tx) -> None:
        for one in texts:
            tasks.mark(tx, one.id, status=TaskStatus.DELETED.value)

    await here.host.store.write(forget)
