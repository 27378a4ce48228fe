"""Measures pipelines: from one step to the next, many runs at once, many runs before. See benchmarks/README.md."""

import argparse
import asyncio
import re
import statistics
import tempfile
import time
from collections import Counter
from collections.abc import AsyncGenerator, Sequence
from pathlib import Path
from typing import Any

import sqlalchemy as sa
import structlog
from benchmarks.measuring import Room, incoming, print_figure, settled, tail

from nanoclaw.context.groups import Groups
from nanoclaw.domain.people import LOCAL_OWNER
from nanoclaw.domain.pipeline_runs import PipelineRun
from nanoclaw.domain.pipelines import Inputs, Step, StepType, Template
from nanoclaw.domain.steps import ModelPiece, ToolCall, ToolOffer
from nanoclaw.domain.steps import Step as Happened
from nanoclaw.domain.turns import TurnRequest
from nanoclaw.durable import people
from nanoclaw.durable.clock import now
from nanoclaw.durable.pipeline_tables import chains, pipeline_runs, pipeline_steps
from nanoclaw.durable.store import Tx
from nanoclaw.durable.tables import costs
from nanoclaw.flows.pipelines.changes import WantedRun
from nanoclaw.host.host import Host
from nanoclaw.testing import ScriptedModel, started_host

_STEPS = 7
_MOST_MS, _LEAST_RATE = 15.0, 60.0  # what is wanted: issue 18
_SKILL = "marketing/content/topic-researcher"
_RESULT = {
    "text": "A result of a few words, as long as one line of a text.",
    "findings": ["one", "two"],
    "sources": ["somewhere"],
    "gaps": ["none"],
}
_STEP = re.compile(r'<pipeline [^>]*step="(\d+)"')
_DONE = pipeline_runs.c.status == "done"


class Agent(ScriptedModel):
    """Hands in a result for each step; otherwise it says something. Knows when it was asked and when it was done."""

    def __init__(self) -> None:
        super().__init__("An answer of a few words.")
        self.begun: dict[tuple[str, int], float] = {}
        self.ended: dict[tuple[str, int], float] = {}
        self.times: Counter[tuple[str, int]] = Counter()

    async def stream(
        self, request: TurnRequest, steps: Sequence[Happened], tools: Sequence[ToolOffer]
    ) -> AsyncGenerator[ModelPiece, None]:
        at = time.perf_counter()
        found = _STEP.search(request.prompt)
        if found is None or request.chain_id is None:
            async for piece in super().stream(request, steps, tools):
                yield piece
            return
        key = request.chain_id, int(found[1])
        self.begun.setdefault(key, at)
        self.times[key] += 1
        self.ended[key] = time.perf_counter()
        yield ToolCall(id=f"{request.turn_id}-{len(steps)}", name="finish_step", arguments=_RESULT)

    def gaps(self, run_id: str) -> list[float]:
        """From what one step handed in until the next one was asked, in milliseconds."""
        return [
            (self.begun[run_id, number + 1] - self.ended[run_id, number]) * 1000
            for number in range(1, _STEPS)
        ]


def template() -> Template:
    def step(number: int) -> Step:
        before = (number - 1,) if number > 1 else ()
        return Step(
            number=number,
            role="topic-researcher",
            type=StepType.SUB_AGENT,
            line=number,
            skill=_SKILL,
            inputs=Inputs(steps=before),
        )

    return Template(name="bench", title="Bench", steps=tuple(map(step, range(1, _STEPS + 1))))


async def start(host: Host, count: int) -> list[PipelineRun]:
    def story(tx: Tx) -> list[PipelineRun]:
        owner, chat = people.person_named(tx, LOCAL_OWNER), people.chat_at(tx, "web", "main")
        assert owner
        assert chat
        group = Groups(host.home).get("main")
        return [
            host.pipeline_parts.changes.start(
                tx,
                WantedRun(
                    template=template(),
                    subject=f"number {number}",
                    group=group.name,
                    company=group.company,
                    chat_id=chat.id,
                    language="en",
                    origin=f"bench {now().isoformat()} {number}",
                ),
                owner,
                None,
                now(),
            )
            for number in range(count)
        ]

    return await host.store.write(story)


async def until_done(host: Host, runs: Sequence[PipelineRun]) -> None:
    ids = [run.id for run in runs]
    left = (
        sa.select(pipeline_runs.c.status, sa.func.count())
        .where(pipeline_runs.c.id.in_(ids))
        .group_by(pipeline_runs.c.status)
    )
    while True:
        found = {row[0]: row[1] for row in await host.store.read(lambda tx: tx.execute(left).all())}
        assert "failed" not in found, "a run failed"
        if found.get("done") == len(ids):
            return
        await asyncio.sleep(0.01 if len(ids) == 1 else 0.2)


