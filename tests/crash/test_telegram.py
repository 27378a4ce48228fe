"""The host is killed while it speaks on Telegram. After the restart nothing is lost, doubled or left half-written."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import pytest
from starlette.responses import Response
from tests.crash.program import Program
from tests.crash.test_kill import is_idle, read_all
from tests.staging import until

from nanoclaw.testing import ModelServer, TelegramServer
from nanoclaw.testing.telegram.accounts import Bot
from nanoclaw.testing.telegram.chats import PrivateChat
from nanoclaw.testing.telegram.people import Person
from nanoclaw.testing.telegram.server import Call

pytestmark = pytest.mark.capability("A1", "A12", "A15", "L3")

QUESTION = "How much is the office plan?"
LONG = "\n\n".join(f"{number}. {'A sentence of some words. ' * 8}".strip() for number in range(25))


@dataclass(frozen=True, kw_only=True)
class Stage:
    server: TelegramServer
    bot: Bot
    owner: Person
    chat: PrivateChat
    program: Program

    def kill_at(self, moment: Callable[[Call], bool], *, done: bool) -> None:
        """At the first such call the host dies; the call itself is then done, or never arrived."""

        async def kill(call: Call) -> Response | None:
            if not moment(call):
                return None
            self.server.on_call = None
            await self.program.die()
            return None if done else Response(status_code=502)

        self.server.on_call = kill

    async def say(self, text: str) -> None:
        await self.owner.says(self.chat, text)


@asynccontextmanager
async def killed_later(home: Path, **settings: str) -> AsyncIterator[Stage]:
    """A host that runs, with its owner paired, and will be killed."""
    async with TelegramServer() as server:
        bot = server.add_bot("helper_bot", name="Helper")
        owner = server.person("Olena")
        chat = owner.chat_with(bot)
        program = Program(home, **settings)
        program.environment |= {"TELEGRAM_BOT_TOKEN": bot.token, "TELEGRAM_API_BASE": server.url}
        await program.start()
        await pair(program, owner, chat)
        try:
            yield Stage(server=server, bot=bot, owner=owner, chat=chat, program=program)
        finally:
            await program.stop()


async def pair(program: Program, person: Person, chat: PrivateChat) -> None:
    async with program.client() as client:
        code = (await client.post("/api/pairing")).json()["code"]
    await person.says(chat, f"/pair {code}")
    await chat.wait_for(1)


async def set_aside(program: Program) -> list[str]:
    """The states of what waits for a person's decision."""
    _, listed = await program.command("failed", "list", "--json")
    return [parcel["state"] for parcel in json.loads(listed)]


def answers(chat: PrivateChat) -> list[str]:
    """Without what the owner is told of things that went wrong; it quotes them."""
    return [text for text in chat.texts() if not text.startswith("It is not known whether")]


def bare(text: str) -> str:
    return "".join(text.split())


@pytest.mark.capability("A10")
async def test_killed_with_a_preview_in_the_chat(home: Path, database_url: str) -> None:
    async with killed_later(home, DATABASE_URL=database_url, DEMO_PACE="0.3") as stage:
        await stage.say(QUESTION)
        # The first edit proves that the host had written down what it sent.
        await stage.chat.wait_until(lambda: stage.chat.seen[-1].edited)
        await stage.program.die()
        half = stage.chat.seen[-1]
        assert "128" not in half.text
        stage.program.environment["NANOCLAW_DEMO_PACE"] = "0"
        await stage.program.start()
        await stage.chat.wait_until(lambda: "128" in stage.chat.history_of(half.id)[-1])
        await stage.say("thanks")  # its answer proves that no other is on its way before it
        await stage.chat.wait_for(3)
        assert ["128" in text for text in stage.chat.texts()] == [False, True, False]
        assert await set_aside(stage.program) == []


async def test_killed_between_two_parts_of_a_long_answer(home: Path) -> None:
    """If it is not known whether a part arrived, a person decides; then only what is missing is sent."""
    async with ModelServer(lambda _: LONG) as model:
        settings = {
            "AGENTS_RUNTIME": "native",
            "ANTHROPIC_API_KEY": model.key,
            "ANTHROPIC_BASE_URL": model.url,
        }
        async with killed_later(home, **settings) as stage:
            stage.kill_at(
                lambda call: call.method == "sendMessage" and LONG[-40:] in call.parameters["text"],
                done=False,
            )
            await stage.say("at length")
            await stage.program.wait_until_dead()
            await stage.program.start()
            async with stage.program.client() as client:
                await until(partial(is_idle, client))
            if await set_aside(stage.program):
                await stage.say("/retry_failed")
            await stage.chat.wait_until(
                lambda: (
                    bare(LONG) == bare("".join(text for text in answers(stage.chat) if "sentence" in text))
                )
            )
            assert await set_aside(stage.program) == []


