"""Rounds of a plan: each knows the answers, a changed one discards what followed, a model that fails stops nobody."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio
import sqlalchemy as sa
from tests.plan_scene import DONE, FIRST, REFRESH, STORAGE, Planner, PlanScene, asks, planning, question
from tests.telegram_scene import eventually, shown

from nanoclaw.domain.plans import PlanState
from nanoclaw.durable.tables import costs
from nanoclaw.host.private import write_private
from nanoclaw.testing import VoiceServer, made_workspace, voice
from nanoclaw.testing.model_parts import Asked, Fail

pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.capability("Q1")]

WHERE = question("Which server?", "Node", "Deno")
HOW = question("Which library?", "Jose", "Passport")
LAST = question("Who reviews it?", "Me", "Nobody")


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def speech_to_text() -> AsyncIterator[VoiceServer]:
    async with VoiceServer() as server:
        yield server


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def stage(
    tmp_path_factory: pytest.TempPathFactory, speech_to_text: VoiceServer
) -> AsyncIterator[PlanScene]:
    home = made_workspace(tmp_path_factory.mktemp("plan") / "nanoclaw")
    write_private(home / "data" / "keys.json", {"local": speech_to_text.key})
    engine = {"engine": "endpoint", "base_url": speech_to_text.url}
    async with planning(home, Planner(), voice=engine) as scene:
        yield scene


@pytest_asyncio.fixture(loop_scope="module")
async def scene(stage: PlanScene) -> PlanScene:
    return await stage.with_someone("Taras")


async def test_each_round_knows_the_answers_and_there_are_three(scene: PlanScene) -> None:
    scene.planner.will_ask(asks(STORAGE, REFRESH), asks(WHERE, HOW), asks(LAST, WHERE), asks(STORAGE))
    await scene.begin()
    for label in ("Cookies", "No"):
        await scene.press(await scene.shown_with(label), label)
    card = await scene.card("Q3 of 4")
    assert "▓▓▓▓▓▓▓░░░ 75%" in card.text
    await scene.answers("Node", "Jose", "Me")
    first, second, third = scene.planner.prompts
    assert "Answers gathered so far" not in first
    assert "Q: Token storage? → Cookies\nQ: Refresh tokens? → No" in second
    assert "Q: Which library? → Jose" in third
    plan = await scene.plan()
    assert plan.round == 3
    assert [each.question for each in plan.questions][-1] == "Who reviews it?"  # no repeats
    assert [each.round for each in plan.questions] == [1, 1, 2, 2, 3]


async def test_a_changed_answer_discards_later_rounds_and_the_same_one_does_not(scene: PlanScene) -> None:
    scene.planner.will_ask(asks(STORAGE, REFRESH), asks(WHERE, HOW), DONE, asks(LAST), DONE)
    await scene.begin()
    summary = await scene.answers("Cookies", "No", "Node", "Jose")
    path = (await scene.plan()).path

    await scene.press(summary, "✏️ Edit Answers")
    await scene.press(await scene.card("Which answer"), "Q2 · Refresh tokens?")
    await scene.delivered("Q2 of 4")
    await scene.press(shown(summary), "← Back")  # to the summary, with the answer that it had
    await scene.card("Refresh tokens? → No")
    await scene.press(shown(summary), "✏️ Edit Answers")
    await scene.press(await scene.card("Which answer"), "Q2 · Refresh tokens?")
    await scene.press(await scene.card("Q2 of 4"), "No")
    await scene.card("Which library? → Jose")
    assert len(scene.planner.prompts) == 3

    await scene.press(shown(summary), "✏️ Edit Answers")
    await scene.press(await scene.card("Which answer"), "Q2 · Refresh tokens?")
    await scene.press(await scene.card("Q2 of 4"), "Yes")
    await scene.press(await scene.card("Q3 of 3"), "Nobody")
    after = await scene.card("Who reviews it? → Nobody")
    assert "Which library?" not in after.text
    assert "Q: Refresh tokens? → Yes" in scene.planner.prompts[3]
    assert "Which library?" not in scene.planner.prompts[3]
    plan = await scene.plan()
    assert (plan.answers, plan.path) == (("cookies", "yes", "nobody"), path)
    saved = (scene.host.home / "groups" / "main" / "files" / (plan.path or "")).read_text("utf-8")
    assert "Who reviews it?" in saved
    assert "Which library?" not in saved


async def test_back_over_the_edge_of_a_round_keeps_it_unless_the_answer_changes(scene: PlanScene) -> None:
    scene.planner.will_ask(asks(STORAGE, REFRESH), asks(WHERE, HOW), asks(LAST, HOW))
    await scene.begin()
    for label in ("Cookies", "No"):
        await scene.press(await scene.shown_with(label), label)
    card = await scene.delivered("Q3 of 4")
    await scene.press(card, "← Back")
    await scene.press(await scene.card("Q2 of 4"), "No")
    await scene.delivered("Q3 of 4")
    await scene.press(card, "← Back")
    await scene.press(await scene.card("Q2 of 4"), "Yes")
    assert "Who reviews it?" in (await scene.card("Q3 of 4")).text


async def test_what_a_model_asks_too_much_is_cut_and_it_is_told(scene: PlanScene) -> None:
    many = question("Which colour?", "Red", "Green", "Blue", "Black", "White")
    same = question("Which size?", "Big", "big", "BIG")
    others = [question(f"Number {place}?", f"Yes {place}", "No") for place in range(10)]
    scene.planner.will_ask(asks(many, same, *others), DONE)
    card = await scene.begin()
    assert card.text.splitlines()[2].startswith("Q1 of 4 ")
    assert [row[0].label for row in card.buttons[:-1]] == ["Red", "Blue"]  # two and two
    await scene.press(card, "Red")
    sizes = await scene.card("Which size?")
    assert sizes.labels == ["← Back", "✖ Cancel"]  # nothing to choose from: they write
    assert "Write your answer" in sizes.text
    await scene.owner.says(scene.chat, "as big as it gets")
    await scene.answers("Yes 0", "Yes 1")
    assert "Only the first 4 of your 12 questions" in scene.planner.prompts[1]
    assert "first 4 of the 5 options" in scene.planner.prompts[1]


async def test_prose_is_asked_again_once_then_the_agent_gets_the_task(scene: PlanScene) -> None:
    scene.planner.will_ask("I would ask about tokens.", asks(STORAGE, REFRESH))
    await scene.begin()
    assert "was not the JSON object" in scene.planner.prompts[1]
    await scene.press(scene.cards("Q1 of")[-1], "✖ Cancel")

    scene.planner.will_ask("Which tokens?", '{"questions": [', DONE)
    await scene.owner.says(scene.chat, "/plan count the beans")
    await scene.chat.wait_until(
        lambda: any("the agent begins right away" in each for each in scene.chat.texts())
    )
    await scene.chat.wait_until(lambda: scene.planner.turns)
    assert "count the beans" in scene.planner.turns[0]
    assert "planned this together" not in scene.planner.turns[0]
    plan = await scene.plan()
    assert (plan.state, plan.reason) == (PlanState.DONE, "plan-no-questions")

    # Where answers are there already, they are enough.
    scene.planner.will_ask(asks(STORAGE, REFRESH), "No idea.", "None at all.")
    await scene.begin()
    assert "Refresh tokens? → Yes" in (await scene.answers("Memory", "Yes")).text


async def test_an_outage_is_told_on_the_card_and_it_goes_on_by_itself(scene: PlanScene) -> None:
    refused = Fail(529, "overloaded_error", "Overloaded", headers={"retry-after": "1"})
    scene.planner.will_ask(*[refused] * 3, FIRST)
    await scene.owner.says(scene.chat, "/plan add JWT authentication")
    waits = await scene.card("as soon as that changes")
    assert waits.labels == ["✖ Cancel"]
    assert (await scene.card("Q1 of 3")).id == waits.id
    assert len(scene.planner.prompts) == 4


async def test_given_up_or_asked_again_while_the_model_thinks(scene: PlanScene) -> None:
    go_on = asyncio.Event()

    async def slowly(_asked: Asked) -> str:
        await go_on.wait()
        return FIRST

    scene.planner.will_ask(slowly, asks(STORAGE, REFRESH))
    await scene.owner.says(scene.chat, "/plan add JWT authentication")
    thinking = await scene.card("Thinking of questions")
    assert thinking.labels == ["✖ Cancel"]
    await scene.owner.says(scene.chat, "/plan paint the fence")
    which = await scene.card("Which one do you want to keep?")
    await scene.press(thinking, "✖ Cancel")
    await scene.press(which, "🆕 The new one")
    go_on.set()
    assert "Token storage?" in (await scene.card("Q1 of 2")).text
    plan = await scene.plan()
    assert (plan.task, plan.state) == ("paint the fence", PlanState.COLLECTING)
    assert "cancelled" in shown(thinking).text

    assert not scene.cards("What framework")
    await scene.owner.says(scene.chat, "/stop")  # nothing runs, and yet it would take what is written next
    await scene.chat.wait_until(
        lambda: any("is open. Cancel on its card" in each for each in scene.chat.texts())
    )
    await scene.press(scene.cards("Q1 of 2")[-1], "✖ Cancel")

    go_on.clear()
    scene.planner.will_ask(slowly)
    await scene.owner.says(scene.chat, "/plan mend the roof")
    thinking = await scene.card("Thinking of questions")
    await scene.owner.says(scene.chat, "/stop")
    assert "cancelled" in await scene.settled(thinking)
    go_on.set()


async def test_a_model_of_another_vendor_asks_too(tmp_path: Path) -> None:
    home = made_workspace(tmp_path / "nanoclaw")
    async with planning(home, Planner(), vendor="local") as scene:
        await scene.begin()
        assert "Token storage? → Memory" in (await scene.answers("Hono", "Memory", "No")).text
        plan = await scene.plan()
        asked = sa.select(costs.c.model, costs.c.flow).where(costs.c.session_id == plan.id)

        async def paid() -> list[tuple[str, str]] | None:
            rows = await scene.host.store.read(lambda tx: tx.execute(asked).all())
            return [tuple(each) for each in rows] if len(rows) == 2 else None

        assert set(await eventually(paid)) == {("local:small-model", "E")}


@pytest.mark.capability("Q2", "E8")
async def test_an_answer_can_be_spoken_and_a_file_goes_to_the_agent_with_the_plan(
    scene: PlanScene, speech_to_text: VoiceServer
) -> None:
    scene.planner.will_ask(FIRST, DONE)
    await scene.owner.sends_document(
        scene.chat, b"the old rules", name="rules.txt", caption="/plan add JWT authentication"
    )
    card = await scene.card("Q1 of")
    speech_to_text.answers += ["", "Our own framework"]
    await scene.owner.sends_voice(scene.chat, voice(1))
    await scene.chat.wait_until(lambda: "could not make out" in scene.chat.seen[-1].text)
    assert (await scene.plan()).answers[0] is None
    await scene.owner.sends_voice(scene.chat, voice(1))
    assert (await scene.card("Q2 of 3")).id != card.id
    assert "✅ Our own framework" in shown(card).text
    summary = await scene.answers("Cookies", "Yes")
    await scene.press(summary, "✅ Confirm & Start")
    await scene.chat.wait_until(lambda: scene.chat.seen[-1].text.startswith("Done as planned."))
    [given] = scene.planner.turns
    assert "Our own framework" in given
    assert "rules.txt" in given
    [kept] = (scene.host.home / "groups" / "main" / "files").rglob("rules.txt")
    assert kept.read_bytes() == b"the old rules"