async def gaps(host: Host, agent: Agent, runs: int) -> list[float]:
    """One run after the other."""
    found: list[float] = []
    for _ in range(runs):
        [run] = await start(host, 1)
        await until_done(host, [run])
        found += agent.gaps(run.id)
    return found


async def time_messages(host: Host, room: Room, agent: Agent, count: int) -> list[float]:
    took = []
    for _ in range(count):
        before, begun = len(agent.asked), time.perf_counter()
        message_id = await room.front.receive(incoming("hello"))
        await agent.wait_for_calls(before + 1)
        took.append((time.perf_counter() - begun) * 1000)
        await settled(host, message_id)
    return took


async def copy_runs(host: Host, run: PipelineRun, count: int) -> None:
    """Finished runs like this one, with their steps and what they cost."""

    def story(tx: Tx) -> None:
        for table, column in (
            (chains, chains.c.id),
            (pipeline_runs, pipeline_runs.c.id),
            (pipeline_steps, pipeline_steps.c.run_id),
        ):
            rows = [dict(row) for row in tx.execute(sa.select(table).where(column == run.id)).mappings()]
            names = {"origin": None} if "origin" in table.c else {}
            copies = [
                {**row, **names, column.name: f"pl_0{number}"} for number in range(count) for row in rows
            ]
            tx.execute(sa.insert(table), copies)
        plain = {column.name: 0 for column in costs.c if isinstance(column.type, sa.Integer | sa.BigInteger)}
        texts = {column.name: "x" for column in costs.c if isinstance(column.type, sa.Text)}
        one = {**plain, **texts, "at": now(), "batch": False, "state": "settled"}
        tx.execute(
            sa.insert(costs),
            [
                {**one, "id": f"u_0{number}_{step}", "chain_id": f"pl_0{number}", "step": step}
                for number in range(count)
                for step in range(1, _STEPS + 1)
            ],
        )

    await host.store.write(story)


async def measure_steps(folder: Path, runs: int, settings: dict[str, Any]) -> None:
    agent, room = Agent(), Room()
    async with started_host(folder / "steps", model=agent, channels={"web": room}, **settings) as host:
        await time_messages(host, room, agent, 10)
        await gaps(host, agent, 3)
        base = statistics.median(await time_messages(host, room, agent, 50))
        took = await gaps(host, agent, runs)
    print_figure("message to model called, p50, ms", base, "1.00")
    median = statistics.median(took)
    _print(f"one step's end to the next one's prompt, p50, ms (at most {_MOST_MS:.0f})", median, base)
    print_figure("the same, p99, ms", tail(took), f"{tail(took) / base:.2f}")


async def measure_history(folder: Path, runs: int, finished: int) -> None:
    """Two hosts by turns, so that what else the machine does concerns both."""
    agent = Agent()
    async with (
        started_host(folder / "none", model=agent, channels={"web": Room()}) as none,
        started_host(folder / "full", model=agent, channels={"web": Room()}) as full,
    ):
        [run] = await start(full, 1)
        await until_done(full, [run])
        await copy_runs(full, run, finished)
        for host in (none, full):
            await gaps(host, agent, 3)
        took: dict[Host, list[float]] = {none: [], full: []}
        for _ in range(runs):
            for host, found in took.items():
                found += await gaps(host, agent, 1)
    base = statistics.median(took[none])
    _print(f"the same after {finished:,} finished runs, p50, ms", statistics.median(took[full]), base)


async def measure_burst(folder: Path, count: int, settings: dict[str, Any]) -> None:
    agent, room = Agent(), Room()
    async with started_host(folder / "burst", model=agent, channels={"web": room}, **settings) as host:
        await gaps(host, agent, 3)
        begun = time.perf_counter()
        runs = await start(host, count)
        await until_done(host, runs)
        rate = count * _STEPS / (time.perf_counter() - begun)
        times = [agent.times[run.id, number] for run in runs for number in range(1, _STEPS + 1)]
        assert times == [1] * (count * _STEPS), "a step ran not at all, or twice"
        print_figure(
            f"{count} runs of {_STEPS} steps at once, steps per second", rate, f"at least {_LEAST_RATE:.0f}"
        )


def _print(name: str, value: float, base: float) -> None:
    print_figure(name, value, f"{value / base:.2f}")


async def measure(*, quick: bool, url: str) -> None:
    structlog.configure(logger_factory=structlog.ReturnLoggerFactory())
    settings: dict[str, Any] = {"database": {"url": url}} if url else {}
    with tempfile.TemporaryDirectory() as folder:
        await measure_steps(Path(folder), 5 if quick else 20, settings)
        if not url:
            await measure_history(Path(folder), 5 if quick else 30, 500 if quick else 10_000)
        await measure_burst(Path(folder), 20 if quick else 100, settings)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--postgres", default="", metavar="URL")
    chosen = parser.parse_args()
    asyncio.run(measure(quick=chosen.quick, url=chosen.postgres))
