"""Brings a database to the schema that this program knows, or refuses with a reason."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from nanoclaw.domain.errors import BadWorkspace
from nanoclaw.durable import memory_words
from nanoclaw.durable.store import Store
from nanoclaw.durable.store_errors import translate
from nanoclaw.durable.tables import SCHEMA_VERSION, metadata

MIGRATIONS = Path(__file__).parent / "migrations"
_LOCK = 0x6E616E6F  # PostgreSQL's advisory lock: two hosts that start at once do not both migrate
# Every column of every table, in one query.
_COLUMNS = {
    "sqlite": "SELECT t.name, c.name FROM sqlite_schema AS t, pragma_table_info(t.name) AS c WHERE t.type = 'table'",
    "postgresql": (
        "SELECT c.relname, a.attname FROM pg_attribute AS a JOIN pg_class AS c ON c.oid = a.attrelid "
        "WHERE c.relnamespace = current_schema()::regnamespace AND a.attnum > 0 AND NOT a.attisdropped"
    ),
}

# For comparing a database with the code: the table of words belongs to each database.
COMPARED = {
    "include_name": lambda name, kind, _parents: kind != "table" or not memory_words.is_of_words(name)
}


def upgrade(store: Store) -> None:
    """Takes only two small queries if the schema is up to date."""
    with told(store.engine.begin) as tx:
        _alone(store, tx)
        version = version_of(tx)
        if version == SCHEMA_VERSION:
            _compare(tx)
            store.keep_to(SCHEMA_VERSION)
            return
    if version is not None and not list(MIGRATIONS.glob(f"versions/{version}_*.py")):
        raise BadWorkspace("schema-newer")
    with told(store.engine.begin) as tx:
        store.prepare_migration(tx)
    with told(store.engine.begin) as tx:
        _alone(store, tx)
        if version_of(tx) != SCHEMA_VERSION:
            store.begin_migration(tx)
            _migrate(tx)
        _compare(tx)
    store.keep_to(SCHEMA_VERSION)


def expect(store: Store) -> None:
    """For programs that only read: an empty database is created, another version is left to `up`."""
    with told(store.engine.connect) as tx:
        version = version_of(tx)
        if version == SCHEMA_VERSION:
            _compare(tx)
            return
    if version is not None:
        raise BadWorkspace("schema-other")
    upgrade(store)


@contextmanager
def told(connect: Callable[[], AbstractContextManager[sa.Connection]]) -> Iterator[sa.Connection]:
    """Translates the database's errors into ours."""
    try:
        with connect() as tx:
            yield tx
    except sa.exc.DBAPIError as error:
        translated = translate(error)
        if translated is None:
            raise
        raise translated from error


def version_of(tx: sa.Connection) -> str | None:
    """The newest migration in the database; None for an empty one."""
    if not sa.inspect(tx).has_table("alembic_version"):
        return None
    found: str | None = tx.exec_driver_sql("SELECT version_num FROM alembic_version").scalar()
    return found


def _alone(store: Store, tx: sa.Connection) -> None:
    """Lock until the transaction ends. Another host may be migrating, however long that takes."""
    if store.shared:
        tx.exec_driver_sql("SET LOCAL lock_timeout = 0")
        tx.exec_driver_sql("SET LOCAL statement_timeout = 0")
        tx.exec_driver_sql(f"SELECT pg_advisory_xact_lock({_LOCK})")


def _compare(tx: sa.Connection) -> None:
    """A version number is only a claim: a database that lacks a column would fail in the middle of someone's
    message.
    """
    found = {(table, column) for table, column in tx.exec_driver_sql(_COLUMNS[tx.dialect.name])}
    expected = {(table.name, column.name) for table in metadata.tables.values() for column in table.columns}
    if missing := sorted(expected - found):
        raise BadWorkspace(
            "schema-lacks", missing=", ".join(f"{table}.{column}" for table, column in missing)
        )


def _migrate(tx: sa.Connection) -> None:
    # Imported by name, because almost no start needs it.
    config = import_module("alembic.config").Config()
    config.set_main_option("script_location", str(MIGRATIONS))
    config.attributes["connection"] = tx
    command: Any = import_module("alembic.command")
    try:
        command.upgrade(config, "head")
    except import_module("alembic.util").CommandError as error:
        raise BadWorkspace("schema-newer") from error
