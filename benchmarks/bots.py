"""Measures the Telegram channel beside a bare echo bot on the same server, in one run. See benchmarks/README.md."""

import argparse
import asyncio
import contextlib
import os
import random
import statistics
import tempfile
import time
from collections.abc import AsyncIterator
from pathlib import Path

os.environ.setdefault("PTB_TIMEDELTA", "1")

import sqlalchemy as sa
import structlog
from starlette.responses import JSONResponse, Response

from nanoclaw.app.wiring import Host
from nanoclaw.channels.telegram.bots import make_bot
from nanoclaw.domain.people import Role
from nanoclaw.durable import people, tables
from nanoclaw.durable.clock import now
from nanoclaw.durable.store import Tx
from nanoclaw.testing import ScriptedModel, TelegramServer, started_host
from nanoclaw.testing.telegram.accounts import Bot
from nanoclaw.testing.telegram.faults import CutOff
from nanoclaw.testing.telegram.people import Person
from nanoclaw.testing.telegram.server import Call

ANSWER = "An answer of a few words."
_PAUSE = 0.05  # seconds between two messages


async def bare_echo(count: int) -> list[float]:
    """Seconds from a person's message until a bot's text, with nothing in between and nothing kept."""
    async with TelegramServer(flood_control=False) as server:
        account = server.add_bot("bare_bot", name="Bare")
        bot = make_bot(account.token, server.url)

        async def echo() -> None:
            offset = 0
            async with bot:
                while True:
                    for update in await bot.get_updates(offset, timeout=20):
                        offset = update.update_id + 1
                        assert update.message is not None
                        await bot.send_message(update.message.chat.id, ANSWER)

        echoing = asyncio.create_task(echo())
        took = await talk([server.person(f"Person {number}") for number in range(count)], account)
        echoing.cancel()
        await asyncio.gather(echoing, return_exceptions=True)
    return took


async def talk(persons: list[Person], account: Bot) -> list[float]:
    """One after the other and not in a hurry: what is measured is the way, not Telegram's limits."""
    took = []
    for number, person in enumerate(persons):
        chat = person.chat_with(account)
        begun = time.perf_counter()
        await person.says(chat, f"Message number {number}")
        await chat.wait_for(1)
        took.append(time.perf_counter() - begun)
        await asyncio.sleep(_PAUSE)
    return took


@contextlib.asynccontextmanager
async def a_host(server: TelegramServer, token: str, folder: Path) -> AsyncIterator[Host]:
    telegram: dict[str, object] = {"bot_token": token, "api_base": server.url}
    turns: dict[str, object] = {"batch_window": 0, "concurrent": 50}
    model = ScriptedModel(ANSWER)
    async with started_host(folder, model=model, telegram=telegram, turns=turns) as host:
        yield host


async def know(host: Host, persons: list[Person]) -> None:
    """As if each of them had been paired before."""

    def story(tx: Tx) -> None:
        for person in persons:
            handle = f"telegram:{person.id}"
            people.add_person(tx, handle=handle, name=person.name, role=Role.OWNER, at=now())

    await host.store.write(story)


async def first_text(folder: Path, count: int) -> list[float]:
    async with TelegramServer(flood_control=False) as server:
        account = server.add_bot("host_bot", name="Host")
        async with a_host(server, account.token, folder) as host:
            persons = [server.person(f"Person {number}") for number in range(count + 20)]
            await know(host, persons)
            return (await talk(persons, account))[20:]


async def many_at_once(folder: Path, chats: int) -> tuple[float, int]:
    """Seconds until every one of them has its answer, and how often Telegram had to tell us to wait."""
    async with TelegramServer() as server:
        account = server.add_bot("host_bot", name="Host")
        async with a_host(server, account.token, folder) as host:
            persons = [server.person(f"Person {number}") for number in range(chats)]
            await know(host, persons)
            begun = time.perf_counter()

            async def one(person: Person) -> None:
                chat = person.chat_with(account)
                await person.says(chat, "Hello")
                await chat.wait_until(lambda: ANSWER in chat.texts(), patience=120)

            await asyncio.gather(*map(one, persons))
            return time.perf_counter() - begun, server.floods


async def none_lost(folder: Path, count: int) -> tuple[int, int, float]:
    """How many of so many updates are stored, once each, while every tenth call goes wrong; and how many calls did."""
    wrong = 0
    dice = random.Random(1)  # noqa: S311

    async def go_wrong(call: Call) -> Response | None:
        nonlocal wrong
        if call.method != "getUpdates" or dice.random() > 0.1:
            return None
        wrong += 1
        busy = {"ok": False, "error_code": 429, "description": "Too Many Requests: retry after 1"}
        return dice.choice(
            [
                CutOff(),
                JSONResponse({"ok": False, "error_code": 502, "description": "Bad Gateway"}, 502),
                JSONResponse({**busy, "parameters": {"retry_after": 1}}, 429),
            ]
        )

    async with TelegramServer(flood_control=False) as server:
        account = server.add_bot("host_bot", name="Host")
        async with a_host(server, account.token, folder) as host:
            persons = [server.person(f"Person {number}") for number in range(50)]
            server.on_call = go_wrong
            begun = time.perf_counter()
            for number in range(count):
                person = persons[number % 50]
                await person.says(person.chat_with(account), f"{number}")
            while server.unconfirmed(account):  # noqa: ASYNC110 - looking now and then is good enough
                await asyncio.sleep(0.2)
            took = time.perf_counter() - begun
            stored = await host.store.read(
                lambda tx: tx.execute(sa.select(sa.func.count(tables.messages.c.id.distinct()))).scalar_one()
            )
    return int(stored), wrong, took


async def measure(*, quick: bool) -> None:
    structlog.configure(logger_factory=structlog.ReturnLoggerFactory())
    count = 50 if quick else 300
    bare = await bare_echo(count)
    base = statistics.median(bare)
    print_figure("bare echo bot, message to answer, ms", base * 1000, "1.00")
    with tempfile.TemporaryDirectory() as folder:
        took = await first_text(Path(folder) / "one", count)
        middle = statistics.median(took)
        print_figure(
            "host, message to first text, ms", middle * 1000, f"{middle / base:.2f} of the bare echo"
        )
        seconds, floods = await many_at_once(Path(folder) / "many", 200)
        print_figure("200 chats at once, all answered, s", seconds, f"{floods} times told to wait")
        wanted = 5_000 if quick else 100_000
        stored, wrong, seconds = await none_lost(Path(folder) / "lost", wanted)
        print_figure(
            f"updates lost of {wanted:,}", wanted - stored, f"{wrong} calls failed, {wanted / seconds:.0f}/s"
        )


def print_figure(name: str, value: float, note: str) -> None:
    print(f"{name:<52} {value:>9.2f}   {note}", flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true")
    asyncio.run(measure(quick=parser.parse_args().quick))
