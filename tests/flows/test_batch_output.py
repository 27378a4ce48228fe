"""Flow I, the end: texts are reviewed one by one, go out one a day, or become files (SPEC I1)."""

import csv
import io
import zipfile
from collections.abc import AsyncIterator
from datetime import UTC, date, datetime, time, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest
import pytest_asyncio
from tests.batch_scene import Written, actor, batch_of
from tests.task_scene import Tasks, handle, said, task_scene
from tests.telegram_scene import eventually

from nanoclaw.domain.batch_plans import TextRhythm
from nanoclaw.domain.batches import BatchStatus, ItemState, TextVerdict
from nanoclaw.domain.errors import NotFound, Refused
from nanoclaw.domain.people import Role
from nanoclaw.domain.tasks import Task
from nanoclaw.durable import batches, stored_texts, tasks
from nanoclaw.durable.clock import now
from nanoclaw.durable.store import Tx
from nanoclaw.flows.batches.schedule import Planned
from nanoclaw.testing.telegram.chats import SeenMessage

pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.capability("I1")]


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def stage(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Tasks]:
    home = tmp_path_factory.mktemp("batch-output") / "nanoclaw"
    async with task_scene(home) as scene:
        yield scene


@pytest_asyncio.fixture(loop_scope="module")
async def here(stage: Tasks) -> AsyncIterator[Tasks]:
    yield await stage.joined()
    await stage.clear_up()


async def plan(here: Tasks, batch: Written, by: str = "", **how: Any) -> Planned:
    def story(tx: Tx) -> Planned:
        who = actor(tx, by or handle(here.scene.owner))
        return here.host.batch_output_parts.schedule.plan(tx, batch.id, who, now(), **how)

    return await here.host.store.write(story)


async def sent_by(here: Tasks, batch: Written) -> list[Task]:
    return await here.host.store.read(lambda tx: stored_texts.of_batch(tx, batch.id, 100_000))


async def ask(here: Tasks, batch: Written) -> SeenMessage:
    """The card at its end, found by its question: other cards in the same chat may still have their buttons."""

    def story(tx: Tx) -> str:
        found = batches.locked(tx, batch.id)
        assert found
        here.host.batch_output_parts.afterwards.ask(tx, found, now())
        asking = batches.get(tx, batch.id)
        assert asking
        return str((asking.plan or {})["asked"]["question"])

    question = await here.host.store.write(story)

    def cards() -> list[SeenMessage]:
        shown = said("posts about coffee", here.chat)
        return [
            each for each in shown if any(question in button.data for row in each.buttons for button in row)
        ]

    await here.chat.wait_until(cards)
    return cards()[-1]


async def test_an_hour_stays_the_same_hour_when_the_clocks_change() -> None:
    rhythm = TextRhythm(
        day=date(2026, 10, 23), times=(time(3, 30), time(18)), weekdays=True, timezone="Europe/Kyiv"
    )
    kyiv = ZoneInfo("Europe/Kyiv")
    walls = [
        f"{moment.astimezone(kyiv):%a %d %H:%M}"
        for (moment, _), _ in zip(rhythm.moments(), range(5), strict=False)
    ]
    assert walls == ["Fri 23 03:30", "Fri 23 18:00", "Mon 26 03:30", "Mon 26 18:00", "Tue 27 03:30"]
    spring = TextRhythm(day=date(2026, 3, 28), times=(time(3, 30),), timezone="Europe/Kyiv")
    found = [moment for (moment, _), _ in zip(spring.moments(), range(3), strict=False)]
    # On the 29th there is no half past three: it counts at the moment of the change.
    assert [each.astimezone(UTC).strftime("%d %H:%M") for each in found] == [
        "28 01:30",
        "29 01:00",
        "30 00:30",
    ]
    assert TextRhythm.read(rhythm.row()) == rhythm
    for day in range(7):
        for weekdays in (True, False):
            each = TextRhythm(
                day=date(2026, 11, 16 + day),
                times=(time(9), time(18)),
                weekdays=weekdays,
                timezone="Europe/Kyiv",
                slot=day % 2 * (not weekdays),
            )
            walked = [moment for (moment, _), _ in zip(each.moments(), range(40), strict=False)]
            assert [each.moment(place) for place in range(40)] == walked


