"""The rows of tasks and of their runs keep the same promises on every database."""

import asyncio
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any, TypeVar

import pytest
import sqlalchemy as sa

from nanoclaw.domain.continuations import Continuation
from nanoclaw.domain.ids import ChatId, HostId, PersonId, SessionId, new_id
from nanoclaw.domain.money import Spender
from nanoclaw.domain.people import Role
from nanoclaw.domain.schedules import cron, interval, once
from nanoclaw.domain.tasks import (
    CatchUp,
    Overlap,
    Policy,
    Priority,
    Run,
    RunReason,
    RunStatus,
    Task,
    TaskKind,
    TaskStatus,
    WantedTask,
    ZoneOf,
)
from nanoclaw.domain.turns import Session
from nanoclaw.durable import costs, people, sessions, task_runs, tasks, work
from nanoclaw.durable.costs import Cost, State
from nanoclaw.durable.store import Store, Tx, open_store
from nanoclaw.durable.tables import scheduled_tasks, task_run_logs

pytestmark = pytest.mark.capability("F1", "F5")

T = TypeVar("T")
AT = datetime(2026, 3, 2, 7, 30, tzinfo=UTC)
HOUR = timedelta(hours=1)
MONDAYS = WantedTask(schedule=cron("0 8 * * 1", "Europe/Kyiv", AT), prompt="send me the news")


@pytest.fixture
def store(database_url: str) -> Iterator[Store]:
    store = open_store(database_url)
    yield store
    store.close()


@pytest.fixture
def owner(store: Store) -> tuple[PersonId, ChatId]:
    """Who wants tasks, and the chat where."""

    def story(tx: Tx) -> tuple[PersonId, ChatId]:
        person = people.add_person(tx, handle="telegram:1", name="Olena", role=Role.OWNER, at=AT)
        chat = people.add_chat(tx, channel="telegram:6", address="1", title="Olena", at=AT)
        return person.id, chat.id

    return asyncio.run(store.write(story))


@pytest.fixture
def make(store: Store, owner: tuple[PersonId, ChatId]) -> Callable[..., Task]:
    def made(wanted: WantedTask = MONDAYS, **more: Any) -> Task:
        person, chat = owner
        values: dict[str, Any] = {
            "group": "main",
            "chat_id": chat,
            "thread": None,
            "owner": person,
            "zone_of": ZoneOf.HOST,
            "next_run_at": AT + HOUR,
            "at": AT,
        }
        return write(store, lambda tx: tasks.add(tx, wanted, **(values | more)))

    return made


def write(store: Store, story: Callable[[Tx], T]) -> T:
    return asyncio.run(store.write(story))


def read(store: Store, story: Callable[[Tx], T]) -> T:
    return asyncio.run(store.read(story))


def add_run(store: Store, task: Task, after: timedelta = HOUR, **more: Any) -> Run:
    run = write(store, lambda tx: task_runs.add(tx, task, AT + after, RunReason.SCHEDULE, AT, **more))
    assert run
    return run


def test_a_task_is_read_as_it_was_written(store: Store, make: Callable[..., Task]) -> None:
    policy = Policy(
        catch_up=CatchUp.ALL,
        most_caught_up=3,
        stale_after=timedelta(hours=2),
        overlap=Overlap.QUEUE,
        jitter=timedelta(seconds=90),
        retries=0,
        retry_pause=timedelta(milliseconds=500),
        pause_after=1,
        deliver_by=timedelta(minutes=15),
        alarm_to="@mia",
    )
    wanted = WantedTask(
        schedule=interval(2 * HOUR, "Europe/Kyiv", AT),
        prompt="Підготуй зведення 🗞",
        skill="news-curator",
        model="haiku",
        notify=False,
        policy=policy,
        priority=Priority.HIGH,
        check="test -s news.txt",
        estimated_minutes=30,
        kind=TaskKind.BACKGROUND,
    )
    task = make(wanted, thread="42", asked_by=SessionId("s_1"), origin="s_1 a", zone_of=ZoneOf.PERSON)
    assert read(store, lambda tx: tasks.get(tx, task.id)) == task
    assert (task.policy, task.schedule, task.thread) == (policy, wanted.schedule, "42")
    assert (task.prompt, task.skill, task.model) == (wanted.prompt, "news-curator", "haiku")
    assert (task.notify, task.check, task.kind) == (False, wanted.check, TaskKind.BACKGROUND)
    assert (task.priority, task.estimated_minutes, task.zone_of) == (Priority.HIGH, 30, ZoneOf.PERSON)
    assert (task.status, task.run_count, task.failures) == (TaskStatus.ACTIVE, 0, 0)
    assert (task.next_run_at, task.last_run_at, task.created_at) == (AT + HOUR, None, AT)
    assert make(wanted, origin="s_1 b").id == task.id + 1


