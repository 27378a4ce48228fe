"""`just chaos handoffs`: hosts are killed and paused while agents hand work over to each other, in every way.

Every piece of work must come to its receiver once, its result back once, and its end to the chat once.
"""

import asyncio
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
from tests.chaos.rooms import lines_in, room_titled, with_any
from tests.chaos.troubles import Troubles
from tests.crash.program import say

from nanoclaw.testing import ModelServer, made_workspace
from nanoclaw.testing.model_parts import Asked, Fail, Part, Say, Use, Wait

WAYS: tuple[dict[str, Any], ...] = (
    {"to": "editor", "type": "sequential"},
    {"to": "editor", "type": "callback"},
    {"to": ["editor", "copywriter"], "type": "parallel"},
    {"to": "editor", "way": "inside"},
)
"""How the piece with this number, modulo four, is handed over."""
_WANTED = re.compile(r"hand over piece (\d+)\b")
_GIVEN = re.compile(r"do piece (\d+)\b")
_RESULT = re.compile(r"Result (\d+)\.")
_BAD = 0.08  # of the model's answers are refused


@dataclass(kw_only=True)
class Outcome:
    seconds: float = 0
    troubles: Counter[str] = field(default_factory=Counter)
    states: Counter[str] = field(default_factory=Counter)
    asked: int = 0  # times that the model was asked
    rests: dict[int, str] = field(default_factory=dict)  # by piece: turns that many hosts died in
    lost: int = 0
    doubled: int = 0
    faults: list[str] = field(default_factory=list)


class Agents:
    """All of them: one hands over, the others do the work, and the first says what came back."""

    def __init__(self, dice: random.Random, longest: float) -> None:
        self._dice = dice
        self._longest = longest
        self.asked = 0

    async def __call__(self, asked: Asked) -> list[Part]:
        self.asked += 1
        wait = Wait(self._dice.uniform(0.05, self._longest))
        if self._dice.random() < _BAD:
            return [wait, Fail(529, "overloaded_error", "overloaded")]
        said = asked.text.rpartition("<messages>")[2]
        if "thanks" in said:  # and before it perhaps what another said in the chat
            return [Say("You are welcome.")]
        if given := _GIVEN.search(said):
            return [wait, Say(f"Result {given[1]}.")]
        if "you handed over to" in said and (came := _RESULT.search(said)):
            return [wait, Say(f"Piece {came[1]} came back.")]
        if wanted := _WANTED.search(said):
            number = int(wanted[1])
            if (
                not asked.results
            ):  # the same id in every attempt, as a vendor that repeats itself would give it
                content = {"content": f"do piece {number}"}
                return [wait, Use("handoff", WAYS[number % 4] | content, id=f"toolu_{number}")]
            inside = _RESULT.search(str(asked.results[-1]))
            return [wait, Say(f"Piece {number} came back." if inside else f"Piece {number} is under way.")]
        return [Say("Nothing was asked.")]


async def run(trial: Trial, folder: Path, *, postgres_url: str = "") -> Outcome:
    begun, outcome = time.monotonic(), Outcome()
    dice = random.Random(trial.seed)  # noqa: S311 - not a secret
    agents = Agents(dice, trial.longest_answer)
    async with AsyncExitStack() as stack:
        made_workspace(folder / "host1")
        database = await database_for(stack, trial, folder, postgres_url)
        vendor = await stack.enter_async_context(ModelServer(agents))
        hosts = await stack.enter_async_context(
            hosts_of(folder, trial.hosts, database, trial.lifetime, vendor=vendor, TURNS_CONCURRENT="30")
        )
        shown: dict[int, list[str]] = {}
        rooms: dict[int, str] = {}
        people = [
            asyncio.create_task(_person(hosts, number, rooms, shown)) for number in range(1, trial.runs + 1)
        ]
        for each in people:
            stack.callback(each.cancel)
        troubles = Troubles(trial=trial, hosts=hosts, database=database, dice=dice)
        outcome.troubles = await troubles.cause(lambda: all(each.done() for each in people))
        await asyncio.wait(people, timeout=trial.patience)
        rows = Rows(database.url)
        outcome.asked = agents.asked
        found = resting_rooms(rows)
        outcome.rests = {number: found[room] for number, room in rooms.items() if room in found}
        _judge(rows, trial, shown, outcome)
    outcome.seconds = round(time.monotonic() - begun, 1)
    return outcome


def _end(number: int) -> str:
    """What the person reads when it is over: the receiver's own words, or the sender's."""
    return (
        f"Result {number}." if WAYS[number % 4].get("type") == "sequential" else f"Piece {number} came back."
    )


async def _person(
    hosts: Sequence[ChaosHost], number: int, rooms: dict[int, str], shown: dict[int, list[str]]
) -> None:
    room = rooms[number] = await with_any(hosts, partial(room_titled, title=f"Room {number}"))

    async def texts(client: httpx.AsyncClient, words: str) -> list[str] | None:
        found = [line["text"] for line in await lines_in(client, room)]
        return found if any(words in text for text in found) else None

    text = f"hand over piece {number}"
    await with_any(hosts, partial(say, room=room, text=text, client_id=f"wish {number}"))
    await with_any(hosts, partial(texts, words=_end(number)))
    # Whatever would come twice has come by the time of another answer.
    await with_any(hosts, partial(say, room=room, text="thanks", client_id=f"thanks {number}"))
    shown[number] = await with_any(hosts, partial(texts, words="You are welcome."))


def _judge(rows: Rows, trial: Trial, shown: dict[int, list[str]], outcome: Outcome) -> None:
    found = rows.all("SELECT id, contract, state, session_id, from_session, why FROM handoffs ORDER BY id")
    outcome.states = Counter(row.state for row in found)
    given = Counter(int(match[1]) for row in found if (match := _GIVEN.search(str(row.contract))))
    for number in range(1, trial.runs + 1):
        wanted = 2 if WAYS[number % 4].get("type") == "parallel" else 1
        if number in outcome.rests:
            continue
        if given[number] != wanted:
            outcome.faults.append(f"piece {number} was handed over {given[number]} times")
        if number not in shown:
            outcome.lost += 1
            outcome.faults.append(f"piece {number} has no end")
            continue
        if (times := sum(_end(number) in text for text in shown[number])) != 1:
            outcome.doubled += 1
            outcome.faults.append(f"{_end(number)!r} is there {times} times")
    for row in found:
        if row.state != "done" and int(_GIVEN.findall(str(row.contract))[0]) not in outcome.rests:
            outcome.faults.append(f"{row.id} is {row.state}: {row.why}")
    for row in rows.all(
        "SELECT h.id, count(t.id) AS times FROM handoffs h JOIN turns t ON t.session_id = h.session_id "
        "WHERE h.way = 'session' GROUP BY h.id HAVING count(t.id) > 1"
    ):
        outcome.faults.append(f"the receiver of {row.id} had {row.times} turns")
    for row in rows.all(
        "SELECT external_id, count(*) AS times FROM messages WHERE external_id LIKE 'returned handoff%' "
        "GROUP BY external_id HAVING count(*) > 1"
    ):
        outcome.doubled += 1
        outcome.faults.append(f"{row.external_id} came {row.times} times")


def main(words: Sequence[str]) -> int:
    def trial(given: Namespace, folder: Path) -> Awaitable[Outcome]:
        return run(Trial.typed(given, runs=given.pieces, kills=given.kills), folder)

    counts = {"pieces": Count(usual=20), "kills": KILLS, "hosts": HOSTS, "patience": PATIENCE}
    return start("handoffs", __doc__, words, trial, counts)
