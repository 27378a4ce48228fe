"""The moments of tasks on every database: when the clock of the machine is set, after a week without a host, and when
thousands of them come in the same minute. Each is used once, and none is lost.

The clock of these tests is their own. It stands unless a test lets time pass, and it can be set as a clock on a wall.
"""

import asyncio
import itertools
import time
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from tests.staging import until

from nanoclaw.context.groups import Groups
from nanoclaw.context.skills import Skills
from nanoclaw.delivery.alerts import Alerts
from nanoclaw.delivery.live import Live
from nanoclaw.domain.budgets import Budget
from nanoclaw.domain.ids import ChatId, HostId, PersonId, new_id
from nanoclaw.domain.people import Role
from nanoclaw.domain.schedules import Schedule, cron, interval, once
from nanoclaw.domain.tasks import CatchUp, Policy, Task, WantedTask, ZoneOf
from nanoclaw.domain.turns import TurnState
from nanoclaw.durable import people, session_queue, tasks, wirings, work
from nanoclaw.durable.clock import ClockWatch
from nanoclaw.durable.engine import Engine
from nanoclaw.durable.hooks import Hooks
from nanoclaw.durable.store import Store, Tx, open_store
from nanoclaw.durable.tables import parcels, scheduled_tasks, task_run_logs
from nanoclaw.durable.tables import work as work_rows
from nanoclaw.durable.turns import Turn, gather
from nanoclaw.durable.work import Claim
from nanoclaw.flows import deadline, schedule
from nanoclaw.flows.schedule import Schedules
from nanoclaw.host.admission import Admission
from nanoclaw.host.base import Base
from nanoclaw.host.member_limits import member_limits
from nanoclaw.host.pipeline_parts import PipelineParts
from nanoclaw.host.plan_parts import PlanParts
from nanoclaw.host.question_parts import QuestionParts
from nanoclaw.host.settings import read_settings
from nanoclaw.host.task_parts import TaskParts

pytestmark = pytest.mark.capability("F1", "F4")

MONDAY = datetime(2026, 3, 2, 7, 30, 30, tzinfo=UTC)
SECOND, MINUTE, HOUR = timedelta(seconds=1), timedelta(minutes=1), timedelta(hours=1)
DAY, WEEK = timedelta(days=1), timedelta(days=7)
LONG = 10**8  # seconds; so long a host is taken for alive, whatever the clock of the test does


class Clock:
    """What the wall says, and how much time has really passed."""

    def __init__(self) -> None:
        self.wall, self.passed = MONDAY, timedelta()

    def now(self) -> datetime:
        return self.wall

    def passes(self, span: timedelta) -> None:
        self.wall += span
        self.passed += span

    def is_set(self, by: timedelta) -> None:
        self.wall += by

    def watch(self) -> ClockWatch:
        return ClockWatch(lambda: self.wall.timestamp(), lambda: self.passed.total_seconds())


class Heeding(Engine):
    """Tells when the clock was set and all is put right."""

    heard: list[timedelta]

    async def clock_moved(self, by: timedelta) -> None:
        await super().clock_moved(by)
        self.heard.append(by)


class Runs:
    """The runs of scheduled tasks without an agent: each is over as soon as it begins. As many as wanted fail."""

    kind = work.RUN

    def __init__(self, store: Store, clock: Clock, *, at_once: int) -> None:
        self.at_once = at_once
        self.fail = 0
        self._store, self._clock = store, clock

    def begin(self, tx: Tx, claim: Claim) -> Turn | None:
        return gather(tx, claim)

    def look_again(self, key: str) -> None:
        """Nobody says anything meanwhile."""

    async def run(self, job: Turn, claim: Claim) -> datetime | None:
        state = TurnState.FAILED if self.fail else TurnState.ANSWERED
        self.fail = max(self.fail - 1, 0)
        return await self._store.write(partial(self._end, turn=job, claim=claim, state=state))

    def _end(self, tx: Tx, turn: Turn, claim: Claim, state: TurnState) -> datetime | None:
        at = self._clock.now()
        session_queue.end_turn(tx, turn.id, state, skill=None, prompt="", answer="", at=at)
        return work.finish(tx, claim)


class Moments:
    """The story of the host, and whose moments came to it."""

    kind = work.TASK

    def __init__(self, story: Schedules, begun: set[str]) -> None:
        self.at_once, self.begun = story.at_once, begun
        self.run, self.look_again = story.run, story.look_again
        self._begin = story.begin

    def begin(self, tx: Tx, claim: Claim) -> Task | None:
        self.begun.add(claim.key)
        return self._begin(tx, claim)


