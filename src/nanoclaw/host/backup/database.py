"""Copies a database that hosts are using, from SQLite or PostgreSQL to one SQLite file, and back into PostgreSQL.

A backup always holds a SQLite file with the same tables, so that it can be restored to either.
"""

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

import sqlalchemy as sa

from nanoclaw.domain.errors import AlreadyRunning, BadWorkspace, Refused, StoreDamaged
from nanoclaw.durable import memory_words, schema
from nanoclaw.durable.store import open_store
from nanoclaw.durable.tables import SCHEMA_VERSION, metadata
from nanoclaw.host import outgoing
from nanoclaw.host.settings import database_file

_BATCH = 500  # rows in memory
_PATIENCE = 60.0  # seconds for a lock
_LIVE_HOSTS = "SELECT count(*) FROM hosts WHERE expires_at > now()"


@dataclass(frozen=True, kw_only=True)
class Copied:
    schema_version: str
    rows: dict[str, int]
    newest_message: str | None


class _AsWritten(sa.types.UserDefinedType[str]):
    """JSON as its raw text: decoded and encoded again, `null` and missing would become the same."""

    cache_ok = True

    def get_col_spec(self, **_more: Any) -> str:
        return "JSON"


def copy_out(url: str, target: Path) -> Copied:
    """A consistent snapshot, whatever is written meanwhile."""
    target.unlink(missing_ok=True)
    with told(target):
        target.touch(mode=0o600)
        if is_sqlite(url):
            _copy_sqlite(Path(database_file(url)), target)
        else:
            _copy_postgres(url, target)
        with closing(sqlite3.connect(target)) as copy:
            make_plain(copy)
            return look_at(copy)


