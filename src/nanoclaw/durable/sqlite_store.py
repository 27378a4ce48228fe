"""SQLite: one thread writes, so transactions never collide; waiting ones share a commit, and with it one disk flush."""

import asyncio
import contextvars
import queue
import sqlite3
import threading
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import sqlalchemy as sa
import structlog

from nanoclaw.domain.errors import BadWorkspace, StoreUnavailable
from nanoclaw.durable import after_commit
from nanoclaw.durable.after_commit import AfterCommit, Collected
from nanoclaw.durable.database_file import DatabaseFile
from nanoclaw.durable.prepared import PreparedConnection, fetch, look
from nanoclaw.durable.store_errors import translate
from nanoclaw.durable.store_health import StoreHealth

log = structlog.get_logger("store")

T = TypeVar("T")

_GROUP = 64  # most transactions in one commit
_READERS = 2
_MB = 1024 * 1024
_LONG_WAL = 4 * _MB  # SQLite's own limit
_KEPT_WAL = _LONG_WAL - _MB // 8  # overwriting does not grow the file, which makes the flush twice as fast


@dataclass(frozen=True, eq=False, slots=True)
class _Job:
    story: Callable[[sa.Connection], Any]
    done: asyncio.Future[Any]
    context: contextvars.Context  # the caller's: what starts after the commit is logged as theirs

    def settle(self, end: Callable[[], None]) -> None:
        """On the caller's event loop, which may be gone."""
        with suppress(RuntimeError):
            self.done.get_loop().call_soon_threadsafe(end, context=self.context)

    def fail(self, error: Exception) -> None:
        if not self.done.done():
            self.done.set_exception(error)

    def succeed(self, after_commit: AfterCommit, collected: Collected, result: Any) -> None:
        try:
            after_commit.carry_out(collected)
        finally:
            if not self.done.done():  # else nobody waits for it any more
                self.done.set_result(result)


class SqliteStore:
    shared = False

    def __init__(self, url: str) -> None:
        path = sa.make_url(url).database
        self.condition = StoreHealth()
        self.after_commit = AfterCommit()
        self._file = _open_file(Path(path)) if path and path != ":memory:" else None
        self.engine = _sqlite_engine(url, "BEGIN IMMEDIATE", pool_size=2)  # the writer keeps one of them
        self._reading = _sqlite_engine(url, "BEGIN", pool_size=_READERS)
        self._readers = ThreadPoolExecutor(_READERS, "store-read")
        self._jobs: queue.SimpleQueue[_Job | None] = queue.SimpleQueue()
        self._put_off: dict[_Job, asyncio.TimerHandle] = {}  # until one of others takes them along
        self._writer = threading.Thread(target=self._write_all, name="store-write", daemon=True)
        self._writing: sa.Connection | None = None  # kept: opening one takes as long as five statements
        self._started = False
        self._marked = False  # whether this generation of the -wal has its number
        self._checkpoint_at = _LONG_WAL
        self._version: str | None = None
        self._cookie: int | None = None  # grows with every change of the schema

    async def write(self, story: Callable[[sa.Connection], T], *, takes_along: bool = False) -> T:
        job = self._job(story)
        self._jobs.put(job)
        if takes_along:
            for other in list(self._put_off):
                self._put(other)
        found: T = await job.done
        return found

    async def write_along(self, story: Callable[[sa.Connection], T], *, within: float) -> T:
        job = self._job(story)
        self._put_off[job] = asyncio.get_running_loop().call_later(within, self._put, job)
        found: T = await job.done
        return found

    def _job(self, story: Callable[[sa.Connection], Any]) -> _Job:
        if not self._started:
            self._started = True
            self._writer.start()
        return _Job(story, asyncio.get_running_loop().create_future(), contextvars.copy_context())

    def _put(self, job: _Job) -> None:
        self._put_off.pop(job).cancel()
        self._jobs.put(job)

    async def read(self, story: Callable[[sa.Connection], T]) -> T:
        reading: Awaitable[T] = asyncio.get_running_loop().run_in_executor(
            self._readers, _read, self._reading, story
        )
        try:
            return await reading
        except sa.exc.DBAPIError as error:
            raise self.condition.translated(error) from error

    async def examine(self, *, thoroughly: bool) -> None:
        """Whether the file exists and looks like a database; `thoroughly`: whether its pages are consistent."""
        if self._file is None:
            return
        try:
            self._file.check_shape()
            if thoroughly:
                await asyncio.to_thread(_check_pages, self._file.path)
        except StoreUnavailable as trouble:
            self.condition.refuse(trouble)

    def prepare_migration(self, tx: sa.Connection) -> None:
        """The number is written before any schema change: so a -wal begins with the schema of its file."""
        _mark(tx)

    def begin_migration(self, tx: sa.Connection) -> None:
        """Nothing: whoever else has the file open notices the schema change."""

    def keep_to(self, version: str) -> None:
        self._version = version

    def close(self) -> None:
        if self._started:
            for job in list(self._put_off):
                self._put(job)
            self._jobs.put(None)
            self._writer.join()
        self._readers.shutdown()
        self._reading.dispose()
        self.engine.dispose()
        if self._file:
            self._file.close()

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
            self._keep_wal_short()
        if self._marked:
            self._mark_end()
        self._disconnect()

    def _commit(self, group: list[_Job]) -> None:
        settle: list[Callable[[], None]]
        try:
            self.condition.check()
            tx = self._connected()
            with tx.begin():
                self._check_schema(tx)
                if not self._marked:
                    _mark(tx)
                settle = [self._run_apart(tx, job) if len(group) > 1 else self._run(tx, job) for job in group]
            self._marked = True
            self._check_place()
            self.condition.went_well()
        except Exception as error:  # noqa: BLE001 - nothing is swallowed: every waiter gets it
            self._disconnect()
            ours = self.condition.went_wrong(error)
            settle = [partial(job.fail, ours) for job in group]
        for job, end in zip(group, settle, strict=True):
            job.settle(end)

    def _connected(self) -> sa.Connection:
        """The writer's connection; a new one after an error."""
        if self._writing is None:
            self._writing = self.engine.connect()
        return self._writing

    def _disconnect(self) -> None:
        if self._writing is not None:
            self._writing.close()
            self._writing = None

    def _run(self, tx: sa.Connection, job: _Job) -> Callable[[], None]:
        result, collected = after_commit.run(tx, job.story)
        return partial(job.succeed, self.after_commit, collected, result)

    def _run_apart(self, tx: sa.Connection, job: _Job) -> Callable[[], None]:
        """Within a group, one story's error undoes that story alone."""
        fetch(tx, "SAVEPOINT story")
        try:
            settled = self._run(tx, job)
        except Exception as error:
            if isinstance(error, sa.exc.DBAPIError) and translate(error) is not None:
                raise  # the disk, not the story: SQLite may have rolled back the whole transaction
            fetch(tx, "ROLLBACK TO story")
            settled = partial(job.fail, error)
        fetch(tx, "RELEASE story")
        return settled

    def _check_schema(self, tx: sa.Connection) -> None:
        cookie = look(tx, "PRAGMA schema_version")
        if self._version is not None and cookie != self._cookie:
            found = tx.exec_driver_sql("SELECT version_num FROM alembic_version").scalar()
            self.condition.check_version(found, self._version)
        self._cookie = cookie

    def _check_place(self) -> None:
        """After the commit: what went into a file that nobody will find again was not stored."""
        try:
            if self._file:
                self._file.check_place()
        except StoreUnavailable as gone:
            self.condition.refuse(gone)
            raise

    def _keep_wal_short(self) -> None:
        """SQLite would do this in the middle of a commit, and without the number that ends a generation."""
        size = self._file.wal_size() if self._file else 0
        if size < _LONG_WAL < self._checkpoint_at:  # a new generation has begun
            self._checkpoint_at = _LONG_WAL
            self._marked = False
        if size < self._checkpoint_at or self.condition.is_lasting:
            return
        self._checkpoint_at = size + _LONG_WAL  # if a reader blocks it: not again after every commit
        self._mark_end()
        try:
            self._connected().connection.cursor().execute("PRAGMA wal_checkpoint(PASSIVE)")
        except (sqlite3.Error, sa.exc.DBAPIError) as error:
            log.warning("checkpoint put off", reason=error)
        self._marked = False

    def _mark_end(self) -> None:
        """A copy made while this generation was written has a different number from the file after it."""
        with suppress(sa.exc.DBAPIError):
            tx = self._connected()
            with tx.begin():
                _mark(tx)


