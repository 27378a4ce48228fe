"""`just chaos plans`: hosts are killed and paused while people answer the questions of plans, go back, and confirm.

Every plan must come to its agent once, with the answers that its card showed; no round may be asked twice.
"""

import asyncio
import json
import random
import re
import time
from argparse import Namespace
from collections import Counter
from collections.abc import Awaitable, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
from tests.chaos.command import HOSTS, KILLS, PATIENCE, Count, start
from tests.chaos.fleet import hosts_of
from tests.chaos.hosts import ChaosHost
from tests.chaos.pipelines import Rows, Trial, database_for
from tests.chaos.rests import resting, resting_rooms
from tests.chaos.rooms import lines_in, room_titled, with_any
from tests.chaos.troubles import Troubles
from tests.crash.program import say

from nanoclaw.testing import ModelServer, made_workspace
from nanoclaw.testing.model_parts import Asked, Part, Say, Wait

_PIECE = re.compile(r"piece (\d+)\b")
_ROUNDS = 2
_BACK = 0.1  # of all presses
_DONE = "Done as planned"


@dataclass(kw_only=True)
class Outcome:
    seconds: float = 0
    troubles: Counter[str] = field(default_factory=Counter)
    presses: int = 0  # that had an effect, as far as people know
    asked: int = 0  # times that the model was asked for a round
    plans: int = 0
    rests: dict[str, str] = field(default_factory=dict)  # by plan: work that many hosts died in
    faults: list[str] = field(default_factory=list)


class Planner:
    """Asks two rounds of two questions, and works as the agent."""

    def __init__(self, dice: random.Random, longest: float) -> None:
        self._dice = dice
        self._longest = longest
        self.asked = 0
        self.given: dict[int, list[str]] = {}  # what agents were told, by the number of the plan

    async def __call__(self, asked: Asked) -> list[Part]:
        wait = Wait(self._dice.uniform(0.05, self._longest))
        said = asked.text.rpartition("<messages>")[2]
        if "clarifying questions" in asked.text:
            self.asked += 1
            return [wait, Say(_round(asked.text))]
        if "planned this together" in said and (found := _PIECE.search(said)):
            self.given.setdefault(int(found[1]), []).append(said)
            return [wait, Say(f"{_DONE}: piece {found[1]}.")]
        return [Say("As you wish.")]


def _round(prompt: str) -> str:
    number = next((each for each in range(1, _ROUNDS + 1) if f"In round {each}" not in prompt), None)
    if number is None:
        return json.dumps({"done": True, "questions": []})
    questions = [
        {
            "id": f"q{each}",
            "question": f"In round {number}, which of {each}?",
            "options": [
                {"label": f"{label}{number}{each}", "value": f"{label}{number}{each}"} for label in "ABC"
            ],
            "allowFreeText": False,
        }
        for each in (1, 2)
    ]
    return json.dumps({"goal": "trial", "description": "trial", "questions": questions, "done": False})


async def run(trial: Trial, folder: Path, *, postgres_url: str = "") -> Outcome:
    begun, outcome = time.monotonic(), Outcome()
    dice = random.Random(trial.seed)  # noqa: S311 - not a secret
    planner = Planner(dice, trial.longest_answer)
    async with AsyncExitStack() as stack:
        made_workspace(folder / "host1")
        database = await database_for(stack, trial, folder, postgres_url)
        vendor = await stack.enter_async_context(ModelServer(planner))
        hosts = await stack.enter_async_context(
            hosts_of(folder, trial.hosts, database, trial.lifetime, vendor=vendor, TURNS_CONCURRENT="30")
        )
        people = {
            number: asyncio.create_task(_person(hosts, number, dice, outcome))
            for number in range(1, trial.runs + 1)
        }
        for each in people.values():
            stack.callback(each.cancel)
        troubles = Troubles(trial=trial, hosts=hosts, database=database, dice=dice)
        outcome.troubles = await troubles.cause(lambda: all(each.done() for each in people.values()))
        over, _ = await asyncio.wait(people.values(), timeout=trial.patience)
        shown = {number: each.result() for number, each in people.items() if each in over}
        rows = Rows(database.url)
        outcome.asked, outcome.rests = planner.asked, _rests(rows)
        outcome.faults += _judge(rows, trial, planner, shown, outcome.rests)
        outcome.plans = len(planner.given)
    outcome.seconds = round(time.monotonic() - begun, 1)
    return outcome


