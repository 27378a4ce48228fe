"""Marked words stand wherever people, agents and secrets are, all fails that can, and every log is searched."""

import json
import logging
import re
import secrets
import sys
import threading
import warnings
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
import structlog
from tests.crash.program import first_room, settled
from tests.crash.program import say as say_there
from tests.flows.test_secrets import Logged
from tests.staging import until
from tests.telegram_scene import Scene, telegram_scene

from nanoclaw.domain.steps import ModelPiece, Returned, ToolCall
from nanoclaw.domain.turns import TurnRequest
from nanoclaw.host import logs
from nanoclaw.testing import FarEnd, ModelServer, ScriptedModel, TelegramServer
from nanoclaw.testing.model_parts import Asked, Fail

pytestmark = [pytest.mark.capability("A9", "J1"), pytest.mark.attack]

MARK = f"canary{secrets.token_hex(6)}"


def word(what: str) -> str:
    return f"{MARK}-{what}"


class Chatterbox(ScriptedModel):
    """Does what it is told by a message: fails with it, uses a tool with it, or says it."""

    def __init__(self) -> None:
        super().__init__(self._pieces)

    def _pieces(self, request: TurnRequest) -> Iterator[str | ModelPiece]:
        heard = request.prompt
        kept_here = {"heard": heard, "answer": word("local-variable")}
        steps = self.steps[-1]
        if steps and isinstance(steps[-1], Returned):
            yield word("answer")
        elif "fall" in heard:
            raise ValueError(word("what-the-error-says"), kept_here)
        elif "use " in heard:
            name = re.findall(r"use (\w+)", heard)[-1]
            yield ToolCall(id=f"call-{len(self.asked)}", name=name, arguments=TOOLS[name])
        else:
            yield word("answer")


TOOLS: dict[str, dict[str, Any]] = {
    "bash": {"command": f"echo {word('out')}; echo {word('err')} >&2; exit 3"},
    "send_file": {"path": f"/work/{word('file-that-is-missing')}.pdf", "caption": word("caption")},
    "send_message": {"text": word("sent"), "target_group": word("no-such-group")},
    "schedule_task": {"prompt": word("task"), "schedule": word("no-such-time")},
    "request_human": {
        "question": word("question"),
        "options": [{"id": "go", "label": MARK}, {"id": "stay", "label": "Stay"}],
    },
}


@pytest.fixture
def logged(home: Path, capfd: pytest.CaptureFixture[str]) -> Iterator["Logs"]:
    """As the program sets its logs, at the level that shows the most; put back afterwards."""
    root, before = logging.getLogger(), structlog.get_config()
    kept, hooks = (
        (root.handlers[:], root.level),
        (threading.excepthook, sys.unraisablehook, warnings.showwarning),
    )
    yield Logs(home, capfd)
    for handler in [each for each in root.handlers if each not in kept[0]]:
        handler.close()
    root.handlers[:], root.level = kept[0], kept[1]
    threading.excepthook, sys.unraisablehook, warnings.showwarning = hooks
    structlog.configure(**before)


class Logs:
    def __init__(self, home: Path, capfd: pytest.CaptureFixture[str]) -> None:
        self._home = home
        self._capfd = capfd

    def begin(self) -> None:
        self._capfd.readouterr()
        logs.write_to_file(self._home, "debug")
        logging.getLogger().setLevel("DEBUG")  # as if a library had its way

    def read(self) -> str:
        return "".join(
            file.read_text("utf-8") for file in sorted((self._home / "data" / "logs").glob("nanoclaw.log*"))
        )

    def events(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.read().splitlines()]

    def everywhere(self) -> str:
        printed = self._capfd.readouterr()
        return self.read() + printed.out + printed.err


@asynccontextmanager
async def poisoned(scene: Scene, table: str, column: str, mark: str) -> AsyncIterator[None]:
    """The database fails at rows with this word, and quotes it."""
    raising = f"BEGIN SELECT RAISE(ABORT, '{word('said-by-the-database')}'); END"
    name = f"poison_{table}"
    trigger = f"CREATE TRIGGER {name} BEFORE INSERT ON {table} WHEN NEW.{column} LIKE '%{mark}%' {raising}"
    await scene.host.store.write(lambda tx: tx.exec_driver_sql(trigger))
    yield
    await scene.host.store.write(lambda tx: tx.exec_driver_sql(f"DROP TRIGGER {name}"))


