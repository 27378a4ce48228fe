"""Flow H. Questions area by area; the answers are rows, and become one card for each file (SPEC H1)."""

from collections.abc import AsyncIterator
from datetime import timedelta
from functools import partial
from pathlib import Path

import pytest
import pytest_asyncio
from tests.telegram_scene import Scene, back_again, eventually, telegram_scene
from tests.typed import typing_in

from nanoclaw.cli import chat_once
from nanoclaw.domain.interviews import QUESTIONS, questions_about
from nanoclaw.domain.steps import Returned, ToolCall
from nanoclaw.domain.turns import TurnRequest
from nanoclaw.durable import interviews, people, questions, work
from nanoclaw.durable.clock import now
from nanoclaw.durable.interviews import Interview, InterviewAnswer
from nanoclaw.durable.store import Tx
from nanoclaw.testing import ScriptedModel, started_host
from nanoclaw.testing.telegram.server import TelegramServer

pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.capability("H1")]


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def stage(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Scene]:
    async with telegram_scene(tmp_path_factory.mktemp("interview") / "nanoclaw", paced=False) as scene:
        yield scene


@pytest_asyncio.fixture(loop_scope="module")
async def scene(stage: Scene) -> Scene:
    return await stage.joined_by("Taras")


async def interview_of(scene: Scene) -> tuple[Interview, list[InterviewAnswer]]:
    def look(tx: Tx) -> tuple[Interview, list[InterviewAnswer]] | None:
        person = people.person_named(tx, f"telegram:{scene.owner.id}")
        found = person and interviews.unfinished(tx, person.id, "demo")
        return (found, interviews.answers(tx, found.id)) if found else None

    return await eventually(lambda: scene.host.store.read(look))


async def test_every_file_has_two_to_four_questions() -> None:
    counts = [len(questions_about(file)) for file in {each.file for each in QUESTIONS}]
    assert len(counts) == 17
    assert all(2 <= count <= 4 for count in counts)
    assert [each.file for each in questions_about("бренд")] == [
        each.file for each in questions_about("brand")
    ]
    assert len(questions_about("brand")) == 6


async def test_answers_are_checked_skipped_and_taken_back_and_become_a_card_for_the_file(
    scene: Scene,
) -> None:
    await scene.owner.says(scene.chat, "/interview pricing")
    card = await scene.card("1 of 3")
    assert "What does each thing cost?" in card.text
    assert card.labels == ["⏭ Skip", "⏹ Stop"]
    await scene.owner.says(scene.chat, "not much")
    card = await scene.card("A number is needed here")
    await scene.owner.says(scene.chat, "One bag costs 12 euros")
    card = await scene.card("2 of 3")
    await scene.press(card, "⬅️ Back")
    await scene.card("1 of 3")
    await scene.owner.says(scene.chat, "One bag costs 14 euros")
    await scene.card("2 of 3")
    await scene.owner.says(scene.chat, "no")
    card = await scene.card("too short")
    await scene.press(card, "⏭ Skip")
    await scene.card("3 of 3")
    await scene.owner.says(scene.chat, "I don't know")
    card = await scene.card("product/pricing")
    assert "+## Prices" in card.text
    assert "+One bag costs 14 euros" in card.text
    await scene.press(card, "✅ Yes")
    place = scene.host.home / "companies" / "demo" / "context" / "product" / "pricing.md"
    await scene.chat.wait_until(lambda: any("is changed" in text for text in scene.chat.texts()))
    assert place.read_text("utf-8").endswith("## Prices\n\nOne bag costs 14 euros\n")


async def test_an_area_gives_one_card_for_each_of_its_files(scene: Scene) -> None:
    await scene.owner.says(scene.chat, "/interview бренд")
    for number in range(1, 7):
        card = await scene.card(f"{number} of 6")
        if number % 2:
            await scene.owner.says(scene.chat, f"Answer number {number} in some words")
        else:
            await scene.press(card, "⏭ Skip")
    for number, file in ((1, "brand/voice"), (3, "brand/visual"), (5, "brand/guidelines")):
        card = await scene.card(file)
        assert f"+Answer number {number} in some words" in card.text
        assert len(scene.cards(file)) == 1