def test_only_what_differs_from_the_usual_is_stored_of_a_policy(
    store: Store, make: Callable[..., Task]
) -> None:
    make()
    make(replace(MONDAYS, policy=Policy(retries=0, deliver_by=HOUR)))
    query = sa.select(scheduled_tasks.c.policy).order_by(scheduled_tasks.c.id)
    assert read(store, lambda tx: list(tx.execute(query).scalars())) == [
        {},
        {"retries": 0, "deliver_by": 3600.0},
    ]


def test_a_task_is_changed_and_the_rest_of_it_stays(store: Store, make: Callable[..., Task]) -> None:
    task = make()
    later = once(AT + 9 * HOUR, "UTC", AT)

    def story(tx: Tx) -> None:
        tasks.change(tx, task, schedule=later, policy=Policy(retries=9), prompt="other words")
        tasks.mark(tx, task.id, status=TaskStatus.PAUSED.value, why="failures", failures=5)

    write(store, story)
    changed = read(store, lambda tx: tasks.get(tx, task.id))
    assert changed == replace(
        task,
        schedule=later,
        policy=Policy(retries=9),
        prompt="other words",
        status=TaskStatus.PAUSED,
        why="failures",
        failures=5,
    )


def test_the_lists_hold_what_is_alive_of_the_groups_that_are_asked_for(
    store: Store, make: Callable[..., Task]
) -> None:
    one, two, three, four = make(), make(group="sales"), make(), make()
    for task, status in ((three, TaskStatus.COMPLETED), (four, TaskStatus.DELETED), (one, TaskStatus.PAUSED)):
        write(store, partial(tasks.mark, task_id=task.id, status=status.value))

    def ids(found: list[Task]) -> list[int]:
        return [task.id for task in found]

    assert ids(read(store, tasks.alive)) == [one.id, two.id]
    assert ids(read(store, lambda tx: tasks.alive(tx, ["sales"]))) == [two.id]
    assert ids(read(store, lambda tx: tasks.alive(tx, []))) == []
    assert ids(read(store, lambda tx: tasks.recent(tx, 10))) == [two.id, one.id]
    everything = read(store, lambda tx: tasks.recent(tx, 10, alive=False))
    assert ids(everything) == [three.id, two.id, one.id]
    assert ids(read(store, lambda tx: tasks.recent(tx, 1, alive=False, before=three.id))) == [two.id]
    assert read(store, lambda tx: tasks.count_alive(tx, "main", TaskKind.SCHEDULED)) == 1
    assert read(store, lambda tx: tasks.count_alive(tx, "main", TaskKind.BACKGROUND)) == 0


def test_a_request_makes_one_task(store: Store, make: Callable[..., Task]) -> None:
    task = make(origin="s_1 a")
    assert read(store, lambda tx: tasks.made_for(tx, "s_1 a")) == task
    assert read(store, lambda tx: tasks.made_for(tx, "s_1 b")) is None
    with pytest.raises(sa.exc.IntegrityError):
        make(origin="s_1 a")
    make(), make()  # those without a request are not taken for the same


def test_a_moment_of_a_task_has_one_run(store: Store, make: Callable[..., Task]) -> None:
    task, other = make(), make()
    run = add_run(store, task)
    assert write(store, lambda tx: task_runs.add(tx, task, AT + HOUR, RunReason.LATE, AT)) is None
    assert add_run(store, other).id != run.id
    assert add_run(store, task, 2 * HOUR)
    assert len(read(store, lambda tx: task_runs.history(tx, task.id, 10))) == 2