def test_a_value_of_any_length_makes_a_short_line_and_a_trace_stays_whole(logged: Logs) -> None:
    def fall(depth: int) -> None:
        if depth == 0:
            raise KeyError
        fall(depth - 1)

    logged.begin()
    try:
        fall(30)
    except KeyError:
        structlog.get_logger("test").exception("it fell", name="1" * 100_000, all=["2" * 100_000])
    [told] = [line for line in logged.events() if line["event"] == "it fell"]
    assert (len(told["name"]), len(told["all"][0])) == (501, 501)
    assert told["exception"].count("fall(depth - 1)") >= 2
    assert told["exception"].endswith("KeyError")
    assert len(told["exception"]) > 501


async def test_no_word_of_anyone_and_no_secret_is_in_any_log(home: Path, logged: Logs) -> None:
    (home / "companies" / "demo" / "memory" / "CLAUDE.md").write_text(word("memory"))
    (home / "data" / "keys.json").write_text(json.dumps({"openai": word("key")}))
    server = {
        "url": f"http://127.0.0.1:9/{word('path')}",
        "headers": {"Authorization": f"Bearer {word('mcp')}"},
    }
    (home / "data" / "mcp.json").write_text(json.dumps({"drive": server}))
    with (home / "groups" / "main" / "group.toml").open("a") as group:
        group.write('mcp = ["drive"]\n')
    async with (
        FarEnd() as far_end,
        telegram_scene(
            home,
            model=Chatterbox(),
            scripted={"url": far_end.url},
            anthropic={"api_key": word("api-key")},
            agents={"runtime": "demo"},
            owner={"name": word("owner")},
        ) as scene,
    ):
        logged.begin()
        await talk(scene)
        await fail_in_turns_and_stories(scene, logged)
        await fail_at_telegram(scene, logged)
        await fail_at_the_page(scene, logged)
        await far_end.say("chat", [word("no-text")])  # type: ignore[arg-type]
        await until(lambda: "update not understood" in logged.read())
        token, page_token = scene.bot.token, scene.host.token
    said = logged.everywhere()
    assert [line for line in said.splitlines() if MARK in line] == []
    assert token not in said
    assert page_token not in said
    assert {event["level"] for event in logged.events()} >= {"debug", "info", "warning", "error"}


async def talk(scene: Scene) -> None:
    assert await scene.ask(word("message")) == [word("answer")]
    for name in ("bash", "send_file", "send_message", "schedule_task"):
        assert await scene.ask(f"{word('message')} use {name}") == [word("answer")]
    before = scene.chat.answers
    await scene.owner.says(scene.chat, f"{word('message')} use request_human")
    card = await scene.card(word("question"))
    await scene.forge(card, word("callback"))
    await scene.press(card, MARK)
    await scene.chat.wait_for(before + 2)
    await scene.owner.sends_document(
        scene.chat, word("bytes").encode(), name=f"{word('file')}.txt", caption=word("caption")
    )
    await scene.chat.wait_for(before + 3)


async def fail_in_turns_and_stories(scene: Scene, logged: Logs) -> None:
    await scene.ask(f"{word('message')} fall")
    assert "turn failed" in logged.read()
    async with poisoned(scene, "parcels", "text", word("answer")):
        await scene.owner.says(scene.chat, word("message-whose-answer-cannot-be-kept"))
        await until(lambda: "work failed" in logged.read())
    await scene.chat.wait_until(lambda: scene.chat.texts()[-1] == word("answer"))


async def fail_at_telegram(scene: Scene, logged: Logs) -> None:
    scene.server.push({"message": {"text": word("no-update")}})
    scene.server.push({"callback_query": {"data": word("no-callback")}})
    async with poisoned(scene, "messages", "text", "stumble"):
        await scene.owner.says(scene.chat, f"{word('message')} stumble")
        await scene.set_aside(3)
    assert "update set aside" in logged.read()
    with scene.refusing("sendMessage", 400, f"Bad Request: cannot parse {word('answer')}", chat=scene.chat):
        await scene.owner.says(scene.chat, word("message"))
        await until(lambda: "parcel failed" in logged.read())
    scene.server.fail("getUpdates", status=500, description=word("said-by-telegram"))
    scene.server.fail("getFile", status=400, description=word("said-by-telegram"))
    before = scene.chat.answers
    await scene.owner.sends_document(scene.chat, b"x", name=f"{word('file')}.pdf", caption=word("caption"))
    await scene.chat.wait_for(before + 1)
    await until(lambda: "updates not fetched" in logged.read())


