"""What people do to a plan beside answering it: presses that come too late, two plans, a day's rest, odd words."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
import pytest_asyncio
import sqlalchemy as sa
from tests.plan_scene import DONE, FIRST, REFRESH, STORAGE, Planner, PlanScene, asks, planning, question
from tests.telegram_scene import eventually, shown

from nanoclaw.domain.locale import Locale
from nanoclaw.domain.parcels import ParcelState
from nanoclaw.domain.plans import Plan, PlanState
from nanoclaw.durable import plans, work
from nanoclaw.durable.clock import now
from nanoclaw.durable.store import Tx
from nanoclaw.durable.tables import costs, parcels, sent
from nanoclaw.durable.why import explain
from nanoclaw.testing.telegram.server import Call

pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.capability("Q1", "Q2")]


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def stage(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[PlanScene]:
    async with planning(tmp_path_factory.mktemp("plan") / "nanoclaw", Planner()) as scene:
        yield scene


@pytest_asyncio.fixture(loop_scope="module")
async def scene(stage: PlanScene) -> PlanScene:
    return await stage.with_someone("Taras")


async def test_presses_that_come_twice_late_or_out_of_order_change_nothing_and_are_told(
    scene: PlanScene,
) -> None:
    first = await scene.begin()
    assert "first question" in await scene.press(first, "← Back")
    pressed = await asyncio.gather(scene.press(first, "Express"), scene.press(first, "Hono"))
    second = await scene.delivered("Q2 of 3")
    assert sorted(map(len, pressed))[0] < 10 < sorted(map(len, pressed))[1]  # one counts, the other is told
    before = await scene.plan()
    for data in (
        "iq:a:0:1",
        "iq:a:2:0",
        "iq:a:9:0",
        "iq:a:1:7",
        "iq:a:1",
        "iq:t:1",
        "iq:confirm",
        "iq:edit",
        "iq:eq:0",
    ):
        assert await scene.forge(second, f"iq:{data}"), data
        assert await scene.plan() == before, data
    assert "answered before" in await scene.forge(second, "iq:a:0:1")
    await scene.press(second, "Cookies")
    summary = await scene.answers("Yes")
    assert "answered before" in await scene.forge(summary, "iq:a:1:1")
    await asyncio.gather(
        scene.press(summary, "✅ Confirm & Start"), scene.press(summary, "✅ Confirm & Start")
    )
    await scene.chat.wait_until(lambda: "Done as planned." in scene.chat.texts())
    assert len(scene.planner.turns) == 1
    for data in ("iq:confirm", "iq:a:0:0", "iq:back", "iq:cancel"):
        assert "is over" in await scene.forge(summary, data)


async def test_back_pressed_twice_before_the_card_has_changed_counts_once(scene: PlanScene) -> None:
    card = await scene.begin()
    for label in ("Express", "Cookies"):
        await scene.press(await scene.shown_with(label), label)
    await scene.delivered("Q3 of 3")
    pressed = asyncio.Event()

    async def slowly(call: Call) -> None:
        if call.method == "editMessageText":
            await pressed.wait()

    scene.server.on_call = slowly
    await scene.press(card, "← Back")
    assert "has changed meanwhile" in await scene.press(card, "← Back")
    pressed.set()
    scene.server.on_call = None
    await scene.card("Q2 of 3")
    assert (await scene.plan()).current == 1


async def test_a_press_that_is_quicker_than_the_answer_of_the_network_counts(scene: PlanScene) -> None:
    card = await scene.begin()
    plan = await scene.plan()

    def forget(tx: Tx) -> None:
        """As if Telegram had shown the card and not said so yet."""
        known = sa.update(parcels).where(parcels.c.id == plan.parcel_id)
        tx.execute(known.values(platform_id=None, state=ParcelState.SENDING.value))
        tx.execute(sa.delete(sent).where(sent.c.subject == plan.parcel_id))

    await scene.delivered("Q1 of 3")
    await scene.host.store.write(forget)
    assert await scene.press(card, "Express") == "Express"
    assert (await scene.plan()).current == 1
    await scene.host.store.write(forget)
    assert "is over" in await scene.press(card, "Express")


async def test_a_second_plan_asks_which_one_to_keep(scene: PlanScene) -> None:
    scene.planner.will_ask(FIRST, asks(STORAGE, REFRESH), DONE)
    first = await scene.begin()
    await scene.press(first, "Express")
    await scene.card("Q2 of 3")
    await scene.owner.says(scene.chat, "/plan paint the *fence*")
    which = await scene.card("Which one do you want to keep?")
    assert "already planning: add JWT authentication" in which.text
    assert "paint the *fence*" in which.text
    await scene.owner.says(scene.chat, "/plan paint the gate")
    newer = await scene.card("paint the gate")
    assert not shown(which).buttons
    await scene.press(newer, "↩️ The old one")
    await scene.settled(first)
    again = await scene.card("Q2 of 3")
    assert again.id not in (first.id, which.id, newer.id)  # where the person looks now
    await scene.owner.says(scene.chat, "/plan paint the gate")
    await scene.press(await scene.card("Which one do you want"), "🆕 The new one")
    assert "Planning: paint the gate" in (await scene.card("Q1 of 2")).text
    assert "Given up for another" in shown(again).text
    await scene.press(scene.cards("Q1 of 2")[-1], "✖ Cancel")


async def test_left_alone_for_a_day_it_rests_and_is_taken_up_again(scene: PlanScene) -> None:
    card = await scene.begin()
    await scene.press(card, "Express")
    await scene.card("Q2 of 3")
    await _pass_a_day(scene)
    resting = await scene.card("so this plan rests")
    assert "Cookies" in resting.labels
    assert await scene.ask("and the weather?") == ["As you wish."]  # no answer to the plan
    await scene.press(resting, "Cookies")
    after = await scene.card("Q3 of 3")
    assert "rests" not in after.text
    await _pass_a_day(scene)
    await scene.card("so this plan rests")
    await scene.owner.says(scene.chat, "/plan")
    await scene.chat.wait_until(lambda: not shown(card).buttons)
    again = await scene.card("Q3 of 3")
    assert again.id != card.id
    assert "rests" not in again.text
    assert "It goes on below." in shown(card).text


async def test_who_wants_to_type_after_a_rest_is_heard(scene: PlanScene) -> None:
    await scene.begin()
    await _pass_a_day(scene)
    await scene.press(await scene.card("so this plan rests"), "✍️ Type your own")
    await scene.owner.says(scene.chat, "Rails")
    await scene.card("Q2 of 3")
    assert (await scene.plan()).answers[0] == "Rails"


async def test_odd_words_long_ones_and_those_of_others(scene: PlanScene) -> None:
    long = "add JWT " + "x" * 9_992
    same_values = [{"label": "Yes", "value": "x"}, {"label": "No", "value": "x"}]
    scene.planner.will_ask(
        asks(
            question("Why? " * 60, "A label that is much longer than a button", "Short", free=True),
            {"question": "Refresh tokens?", "options": same_values},
            goal="../../etc",
            description="Додати вхід / через JWT",
        ),
        DONE,
    )
    card = await scene.begin(long)
    assert len(card.text) < 1000
    assert card.labels[0] == "A label that is muc…"
    assert "• A label that is much longer than a button" in card.text
    plan = await scene.plan()
    assert (plan.task, len(plan.questions[0].question)) == (long, 299)
    told = await scene.command(scene.chat, "y" * 2_001)
    assert "yours has 2001" in told.replace(",", "")
    assert await scene.plan() == plan
    assert "yours has 10001" in (await scene.command(scene.chat, "/plan " + "x" * 10_001)).replace(",", "")
    await scene.owner.says(scene.chat, "short")  # an option, by its label
    await scene.card("Q2 of 2")
    await scene.owner.says(scene.chat, "2")  # by its number, where only the options count
    assert "Refresh tokens? → No" in (await scene.card("Plan Ready")).text
    plan = await scene.plan()
    assert plan.answers == ("short", "No")
    assert plan.path
    assert plan.path.startswith(".claude/todos/etc/dodaty-vkhid")


async def test_the_file_follows_no_link_and_takes_no_name_of_another_plan(
    scene: PlanScene, tmp_path: Path
) -> None:
    files = scene.host.home / "groups" / "main" / "files" / ".claude" / "todos"
    outside = tmp_path / "outside"
    outside.mkdir()
    files.mkdir(parents=True, exist_ok=True)
    (files / "trap").symlink_to(outside)
    scene.planner.will_ask(asks(REFRESH, goal="trap"), DONE, asks(REFRESH, goal="trap"), DONE)
    paths = []
    for _ in range(2):
        await scene.begin()
        summary = await scene.answers("Yes")
        paths.append((await scene.plan()).path)
        await scene.press(summary, "✅ Confirm & Start")
        await scene.plan_in(PlanState.DONE)
        await scene.settled(summary)
    assert paths == [f".claude/todos/trap/implement-jwt{number}.md" for number in ("", "-2")]
    assert not list(outside.iterdir())
    assert not (files / "trap").is_symlink()


async def _pass_a_day(scene: PlanScene) -> None:
    plan = await scene.plan()

    async def is_quiet() -> bool | None:
        """The story has looked at the last change."""
        due = await scene.host.store.read(lambda tx: work.due_at(tx, work.PLAN, plan.id))
        return True if due and due > now() else None

    await eventually(is_quiet)

    def story(tx: Tx) -> None:
        found: Plan | None = plans.get(tx, plan.id)
        assert found
        plans.save(tx, replace(found, updated_at=found.updated_at - timedelta(hours=25)))
        work.due(tx, work.PLAN, plan.id, now())

    await scene.host.store.write(story)


async def test_a_reply_to_another_card_wins_then_the_plan_then_the_newest_input(scene: PlanScene) -> None:
    await scene.owner.says(scene.chat, "/interview pricing")
    asked = await scene.card("Pricing · 1 of 3")
    await scene.begin()
    await scene.owner.says(scene.chat, "for the plan")
    await scene.card("Q2 of 3")
    await scene.owner.says(scene.chat, "One bag costs 14 euros", reply_to=asked)
    await scene.card("Pricing · 2 of 3")
    assert (await scene.plan()).answers == ("for the plan", None, None)
    assert "No turn is running" in await scene.command(scene.chat, "/status")
    card = scene.cards("Q2 of 3")[-1]
    await scene.press(card, "✖ Cancel")
    await scene.settled(card)
    await scene.owner.says(scene.chat, "No discounts for anyone, ever")
    await scene.card("Pricing · 3 of 3")


async def test_each_thread_has_a_plan_of_its_own(scene: PlanScene) -> None:
    forum = scene.server.group("Forum", scene.bot, members=[scene.owner], forum=True)
    await scene.command(forum, "/wire main")
    topics = [forum.topic(name) for name in ("Prices", "Texts")]
    scene.planner.will_ask(FIRST, asks(STORAGE, REFRESH))
    await scene.owner.says(forum, "/plan@helper_bot add JWT authentication", topic=topics[0])
    first = await scene.card("Q1 of 3", forum)
    await scene.owner.says(forum, "/plan@helper_bot store the tokens", topic=topics[1])
    second = await scene.card("Q1 of 2", forum)
    assert [each.topic for each in (first, second)] == [each.id for each in topics]
    await scene.press(first, "Hono")
    await scene.card("Q2 of 3", forum)
    assert shown(second).text == second.text


async def test_in_ukrainian_cards_file_and_run_are_ukrainian(stage: PlanScene) -> None:
    scene = await stage.with_someone("Оксана", language="uk")
    cookies = question("Де зберігати токени?", "У cookies", "У памʼяті", free=True)
    scene.planner.will_ask(asks(cookies, goal="вхід", description="додати вхід"), DONE)
    await scene.owner.says(scene.chat, "/plan додати вхід через JWT")
    card = await scene.card("Запитання 1 з 1 ▓▓▓▓▓▓▓▓▓▓ 100%")
    assert card.text.startswith("📋 Плануємо: додати вхід через JWT")
    assert card.labels == ["У cookies", "У памʼяті", "✍️ Своя відповідь", "← Назад", "✖ Скасувати"]
    assert "in Ukrainian" in scene.planner.prompts[0]
    await scene.press(card, "У cookies")
    summary = await scene.card("План готовий")
    assert summary.labels == ["✅ Підтвердити й почати", "✏️ Змінити відповіді"]
    plan = await scene.plan()
    saved = scene.host.home / "groups" / "main" / "files" / (plan.path or "")
    assert "**Запитання: Де зберігати токени?**\nВідповідь: У cookies" in saved.read_text("utf-8")
    await scene.press(summary, "✅ Підтвердити й почати")
    await scene.chat.wait_until(lambda: "🚀 Починаю..." in scene.chat.texts())
    await eventually(lambda: _is_true(bool(scene.planner.turns)))
    assert "Завдання: додати вхід через JWT" in scene.planner.turns[0]


async def test_why_tells_the_whole_story_and_the_run_is_found_by_both_messages(scene: PlanScene) -> None:
    await scene.begin()
    asked = [each for each in scene.chat.seen if each.text.startswith("/plan")][-1]
    summary = await scene.answers("Express", "Memory", "No")
    await scene.press(summary, "✅ Confirm & Start")
    await scene.chat.wait_until(lambda: "Done as planned." in scene.chat.texts())
    told = await scene.why(asked, "answered")
    sentences = [each.sentence for each in told.steps]
    for words in (
        "Round 1: the model asks 3 questions",
        "Question 1 was answered: Express",
        "Round 2: the model has no more questions",
        "confirmed the plan with 3 answers",
        "The agent got the task with all answers",
        "one model call",  # of the run
    ):
        assert any(words in each for each in sentences), words
    plan = await scene.plan()
    started = await scene.host.store.read(lambda tx: explain(tx, plan.started_id or "", Locale()))
    assert started
    assert started.id == told.id
    flows = sa.select(costs.c.flow).where(costs.c.session_id == plan.id)

    async def paid() -> list[str] | None:
        return list(await scene.host.store.read(lambda tx: tx.execute(flows).scalars().all())) or None

    assert set(await eventually(paid)) == {"E"}


async def test_without_money_the_card_says_so_and_it_goes_on_when_there_is_some(scene: PlanScene) -> None:
    limits = scene.host.home / "companies" / "demo" / "budget.json"
    limits.write_text('{"daily_limit_usd": 0, "overdraft_usd": 0}', "utf-8")
    try:
        await scene.owner.says(scene.chat, "/plan add JWT authentication")
        waits = await scene.card("as soon as that changes")
        assert "budget" in waits.text
        await scene.owner.says(scene.chat, "/plan")
        await scene.chat.wait_until(
            lambda: any(each.id != waits.id for each in scene.cards("as soon as that changes"))
        )
        waits = await scene.card("as soon as that changes")
    finally:
        limits.write_text('{"daily_limit_usd": 50}', "utf-8")
    assert (await scene.card("Q1 of 3")).id == waits.id


async def _is_true(found: bool) -> bool | None:
    return found or None
