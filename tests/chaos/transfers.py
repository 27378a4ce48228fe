"""`just chaos transfers`: hosts die or stand still, and folders vanish, while sessions go elsewhere and come back.

Each journey must end with its result taken over once, or taken back once; nothing may leave that nobody saw.
"""

import asyncio
import random
import shutil
import time
from argparse import Namespace
from collections import Counter
from collections.abc import Awaitable, Sequence
from contextlib import AsyncExitStack, suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import httpx
from tests.chaos import transfer_judge
from tests.chaos.command import HOSTS, Count, start
from tests.chaos.fleet import hosts_of
from tests.chaos.hosts import ChaosHost
from tests.chaos.pipelines import Rows, Trial, database_for
from tests.chaos.transfer_judge import FACTS, FILE, purpose_of
from tests.crash.program import first_room, say, settled

from nanoclaw.testing import made_workspace

_LOOK_EVERY = 0.1  # seconds; rows wake nobody when they change
_LURKS = 1.0  # seconds, until there is something that can vanish
_AT_ONCE = 3  # open transfers of one conversation
_TROUBLES = ("kill", "kill", "pause", "vanish", "vanish-file", "vanish-document")
_BACK = "SELECT id, state FROM analyses WHERE transfer_id = :t AND state <> 'refused'"
_ANSWERLESS = (httpx.HTTPError, OSError, KeyError, ValueError)
_REPORT = f"""# Report

Transfer ID: {{id}}

## Facts
- {FACTS[0]}
- {FACTS[1]}

## Decisions
- We go to town {{number}}

## Context changes
- {FILE}: Prices in town {{number}} are the same.

## Next step
Go on with town {{number}}
"""


@dataclass(kw_only=True)
class Outcome:
    seconds: float = 0
    journeys: int = 0
    undone: int = 0
    troubles: Counter[str] = field(default_factory=Counter)
    packed_again: int = 0
    brought_again: int = 0  # documents that vanished before they were read: refused, and brought once more
    lost: int = 0
    doubled: int = 0
    unseen: int = 0
    faults: list[str] = field(default_factory=list)


@dataclass(frozen=True, kw_only=True)
class Traveller:
    """A person at the page. Whatever is not answered is looked up, and asked for again only if it was not done."""

    hosts: list[ChaosHost]
    rows: Rows
    dice: random.Random

    async def travel(self, number: int, *, undoes: bool) -> None:
        while not await self._goes_on(number, undoes=undoes):
            await asyncio.sleep(_LOOK_EVERY)

    async def _goes_on(self, number: int, *, undoes: bool) -> bool:
        """One step, as the rows say; True when there is none left."""
        row = await self._row(
            "SELECT t.id, t.status, q.status AS asked FROM session_transfers t "
            "LEFT JOIN human_interactions q ON q.id = t.question_id AND t.packed_at IS NOT NULL "
            "WHERE t.purpose = :p",
            p=purpose_of(number),
        )
        if row is None:
            await self._post("/api/transfers", {"target": "manual", "purpose": purpose_of(number)})
        elif row.status == "created" and row.asked == "pending":
            await self._post(f"/api/transfers/{row.id}/release", {})
        elif row.status == "delivered":
            back = await self._row(_BACK, t=row.id)
            if back is None:
                report = _REPORT.format(id=row.id, number=number).encode()
                await self._post(f"/api/transfers/import?name=town-{number}.md&transfer={row.id}", report)
        elif row.status == "resumed" and undoes:
            back = await self._row(
                "SELECT id, state FROM analyses WHERE transfer_id = :t AND state <> 'refused'", t=row.id
            )
            if back is None or back.state == "undone":
                return True
            await self._post(f"/api/analyses/{back.id}/undo", {})
        elif row.status not in ("created", "delivered"):
            return True
        return False

    async def _row(self, query: str, **values: object) -> Any:
        found = await asyncio.to_thread(self.rows.all, query, **values)
        return found[0] if found else None

    async def _post(self, path: str, body: dict[str, str] | bytes) -> None:
        there = [host for host in self.hosts if host.up.is_set()]
        if not there:
            return
        with suppress(*_ANSWERLESS):
            async with self.dice.choice(there).client() as client:
                if isinstance(body, bytes):
                    await client.post(path, content=body)
                else:
                    await client.post(path, json=body)