async def test_stopped_it_rests_and_goes_on_where_it_was(scene: Scene) -> None:
    await scene.owner.says(scene.chat, "/interview")
    await scene.card(f"1 of {len(QUESTIONS)}")
    await scene.owner.says(scene.chat, "We roast coffee for offices")
    card = await scene.card(f"2 of {len(QUESTIONS)}")
    await scene.press(card, "⏹ Stop")
    await scene.chat.wait_until(
        lambda: any("go on with /interview" in text for text in scene.chat.texts()[2:])
    )
    await scene.new_card("/interview", "2 of")
    _, answers = await interview_of(scene)
    assert answers[0].answer == "We roast coffee for offices"
    assert all(each.answered_at is None for each in answers[1:])
    assert "I do not know" in await scene.command(scene.chat, "/interview xyzzy")


async def test_left_half_way_for_a_week_it_goes_on_after_a_restart(tmp_path: Path) -> None:
    home = tmp_path / "nanoclaw"
    async with TelegramServer() as server, telegram_scene(home, server=server, paced=False) as scene:
        await scene.owner.says(scene.chat, "/interview team")
        await scene.card("1 of 2")
        await scene.owner.says(scene.chat, "Olena roasts, Ivan drives")
        await scene.card("2 of 2")
        found, _ = await interview_of(scene)

        def pass_a_week(tx: Tx) -> None:
            asked = questions.get(tx, found.question_id or "")
            assert asked
            length = timedelta(days=8)
            moved = {"created_at": asked.created_at - length, "deadline_at": asked.deadline_at - length}
            questions.mark(tx, asked.id, **moved)
            work.due(tx, work.QUESTION, asked.id, now())

        await scene.host.store.write(pass_a_week)
        await scene.host.stop()
        await _after_a_week(home, scene, found.question_id or "")


async def _after_a_week(home: Path, scene: Scene, question: str) -> None:
    async with back_again(home, scene) as again:
        again.host.question_parts.deadlines._not_before = now()
        await again.host.store.write(partial(_make_due, question=question))
        await again.chat.wait_until(lambda: any("The interview rests" in text for text in again.chat.texts()))
        await again.owner.says(again.chat, "/interview")
        await again.chat.wait_until(
            lambda: any("one question is left" in text for text in again.chat.texts())
        )
        await again.card("2 of 2")
        await again.owner.says(again.chat, "Olena decides")
        card = await again.card("company/team")
        assert "+Olena roasts, Ivan drives" in card.text
        assert "+Olena decides" in card.text


def _make_due(tx: Tx, question: str) -> None:
    work.due(tx, work.QUESTION, question, now())


async def test_with_a_model_the_interviewer_writes_the_file(tmp_path: Path) -> None:
    def pieces(request: TurnRequest) -> list[str | ToolCall]:
        if request.skill != "context-interviewer" or isinstance(
            model.steps[-1][-1] if model.steps[-1] else None, Returned
        ):
            return ["done"]
        assert "Answer: Warm and short" in request.prompt
        text = "# Voice\n\nWarm, short, never loud.\n"
        arguments = {"file": "brand/voice", "summary": "Warm and short", "text": text}
        return [ToolCall(id="one", name="propose_context", arguments=arguments)]

    model = ScriptedModel(pieces)
    async with telegram_scene(tmp_path / "nanoclaw", model=model, paced=False) as scene:
        await scene.owner.says(scene.chat, "/interview voice")
        await scene.card("1 of 2")
        await scene.owner.says(scene.chat, "Warm and short")
        card = await scene.card("2 of 2")
        await scene.press(card, "⏭ Skip")
        card = await scene.card("+Warm, short, never loud.")
        assert "brand/voice" in card.text
        assert len(scene.cards("brand/voice")) == 1


async def test_whoever_answers_by_single_commands_sees_the_next_question(
    home: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    typed = typing_in(home, monkeypatch, capfd)
    monkeypatch.setattr(chat_once, "_NEXT_QUESTION", 60.0)  # this machine may do ten other things
    async with started_host(home):
        with monkeypatch.context() as patch:
            patch.setattr(chat_once, "_NEXT_QUESTION", 0.1)
            unknown = await typed("chat", "-m", "/interview zzzzz", "--timeout", "20")
        assert "I do not know" in unknown.out
        assert "1 of 2" in (await typed("chat", "-m", "/interview team")).out
        answered = await typed("chat", "-m", "Olena roasts, Ivan drives")
        assert "2 of 2" in answered.out
        assert answered.code == 0
        asked = (await typed("chat", "-m", "x", "--json")).json()
        assert "2 of 2" in asked["answers"][-1]["text"], "too short: it is asked again"
        assert (await typed("chat", "-m", "Olena decides")).out.strip()
