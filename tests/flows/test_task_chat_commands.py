"""Flow F in a chat: `/schedule` and its card, the buttons under it, `/tasks` and its kin, and who may use them (F3)."""

from collections.abc import AsyncIterator
from datetime import timedelta
from zoneinfo import ZoneInfo

import pytest
import pytest_asyncio
from tests.task_scene import FAR, NEWS, Tasks, handle, task_scene
from tests.telegram_scene import found_group, shown

from nanoclaw.domain.people import Role
from nanoclaw.domain.schedules import ScheduleType
from nanoclaw.domain.tasks import TaskStatus
from nanoclaw.durable.clock import now

# One host for these tests. Every test takes back what it leaves.
pytestmark = [
    pytest.mark.asyncio(loop_scope="module"),
    pytest.mark.capability("F3"),
]

NOT_YOURS = "There is no task {} here that is yours. /tasks lists them."
KYIV = ZoneInfo("Europe/Kyiv")


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def stage(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Tasks]:
    home = tmp_path_factory.mktemp("commands") / "nanoclaw"
    async with task_scene(home) as tasks:
        found_group(home, "sales")
        yield tasks


@pytest_asyncio.fixture(loop_scope="module")
async def here(stage: Tasks) -> AsyncIterator[Tasks]:
    yield await stage.joined()
    await stage.clear_up()


def mondays(count: int, zone: ZoneInfo) -> list[str]:
    """The next times that a clock shows 8:00 on a monday there, as they are told."""
    local = now().astimezone(zone)
    first = local.replace(hour=8, minute=0, second=0, microsecond=0) + timedelta(days=-local.weekday() % 7)
    first += timedelta(days=7 if first <= local else 0)
    times = [first + timedelta(days=7 * number) for number in range(count)]
    return [f"Mon {at:%Y-%m-%d %H:%M} ({f'{at:%z}'[:3]}:{f'{at:%z}'[3:]})" for at in times]


@pytest.mark.capability("F1")
async def test_schedule_is_confirmed_with_the_next_three_times_on_the_person_s_own_clock(here: Tasks) -> None:
    await here.scene.command(here.chat, "/timezone Europe/Kyiv")
    task = await here.schedule(f"every monday 8:00 {NEWS}")
    assert (task.schedule.type, task.schedule.value) == (ScheduleType.CRON, "0 8 * * 1")
    assert (task.schedule.timezone, task.zone_of, task.prompt) == ("Europe/Kyiv", "person", NEWS)
    card = await here.card(task)
    lines = card.text.splitlines()
    assert lines[0] == f"🗓 Task {task.id}"
    assert NEWS in lines
    assert "The next 3 times:" in lines
    told = [line.lstrip("•- ").strip() for line in lines if "Mon 20" in line]
    assert told == mondays(3, KYIV)
    assert task.next_run_at
    assert f"{task.next_run_at.astimezone(KYIV):%Y-%m-%d %H:%M}" in told[0]
    assert "🕐 On Olena's clock: Europe/Kyiv" in lines
    assert card.labels == ["⏸ Pause", "✏️ Edit", "⚡ Run now", "🗑 Delete"]


@pytest.mark.capability("F1")
async def test_a_card_says_whose_clock_it_is_when_the_person_has_none(here: Tasks) -> None:
    task = await here.schedule(f"every monday 8:00 {NEWS}")
    card = await here.card(task)
    assert "🕐 On the clock of this host: UTC (/timezone sets your own)" in card.text
    assert mondays(1, ZoneInfo("UTC"))[0] in card.text


@pytest.mark.capability("F1")
async def test_a_card_speaks_the_language_of_its_reader(here: Tasks) -> None:
    await here.scene.command(here.chat, "/language uk")
    before = await here.newest()
    answer = await here.scene.command(here.chat, "/schedule щопонеділка о 8:00 надсилай мені новини")
    task = await here.newest()
    assert task
    assert task != before
    assert (task.schedule.value, task.prompt) == ("0 8 * * 1", "надсилай мені новини")
    assert f"🗓 Задача {task.id}" in answer
    assert "Наступні 3 рази:" in answer
    assert answer.count("пн 20") == 3
    (card,) = [seen for seen in here.chat.seen if seen.by_bot and "Наступні" in seen.text]
    assert card.labels == ["⏸ Пауза", "✏️ Змінити", "⚡ Запустити", "🗑 Видалити"]


