"""The database: a transaction is a function that gets a connection. SQLite, or PostgreSQL for several hosts."""

import asyncio
from collections.abc import Callable
from importlib.util import find_spec
from typing import Protocol, TypeVar

import sqlalchemy as sa

from nanoclaw.domain.errors import BadSettings, MissingExtra, StoreUnavailable
from nanoclaw.durable.after_commit import AfterCommit
from nanoclaw.durable.postgres_store import PostgresStore
from nanoclaw.durable.sqlite_store import SqliteStore
from nanoclaw.durable.store_health import StoreHealth

Tx = sa.Connection
T = TypeVar("T")


class Store(Protocol):
    """Where the truth is kept."""

    engine: sa.Engine
    condition: StoreHealth
    after_commit: AfterCommit

    @property
    def shared(self) -> bool:
        """Whether other hosts may use the same database."""

    async def write(self, story: Callable[[Tx], T], *, takes_along: bool = False, at_once: bool = False) -> T:
        """Run one transaction. When this returns, all of it is on disk; when it raises, none.

        What follows it (`after_commit`) is carried out before this returns, even if nobody waits any more.
        `takes_along`: nobody waits for it, so what `write_along` put off may share its commit. `at_once`: it is short,
        and a person waits for it, so it may run on the event loop if nothing else is written.
        """

    async def write_along(self, story: Callable[[Tx], T], *, within: float) -> T:
        """The same without hurry: together with a transaction that takes it along, or alone after so many seconds."""

    async def read(self, story: Callable[[Tx], T]) -> T: ...

    async def examine(self, *, thoroughly: bool) -> None:
        """Check what a transaction would not notice; findings are in `condition`."""

    def prepare_migration(self, tx: Tx) -> None:
        """Runs in a separate transaction, before the schema is changed."""

    def begin_migration(self, tx: Tx) -> None:
        """Runs in the transaction that changes the schema."""

    def keep_to(self, version: str) -> None:
        """Refuse to write from now on if the schema has another version: a newer host has changed it."""

    def close(self) -> None:
        """From now on a write is refused with StoreUnavailable: nobody waits for what nobody will do."""


def open_store(url: str, *, timeout: float = 10) -> Store:
    """Open the database at the URL; the caller takes care of the schema (`schema.upgrade`).

    `timeout` is for PostgreSQL: how many seconds a transaction may take.
    """
    try:
        backend = sa.make_url(url).get_backend_name()
    except (ValueError, sa.exc.ArgumentError) as error:
        raise BadSettings("database-url", said=str(error)) from error
    if backend == "sqlite":
        return SqliteStore(url)
    if find_spec("psycopg") is None:
        raise MissingExtra("missing-extra", extra="postgres")
    return PostgresStore(url, timeout)


async def insist(
    store: Store,
    story: Callable[[Tx], T],
    *,
    told: Callable[[StoreUnavailable], None],
    takes_along: bool = False,
    at_once: bool = False,
) -> T:
    """Write what must not be lost: while the database cannot take it (full disk, outage), wait and retry.
    Raises StoreUnavailable if it will take nothing before the next start, which continues from what is
    stored.
    """
    pause = 0.2
    while True:
        try:
            return await store.write(story, takes_along=takes_along, at_once=at_once)
        except StoreUnavailable as error:
            told(error)
            if store.condition.is_lasting:
                raise
            await asyncio.sleep(pause)
            pause = min(pause * 2, 10)
