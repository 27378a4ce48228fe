"""What people do to a plan beside answering it: presses that come too late, two plans, a day's rest, odd words."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
import pytest_asyncio
from tests.plan_scene import DONE, FIRST, REFRESH, STORAGE, Planner, PlanScene, asks, planning, question
from tests.telegram_scene import eventually, shown

from nanoclaw.domain.plans import Plan, PlanState
from nanoclaw.durable import plans, work
from nanoclaw.durable.clock import now
from nanoclaw.durable.store import Tx

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
    resting = await scene.card("This plan has rested")
    assert "Cookies" in resting.labels
    assert await scene.ask("and the weather?") == ["As you wish."]  # no answer to the plan
    await scene.press(resting, "Cookies")
    after = await scene.card("Q3 of 3")
    assert "rested" not in after.text
    await _pass_a_day(scene)
    await scene.card("This plan has rested")
    await scene.owner.says(scene.chat, "/plan")
    await scene.chat.wait_until(lambda: not shown(card).buttons)
    again = await scene.card("Q3 of 3")
    assert again.id != card.id
    assert "rested" not in again.text
    assert "It goes on below." in shown(card).text


async def test_odd_words_long_ones_and_those_of_others(scene: PlanScene) -> None:
    long = "add JWT " + "x" * 9_992
    scene.planner.will_ask(
        asks(
            question("Why? " * 60, "A label that is much longer than a button", "Short", free=True),
            REFRESH,
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
    told = await scene.order(scene.chat, "y" * 2_001)
    assert "yours has 2001" in told.replace(",", "")
    assert await scene.plan() == plan
    assert "yours has 10001" in (await scene.order(scene.chat, "/plan " + "x" * 10_001)).replace(",", "")
    await scene.owner.says(scene.chat, "short")  # an option, by its label
    await scene.card("Q2 of 2")
    await scene.owner.says(scene.chat, "2")  # by its number, where only the options count
    await scene.card("Plan Ready")
    plan = await scene.plan()
    assert plan.answers == ("short", "no")
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
