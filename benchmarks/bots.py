"""Measures the Telegram channel beside a bare echo bot on the same server, in one run. See benchmarks/README.md.

Servers and people are in this process, the bot in another: what is measured is the bot's way, not the servers' work.
"""

import argparse
import asyncio
import contextlib
import json
import os
import random
import statistics
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import httpx
import sqlalchemy as sa
import telegram
from benchmarks.measuring import cpu, cpu_of_tree, memory, print_figure, ready, tail
from starlette.responses import JSONResponse, Response
from telegram.ext import Application, ContextTypes, MessageHandler, filters

from nanoclaw.domain.people import Role
from nanoclaw.durable import people, schema, tables
from nanoclaw.durable.clock import now
from nanoclaw.durable.store import Tx, open_store
from nanoclaw.testing import ModelServer, TelegramServer, made_workspace
from nanoclaw.testing.telegram.accounts import Bot
from nanoclaw.testing.telegram.faults import CutOff
from nanoclaw.testing.telegram.people import Person
from nanoclaw.testing.telegram.server import Call

_PAUSE = 0.05  # seconds between two messages: nobody is in a hurry, and no limit is near
_ROUNDS = 3  # of which the first makes chats and sessions, and is not counted
_ANSWER = "An answer of a few words."
_LATE = 0.5  # seconds that a bot gets to end what it does after an answer


async def echo(url: str, token: str, model_url: str = "", key: str = "") -> None:
    """A bot that answers at once, or after one call of a model, with nothing else in between and nothing kept."""
    bot = telegram.Bot(token, base_url=f"{url}/bot")
    offset = 0
    headers = {"x-api-key": key, "anthropic-version": "2023-06-01"}
    async with bot, httpx.AsyncClient(base_url=model_url, headers=headers, timeout=60) as http:
        while True:
            for update in await bot.get_updates(offset, timeout=20):
                offset = update.update_id + 1
                if update.message:
                    said = await _ask(http, update.message.text) if model_url else _ANSWER
                    await bot.send_message(update.message.chat.id, said)


async def example(url: str, token: str, model_url: str, key: str) -> None:
    """The same as the library's own example is written: with an application, which gives updates to a handler."""
    headers = {"x-api-key": key, "anthropic-version": "2023-06-01"}
    application = Application.builder().token(token).base_url(f"{url}/bot").build()
    async with httpx.AsyncClient(base_url=model_url, headers=headers, timeout=60) as http:

        async def answer(update: telegram.Update, _: ContextTypes.DEFAULT_TYPE) -> None:
            if update.message:
                await update.message.reply_text(await _ask(http, update.message.text))

        application.add_handler(MessageHandler(filters.TEXT, answer))
        async with application:
            await application.start()
            if application.updater:
                await application.updater.start_polling(timeout=20)
            await asyncio.Event().wait()


async def _ask(http: httpx.AsyncClient, text: str | None) -> str:
    said = [{"role": "user", "content": text}]
    body = {"model": "claude-sonnet-5", "max_tokens": 1000, "messages": said}
    answer = (await http.post("/v1/messages", json=body)).json()
    return str(answer["content"][0]["text"])


@contextlib.asynccontextmanager
async def bare_bot(
    server: TelegramServer, bot: Bot, model: ModelServer | None = None, *, kind: str = "echo"
) -> AsyncIterator[int]:
    """Its process."""
    asked = [model.url, model.key] if model else []
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "benchmarks.bots", f"--{kind}", server.url, bot.token, *asked),
        env={**os.environ, "PTB_TIMEDELTA": "1"},
    )
    try:
        yield process.pid
    finally:
        process.terminate()
        await process.wait()


def environment_of(home: Path, model: ModelServer | None = None) -> dict[str, str]:
    """With its demo agent; with a model, the native runtime."""
    asked = (
        {
            "NANOCLAW_AGENTS_RUNTIME": "native",
            "ANTHROPIC_BASE_URL": model.url,
            "ANTHROPIC_API_KEY": model.key,
        }
        if model
        else {}
    )
    return {
        **os.environ,
        "NANOCLAW_HOME": str(home),
        "NANOCLAW_WEB_PORT": "0",
        "NANOCLAW_DEMO_PACE": "0",
        "NANOCLAW_LIMITS_PERSON_PER_MINUTE": "0",
        "NANOCLAW_LIMITS_GROUP_PER_MINUTE": "0",
        "NANOCLAW_TURNS_CONCURRENT": "50",
        **asked,
    }


def with_bot(server: TelegramServer, bot: Bot) -> dict[str, str]:
    return {"TELEGRAM_BOT_TOKEN": bot.token, "TELEGRAM_API_BASE": server.url}


