"""The one writer of a SQLite database: transactions never collide; waiting ones share a commit, and with it
one disk flush.

A short transaction that comes while nothing else is written runs in the caller's thread, and only its commit
goes to the writer's thread. What follows finds its values in the same processor's cache, which saves a tenth
of a message's time.
"""

import asyncio
import contextvars
import sqlite3
import threading
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Any

import sqlalchemy as sa
import structlog

from nanoclaw.domain.errors import StoreUnavailable
from nanoclaw.durable import after_commit
from nanoclaw.durable.after_commit import AfterCommit, Collected
from nanoclaw.durable.database_file import DatabaseFile
from nanoclaw.durable.prepared import fetch, look
from nanoclaw.durable.store_errors import translate
from nanoclaw.durable.store_health import StoreHealth

log = structlog.get_logger("store")

_GROUP = 64  # most transactions in one commit
_MB = 1024 * 1024
LONG_WAL = 4 * _MB  # SQLite's own limit
BUSY = "PRAGMA busy_timeout=30000"  # milliseconds that a transaction waits for another program's
_NOT_BUSY = "PRAGMA busy_timeout=0"

End = Callable[[], None]


@dataclass(frozen=True, eq=False, slots=True)
class Job:
    story: Callable[[sa.Connection], Any]
    done: asyncio.Future[Any]
    context: contextvars.Context  # the caller's: what starts after the commit is logged as theirs

    def settle(self, end: End) -> None:
        """Runs on the caller's event loop, which may be gone."""
        with suppress(RuntimeError):
            self.done.get_loop().call_soon_threadsafe(end, context=self.context)

    def fail(self, error: Exception) -> None:
        if not self.done.done():
            self.done.set_exception(error)

    def succeed(self, after_commit: AfterCommit, collected: Collected, result: Any) -> None:
        try:
            after_commit.carry_out(collected)
        finally:
            if not self.done.done():  # otherwise nobody waits for it any more
                self.done.set_result(result)


@dataclass(frozen=True, eq=False, slots=True)
class _Begun:
    """A transaction that ran in the caller's thread, and is still to be committed."""

    transaction: sa.Transaction
    job: Job
    result: Any
    collected: Collected


