"""The host is killed around the moments of a task: each has one run, each run one result, and the series goes on.

What is killed is a process, with the demo's agent in it, which can be so slow that it never ends. The host that goes on
after it runs in this one, except where it is killed again.
"""

import asyncio
import json
import random
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from starlette.responses import Response
from tests.crash.program import Program

from nanoclaw.domain.errors import ModelFailed
from nanoclaw.domain.people import Role
from nanoclaw.domain.schedules import cron
from nanoclaw.domain.tasks import Policy, Task, WantedTask, ZoneOf
from nanoclaw.domain.turns import TurnRequest
from nanoclaw.durable import people, tasks, wirings, work
from nanoclaw.durable.clock import now
from nanoclaw.durable.store import Store, Tx, open_store
from nanoclaw.durable.tables import scheduled_tasks, task_run_logs, turns
from nanoclaw.durable.tables import work as work_rows
from nanoclaw.testing import FarEnd, ScriptedModel, Sent, started_host

pytestmark = pytest.mark.capability("F1", "A15", "L3")

QUESTION = "How much is the office plan?"
LEAP_DAY = "0 0 29 2 *"  # when no test runs
ENDLESS = "10"  # seconds between two words


def is_result(text: str) -> bool:
    """As it comes to the chat, with the number of its task."""
    return "128" in text and "*Task" in text


@dataclass(frozen=True, kw_only=True)
class Stage:
    home: Path
    url: str
    far_end: FarEnd
    store: Store

    def program(self, *, pace: str = "0", home: Path | None = None, **settings: str) -> Program:
        there = {"DATABASE_URL": self.url, "SCRIPTED_URL": self.far_end.url}
        return Program(home or self.home, **there, DEMO_PACE=pace, **settings)

    @asynccontextmanager
    async def host(
        self, home: Path | None = None, *, lifetime: float = 2, **settings: Any
    ) -> AsyncIterator[None]:
        """Here, with an agent that answers at once. A long life gives a busy database its time."""
        database = {"url": self.url, "host_lifetime": lifetime}
        scripted = {"url": self.far_end.url}
        async with started_host(home or self.home, database=database, scripted=scripted, **settings):
            yield

    async def add_tasks(self, count: int) -> None:
        """In a chat where their owner is alone with the agent. By themselves they are not due today."""
        at = now()
        schedule = cron(LEAP_DAY, "UTC", at)
        wanted = WantedTask(schedule=schedule, prompt=QUESTION)

        def write(tx: Tx) -> None:
            owner = people.person_named(tx, "scripted:tester") or people.add_person(
                tx, handle="scripted:tester", name="tester", role=Role.OWNER, at=at
            )
            chat = people.chat_at(tx, "scripted", "chat")
            if chat is None:
                chat = people.add_chat(tx, channel="scripted", address="chat", title="chat", at=at)
                wirings.wire(tx, chat.id, chat.kind, "main", at)
            for _ in range(count):
                tasks.add(
                    tx,
                    wanted,
                    group="main",
                    chat_id=chat.id,
                    thread=None,
                    owner=owner.id,
                    zone_of=ZoneOf.HOST,
                    next_run_at=schedule.next_after(at),
                    at=at,
                )

        await self.store.write(write)

    async def due(self, *moments: datetime) -> datetime:
        """The first task at the first of them, and so on."""

        def write(tx: Tx) -> None:
            for number, at in enumerate(moments, 1):
                tasks.mark(tx, number, next_run_at=at)
                work.due(tx, work.TASK, str(number), at)

        await self.store.write(write)
        return moments[-1]

    async def tasks(self) -> list[Task]:
        found = sa.select(scheduled_tasks).order_by(scheduled_tasks.c.id)
        return await self.store.read(lambda tx: [tasks.to_task(row) for row in tx.execute(found)])

    async def runs(self) -> list[Any]:
        found = sa.select(task_run_logs).order_by(task_run_logs.c.run_at)
        return await self.store.read(lambda tx: list(tx.execute(found)))

    async def turns_of(self, task: Task) -> list[Any]:
        found = sa.select(turns).where(turns.c.session_id == task.session_id)
        return await self.store.read(lambda tx: list(tx.execute(found)))

    async def until_run(self, met: Callable[[Any], bool]) -> Any:
        """The first run of which this is true, as soon as there is one."""
        async with asyncio.timeout(60):
            while not (found := [run for run in await self.runs() if met(run)]):
                await asyncio.sleep(0.002)
        return found[0]

    def results(self) -> list[str]:
        return [text for text in self.far_end.said_to("chat") if is_result(text)]

    async def settle(self) -> None:
        """Until nothing is left to do but the moments to come; then an answer proves that no other is on its way."""

        def busy(tx: Tx) -> bool:
            coming = sa.and_(work_rows.c.kind == work.TASK, work_rows.c.due_at > now() + timedelta(days=1))
            of_tasks = (work.TASK, work.RUN, work.BACKGROUND, work.RUN_STEP, work.TURN, work.DELIVERY)
            under_way = sa.and_(sa.not_(coming), work_rows.c.kind.in_(of_tasks))
            return tx.execute(sa.select(work_rows).where(under_way)).first() is not None

        async with asyncio.timeout(60):
            while await self.store.read(busy):
                await asyncio.sleep(0.01)
        before = len(self.far_end.said_to("chat"))
        await self.far_end.say("chat", "thanks")
        await self.far_end.wait_for("chat", before + 1)

    async def check(self, *moments: datetime) -> None:
        """One run for each moment, one result for each run, and the next moment is waited for."""
        runs = await self.runs()
        assert [(run.run_at, run.status) for run in runs] == [(moment, "success") for moment in moments]
        assert len(self.results()) == len(moments)
        for task in await self.tasks():
            assert task.next_run_at == task.schedule.next_after(now())
            due = await self.store.read(lambda tx, task=task: work.due_at(tx, work.TASK, str(task.id)))  # type: ignore[misc]
            assert due == task.next_run_at