class Deliveries:
    """Nothing of what is posted here goes out: there is no place for it."""

    kind, at_once = work.DELIVERY, 0

    def begin(self, tx: Tx, claim: Claim) -> None: ...

    def look_again(self, key: str) -> None: ...

    async def run(self, job: object, claim: Claim) -> None: ...


@dataclass(kw_only=True)
class Scene:
    store: Store
    clock: Clock
    home: Path
    owner: PersonId
    chat: ChatId
    engine: Engine = field(init=False)  # of the host that was started last
    runs_here: Runs = field(init=False)
    heard: list[timedelta] = field(default_factory=list)  # by how much the clock was set
    begun: dict[HostId, set[str]] = field(default_factory=dict)  # the tasks whose moments came to each host

    @asynccontextmanager
    async def host(
        self, *, runs_at_once: int = 4, sweep_every: float = 0.02, store: Store | None = None
    ) -> AsyncIterator[Engine]:
        """The part of a host that minds the moments of tasks."""
        store = store or self.store
        hooks = Hooks(clock_set=(deadline.heed_clock, schedule.heed_clock))
        engine = Heeding(
            store, HostId(new_id("h")), new_id("w"), hooks=hooks, sweep_every=sweep_every, lifetime=LONG
        )
        engine.heard = self.heard
        engine._clock = self.clock.watch()  # nobody sets the clock of a machine for a test
        task_parts = self._task_parts(engine, store)
        begun = self.begun.setdefault(engine.host, set())
        self.runs_here = Runs(store, self.clock, at_once=runs_at_once)
        for story in (Moments(task_parts.schedules, begun), self.runs_here, task_parts.steps, Deliveries()):
            engine.register(story)
        await engine.start()
        self.engine = engine
        try:
            yield engine
        finally:
            await engine.stop(grace=10)

    def _task_parts(self, engine: Engine, store: Store) -> TaskParts:
        base = Base(
            home=self.home,
            settings=read_settings(self.home),
            store=store,
            engine=engine,
            live=Live(),
            groups=Groups(self.home),
            known_skills=Skills(self.home),
            channels={},
            stays=True,
        )
        admission = Admission.of(self.home, base.settings, base.groups, base.known_skills)
        question_parts, alerts = (
            QuestionParts.of(base, admission, PlanParts.of(base, admission).words),
            Alerts(locale=base.settings.locale),
        )
        pipeline_parts = PipelineParts.of(
            base,
            admission,
            question_parts,
            alerts,
            limits=member_limits(base.settings.spending, lambda _company: Budget()),
            runtime=lambda: "demo",
            owner_of=lambda _company: 0,
        )
        return TaskParts.of(base, admission, question_parts, pipeline_parts)

    async def add(self, schedule: Schedule, policy: Policy | None = None, *, count: int = 1) -> list[int]:
        """Tasks that were made now, at their first moment after it."""
        at = self.clock.now()
        wanted = WantedTask(schedule=schedule, prompt="Send the news", policy=policy or Policy())
        due = schedule.next_after(at)
        assert due is not None

        def write(tx: Tx) -> int:
            where = {"group": "main", "chat_id": self.chat, "thread": None, "owner": self.owner}
            first = tasks.add(tx, wanted, **where, zone_of=ZoneOf.HOST, next_run_at=due, at=at).id  # type: ignore[arg-type]
            if count > 1:
                [row] = tx.execute(sa.select(scheduled_tasks).where(scheduled_tasks.c.id == first)).mappings()
                tx.execute(sa.insert(scheduled_tasks), [{**row, "id": first + n} for n in range(1, count)])
            for n in range(count):
                work.due(tx, work.TASK, str(first + n), due)
            return first

        first = await self.store.write(write)
        return list(range(first, first + count))

    async def runs(self, task_id: int | None = None) -> list[Any]:
        found = sa.select(task_run_logs).order_by(task_run_logs.c.run_at)
        if task_id is not None:
            found = found.where(task_run_logs.c.task_id == task_id)
        return await self.store.read(lambda tx: list(tx.execute(found)))

    async def done(self, task_id: int) -> list[datetime]:
        """The moments that were used."""
        return [run.run_at for run in await self.runs(task_id) if run.status == "success"]

    async def next_of(self, task_id: int) -> datetime | None:
        task = await self.store.read(lambda tx: tasks.get(tx, task_id))
        assert task is not None
        return task.next_run_at

    async def quiet(self) -> None:
        """Until nothing is due and nobody works: then all that this time brings has happened."""

        def busy(tx: Tx) -> int:
            due = sa.or_(work_rows.c.host.is_not(None), work_rows.c.due_at <= self.clock.now())
            minded = work_rows.c.kind != work.DELIVERY
            return int(tx.execute(sa.select(sa.func.count()).where(due, minded)).scalar_one())

        async with asyncio.timeout(60):
            while await self.store.read(busy):
                await asyncio.sleep(0.005)

    async def all_come(self) -> None:
        """Until no moment is left that has come; whatever becomes of the runs."""

        def left(tx: Tx) -> int:
            due = sa.and_(work_rows.c.kind == work.TASK, work_rows.c.due_at <= self.clock.now())
            return int(tx.execute(sa.select(sa.func.count()).where(due)).scalar_one())

        async with asyncio.timeout(100):
            while await self.store.read(left):
                await asyncio.sleep(0.1)

    async def passes(self, span: timedelta) -> None:
        self.clock.passes(span)
        # As timers do, which do not go by this clock.
        for kind, key, at, _ in await self.store.read(lambda tx: work.waiting(tx, self.clock.now())):
            self.engine.kick_at(kind, key, at)
        await self.quiet()

    async def clock_is_set(self, by: timedelta) -> None:
        self.clock.is_set(by)
        self.engine.kick(work.TASK, "0")  # before whatever is to be done the clock is looked at
        await until(lambda: self.heard == [by])
        await self.quiet()


