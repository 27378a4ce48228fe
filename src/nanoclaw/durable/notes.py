"""What the host remembers about itself, by name: that it is held back after a restore, how its clock was corrected."""

from datetime import datetime
from typing import Any

import sqlalchemy as sa

from nanoclaw.durable.store import Tx
from nanoclaw.durable.tables import notes

_GET = sa.select(notes.c.value).where(notes.c.key == sa.bindparam("of_key"))


def read(tx: Tx, key: str) -> Any:
    """None when nothing is remembered."""
    return tx.execute(_GET, {"of_key": key}).scalar()


def write(tx: Tx, key: str, value: object, at: datetime) -> None:
    # In place, where it can be: whoever waits for the row must find it when its turn comes.
    if not tx.execute(sa.update(notes).where(notes.c.key == key).values(value=value, at=at)).rowcount:
        tx.execute(sa.insert(notes).values(key=key, value=value, at=at))


def forget(tx: Tx, key: str) -> None:
    tx.execute(sa.delete(notes).where(notes.c.key == key))
