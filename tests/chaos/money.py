"""`just chaos money`: hosts with one budget are killed and paused while calls wait for money and reserve it.

What the vendor was paid may never be more than the budget; every message gets an end; nobody waits for ever, and
nothing stays reserved.
"""

import asyncio
import json
import random
import time
from argparse import Namespace
from collections import Counter
from collections.abc import Awaitable, Sequence
from contextlib import AsyncExitStack, suppress
from dataclasses import dataclass, field
from pathlib import Path

import httpx
from tests.chaos.command import HOSTS, Count, start
from tests.chaos.fleet import hosts_of
from tests.chaos.hosts import ChaosHost
from tests.chaos.pipelines import Rows, Trial, database_for
from tests.crash.program import say

from nanoclaw.domain.money import MICROS, Usage
from nanoclaw.gateway.prices import Prices
from nanoclaw.testing import ModelServer, made_workspace
from nanoclaw.testing.model_parts import Asked, Reply, Say

LIMIT = 0.6  # dollars: two of the longest answers at once, and some twenty short ones
_LOOK_EVERY = 0.25  # seconds; rows wake nobody when they change
_LONG_ENOUGH = 100  # looks
_ROOMS = 24
_OPEN = "open"
_ANSWER = Usage(input=1_000, output=1_500)


@dataclass(kw_only=True)
class Outcome:
    seconds: float = 0
    kills: int = 0
    pauses: int = 0
    most_reserved: int = 0
    most_waiting: int = 0
    calls: int = 0
    paid: int = 0  # in micros, as the vendor has it
    counted: int = 0  # in micros, as the rows have it
    ends: Counter[str] = field(default_factory=Counter)
    faults: list[str] = field(default_factory=list)


class Vendor:
    """Takes a moment, and asks the price of what it wrote whether or not anyone is left to read it."""

    def __init__(self, dice: random.Random) -> None:
        self.paid = 0
        self.calls = 0
        self._dice = dice
        self._prices = Prices()

    async def __call__(self, asked: Asked) -> Reply:
        self.calls += 1
        self.paid += self._prices.price_of(asked.model, _ANSWER)
        await asyncio.sleep(self._dice.uniform(0.2, 1.5))
        return Reply(parts=(Say("Yes."),), usage=_ANSWER)


async def run(trial: Trial, folder: Path, *, postgres_url: str = "") -> Outcome:
    begun, outcome = time.monotonic(), Outcome()
    dice = random.Random(trial.seed)  # noqa: S311 - not a secret
    paid = Vendor(dice)
    async with AsyncExitStack() as stack:
        made_workspace(folder / "host1")
        database = await database_for(stack, trial, folder, postgres_url)
        rows = Rows(database.url)
        vendor = await stack.enter_async_context(ModelServer(paid))
        hosts = await stack.enter_async_context(
            hosts_of(folder, trial.hosts, database, trial.lifetime, vendor=vendor, prepare=_limit)
        )
        talking = asyncio.create_task(_talk(hosts, trial))
        stack.callback(talking.cancel)
        while outcome.kills + outcome.pauses < trial.kills:
            await _money_moves(rows, outcome)
            await asyncio.sleep(dice.uniform(0, 0.5))
            there = [host for host in hosts if host.up.is_set() and not host.is_paused]
            if not there:
                continue
            if dice.random() < 0.3:
                outcome.pauses += dice.choice(there).pause(dice.uniform(0.5, 2 * trial.lifetime))
            else:
                outcome.kills += await dice.choice(there).strike_and_wait(dice.uniform(0, 0.3))
        await talking
        await _settle(trial, rows)
        outcome.paid, outcome.counted = paid.paid, _counted(rows)
        outcome.calls, outcome.ends = paid.calls, _ends(rows)
        outcome.faults = _judge(rows, trial, outcome)
    outcome.seconds = round(time.monotonic() - begun, 1)
    return outcome