@asynccontextmanager
async def staged(home: Path, url: str) -> AsyncIterator[Stage]:
    async with FarEnd() as far_end:
        stage = Stage(home=home, url=url, far_end=far_end, store=open_store(url))
        await stage.add_tasks(1)
        yield stage
        stage.store.close()


@pytest.fixture
async def stage(home: Path, database_url: str) -> AsyncIterator[Stage]:
    async with staged(home, database_url) as found:
        yield found


@pytest.fixture
async def shared_stage(home: Path, postgres_url: str) -> AsyncIterator[Stage]:
    async with staged(home, postgres_url) as found:
        yield found


async def reached(moment: datetime) -> None:
    await asyncio.sleep(max((moment - now()).total_seconds(), 0))


async def test_killed_at_the_moment_itself_before_anything_of_it_is_written(stage: Stage) -> None:
    program = stage.program(pace=ENDLESS)
    async with program.running():
        pass  # the next start is quick
    moment = await stage.due(now() + timedelta(seconds=2))
    await program.start()
    with stage.store.engine.begin() as tx:  # the writer that would record it waits for us
        tx.execute(sa.select(work_rows).where(work_rows.c.kind == work.TASK).with_for_update())
        in_time = now() < moment
        await reached(moment + timedelta(milliseconds=100))
        await program.die()
    assert not in_time or not await stage.runs()
    async with stage.host():
        await stage.until_run(lambda run: run.status == "success")
        await stage.settle()
    await stage.check(moment)