async def test_one_a_day_makes_a_task_for_each_text_that_passed_and_twice_makes_them_once(
    here: Tasks,
) -> None:
    batch = await batch_of(here, "First text", "!Faulty text", "Third text", "", "Fifth text")
    planned = await plan(here, batch)
    again = await plan(here, batch)
    assert (planned.count, again.count) == (3, 0)
    waiting = await sent_by(here, batch)
    assert [task.stored_text for task in waiting] == ["First text", "Third text", "Fifth text"]
    tomorrow = now().date() + timedelta(days=1)
    at_ten = [datetime.combine(tomorrow + timedelta(days=day), time(10), UTC) for day in range(3)]
    assert [task.next_run_at for task in waiting] == at_ten
    assert (planned.first, planned.last) == (at_ten[0], at_ten[-1])
    assert (await batch.item(3)).task_id == waiting[1].id
    assert (await batch.item(2)).task_id is None
    assert (await batch.now()).status is BatchStatus.DONE
    # A deleted text can be scheduled again, after those that wait.
    await here.command(waiting[0], "delete")
    later = await plan(here, batch)
    assert (later.count, later.first) == (1, at_ten[-1] + timedelta(days=1))
    assert (await batch.item(1)).task_id not in (None, waiting[0].id)


async def test_what_a_person_approved_is_scheduled_and_nothing_else(here: Tasks) -> None:
    batch = await batch_of(here, "One", "Two", "Three")
    review = here.host.batch_output_parts.review
    me = handle(here.scene.owner)
    await here.host.store.write(lambda tx: review.approve(tx, batch.id, 2, actor(tx, me), now()))
    first = now().date() + timedelta(days=5)
    planned = await plan(here, batch, first=first, times=(time(9), time(18)))
    (task,) = await sent_by(here, batch)
    assert (planned.count, task.stored_text) == (1, "Two")
    assert task.next_run_at == datetime.combine(first, time(9), UTC)
    # Its text stays the same in the batch and in the task, whichever is changed.
    await here.command(task, "edit", "text Two, but better")
    assert (await batch.item(2)).text == "Two, but better"
    await here.host.store.write(lambda tx: review.edit(tx, batch.id, 2, "Two at last", actor(tx, me), now()))
    assert (await here.now(task)).stored_text == "Two at last"
    with pytest.raises(Refused, match="batch-item-scheduled"):
        await here.host.store.write(lambda tx: review.reject(tx, batch.id, 2, actor(tx, me), now()))


@pytest.mark.parametrize(
    ("how", "key"),
    [
        ({"first": date(2020, 1, 1)}, "batch-first-past"),
        ({"times": ()}, "batch-times"),
        ({"chat_id": "c_none"}, "task-not-wired"),
    ],
)
async def test_a_plan_that_cannot_be_is_refused(here: Tasks, how: dict[str, Any], key: str) -> None:
    batch = await batch_of(here, "One")
    with pytest.raises(Refused, match=key):
        await plan(here, batch, **how)
    assert not await sent_by(here, batch)


async def test_only_who_started_it_and_admins_decide_about_its_texts(here: Tasks) -> None:
    batch = await batch_of(here, "One")
    member, _ = await here.meet("Petro", within={"main": Role.MEMBER})
    stranger, _ = await here.meet("Ivan")
    with pytest.raises(Refused, match="batch-not-yours"):
        await plan(here, batch, handle(member))
    with pytest.raises(NotFound, match="batch-unknown"):
        await plan(here, batch, handle(stranger))
    none = await batch_of(here, "!Faulty")
    with pytest.raises(Refused, match="batch-nothing-to-schedule"):
        await plan(here, none)
    running = await batch_of(here, "One")
    await here.host.store.write(lambda tx: batches.mark(tx, running.id, status="running"))
    with pytest.raises(Refused, match="batch-not-ready"):
        await plan(here, running)


