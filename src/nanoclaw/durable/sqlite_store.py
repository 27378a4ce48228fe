"""SQLite: one file, one writer, and readers that never wait for it."""

import asyncio
import contextvars
import json
import sqlite3
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import Any, TypeVar

import sqlalchemy as sa
from pydantic_core import to_json

from nanoclaw.domain.errors import BadWorkspace, StoreUnavailable
from nanoclaw.durable import store_errors
from nanoclaw.durable.after_commit import AfterCommit
from nanoclaw.durable.database_file import DatabaseFile
from nanoclaw.durable.prepared import PreparedConnection
from nanoclaw.durable.sqlite_writer import BUSY, LONG_WAL, Job, SqliteWriter, mark
from nanoclaw.durable.store_health import StoreHealth

T = TypeVar("T")

_READERS = 2
_KEPT_WAL = (
    LONG_WAL - LONG_WAL // 32
)  # overwriting does not grow the file, which makes the flush twice as fast


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
        self._writer = SqliteWriter(self.engine, self._file, self.condition, self.after_commit)
        self._put_off: dict[Job, asyncio.TimerHandle] = {}  # until another transaction takes them along

    async def write(
        self, story: Callable[[sa.Connection], T], *, takes_along: bool = False, at_once: bool = False
    ) -> T:
        job = _job(story)
        if not (at_once and self._writer.run_here(job)):
            self._writer.put(job)
        if takes_along:
            for other in list(self._put_off):
                self._put(other)
        found: T = await job.done
        return found

    async def write_along(self, story: Callable[[sa.Connection], T], *, within: float) -> T:
        job = _job(story)
        self._put_off[job] = asyncio.get_running_loop().call_later(within, self._put, job)
        found: T = await job.done
        return found

    def _put(self, job: Job) -> None:
        self._put_off.pop(job).cancel()
        self._writer.put(job)

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
        """The number is written before any schema change, so that a -wal begins with the schema of its file."""
        mark(tx)

    def begin_migration(self, tx: sa.Connection) -> None:
        """Nothing: other programs that have the file open notice the schema change."""

    def keep_to(self, version: str) -> None:
        self._writer.version = version

    def close(self) -> None:
        for job in list(self._put_off):
            self._put(job)
        self._writer.close()
        self.condition.refuse(StoreUnavailable("store-closed"))
        self._readers.shutdown()
        self._reading.dispose()
        self.engine.dispose()
        if self._file:
            self._file.close()


def _job(story: Callable[[sa.Connection], Any]) -> Job:
    return Job(story, asyncio.get_running_loop().create_future(), contextvars.copy_context())


def _read(engine: sa.Engine, story: Callable[[sa.Connection], T]) -> T:
    with engine.connect() as tx:
        return store_errors.run(tx, story)


def _check_pages(path: Path) -> None:
    """On a separate connection, since one in use reads its pages from memory."""
    try:
        with closing(sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True, timeout=5)) as fresh:
            found = fresh.execute("PRAGMA quick_check(1)").fetchone()[0]
    except sqlite3.DatabaseError as error:
        if not getattr(error, "sqlite_errorname", "").startswith(("SQLITE_CORRUPT", "SQLITE_NOTADB")):
            return  # busy or unavailable: the writer will notice
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


def _as_json(value: Any) -> str:
    """Every message writes a dozen of these, and the standard library takes four times as long."""
    try:
        return to_json(value, inf_nan_mode="constants").decode()
    except ValueError:  # an unpaired surrogate, which only the standard library can write
        return json.dumps(value)


def _sqlite_engine(url: str, begin: str, *, pool_size: int) -> sa.Engine:
    engine = sa.create_engine(
        url,
        poolclass=sa.pool.QueuePool,
        pool_size=pool_size,
        max_overflow=0,
        json_serializer=_as_json,
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
            "wal_autocheckpoint=0",  # the writer does it
            f"journal_size_limit={_KEPT_WAL}",  # so that its length shows how much is in it
        ):
            connection.execute(f"PRAGMA {setting}")
        connection.execute(BUSY)

    def do_begin(dbapi_connection: sa.PoolProxiedConnection) -> None:
        dbapi_connection.cursor().execute(begin)

    # Not as an event: with one, SQLAlchemy would look for listeners at every statement.
    engine.dialect.do_begin = do_begin  # type: ignore[method-assign]
    engine._connection_cls = PreparedConnection
    return engine