async def test_killed_when_the_moment_was_taken_and_the_run_not_begun(shared_stage: Stage) -> None:
    stage = shared_stage
    program = stage.program(pace=ENDLESS)
    moment = await stage.due(now())
    taken = sa.select(work_rows).where(work_rows.c.kind == work.TASK, work_rows.c.host.is_not(None))
    with stage.store.engine.begin() as tx:
        tx.execute(sa.select(scheduled_tasks).with_for_update())
        await program.start()
        async with asyncio.timeout(60):
            while not await stage.store.read(lambda tx: tx.execute(taken).first()):
                await asyncio.sleep(0.002)
        await program.die()
    assert await stage.runs() == []
    async with stage.host():
        await stage.until_run(lambda run: run.status == "success")
        await stage.settle()
    await stage.check(moment)


async def test_killed_as_soon_as_the_run_is_written_down(stage: Stage) -> None:
    program = stage.program(pace=ENDLESS)
    moment = await stage.due(now())
    await program.start()
    begun = await stage.until_run(lambda _: True)
    await program.die()
    async with stage.host():
        ended = await stage.until_run(lambda run: run.status == "success")
        await stage.settle()
    assert (ended.id, ended.message_id) == (begun.id, begun.message_id)
    await stage.check(moment)


async def test_killed_during_a_run_it_goes_on_in_the_same_turn(stage: Stage) -> None:
    program = stage.program(pace=ENDLESS)
    moment = await stage.due(now())
    await program.start()
    await stage.until_run(lambda run: run.status == "running")
    await program.die()
    [task] = await stage.tasks()
    [begun] = await stage.turns_of(task)
    async with stage.host():
        run = await stage.until_run(lambda run: run.status == "success")
        await stage.settle()
    [ended] = await stage.turns_of(task)
    assert (ended.id, ended.state, run.turn_id) == (begun.id, "answered", begun.id)
    assert run.started_at == begun.started_at
    await stage.check(moment)


@pytest.mark.parametrize("moment_of_send", ["on_send", "on_shown"])
async def test_killed_between_the_result_and_its_delivery(stage: Stage, moment_of_send: str) -> None:
    """Before the far end has it, and after it has shown it but before the host heard so."""
    program = stage.program()
    kill_with_result(stage, program, moment_of_send)
    moment = await stage.due(now())
    await program.start()
    await program.wait_until_dead()
    [run] = await stage.runs()
    assert run.status == "success"
    setattr(stage.far_end, moment_of_send, None)
    async with stage.host():
        await stage.settle()
    await stage.check(moment)


def kill_with_result(stage: Stage, program: Program, moment: str) -> None:
    async def kill(sent: Sent) -> Response | None:
        if not is_result(sent.text):
            return None
        await program.die()
        return Response(status_code=500)

    setattr(stage.far_end, moment, kill)


async def test_killed_while_a_retry_is_waited_for(stage: Stage) -> None:
    def fail(request: TurnRequest) -> list[str]:
        raise ModelFailed("unexpected", said=request.prompt[:5])

    pause = timedelta(seconds=2.5)
    [task] = await stage.tasks()
    await stage.store.write(lambda tx: tasks.change(tx, task, policy=Policy(retry_pause=pause)))
    moment = await stage.due(now())
    async with stage.host(model=ScriptedModel(fail)):
        failed = await stage.until_run(lambda run: run.status == "retrying")
    program = stage.program()
    await program.start()
    await program.die()
    async with stage.host():
        ended = await stage.until_run(lambda run: run.status == "success")
        await stage.settle()
    assert (ended.id, ended.attempts) == (failed.id, 1)
    assert ended.finished_at - failed.started_at >= pause
    await stage.check(moment)


async def test_killed_again_and_again_while_many_come(stage: Stage) -> None:
    count, kills = 24, 3  # fewer kills than the attempts after which a turn is given up
    chance = random.Random(7)  # noqa: S311 - the same moments each time, as far as a machine allows
    await stage.add_tasks(count - 1)
    start = now() + timedelta(seconds=0.5)
    moments = [start + timedelta(seconds=number / 8) for number in range(count)]
    await stage.due(*moments)
    program = stage.program(pace="0.01", TASKS_CONCURRENT="4")
    for _ in range(kills):
        await program.start()
        await asyncio.sleep(chance.uniform(0, 0.5))
        await program.die()
    async with stage.host():
        await reached(moments[-1])
        await stage.settle()
    await stage.check(*moments)