@pytest.mark.capability("F1")
async def test_a_card_estimates_the_month_from_what_runs_like_it_cost(here: Tasks) -> None:
    task = await here.schedule(f"every monday 8:00 {NEWS}")
    month = now() + timedelta(days=30)
    runs = sum(1 for each in mondays(6, ZoneInfo("UTC")) if each[4:20] <= f"{month:%Y-%m-%d %H:%M}")
    assert f"💰 {runs} runs a month. What one costs is known after the first." in (await here.card(task)).text
    await here.spend(30_000, turn="t_one")
    await here.spend(10_000, turn="t_one")  # the second call of the same turn
    await here.spend(20_000, turn="t_two")
    await here.spend(5_000_000, turn="t_three", group="sales")  # another agent group has other habits
    task = await here.schedule(f"every monday 8:00 {NEWS} again")
    cost = f"💰 About $0.0300 a run, ${0.03 * runs:.4f} a month ({runs} runs), from the last 2 runs like it."
    assert cost in (await here.card(task)).text


@pytest.mark.capability("F1")
async def test_what_happens_once_has_one_time_and_no_month(here: Tasks) -> None:
    task = await here.schedule("in 2 hours call the bank")
    card = await here.card(task)
    assert "Next:" in card.text
    assert "🔁" not in card.text
    assert "times:" not in card.text
    assert task.next_run_at
    assert abs(task.next_run_at - now() - timedelta(hours=2)) < timedelta(minutes=1)


@pytest.mark.capability("F1")
async def test_a_time_that_cannot_be_is_refused_with_what_to_write_instead(here: Tasks) -> None:
    refused = {
        "* * * * * * hello": "seconds are not known here",
        "61 * * * * hello": 'the minute "61" cannot be used. Write 0 to 59',
        "0 9 31 2 * hello": "never comes: there is no such day",
        "every 0 minutes hello": "A task can run once a minute at most",
        "2020-01-01 08:00 hello": "2020-01-01 08:00",
        "someday hello": "does not begin with a time that can be understood",
        "send me the news every monday at 8": "The time comes first",
        "yesterday at 9:00 hello": "is over already",
        "every monday 8:00": "What is to be done is missing",
        "": "Write when and what: /schedule every monday 8:00 send me the news",
    }
    before = await here.newest()
    for line, words in refused.items():
        assert words in await here.scene.command(here.chat, f"/schedule {line}".strip()), line
    assert await here.newest() == before


async def test_the_buttons_pause_and_resume_a_task(here: Tasks) -> None:
    task = await here.schedule(f"every monday 8:00 {NEWS}")
    card = await here.card(task)
    assert await here.press(card, "⏸ Pause") == "Taken."
    card = await here.card_says(task, "is paused")
    assert card.labels == ["▶️ Resume", "✏️ Edit", "⚡ Run now", "🗑 Delete"]
    assert "The next" not in card.text
    assert (await here.now(task)).status is TaskStatus.PAUSED
    assert (await here.scene.audit())[0].action == "task-paused"
    await here.due(task)  # a moment that comes now is not used
    await here.looked_at(task)
    assert await here.runs(task) == []

    assert await here.press(card, "▶️ Resume") == "Taken."
    card = await here.card_says(task, "The next 3 times:")
    resumed = await here.now(task)
    assert resumed.status is TaskStatus.ACTIVE
    assert resumed.next_run_at
    assert resumed.next_run_at > now()
    assert "⏸ Pause" in card.labels


async def test_a_task_is_deleted_only_after_it_was_asked_again(here: Tasks) -> None:
    task = await here.schedule(f"every monday 8:00 {NEWS}")
    card = await here.card(task)
    assert await here.press(card, "🗑 Delete") == f"Delete task {task.id}: {NEWS}?"
    await here.chat.wait_until(lambda: shown(card).labels == ["🗑 Yes, delete", "← Back"])
    await here.press(shown(card), "← Back")
    await here.chat.wait_until(lambda: "⏸ Pause" in shown(card).labels)
    assert (await here.now(task)).status is TaskStatus.ACTIVE

    await here.press(shown(card), "🗑 Delete")
    await here.chat.wait_until(lambda: "🗑 Yes, delete" in shown(card).labels)
    sure = shown(card)
    await here.press(sure, "🗑 Yes, delete")
    assert "was deleted" in await here.scene.settled(card)
    assert (await here.now(task)).status is TaskStatus.DELETED
    assert await here.press(sure, "🗑 Yes, delete") == NOT_YOURS.format(task.id)


