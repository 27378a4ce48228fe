"""A task of each minute leaves half a million runs a year: what is looked up at every run and press stays small."""

import asyncio
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from nanoclaw.client.connection import Address
from nanoclaw.client.tasks import TaskClient
from nanoclaw.domain.ids import ChatId, PersonId, SessionId, TurnId
from nanoclaw.domain.people import Role
from nanoclaw.domain.schedules import cron
from nanoclaw.domain.tasks import RunReason, RunStatus, Task, TaskKind, WantedTask, ZoneOf
from nanoclaw.durable import people, session_queue, stored_texts, task_runs, tasks, work
from nanoclaw.durable.clock import now
from nanoclaw.durable.store import Store, Tx, open_store
from nanoclaw.testing import ScriptedModel, made_database, started_host

pytestmark = pytest.mark.capability("F1", "F3")

AT = datetime(2026, 3, 2, 7, 30, tzinfo=UTC)
MONDAYS = WantedTask(schedule=cron("0 8 * * 1", "UTC", AT), prompt="send me the news")


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    store = open_store(made_database(tmp_path_factory.mktemp("growth") / "store.db"))
    yield store
    store.close()


def made(tx: Tx) -> Task:
    person = people.add_person(tx, handle="telegram:1", name="Olena", role=Role.OWNER, at=AT)
    chat = people.add_chat(tx, channel="telegram:6", address="1", title="Olena", at=AT)
    return task_of(tx, person.id, chat.id)


def task_of(tx: Tx, owner: PersonId, chat: ChatId) -> Task:
    return tasks.add(
        tx,
        MONDAYS,
        group="main",
        chat_id=chat,
        thread=None,
        owner=owner,
        zone_of=ZoneOf.HOST,
        next_run_at=AT,
        at=AT,
    )


def plans_of(store: Store, story: Callable[[Tx], object]) -> list[str]:
    """How SQLite goes about each statement of a story, without figures about what is in the tables."""
    executed: list[tuple[str, Any]] = []

    def hear(_tx: Any, _cursor: Any, statement: str, parameters: Any, _context: Any, _many: bool) -> None:
        executed.append((statement, parameters))

    def look(tx: Tx) -> list[str]:
        sa.event.listen(tx, "before_cursor_execute", hear)
        story(tx)
        sa.event.remove(tx, "before_cursor_execute", hear)
        plans = (
            tx.exec_driver_sql(f"EXPLAIN QUERY PLAN {statement}", parameters).all()
            for statement, parameters in executed
        )
        return [" ".join(row.detail for row in plan) for plan in plans]

    return asyncio.run(store.write(look))


LOOKED_UP: dict[str, tuple[str, Callable[[Tx], object]]] = {
    "what is open of a task": ("runs_open", lambda tx: task_runs.open_of(tx, 1)),
    "what is under way of a task": ("runs_open", lambda tx: task_runs.current(tx, 1)),
    "what must be delivered in time": ("runs_awaited", lambda tx: task_runs.awaited(tx, 1)),
    "the history of a task": ("runs_of_task", lambda tx: task_runs.history(tx, 1, 10)),
    "its next page": ("runs_of_task", lambda tx: task_runs.history(tx, 1, 10, before="r_1")),
    "the last runs of a list": ("runs_of_task", lambda tx: task_runs.last_of(tx, [1, 2, 3])),
    "what runs of a task cost": ("runs_of_task", lambda tx: task_runs.costs_of(tx, 1, 10)),
    "what its group pays": ("costs_of_group", lambda tx: task_runs.costs_like(tx, "main", "", 10)),
    "what its skill costs": ("costs_of_group", lambda tx: task_runs.costs_like(tx, "main", "news", 10)),
    "what a turn cost": ("costs_of_turn", lambda tx: task_runs.spent_in(tx, "t_1")),
    "the tasks of a group": ("tasks_alive", lambda tx: tasks.alive(tx, ["main"])),
    "how many a group has": (
        "tasks_alive",
        lambda tx: tasks.count_alive(tx, "main", TaskKind.SCHEDULED),
    ),
    "the texts of a batch": ("tasks_of_batch", lambda tx: stored_texts.of_batch(tx, "b_1", 10)),
    "what comes next": ("tasks_due", lambda tx: tasks.coming(tx, AT, 10)),
    "what was in a month": ("runs_by_time", lambda tx: task_runs.outline(tx, AT, AT)),
    "what is not to be read any more": (
        "sqlite_autoindex_session_queue_1",  # one row, by its key
        lambda tx: session_queue.forget_kept(tx, SessionId("s_1"), "m_1"),
    ),
    "what its agent reads next": (
        "session_queue_kept",
        lambda tx: session_queue.read_kept(tx, SessionId("s_1"), TurnId("t_1"), 10),
    ),
    "what a dead host was doing": ("work_taken", lambda tx: work.recover(tx, AT)),
    "what is due": ("work_due", lambda tx: work.waiting(tx, AT)),
}


@pytest.mark.parametrize(("index", "story"), LOOKED_UP.values(), ids=LOOKED_UP)
def test_it_is_found_by_an_index(store: Store, index: str, story: Callable[[Tx], object]) -> None:
    plans = plans_of(store, story)
    assert f"INDEX {index} " in f"{plans[-1]} ", plans
    assert "TEMP B-TREE FOR ORDER BY" not in plans[-1] or index == "tasks_alive", plans


def test_a_list_of_what_must_be_sorted_is_never_all_that_there_ever_was(store: Store) -> None:
    """The plan of a table that has grown, too: with figures SQLite might choose otherwise."""

    def grow(tx: Tx) -> Task:
        task = made(tx)
        for number in range(2000):
            run = task_runs.add(
                tx, task, AT + timedelta(minutes=number), RunReason.SCHEDULE, AT, status=RunStatus.MISSED
            )
            assert run
        tx.exec_driver_sql("ANALYZE")
        return task

    asyncio.run(store.write(grow))
    for name in ("what is open of a task", "the history of a task", "what runs of a task cost"):
        index, story = LOOKED_UP[name]
        assert f"INDEX {index} " in plans_of(store, story)[-1], name


async def test_a_calendar_and_a_list_show_the_first_of_a_long_result(home: Path) -> None:
    async with (
        started_host(home, model=ScriptedModel()) as host,
        TaskClient(Address(url=host.url, token=host.token)) as client,
    ):
        row = await client.add({"prompt": "send me the news " * 500, "when": "every monday 8:00"})
        long = "news " * 20_000

        def story(tx: Tx) -> None:
            task = tasks.get(tx, row.id)
            assert task
            for hours in (1, 2):
                run = task_runs.add(tx, task, now() - timedelta(hours=hours), RunReason.SCHEDULE, now())
                assert run
                task_runs.end(tx, run, RunStatus.SUCCESS, now(), result=long if hours == 1 else "short")

        await host.store.write(story)
        day = timedelta(days=1)
        calendar = await client.calendar(now() - day, now() + 8 * day)
        short, cut = (run.result or "" for run in calendar.runs)
        assert (short, cut) == ("short", f"{long[:2000]}…")
        assert all(len(title) < 100 for title in {each.title for each in calendar.runs})
        (listed,) = await client.all(10, over=False)
        assert listed.last_run
        assert listed.last_run.result in ("short", f"{long[:2000]}…")
        # All of it is there for who looks at the task itself.
        results = {run.result for run in await client.history(str(row.id), limit=10)}
        assert results == {"short", long}
