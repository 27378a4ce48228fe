"""What is said of answers of many words: all of it on the card, and as much as fits to one who presses too late."""

from collections.abc import AsyncIterator
from datetime import timedelta

import pytest
import pytest_asyncio
from tests.question_scene import ASK, FREED, YES_NO, Asking, asking_scene
from tests.telegram_scene import shown

from nanoclaw.domain.people import Role
from nanoclaw.testing.telegram.chats import SeenMessage

pytestmark = [
    pytest.mark.asyncio(loop_scope="module"),
    pytest.mark.capability("E3"),
]

FITS_A_PRESS = 200  # letters


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def stage(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Asking]:
    home = tmp_path_factory.mktemp("long-answers") / "nanoclaw"
    async with asking_scene(home, FREED) as asking:
        yield asking


@pytest_asyncio.fixture(loop_scope="module")
async def freed(stage: Asking) -> AsyncIterator[Asking]:
    yield stage
    await stage.clear_up()


async def pressed(asking: Asking, card: SeenMessage, label: str) -> str:
    """What the owner is told; a press that nobody acknowledges does not keep us long."""
    return (await (await asking.scene.owner.presses(card, label)).wait()).text


@pytest.mark.capability("E8")
@pytest.mark.parametrize("language", ["en", "uk"])
async def test_all_of_it_is_on_the_card_with_who_wrote_it(freed: Asking, language: str) -> None:
    reader, chat = await freed.meet(f"Reader {language}", within={"main": Role.ADMIN}, language=language)
    question, card = await freed.ask_and_show(
        f"Your thoughts ({language})?", by=reader, chat=chat, kind="escalation", options=YES_NO
    )
    words = " ".join(f"word{number}" for number in range(400))
    await freed.inbox.decide(question.id, None, words)
    told = await freed.scene.settled(card)
    assert "👤 Owner, " in told
    assert f": {words}\n" in told


@pytest.mark.capability("E4")
@pytest.mark.parametrize("count", [60, 600])
async def test_one_who_presses_too_late_is_told_as_much_as_fits(freed: Asking, count: int) -> None:
    question, card = await freed.ask_and_show(f"{count} words?", kind="escalation", options=YES_NO)
    await freed.inbox.decide(question.id, None, "слово " * count)
    said = await pressed(freed, card, "Yes")
    assert said.startswith("Owner decided this already at ")
    assert "слово слово" in said
    assert len(said) == FITS_A_PRESS


@pytest.mark.capability("E4")
async def test_a_press_on_no_choice_is_told_as_many_of_the_long_ones_as_fit(freed: Asking) -> None:
    options = [{"id": f"{number}{'x' * 39}", "label": f"Choice {number}"} for number in range(8)]
    question, card = await freed.ask_and_show("Which of them?", options=options)
    said = await freed.scene.forge(card, f"hitl:{question.id}:none")
    assert said.startswith("There is no choice none. There are: 0xxx")
    assert len(said) == FITS_A_PRESS


@pytest.mark.capability("E4")
async def test_the_offer_to_ask_again_stands_in_the_topic_of_the_card(freed: Asking) -> None:
    scene = freed.scene
    forum = scene.server.group("Forum", scene.bot, members=[scene.owner], forum=True)
    await scene.wired(forum)
    topic = forum.topic("Releases")
    freed.agent.wants_to_ask("Release it?", options=YES_NO, timeout_minutes=15)
    await scene.owner.says(forum, f"@helper_bot {ASK}", topic=topic)
    question = await freed.asked("Release it?")
    card = await freed.card(question, forum)
    assert card.topic == topic.id
    await freed.passes(question, timedelta(minutes=16))
    await freed.ended(question)
    await forum.wait_until(lambda: shown(card).labels == ["🔁 Ask again"])
    assert "Ask again?" in await pressed(freed, card, "Yes")
    offer = await scene.card("This was decided by time-out", forum)
    assert (offer.topic, offer.labels) == (topic.id, ["🔁 Ask again"])
