"""Talk, and be remembered: by the demo agent, in another chat, after a restart, in both languages (SPEC G3, G7)."""

from pathlib import Path

import pytest
from tests.memory_scene import Memory
from tests.staging import until
from tests.task_agent import TaskAgent

from nanoclaw.host.host import Host
from nanoclaw.testing import FarEnd, started_host

pytestmark = pytest.mark.capability("G1", "G3", "G7")

TOLD = "Remember that we decided to sell the Spark plan for 13 euros"
ASKED = "What did we decide about the Spark plan?"
SAID = "Запам'ятай, що ми вирішили відкрити кав'ярню в Чернівцях у травні"
SPYTANO = "Що ми вирішили про кав'ярню в Чернівцях?"


async def says(far_end: FarEnd, chat: str, text: str) -> str:
    before = len(far_end.said_to(chat))
    await far_end.say(chat, text)
    return (await far_end.wait_for(chat, before + 1))[before]


async def knows(host: Host, words: str) -> bool:
    return any(words in hit.entry.text for hit in await host.memory_parts.search.find("demo", words))


async def test_a_decision_of_one_chat_answers_the_question_of_another_and_survives_a_restart(
    home: Path,
) -> None:
    async with FarEnd() as far_end:
        async with started_host(home, scripted={"url": far_end.url}) as host:
            assert "Remembered: dec_" in await says(far_end, "office", TOLD)
            assert "Записано: dec_" in await says(far_end, "office", SAID)
            await until(lambda: knows(host, "Чернівцях"))
            assert "13 euros" in await says(far_end, "shop", ASKED)
            assert "у травні" in await says(far_end, "shop", SPYTANO)
        async with started_host(home, scripted={"url": far_end.url}):
            assert "13 euros" in await says(far_end, "kitchen", ASKED)
            assert "у травні" in await says(far_end, "kitchen", SPYTANO)


async def test_what_people_say_they_decided_is_remembered_without_being_asked_to(home: Path) -> None:
    """As the README promises, without a key: nobody says "remember"."""
    async with FarEnd() as far_end, started_host(home, scripted={"url": far_end.url}) as host:
        said = await says(far_end, "office", "Good news! We decided that the price of the course is EUR 140.")
        assert "Remembered: dec_" in said
        assert "dec_" in await says(far_end, "office", "Ми вирішили, що знижок узимку не буде")
        assert "dec_" in await says(far_end, "office", "Ми вирішили, що кава влітку коштуватиме 9 євро")
        await until(lambda: knows(host, "знижок"))
        await says(far_end, "office", "/clear")
        assert "EUR 140" in await says(far_end, "office", "What did we decide about the price?")
        assert "не буде" in await says(far_end, "shop", "Що ми вирішили про знижки?")
        assert "9 євро" in await says(far_end, "shop", "Що ми вирішили про каву?")
        await says(far_end, "shop", "We decided that the price of the course is EUR 155")
        memory = Memory(host, far_end, TaskAgent())
        await memory.decide(await memory.asked("EUR 155"), "replace")  # nobody changes a decision by the way
        await memory.entry("EUR 155")
        assert "EUR 155" in await says(far_end, "office", "What did we decide about the price?")
