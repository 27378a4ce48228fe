"""`just chaos pipelines`: hosts are killed at any moment while runs of a pipeline are under way.

Every run must end, no step that was finished may run again, and nobody may be asked the same twice.
"""

import asyncio
import json
import random
import re
import time
from argparse import Namespace
from collections import Counter
from collections.abc import Awaitable, Mapping, Sequence
from contextlib import AsyncExitStack, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import sqlalchemy as sa
from tests.chaos.command import HOSTS, PATIENCE, Count, start
from tests.chaos.databases import Database, GivenPostgres, Sqlite, cluster
from tests.chaos.fleet import hosts_of
from tests.chaos.hosts import ChaosHost
from tests.crash.program import first_room, say

from nanoclaw.testing import ModelServer, made_workspace
from nanoclaw.testing.model_parts import Asked, Part, Say, Use, Wait

TEMPLATE = """# Trial
## Trigger: /trial
## Steps:
1. topic-researcher
2. seo-analyst | with: 1
3. outline-architect | gate: sections>=2
4. Go on? | type: approval | timeout: 2h
5. copywriter | type: container
6. editor
"""
AGENT_STEPS = (1, 2, 3, 5, 6)
_TEXT = "# One\n\nA few words.\n\n# Two\n\nA few more."
_STEP = re.compile(r'<pipeline title="Trial" step="(\d+)".*?<subject>run (\d+)</subject>', re.DOTALL)
_LOOK_EVERY = 0.25  # seconds; rows wake nobody when they change


@dataclass(frozen=True, kw_only=True, slots=True)
class Trial:
    seed: int = 1
    runs: int = 20
    kills: int = 30
    hosts: int = 1
    database: str = "sqlite"
    lifetime: float = 2.0  # seconds until other hosts take over from one that is silent
    longest_answer: float = 0.8  # of the model, in seconds
    longest_rest: float = 1.5  # from the start of a host until the next kill
    patience: float = 90.0  # seconds without any change

    @classmethod
    def typed(cls, given: Namespace, *, runs: int, kills: int, longest_rest: float = 1.5) -> "Trial":
        database = "postgres" if given.hosts > 1 else "sqlite"
        return cls(
            seed=given.seed,
            runs=runs,
            kills=kills,
            hosts=given.hosts,
            database=database,
            longest_rest=longest_rest,
            patience=vars(given).get("patience", PATIENCE.usual),
        )


@dataclass(kw_only=True)
class Outcome:
    trial: Trial
    seconds: float = 0
    kills: int = 0
    cut_off: int = 0  # steps that were killed in the middle, and begun again
    statuses: Counter[str] = field(default_factory=Counter)
    faults: list[str] = field(default_factory=list)

    @property
    def figures(self) -> dict[str, Any]:
        names = ("seconds", "kills", "cut_off", "faults")
        return {name: getattr(self, name) for name in names} | {"runs": dict(self.statuses)}


class Rows:
    """Plain SQL: what is looked at is what the hosts wrote, not what their code says of it."""

    def __init__(self, url: str) -> None:
        driver = url.replace("postgresql://", "postgresql+psycopg://")
        self._engine = sa.create_engine(driver, poolclass=sa.NullPool)

    def all(self, query: str, **values: object) -> Sequence[Any]:
        with self._engine.connect() as connection:
            return connection.execute(sa.text(query), values).all()

    def is_finished(self, subject: str, step: int) -> bool:
        found = self.all(
            "SELECT s.state, s.texts FROM pipeline_steps s JOIN pipeline_runs r ON r.id = s.run_id "
            "WHERE r.subject = :subject AND s.number = :step",
            subject=subject,
            step=step,
        )
        return any(row.state == "done" or _plain(row.texts) for row in found)

    def progress(self) -> tuple[Any, ...]:
        states = self.all("SELECT state, count(*) FROM pipeline_steps GROUP BY state ORDER BY state")
        ended = self.all("SELECT status, count(*) FROM pipeline_runs GROUP BY status ORDER BY status")
        return tuple(map(tuple, states)), tuple(map(tuple, ended))

    def statuses(self) -> Counter[str]:
        return Counter(
            {row[0]: row[1] for row in self.all("SELECT status, count(*) FROM pipeline_runs GROUP BY status")}
        )