@pytest.fixture
async def scene(database_url: str, home: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Scene]:
    async with opened(database_url, home, monkeypatch) as found:
        yield found


@asynccontextmanager
async def opened(url: str, home: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Scene]:
    clock = Clock()
    for module in ("durable.engine", "durable.turns", "flows.schedule", "flows.tasks.steps"):
        monkeypatch.setattr(f"nanoclaw.{module}.now", clock.now)
    store = open_store(url)

    def furnish(tx: Tx) -> tuple[PersonId, ChatId]:
        owner = people.add_person(tx, handle="local:owner", name="Owner", role=Role.OWNER, at=MONDAY)
        chat = people.add_chat(tx, channel="web", address="main", title="Main", at=MONDAY)
        wirings.wire(tx, chat.id, chat.kind, "main", MONDAY)
        return owner.id, chat.id

    owner, chat = await store.write(furnish)
    yield Scene(store=store, clock=clock, home=home, owner=owner, chat=chat)
    store.close()


def daily(hour: int, at: datetime = MONDAY) -> Schedule:
    return cron(f"0 {hour} * * *", "UTC", at)


TWO_HOURS = [pytest.param(2 * HOUR, id="forward"), pytest.param(-2 * HOUR, id="back")]


class TestTheClockIsSet:
    @pytest.mark.parametrize("by", TWO_HOURS)
    @pytest.mark.parametrize("step", [HOUR, 50 * MINUTE], ids=["hourly", "every 50 minutes"])
    async def test_an_interval_keeps_its_real_distance(
        self, scene: Scene, by: timedelta, step: timedelta
    ) -> None:
        [task] = await scene.add(interval(step, "UTC", scene.clock.now()))
        scene.clock.passes(SECOND)  # just after each of them is when it is looked at
        async with scene.host():
            for tick in range(1, 43):  # seven hours, in steps of ten minutes
                await scene.passes(10 * MINUTE)
                if tick == 20:
                    await scene.clock_is_set(by)
                assert len(await scene.done(task)) == scene.clock.passed // step
        assert {run.status for run in await scene.runs(task)} == {"success"}

    async def test_a_time_that_is_jumped_over_is_made_up_for_once(self, scene: Scene) -> None:
        nine = MONDAY.replace(hour=9, minute=0, second=0)
        by_clock, one_off = await scene.add(daily(9)) + await scene.add(once(nine, "UTC", MONDAY))
        async with scene.host():
            await scene.passes(HOUR)
            await scene.clock_is_set(2 * HOUR)
            for task in (by_clock, one_off):
                assert await scene.done(task) == [nine]
            await scene.passes(DAY)
        assert await scene.done(by_clock) == [nine, nine + DAY]
        assert await scene.done(one_off) == [nine]

    async def test_a_time_that_comes_twice_is_used_once(self, scene: Scene) -> None:
        at = MONDAY.replace(minute=0, second=0)
        nine = at.replace(hour=9)
        every_day, every_hour, one_off = itertools.chain(
            await scene.add(daily(9)),
            await scene.add(cron("0 * * * *", "UTC", MONDAY)),
            await scene.add(once(nine, "UTC", MONDAY)),
        )
        async with scene.host():
            for _ in range(2):
                await scene.passes(HOUR)
            await scene.clock_is_set(-2 * HOUR)  # half past nine is half past seven again
            for _ in range(3):
                await scene.passes(HOUR)
            assert await scene.done(every_day) == await scene.done(one_off) == [nine]
            assert await scene.done(every_hour) == [at + HOUR, at + 2 * HOUR, at + 3 * HOUR]
            await scene.passes(DAY)
        assert await scene.done(every_day) == [nine, nine + DAY]
        assert await scene.done(one_off) == [nine]

    @pytest.mark.parametrize("by", TWO_HOURS)
    async def test_a_retry_comes_after_its_pause_all_the_same(self, scene: Scene, by: timedelta) -> None:
        [task] = await scene.add(daily(8), Policy(retry_pause=10 * MINUTE))
        async with scene.host():
            scene.runs_here.fail = 1
            await scene.passes(30 * MINUTE)
            assert [run.status for run in await scene.runs(task)] == ["retrying"]
            await scene.passes(5 * MINUTE)
            await scene.clock_is_set(by)
            await scene.passes(4 * MINUTE)
            assert [run.status for run in await scene.runs(task)] == ["retrying"]
            await scene.passes(2 * MINUTE)
        assert [(run.status, run.attempts) for run in await scene.runs(task)] == [("success", 1)]

    async def test_what_is_due_just_after_the_clock_was_set_waits_until_that_is_heeded(
        self, scene: Scene
    ) -> None:
        """A timer goes off before the next sweep: the distance must not be moved twice."""
        [task] = await scene.add(interval(HOUR, "UTC", scene.clock.now()))
        async with scene.host(sweep_every=0.3) as engine:
            scene.clock.passes(HOUR + SECOND)
            scene.clock.is_set(2 * HOUR)
            engine.kick(work.TASK, str(task))
            await until(lambda: scene.heard == [2 * HOUR])
            await scene.quiet()
            assert len(await scene.done(task)) == 1
            following = await scene.next_of(task)
            assert following is not None
            assert HOUR - 2 * SECOND < following - scene.clock.now() < HOUR


