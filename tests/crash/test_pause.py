"""A host stands still for longer than the others wait for it, and wakes: what they said stays as they said it."""

from pathlib import Path

import pytest
from tests.crash.program import Program
from tests.crash.test_telegram import QUESTION, Stage, killed_later

from nanoclaw.testing.telegram.chats import PrivateChat
from nanoclaw.testing.telegram.server import Call

pytestmark = pytest.mark.capability("O4", "L3", "A10")


def second_host(stage: Stage, home: Path, settings: dict[str, str]) -> Program:
    second = Program(home, **settings)
    second.environment |= {"TELEGRAM_BOT_TOKEN": stage.bot.token, "TELEGRAM_API_BASE": stage.server.url}
    return second


async def test_a_host_that_slept_in_the_middle_of_an_answer_does_not_write_over_it(
    home: Path, tmp_path: Path, postgres_url: str
) -> None:
    settings = {"DATABASE_URL": postgres_url, "DATABASE_HOST_LIFETIME": "5"}
    async with killed_later(home, **settings, DEMO_PACE="0.2") as stage:
        chat = stage.chat
        await stage.say(QUESTION)
        await chat.wait_until(lambda: chat.seen[-1].edited)  # a draft stands there, and grows
        stage.program.stand_still()
        async with second_host(stage, tmp_path / "second", {**settings, "DEMO_PACE": "0"}).running():
            await chat.wait_until(lambda: "128" in chat.texts()[-1])
            whole = chat.texts()[-1]
            stage.program.go_on()
            await stage.say("thanks")  # its answer proves that the host that woke has heard what happened
            await chat.wait_for(3)
            await stage.say("thanks again")
            await chat.wait_for(4)
            assert ["128" in text for text in chat.texts()] == [False, True, False, False]
            assert chat.texts()[1] == whole


@pytest.mark.parametrize("method", ["sendMessage", "editMessageText"])
async def test_a_host_that_falls_asleep_in_the_middle_of_a_call_leaves_one_whole_answer(
    home: Path, tmp_path: Path, postgres_url: str, method: str
) -> None:
    """The call is under way when it stands still, and is answered when it wakes."""
    settings = {"DATABASE_URL": postgres_url, "DATABASE_HOST_LIFETIME": "5"}
    pace = "0" if method == "sendMessage" else "0.2"
    async with killed_later(home, **settings, DEMO_PACE=pace) as stage:
        chat = stage.chat

        async def fall_asleep(call: Call) -> None:
            if call.method == method and call.parameters["chat_id"] == str(chat.id):
                stage.server.on_call = None
                stage.program.stand_still()

        stage.server.on_call = fall_asleep
        await stage.say(QUESTION)
        await chat.wait_until(lambda: stage.server.on_call is None)
        async with second_host(stage, tmp_path / "second", {**settings, "DEMO_PACE": "0"}).running():
            await stage.say("thanks")
            await chat.wait_until(lambda: "welcome" in chat.texts()[-1].lower())
            stage.program.go_on()
            # Said once more with a note, it is there twice until the one that woke takes its own back.
            await chat.wait_until(lambda: sum("128" in text for text in told(chat)) == 1)
            await stage.say("thanks")
            await chat.wait_until(lambda: sum("welcome" in text.lower() for text in told(chat)) == 3)
            assert sum("128" in text for text in told(chat)) == 1
            assert ["128" in text or "welcome" in text.lower() for text in told(chat)] == [True] * 4


def told(chat: PrivateChat) -> list[str]:
    """Without what the owner is told of the doubt; it quotes the answer."""
    return [text for text in chat.texts() if not text.startswith("It is not known")]