class StepModel:
    """Hands in a result for every step, after a while; notes who asks for one that is finished."""

    def __init__(self, rows: Rows, trial: Trial) -> None:
        self._rows = rows
        self._dice = random.Random(trial.seed)  # noqa: S311 - not a secret
        self._longest = trial.longest_answer
        self.asked: Counter[tuple[int, int]] = Counter()
        self.again: list[str] = []

    async def __call__(self, asked: Asked) -> list[Part]:
        found = _STEP.search(_said(asked))
        if found is None:
            return [Say("[]")]
        step, run = int(found[1]), int(found[2])
        self.asked[run, step] += 1
        if await asyncio.to_thread(self._rows.is_finished, f"run {run}", step):
            self.again.append(f"run {run}: step {step} was finished, and its agent was asked again")
        # The same id in every attempt, as a vendor that repeats itself would give it.
        use = Use("finish_step", _filled(asked), id=f"toolu_{run}_{step}")
        return [Wait(self._dice.uniform(0.05, self._longest)), use]


async def run(trial: Trial, folder: Path, *, postgres_url: str = "") -> Outcome:
    begun, outcome = time.monotonic(), Outcome(trial=trial)
    dice = random.Random(trial.seed)  # noqa: S311 - not a secret
    async with AsyncExitStack() as stack:
        made_workspace(folder / "host1")
        database = await database_for(stack, trial, folder, postgres_url)
        rows = Rows(database.url)
        model = StepModel(rows, trial)
        vendor = await stack.enter_async_context(ModelServer(model))
        hosts = await stack.enter_async_context(
            hosts_of(
                folder,
                trial.hosts,
                database,
                trial.lifetime,
                vendor=vendor,
                prepare=_template,
                PIPELINES_CONCURRENT="8",
            )
        )
        people = asyncio.create_task(_decide(hosts, dice))
        stack.callback(people.cancel)
        for number in range(1, trial.runs + 1):
            await _wish(hosts, number)
        outcome.kills = await _kill(trial, hosts, rows, dice)
        await _settle(trial, rows)
        people.cancel()
        await asyncio.gather(people, return_exceptions=True)
        outcome.statuses = rows.statuses()
        outcome.cut_off = sum(times - 1 for times in model.asked.values() if times > 1)
        outcome.faults = [*model.again, *_judge(rows, trial)]
    outcome.seconds = round(time.monotonic() - begun, 1)
    return outcome


def _judge(rows: Rows, trial: Trial) -> list[str]:
    faults = []
    ended = rows.all("SELECT subject, status, why FROM pipeline_runs ORDER BY id")
    if len(ended) != trial.runs:
        faults.append(f"{trial.runs} runs were wanted, there are {len(ended)}")
    faults += [f"{row.subject} is {row.status}: {row.why}" for row in ended if row.status != "done"]
    for row in rows.all(
        "SELECT r.subject, s.number, s.state, s.attempt FROM pipeline_steps s "
        "JOIN pipeline_runs r ON r.id = s.run_id WHERE s.state <> 'done' OR s.attempt > 1"
    ):
        faults.append(f"{row.subject}: step {row.number} is {row.state}, attempt {row.attempt}")
    for row in rows.all(
        "SELECT r.subject, count(*) AS times FROM turns t JOIN sessions s ON s.id = t.session_id "
        "JOIN pipeline_runs r ON r.id = s.chain_id GROUP BY r.subject HAVING count(*) <> :steps",
        steps=len(AGENT_STEPS),
    ):
        faults.append(f"{row.subject} had {row.times} turns for {len(AGENT_STEPS)} steps")
    for row in rows.all(
        "SELECT r.subject, q.step, count(*) AS times FROM human_interactions q "
        "JOIN pipeline_runs r ON r.id = q.chain_id GROUP BY r.subject, q.step HAVING count(*) <> 1"
    ):
        faults.append(f"{row.subject}: step {row.step} asked people {row.times} times")
    asked = rows.all("SELECT count(*) AS times FROM human_interactions WHERE chain_id IS NOT NULL")[0].times
    if asked != 2 * trial.runs:
        faults.append(f"people were asked {asked} times, not {2 * trial.runs}")
    return faults


