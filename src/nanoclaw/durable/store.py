"""The database: one transaction is one function that gets a connection. SQLite, or PostgreSQL for several hosts."""

import asyncio
import queue
import sqlite3
import threading
from collections.abc import Awaitable, Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Protocol, TypeVar

import sqlalchemy as sa

from nanoclaw.domain.errors import BadSettings, BadWorkspace, MissingExtra, StoreDamaged, StoreUnavailable

Tx = sa.Connection
T = TypeVar("T")

_GROUP = 64  # transactions that share one commit, at most
_READERS = 2
_POSTGRES_CONNECTIONS = 8
# Serialisation failure, deadlock, and a row that another wrote first: the loser tries again and finds it.
_CONFLICTS = {"40001", "40P01", "23505"}
_TRIES = 5


class Store(Protocol):
    """Where the truth is kept."""

    engine: sa.Engine

    @property
    def shared(self) -> bool:
        """Whether other hosts may use the same database."""

    async def write(self, story: Callable[[Tx], T]) -> T:
        """Run one transaction. All of it is on disk when this returns, or none of it and an error."""

    async def read(self, story: Callable[[Tx], T]) -> T: ...

    def close(self) -> None: ...


def open_store(url: str) -> Store:
    """Open the database that the URL names; the schema is the caller's business (`schema.upgrade`)."""
    try:
        backend = sa.make_url(url).get_backend_name()
    except (ValueError, sa.exc.ArgumentError) as error:
        raise BadSettings("database-url", said=str(error)) from error
    if backend == "sqlite":
        return SqliteStore(url)
    if find_spec("psycopg") is None:
        raise MissingExtra("missing-extra", extra="postgres")
    return PostgresStore(url)


async def insist(store: Store, story: Callable[[Tx], T], *, told: Callable[[StoreUnavailable], None]) -> T:
    """Write what must not be lost: while the database cannot take it (full disk, outage), wait and try again."""
    pause = 0.2
    while True:
        try:
            return await store.write(story)
        except StoreUnavailable as error:
            told(error)
            await asyncio.sleep(pause)
            pause = min(pause * 2, 10)


@dataclass(frozen=True, slots=True)
class _Job:
    story: Callable[[Tx], Any]
    done: Future[Any]


class SqliteStore:
    """One thread writes, so transactions never meet; those that wait share a commit, and with it one disk flush."""

    shared = False

    def __init__(self, url: str) -> None:
        self.engine = _sqlite_engine(url, "BEGIN IMMEDIATE", pool_size=1)
        self._reading = _sqlite_engine(url, "BEGIN", pool_size=_READERS)
        self._readers = ThreadPoolExecutor(_READERS, "store-read")
        self._jobs: queue.SimpleQueue[_Job | None] = queue.SimpleQueue()
        self._writer = threading.Thread(target=self._write_all, name="store-write", daemon=True)
        self._started = False

    async def write(self, story: Callable[[Tx], T]) -> T:
        if not self._started:
            self._started = True
            self._writer.start()
        job = _Job(story, Future())
        self._jobs.put(job)
        # Shielded: whoever stops waiting must not cancel what the writer is about to settle.
        return await _as_ours(asyncio.shield(asyncio.wrap_future(job.done)))

    async def read(self, story: Callable[[Tx], T]) -> T:
        return await _as_ours(
            asyncio.get_running_loop().run_in_executor(self._readers, _read, self._reading, story)
        )

    def close(self) -> None:
        if self._started:
            self._jobs.put(None)
            self._writer.join()
        self._readers.shutdown()
        self._reading.dispose()
        self.engine.dispose()

    def _write_all(self) -> None:
        while (job := self._jobs.get()) is not None:
            group = [job]
            while len(group) < _GROUP and not self._jobs.empty():
                following = self._jobs.get()
                if following is None:
                    self._jobs.put(None)
                    break
                group.append(following)
            self._commit(group)

    def _commit(self, group: list[_Job]) -> None:
        settle: list[Callable[[], None]]
        try:
            with self.engine.begin() as tx:
                settle = [_run_apart(tx, job) if len(group) > 1 else _run(tx, job) for job in group]
        except Exception as error:  # noqa: BLE001 - nothing is swallowed: everyone who waits gets it
            settle = [partial(job.done.set_exception, error) for job in group]
        for tell in settle:
            tell()