@contextlib.asynccontextmanager
async def started(environment: Mapping[str, str]) -> AsyncIterator[asyncio.subprocess.Process]:
    """The real program."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "nanoclaw", "up", "--no-chat"),
        env=environment,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
    )
    try:
        yield process
    finally:
        process.terminate()
        await process.communicate()


@contextlib.asynccontextmanager
async def host(
    server: TelegramServer,
    bot: Bot,
    home: Path,
    persons: Sequence[Person],
    model: ModelServer | None = None,
) -> AsyncIterator[int]:
    """Its process. All these persons are owners, as if each had been paired."""
    made_workspace(home)
    await know(home, persons)
    async with started(environment_of(home, model) | with_bot(server, bot)) as process:
        await ready(process)
        yield process.pid


async def know(home: Path, persons: Sequence[Person]) -> None:
    store = open_store(f"sqlite:///{home / 'data' / 'nanoclaw.db'}")
    schema.upgrade(store)

    def story(tx: Tx) -> None:
        for person in persons:
            handle = f"telegram:{person.id}"
            people.add_person(tx, handle=handle, name=person.name, role=Role.OWNER, at=now())

    await store.write(story)
    store.close()


async def talk(
    persons: Sequence[Person], bot: Bot, *, rounds: int = _ROUNDS, counted_from: int = 1
) -> list[float]:
    """Seconds from each person's message until the first text of the bot's answer."""
    took = []
    for round_number in range(rounds):
        for person in persons:
            chat = person.chat_with(bot)
            before = chat.answers
            begun = time.perf_counter()
            await person.says(chat, "hello")
            await chat.wait_for(before + 1)
            if round_number >= counted_from:
                took.append(time.perf_counter() - begun)
            await asyncio.sleep(_PAUSE)
    return took


async def first_text(folder: Path, count: int) -> tuple[list[float], list[float]]:
    async with TelegramServer(flood_control=False) as server:
        persons = [server.person(f"Person {number}") for number in range(count)]
        bare, ours = server.add_bot("bare_bot"), server.add_bot("host_bot")
        async with bare_bot(server, bare):
            at_least = await talk(persons, bare)
        async with host(server, ours, folder, persons):
            return at_least, await talk(persons, ours)


@dataclass
class Talked:
    """What it took to answer so many messages."""

    took: list[float] = field(default_factory=list)
    spent: float = 0.0  # seconds of CPU

    @property
    def each(self) -> float:
        return self.spent / len(self.took)


async def with_model(folder: Path, rounds: int) -> None:
    """The native runtime beside a bot with one model call, in turns, so that a busy machine hits both."""
    async with TelegramServer(flood_control=False) as server, ModelServer(_ANSWER) as model:
        persons = [server.person(f"Person {number}") for number in range(20)]
        bare, usual, ours = (server.add_bot(name) for name in ("bare_bot", "example_bot", "host_bot"))
        async with (
            bare_bot(server, bare, model) as bare_pid,
            bare_bot(server, usual, model, kind="example") as usual_pid,
            host(server, ours, folder, persons, model) as pid,
        ):
            await talk(persons[:1], ours)
            await asyncio.sleep(5)
            idle, shared = memory(pid), memory(pid, "Pss")
            at_least, as_usual, found = Talked(), Talked(), Talked()
            turns = ((bare, bare_pid, at_least), (usual, usual_pid, as_usual), (ours, pid, found))
            for round_number in range(rounds + 2):  # the first two make chats and sessions
                for bot, process, talked in turns:
                    before = cpu_of_tree(process)
                    took = await talk(persons, bot, rounds=1, counted_from=0)
                    await asyncio.sleep(_LATE)
                    if round_number > 1:
                        talked.took += took
                        talked.spent += cpu_of_tree(process) - before
            later = memory(pid)
    for name, share in (("p50", 0.5), ("p95", 0.95)):
        base, example, middle = (tail(each.took, share) * 1000 for each in (at_least, as_usual, found))
        print_figure(f"bare bot with one model call, {name}, ms", base, "1.00")
        print_figure(f"as the library's example, {name}, ms", example, f"{example / base:.2f}")
        compared = f"{middle / base:.2f} of the bare bot, {middle / example:.2f} of the example"
        print_figure(f"host, native, message to answer, {name}, ms", middle, compared)
    base, example, each = (talked.each * 1000 for talked in (at_least, as_usual, found))
    print_figure("bare bot with one model call, CPU a message, ms", base, "1.00")
    print_figure("as the library's example, CPU a message, ms", example, f"{example / base:.2f}")
    compared = f"{each / base:.2f} of the bare bot, {each / example:.2f} of the example"
    print_figure("host, native, CPU a message, ms", each, compared)
    print_figure("memory idle, Telegram and native, RSS, MiB", idle, f"PSS {shared:.1f}")
    print_figure(f"memory after {20 * (rounds + 2)} more messages, RSS, MiB", later, "")


async def starts(folder: Path, times: int) -> None:
    """From the command typed: until the host is ready, and until a new workspace has answered its first message."""
    to_ready, to_answer, spent = [], [], []
    async with TelegramServer(flood_control=False) as server, ModelServer(_ANSWER) as model:
        for number in range(times):
            home, bot = folder / str(number), server.add_bot(f"bot_{number}")
            environment = environment_of(home, model) | with_bot(server, bot)
            begun = time.perf_counter()
            async with started(environment) as process:
                await ready(process)
                url, headers = door_of(home)
                async with httpx.AsyncClient(base_url=url, headers=headers, timeout=60) as http:
                    room = (await http.get("/api/rooms")).json()["rooms"][0]["id"]
                    messages = f"/api/rooms/{room}/messages"
                    await http.post(messages, json={"text": "hello", "client_id": "0"})
                    while _ANSWER not in (await http.get(messages)).text:  # noqa: ASYNC110
                        await asyncio.sleep(0.01)
                to_answer.append(time.perf_counter() - begun)
            begun = time.perf_counter()
            async with started(environment) as process:
                await ready(process)
                to_ready.append(time.perf_counter() - begun)
                spent.append(cpu(process.pid))
                await asyncio.sleep(_LATE)
    print_figure(
        "start to ready, Telegram and native, s",
        statistics.median(to_ready),
        f"{statistics.median(spent):.2f} of CPU",
    )
    print_figure("first answer of a fresh workspace, s", statistics.median(to_answer), "")


def door_of(home: Path) -> tuple[str, dict[str, str]]:
    token = (home / "data" / "web-token").read_text().strip()
    url = json.loads((home / "data" / "host.json").read_text())["url"]
    return url, {"Authorization": f"Bearer {token}"}


async def many_at_once(folder: Path, chats: int) -> tuple[float, int]:
    """Seconds until every one of them has an answer, and how often Telegram had to tell us to wait."""
    async with TelegramServer() as server:
        bot = server.add_bot("host_bot")
        persons = [server.person(f"Person {number}") for number in range(chats)]
        async with host(server, bot, folder, persons):
            await talk(persons[:1], bot)
            begun = time.perf_counter()

            async def one(person: Person) -> None:
                chat = person.chat_with(bot)
                await person.says(chat, "hello")
                await chat.wait_until(lambda: chat.answers, patience=120)

            await asyncio.gather(*map(one, persons[1:]))
            return time.perf_counter() - begun, server.floods


async def none_lost(folder: Path, count: int) -> tuple[int, int, float]:
    """How many of so many updates are stored, once each, while many calls go wrong; and how many did."""
    wrong = 0
    dice = random.Random(1)  # noqa: S311

    async def go_wrong(call: Call) -> Response | None:
        nonlocal wrong
        if call.method != "getUpdates" or dice.random() > 0.3:
            return None
        wrong += 1
        busy = {"ok": False, "error_code": 429, "description": "Too Many Requests: retry after 1"}
        failed = {"ok": False, "error_code": 502, "description": "Bad Gateway"}
        answers = [CutOff(), JSONResponse(failed, 502)]
        # Rarely: each of them is a second of waiting.
        return (
            dice.choice(answers)
            if dice.random() < 0.95
            else JSONResponse({**busy, "parameters": {"retry_after": 1}}, 429)
        )

    async with TelegramServer(flood_control=False) as server:
        bot = server.add_bot("host_bot")
        persons = [server.person(f"Person {number}") for number in range(50)]
        async with host(server, bot, folder, []):
            server.on_call = go_wrong
            begun = time.perf_counter()
            for number in range(count):
                person = persons[number % len(persons)]
                await person.says(person.chat_with(bot), f"{number}")
            while server.unconfirmed(bot):  # noqa: ASYNC110 - looking now and then is good enough
                await asyncio.sleep(0.2)
            took = time.perf_counter() - begun
    store = open_store(f"sqlite:///{folder / 'data' / 'nanoclaw.db'}")
    found = sa.select(sa.func.count(tables.messages.c.text.distinct()), sa.func.count())
    distinct, stored = await store.read(lambda tx: tx.execute(found.select_from(tables.messages)).one())
    store.close()
    assert distinct == stored, "an update was stored twice"
    return int(stored), wrong, took


async def measure(*, quick: bool, only_model: bool) -> None:
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # else each start compiles the whole program
    with tempfile.TemporaryDirectory() as folder:
        await with_model(Path(folder) / "model", 5 if quick else 15)
        await starts(Path(folder) / "starts", 3 if quick else 7)
        if only_model:
            return
        bare, ours = await first_text(Path(folder) / "one", 40 if quick else 100)
        base, middle = statistics.median(bare), statistics.median(ours)
        print_figure("bare echo bot, message to answer, ms", base * 1000, "1.00")
        print_figure(
            "host, message to first text, ms", middle * 1000, f"{middle / base:.2f} of the bare echo"
        )
        seconds, floods = await many_at_once(Path(folder) / "many", 200)
        print_figure("200 chats at once, all answered, s", seconds, f"{floods} times told to wait")
        wanted = 5_000 if quick else 100_000
        stored, wrong, seconds = await none_lost(Path(folder) / "lost", wanted)
        note = f"{wrong} calls failed, {wanted / seconds:.0f} stored a second"
        print_figure(f"updates lost of {wanted:,}", wanted - stored, note)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--model", action="store_true", help="only what is measured with a model")
    parser.add_argument("--echo", nargs="+", help=argparse.SUPPRESS)
    parser.add_argument("--example", nargs=4, help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.echo or chosen.example:
        asyncio.run(echo(*chosen.echo) if chosen.echo else example(*chosen.example))
    else:
        asyncio.run(measure(quick=chosen.quick, only_model=chosen.model))