async def _kill(trial: Trial, hosts: list[ChaosHost], rows: Rows, dice: random.Random) -> int:
    """Any host, at any moment; not before it has been up, and not after everything is over."""
    killed = 0
    while killed < trial.kills:
        await asyncio.sleep(dice.uniform(0.05, trial.longest_rest) / len(hosts))
        if killed and _is_over(trial, await asyncio.to_thread(rows.statuses)):
            break
        up = [host for host in hosts if host.up.is_set()]
        if up and await dice.choice(up).strike_and_wait(dice.uniform(0, 0.3)):
            killed += 1
    return killed


async def _settle(trial: Trial, rows: Rows) -> None:
    before: tuple[Any, ...] = ()
    since = time.monotonic()
    while not _is_over(trial, await asyncio.to_thread(rows.statuses)):
        if (now := await asyncio.to_thread(rows.progress)) != before:
            before, since = now, time.monotonic()
        if time.monotonic() - since > trial.patience:
            return
        await asyncio.sleep(_LOOK_EVERY)


def _is_over(trial: Trial, statuses: Mapping[str, int]) -> bool:
    ended = sum(statuses.get(status, 0) for status in ("done", "failed", "cancelled"))
    return ended >= trial.runs


async def _wish(hosts: list[ChaosHost], number: int) -> None:
    """In the chat, as a person does it; the same message is sent until a host has taken it."""
    while True:
        for host in hosts:
            with suppress(httpx.HTTPError, OSError, KeyError, ValueError):
                async with host.client() as client:
                    await say(client, await first_room(client), f"/trial run {number}", f"wish {number}")
                    return
        await asyncio.sleep(_LOOK_EVERY)


async def _decide(hosts: list[ChaosHost], dice: random.Random) -> None:
    """Someone says yes to whatever is asked, sooner or later."""
    while True:
        for host in hosts:
            with suppress(httpx.HTTPError, OSError, KeyError, ValueError):
                async with host.client() as client:
                    for asked in (await client.get("/api/questions")).json()["questions"]:
                        if dice.random() < 0.5:
                            await client.post(
                                f"/api/questions/{asked['id']}/decide",
                                json={"option": asked["options"][0]["id"]},
                            )
        await asyncio.sleep(_LOOK_EVERY)


async def database_for(stack: AsyncExitStack, trial: Trial, folder: Path, postgres_url: str) -> Database:
    if postgres_url:
        return GivenPostgres(postgres_url)
    if trial.database == "postgres":
        made = await stack.enter_async_context(cluster())
        stack.push_async_callback(made.keep, folder / "database.sql")
        return made
    return Sqlite(folder / "host1" / "data" / "nanoclaw.db")


def _template(home: Path) -> None:
    (home / "foundation" / "process_templates" / "trial.md").write_text(TEMPLATE)


def _said(asked: Asked) -> str:
    """What the agent is told, without what tools returned."""
    return json.dumps([message["content"] for message in asked.messages], ensure_ascii=False).replace(
        '\\"', '"'
    )


def _filled(asked: Asked) -> dict[str, Any]:
    """What the step's form asks for."""
    form = next(tool["input_schema"] for tool in asked.body["tools"] if tool["name"] == "finish_step")
    values = {"string": _TEXT, "number": 1, "array": ["one", "two"]}
    return {name: values[about["type"]] for name, about in form["properties"].items()}


def _plain(stored: Any) -> Any:
    return json.loads(stored) if isinstance(stored, str) else stored


def main(words: Sequence[str]) -> int:
    def trial(given: Namespace, folder: Path) -> Awaitable[Outcome]:
        return run(Trial.typed(given, runs=given.runs, kills=given.kills), folder)

    counts = {"runs": Count(usual=20), "kills": Count(usual=30), "hosts": HOSTS}
    return start("pipelines", __doc__, words, trial, counts, lambda outcome: outcome.figures)
