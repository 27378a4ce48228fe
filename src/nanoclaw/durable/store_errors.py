"""Translates errors of transactions: an outage passes, damage does not, a wrong statement is our own bug."""

from collections.abc import Callable
from typing import TypeVar

import sqlalchemy as sa

from nanoclaw.domain.errors import StoreDamaged, StoreUnavailable

T = TypeVar("T")

# What SQLite says when the disk or another program interferes. The rest (no such column) would be the same tomorrow.
_SQLITE_OUTAGES = (
    *("SQLITE_BUSY", "SQLITE_LOCKED", "SQLITE_IOERR", "SQLITE_CANTOPEN", "SQLITE_PROTOCOL"),
    *("SQLITE_NOMEM", "SQLITE_PERM", "SQLITE_INTERRUPT", "SQLITE_NOLFS"),
)
# PostgreSQL: connections, resources, operator intervention or time-out, system errors, conflicts; a lock not available
# in time, a read-only server, a transaction left open.
_POSTGRES_OUTAGES = ("08", "53", "57", "58", "40", "55P03", "25006", "25P03")


def translate(error: sa.exc.DBAPIError) -> StoreDamaged | StoreUnavailable | None:
    """None for an error that is our own bug (a constraint, a wrong statement) and must be seen as such.

    Taken for an outage, it would be retried for ever.
    """
    said = str(error.orig).strip()
    code = getattr(error.orig, "sqlite_errorname", None) or getattr(error.orig, "sqlstate", None) or ""
    if code in (
        "SQLITE_FULL",
        "SQLITE_IOERR_SHMSIZE",
        "53100",
    ):  # the second: no space for the shared-memory file
        return StoreUnavailable("disk-full")
    if code.startswith("SQLITE_READONLY"):
        return StoreUnavailable("store-read-only")
    if code.startswith(("SQLITE_CORRUPT", "SQLITE_NOTADB")):
        return StoreDamaged("store-damaged", said=said)
    is_outage = (
        code.startswith((*_SQLITE_OUTAGES, *_POSTGRES_OUTAGES))
        if code
        else isinstance(error, sa.exc.OperationalError)  # PostgreSQL: no server was there to give a code
    )
    return StoreUnavailable("store-silent", said=said) if is_outage else None


def run(tx: sa.Connection, story: Callable[[sa.Connection], T]) -> T:
    """Run a transaction, perhaps in a thread. Every error reaches its waiter. A future does not accept a
    StopIteration; and what is not an Exception (a panic in a Rust library) would end the thread, or look
    as if the waiter were cancelled.
    """
    try:
        return story(tx)
    except BaseException as error:
        is_clear = isinstance(error, Exception) and not isinstance(error, StopIteration)
        if is_clear or isinstance(error, KeyboardInterrupt):
            raise
        raise RuntimeError(f"a transaction raised {type(error).__name__}") from error