def _run(tx: Tx, job: _Job) -> Callable[[], None]:
    return partial(job.done.set_result, job.story(tx))


def _run_apart(tx: Tx, job: _Job) -> Callable[[], None]:
    """Within a group, one story's error undoes that story alone."""
    tx.exec_driver_sql("SAVEPOINT story")
    try:
        settled = _run(tx, job)
    except sa.exc.OperationalError:
        raise  # the disk, not the story: SQLite may have rolled back the whole transaction
    except Exception as error:  # noqa: BLE001 - nothing is swallowed: the one who waits gets it
        tx.exec_driver_sql("ROLLBACK TO story")
        settled = partial(job.done.set_exception, error)
    tx.exec_driver_sql("RELEASE story")
    return settled


class PostgresStore:
    """A small pool of connections, each used by one transaction at a time in a thread."""

    shared = True

    def __init__(self, url: str) -> None:
        address = sa.make_url(url).set(drivername="postgresql+psycopg")
        self.engine = sa.create_engine(address, pool_size=_POSTGRES_CONNECTIONS, max_overflow=0)
        self._threads = ThreadPoolExecutor(_POSTGRES_CONNECTIONS, "store")

    async def write(self, story: Callable[[Tx], T]) -> T:
        return await _as_ours(asyncio.get_running_loop().run_in_executor(self._threads, self._write, story))

    async def read(self, story: Callable[[Tx], T]) -> T:
        return await _as_ours(
            asyncio.get_running_loop().run_in_executor(self._threads, _read, self.engine, story)
        )

    def close(self) -> None:
        self._threads.shutdown()
        self.engine.dispose()

    def _write(self, story: Callable[[Tx], T]) -> T:
        for last in [*[False] * (_TRIES - 1), True]:
            try:
                with self.engine.begin() as tx:
                    return story(tx)
            except (sa.exc.OperationalError, sa.exc.IntegrityError) as error:
                if last or getattr(error.orig, "sqlstate", None) not in _CONFLICTS:
                    raise
        raise AssertionError("the last try returns or raises")


def _read(engine: sa.Engine, story: Callable[[Tx], T]) -> T:
    with engine.connect() as tx:
        return story(tx)


async def _as_ours(result: Awaitable[T]) -> T:
    """The database's own errors, in words that say what happens next."""
    try:
        return await result
    except sa.exc.DBAPIError as error:
        translated = translate(error)
        if translated is None:
            raise
        raise translated from error


def translate(error: sa.exc.DBAPIError) -> StoreDamaged | StoreUnavailable | None:
    """None for an error that is a fault of ours (a constraint, a wrong statement) and must be seen as such."""
    said = str(error.orig).strip()
    code = getattr(error.orig, "sqlite_errorname", None) or getattr(error.orig, "sqlstate", None) or ""
    if code in ("SQLITE_FULL", "53100"):
        return StoreUnavailable("disk-full")
    if code.startswith("SQLITE_READONLY"):
        return StoreUnavailable("store-read-only")
    if code in ("SQLITE_CORRUPT", "SQLITE_NOTADB"):
        return StoreDamaged("store-damaged", said=said)
    return StoreUnavailable("store-silent", said=said) if isinstance(error, sa.exc.OperationalError) else None


def _sqlite_engine(url: str, begin: str, *, pool_size: int) -> sa.Engine:
    path = sa.make_url(url).database
    if path:
        try:
            Path(path).parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            said = error.strerror or str(error)
            raise BadWorkspace("workspace-unwritable", folder=str(Path(path).parent), said=said) from error
    engine = sa.create_engine(
        url,
        poolclass=sa.pool.QueuePool,
        pool_size=pool_size,
        max_overflow=0,
        connect_args={"check_same_thread": False, "timeout": 30},
    )

    @sa.event.listens_for(engine, "connect")
    def _prepare(connection: sqlite3.Connection, _record: object) -> None:
        connection.isolation_level = None  # the driver's own guess of when to begin is too late for us
        # FULL: a message that was acknowledged survives a power cut too, not only a crash.
        for setting in ("journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON", "busy_timeout=30000"):
            connection.execute(f"PRAGMA {setting}")

    @sa.event.listens_for(engine, "begin")
    def _begin(connection: sa.Connection) -> None:
        connection.exec_driver_sql(begin)

    return engine
