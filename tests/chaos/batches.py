"""`just chaos batches`: hosts are killed and paused while batches are under way, and the vendor has bad days.

Every batch must be ready with all its texts; nothing may be sent to the vendor twice, and each text is paid for once.
"""

import asyncio
import random
import time
from argparse import Namespace
from collections import Counter
from collections.abc import Awaitable, Sequence
from contextlib import AsyncExitStack, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
from tests.chaos.command import HOSTS, KILLS, Count, start
from tests.chaos.fleet import hosts_of
from tests.chaos.hosts import ChaosHost
from tests.chaos.pipelines import Rows, Trial, database_for
from tests.chaos.troubles import Troubles
from tests.crash.program import first_room, say

from nanoclaw.runtimes import demo_batch
from nanoclaw.testing import ModelServer, made_workspace
from nanoclaw.testing.model_parts import Asked, Fail

_LOOK_EVERY = 0.25  # seconds; rows wake nobody when they change
_LONGEST_DAY = 1.0  # seconds
_OVER = ("ready", "done", "failed", "cancelled")


@dataclass(kw_only=True)
class Outcome:
    seconds: float = 0
    troubles: Counter[str] = field(default_factory=Counter)
    bad_days: Counter[str] = field(default_factory=Counter)
    statuses: Counter[str] = field(default_factory=Counter)
    sent: int = 0  # batches that the vendor took
    faults: list[str] = field(default_factory=list)


def _answer(asked: Asked) -> str:
    """As the demo plays them: topics, or a text."""
    return demo_batch.write(asked.body) if "<text number=" in asked.text else demo_batch.answer(asked.text)


async def run(trial: Trial, folder: Path, *, items: int = 12, postgres_url: str = "") -> Outcome:
    begun, outcome = time.monotonic(), Outcome()
    dice = random.Random(trial.seed)  # noqa: S311 - not a secret
    async with AsyncExitStack() as stack:
        made_workspace(folder / "host1")
        database = await database_for(stack, trial, folder, postgres_url)
        rows = Rows(database.url)
        vendor = await stack.enter_async_context(ModelServer(_answer))
        hosts = await stack.enter_async_context(
            hosts_of(
                folder,
                trial.hosts,
                database,
                trial.lifetime,
                vendor=vendor,
                BATCHES_POLL_SECONDS="0.2",
                BATCHES_LONGEST_POLL_SECONDS="0.5",
                BATCHES_LOST_SECONDS="4",  # more than the late lists take
            )
        )
        people = asyncio.create_task(_decide(hosts))
        stack.callback(people.cancel)
        for number in range(1, trial.runs + 1):
            await _wish(hosts, number, items)
        bad_days = asyncio.create_task(_have_bad_days(vendor, random.Random(trial.seed), outcome))  # noqa: S311
        stack.callback(bad_days.cancel)
        troubles = Troubles(trial=trial, hosts=hosts, database=database, dice=dice)
        outcome.troubles = await troubles.cause(lambda: _is_over(trial, rows))
        bad_days.cancel()
        vendor.batches.trouble.refuse = lambda _method, _path: None
        await _settle(trial, rows)
        people.cancel()
        await asyncio.gather(people, return_exceptions=True)
        outcome.statuses = _statuses(rows)
        outcome.sent = len(vendor.batches.made)
        outcome.faults = _judge(rows, trial, vendor)
    outcome.seconds = round(time.monotonic() - begun, 1)
    return outcome


async def _have_bad_days(vendor: ModelServer, dice: random.Random, outcome: Outcome) -> None:
    while True:
        outcome.bad_days[_bad_day(vendor, dice)] += 1
        await asyncio.sleep(dice.uniform(0.1, _LONGEST_DAY))


