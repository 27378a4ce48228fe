"""`just chaos tasks`: hosts are killed and paused while tasks come due, run, and use a tool.

Every time of a task must have one run, every run one turn and one result in its chat, and its tool must act once.
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
from itertools import pairwise
from pathlib import Path
from typing import Any

import httpx
from tests.chaos.command import HOSTS, KILLS, PATIENCE, Count, start
from tests.chaos.fleet import hosts_of
from tests.chaos.hosts import ChaosHost
from tests.chaos.pipelines import Rows, Trial, database_for
from tests.chaos.rests import moment, resting
from tests.chaos.rooms import lines_in, room_titled, with_any
from tests.chaos.troubles import Troubles
from tests.crash.program import say

from nanoclaw.testing import ModelServer, made_workspace
from nanoclaw.testing.model_parts import Asked, Cut, Fail, Part, Say, Use, Wait

_ROOMS = 5
_LOOK_EVERY = 0.5  # seconds; rows wake nobody when they change
_REPORT = re.compile(r"report (\d+)\b")
_DUE = re.compile(r"This is task \d+, which was due (.*?[AP]M)\.")
_HAND_OVER = re.compile(r"begin with (\d+)\b")
_BAD = 0.08  # of the model's answers break off or are refused


@dataclass(kw_only=True)
class Outcome:
    seconds: float = 0
    troubles: Counter[str] = field(default_factory=Counter)
    runs: Counter[str] = field(default_factory=Counter)
    asked: int = 0  # times that the model was asked
    rests: dict[str, str] = field(default_factory=dict)  # by prompt: runs that many hosts died in
    lost: int = 0
    doubled: int = 0
    faults: list[str] = field(default_factory=list)


class Reporter:
    """Hands work over, notes something by a tool, then reports; sometimes the vendor breaks off."""

    def __init__(self, dice: random.Random, longest: float) -> None:
        self._dice = dice
        self._longest = longest
        self.asked = 0

    async def __call__(self, asked: Asked) -> list[Part]:
        self.asked += 1
        parts = self._parts(asked, Wait(self._dice.uniform(0.05, self._longest)))
        if self._dice.random() < _BAD:
            bad: tuple[Part, ...] = (Cut(after=1), Fail(529, "overloaded_error", "overloaded"))
            return [self._dice.choice(bad), *parts]
        return parts

    def _parts(self, asked: Asked, wait: Wait) -> list[Part]:
        said = asked.text.rpartition("<messages>")[2]  # what was recalled before it is of other runs
        found = _REPORT.search(said)
        if ticked := _DUE.findall(asked.text):
            if found is None:
                return [wait, Say(f"Tick of {ticked[-1]}.")]
            if asked.results:
                return [wait, Say(f"Report {found[1]} is done.")]
            # The same id in every attempt, as a vendor that repeats itself would give it.
            return [wait, Use("send_message", {"text": f"Note {found[1]}."}, id=f"toolu_note{found[1]}")]
        if (wanted := _HAND_OVER.search(said)) and not asked.results:
            given = {"prompt": f"report {wanted[1]}"}
            return [wait, Use("background_task", given, id=f"toolu_begin{wanted[1]}")]
        return [Say("You are welcome." if "thanks" in said else "It is under way.")]


async def run(trial: Trial, folder: Path, *, postgres_url: str = "") -> Outcome:
    begun, outcome = time.monotonic(), Outcome()
    dice = random.Random(trial.seed)  # noqa: S311 - not a secret
    reporter = Reporter(dice, trial.longest_answer)
    async with AsyncExitStack() as stack:
        made_workspace(folder / "host1")
        database = await database_for(stack, trial, folder, postgres_url)
        vendor = await stack.enter_async_context(ModelServer(reporter))
        hosts = await stack.enter_async_context(
            hosts_of(
                folder,
                trial.hosts,
                database,
                trial.lifetime,
                vendor=vendor,
                TASKS_CONCURRENT="8",
                TASKS_BACKGROUND="8",
                TASKS_MOST_BACKGROUND="1000",
                TASKS_RETRY_SECONDS="1",
            )
        )
        rows = Rows(database.url)
        rooms = [await with_any(hosts, partial(room_titled, title=_room(number))) for number in range(_ROOMS)]
        people = asyncio.create_task(_people(hosts, rooms, trial, dice))
        stack.callback(people.cancel)
        # The clock of a host without others is what its tasks go by: set back, they are due hours later.
        without = frozenset() if trial.hosts > 1 else frozenset({"clock"})
        troubles = Troubles(trial=trial, hosts=hosts, database=database, dice=dice, without=without)
        outcome.troubles = await troubles.cause(lambda: people.done() and _is_over(trial, rows))
        await people
        await _settle(trial, rows)
        await _thank(hosts, rooms)
        texts = await with_any(hosts, _texts_by_room)
        outcome.asked, outcome.rests = reporter.asked, _rests(rows)
        _judge(rows, trial, texts, outcome)
    outcome.seconds = round(time.monotonic() - begun, 1)
    return outcome


async def _people(
    hosts: Sequence[ChaosHost], rooms: Sequence[str], trial: Trial, dice: random.Random
) -> None:
    """One task that repeats in each room; then those that run once, at a time or at once."""
    for number, room in enumerate(rooms):
        await with_any(
            hosts, partial(say, room=room, text="/schedule every minute tick", client_id=f"t{number}")
        )
    for number in range(1, trial.runs + 1):
        room = rooms[number % _ROOMS]
        text = f"/schedule in {dice.randint(1, min(30, trial.runs))} seconds report {number}"
        if number % 3 == 0:  # by the agent of a room where nobody else says anything
            room = await with_any(hosts, partial(room_titled, title=_own_room(number)))
            text = f"begin with {number} in the background"
        await with_any(hosts, partial(say, room=room, text=text, client_id=f"wish {number}"))


def _room(number: int) -> str:
    return f"Room {number}"


def _own_room(number: int) -> str:
    return f"Background {number}"


async def _thank(hosts: Sequence[ChaosHost], rooms: Sequence[str]) -> None:
    """Whatever would come twice has come by the time of another answer."""

    async def answered(client: httpx.AsyncClient, room: str) -> bool | None:
        return any("You are welcome." in text for text in await _texts(client, room)) or None

    for number, room in enumerate(rooms):
        await with_any(hosts, partial(say, room=room, text="thanks", client_id=f"thanks {number}"))
    for room in rooms:
        await with_any(hosts, partial(answered, room=room))


async def _texts_by_room(client: httpx.AsyncClient) -> dict[str, list[str]]:
    """By their titles."""
    found = (await client.get("/api/rooms")).json()["rooms"]
    return {room["title"]: await _texts(client, room["id"]) for room in found}


async def _texts(client: httpx.AsyncClient, room: str) -> list[str]:
    return [line["text"] for line in await lines_in(client, room)]


def _is_over(trial: Trial, rows: Rows) -> bool:
    ended = rows.all(
        "SELECT count(*) FROM task_run_logs r JOIN scheduled_tasks t ON t.id = r.task_id "
        "WHERE t.prompt LIKE 'report%' AND r.finished_at IS NOT NULL"
    )
    return bool(ended[0][0] >= trial.runs)


async def _settle(trial: Trial, rows: Rows) -> None:
    """Until every report is over and no run is open, or nothing has changed for long."""
    before: Any = None
    since = time.monotonic()
    while time.monotonic() - since < trial.patience:
        now = rows.all(
            "SELECT r.status, count(*) FROM task_run_logs r JOIN scheduled_tasks t ON t.id = r.task_id "
            "WHERE t.prompt LIKE 'report%' GROUP BY r.status ORDER BY r.status"
        )
        is_open = rows.all("SELECT count(*) FROM task_run_logs WHERE finished_at IS NULL")[0][0]
        if not is_open and _is_over(trial, rows):
            return
        if now != before:
            before, since = now, time.monotonic()
        await asyncio.sleep(_LOOK_EVERY)


def _rests(rows: Rows) -> dict[str, str]:
    known = resting(rows)
    found = rows.all("SELECT prompt, session_id FROM scheduled_tasks")
    return {row.prompt: known[row.session_id] for row in found if row.session_id in known}


def _judge(rows: Rows, trial: Trial, texts: dict[str, list[str]], outcome: Outcome) -> None:
    found = rows.all(
        "SELECT t.prompt, c.title, r.run_at, r.status, r.error FROM task_run_logs r "
        "JOIN scheduled_tasks t ON t.id = r.task_id JOIN chats c ON c.id = t.chat_id ORDER BY r.run_at"
    )
    outcome.runs = Counter(row.status for row in found)
    reports = Counter(row.prompt for row in found if row.prompt.startswith("report"))
    for number in range(1, trial.runs + 1):
        if f"report {number}" in outcome.rests:
            continue
        if (times := reports[f"report {number}"]) != 1:
            outcome.faults.append(f"report {number} has {times} runs")
        for words in (f"Note {number}.", f"Report {number} is done."):
            _count(words, texts[_room(number % _ROOMS) if number % 3 else _own_room(number)], 1, outcome)
    for row in found:
        if row.status not in ("success", "missed", "skipped") and row.prompt not in outcome.rests:
            outcome.faults.append(f"{row.prompt} of {row.run_at} is {row.status}: {row.error}")
    for room in map(_room, range(_ROOMS)):
        ticks = [row for row in found if row.prompt == "tick" and row.title == room]
        shown = sum("Tick of" in text for text in texts[room])
        if shown != (wanted := sum(row.status == "success" for row in ticks)):
            outcome.faults.append(f"{wanted} ticks of {room}, and {shown} results")
        outcome.faults += _gaps(room, ticks)
    for row in rows.all(
        "SELECT t.prompt, count(*) AS times FROM turns u JOIN scheduled_tasks t ON t.session_id = u.session_id "
        "WHERE t.prompt LIKE 'report%' GROUP BY t.prompt HAVING count(*) <> 1"
    ):
        outcome.faults.append(f"{row.prompt} had {row.times} turns")


def _count(words: str, texts: Sequence[str], wanted: int, outcome: Outcome) -> None:
    if (times := sum(words in text for text in texts)) != wanted:
        outcome.faults.append(f"{words!r} is there {times} times")
        outcome.lost += times < wanted
        outcome.doubled += times > wanted


def _gaps(room: str, ticks: Sequence[Any]) -> list[str]:
    """Minutes that have neither a run nor a row that says that they were missed."""
    faults = []
    for before, after in pairwise(ticks):
        minutes = round((moment(after.run_at) - moment(before.run_at)).total_seconds() / 60)
        if minutes != 1 and "missed" not in (before.status, after.status):
            faults.append(f"{room}: {minutes} minutes between {before.run_at} and {after.run_at}")
    return faults


def main(words: Sequence[str]) -> int:
    def trial(given: Namespace, folder: Path) -> Awaitable[Outcome]:
        return run(Trial.typed(given, runs=given.tasks, kills=given.kills), folder)

    counts = {"tasks": Count(usual=30), "kills": KILLS, "hosts": HOSTS, "patience": PATIENCE}
    return start("tasks", __doc__, words, trial, counts)
