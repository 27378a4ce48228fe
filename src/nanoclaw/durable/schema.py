"""Bring a database to the schema that this program knows, or refuse with a reason."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from nanoclaw.domain.errors import BadWorkspace
from nanoclaw.durable.store import Store, translate
from nanoclaw.durable.tables import SCHEMA_VERSION

MIGRATIONS = Path(__file__).parent / "migrations"
_LOCK = 0x6E616E6F  # PostgreSQL's advisory lock: two hosts that start at once do not both migrate


def upgrade(store: Store) -> None:
    """Does nothing but one small query when the schema is up to date."""
    with told(store.engine.begin) as tx:
        if store.shared:
            tx.exec_driver_sql(f"SELECT pg_advisory_xact_lock({_LOCK})")
        if version_of(tx) != SCHEMA_VERSION:
            _migrate(tx)


def expect(store: Store) -> None:
    """For those who only look: an empty database is made ready, one of another version is left to `up`."""
    with told(store.engine.connect) as tx:
        version = version_of(tx)
    if version is None:
        upgrade(store)
    elif version != SCHEMA_VERSION:
        raise BadWorkspace("schema-other")


@contextmanager
def told(opening: Callable[[], AbstractContextManager[sa.Connection]]) -> Iterator[sa.Connection]:
    """The database's own errors as ours."""
    try:
        with opening() as tx:
            yield tx
    except sa.exc.DBAPIError as error:
        translated = translate(error)
        if translated is None:
            raise
        raise translated from error


def version_of(tx: sa.Connection) -> str | None:
    """The newest migration that the database has; None for an empty one."""
    if not sa.inspect(tx).has_table("alembic_version"):
        return None
    found: str | None = tx.exec_driver_sql("SELECT version_num FROM alembic_version").scalar()
    return found


def _migrate(tx: sa.Connection) -> None:
    # Loaded by name, since almost no start needs it.
    config = import_module("alembic.config").Config()
    config.set_main_option("script_location", str(MIGRATIONS))
    config.attributes["connection"] = tx
    command: Any = import_module("alembic.command")
    try:
        command.upgrade(config, "head")
    except import_module("alembic.util").CommandError as error:
        raise BadWorkspace("schema-newer") from error
