"""Who may talk to a bot, and which bots there are: pairing, `nanoclaw telegram ...`, several bots, their tokens."""

import asyncio
import json
import re
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from datetime import timedelta
from pathlib import Path

import httpx
import pytest
from tests.crash.program import Program
from tests.staging import until
from tests.telegram_scene import pair, telegram_scene

from nanoclaw.cli import telegram
from nanoclaw.domain.errors import BadSettings, NotFound
from nanoclaw.durable import pairings
from nanoclaw.durable.clock import now
from nanoclaw.testing import ScriptedModel, TelegramServer, started_host
from nanoclaw.texts import tell

pytestmark = pytest.mark.capability("P5")


@pytest.mark.parametrize("sloppy", [False, True], ids=["careful server", "sloppy server"])
async def test_the_first_who_sends_the_code_is_the_owner_and_the_second_is_nobody(
    home: Path, *, sloppy: bool
) -> None:
    async with telegram_scene(home, model=ScriptedModel(), paired=False, sloppy=sloppy) as scene:
        ivan = scene.server.person("Ivan", language="uk")
        his = ivan.chat_with(scene.bot)
        await ivan.says(his, "/start")
        (told,) = await his.wait_for(1)
        assert "/pair" in told
        assert "власника" in told  # in the language of his program
        code = (await scene.host.bots.pair()).code
        group = scene.server.group("Office", scene.bot, members=[scene.owner])
        shouted = await scene.owner.says(group, f"/pair {code}")  # others could read it there
        assert await scene.dropped(shouted) == "no-owner"
        assert (await scene.ask(f"/start {code.lower()}"))[0].startswith("Welcome, Olena")
        await ivan.says(his, f"/pair {code}")
        assert "used" not in (await his.wait_for(2))[1]
        # Now that it has an owner, who is asked.
        held = await scene.why(await ivan.says(his, "hello"), "held")
        assert [step.event for step in held.steps] == ["received", "asked"]
        await scene.why(await ivan.says(his, "/start"), "held")  # and silence
        await scene.press(await scene.card("Ivan"), "Ignore")
        assert await scene.ask("hello") == ["ok"]
        assert (await scene.ask(f"/pair {code}"))[0] == "You are an owner already."
        assert (his.answers, group.answers) == (2, 0)


async def test_old_codes_are_worth_nothing_and_five_wrong_ones_end_in_silence(home: Path) -> None:
    async with telegram_scene(home, model=ScriptedModel(), paired=False) as scene:
        past = now() - timedelta(seconds=1)
        await scene.host.store.write(lambda tx: pairings.issue(tx, "ABCD2345", past))
        assert "too old" in (await scene.ask("/pair ABCD2345"))[0]
        for number in range(4):
            await scene.owner.says(scene.chat, f"/pair WRONG{number}")
        code = (await scene.host.bots.pair()).code
        await scene.why(await scene.owner.says(scene.chat, f"/pair {code}"), "dropped")
        assert len(await scene.chat.wait_for(5)) == 5
        other = scene.server.person("Other")
        await other.says(other.chat_with(scene.bot), f"/pair {code}")  # it is still good for someone else
        assert "Welcome" in (await other.chat_with(scene.bot).wait_for(1))[0]


async def test_two_bots_answer_each_in_its_own_chat_and_know_the_same_person(home: Path) -> None:
    async with telegram_scene(home, model=ScriptedModel(), language="uk") as scene:
        second = scene.server.add_bot("second_bot")
        await scene.host.bots.connect(second.token)
        there = scene.owner.chat_with(second)
        await scene.owner.says(there, "hello")  # paired once, known everywhere
        assert await there.wait_for(1) == ["ok"]
        await scene.owner.says(there, "/language en")
        assert await there.wait_for(2) == ["ok", "From now on the host speaks English to you."]
        # The language is the person's, not the chat's.
        assert (await scene.ask("/stop"))[0].startswith("Nothing")
        assert scene.chat.answers == 2
        await until(
            lambda: scene.server.unconfirmed(second) == 0
        )  # else the last one would come again, as a repeat
        await scene.host.bots.disconnect(str(second.id))
        await scene.owner.says(there, "still there?")
        assert await scene.ask("hello") == ["ok"]
        assert scene.server.unconfirmed(second) == 1
        assert there.answers == 2


