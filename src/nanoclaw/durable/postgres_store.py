"""PostgreSQL: a small pool of connections, each used by one transaction at a time. Nobody waits for ever."""

import asyncio
import os
import socket
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from functools import partial
from math import ceil
from typing import Any, TypeVar

import sqlalchemy as sa

from nanoclaw.domain.errors import StoreUnavailable
from nanoclaw.durable import after_commit, store_errors, tables
from nanoclaw.durable.after_commit import AfterCommit, Collected
from nanoclaw.durable.store_health import StoreHealth

T = TypeVar("T")

NAME = "nanoclaw"  # application name of the hosts' connections
_CONNECTIONS = 8
# Serialisation failure, deadlock, and a row that another wrote first: the loser retries and finds it.
_CONFLICTS = {"40001", "40P01", "23505"}
_TRIES = 5
_SEND_AWAY = sa.text(
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() "
    "AND application_name = :name AND usename = current_user AND pid <> pg_backend_pid()"
)


class PostgresStore:
    shared = True

    def __init__(self, url: str, timeout: float) -> None:
        """After `timeout` seconds, callers waiting for a transaction are told that the database does not answer."""
        self.condition = StoreHealth()
        self.after_commit = AfterCommit()
        self._timeout = timeout
        self._version: str | None = None
        self.engine = _engine(url, timeout)
        tables.tell_postgresql()
        sa.event.listen(self.engine, "connect", self._check_schema)
        self._threads = ThreadPoolExecutor(_CONNECTIONS, "store")

    async def write(
        self, story: Callable[[sa.Connection], T], *, takes_along: bool = False, at_once: bool = False
    ) -> T:
        self.condition.check()
        try:
            written: tuple[T, Collected] = await self._in_time(partial(self._write, story), self._carry_out)
        except (sa.exc.DBAPIError, StoreUnavailable) as error:
            raise self.condition.went_wrong(error) from error
        self.condition.went_well()
        return written[0]

    async def write_along(self, story: Callable[[sa.Connection], T], *, within: float) -> T:
        """Run it later and alone: the server lets transactions share a flush by itself."""
        await asyncio.sleep(within)
        return await self.write(story)

    async def read(self, story: Callable[[sa.Connection], T]) -> T:
        try:
            return await self._in_time(partial(self._read, story))
        except sa.exc.DBAPIError as error:
            raise self.condition.translated(error) from error

    async def examine(self, *, thoroughly: bool) -> None:
        """Nothing: the server looks after its own files."""

    def prepare_migration(self, tx: sa.Connection) -> None:
        """Nothing: a migration is one transaction."""

    def begin_migration(self, tx: sa.Connection) -> None:
        """Everyone else must reconnect, and so sees the new version once this has ended."""
        if sa.inspect(tx).has_table("alembic_version"):
            tx.exec_driver_sql("LOCK TABLE alembic_version IN ACCESS EXCLUSIVE MODE")
        tx.execute(_SEND_AWAY, {"name": NAME})

    def keep_to(self, version: str) -> None:
        self._version = version

    def close(self) -> None:
        self.condition.refuse(StoreUnavailable("store-closed"))
        self._threads.shutdown()
        self.engine.dispose()

    def _carry_out(self, done: "asyncio.Future[tuple[Any, Collected]]") -> None:
        if not done.cancelled() and done.exception() is None:
            self.after_commit.carry_out(done.result()[1])

    async def _in_time(
        self, act: Callable[["_TxConnection"], T], then: Callable[[asyncio.Future[T]], None] | None = None
    ) -> T:
        """`then` runs first when it is done, even if that is too late for the caller."""
        connection, loop = _TxConnection(), asyncio.get_running_loop()
        doing = loop.run_in_executor(self._threads, act, connection)
        if then:
            doing.add_done_callback(then)
        try:
            done, _ = await asyncio.wait((doing,), timeout=self._timeout)
        except asyncio.CancelledError:
            # It continues in its thread, as it may already be committed; but not for ever.
            loop.call_later(self._timeout, connection.cut)
            doing.add_done_callback(_heard)
            raise
        if done:
            return doing.result()
        connection.cut()
        doing.add_done_callback(_heard)
        raise StoreUnavailable("store-slow", seconds=round(self._timeout, 1))

    def _check_schema(self, connection: Any, _record: object) -> None:
        """Check the schema on each new connection. A migration closes the existing ones."""
        if self._version is None:
            return
        found = connection.execute("SELECT version_num FROM alembic_version").fetchone()
        connection.rollback()
        try:
            self.condition.check_version(found and found[0], self._version)
        except StoreUnavailable:
            connection.close()
            raise

    def _write(self, story: Callable[[sa.Connection], T], connection: "_TxConnection") -> tuple[T, Collected]:
        for last in [*[False] * (_TRIES - 1), True]:
            try:
                with self.engine.connect() as tx, connection.held(tx), tx.begin():
                    return after_commit.run(tx, story)
            except (sa.exc.OperationalError, sa.exc.IntegrityError) as error:
                if last or getattr(error.orig, "sqlstate", None) not in _CONFLICTS:
                    raise
        raise AssertionError("the last try returns or raises")

    def _read(self, story: Callable[[sa.Connection], T], connection: "_TxConnection") -> T:
        with self.engine.connect() as tx, connection.held(tx):
            try:
                return store_errors.run(tx, story)
            finally:
                tx.rollback()  # here, where it can be cut off, and not when the pool takes the connection back


class _TxConnection:
    """The connection of one transaction. If cut off, its thread returns with an error and is free for others."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._handle: int | None = None
        self._is_cut = False

    @contextmanager
    def held(self, tx: sa.Connection) -> Iterator[None]:
        driver: Any = tx.connection.driver_connection
        with self._lock:
            if self._is_cut:  # its turn came too late: nobody waits for it any more
                raise StoreUnavailable("store-silent", said="cut off")
            # A duplicate handle: the connection's own number could be someone else's by the time it is cut.
            self._handle = os.dup(driver.fileno())
        try:
            yield
        finally:
            with self._lock:
                os.close(self._handle)
                self._handle = None

    def cut(self) -> None:
        with self._lock:
            self._is_cut = True
            if self._handle is not None:
                with suppress(OSError), socket.socket(fileno=os.dup(self._handle)) as line:
                    line.shutdown(socket.SHUT_RDWR)


def _heard(done: asyncio.Future[Any]) -> None:
    """Nobody waits for it any more; retrieve its result so that asyncio does not warn."""
    if not done.cancelled():
        done.exception()


def _engine(url: str, timeout: float) -> sa.Engine:
    engine = sa.create_engine(
        sa.make_url(url).set(drivername="postgresql+psycopg"),
        pool_size=_CONNECTIONS,
        max_overflow=0,
        hide_parameters=True,  # as with SQLite
        connect_args={
            "application_name": NAME,
            "connect_timeout": max(2, ceil(timeout)),
            "keepalives_idle": ceil(timeout),
            "keepalives_interval": max(1, int(timeout / 3)),
            "keepalives_count": 3,
            "tcp_user_timeout": int(timeout * 1000),
        },
    )
    # On the server slightly sooner than here: then it has released its locks when we retry.
    patience = int(timeout * 900)
    limits = {
        "statement_timeout": patience,
        "lock_timeout": patience,
        "idle_in_transaction_session_timeout": patience * 2,
    }

    @sa.event.listens_for(engine, "connect")
    def _prepare(connection: Any, _record: object) -> None:
        connection.autocommit = True
        connection.execute(
            "SELECT " + ", ".join(f"set_config('{name}', '{value}', false)" for name, value in limits.items())
        )
        connection.autocommit = False

    return engine
