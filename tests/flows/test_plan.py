"""Flow E. Questions before work: the twelve cases of seed 004 over the played Telegram (SPEC Q1 to Q4)."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio
from tests.approval_scene import mention
from tests.plan_scene import (
    FIRST,
    REFRESH,
    STORAGE,
    Planner,
    PlanScene,
    asks,
    planning,
    planning_again,
)
from tests.staging import until
from tests.telegram_scene import shown

from nanoclaw.domain.people import Role
from nanoclaw.domain.plans import PlanState
from nanoclaw.flows.plans.files import mirror_path
from nanoclaw.testing.telegram.server import TelegramServer

pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.capability("Q1", "Q2", "Q3", "Q4")]

_LINE = "━━━━━━━━━━━━━━━━━━━━━━"


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def stage(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[PlanScene]:
    async with planning(tmp_path_factory.mktemp("plan") / "nanoclaw", Planner()) as scene:
        yield scene


@pytest_asyncio.fixture(loop_scope="module")
async def scene(stage: PlanScene) -> PlanScene:
    return await stage.with_someone("Taras")


async def test_tc01_the_command_starts_the_questions(scene: PlanScene) -> None:
    card = await scene.begin("add JWT authentication")
    assert card.text == (
        f"📋 Planning: add JWT authentication\n{_LINE}\nQ1 of 3 ▓▓▓░░░░░░░ 33%\n\nWhat framework are you using?"
    )
    assert [[(each.label, each.data) for each in row] for row in card.buttons] == [
        [("Express", "iq:a:0:0"), ("Fastify", "iq:a:0:1"), ("Hono", "iq:a:0:2")],
        [("✍️ Type your own", "iq:t:0")],
        [("← Back", "iq:back"), ("✖ Cancel", "iq:cancel")],
    ]
    mirror = await scene.mirrored()
    assert (mirror["state"], mirror["currentQuestionIndex"]) == ("COLLECTING", 0)
    assert (mirror["task"], mirror["goal"], mirror["chatId"]) == (
        "add JWT authentication",
        "jwt-auth",
        scene.chat.id,
    )
    assert mirror["answers"] == [None, None, None]


async def test_tc02_tapping_a_button_advances_to_the_next_question(scene: PlanScene) -> None:
    card = await scene.begin()
    assert await scene.press(card, "Fastify") == "Fastify"
    after = await scene.card("Q2 of 3")
    assert after.id == card.id  # a press edits the message
    assert "Express" not in after.labels
    mirror = await scene.mirrored()
    assert mirror["answers"] == ["fastify", None, None]
    assert mirror["currentQuestionIndex"] == 1


async def test_tc03_free_text_is_accepted_where_it_is_allowed(scene: PlanScene) -> None:
    card = await scene.begin()
    assert "Write your answer" in await scene.press(card, "✍️ Type your own")
    await scene.owner.says(scene.chat, "custom answer")
    after = await scene.card("Q2 of 3")
    assert after.id != card.id
    closed = shown(card)
    assert not closed.buttons
    assert "✅ custom answer" in closed.text
    assert (await scene.plan()).answers[0] == "custom answer"


async def test_tc04_other_text_is_refused_where_only_buttons_count(scene: PlanScene) -> None:
    await scene.press(await scene.begin(), "Express")
    await scene.card("Q2 of 3")
    before = await scene.plan()
    assert await scene.command(scene.chat, "something") == "Please use the buttons to answer ☝️"
    assert await scene.plan() == before


async def test_tc05_back_returns_to_the_previous_question(scene: PlanScene) -> None:
    card = await scene.begin()
    await scene.press(card, "Express")
    await scene.press(await scene.shown_with("Memory"), "Memory")
    await scene.delivered("Q3 of 3")
    await scene.press(card, "← Back")
    await scene.card("Q2 of 3")
    mirror = await scene.mirrored()
    assert (mirror["currentQuestionIndex"], mirror["answers"]) == (1, ["express", "memory", None])
    await scene.delivered("Q2 of 3")
    await scene.press(card, "← Back")
    await scene.card("Q1 of 3")
    assert (await scene.mirrored())["answers"] == ["express", None, None]


async def test_tc06_the_edit_menu_lists_every_question(scene: PlanScene) -> None:
    await scene.begin()
    summary = await scene.answers("Express", "Cookies", "Yes")
    await scene.press(summary, "✏️ Edit Answers")
    menu = await scene.card("Which answer")
    assert [row[0].data for row in menu.buttons[:-1]] == ["iq:eq:0", "iq:eq:1", "iq:eq:2"]
    assert all(each in menu.text for each in ("What framework are you using?", "Token storage?"))
    plan = await scene.plan()
    file = scene.host.home / "groups" / "main" / "files" / (plan.path or "")
    await scene.press(menu, "✖ Cancel")
    await until(
        lambda: "The plan was given up." in file.read_text("utf-8")
    )  # who reads it must not wait for it


async def test_tc07_confirm_saves_the_plan_and_starts_one_run(scene: PlanScene) -> None:
    await scene.begin()
    summary = await scene.answers("Express", "Cookies", "Yes")
    path = ".claude/todos/jwt-auth/implement-jwt.md"
    plan = await scene.plan()
    assert plan.path
    assert summary.text == (
        f"✅ Plan Ready\n{_LINE}\nTask: add JWT authentication\n\n"
        "Q1: What framework are you using? → Express\nQ2: Token storage? → Cookies\nQ3: Refresh tokens? → Yes\n\n"
        f"📁 Saved to: {plan.path}"
    )
    assert plan.path.startswith(path[:-3])
    assert summary.labels == ["✅ Confirm & Start", "✏️ Edit Answers"]
    file = scene.host.home / "groups" / "main" / "files" / plan.path
    assert "waits for a person" in file.read_text("utf-8")
    assert not scene.planner.turns
    assert await scene.press(summary, "✅ Confirm & Start") == "🚀 Starting..."
    await scene.chat.wait_until(lambda: "Done as planned." in scene.chat.texts())
    assert "🚀 Starting..." in scene.chat.texts()
    [turn] = scene.planner.turns
    saved = file.read_text("utf-8")
    for words in ("add JWT authentication", "What framework are you using?", "Express", "Cookies", "Yes"):
        assert words in turn
        assert words in saved
    assert "The agent was started" in saved
    assert (await scene.plan()).state is PlanState.DONE
    assert not mirror_path(scene.host.home, plan).exists()


async def test_tc08_a_plan_survives_a_restart(tmp_path: Path) -> None:
    planner, home = Planner(), tmp_path / "nanoclaw"
    async with TelegramServer(flood_control=False) as server:
        async with planning(home, planner, server=server) as scene:
            card = await scene.begin()
            await scene.press(card, "Express")
            await scene.card("Q2 of 3")
            plan = await scene.plan()
            mirror_path(home, plan).write_text("{ broken", "utf-8")
        async with planning_again(scene) as again:
            await again.press(shown(card), "Cookies")
            await again.card("Q3 of 3")
            assert (await again.plan()).answers == ("express", "cookies", None)
            assert (await again.mirrored())["answers"] == ["express", "cookies", None]


async def test_tc09_two_people_in_a_group_plan_independently(scene: PlanScene) -> None:
    scene.planner.will_ask(FIRST, asks(STORAGE, REFRESH))
    ivan = scene.server.person("Ivan")
    await scene.know(ivan, Role.MEMBER)
    team = scene.server.group("Team", scene.bot, members=[scene.owner, ivan])
    await scene.command(team, "/wire main")
    await scene.owner.says(team, "/plan@helper_bot add JWT authentication")
    first = await scene.card("Q1 of 3", team)
    await ivan.says(team, "/plan@helper_bot store the tokens")
    second = await scene.card("Q1 of 2", team)
    await scene.press(first, "Express")
    await scene.card("Q2 of 3", team)
    assert "belongs to Taras" in await scene.press(shown(first), "Cookies", by=ivan)
    await scene.owner.says(team, "nothing for the bot")
    await mention(ivan, team, "cookies")
    await scene.card("Q2 of 2", team)
    await scene.press(shown(first), "Memory")
    await scene.card("Q3 of 3", team)
    assert (await scene.plan()).answers == ("express", "memory", None)
    theirs = await scene.plan(by=ivan)
    assert (theirs.answers, theirs.current) == (("cookies", None), 1)
    assert not shown(second).buttons
    await scene.press(shown(first), "Yes")
    await scene.press(await scene.card("Plan Ready", team), "✅ Confirm & Start")
    await team.wait_until(lambda: "Done as planned." in team.texts())
    assert "Q: Token storage?\nA: Memory" in scene.planner.turns[-1]


async def test_tc10_cancel_clears_the_plan(scene: PlanScene) -> None:
    card = await scene.begin()
    plan = await scene.plan()
    await scene.mirrored()
    assert await scene.press(card, "✖ Cancel") == "❌ Planning cancelled."
    assert "❌ Planning cancelled." in await scene.settled(card)
    assert await scene.ask("what now?") == ["As you wish."]
    assert "what now?" in scene.planner.turns[-1]
    assert not mirror_path(scene.host.home, plan).exists()
    todos = (scene.host.home / "groups" / "main" / "files" / ".claude").rglob("*.md")
    assert not [each for each in todos if plan.id in each.read_text("utf-8")]  # nor is one written only now


async def test_tc12_without_a_task_the_usage_is_shown(scene: PlanScene) -> None:
    assert await scene.command(scene.chat, "/plan") == "Usage: /plan <task description>"
