"""What the host remembers about itself, by name: a hold after a restore, clock corrections."""

from datetime import datetime
from typing import Any

import sqlalchemy as sa

from nanoclaw.durable.store import Tx
from nanoclaw.durable.tables import notes

_GET = sa.select(notes.c.value).where(notes.c.key == sa.bindparam("of_key"))


def read(tx: Tx, key: str) -> Any:
    """None if nothing is remembered."""
    return tx.execute(_GET, {"of_key": key}).scalar()


def named(tx: Tx, beginning: str) -> dict[str, Any]:
    """Notes whose names begin like this."""
    wanted = sa.select(notes.c.key, notes.c.value).where(notes.c.key.startswith(beginning, autoescape=True))
    return {row.key: row.value for row in tx.execute(wanted)}


def write(tx: Tx, key: str, value: object, at: datetime) -> None:
    # Update in place if possible: others waiting for the row's lock must still find it.
    if not tx.execute(sa.update(notes).where(notes.c.key == key).values(value=value, at=at)).rowcount:
        tx.execute(sa.insert(notes).values(key=key, value=value, at=at))


def forget(tx: Tx, key: str) -> None:
    tx.execute(sa.delete(notes).where(notes.c.key == key))
