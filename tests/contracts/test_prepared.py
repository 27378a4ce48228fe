"""A statement that is run repeatedly always does what it did the first time."""

from collections.abc import Iterator

import pytest
import sqlalchemy as sa

from nanoclaw.domain.ids import new_id
from nanoclaw.durable.clock import now
from nanoclaw.durable.store import Store, Tx, open_store
from nanoclaw.durable.tables import timeline

AT = now()
TIMES = range(3)  # the first goes another way than the others
INSERT = sa.insert(timeline)
OF = sa.select(timeline).where(timeline.c.subject == sa.bindparam("subject")).order_by(timeline.c.id)
KNOWN = OF.where(timeline.c.event.in_(("received", "queued")))
AMONG = sa.select(timeline.c.event).where(timeline.c.event.in_(sa.bindparam("events", expanding=True)))
RENAME = sa.update(timeline).where(timeline.c.subject == sa.bindparam("of"))
TAKE = sa.delete(timeline).where(timeline.c.id == sa.bindparam("step")).returning(timeline.c.event)


def step(event: str, subject: str = "m_1") -> dict[str, object]:
    return {"id": new_id("e"), "subject": subject, "at": AT, "event": event, "detail": {"of": [event, None]}}


class TestPrepared:
    @pytest.fixture
    def store(self, database_url: str) -> Iterator[Store]:
        store = open_store(database_url)
        yield store
        store.close()

    async def test_rows_come_back_with_their_types(self, store: Store) -> None:
        written = [step("received"), step("queued"), step("other")]

        def story(tx: Tx) -> None:
            for each in written:
                tx.execute(INSERT, each)
            for _ in TIMES:
                rows = tx.execute(OF, {"subject": "m_1"}).all()
                assert [row._asdict() for row in rows] == written
                assert [row.event for row in tx.execute(KNOWN, {"subject": "m_1"})] == ["received", "queued"]
                assert tx.execute(OF, {"subject": "m_2"}).first() is None

        await store.write(story)

    async def test_several_rows_are_written_at_once(self, store: Store) -> None:
        def story(tx: Tx) -> None:
            for number in TIMES:
                tx.execute(INSERT, [step("received", f"m_{number}"), step("queued", f"m_{number}")])
                assert len(tx.execute(OF, {"subject": f"m_{number}"}).all()) == 2

        await store.write(story)

    async def test_a_list_may_have_another_length_each_time(self, store: Store) -> None:
        def story(tx: Tx) -> None:
            tx.execute(INSERT, [step("received"), step("queued"), step("other")])
            for events in (["received"], ["received", "queued"], ["queued", "received", "other"]):
                assert set(tx.execute(AMONG, {"events": events}).scalars()) == set(events)

        await store.write(story)

    async def test_it_is_told_how_many_rows_were_changed(self, store: Store) -> None:
        def story(tx: Tx) -> None:
            rows = [step("received"), step("queued")]
            tx.execute(INSERT, rows)
            for _ in TIMES:
                assert tx.execute(RENAME, {"of": "m_1", "event": "kept"}).rowcount == 2
                assert tx.execute(RENAME, {"of": "m_2", "event": "kept", "detail": {}}).rowcount == 0
            for row in rows:
                assert tx.execute(TAKE, {"step": row["id"]}).scalar_one() == "kept"
            assert tx.execute(TAKE, {"step": "e_none"}).scalar() is None

        await store.write(story)

    async def test_a_row_that_is_there_already_is_an_error_each_time(self, store: Store) -> None:
        row = step("received")
        await store.write(lambda tx: tx.execute(INSERT, row) and None)
        for _ in TIMES:
            with pytest.raises(sa.exc.IntegrityError):
                await store.write(lambda tx: tx.execute(INSERT, row) and None)
        assert len(await store.read(lambda tx: tx.execute(OF, {"subject": "m_1"}).all())) == 1

    async def test_what_cannot_be_stored_and_what_is_missing_are_errors_each_time(self, store: Store) -> None:
        unzoned = step("received") | {"at": AT.replace(tzinfo=None)}
        await store.write(lambda tx: tx.execute(INSERT, step("received")) and None)
        for _ in TIMES:
            with pytest.raises(sa.exc.StatementError):
                await store.write(lambda tx: tx.execute(INSERT, unzoned) and None)
            with pytest.raises(sa.exc.StatementError):
                await store.write(lambda tx: tx.execute(RENAME, {"event": "kept"}) and None)