async def _person(
    hosts: Sequence[ChaosHost], number: int, dice: random.Random, outcome: Outcome
) -> list[dict[str, Any]]:
    """Plans one piece of work in a room of their own, until the agent has done it: the lines of the room."""
    room = await with_any(hosts, lambda client: room_titled(client, f"Room {number}"))

    async def wish(client: httpx.AsyncClient) -> str:
        return await say(client, room, f"/plan piece {number}", f"wish {number}")

    async def look(client: httpx.AsyncClient) -> list[dict[str, Any]] | None:
        lines = await lines_in(client, room)
        if any(_DONE in line["text"] for line in lines):
            return lines
        for line in lines:
            if data := _choice([str(button["data"]) for button in line["buttons"]], dice):
                pressed = await client.post(
                    f"/api/rooms/{room}/press", json={"line": line["id"], "data": data}
                )
                outcome.presses += pressed.is_success and pressed.json()["taken"]
        return None

    await with_any(hosts, wish)
    await with_any(hosts, look)
    # Whatever would come twice has come by the time of another answer.
    await with_any(hosts, lambda client: say(client, room, "thanks", f"thanks {number}"))

    async def rest(client: httpx.AsyncClient) -> list[dict[str, Any]] | None:
        lines = await lines_in(client, room)
        return lines if any("As you wish." in line["text"] for line in lines) else None

    return await with_any(hosts, rest)


def _choice(offered: Sequence[str], dice: random.Random) -> str | None:
    answers = [data for data in offered if data.startswith("iq:a:")]
    if answers:
        return "iq:back" if "iq:back" in offered and dice.random() < _BACK else dice.choice(answers)
    return next((data for data in offered if data == "iq:confirm"), None)


def _rests(rows: Rows) -> dict[str, str]:
    """Its next round, or the agent that works on it."""
    own, rooms = resting(rows), resting_rooms(rows)
    found = {row.task: own.get(row.id) or rooms.get(row.chat_id) for row in rows.all("SELECT * FROM plans")}
    return {task: told for task, told in found.items() if told}


def _judge(
    rows: Rows,
    trial: Trial,
    planner: Planner,
    shown: Mapping[int, list[dict[str, Any]]],
    rests: Mapping[str, str],
) -> list[str]:
    waits = (f"piece {number}" for number in range(1, trial.runs + 1) if number not in shown)
    faults = [f"{task}: its person still waits" for task in waits if task not in rests]
    found = rows.all("SELECT task, state, reason, questions, answers FROM plans ORDER BY id")
    if len(found) != trial.runs:
        faults.append(f"{trial.runs} plans were wanted, there are {len(found)}")
    for row in found:
        if row.task in rests:
            continue
        if (row.state, row.reason) != ("done", "plan-confirmed"):
            faults.append(f"{row.task} is {row.state}: {row.reason}")
        rounds = [each["round"] for each in _plain(row.questions)]
        if rounds != [1, 1, 2, 2]:
            faults.append(f"{row.task} has questions of the rounds {rounds}")
        number = int((_PIECE.search(row.task) or [0, 0])[1])
        told = planner.given.get(number, [])
        if missing := [each for each in _plain(row.answers) if not told or str(each) not in told[-1]]:
            faults.append(f"{row.task}: the agent was not told {missing}")
    turns = rows.all(
        "SELECT p.task, count(t.id) AS times FROM plans p LEFT JOIN messages m ON m.id = p.started_id "
        "LEFT JOIN session_queue q ON q.message_id = m.id LEFT JOIN turns t ON t.id = q.turn_id "
        "GROUP BY p.task HAVING count(t.id) <> 1"
    )
    faults += [f"{row.task} had {row.times} turns" for row in turns if row.task not in rests]
    for number, lines in shown.items():
        for words in (f"{_DONE}: piece {number}.", "Starting..."):
            times = sum(words in line["text"] for line in lines)
            faults += [f"piece {number}: {words!r} is shown {times} times"] if times != 1 else []
        if any(line["buttons"] for line in lines):
            faults.append(f"piece {number}: a button is left")
    return faults


def _plain(stored: Any) -> Any:
    return json.loads(stored) if isinstance(stored, str) else stored


def main(words: Sequence[str]) -> int:
    def trial(given: Namespace, folder: Path) -> Awaitable[Outcome]:
        return run(Trial.typed(given, runs=given.runs, kills=given.kills), folder)

    counts = {"runs": Count(usual=20), "kills": KILLS, "hosts": HOSTS, "patience": PATIENCE}
    return start("plans", __doc__, words, trial, counts)