async def test_a_new_time_is_given_by_a_reply(here: Tasks) -> None:
    task = await here.schedule(f"every monday 8:00 {NEWS}")
    card = await here.card(task)
    await here.press(card, "✏️ Edit")
    await here.chat.wait_until(lambda: shown(card).labels == ["🕐 The time", "📝 The text", "← Back"])
    await here.press(shown(card), "🕐 The time")
    asks = await here.says(f"When shall task {task.id} run?")
    await here.is_known(asks)
    await here.scene.owner.says(here.chat, "whenever", reply_to=asks)
    await here.says('"whenever" is no time that can be understood')
    assert (await here.now(task)).schedule == task.schedule

    await here.is_known(asks)
    await here.scene.owner.says(here.chat, "every day 9:30", reply_to=asks)
    await here.card_says(task, "every day at 09:30")
    edited = await here.now(task)
    assert (edited.schedule.value, edited.prompt) == ("30 9 * * *", NEWS)
    assert edited.next_run_at
    assert (edited.next_run_at.hour, edited.next_run_at.minute) == (9, 30)
    assert not any("whenever" in each or "9:30" in each for each in here.agent.heard)


async def test_a_new_text_is_given_by_a_reply(here: Tasks) -> None:
    task = await here.schedule(f"every monday 8:00 {NEWS}")
    card = await here.card(task)
    await here.press(card, "✏️ Edit")
    await here.chat.wait_until(lambda: "📝 The text" in shown(card).labels)
    await here.press(shown(card), "📝 The text")
    asks = await here.says(f"What shall task {task.id} do?")
    await here.is_known(asks)
    await here.scene.owner.says(here.chat, "send me the weather", reply_to=asks)
    await here.card_says(task, "send me the weather")
    edited = await here.now(task)
    assert (edited.prompt, edited.schedule) == ("send me the weather", task.schedule)
    assert (await here.scene.audit())[0].action == "task-edited"


async def test_only_who_owns_a_task_or_administers_its_group_may_press(here: Tasks) -> None:
    mia, _ = await here.meet("Mia", within={"main": Role.MEMBER})
    tom, _ = await here.meet("Tom", within={"main": Role.MEMBER})
    zoe, _ = await here.meet("Zoe", within={"sales": Role.ADMIN})
    ada, _ = await here.meet("Ada", within={"main": Role.ADMIN})
    eve = here.scene.server.person("Eve")
    group = await here.group("Team", here.scene.owner, mia, tom, zoe, ada, eve)
    task = await here.schedule(f"every monday 8:00 {NEWS}", by=mia, chat=group)
    card = await here.card(task, group)
    for other in (tom, zoe):
        assert await here.press(card, "⏸ Pause", by=other) == NOT_YOURS.format(task.id)
    assert await here.press(card, "⏸ Pause", by=eve) == "You may not decide this."
    for label in ("✏️ Edit", "⚡ Run now", "🗑 Delete"):
        assert await here.press(card, label, by=tom) == NOT_YOURS.format(task.id)
    assert (await here.now(task)).status is TaskStatus.ACTIVE
    assert await here.runs(task) == []

    assert await here.press(card, "⏸ Pause", by=mia) == "Taken."
    await here.card_says(task, "is paused", group)
    assert await here.press(shown(card), "▶️ Resume", by=ada) == "Taken."
    await here.card_says(task, "The next 3 times:", group)

    await here.block(mia)
    assert await here.press(shown(card), "⏸ Pause", by=mia) == "You may not decide this."
    assert (await here.now(task)).status is TaskStatus.ACTIVE


async def test_a_reply_of_someone_else_changes_nothing(here: Tasks) -> None:
    tom, _ = await here.meet("Tom", within={"main": Role.MEMBER})
    group = await here.group("Team", here.scene.owner, tom)
    task = await here.schedule(f"every monday 8:00 {NEWS}", chat=group)
    card = await here.card(task, group)
    await here.press(card, "✏️ Edit")
    await group.wait_until(lambda: "📝 The text" in shown(card).labels)
    await here.press(shown(card), "📝 The text")
    asks = await here.says(f"What shall task {task.id} do?", group)
    await here.is_known(asks, group)
    await tom.says(group, "send all the money", reply_to=asks)
    await here.says(NOT_YOURS.format(task.id), group)
    assert (await here.now(task)).prompt == NEWS


