"""The pipeline of docs/examples: three steps of an agent with a human gate, written with continuations alone.

It goes on where it was when a host is killed between two steps, or stopped while a person thinks.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
import pipeline_story
import pytest
import sqlalchemy as sa
from tests.loaded import LOADED

import pipeline_rows
from nanoclaw.domain.people import LOCAL_OWNER
from nanoclaw.domain.turns import TurnRequest
from nanoclaw.durable import people, questions
from nanoclaw.durable.clock import now
from nanoclaw.durable.store import Store, Tx, open_store
from nanoclaw.durable.tables import parcels, turns
from nanoclaw.durable.tables import work as work_rows
from nanoclaw.host.host import Host
from nanoclaw.testing import ScriptedModel, started_host

pytestmark = pytest.mark.capability("A15", "E7")


def says(request: TurnRequest) -> list[str]:
    step = next(each for each in ("Polish", "Write", "Collect") if f"{each} " in request.prompt)
    return [f"{step} is done"]


@asynccontextmanager
async def host_at(home: Path, url: str) -> AsyncIterator[Host]:
    async with started_host(
        home, model=ScriptedModel(says), database={"url": url, "host_lifetime": 2}
    ) as host:
        yield host


async def _begin(home: Path, url: str) -> None:
    """A host that knows how to run turns and nothing of pipelines; it starts one, and works until it is killed."""
    async with host_at(home, url) as host:

        def story(tx: Tx) -> None:
            pipeline_rows.pipelines.metadata.create_all(tx)
            owner, chat = people.person_named(tx, LOCAL_OWNER), people.chat_at(tx, "web", "main")
            assert owner
            assert chat
            pipeline_story.start(tx, chat_id=chat.id, owner=owner.id, subject="otters", at=now())

        await host.store.write(story)
        await asyncio.Event().wait()


async def rows_of(store: Store, table: sa.Table) -> list[Any]:
    return await store.read(lambda tx: list(tx.execute(sa.select(table).order_by(*table.primary_key))))


async def is_so(store: Store, **wanted: object) -> bool:
    [row] = await rows_of(store, pipeline_rows.pipelines)
    return all(row._mapping[name] == value for name, value in wanted.items())


def join(host: Host) -> None:
    """As `host/host.py` would."""
    host.engine.register(
        pipeline_story.Pipelines(
            store=host.store, new_questions=host.question_parts.question_decisions.new_questions
        )
    )


async def test_a_pipeline_with_a_human_gate_goes_on_after_a_crash_between_its_steps(
    home: Path, postgres_url: str
) -> None:
    """On one database: `tests/crash` kills hosts in the middle of a run on both."""
    store = open_store(postgres_url)
    killed = LOADED.Process(target=begin, args=(home, postgres_url), daemon=True)
    killed.start()

    async def waits() -> bool:
        due = await rows_of(store, work_rows)
        return any((row.kind, row.host) == (pipeline_story.KIND, None) for row in due)

    async with asyncio.timeout(60):
        while not await waits():
            await asyncio.sleep(0.01)
    killed.kill()
    await asyncio.to_thread(killed.join, 60)
    assert [turn.state for turn in await rows_of(store, turns)] == ["answered"]
    assert await is_so(store, step=0, status="running")  # the answer is there, and nobody has taken it

    async with host_at(home, postgres_url) as host:
        join(host)
        async with asyncio.timeout(60):
            while not await is_so(store, step=pipeline_story.GATE):
                await asyncio.sleep(0.01)
    assert not [each for each in await rows_of(store, parcels) if each.text.endswith("is done")]

    async with host_at(home, postgres_url) as host:
        join(host)
        [question] = await host.store.read(questions.list_open)
        headers = {"Authorization": f"Bearer {host.token}"}
        async with httpx.AsyncClient(base_url=host.url, headers=headers, timeout=60) as page:
            decided = await page.post(f"/api/questions/{question.id}/decide", json={"option": "approve"})
            assert decided.is_success, decided.text
        async with asyncio.timeout(60):
            while not await is_so(store, status="done"):
                await asyncio.sleep(0.01)
    assert [each.text for each in await rows_of(store, parcels) if each.text.endswith("is done")] == [
        "Polish is done"
    ]
    ended = await rows_of(store, turns)
    assert len(ended) == 3
    assert "Polish this page: Write is done" in ended[-1].prompt
    assert {turn.then_kind for turn in ended} == {pipeline_story.KIND}
    store.close()


def begin(home: Path, url: str) -> None:
    asyncio.run(_begin(home, url))
