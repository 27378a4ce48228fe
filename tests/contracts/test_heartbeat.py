"""A host among others: it is given up when it was asleep, says nothing after that, and starts over; and hosts that
die during the same work make that work suspect."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime, timedelta

import pytest
import sqlalchemy as sa
from tests.staging import until

from nanoclaw.domain.errors import LeaseLost
from nanoclaw.domain.ids import HostId
from nanoclaw.durable import work
from nanoclaw.durable.clock import now
from nanoclaw.durable.engine import Engine
from nanoclaw.durable.store import Store, Tx, open_store
from nanoclaw.durable.tables import hosts
from nanoclaw.durable.tables import work as rows
from nanoclaw.durable.work import Claim, Suspect

pytestmark = pytest.mark.capability("L3", "O4")

KIND = "talk"


@dataclass
class Talk:
    """Work that says something when it is told to, if it still may."""

    engine: Engine
    kind: str = KIND
    at_once: int = 3
    said: list[str] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)
    begun: asyncio.Event = field(default_factory=asyncio.Event)
    speak: asyncio.Event = field(default_factory=asyncio.Event)

    def begin(self, _tx: Tx, claim: Claim) -> str:
        return claim.key

    async def run(self, job: str, claim: Claim) -> datetime | None:
        self.begun.set()
        with suppress(asyncio.CancelledError):  # as a call does that is under way
            await self.speak.wait()
        try:
            await self.engine.liveness.assure()
        except LeaseLost:
            self.refused.append(job)
            raise
        self.said.append(job)
        return await self.engine._store.write(lambda tx: work.finish(tx, claim))

    def look_again(self, key: str) -> None:
        pass


@pytest.fixture
async def store(database_url: str) -> AsyncIterator[Store]:
    opened = open_store(database_url)
    yield opened
    opened.close()


async def talking(store: Store, name: str, lifetime: float = 60) -> Talk:
    engine = Engine(store, HostId(f"h_{name}"), f"w_{name}", lifetime=lifetime)
    talk = Talk(engine=engine)
    engine.register(talk)
    await engine.start()
    return talk


async def test_a_host_that_was_given_up_says_nothing_and_starts_over(postgres_url: str) -> None:
    store = open_store(postgres_url)
    talk = await talking(store, "a")
    await store.write(lambda tx: work.due(tx, KIND, "chat", now()))
    await talk.begun.wait()
    # Asleep for longer than its lifetime: the others gave it up, and one of them has its work.
    await store.write(lambda tx: work.recover(tx, now() + timedelta(hours=1)))
    taken = await store.write(lambda tx: work.claim(tx, KIND, "chat", HostId("h_other"), now()))
    await store.write(
        lambda tx: work.enlist(tx, HostId("h_other"), "w_other", now(), now() + timedelta(hours=1))
    )
    assert taken is not None
    talk.engine.liveness.renewed(-1000)  # it wakes: the last beat is long ago
    talk.speak.set()
    async with asyncio.timeout(60):
        while not talk.refused:
            await asyncio.sleep(0.01)
        known = sa.select(sa.func.count()).select_from(hosts).where(hosts.c.workspace == "w_a")
        while not await store.read(lambda tx: tx.execute(known).scalar()):
            await asyncio.sleep(0.01)
    assert talk.said == []
    await store.write(lambda tx: work.finish(tx, taken))
    talk.begun.clear()
    await store.write(lambda tx: work.due(tx, KIND, "chat", now()))  # in its new life it works as before
    await until(lambda: talk.said)
    await talk.engine.stop(grace=1)
    store.close()


async def test_what_a_host_held_when_it_started_over_is_done_by_someone(postgres_url: str) -> None:
    """Nobody took it: else it would be held for ever by a host that does nothing about it."""
    store = open_store(postgres_url)
    talk = await talking(store, "a")
    await store.write(lambda tx: work.due(tx, KIND, "chat", now()))
    await talk.begun.wait()
    await store.write(lambda tx: tx.execute(sa.delete(hosts)))
    talk.engine.liveness.renewed(-1000)
    talk.speak.set()
    await until(lambda: talk.said)
    await talk.engine.stop(grace=1)
    store.close()


async def test_that_hosts_die_is_no_attempt_but_ten_of_them_make_the_work_suspect(store: Store) -> None:
    await store.write(lambda tx: work.due(tx, KIND, "chat", now()))
    await store.write(lambda tx: work.due(tx, work.LEASE, "bot", now()))
    found: list[Suspect] = []
    for number in range(12):
        host, at = HostId(f"h_{number}"), now() + timedelta(days=number)
        await store.write(lambda tx, host=host, at=at: work.enlist(tx, host, "w", at, at))  # type: ignore[misc]
        claim = await store.write(lambda tx, host=host, at=at: work.claim(tx, KIND, "chat", host, at))  # type: ignore[misc]
        lease = await store.write(lambda tx, host=host, at=at: work.claim(tx, work.LEASE, "bot", host, at))  # type: ignore[misc]
        assert claim is not None
        assert lease is not None
        assert claim.attempt == 1
        _, suspects = await store.write(lambda tx, at=at: work.recover(tx, at))  # type: ignore[misc]
        assert [each.deaths for each in suspects] == ([number + 1] if number >= 9 else [])
        found += suspects
    assert [each.rests for each in found] == [timedelta(minutes=minutes) for minutes in (1, 2, 4)]
    at = now() + timedelta(days=20)
    claim = await store.write(lambda tx: work.claim(tx, KIND, "chat", HostId("h_z"), at))
    assert claim is not None
    await store.write(lambda tx: work.finish(tx, claim, again_at=at))
    row = await store.read(lambda tx: tx.execute(sa.select(rows.c.deaths).where(rows.c.kind == KIND)).one())
    assert row.deaths == 0  # it got on