async def test_a_thousand_texts_are_scheduled_in_lots_by_the_story(here: Tasks) -> None:
    batch = await batch_of(here, *(f"Text {number}" for number in range(1000)))
    planned = await plan(here, batch, times=(time(9), time(12), time(15)))
    assert planned.count == 1000

    async def all_of_them() -> bool | None:
        return (await batch.now()).status is BatchStatus.DONE or None

    await eventually(all_of_them)
    waiting = await sent_by(here, batch)
    assert [task.stored_text for task in waiting] == [f"Text {number}" for number in range(1000)]
    assert len({task.next_run_at for task in waiting}) == 1000
    assert waiting[-1].next_run_at == planned.last

    def forget(tx: Tx) -> None:
        for task in waiting:
            tasks.mark(tx, task.id, status="deleted")

    await here.host.store.write(forget)


async def test_texts_are_reviewed_card_by_card_and_then_go_out(here: Tasks) -> None:
    batch = await batch_of(here, "Good text", "!Odd text", "Bad text", "So-so text")
    await here.press(await ask(here, batch), "👀 Review one by one")
    await here.press(await here.says("Text 1 of 4"), "✅ Approve")
    second = await here.says("Text 2 of 4")
    assert "⚠️" in second.text
    assert "A reply in your own words has it written again" in second.text
    await here.press(second, "✏️ Change")
    await here.says("write it as it should be")
    await here.scene.owner.says(here.chat, "My own words")
    await here.press(await here.says("Text 3 of 4"), "❌ Reject")
    fourth = await here.says("Text 4 of 4")
    await here.is_known(fourth)
    await here.scene.owner.says(here.chat, "Shorter, please", reply_to=fourth)
    await here.says("2 approved, 1 rejected, 1 written again.")
    verdicts = [(item.verdict, item.text) for item in await batch.items()]
    assert verdicts[:3] == [
        (TextVerdict.APPROVED, "Good text"),
        (TextVerdict.APPROVED, "My own words"),
        (TextVerdict.REJECTED, "Bad text"),
    ]
    last = await batch.item(4)
    assert (last.state, last.attempt, last.note) == (ItemState.WAITING, 2, "Shorter, please")
    assert not (await batch.item(2)).faults  # the rewritten text was checked again
    await here.scene.owner.says(here.chat, f"/batch_results {batch.id[-5:]}")
    listed = await here.says("• ✅ 1. Topic 1: coffee/beans · 👍 approved")
    assert "• ✅ 3. Topic 3: coffee/beans · 🗑 rejected" in listed.text


async def test_the_card_at_the_end_schedules_one_a_day_or_saves_files(here: Tasks) -> None:
    batch = await batch_of(here, "First text", "=Second text")
    await here.press(await ask(here, batch), "📅 One a day")
    told = await here.says("2 texts are scheduled")
    assert "10:00" in told.text
    task, _ = await sent_by(here, batch)
    other = await batch_of(here, "First text", "!Odd text", "")
    await here.host.store.write(lambda tx: batches.mark_item(tx, other.id, 1, topic="=1+1/..\\x: <b> a.b"))
    await here.press(await ask(here, other), "💾 Save as files")
    await here.chat.wait_until(lambda: [each for each in here.chat.seen if each.kind == "document"])
    saved = here.chat.seen[-1].caption
    folder = here.host.home / "groups" / "main" / "files" / "batches" / other.id
    assert f"groups/main/files/batches/{other.id}" in saved
    names = sorted(path.name for path in folder.iterdir())
    assert names == ["001-=1+1-x_-_b_-a-b.md", "002-topic-2_-coffee-beans.md", "all.md", "index.csv"]
    rows = list(csv.DictReader(io.StringIO((folder / "index.csv").read_text("utf-8"))))
    assert [row["number"] for row in rows] == ["1", "2"]
    assert rows[0]["topic"].startswith("'=")  # no formula
    assert rows[1]["faults"] == "the text is empty"
    assert (folder / rows[0]["file"]).read_text("utf-8") == "First text"
    assert "First text" in (folder / "all.md").read_text("utf-8")
    kept = here.host.home / "data" / "attachments" / f"{other.id}.zip"
    with zipfile.ZipFile(kept) as archive:
        assert sorted(archive.namelist()) == names
    assert (await other.now()).status is BatchStatus.DONE
    await here.scene.owner.says(here.chat, f"/batch_results {batch.id[-5:]}")
    listed = await here.says(f"1. Topic 1: coffee/beans · 🗓 task {task.id}")
    assert f"/task_edit {task.id} text" in listed.text