async def test_killed_when_telegram_has_what_was_said_and_the_host_has_not_heard_so(home: Path) -> None:
    async with killed_later(home) as stage:
        stage.kill_at(
            lambda call: call.method == "sendMessage" and "English" in call.parameters["text"], done=True
        )
        await stage.say("/language en")
        await stage.program.wait_until_dead()
        await stage.program.start()
        await stage.chat.wait_for(3)  # the owner is told that it is not known
        assert await set_aside(stage.program) == ["unknown"]
        await stage.say("/status")
        await stage.chat.wait_until(lambda: len(answers(stage.chat)) == 4)
        assert ["English" in text for text in answers(stage.chat)] == [False, True, True, False]
        assert answers(stage.chat)[2] == f"This may have reached you already:\n\n{answers(stage.chat)[1]}"
        assert await set_aside(stage.program) == []


async def test_killed_before_updates_are_confirmed(home: Path, tmp_path: Path) -> None:
    """They are stored, and Telegram sends them again: each is still one message with one end."""
    database_url = f"sqlite:///{tmp_path / 'store.db'}"
    async with killed_later(home, DATABASE_URL=database_url, DEMO_PACE="1") as stage:
        stage.kill_at(
            lambda call: call.method == "getUpdates" and stage.server.unconfirmed(stage.bot) == 3, done=False
        )
        for text in (QUESTION, "and for two of us?", "and in spring?"):
            await stage.say(text)
        await stage.program.wait_until_dead()
        assert stage.server.unconfirmed(stage.bot) == 3
        stage.program.environment["NANOCLAW_DEMO_PACE"] = "0"
        await stage.program.start()
        await stage.say("thanks")
        await until(lambda: stage.server.unconfirmed(stage.bot) == 0)
        async with stage.program.client() as client:
            await until(partial(is_idle, client))
    ends, answers = await read_all(database_url)
    assert ends == ["answered"] * 4
    said = [text for text in stage.chat.texts() if not text.startswith("Welcome")]
    assert len(said) == len([turn for turn, _ in answers if turn])


async def test_killed_while_a_file_is_fetched(home: Path) -> None:
    async with killed_later(home, DEMO_PACE="0") as stage:
        stage.kill_at(lambda call: call.method == "file", done=False)
        await stage.owner.sends_document(stage.chat, b"all of it", name="note.txt", caption=QUESTION)
        await stage.program.wait_until_dead()
        await stage.program.start()
        await stage.chat.wait_for(2)
        async with stage.program.client() as client:
            await until(partial(is_idle, client))
        assert len(stage.chat.texts()) == 2
        files = [path for path in (home / "groups/main/files").rglob("*") if path.is_file()]
        assert [path.read_bytes() for path in files if "note" in path.name] == [b"all of it"]
        assert not list((home / "data/fetched").iterdir())


@pytest.mark.capability("O4")
async def test_of_two_hosts_one_listens_and_when_it_dies_the_other_answers(
    home: Path, tmp_path: Path, postgres_url: str
) -> None:
    settings = {"DATABASE_URL": postgres_url, "DATABASE_HOST_LIFETIME": "2", "DEMO_PACE": "0"}
    async with killed_later(home, **settings) as stage:
        second = Program(tmp_path / "second", **settings)
        second.environment |= {
            "TELEGRAM_BOT_TOKEN": stage.bot.token,
            "TELEGRAM_API_BASE": stage.server.url,
        }
        async with second.running(), second.client() as client:
            await stage.say(QUESTION)
            await stage.chat.wait_until(lambda: "128" in stage.chat.texts()[-1])
            async with asyncio.timeout(60):  # neither takes the updates away from the other
                while (await client.get("/api/bots")).json()["bots"][0]["trouble"]:
                    await asyncio.sleep(0.05)
            await stage.program.die()
            await stage.say(QUESTION)
            await stage.chat.wait_until(
                lambda: ["128" in text for text in stage.chat.texts()] == [False, True, True]
            )