def test_a_run_is_read_as_it_was_written(store: Store, make: Callable[..., Task]) -> None:
    task = make(replace(MONDAYS, policy=Policy(deliver_by=HOUR)))
    run = add_run(store, task)
    assert read(store, lambda tx: task_runs.get(tx, run.id)) == run
    assert (run.status, run.attempts, run.micros) == (RunStatus.QUEUED, 0, 0)
    assert run.deliver_by == AT + 2 * HOUR
    missed = add_run(store, task, 3 * HOUR, status=RunStatus.MISSED, error={"key": "run-missed"})
    assert read(store, lambda tx: task_runs.get(tx, missed.id)) == missed
    assert (missed.finished_at, missed.deliver_by, missed.error) == (AT, None, {"key": "run-missed"})

    write(store, lambda tx: task_runs.mark(tx, run.id, started_at=AT, micros=2**40, attempts=1))
    begun = read(store, lambda tx: task_runs.get(tx, run.id))
    assert begun
    took = timedelta(seconds=90)
    ended = write(store, lambda tx: task_runs.end(tx, begun, RunStatus.SUCCESS, AT + took, result="Готово 🗞"))
    assert (ended.status, ended.finished_at, ended.duration_ms) == (RunStatus.SUCCESS, AT + took, 90_000)
    assert (ended.result, ended.micros, ended.attempts, ended.error) == ("Готово 🗞", 2**40, 1, None)


def test_the_runs_of_a_task_are_found_by_how_they_stand(store: Store, make: Callable[..., Task]) -> None:
    task, other = make(replace(MONDAYS, policy=Policy(deliver_by=HOUR))), make()
    second, first, third = (add_run(store, task, hours * HOUR) for hours in (2, 1, 3))
    add_run(store, other)

    def ids(found: list[Run]) -> list[str]:
        return [run.id for run in found]

    assert ids(read(store, lambda tx: task_runs.open_of(tx, task.id))) == [first.id, second.id, third.id]
    assert ids(read(store, lambda tx: task_runs.awaited(tx, task.id))) == [first.id, second.id, third.id]
    assert read(store, lambda tx: task_runs.awaited(tx, other.id)) == []  # nobody relies on it
    assert read(store, lambda tx: task_runs.current(tx, task.id)) is None
    write(store, lambda tx: task_runs.mark(tx, second.id, message_id="m_1"))
    assert (read(store, lambda tx: task_runs.current(tx, task.id)) or third).id == second.id

    write(store, lambda tx: task_runs.end(tx, first, RunStatus.SUCCESS, AT))
    assert ids(read(store, lambda tx: task_runs.open_of(tx, task.id))) == [second.id, third.id]
    assert ids(read(store, lambda tx: task_runs.unfiled(tx, task.id))) == [first.id]
    write(store, lambda tx: task_runs.mark(tx, first.id, filed_at=AT, alarmed_at=AT))
    assert read(store, lambda tx: task_runs.unfiled(tx, task.id)) == []
    assert ids(read(store, lambda tx: task_runs.awaited(tx, task.id))) == [second.id, third.id]

    history = ids(read(store, lambda tx: task_runs.history(tx, task.id, 2)))
    assert history == sorted((first.id, second.id, third.id), reverse=True)[:2]
    older = ids(read(store, lambda tx: task_runs.history(tx, task.id, 2, before=history[-1])))
    assert older == [second.id]
    outline = read(store, lambda tx: task_runs.outline(tx, AT + 2 * HOUR, AT + 3 * HOUR))
    assert [(run_id, task_id) for run_id, task_id, *_ in outline] == [(second.id, task.id)]
    assert ids(read(store, lambda tx: task_runs.by_ids(tx, [third.id, second.id]))) == [second.id, third.id]
    newest = read(store, lambda tx: task_runs.last_of(tx, [task.id, other.id, 999]))
    assert newest[task.id].id == third.id
    assert set(newest) == {task.id, other.id}


def test_what_runs_cost_is_counted_by_turn(store: Store, make: Callable[..., Task]) -> None:
    task = make()
    settled, reserved = State.SETTLED, State.RESERVED
    spent = [
        ("t_1", "main", "", 10, settled),
        ("t_1", "main", "", 5, settled),
        ("t_2", "main", "news", 7, settled),
        ("t_3", "sales", "", 900, settled),
        ("t_4", "main", "news", 9000, reserved),  # under way: the most that it may cost
    ]

    def story(tx: Tx) -> None:
        for turn, group, skill, micros, state in spent:
            spender = Spender(
                company="demo", group=group, session_id="s_1", turn_id=turn, runtime="native", skill=skill
            )
            cost = Cost(
                id=new_id("u"),
                at=AT,
                spender=spender,
                model="m",
                host=HostId("h_1"),
                micros=micros,
                state=state,
            )
            costs.reserve(tx, cost)

    write(store, story)
    assert read(store, lambda tx: task_runs.spent_in(tx, "t_1")) == 15
    assert read(store, lambda tx: task_runs.spent_in(tx, "t_4")) == 0
    assert read(store, lambda tx: task_runs.costs_like(tx, "main", "", 10)) == [7, 15]
    assert read(store, lambda tx: task_runs.costs_like(tx, "main", "", 1)) == [7]
    assert read(store, lambda tx: task_runs.costs_like(tx, "main", "news", 10)) == [7]
    for hours, micros, status in ((1, 11, "success"), (2, 99, "failed"), (3, 13, "success")):
        run = add_run(store, task, hours * HOUR)
        write(store, partial(task_runs.end, run=run, status=RunStatus(status), at=AT, micros=micros))
    assert read(store, lambda tx: task_runs.costs_of(tx, task.id, 10)) == [13, 11]


