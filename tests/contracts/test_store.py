"""Every store keeps the same promises."""

import asyncio
import sqlite3
import threading
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from pathlib import Path

import pytest
import sqlalchemy as sa
from tests.staging import until

from nanoclaw.domain.errors import BadWorkspace, NanoClawError, StoreUnavailable
from nanoclaw.domain.news import ChatChanged
from nanoclaw.durable import people, schema
from nanoclaw.durable.after_commit import announce
from nanoclaw.durable.clock import now
from nanoclaw.durable.store import Store, Tx, insist, open_store
from nanoclaw.durable.tables import SCHEMA_VERSION, metadata


class TestStore:
    @pytest.fixture
    def store(self, database_url: str) -> Iterator[Store]:
        store = open_store(database_url)
        yield store
        store.close()

    async def test_what_was_written_is_read(self, store: Store) -> None:
        chat = await store.write(
            lambda tx: people.add_chat(tx, channel="web", address="a", title="A", at=now())
        )
        assert await store.read(lambda tx: people.chat(tx, chat.id)) == chat

    async def test_times_come_back_as_they_went_in(self, store: Store) -> None:
        at = now()
        await store.write(lambda tx: people.add_chat(tx, channel="web", address="a", title="A", at=at))
        stored = await store.read(lambda tx: tx.execute(sa.text("select created_at from chats")).scalar())
        assert stored is not None
        assert (
            await store.read(lambda tx: tx.execute(sa.select(metadata.tables["chats"].c.created_at)).scalar())
        ) == at

    async def test_a_failed_story_changes_nothing(self, store: Store) -> None:
        def story(tx: Tx) -> None:
            people.add_chat(tx, channel="web", address="a", title="A", at=now())
            raise NanoClawError("disk-full")

        with pytest.raises(NanoClawError):
            await store.write(story)
        assert await store.read(lambda tx: people.chat_at(tx, "web", "a")) is None

    async def test_one_failed_story_does_not_undo_those_written_with_it(self, store: Store) -> None:
        def write(number: int) -> Tx | None:
            def story(tx: Tx) -> None:
                people.add_chat(tx, channel="web", address=str(number), title="", at=now())
                if number % 3 == 0:
                    raise NanoClawError("disk-full")

            return story  # type: ignore[return-value]

        results = await asyncio.gather(*(store.write(write(n)) for n in range(30)), return_exceptions=True)  # type: ignore[arg-type]
        assert [isinstance(result, NanoClawError) for result in results] == [n % 3 == 0 for n in range(30)]
        kept = await store.read(lambda tx: {chat.address for chat, _ in people.chats_of(tx, ("web",))})
        assert kept == {str(n) for n in range(30) if n % 3}

    async def test_short_ones_at_once_and_others_keep_their_order_and_fail_alone(self, store: Store) -> None:
        ran: list[int] = []

        def write(number: int) -> Callable[[Tx], None]:
            def story(tx: Tx) -> None:
                ran.append(number)
                people.add_chat(tx, channel="web", address=str(number), title="", at=now())
                if number % 7 == 0:
                    raise NanoClawError("disk-full")

            return story

        async def some(numbers: range) -> None:
            for number in numbers:  # one after the other: whatever is at rest then is written at once
                with suppress(NanoClawError):
                    await store.write(write(number), at_once=True)

        numbers = range(100, 200)
        together = [store.write(write(number), at_once=number % 3 > 0) for number in numbers]
        results = (await asyncio.gather(some(range(1, 60)), *together, return_exceptions=True))[1:]
        assert [isinstance(result, NanoClawError) for result in results] == [n % 7 == 0 for n in numbers]
        kept = await store.read(lambda tx: {int(chat.address) for chat, _ in people.chats_of(tx, ("web",))})
        assert kept == {number for number in (*range(1, 60), *numbers) if number % 7}
        if not store.shared:
            assert [number for number in ran if number >= 100] == list(numbers)

    @pytest.mark.parametrize("error", [StopIteration, asyncio.CancelledError, SystemExit])
    async def test_whatever_a_story_raises_is_told_to_whoever_waits_and_ends_nothing_else(
        self, store: Store, error: type[BaseException]
    ) -> None:
        """A future takes no StopIteration, and a thread ends with what is no Exception: they would wait for ever."""

        def fails(_: Tx) -> None:
            raise error

        for tried in (
            store.write(fails),
            store.write(fails, at_once=True),
            store.write_along(fails, within=0.01),
            store.read(fails),
        ):
            with pytest.raises(RuntimeError, match=error.__name__):
                await asyncio.wait_for(tried, 60)
        assert await asyncio.wait_for(store.write(lambda _: "goes on"), 60) == "goes on"

    async def test_what_is_in_no_hurry_is_written_alone_if_nothing_takes_it_along(self, store: Store) -> None:
        chat = await store.write_along(
            lambda tx: people.add_chat(tx, channel="web", address="a", title="A", at=now()), within=0.01
        )
        assert await store.read(lambda tx: people.chat(tx, chat.id)) == chat

    @pytest.mark.parametrize("was_used", [True, False])
    async def test_what_comes_after_the_close_is_refused_at_once(
        self, database_url: str, *, was_used: bool
    ) -> None:
        """Insisting callers give up too; otherwise a stop would wait for them for ever."""
        store = open_store(database_url)
        if was_used:
            await store.write(lambda _: None)
        late = asyncio.create_task(store.write_along(lambda _: None, within=0.01))
        await asyncio.sleep(0)  # it is asked for
        store.close()
        with suppress(StoreUnavailable):  # SQLite still wrote it
            await asyncio.wait_for(late, 60)
        ran: list[str] = []
        for tried in (
            store.write(lambda _: ran.append("plain")),
            store.write(lambda _: ran.append("at once"), at_once=True),
            store.write_along(lambda _: ran.append("along"), within=0.01),
            insist(store, lambda _: ran.append("insisted"), told=lambda _: None),
        ):
            with pytest.raises(StoreUnavailable) as told:
                await asyncio.wait_for(tried, 60)
            assert told.value.key == "store-closed"
        assert ran == []

    async def test_a_wrong_statement_is_no_outage_and_fails_alone(self, store: Store) -> None:
        def wrong(tx: Tx) -> None:
            tx.exec_driver_sql("SELECT no_such_column FROM chats")

        def right(number: int) -> Callable[[Tx], object]:
            return lambda tx: people.add_chat(tx, channel="web", address=str(number), title="", at=now())

        stories = [wrong if number == 3 else right(number) for number in range(8)]
        results = await asyncio.gather(*map(store.write, stories), return_exceptions=True)
        failed = [result for result in results if isinstance(result, Exception)]
        assert [type(error) for error in failed] in (
            [sa.exc.OperationalError],
            [sa.exc.ProgrammingError],
        )
        with pytest.raises(sa.exc.DBAPIError):
            await store.write(wrong)
        with pytest.raises(sa.exc.DBAPIError):
            await store.read(wrong)
        assert store.condition.trouble is None

    async def test_whoever_stops_waiting_does_not_stop_the_store(self, store: Store) -> None:
        entered, go_on = threading.Event(), threading.Event()

        def slow(tx: Tx) -> None:
            entered.set()
            go_on.wait(10)

        waiting = asyncio.create_task(store.write(slow))
        await asyncio.to_thread(entered.wait, 10)
        waiting.cancel()
        await asyncio.gather(waiting, return_exceptions=True)
        go_on.set()
        async with asyncio.timeout(60):
            assert await store.write(lambda _: "still writing") == "still writing"

    async def test_a_database_of_another_version_is_left_to_the_host(self, store: Store) -> None:
        schema.expect(store)
        await store.write(lambda tx: tx.exec_driver_sql("UPDATE alembic_version SET version_num = '9999'"))
        with pytest.raises(BadWorkspace, match="schema-other"):
            schema.expect(store)

    async def test_nothing_is_written_once_a_newer_host_has_migrated(
        self, store: Store, database_url: str
    ) -> None:
        def add(tx: Tx) -> object:
            return people.add_chat(tx, channel="web", address="a", title="A", at=now())

        schema.upgrade(store)
        await asyncio.gather(*(store.write(lambda _: None) for _ in range(20)))
        newer = open_store(database_url)
        with newer.engine.begin() as tx:
            newer.begin_migration(tx)
            tx.exec_driver_sql("CREATE TABLE of_tomorrow (a INTEGER)")
            tx.exec_driver_sql("UPDATE alembic_version SET version_num = '9999'")
        for _ in range(20):  # whichever connection is taken
            with pytest.raises(StoreUnavailable):
                await store.write(add)
        assert store.condition.trouble is not None
        assert store.condition.trouble.key == "schema-foreign"
        assert await newer.read(lambda tx: people.chat_at(tx, "web", "a")) is None
        newer.close()

    async def test_a_second_upgrade_does_nothing(self, store: Store) -> None:
        schema.upgrade(store)
        assert await store.read(schema.version_of) == SCHEMA_VERSION

    async def test_migrations_make_exactly_the_tables_of_the_code(self, empty_database_url: str) -> None:
        from alembic.autogenerate import compare_metadata  # noqa: PLC0415 - half a second that no other test needs
        from alembic.migration import MigrationContext  # noqa: PLC0415

        def compare(tx: Tx) -> object:
            return compare_metadata(MigrationContext.configure(tx, opts=schema.COMPARED), metadata)

        store = open_store(empty_database_url)
        schema.upgrade(store)
        assert await store.read(compare) == []
        store.close()


