"""The database's own errors in our words: an outage passes, damage does not, a wrong statement is a fault of ours."""

import sqlalchemy as sa

from nanoclaw.domain.errors import StoreDamaged, StoreUnavailable

# What SQLite says when the disk or another program is in the way. The rest (no such column) would be the same tomorrow.
_SQLITE_OUTAGES = (
    *("SQLITE_BUSY", "SQLITE_LOCKED", "SQLITE_IOERR", "SQLITE_CANTOPEN", "SQLITE_PROTOCOL"),
    *("SQLITE_NOMEM", "SQLITE_PERM", "SQLITE_INTERRUPT", "SQLITE_NOLFS"),
)
# PostgreSQL: connections, resources, an operator's hand or a time-out, the system, conflicts; a lock that was not had
# in time, a server that is read-only, a transaction that was left open.
_POSTGRES_OUTAGES = ("08", "53", "57", "58", "40", "55P03", "25006", "25P03")


def translate(error: sa.exc.DBAPIError) -> StoreDamaged | StoreUnavailable | None:
    """None for an error that is a fault of ours (a constraint, a wrong statement) and must be seen as such.

    Were it taken for an outage, whoever caused it would be asked to come again, and would cause it again, for ever.
    """
    said = str(error.orig).strip()
    code = getattr(error.orig, "sqlite_errorname", None) or getattr(error.orig, "sqlstate", None) or ""
    if code in (
        "SQLITE_FULL",
        "SQLITE_IOERR_SHMSIZE",
        "53100",
    ):  # the second: no room for the file that they share
        return StoreUnavailable("disk-full")
    if code.startswith("SQLITE_READONLY"):
        return StoreUnavailable("store-read-only")
    if code.startswith(("SQLITE_CORRUPT", "SQLITE_NOTADB")):
        return StoreDamaged("store-damaged", said=said)
    is_outage = (
        code.startswith((*_SQLITE_OUTAGES, *_POSTGRES_OUTAGES))
        if code
        else isinstance(error, sa.exc.OperationalError)  # PostgreSQL: there was no server to give a code
    )
    return StoreUnavailable("store-silent", said=said) if is_outage else None
