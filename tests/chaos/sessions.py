"""`just chaos sessions`: hosts are killed and paused while programs ask for live sessions and people work in them.

Every session must be held in one room, each word there answered once, and concluded once, with the result that counted.
"""

import asyncio
import json
import random
import re
import time
from argparse import Namespace
from collections import Counter
from collections.abc import Awaitable, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import httpx
from tests.chaos.command import HOSTS, KILLS, PATIENCE, Count, start
from tests.chaos.fleet import hosts_of
from tests.chaos.hosts import ChaosHost
from tests.chaos.pipelines import Rows, Trial, database_for
from tests.chaos.rests import resting_rooms
from tests.chaos.rooms import lines_in, with_any
from tests.chaos.troubles import Troubles
from tests.crash.program import say

from nanoclaw.testing import ModelServer, made_workspace
from nanoclaw.testing.model_parts import Asked, Part, Say, Wait

_ASKED = re.compile(r"What about (\d+\.\d)\?")
_TALKS = 2  # messages in one session
_OVER = "The session is over."


@dataclass(kw_only=True)
class Outcome:
    seconds: float = 0
    troubles: Counter[str] = field(default_factory=Counter)
    sessions: int = 0
    asked: int = 0  # times that the model was asked
    rests: dict[str, str] = field(default_factory=dict)  # by room: turns that many hosts died in
    faults: list[str] = field(default_factory=list)


@dataclass(frozen=True, kw_only=True, slots=True)
class Held:
    """A session as the person saw it."""

    number: int
    id: str
    rooms: set[str]
    lines: list[dict[str, Any]]
    answers: list[str]  # to attempts to conclude it, in order: what the host said counted


class Partner:
    """Answers each question with its number."""

    def __init__(self, dice: random.Random, longest: float) -> None:
        self._dice = dice
        self._longest = longest
        self.asked = 0

    async def __call__(self, asked: Asked) -> list[Part]:
        self.asked += 1
        found = _ASKED.findall(asked.text.rpartition("<messages>")[2])
        words = " ".join(f"Answer {each}." for each in found) or "I am here."
        return [Wait(self._dice.uniform(0.05, self._longest)), Say(words)]


async def run(trial: Trial, folder: Path, *, postgres_url: str = "") -> Outcome:
    begun, outcome = time.monotonic(), Outcome()
    dice = random.Random(trial.seed)  # noqa: S311 - not a secret
    partner = Partner(dice, trial.longest_answer)
    async with AsyncExitStack() as stack:
        made_workspace(folder / "host1")
        database = await database_for(stack, trial, folder, postgres_url)
        vendor = await stack.enter_async_context(ModelServer(partner))
        hosts = await stack.enter_async_context(
            hosts_of(folder, trial.hosts, database, trial.lifetime, vendor=vendor, TURNS_CONCURRENT="30")
        )
        standing: dict[int, tuple[str, str]] = {}
        people = [
            asyncio.create_task(_person(hosts, number, standing)) for number in range(1, trial.runs + 1)
        ]
        for each in people:
            stack.callback(each.cancel)
        troubles = Troubles(trial=trial, hosts=hosts, database=database, dice=dice)
        outcome.troubles = await troubles.cause(lambda: all(each.done() for each in people))
        over, _ = await asyncio.wait(people, timeout=trial.patience)
        held = [each.result() for each in people if each in over]
        rows = Rows(database.url)
        outcome.asked, outcome.sessions = partner.asked, len(held)
        outcome.rests = resting_rooms(rows)
        for number, (room, what) in standing.items():
            if what and room not in outcome.rests:
                outcome.faults.append(f"session {number}: waits in {room} for {what}")
        outcome.faults += _judge(rows, trial, held, outcome.rests)
    outcome.seconds = round(time.monotonic() - begun, 1)
    return outcome