class SqliteWriter:
    def __init__(
        self, engine: sa.Engine, file: DatabaseFile | None, condition: StoreHealth, after_commit: AfterCommit
    ) -> None:
        self.version: str | None = None  # of the schema; with another one nothing is written
        self._engine = engine
        self._file = file
        self._condition = condition
        self._after_commit = after_commit
        self._thread = threading.Thread(target=self._write_all, name="store-write", daemon=True)
        self._changed = threading.Condition()  # guards the next six
        self._jobs: deque[Job] = deque()
        self._begun: _Begun | None = None
        self._is_busy = False  # the thread uses the connection
        self._is_elsewhere = False  # a transaction in a caller's thread does
        self._is_started = False
        self._is_closed = False
        self._writing: sa.Connection | None = None  # kept: opening one takes as long as five statements
        self._marked = False  # whether this generation of the -wal has its number
        self._checkpoint_at = LONG_WAL
        self._cookie: int | None = None  # grows with every change of the schema

    def put(self, job: Job) -> None:
        """Runs on the caller's event loop."""
        with self._changed:
            if self._is_closed:  # the thread has ended, or ends without another look: it would wait for ever
                job.fail(StoreUnavailable("store-closed"))
                return
            self._jobs.append(job)
            self._changed.notify()
            if not self._is_started:
                self._is_started = True
                self._thread.start()

    def run_here(self, job: Job) -> bool:
        """Run it now and leave the commit to the thread. False if it must wait for the thread or another program."""
        with self._changed:
            if self._is_busy or self._is_elsewhere or self._begun or self._jobs:
                return False
            if (tx := self._writing) is None:
                return False
            self._is_elsewhere = True
        begun: _Begun | None = None
        try:
            if (transaction := _begin_unless_busy(tx)) is None:
                return False
            begun = self._run_in(tx, transaction, job)
        finally:
            with self._changed:
                self._is_elsewhere, self._begun = False, begun
                self._changed.notify()
        if begun:
            for act in begun.collected.meanwhile:
                act()
        return True

    def close(self) -> None:
        with self._changed:
            self._is_closed = True
            self._changed.notify()
        if self._is_started:
            self._thread.join()

    def _run_in(self, tx: sa.Connection, transaction: sa.Transaction, job: Job) -> _Begun | None:
        try:
            self._condition.check()
            self._prepare(tx)
            return _Begun(transaction, job, *after_commit.run(tx, job.story))
        except BaseException as error:
            with suppress(sa.exc.DBAPIError):
                transaction.rollback()
            self._disconnect()
            if not isinstance(error, Exception):
                raise
            job.settle(partial(job.fail, self._condition.went_wrong(error)))
            return None

    def _write_all(self) -> None:
        while True:
            with self._changed:
                self._is_busy = False
                self._changed.wait_for(self._has_work)
                self._is_busy = True
                begun, self._begun = self._begun, None
                group = [self._jobs.popleft() for _ in range(min(_GROUP, len(self._jobs)))]
            if begun:
                self._end(begun)
            if group:
                self._commit(group)
            if not (begun or group):
                break
            self._keep_wal_short()
        if self._marked:
            self._mark_end()
        self._disconnect()

    def _has_work(self) -> bool:
        return not self._is_elsewhere and bool(self._begun or self._jobs or self._is_closed)

    def _end(self, begun: _Begun) -> None:
        job = begun.job
        try:
            with begun.transaction:
                pass  # its end commits, or rolls back what could not be committed and may still be open
            self._went_well()
        except Exception as error:  # noqa: BLE001 - nothing is swallowed: the waiter gets it
            self._disconnect()
            job.settle(partial(job.fail, self._condition.went_wrong(error)))
        else:
            job.settle(partial(job.succeed, self._after_commit, begun.collected, begun.result))

    def _commit(self, group: list[Job]) -> None:
        ends: list[End]
        try:
            self._condition.check()
            tx = self._connected()
            with tx.begin():
                self._prepare(tx)
                ends = [self._run_apart(tx, job) if len(group) > 1 else self._run(tx, job) for job in group]
            self._went_well()
        except Exception as error:  # noqa: BLE001 - nothing is swallowed: every waiter gets it
            self._disconnect()
            ours = self._condition.went_wrong(error)
            ends = [partial(job.fail, ours) for job in group]
        for job, end in zip(group, ends, strict=True):
            job.settle(end)

    def _prepare(self, tx: sa.Connection) -> None:
        self._check_schema(tx)
        if not self._marked:
            mark(tx)

    def _went_well(self) -> None:
        self._marked = True
        self._check_place()
        self._condition.went_well()

    def _connected(self) -> sa.Connection:
        """The writer's connection; a new one after an error."""
        if self._writing is None:
            self._writing = self._engine.connect()
        return self._writing

    def _disconnect(self) -> None:
        if self._writing is not None:
            self._writing.close()
            self._writing = None

    def _run(self, tx: sa.Connection, job: Job) -> End:
        result, collected = after_commit.run(tx, job.story)
        return partial(job.succeed, self._after_commit, collected, result)

    def _run_apart(self, tx: sa.Connection, job: Job) -> End:
        """Run a story within a group, so that its error undoes that story alone."""
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
        if self.version is not None and cookie != self._cookie:
            found = tx.exec_driver_sql("SELECT version_num FROM alembic_version").scalar()
            self._condition.check_version(found, self.version)
        self._cookie = cookie

    def _check_place(self) -> None:
        """After the commit: what went into a file that nobody will find again was not stored."""
        try:
            if self._file:
                self._file.check_place()
        except StoreUnavailable as gone:
            self._condition.refuse(gone)
            raise

    def _keep_wal_short(self) -> None:
        """Checkpoint here: SQLite would do it in the middle of a commit, without the number that ends a
        generation.
        """
        size = self._file.wal_size() if self._file else 0
        if size < LONG_WAL < self._checkpoint_at:  # a new generation has begun
            self._checkpoint_at = LONG_WAL
            self._marked = False
        if size < self._checkpoint_at or self._condition.is_lasting:
            return
        self._checkpoint_at = size + LONG_WAL  # if a reader blocks it, do not try again after every commit
        self._mark_end()
        try:
            self._connected().connection.cursor().execute("PRAGMA wal_checkpoint(PASSIVE)")
        except (sqlite3.Error, sa.exc.DBAPIError) as error:
            log.warning("checkpoint put off", reason=error)
        self._marked = False

    def _mark_end(self) -> None:
        """Give the file a new number, so that a copy made while this generation was written differs from it."""
        with suppress(sa.exc.DBAPIError):
            tx = self._connected()
            with tx.begin():
                mark(tx)


def mark(tx: sa.Connection) -> None:
    """Set a new number for the file and its -wal."""
    number = int(tx.exec_driver_sql("PRAGMA user_version").scalar_one())
    tx.exec_driver_sql(f"PRAGMA user_version = {number + 1}")


def _begin_unless_busy(tx: sa.Connection) -> sa.Transaction | None:
    """None if another program writes right now and nobody here can wait for it. The thread reports worse trouble."""
    driver: Any = tx.connection.dbapi_connection
    driver.execute(_NOT_BUSY)
    try:
        return tx.begin()
    except sa.exc.DBAPIError:
        return None
    finally:
        driver.execute(BUSY)