async def test_on_sqlite_what_is_in_no_hurry_goes_with_a_transaction_that_takes_it_along(
    tmp_path: Path,
) -> None:
    store = open_store(f"sqlite:///{tmp_path / 'a.db'}")
    order: list[str] = []
    put_off = asyncio.create_task(store.write_along(lambda _: order.append("put off"), within=600))
    await asyncio.sleep(0)  # it is asked for
    await store.write(lambda _: order.append("hurried"))
    async with asyncio.timeout(60):
        await store.write(lambda _: order.append("taking it along"), takes_along=True)
        await put_off
    assert order == ["hurried", "taking it along", "put off"]

    late = asyncio.create_task(store.write_along(lambda _: order.append("late"), within=600))
    await asyncio.sleep(0)
    store.close()
    await late
    assert order[-1] == "late"


async def test_on_sqlite_a_short_one_runs_where_it_is_asked_for_and_waits_for_no_other_program(
    tmp_path: Path,
) -> None:
    """If another program writes, only the thread waits, and the event loop continues."""
    store = open_store(f"sqlite:///{tmp_path / 'a.db'}")
    await store.write(lambda _: None)
    here = threading.current_thread()
    await until(lambda: store.write(lambda _: threading.current_thread() is here, at_once=True))
    with closing(sqlite3.connect(tmp_path / "a.db", isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        waiting = asyncio.create_task(store.write(lambda _: threading.current_thread(), at_once=True))
        done, _ = await asyncio.wait([waiting], timeout=0.2)
        assert not done
        other.execute("COMMIT")
    assert await asyncio.wait_for(waiting, 60) is not here
    store.close()


async def test_on_sqlite_what_could_not_be_committed_is_told_to_whoever_wrote_it(tmp_path: Path) -> None:
    file = tmp_path / "a.db"
    store = open_store(f"sqlite:///{file}")
    told: list[str] = []
    store.after_commit.tells(lambda chat, _: told.append(chat))
    await store.write(lambda _: None)
    here = threading.current_thread()
    await until(lambda: store.write(lambda _: threading.current_thread() is here, at_once=True))
    file.unlink()

    def story(tx: Tx) -> None:
        announce(tx, "chat", ChatChanged("chat"))

    with pytest.raises(StoreUnavailable):
        await store.write(story, at_once=True)
    assert told == []
    store.close()


async def test_on_sqlite_nothing_of_a_commit_that_failed_is_left_open(tmp_path: Path) -> None:
    store = open_store(f"sqlite:///{tmp_path / 'a.db'}")
    with store.engine.begin() as tx:
        tx.exec_driver_sql("CREATE TABLE a (id INTEGER PRIMARY KEY)")
        tx.exec_driver_sql("CREATE TABLE b (a INTEGER REFERENCES a DEFERRABLE INITIALLY DEFERRED)")
    await store.write(lambda _: None)
    await _at_rest(store)
    with pytest.raises(sa.exc.IntegrityError):
        await store.write(lambda tx: tx.exec_driver_sql("INSERT INTO b VALUES (1)"), at_once=True)
    with closing(sqlite3.connect(tmp_path / "a.db", timeout=0, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        other.execute("COMMIT")
    await store.write(lambda tx: tx.exec_driver_sql("INSERT INTO a VALUES (1)"))
    assert await store.read(lambda tx: tx.exec_driver_sql("SELECT count(*) FROM b").scalar()) == 0
    store.close()


async def test_on_sqlite_damage_that_a_short_one_meets_is_told_as_such(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = open_store(f"sqlite:///{tmp_path / 'a.db'}")
    await store.write(lambda _: None)
    await _at_rest(store)
    damaged = tmp_path / "damaged.db"
    damaged.write_bytes(b"no database" * 1000)

    def begin(_: object) -> None:
        with closing(sqlite3.connect(damaged)) as other:
            other.execute("BEGIN IMMEDIATE")

    with monkeypatch.context() as patched:
        patched.setattr(store.engine.dialect, "do_begin", begin)
        with pytest.raises(StoreUnavailable) as told:
            await store.write(lambda _: None, at_once=True)
    assert told.value.key == "store-ill"
    assert store.condition.is_lasting
    store.close()


async def _at_rest(store: Store) -> None:
    """The next short one runs where it is asked for."""
    await until(lambda: not store._writer._is_busy)  # type: ignore[attr-defined]