async def test_tasks_lists_what_may_be_seen_from_there(here: Tasks) -> None:
    sam, sams = await here.meet("Sam", within={"sales": Role.MEMBER})
    ours = await here.make("count the stock")
    theirs = await here.make("call the customers", owner=handle(sam), chat=sams, group="sales")
    from_main = await here.scene.command(here.chat, "/tasks")
    assert f"{ours.id} count the stock" in from_main
    assert f"{theirs.id} call the customers" in from_main
    from_sales = await here.scene.command(sams, "/tasks", by=sam)
    assert f"{theirs.id} call the customers" in from_sales
    assert "count the stock" not in from_sales
    # The owner sees in a chat of the other group only what belongs to it.
    room = await here.group("Sales", here.scene.owner, sam, agent="sales")
    there = await here.scene.command(room, "/tasks@helper_bot")
    assert "call the customers" in there
    assert "count the stock" not in there
    assert await here.scene.command(room, f"/task_pause@helper_bot {ours.id}") == NOT_YOURS.format(ours.id)
    assert (await here.now(ours)).status is TaskStatus.ACTIVE
    await here.scene.command(here.chat, f"/task_pause {theirs.id}")
    assert (await here.now(theirs)).status is TaskStatus.PAUSED


async def test_every_button_has_a_command_that_does_the_same(here: Tasks) -> None:
    task = await here.schedule(f"every monday 8:00 {NEWS}")
    command = here.scene.command
    assert f"Task {task.id} is paused: {NEWS}" in await command(here.chat, f"/task-pause {task.id}")
    assert "is paused" in (await here.card_says(task, "is paused")).text
    assert await command(here.chat, f"/task_pause {task.id}") == f"Task {task.id} is paused already."
    resumed = await command(here.chat, f"/task-resume #{task.id}")
    assert f"Task {task.id} goes on: {NEWS}. Next: {mondays(1, ZoneInfo('UTC'))[0]}" in resumed
    assert await command(here.chat, f"/task_resume {task.id}") == f"Task {task.id} is active, not paused."
    edited = await command(here.chat, f"/task-edit {task.id} time every day 9:00")
    assert "every day at 09:00" in edited
    assert "Mondays at 10:00" in await command(here.chat, f"/task_edit {task.id} every monday at 10")
    assert "every day at 07:00" in await command(here.chat, f"/task_edit {task.id} час щодня о 7")
    for wrong in ("", "colour red", "time"):
        told = await command(here.chat, f"/task_edit {task.id} {wrong}")
        assert f"Write what to change: /task_edit {task.id} time" in told
    await command(here.chat, f"/task_edit {task.id} text look at the weather")
    assert (await here.now(task)).prompt == "look at the weather"
    assert await command(here.chat, f"/task_cancel {task.id}") == (
        f"Task {task.id} is not being done right now."
    )
    assert f"Task {task.id} runs now" in await command(here.chat, f"/task-run {task.id}")
    await here.ended(task)
    await here.says("heard look at the weather")
    history = await command(here.chat, f"/task-history {task.id}")
    assert "✅ done" in history
    assert "heard look at the weather" in history
    assert f"Task {task.id} is deleted" in await command(here.chat, f"/task-delete {task.id}")
    assert await command(here.chat, f"/task_history {task.id}") == NOT_YOURS.format(task.id)


async def test_a_number_that_is_none_of_theirs_is_said_to_be_none(here: Tasks) -> None:
    changing = ("task-pause", "task-resume", "task-run", "task-edit", "task-cancel", "task-delete")
    commands = (*changing, "task-history")
    for name in commands:
        for number in ("999999", "-1", "1.5", "x", "٣", "9" * 30):
            said_there = await here.scene.command(here.chat, f"/{name} {number}")
            assert said_there == NOT_YOURS.format(number[:20]), (name, number)
        assert "Which task? Write its number" in await here.scene.command(here.chat, f"/{name}")


async def test_strangers_and_the_blocked_schedule_nothing(here: Tasks) -> None:
    eve = here.scene.server.person("Eve")
    mia, mias = await here.meet("Mia", within={"main": Role.MEMBER})
    await here.block(mia)
    before = await here.newest()
    await here.scene.why(await eve.says(eve.chat_with(here.scene.bot), f"/schedule {FAR} {NEWS}"), "held")
    assert await here.scene.dropped(await mia.says(mias, f"/schedule {FAR} {NEWS}"))
    assert await here.newest() == before