def _mark(tx: sa.Connection) -> None:
    number = int(tx.exec_driver_sql("PRAGMA user_version").scalar_one())
    tx.exec_driver_sql(f"PRAGMA user_version = {number + 1}")


def _read(engine: sa.Engine, story: Callable[[sa.Connection], T]) -> T:
    with engine.connect() as tx:
        return story(tx)


def _check_pages(path: Path) -> None:
    """On a separate connection, since one in use reads its pages from memory."""
    try:
        with closing(sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True, timeout=5)) as fresh:
            found = fresh.execute("PRAGMA quick_check(1)").fetchone()[0]
    except sqlite3.DatabaseError as error:
        if not getattr(error, "sqlite_errorname", "").startswith(("SQLITE_CORRUPT", "SQLITE_NOTADB")):
            return  # busy or unavailable: whoever writes will notice
        found = str(error)
    if found != "ok":
        raise StoreUnavailable("store-ill", said=found)


def _open_file(path: Path) -> DatabaseFile:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        said = error.strerror or str(error)
        raise BadWorkspace("workspace-unwritable", folder=str(path.parent), said=said) from error
    try:
        file = DatabaseFile(path)
    except OSError as error:
        raise StoreUnavailable("store-silent", said=f"{path}: {error.strerror}") from error
    try:
        file.check_wal()
    except BaseException:
        file.close()
        raise
    return file


def _sqlite_engine(url: str, begin: str, *, pool_size: int) -> sa.Engine:
    engine = sa.create_engine(
        url,
        poolclass=sa.pool.QueuePool,
        pool_size=pool_size,
        max_overflow=0,
        hide_parameters=True,  # an error that repeats a row would put it into a log
        connect_args={"check_same_thread": False, "timeout": 30},
    )

    @sa.event.listens_for(engine, "connect")
    def _prepare(connection: sqlite3.Connection, _record: object) -> None:
        connection.isolation_level = None  # the driver's implicit BEGIN comes too late for us
        for setting in (
            "journal_mode=WAL",
            "synchronous=FULL",  # an acknowledged message survives a power cut too, not only a crash
            "foreign_keys=ON",
            "busy_timeout=30000",
            "wal_autocheckpoint=0",  # the writer does it
            f"journal_size_limit={_KEPT_WAL}",  # so that its length shows how much is in it
        ):
            connection.execute(f"PRAGMA {setting}")

    def do_begin(dbapi_connection: sa.PoolProxiedConnection) -> None:
        dbapi_connection.cursor().execute(begin)

    # Not as an event: with one, SQLAlchemy would look for listeners at every statement.
    engine.dialect.do_begin = do_begin  # type: ignore[method-assign]
    engine._connection_cls = PreparedConnection
    return engine