def _bad_day(vendor: ModelServer, dice: random.Random) -> str:
    trouble = vendor.batches.trouble
    kind = dice.choice(("none", "lost-answer", "lost-request", "late-list", "cut-results", "busy", "down"))
    refused = {"busy": Fail(429, "rate_limit_error", "slow down"), "down": Fail(502, "api_error", "down")}
    trouble.refuse = lambda _method, _path: refused.get(kind)
    trouble.lost_answers += kind == "lost-answer"
    trouble.lost_requests += kind == "lost-request"
    trouble.late_lists += kind == "late-list"
    trouble.cut_results += kind == "cut-results"
    return kind


def _judge(rows: Rows, trial: Trial, vendor: ModelServer) -> list[str]:
    faults = []
    ended = rows.all("SELECT id, status, items, why FROM batches ORDER BY id")
    if len(ended) != trial.runs:
        faults.append(f"{trial.runs} batches were wanted, there are {len(ended)}")
    faults += [f"{row.id} is {row.status}: {row.why}" for row in ended if row.status != "ready"]
    for row in rows.all(
        "SELECT batch_id, number, state, attempt FROM batch_items WHERE state <> 'succeeded' OR attempt > 1"
    ):
        faults.append(f"{row.batch_id}: text {row.number} is {row.state}, attempt {row.attempt}")
    sent = Counter(vendor.batches.paid)
    faults += [f"{name} was sent {times} times" for name, times in sent.items() if times > 1]
    if len(sent) != (wanted := sum(row.items for row in ended)):
        faults.append(f"{len(sent)} requests were sent, not {wanted}")
    paid = "SELECT batch_id, state, count(*) AS times FROM costs WHERE batch GROUP BY batch_id, state"
    found = {(row.batch_id, row.state): row.times for row in rows.all(paid)}
    if found != {(row.id, "settled"): row.items for row in ended}:
        faults.append(f"the ledger has {found}")
    return faults


def _statuses(rows: Rows) -> Counter[str]:
    return Counter(
        {row[0]: row[1] for row in rows.all("SELECT status, count(*) FROM batches GROUP BY status")}
    )


def _is_over(trial: Trial, rows: Rows) -> bool:
    statuses = _statuses(rows)
    return sum(statuses.get(status, 0) for status in _OVER) >= trial.runs


async def _settle(trial: Trial, rows: Rows) -> None:
    before: tuple[Any, ...] = ()
    since = time.monotonic()
    while not _is_over(trial, rows):
        states = rows.all("SELECT state, count(*) FROM batch_items GROUP BY state ORDER BY state")
        if (now := tuple(map(tuple, states))) != before:
            before, since = now, time.monotonic()
        if time.monotonic() - since > trial.patience:
            return
        await asyncio.sleep(_LOOK_EVERY)


async def _wish(hosts: list[ChaosHost], number: int, items: int) -> None:
    """In the chat, as a person does it; the same message is sent until a host has taken it."""
    while True:
        for host in hosts:
            with suppress(httpx.HTTPError, OSError, KeyError, ValueError):
                async with host.client() as client:
                    text = f"/batch_generate {items} notes about otters {number}"
                    await say(client, await first_room(client), text, f"wish {number}")
                    return
        await asyncio.sleep(_LOOK_EVERY)


async def _decide(hosts: list[ChaosHost]) -> None:
    """Someone says yes to each batch; what becomes of its texts is left open."""
    while True:
        for host in hosts:
            with suppress(httpx.HTTPError, OSError, KeyError, ValueError):
                async with host.client() as client:
                    for asked in (await client.get("/api/questions")).json()["questions"]:
                        if "start" in [option["id"] for option in asked["options"]]:
                            url = f"/api/questions/{asked['id']}/decide"
                            await client.post(url, json={"option": "start"})
        await asyncio.sleep(_LOOK_EVERY)


def main(words: Sequence[str]) -> int:
    def trial(given: Namespace, folder: Path) -> Awaitable[Outcome]:
        return run(Trial.typed(given, runs=given.batches, kills=given.kills), folder)

    counts = {"batches": Count(usual=10), "kills": KILLS, "hosts": HOSTS}
    return start("batches", __doc__, words, trial, counts)