async def test_a_bot_that_is_connected_is_there_after_a_restart(home: Path) -> None:
    async with TelegramServer(flood_control=False) as server:
        bot, olena = server.add_bot(), server.person("Olena")
        chat = olena.chat_with(bot)
        async with started_host(home, model=ScriptedModel(), telegram={"api_base": server.url}) as host:
            assert (await host.bots.connect(bot.token)).username == "test_bot"
            await pair(host, olena, chat)
        await olena.says(chat, "while you were away")
        async with started_host(home, model=ScriptedModel(), telegram={"api_base": server.url}):
            assert (await chat.wait_for(2))[1] == "ok"
        kept = home / "data" / "bots.json"
        assert kept.stat().st_mode & 0o777 == 0o600


Printed = Callable[..., Awaitable[str]]
"""Runs a command, and gives what it printed."""


class TestCommandLine:
    """Each command in a thread, as `main` calls it; the last test has it in processes of its own."""

    @pytest.fixture(autouse=True)
    async def server(self, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[TelegramServer]:
        async with TelegramServer(flood_control=False) as server:
            monkeypatch.setenv("TELEGRAM_API_BASE", server.url)
            yield server

    @pytest.fixture
    def printed(self, capsys: pytest.CaptureFixture[str]) -> Printed:
        async def run(command: Callable[..., None], *words: object, **options: object) -> str:
            capsys.readouterr()
            await asyncio.to_thread(command, *words, **options)
            # The host that runs beside it writes its log there too.
            lines = capsys.readouterr().out.splitlines()
            return "\n".join(line for line in lines if not re.match(r"\d{4}-\d\d-\d\d \d\d:", line))

        return run

    @pytest.mark.parametrize(
        ("token", "words"),
        [
            ("no-token", "no bot token"),
            ("", "no bot token"),
            ("123:AAE with a space", "no bot token"),
            ("123:unknown-to-telegram", "does not know this token"),
        ],
    )
    async def test_a_token_that_is_not_good_is_not_kept(self, home: Path, token: str, words: str) -> None:
        with pytest.raises(BadSettings) as refusal:
            await asyncio.to_thread(telegram.connect, token)
        assert words in tell("en", refusal.value)
        assert not (home / "data" / "bots.json").exists()

    async def test_telegram_that_cannot_be_reached_is_named(
        self, home: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("TELEGRAM_API_BASE", "http://127.0.0.1:9")
        token = "123:good-as-far-as-we-know"  # noqa: S105
        with pytest.raises(BadSettings) as refusal:
            await asyncio.to_thread(telegram.connect, token)
        said = tell("en", refusal.value)
        assert "cannot be reached at http://127.0.0.1:9" in said
        assert token not in said + repr(refusal.value) + repr(refusal.value.__cause__)

    async def test_without_a_host_it_is_for_the_next_one_that_starts(
        self, home: Path, server: TelegramServer, printed: Printed
    ) -> None:
        bot, olena = server.add_bot(), server.person("Olena")
        told = await printed(telegram.connect, bot.token)
        assert "@test_bot is connected" in told
        assert "No host runs now" in told
        code = told.split("/pair ")[1][:8]
        assert f"https://t.me/test_bot?start={code}" in told
        listed = await printed(telegram.list_bots, as_json=True)
        assert [bot["id"] for bot in json.loads(listed)] == [str(bot.id)]
        async with started_host(home):
            chat = olena.chat_with(bot)
            await olena.says(chat, f"/start {code}")
            assert "Welcome, Olena" in (await chat.wait_for(1))[0]
        await printed(telegram.disconnect, str(bot.id))
        with pytest.raises(NotFound):
            await printed(telegram.disconnect, str(bot.id))
        assert bot.token not in told + listed

    async def test_a_running_host_takes_the_bot_up_at_once(
        self, home: Path, server: TelegramServer, printed: Printed
    ) -> None:
        bot, olena = server.add_bot(), server.person("Olena")
        chat = olena.chat_with(bot)
        async with started_host(home, model=ScriptedModel()):
            first = (await printed(telegram.connect, bot.token)).split("/pair ")[1]
            second = (await printed(telegram.pair)).split("/pair ")[1]
            await olena.says(chat, f"/pair {first[:8]}")  # the later code took its worth
            await olena.says(chat, f"/pair {second[:8]}")
            assert "Welcome" in (await chat.wait_for(2))[1]
            server.push({"message": {"no": "message"}})
            await olena.says(chat, "hello")
            await chat.wait_until(lambda: "ok" in chat.texts())
            listed = await printed(telegram.list_bots, as_json=True)
            told = "one update could not be processed today: `nanoclaw telegram aside` lists them."
            assert json.loads(listed) == [{"id": str(bot.id), "username": "test_bot", "trouble": told}]
            (aside,) = json.loads(await printed(telegram.list_aside, as_json=True))
            assert aside["channel"] == f"telegram:{bot.id}"
            assert '"no": "message"' in aside["body"]
            assert aside["update_id"] in await printed(telegram.list_aside, as_json=False)
            await printed(telegram.disconnect, "@test_bot")
            assert "No bot is connected" in await printed(telegram.list_bots, as_json=False)

    async def test_the_token_is_in_no_answer_no_log_and_no_list_of_processes(
        self, home: Path, server: TelegramServer
    ) -> None:
        bot, olena = server.add_bot(), server.person("Olena")
        program = Program(home, DEMO_PACE="0")
        async with program.running(), program.client() as client:
            printed = await self.typed(program, bot.token, "telegram", "connect")
            chat = olena.chat_with(bot)
            server.fail("sendMessage", status=500)  # what goes wrong is logged with its reason
            server.fail("getUpdates", status=502)
            server.push({"message": {"no": "message"}})
            await olena.says(chat, f"/pair {printed.split('/pair ')[1][:8]}")
            # Nobody knows whether it arrived, which is told; so is the update, if she was paired in time for it.
            await chat.wait_until(lambda: any("Welcome" in text for text in chat.texts()))
            told = [(await client.get(path)).text for path in ("/api/bots", "/api/rooms", "/")]
            again = await client.post("/api/bots", json={"token": "123:unknown-to-telegram"})
            assert "does not know this token" in again.text
            assert "test_bot" in told[0]
            files = [path for path in home.rglob("*") if path.is_file() and path.name != "bots.json"]
            commands = [path for path in Path("/proc").glob("[0-9]*/cmdline") if path.exists()]
            written = [path.read_bytes() for path in (*files, *commands) if path.exists()]
        assert any("logs" in path.parts for path in files)
        assert not [each for each in (*told, printed, again.text) if bot.token in each]
        assert not [each for each in written if bot.token.encode() in each]

    async def typed(self, program: Program, line: str, *words: str) -> str:
        """What a command prints that reads a line: a token that was typed is in no list of processes."""
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "nanoclaw", *words),
            env=program.environment,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
        )
        async with asyncio.timeout(60):
            printed, _ = await process.communicate(f"{line}\n".encode())
        assert process.returncode == 0, printed
        return printed.decode()


async def test_a_host_without_telegram_asks_telegram_nothing(home: Path) -> None:
    async with TelegramServer() as server, started_host(home, telegram={"api_base": server.url}) as host:
        async with httpx.AsyncClient(headers={"Authorization": f"Bearer {host.token}"}) as client:
            assert (await client.get(f"{host.url}api/bots")).json() == {"bots": []}
        assert not server.calls


async def test_the_token_in_the_environment_is_enough(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with TelegramServer(flood_control=False) as server:
        bot, olena = server.add_bot(), server.person("Olena")
        monkeypatch.setenv("TELEGRAM_BOT_TOKEN", bot.token)
        monkeypatch.setenv("TELEGRAM_API_BASE", server.url)
        async with started_host(home) as host:
            await pair(host, olena, olena.chat_with(bot))
            assert "Welcome" in olena.chat_with(bot).texts()[0]
            assert bot.token not in repr(host.settings)
        assert not (home / "data" / "bots.json").exists()