def look_at(copy: sqlite3.Connection) -> Copied:
    """Counts the rows of a copy. Raises sqlite3.Error if it is not one of our databases."""
    names = [row[0] for row in copy.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
    rows = {
        name: int(copy.execute(f'SELECT count(*) FROM "{name}"').fetchone()[0])  # noqa: S608 - its own names
        for name in sorted(names)
        if not name.startswith("sqlite_") and not memory_words.is_of_words(name)
    }
    version = copy.execute("SELECT version_num FROM alembic_version").fetchone()
    newest = copy.execute("SELECT max(id) FROM messages").fetchone()[0]
    return Copied(schema_version=version[0] if version else "", rows=rows, newest_message=newest)


def make_plain(copy: sqlite3.Connection) -> None:
    """Make it one file, without a log or the marks of the workspace it came from."""
    copy.execute("PRAGMA journal_mode=DELETE")
    copy.execute("PRAGMA user_version=0")
    copy.commit()


def is_sqlite(url: str) -> bool:
    return url.startswith("sqlite")


def expect_no_hosts(url: str) -> None:
    """On PostgreSQL, refuse while hosts on other machines may use what would be replaced."""
    with _postgres(url) as engine, schema.told(engine.connect) as tx:
        if schema.version_of(tx) is not None and (count := tx.exec_driver_sql(_LIVE_HOSTS).scalar()):
            raise AlreadyRunning("restore-hosts", count=count)


def has_rows(url: str) -> bool:
    """Whether PostgreSQL holds anything that could be lost."""
    with _postgres(url) as engine, schema.told(engine.connect) as tx:
        if schema.version_of(tx) is None:
            return False
        return bool(tx.exec_driver_sql("SELECT count(*) FROM people").scalar())


def people_in(url: str) -> list[Sequence[str]]:
    """Handle, name, role and place of everybody that PostgreSQL knows."""
    with _postgres(url) as engine, schema.told(engine.connect) as tx:
        if schema.version_of(tx) is None:
            return []
        return [tuple(row) for each in outgoing.PEOPLE for row in tx.exec_driver_sql(each)]


def copy_in(copy: Path, url: str) -> None:
    """Replace everything in PostgreSQL in one transaction: all or nothing."""
    store = open_store(url)
    try:
        schema.upgrade(store)
    finally:
        store.close()
    source = sa.create_engine(f"sqlite:///{copy}")
    names = ", ".join(f'"{table.name}"' for table in metadata.sorted_tables)
    try:
        with _postgres(url) as engine, schema.told(engine.begin) as tx, source.connect() as rows:
            tx.exec_driver_sql("LOCK TABLE hosts IN ACCESS EXCLUSIVE MODE")  # no host can start any more
            if count := tx.exec_driver_sql(_LIVE_HOSTS).scalar():
                raise AlreadyRunning("restore-hosts", count=count)
            tx.exec_driver_sql(f"TRUNCATE {names}")
            for table in metadata.sorted_tables:
                _copy_rows(rows, tx, table)
                _go_on_counting(tx, table)
            memory_words.fill(tx)
    finally:
        source.dispose()


def _copy_sqlite(path: Path, target: Path) -> None:
    if not path.exists():
        raise Refused("backup-no-database", file=str(path))
    address = f"file:{quote(str(path))}?mode=rw"  # never creates one
    with (
        closing(sqlite3.connect(address, uri=True, timeout=_PATIENCE)) as source,
        closing(sqlite3.connect(target)) as copy,
    ):
        source.backup(copy)


def _copy_postgres(url: str, target: Path) -> None:
    into = sa.create_engine(f"sqlite:///{target}")
    try:
        with _postgres(url) as engine, schema.told(engine.connect) as fresh, into.begin() as tx:
            rows = fresh.execution_options(isolation_level="REPEATABLE READ", postgresql_readonly=True)
            version = schema.version_of(rows)
            if version != SCHEMA_VERSION:
                raise BadWorkspace("schema-other")
            metadata.create_all(tx)
            tx.exec_driver_sql("CREATE TABLE alembic_version (version_num VARCHAR(32) NOT NULL PRIMARY KEY)")
            tx.exec_driver_sql("INSERT INTO alembic_version VALUES (?)", (version,))
            for table in metadata.sorted_tables:
                _copy_rows(rows, tx, table)
            memory_words.fill(tx)
    finally:
        into.dispose()


def _copy_rows(source: sa.Connection, target: sa.Connection, table: sa.Table) -> None:
    to_postgres = target.dialect.name == "postgresql"
    fields = [_as_text(source, column) for column in table.columns]
    types = {each.name: _type_of(each) for each in table.columns}
    insert = sa.insert(sa.table(table.name, *(sa.column(name, kind) for name, kind in types.items())))
    found = source.execution_options(stream_results=True, yield_per=_BATCH).execute(sa.select(*fields))
    for part in found.mappings().partitions():
        target.execute(insert, [_sound(row) if to_postgres else dict(row) for row in part])


def _type_of(column: sa.Column[Any]) -> sa.types.TypeEngine[Any]:
    return _AsWritten() if isinstance(column.type, sa.JSON) else column.type


def _as_text(source: sa.Connection, column: sa.Column[Any]) -> sa.ColumnElement[Any]:
    if not isinstance(column.type, sa.JSON):
        return column
    kept: sa.ColumnElement[Any] = sa.type_coerce(column, sa.Text)
    return (sa.cast(column, sa.Text) if source.dialect.name == "postgresql" else kept).label(column.name)


def _sound(row: Any) -> dict[str, Any]:
    """PostgreSQL allows no NUL in text; SQLite does."""
    return {name: value.replace("\0", "") if isinstance(value, str) else value for name, value in row.items()}


def _go_on_counting(tx: sa.Connection, table: sa.Table) -> None:
    """Continue sequences after the last restored number."""
    column = table.autoincrement_column
    if column is None:
        return
    counter = sa.func.pg_get_serial_sequence(table.name, column.name)
    last = sa.select(sa.func.setval(counter, sa.func.max(column))).select_from(table)
    tx.execute(last.having(sa.func.max(column).is_not(None)))


@contextmanager
def _postgres(url: str) -> Iterator[sa.Engine]:
    """A separate connection: copying may take longer than any timeout of a host."""
    open_store(url).close()  # reports what is missing
    engine = sa.create_engine(
        sa.make_url(url).set(drivername="postgresql+psycopg"), poolclass=sa.pool.NullPool
    )
    try:
        yield engine
    finally:
        engine.dispose()


@contextmanager
def told(file: Path) -> Iterator[None]:
    """Turns SQLite's errors into sentences."""
    try:
        yield
    except sqlite3.Error as error:
        if getattr(error, "sqlite_errorname", "") == "SQLITE_FULL":
            raise Refused("backup-disk-full", file=str(file)) from error
        raise StoreDamaged("backup-database", said=str(error), file=str(file)) from error