async def fail_at_the_page(scene: Scene, logged: Logs) -> None:
    headers = {"Authorization": f"Bearer {scene.host.token}"}
    async with httpx.AsyncClient(base_url=scene.host.url, headers=headers, timeout=60) as client:
        room = await first_room(client)
        path = f"/api/rooms/{room}/messages"
        await client.post(path, content=f'{{"text": "{word("broken")}')
        await client.post(path, json={"text": [word("list")], "client_id": word("id")})
        await client.get(f"/api/messages/{word('no-such-message')}/why?token={word('query')}")
        async with poisoned(scene, "messages", "text", "tumble"):
            answer = await client.post(path, json={"text": f"{word('page')} tumble", "client_id": "1"})
        assert answer.status_code == 500
    await until(
        lambda: any(
            "exception" in event and event["logger"].startswith("uvicorn") for event in logged.events()
        )
    )


async def test_what_python_and_libraries_say_themselves_is_told_without_its_words(logged: Logs) -> None:
    logged.begin()
    for name in ("httpx", "httpcore.http11", "telegram.Bot", "aiohttp.client", "urllib3", "some.library", ""):
        for level in ("debug", "info", "warning", "error"):
            getattr(logging.getLogger(name), level)(
                "POST /bot%s/getMe %s", word("token"), {"text": word("text")}
            )
    try:
        raise RuntimeError(word("outer")) from KeyError(word("inner"))
    except RuntimeError:
        logging.getLogger("some.library").exception(word("template"))
        structlog.get_logger("ours").exception("it fell", reason=OSError(2, word("os"), word("file")))
    structlog.get_logger("ours").warning(
        "an object", held={"text": word("held")}, error=ValueError(word("held"))
    )
    falling = threading.Thread(target=lambda: int(word("thread")))
    falling.start()
    falling.join()
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        warnings.warn(word("warning"), UserWarning, stacklevel=1)
    told = logged.everywhere()
    assert MARK not in told
    fell = next(event for event in logged.events() if event["event"] == "it fell")
    assert fell["reason"] == "FileNotFoundError No such file or directory"
    assert fell["exception"].index("KeyError") < fell["exception"].index("RuntimeError")
    assert f"{Path(__file__).name}" in fell["exception"]
    assert {"a library complains", "nobody caught it", "python warns"} <= {
        event["event"] for event in logged.events()
    }


def quoting(asked: Asked) -> Any:
    """A vendor that repeats what it was asked: whole, and in the midst of an answer."""
    said = json.dumps(asked.body)
    if "refuse" in said:
        return Fail(400, "invalid_request_error", f"cannot read {said} of {asked.body}")
    return word("answer")


@pytest.mark.parametrize("runtime", ["native", "claude-code"])
async def test_a_service_logs_no_token_no_key_and_no_word_at_any_level(home: Path, runtime: str) -> None:
    async with (
        ModelServer(quoting, key=word("api-key")) as server,
        TelegramServer(flood_control=False) as telegram,
    ):
        bot, olena = telegram.add_bot(), telegram.person("Olena")
        program = Logged(
            home,
            LOG_LEVEL="debug",
            ANTHROPIC_BASE_URL=server.url,
            ANTHROPIC_API_KEY=server.key,
            AGENTS_RUNTIME=runtime,
            TELEGRAM_BOT_TOKEN=bot.token,
            TELEGRAM_API_BASE=telegram.url,
        )
        async with program.running(), program.client() as client:
            room = await first_room(client)
            await say_there(client, room, word("message"), "1")
            await settled(client, room, 1)
            await say_there(client, room, f"{word('message')} refuse", "2")
            await until(lambda: len(server.asked) > 1)
            await olena.says(olena.chat_with(bot), word("stranger"))
            await settled(client, room, 1)
            await until(lambda: telegram.unconfirmed(bot) == 0)
            page_token = (home / "data" / "web-token").read_text().strip()
        said = program.log + "".join(file.read_text() for file in (home / "data").glob("logs/*"))
    assert '"level": "info"' in said
    assert [hidden for hidden in (MARK, bot.token, page_token) if hidden in said] == []
