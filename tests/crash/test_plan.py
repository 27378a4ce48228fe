"""The host is killed in each state of a plan: it continues there, asks nothing twice, and one agent run starts."""

import asyncio
from pathlib import Path

import pytest
import sqlalchemy as sa
from tests.crash.test_pause import second_host
from tests.crash.test_telegram import Stage, killed_later
from tests.plan_scene import DONE, FIRST, REFRESH, Planner, asks
from tests.staging import until

from nanoclaw.durable.tables import parcels
from nanoclaw.testing import ModelServer
from nanoclaw.testing.model_parts import Asked
from nanoclaw.testing.telegram.chats import SeenMessage
from nanoclaw.testing.telegram.server import Call

pytestmark = pytest.mark.capability("Q2", "Q3", "L3")


async def test_killed_in_each_state_it_goes_on_there(home: Path, database_url: str) -> None:
    asked = asyncio.Event()

    async def never(_asked: Asked) -> str:
        asked.set()
        await asyncio.Event().wait()
        return ""

    planner = Planner([never, FIRST, DONE])
    async with ModelServer(planner) as model:
        settings = {
            "DATABASE_URL": database_url,
            "AGENTS_RUNTIME": "native",
            "ANTHROPIC_API_KEY": model.key,
            "ANTHROPIC_BASE_URL": model.url,
        }
        async with killed_later(home, **settings) as stage:
            await stage.say("/plan add JWT authentication")
            await asked.wait()  # the model is being asked
            await stage.program.die()
            await stage.program.start()
            card = await _card(stage, "Q1 of 3")

            stage.kill_at(lambda call: _says(call, "Q2 of 3"), done=False)
            await stage.owner.presses(card, "Express")
            await stage.program.wait_until_dead()
            await stage.program.start()
            await (await stage.owner.presses(await _card(stage, "Q2 of 3"), "Cookies")).wait()

            stage.kill_at(lambda call: _says(call, "Plan Ready"), done=False)
            await stage.owner.presses(await _card(stage, "Q3 of 3"), "Yes")
            await stage.program.wait_until_dead()  # its file is written, and the summary is not shown
            await stage.program.start()
            summary = await _card(stage, "Plan Ready")
            assert summary.id == card.id

            stage.kill_at(lambda call: call.method == "answerCallbackQuery", done=False)
            await stage.owner.presses(summary, "✅ Confirm & Start")
            await stage.program.wait_until_dead()
            await stage.program.start()
            await stage.chat.wait_until(lambda: "Done as planned." in stage.chat.texts())
            await stage.say("thanks")  # its answer proves that no other is on its way before it
            await stage.chat.wait_until(lambda: "As you wish." in stage.chat.texts())
            texts = stage.chat.texts()
            assert [texts.count(each) for each in ("🚀 Starting...", "Done as planned.")] == [1, 1]
            assert len(planner.prompts) == 3
            [saved] = (home / "groups" / "main" / "files" / ".claude" / "todos").rglob("*.md")
            assert "The agent was started" in saved.read_text("utf-8")
            assert not list((home / "data" / "plans").iterdir())


async def test_a_question_that_was_cut_off_on_its_way_is_asked_again(home: Path) -> None:
    """The person need not write first."""
    planner = Planner([FIRST, DONE])
    async with ModelServer(planner) as model:
        settings = {
            "AGENTS_RUNTIME": "native",
            "ANTHROPIC_API_KEY": model.key,
            "ANTHROPIC_BASE_URL": model.url,
        }
        async with killed_later(home, **settings) as stage:
            await stage.say("/plan add JWT authentication")
            await _card(stage, "Q1 of 3")
            stage.kill_at(lambda call: "Q2 of 3" in str(call.parameters.get("text", "")), done=False)
            await stage.say("Koa")
            await stage.program.wait_until_dead()
            await stage.program.start()
            await (await stage.owner.presses(await _card(stage, "Q2 of 3"), "Cookies")).wait()
            await _card(stage, "Q3 of 3")


def is_delivered(database: str) -> bool:
    """Whether the host knows that all it sent has arrived: else it would have to ask, or send it again."""
    engine = sa.create_engine(database.replace("postgresql://", "postgresql+psycopg://"))
    try:
        with engine.connect() as db:
            sent = db.execute(sa.select(sa.func.count()).where(parcels.c.state != "delivered"))
            return int(sent.scalar_one()) == 0
    finally:
        engine.dispose()


def _says(call: Call, words: str) -> bool:
    return call.method == "editMessageText" and words in str(call.parameters.get("text", ""))


async def _card(stage: Stage, words: str) -> SeenMessage:
    def cards() -> list[SeenMessage]:
        return [each for each in stage.chat.seen if each.buttons and words in each.text]

    await stage.chat.wait_until(cards)
    return cards()[-1]


@pytest.mark.attack
async def test_a_host_that_slept_while_the_model_was_asked_changes_nothing_that_another_did(
    home: Path, tmp_path: Path, postgres_url: str
) -> None:
    asked, go_on = asyncio.Event(), asyncio.Event()

    async def late(_asked: Asked) -> str:
        asked.set()
        await go_on.wait()
        return asks(REFRESH, goal="late")

    planner = Planner([late, FIRST, DONE])
    async with ModelServer(planner) as model:
        settings = {
            "DATABASE_URL": postgres_url,
            "DATABASE_HOST_LIFETIME": "3",
            "AGENTS_RUNTIME": "native",
            "ANTHROPIC_API_KEY": model.key,
            "ANTHROPIC_BASE_URL": model.url,
        }
        async with killed_later(home, **settings) as stage:
            await stage.say("/plan add JWT authentication")
            await asked.wait()
            await until(lambda: is_delivered(postgres_url))
            stage.program.stand_still()
            async with second_host(stage, tmp_path / "second", settings).running():
                card = await _card(stage, "Q1 of 3")
                await stage.owner.presses(card, "Express")
                await _card(stage, "Q2 of 3")
                go_on.set()
                stage.program.go_on()
                for label in ("Cookies", "Yes"):
                    await (await stage.owner.presses(await _with(stage, label), label)).wait()
                summary = await _card(stage, "Plan Ready")
                await stage.owner.presses(summary, "✅ Confirm & Start")
                await stage.owner.presses(summary, "✅ Confirm & Start")
                await stage.chat.wait_until(lambda: "Done as planned." in stage.chat.texts())
                await stage.say("thanks")
                await stage.chat.wait_until(lambda: "As you wish." in stage.chat.texts())
                texts = stage.chat.texts()
                assert [texts.count(each) for each in ("🚀 Starting...", "Done as planned.")] == [1, 1]
                assert sum("add JWT authentication" in each for each in texts) == 1  # one card all the way


async def _with(stage: Stage, label: str) -> SeenMessage:
    await stage.chat.wait_until(lambda: any(label in each.labels for each in stage.chat.seen))
    return [each for each in stage.chat.seen if label in each.labels][-1]