async def _money_moves(rows: Rows, outcome: Outcome) -> None:
    """Until calls are under way, or for a while: a death in between tries nothing."""
    for _ in range(_LONG_ENOUGH):
        reserved = rows.all("SELECT count(*) FROM costs WHERE state = 'reserved'")[0][0]
        waiting = rows.all("SELECT count(*) FROM waiting_calls")[0][0]
        outcome.most_reserved = max(outcome.most_reserved, reserved)
        outcome.most_waiting = max(outcome.most_waiting, waiting)
        if reserved:
            return
        await asyncio.sleep(_LOOK_EVERY / 5)


def _judge(rows: Rows, trial: Trial, outcome: Outcome) -> list[str]:
    faults = []
    most = round(LIMIT * MICROS)
    if outcome.paid > most:
        faults.append(f"the vendor was paid {outcome.paid} of {most} micros")
    if outcome.counted > most:
        faults.append(f"the rows have {outcome.counted} of {most} micros")
    if outcome.paid > outcome.counted:
        faults.append(f"{outcome.paid - outcome.counted} micros were paid that no row has")
    for name, query in (
        ("reserved", "SELECT count(*) FROM costs WHERE state = 'reserved'"),
        ("waiting", "SELECT count(*) FROM waiting_calls"),
    ):
        if left := rows.all(query)[0][0]:
            faults.append(f"{left} calls are still {name}")
    if outcome.ends.total() != trial.runs or _OPEN in outcome.ends:
        faults.append(f"of {trial.runs} messages: {dict(outcome.ends)}")
    return faults


def _counted(rows: Rows) -> int:
    return int(rows.all("SELECT coalesce(sum(micros), 0) FROM costs")[0][0])


def _ends(rows: Rows) -> Counter[str]:
    query = 'SELECT coalesce("end", :open) AS came_to, count(*) AS times FROM session_queue GROUP BY 1'
    return Counter({row.came_to: row.times for row in rows.all(query, open=_OPEN)})


async def _settle(trial: Trial, rows: Rows) -> None:
    before: tuple[object, ...] = ()
    since = time.monotonic()
    while True:
        open_calls = rows.all("SELECT count(*) FROM costs WHERE state = 'reserved'")[0][0]
        ends = _ends(rows)
        if not open_calls and ends.total() == trial.runs and _OPEN not in ends:
            return
        now = (open_calls, tuple(sorted(ends.items())), _counted(rows))
        if now != before:
            before, since = now, time.monotonic()
        if time.monotonic() - since > trial.patience:
            return
        await asyncio.sleep(_LOOK_EVERY)


async def _talk(hosts: list[ChaosHost], trial: Trial) -> None:
    """In several rooms at once; the same message is sent until a host has taken it."""
    for number in range(trial.runs):
        await _tell(hosts, f"Room {number % _ROOMS}", number)


async def _tell(hosts: list[ChaosHost], room: str, number: int) -> None:
    while True:
        for host in [each for each in hosts if each.up.is_set() and not each.is_paused]:
            with suppress(httpx.HTTPError, OSError, KeyError, ValueError):
                async with asyncio.timeout(5), host.client() as client:
                    found = (await client.get("/api/rooms")).json()["rooms"]
                    known = {each["title"]: each["id"] for each in found}
                    if room not in known:
                        made = await client.post("/api/rooms", json={"title": room})
                        made.raise_for_status()
                        continue
                    await say(client, known[room], f"Question {number}?", f"question {number}")
                    return
        await asyncio.sleep(_LOOK_EVERY)


def _limit(home: Path) -> None:
    (home / "companies" / "demo" / "budget.json").write_text(json.dumps({"daily_limit_usd": LIMIT}))


def main(words: Sequence[str]) -> int:
    def trial(given: Namespace, folder: Path) -> Awaitable[Outcome]:
        return run(Trial.typed(given, runs=given.messages, kills=given.kills), folder)

    kills = Count(usual=20, help="kills and pauses")
    return start(
        "money", __doc__, words, trial, {"messages": Count(usual=100), "kills": kills, "hosts": HOSTS}
    )