class TestAWeekWithoutAHost:
    """Every moment of it is used, told of as missed, or too old, as each task wants it."""

    async def down_for_a_week(self, scene: Scene, schedule: Schedule, policy: Policy) -> int:
        [task] = await scene.add(schedule, policy)
        scene.clock.passes(WEEK)
        async with scene.host():
            await scene.quiet()
            assert await scene.next_of(task) == schedule.next_after(scene.clock.now())
        return task

    async def seen(self, scene: Scene, task: int) -> list[tuple[datetime, str, str]]:
        return [(run.run_at, run.status, run.reason) for run in await scene.runs(task)]

    async def told(self, scene: Scene) -> int:
        """How often a person was told that something was missed."""
        return len(await scene.store.read(lambda tx: tx.execute(sa.select(parcels.c.id)).all()))

    async def test_the_latest_is_made_up_for(self, scene: Scene) -> None:
        task = await self.down_for_a_week(scene, daily(9), Policy(catch_up=CatchUp.LATEST))
        last = MONDAY.replace(hour=9, minute=0, second=0) + 6 * DAY
        assert await self.seen(scene, task) == [(last - DAY, "missed", "schedule"), (last, "success", "late")]
        assert await self.told(scene) == 0

    async def test_none_is_made_up_for_and_that_is_told(self, scene: Scene) -> None:
        task = await self.down_for_a_week(scene, daily(9), Policy(catch_up=CatchUp.NONE))
        [(_, status, _)] = await self.seen(scene, task)
        assert status == "missed"
        assert await self.told(scene) == 1

    async def test_of_a_machine_that_slept_none_is_made_up_for_either(self, scene: Scene) -> None:
        [task] = await scene.add(daily(9), Policy(catch_up=CatchUp.NONE))
        async with scene.host():
            await scene.passes(WEEK)
        assert [status for _, status, _ in await self.seen(scene, task)] == ["missed"]
        assert await self.told(scene) == 1

    async def test_all_are_made_up_for_in_order(self, scene: Scene) -> None:
        task = await self.down_for_a_week(scene, daily(9), Policy(catch_up=CatchUp.ALL))
        first = MONDAY.replace(hour=9, minute=0, second=0)
        wanted = [(first + day * DAY, "success", "late") for day in range(7)]
        assert await self.seen(scene, task) == wanted
        ends = [run.finished_at for run in sorted(await scene.runs(task), key=lambda run: run.run_at)]
        assert ends == sorted(ends)
        assert await self.told(scene) == 0

    async def test_all_but_not_more_than_wanted(self, scene: Scene) -> None:
        policy = Policy(catch_up=CatchUp.ALL, most_caught_up=3)
        task = await self.down_for_a_week(scene, daily(9), policy)
        assert [status for _, status, _ in await self.seen(scene, task)] == ["missed"] + ["success"] * 3

    async def test_what_is_stale_is_of_no_use_any_more(self, scene: Scene) -> None:
        policy = Policy(catch_up=CatchUp.ALL, stale_after=2 * DAY)
        task = await self.down_for_a_week(scene, daily(9), policy)
        assert [status for _, status, _ in await self.seen(scene, task)] == ["missed", "success", "success"]

    @pytest.mark.parametrize(
        ("catch_up", "used"), [(CatchUp.NONE, 1), (CatchUp.LATEST, 1), (CatchUp.ALL, 10)], ids=str
    )
    @pytest.mark.parametrize("by_clock", [True, False], ids=["cron", "interval"])
    async def test_ten_thousand_minutes_are_a_handful_of_rows(
        self, scene: Scene, catch_up: CatchUp, used: int, by_clock: bool
    ) -> None:
        schedule = cron("* * * * *", "UTC", MONDAY) if by_clock else interval(MINUTE, "UTC", MONDAY)
        task = await self.down_for_a_week(scene, schedule, Policy(catch_up=catch_up))
        seen = Counter(status for _, status, _ in await self.seen(scene, task))
        assert seen == {"success": used, "missed": 1}
        async with scene.host():  # and the series continues
            await scene.passes(MINUTE)
        assert len(await scene.done(task)) == used + 1

    async def test_the_start_is_not_held_up_by_all_that_was_missed(self, scene: Scene) -> None:
        """A task of every minute costs what one of every day costs: nobody waits while its past is gone through."""
        count = 60
        await scene.add(cron("* * * * *", "Europe/Kyiv", MONDAY), count=count)
        scene.clock.passes(WEEK)
        before = time.process_time()
        async with scene.host(runs_at_once=0, sweep_every=5):
            await scene.all_come()
        assert (time.process_time() - before) / count < 0.02
        assert len(await scene.runs()) == 2 * count