def test_a_clock_that_was_set_moves_intervals_and_nothing_else(
    store: Store, make: Callable[..., Task]
) -> None:
    every = make(replace(MONDAYS, schedule=interval(HOUR, "UTC", AT)))
    paused = make(replace(MONDAYS, schedule=interval(HOUR, "UTC", AT)), next_run_at=None)
    mondays = make()
    gone = make(replace(MONDAYS, schedule=interval(HOUR, "UTC", AT)))
    write(store, lambda tx: tasks.mark(tx, gone.id, status=TaskStatus.DELETED.value))
    moved = write(store, lambda tx: tasks.shift_intervals(tx, timedelta(hours=-2)))
    assert moved == [every.id, paused.id]
    after = read(store, lambda tx: [tasks.get(tx, task.id) for task in (every, paused, mondays, gone)])
    assert [each and each.next_run_at for each in after] == [AT - HOUR, None, AT + HOUR, AT + HOUR]
    anchors = [each.schedule.anchor if each else None for each in after]
    assert anchors == [AT - 2 * HOUR, AT - 2 * HOUR, AT, AT]


async def test_of_many_who_change_a_task_at_once_each_sees_what_the_one_before_did(
    store: Store, owner: tuple[PersonId, ChatId]
) -> None:
    person, chat = owner

    def add(tx: Tx) -> Task:
        return tasks.add(
            tx,
            MONDAYS,
            group="main",
            chat_id=chat,
            thread=None,
            owner=person,
            zone_of=ZoneOf.HOST,
            next_run_at=AT,
            at=AT,
        )

    task = await store.write(add)

    def count(tx: Tx) -> None:
        found = tasks.locked(tx, task.id)
        assert found
        tasks.mark(tx, task.id, run_count=found.run_count + 1)

    await asyncio.gather(*(store.write(count) for _ in range(40)))
    after = await store.read(lambda tx: tasks.get(tx, task.id))
    assert after
    assert after.run_count == 40
    assert await store.write(lambda tx: tasks.locked(tx, 999)) is None


async def test_of_many_hosts_that_use_a_moment_one_makes_its_run(
    database_url: str, owner: tuple[PersonId, ChatId], make: Callable[..., Task]
) -> None:
    task = await asyncio.to_thread(make)
    hosts = [open_store(database_url) for _ in range(3)]
    made = await asyncio.gather(
        *(
            host.write(lambda tx: task_runs.add(tx, task, AT + HOUR, RunReason.SCHEDULE, AT))
            for host in hosts
            for _ in range(5)
        )
    )
    assert len([run for run in made if run]) == 1
    count = sa.select(sa.func.count()).select_from(task_run_logs)
    assert await hosts[0].read(lambda tx: tx.execute(count).scalar_one()) == 1
    for host in hosts:
        host.close()


async def test_a_session_knows_its_lane_and_what_waits_for_its_turns(
    store: Store, owner: tuple[PersonId, ChatId]
) -> None:
    """Its id and its thread say nothing of that."""
    _, chat_id = owner

    def story(tx: Tx) -> tuple[Session, Session]:
        spoken_to = sessions.find_or_open(tx, "main", chat_id, None, AT)
        apart = sessions.open_apart(tx, lane=work.RUN, group="main", chat_id=chat_id, thread="5", at=AT)
        sessions.let_wait(tx, apart, Continuation("step", "7"), 3)
        return sessions.get(tx, spoken_to.id), sessions.get(tx, apart)

    spoken_to, apart = await store.write(story)
    assert (spoken_to.lane, spoken_to.then, spoken_to.priority) == (work.TURN, None, 0)
    assert (apart.lane, apart.then, apart.priority) == (work.RUN, Continuation("step", "7"), 3)
    assert (spoken_to.thread, apart.thread) == (None, "5")  # it speaks there, and nobody speaks to it there
    assert (await store.read(lambda tx: sessions.of_chat(tx, chat_id, "5"))) == []
