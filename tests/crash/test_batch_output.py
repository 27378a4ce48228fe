"""The host is killed while it schedules the texts of a batch, and while they go out: each is said once."""

import asyncio
from datetime import timedelta
from pathlib import Path

import pytest
import sqlalchemy as sa
from tests.batch_scene import Written, actor, write_batch
from tests.crash.program import Program

from nanoclaw.domain.people import Role
from nanoclaw.durable import batches, people, stored_texts, wirings, work
from nanoclaw.durable.batch_tables import batch_items
from nanoclaw.durable.clock import now
from nanoclaw.durable.store import Tx, open_store
from nanoclaw.durable.tables import scheduled_tasks
from nanoclaw.testing import FarEnd, started_host

pytestmark = pytest.mark.capability("I1", "I2", "F1")

COUNT = 900
DUE = 60


async def test_each_text_has_one_task_and_is_said_once(home: Path, database_url: str) -> None:
    async with FarEnd() as far_end:
        settings = {"DATABASE_URL": database_url, "SCRIPTED_URL": far_end.url, "DATABASE_HOST_LIFETIME": "2"}
        database, scripted = {"url": database_url, "host_lifetime": 2}, {"url": far_end.url}
        async with started_host(home, database=database, scripted=scripted) as host:
            await host.store.write(_meet)
            batch = await write_batch(
                host, *(f"Text {number}" for number in range(COUNT)), owner="scripted:tester", chat=_chat
            )
            schedule = host.batch_output_parts.schedule
        store = open_store(database_url)
        # The person has said yes, and the host was killed before the lots after the first.
        await store.write(lambda tx: schedule.plan(tx, batch.id, actor(tx, "scripted:tester"), now()))
        program = Program(home, **settings)
        await program.start()
        async with asyncio.timeout(60):
            while not await store.read(lambda tx: _planned(tx, batch) > 200):
                await asyncio.sleep(0.002)
        await program.die()
        async with started_host(home, database=database, scripted=scripted):
            async with asyncio.timeout(60):
                while await store.read(lambda tx: _left(tx, batch)):
                    await asyncio.sleep(0.01)
        waiting = await store.read(lambda tx: stored_texts.of_batch(tx, batch.id, 100_000))
        assert [task.stored_text for task in waiting] == [f"Text {number}" for number in range(COUNT)]
        assert len({task.next_run_at for task in waiting}) == COUNT
        assert await store.read(lambda tx: _planned(tx, batch)) == COUNT

        # The first sixty are due, and the host dies in the middle of saying them.
        due = [task.id for task in waiting[:DUE]]
        await store.write(lambda tx: _come_due(tx, due))
        await program.start()
        await far_end.wait_for("chat", 5)
        await program.die()
        async with started_host(home, database=database, scripted=scripted):
            await far_end.wait_for("chat", DUE)
            await far_end.say("chat", "/tasks")
            said = await far_end.wait_for("chat", DUE + 1)
        assert sorted(said[:DUE]) == sorted(f"Text {number}" for number in range(DUE))
        store.close()


def _meet(tx: Tx) -> None:
    people.add_person(tx, handle="scripted:tester", name="tester", role=Role.OWNER, at=now())
    chat = people.add_chat(tx, channel="scripted", address="chat", title="chat", at=now())
    wirings.wire(tx, chat.id, chat.kind, "main", now())


def _chat(tx: Tx) -> str:
    found = people.chat_at(tx, "scripted", "chat")
    assert found
    return found.id


def _planned(tx: Tx, batch: Written) -> int:
    these = sa.and_(batch_items.c.batch_id == batch.id, batch_items.c.task_id.is_not(None))
    return int(tx.execute(sa.select(sa.func.count()).select_from(batch_items).where(these)).scalar_one())


def _left(tx: Tx, batch: Written) -> int:
    found = batches.get(tx, batch.id)
    assert found
    assert found.plan
    return int(found.plan["schedule"]["left"])


def _come_due(tx: Tx, numbers: list[int]) -> None:
    at = now() - timedelta(seconds=1)
    mark = sa.update(scheduled_tasks).where(scheduled_tasks.c.id.in_(numbers))
    tx.execute(mark.values(next_run_at=at, schedule_value=at.isoformat()))
    for number in numbers:
        work.due(tx, work.TASK, str(number), at)