async def _person(hosts: Sequence[ChaosHost], number: int, standing: dict[int, tuple[str, str]]) -> Held:
    """A program asks; a person opens the session and talks; two conclude it at once, with different results."""
    wanted = {
        "id": f"a_chaos{number:020d}",
        "question": f"Work on {number}",
        "session": {"outcomeSchema": {"type": "freeform"}},
    }
    rooms: set[str] = set()

    async def ask(client: httpx.AsyncClient) -> str:
        answer = await client.post("/api/questions", json=wanted)
        answer.raise_for_status()
        return str(answer.json()["id"])

    session = await with_any(hosts, ask)

    async def enter(client: httpx.AsyncClient) -> str:
        answer = await client.post(f"/api/sessions/{session}/open", json={"place": "chat"})
        answer.raise_for_status()
        rooms.add(str(answer.json()["live"]["room"]))
        return str(answer.json()["live"]["room"])

    for talk in range(_TALKS):
        room = await with_any(hosts, enter)
        words = f"{number}.{talk}"
        standing[number] = (room, f"the answer to {words}")
        await with_any(hosts, partial(say, room=room, text=f"What about {words}?", client_id=f"word {words}"))
        await with_any(hosts, partial(_with, room=room, words=f"Answer {words}."))

    async def conclude(client: httpx.AsyncClient, result: str) -> str:
        answer = await client.post(f"/api/sessions/{session}/conclude", json={"response": result})
        if answer.status_code >= 500:
            answer.raise_for_status()
        found = await client.get(f"/api/sessions/{session}")
        found.raise_for_status()
        return str(found.json()["question"]["response"])

    standing[number] = (room, "its end")
    results = ("one result", "another result")
    answers = await asyncio.gather(*(with_any(hosts, partial(conclude, result=each)) for each in results))
    lines = await with_any(hosts, partial(_with, room=room, words=_OVER))
    standing[number] = (room, "")
    return Held(number=number, id=session, rooms=rooms, lines=lines, answers=list(answers))


async def _with(client: httpx.AsyncClient, room: str, words: str) -> list[dict[str, Any]] | None:
    lines = await lines_in(client, room)
    return lines if any(words in line["text"] for line in lines) else None


def _judge(rows: Rows, trial: Trial, held: Sequence[Held], rests: dict[str, str]) -> list[str]:
    faults = []
    found = rows.all(
        "SELECT h.id, h.status, h.response, l.chat_id, l.ended_at FROM human_interactions h "
        "LEFT JOIN live_sessions l ON l.question_id = h.id WHERE h.type = 'interactive_session'"
    )
    if len(found) != trial.runs:
        faults.append(f"{trial.runs} sessions were asked for, there are {len(found)}")
    awaited = [row for row in found if row.chat_id not in rests]
    faults += [f"{row.id} is {row.status}" for row in awaited if row.status != "completed"]
    faults += [f"{row.id} is still open" for row in awaited if row.ended_at is None]
    results = {row.id: row.response for row in found}
    for each in held:
        told = set(each.answers)
        if len(told) != 1 or json.dumps(results.get(each.id)).find(next(iter(told))) < 0:
            faults.append(f"session {each.number}: {told} was told, {results.get(each.id)} counts")
        if len(each.rooms) != 1:
            faults.append(f"session {each.number} was held in {len(each.rooms)} rooms")
        texts = [line["text"] for line in each.lines]
        expected = [
            f"{before} {each.number}.{talk}" for talk in range(_TALKS) for before in ("What about", "Answer")
        ]
        for words in (*expected, _OVER):
            if (times := sum(words in text for text in texts)) != 1:
                faults.append(f"session {each.number}: {words!r} is there {times} times")
    return faults


def main(words: Sequence[str]) -> int:
    def trial(given: Namespace, folder: Path) -> Awaitable[Outcome]:
        return run(Trial.typed(given, runs=given.runs, kills=given.kills), folder)

    counts = {"runs": Count(usual=20), "kills": KILLS, "hosts": HOSTS, "patience": PATIENCE}
    return start("sessions", __doc__, words, trial, counts)