@pytest.mark.capability("O4")
async def test_another_host_goes_on_with_the_run_of_a_killed_one(shared_stage: Stage, tmp_path: Path) -> None:
    stage = shared_stage
    program = stage.program(pace=ENDLESS, DATABASE_HOST_LIFETIME="2")
    moment = await stage.due(now())
    await program.start()
    async with stage.host(tmp_path / "second"):
        await stage.until_run(lambda run: run.status == "running")
        [task] = await stage.tasks()
        [begun] = await stage.turns_of(task)
        await program.die()
        run = await stage.until_run(lambda run: run.status == "success")
        await stage.settle()
    assert [turn.id for turn in await stage.turns_of(task)] == [run.turn_id] == [begun.id]
    await stage.check(moment)


@pytest.mark.capability("O4")
async def test_two_hosts_have_one_run_of_a_moment(shared_stage: Stage, tmp_path: Path) -> None:
    stage = shared_stage
    await stage.add_tasks(9)
    async with stage.host(lifetime=60), stage.host(tmp_path / "second", lifetime=60):
        moments = [now() + timedelta(seconds=0.3)] * 10
        await reached(await stage.due(*moments))
        await stage.settle()
    await stage.check(*moments)


async def test_many_of_the_same_moment_have_one_result_each(stage: Stage) -> None:
    count = 60  # thousands: benchmarks/tasks.py
    await stage.add_tasks(count - 1)
    moments = [now()] * count
    await stage.due(*moments)
    async with stage.host(lifetime=60, tasks={"concurrent": 8}):
        await stage.settle()
    await stage.check(*moments)
    assert len({text.rpartition("*Task")[2] for text in stage.results()}) == count


@pytest.mark.capability("F5")
async def test_a_background_task_survives_a_kill_while_it_runs_and_another_at_its_result(
    stage: Stage,
) -> None:
    first = stage.program(pace=ENDLESS)
    await first.start()
    await stage.far_end.say("chat", f"& {QUESTION}")  # the demo's agent hands it over
    await stage.until_run(lambda run: run.status == "running")
    await first.die()
    [_, task] = await stage.tasks()
    [begun] = await stage.turns_of(task)

    second = stage.program()
    kill_with_result(stage, second, "on_shown")
    await second.start()
    await second.wait_until_dead()
    stage.far_end.on_shown = None

    async with stage.host():
        await stage.until_run(lambda run: run.filed_at is not None)
        await stage.settle()
    [run] = await stage.runs()
    [ended] = await stage.turns_of(task)
    assert (run.status, run.turn_id, ended.id) == ("success", begun.id, begun.id)
    assert len(stage.results()) == 1
    assert [task.status.value for task in await stage.tasks()] == ["active", "completed"]
    [left] = stage.home.glob("groups/main/ipc/*/results/task-2.json")
    written = json.loads(left.read_text())
    assert (written["run_id"], written["status"]) == (run.id, "success")
    assert "128" in written["result"]


@pytest.mark.capability("F5", "O4")
async def test_another_host_goes_on_with_the_background_task_of_a_killed_one(
    shared_stage: Stage, tmp_path: Path
) -> None:
    stage = shared_stage
    program = stage.program(pace=ENDLESS, DATABASE_HOST_LIFETIME="2")
    await program.start()
    await stage.far_end.say("chat", f"& {QUESTION}")
    await stage.until_run(lambda run: run.status == "running")
    async with stage.host(tmp_path / "second"):
        await program.die()
        await stage.until_run(lambda run: run.filed_at is not None)
        await stage.settle()
    [run] = await stage.runs()
    assert (run.status, len(stage.results())) == ("success", 1)
    assert [task.status.value for task in await stage.tasks()] == ["active", "completed"]