async def run(trial: Trial, folder: Path, *, postgres_url: str = "") -> Outcome:
    begun, outcome = time.monotonic(), Outcome(journeys=trial.runs)
    dice = random.Random(trial.seed)  # noqa: S311 - not a secret
    async with AsyncExitStack() as stack:
        home = made_workspace(folder / "host1")
        database = await database_for(stack, trial, folder, postgres_url)
        rows = Rows(database.url)
        hosts = await stack.enter_async_context(
            hosts_of(
                folder,
                trial.hosts,
                database,
                trial.lifetime,
                prepare=partial(_share, shared=folder / "host1"),
                DEMO_PACE="0",
                QUESTIONS_GRACE_SECONDS="0",
            )
        )
        async with hosts[0].client() as client:
            room = await first_room(client)
            await say(client, room, "Which town shall we go to?", "first")
            await settled(client, room, 1)
        people = Traveller(hosts=hosts, rows=rows, dice=dice)
        undone = {number for number in range(1, trial.runs + 1) if dice.random() < 0.5}
        outcome.undone = len(undone)
        to_go = list(range(trial.runs, 0, -1))

        async def travel() -> None:
            while to_go:
                number = to_go.pop()
                await people.travel(number, undoes=number in undone)

        trouble = asyncio.create_task(_trouble(trial, hosts, rows, dice, outcome))
        stack.callback(trouble.cancel)
        with suppress(TimeoutError):
            async with asyncio.timeout(trial.patience + 3 * trial.runs + trial.kills):
                await asyncio.gather(*(travel() for _ in range(_AT_ONCE)))
        trouble.cancel()
        await asyncio.gather(trouble, return_exceptions=True)
        await _settle(trial, rows)
        outcome.packed_again = transfer_judge.packed_again(rows)
        outcome.brought_again = rows.all("SELECT count(*) FROM analyses WHERE state = 'refused'")[0][0]
        for kind, said in transfer_judge.faults(rows, home, trial.runs):
            setattr(outcome, kind, getattr(outcome, kind) + 1)
            outcome.faults.append(f"{kind}: {said}")
    outcome.seconds = round(time.monotonic() - begun, 1)
    return outcome


async def _trouble(
    trial: Trial, hosts: list[ChaosHost], rows: Rows, dice: random.Random, outcome: Outcome
) -> None:
    for _ in range(trial.kills):
        await asyncio.sleep(dice.uniform(0.05, trial.longest_rest))
        kind, host = dice.choice(_TROUBLES), dice.choice(hosts)
        if kind == "kill":
            outcome.troubles[kind] += await host.strike_and_wait(dice.uniform(0, 0.3))
        elif kind == "pause":
            outcome.troubles[kind] += host.pause(dice.uniform(0.3, 1.6) * trial.lifetime)
        else:
            until = time.monotonic() + _LURKS
            while not (struck := await asyncio.to_thread(_vanish, kind, host.home, rows, dice)):
                if time.monotonic() > until:
                    break
            outcome.troubles[kind] += struck


def _vanish(kind: str, home: Path, rows: Rows, dice: random.Random) -> bool:
    """Remove something that has not left, or was not read yet. False if there is nothing."""
    if kind == "vanish-document":
        query, place = "SELECT id FROM analyses WHERE state = 'received'", home / "data" / "analyses"
    else:
        query, place = (
            "SELECT id FROM session_transfers WHERE status = 'created'",
            home / "data" / "transfers",
        )
    there = [place / row.id for row in rows.all(query) if (place / row.id).exists()]
    if not there:
        return False
    chosen = dice.choice(there)
    if kind != "vanish-file":
        shutil.rmtree(chosen, ignore_errors=True)
        return True
    files = sorted(each for each in chosen.glob("session_transfer/*") if each.is_file())
    if files:
        dice.choice(files).unlink(missing_ok=True)
    return bool(files)


async def _settle(trial: Trial, rows: Rows) -> None:
    """Until memory has written what was asked of it, and every parcel is where it should be."""
    until = time.monotonic() + trial.patience
    while time.monotonic() < until:
        waits = rows.all("SELECT count(*) FROM memory_changes WHERE state = 'waiting'")[0][0]
        if not waits:
            return
        await asyncio.sleep(_LOOK_EVERY)


def main(words: Sequence[str]) -> int:
    def trial(given: Namespace, folder: Path) -> Awaitable[Outcome]:
        return run(Trial.typed(given, runs=given.rounds, kills=given.troubles, longest_rest=0.5), folder)

    counts = {
        "rounds": Count(usual=40, help="journeys there and back"),
        "troubles": Count(usual=120, help="at most: they end with the journeys"),
        "hosts": HOSTS,
    }
    return start("transfers", __doc__, words, trial, counts)


def _share(home: Path, shared: Path) -> None:
    """They share what the docs ask for, but neither packages nor documents that were not read yet."""
    if home == shared:
        return
    for name in ("data/attachments", "companies"):
        (shared / name).mkdir(parents=True, exist_ok=True)
        shutil.rmtree(home / name, ignore_errors=True)
        (home / name).symlink_to(shared / name)
