"""Measures the Telegram channel beside a bare echo bot on the same server, in one run. See benchmarks/README.md.

Server and people are in this process, the bot in another: what is measured is the bot's way, not the server's work.
"""

import argparse
import asyncio
import contextlib
import os
import random
import statistics
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Sequence
from pathlib import Path

import sqlalchemy as sa
from starlette.responses import JSONResponse, Response

from nanoclaw.channels.telegram.bots import make_bot
from nanoclaw.domain.people import Role
from nanoclaw.durable import people, schema, tables
from nanoclaw.durable.clock import now
from nanoclaw.durable.store import Tx, open_store
from nanoclaw.testing import TelegramServer, made_workspace
from nanoclaw.testing.telegram.accounts import Bot
from nanoclaw.testing.telegram.faults import CutOff
from nanoclaw.testing.telegram.people import Person
from nanoclaw.testing.telegram.server import Call

_PAUSE = 0.05  # seconds between two messages: nobody is in a hurry, and no limit is near
_ROUNDS = 3  # of which the first makes chats and sessions, and is not counted


async def echo(url: str, token: str) -> None:
    """A bot that answers at once, with nothing in between and nothing kept."""
    bot = make_bot(token, url)
    offset = 0
    async with bot:
        while True:
            for update in await bot.get_updates(offset, timeout=20):
                offset = update.update_id + 1
                if update.message:
                    await bot.send_message(update.message.chat.id, "An answer of a few words.")


@contextlib.asynccontextmanager
async def bare_bot(server: TelegramServer, bot: Bot) -> AsyncIterator[None]:
    process = await asyncio.create_subprocess_exec(
        sys.executable, __file__, "--echo", server.url, bot.token, env={**os.environ, "PTB_TIMEDELTA": "1"}
    )
    try:
        yield
    finally:
        process.terminate()
        await process.wait()


@contextlib.asynccontextmanager
async def host(
    server: TelegramServer, bot: Bot, home: Path, persons: Sequence[Person]
) -> AsyncIterator[None]:
    """The real program with its demo agent. All these persons are owners, as if each had been paired."""
    made_workspace(home)
    await know(home, persons)
    environment = {
        **os.environ,
        "NANOCLAW_HOME": str(home),
        "NANOCLAW_WEB_PORT": "0",
        "NANOCLAW_DEMO_PACE": "0",
        "NANOCLAW_LIMITS_PERSON_PER_MINUTE": "0",
        "NANOCLAW_LIMITS_GROUP_PER_MINUTE": "0",
        "NANOCLAW_TURNS_CONCURRENT": "50",
        "TELEGRAM_BOT_TOKEN": bot.token,
        "TELEGRAM_API_BASE": server.url,
    }
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "nanoclaw", "up", "--no-chat"),
        env=environment,
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.DEVNULL,
    )
    try:
        yield
    finally:
        process.terminate()
        await process.wait()


async def know(home: Path, persons: Sequence[Person]) -> None:
    store = open_store(f"sqlite:///{home / 'data' / 'nanoclaw.db'}")
    schema.upgrade(store)

    def story(tx: Tx) -> None:
        for person in persons:
            handle = f"telegram:{person.id}"
            people.add_person(tx, handle=handle, name=person.name, role=Role.OWNER, at=now())

    await store.write(story)
    store.close()


async def talk(persons: Sequence[Person], bot: Bot) -> list[float]:
    """Seconds from each person's message until the first text of the bot's answer."""
    took = []
    for round_number in range(_ROUNDS):
        for person in persons:
            chat = person.chat_with(bot)
            before = chat.answers
            begun = time.perf_counter()
            await person.says(chat, "hello")
            await chat.wait_for(before + 1)
            if round_number:
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


async def measure(*, quick: bool) -> None:
    with tempfile.TemporaryDirectory() as folder:
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


def print_figure(name: str, value: float, note: str) -> None:
    print(f"{name:<52} {value:>9.2f}   {note}", flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--echo", nargs=2, metavar=("URL", "TOKEN"), help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    asyncio.run(echo(*chosen.echo) if chosen.echo else measure(quick=chosen.quick))
