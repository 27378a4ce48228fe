"""The clock is set, while a host runs and while none does: nothing waits longer for that, and order stays order."""

from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path

import pytest
import sqlalchemy as sa

from nanoclaw.delivery import outbox
from nanoclaw.domain import ids
from nanoclaw.domain.ids import HostId, new_id
from nanoclaw.domain.parcels import Author
from nanoclaw.durable import clock, clock_check, notes, people, session_queue, sessions, timeline, work
from nanoclaw.durable.clock import ClockWatch, now
from nanoclaw.durable.engine import Engine
from nanoclaw.durable.store import Store, Tx, open_store
from nanoclaw.durable.tables import messages as message_rows
from nanoclaw.durable.tables import turns
from nanoclaw.durable.tables import work as rows
from nanoclaw.durable.timeline import Event
from nanoclaw.testing import made_database

pytestmark = pytest.mark.capability("L3", "A15")

HOUR = timedelta(hours=1)


@pytest.fixture
async def store(database_url: str) -> AsyncIterator[Store]:
    opened = open_store(database_url)
    yield opened
    opened.close()


async def due(store: Store, kind: str = work.DELIVERY) -> timedelta:
    """In how much time the only piece of work of a kind is due."""
    moment = await store.read(
        lambda tx: tx.execute(sa.select(rows.c.due_at).where(rows.c.kind == kind)).scalar()
    )
    assert moment is not None
    return timedelta(seconds=(moment - now()).total_seconds())


@pytest.mark.parametrize("by", [-HOUR, HOUR], ids=["back", "forward"])
async def test_what_waits_is_due_in_as_much_time_as_before(store: Store, by: timedelta) -> None:
    engine = Engine(store, HostId("h"), "w")
    at = now() + timedelta(minutes=10)
    kinds = (work.DELIVERY, work.TURN, work.FILES, work.WAKE, work.COMMAND, work.PLAN, work.LIVE_SESSION)
    for kind in kinds:
        await store.write(lambda tx, kind=kind: work.due(tx, kind, "key", at + by))  # type: ignore[misc]
    await engine.start()
    await engine.clock_moved(-by)
    for kind in kinds:
        assert timedelta(minutes=9) < await due(store, kind) < timedelta(minutes=11)
    await engine.stop(grace=0)


async def test_a_clock_that_was_set_while_no_host_ran_is_noticed_within_one_start_of_the_machine(
    tmp_path: Path,
) -> None:
    """Both ways: by the clock that nobody can set, and the name of this start of the machine."""
    store = open_store(made_database(tmp_path / "store.db"))
    for by in (-HOUR, 2 * HOUR):
        apart = ClockWatch().apart - by.total_seconds()
        known = {"boot": clock.boot_id(), "apart": apart, "times": 0}
        await store.write(lambda tx, known=known: notes.write(tx, "clock", known, now()))  # type: ignore[misc]
        at = now() + timedelta(minutes=10) - by
        await store.write(lambda tx: tx.execute(sa.delete(rows)))
        await store.write(lambda tx, at=at: work.due(tx, work.DELIVERY, "chat", at))  # type: ignore[misc]
        engine = Engine(store, HostId("h"), "w")
        await engine.start()
        assert timedelta(minutes=9) < await due(store) < timedelta(minutes=11)
        await engine.stop(grace=0)
    store.close()


async def test_after_a_new_start_of_the_machine_a_clock_behind_what_was_written_is_noticed(
    store: Store,
) -> None:
    last = now() + HOUR
    await store.write(lambda tx: timeline.note(tx, "m_1", Event.RECEIVED, last))
    await store.write(lambda tx: work.due(tx, work.DELIVERY, "chat", last + timedelta(minutes=10)))
    engine = Engine(store, HostId("h"), "w")
    await engine.start()
    assert timedelta(minutes=9) < await due(store) < timedelta(minutes=11)
    await engine.stop(grace=0)


async def test_new_ids_sort_after_all_that_are_stored(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ids, "_sequence", ids._Sequence())
    ids.follow_clock(lambda: 4_000_000_000.0)  # the clock was far ahead
    ahead = new_id("m")
    await store.write(lambda tx: timeline.note(tx, ahead, Event.RECEIVED, now()))
    monkeypatch.setattr(ids, "_sequence", ids._Sequence())  # the next start, with the clock set right
    assert new_id("m") < ahead
    await store.write(clock_check.go_on_after_newest)
    made = [new_id("m") for _ in range(1000)]
    assert made == sorted(made)
    assert made[0] > ahead
    assert len(set(made)) == 1000


async def test_parcels_go_out_in_the_order_of_the_database(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever the clocks of the hosts said when they were posted."""
    monkeypatch.setattr(ids, "_sequence", ids._Sequence())
    chat = await store.write(lambda tx: people.add_chat(tx, channel="x", address="1", title="x", at=now()))

    def post(tx: Tx, text: str) -> None:
        outbox.post(tx, chat_id=chat.id, thread=None, author=Author.HOST, text=text, at=now())

    ids.follow_clock(lambda: 4_000_000_000.0)
    await store.write(lambda tx: post(tx, "first"))
    monkeypatch.setattr(ids, "_sequence", ids._Sequence())
    await store.write(lambda tx: post(tx, "second"))
    found = await store.read(lambda tx: outbox.next_for(tx, chat.id))
    assert found is not None
    assert found.text == "first"


async def test_a_turn_after_a_stop_is_not_stopped_by_it_though_the_clock_was_set_back(store: Store) -> None:
    chat = await store.write(lambda tx: people.add_chat(tx, channel="x", address="1", title="x", at=now()))
    session = await store.write(lambda tx: sessions.find_or_open(tx, "main", chat.id, None, now()))
    await store.write(lambda tx: sessions.stop(tx, session.id, now() + HOUR))
    stopped = await store.read(lambda tx: sessions.get(tx, session.id))
    later = await store.write(lambda tx: session_queue.begin_turn(tx, session, [], now()))
    assert stopped.stopped_by is not None
    assert stopped.stopped_by < later
    assert await store.read(lambda tx: tx.execute(sa.select(turns.c.id)).scalar()) == later
    assert not await store.read(lambda tx: tx.execute(sa.select(message_rows.c.id)).all())