class TestAllInTheSameMinute:
    NINE = MONDAY.replace(hour=9, minute=0, second=0)

    async def test_none_is_lost_none_is_doubled_and_they_are_spread(self, scene: Scene) -> None:
        count = 200 if scene.store.shared else 1_000  # benchmarks/tasks.py has 10,000
        await scene.add(daily(9), Policy(jitter=MINUTE), count=count)
        scene.clock.passes(self.NINE - MONDAY)
        async with scene.host(runs_at_once=0, sweep_every=5):
            await scene.all_come()
        await self.check(scene, count)

    @pytest.mark.capability("O4")
    async def test_two_hosts_share_them(
        self, home: Path, postgres_url: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        count = 400
        async with opened(postgres_url, home, monkeypatch) as scene:
            other = open_store(postgres_url)
            await scene.add(daily(9), Policy(jitter=MINUTE), count=count)
            scene.clock.passes(self.NINE - MONDAY)
            # Not often: each sweep reads all that wait.
            first = scene.host(runs_at_once=0, sweep_every=1)
            async with first, scene.host(runs_at_once=0, sweep_every=1, store=other):
                await scene.all_come()
            other.close()
            await self.check(scene, count)
            shares = [len(begun) for begun in scene.begun.values()]
            assert sum(shares) == count
            assert min(shares) > count / 10

    async def check(self, scene: Scene, count: int) -> None:
        """Each has one run of that time and its next time tomorrow, and they begin within the minute."""
        runs = await scene.runs()
        assert Counter(run.task_id for run in runs) == dict.fromkeys(range(1, count + 1), 1)
        assert {(run.run_at, run.status) for run in runs} == {(self.NINE, "queued")}
        due: dict[str, list[datetime]] = {work.RUN: [], work.TASK: []}
        for row in await scene.store.read(lambda tx: tx.execute(sa.select(work_rows)).all()):
            due[row.kind].append(row.due_at)
        assert Counter(due[work.TASK]) == {self.NINE + DAY: count}
        sixths = Counter((at - self.NINE) // (10 * SECOND) for at in due[work.RUN])
        assert (sum(sixths.values()), set(sixths)) == (count, set(range(6)))
        assert max(sixths.values()) < 1.3 * count / 6
