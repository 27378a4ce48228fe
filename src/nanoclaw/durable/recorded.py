"""What the rows of questions say was asked and written down, so that the companies' decisions can be compared."""

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass

import sqlalchemy as sa

from nanoclaw.durable.store import Tx
from nanoclaw.durable.tables import human_interactions

_BATCH = 500


@dataclass(frozen=True, kw_only=True, slots=True)
class Asked:
    """`genuine`: its hash is that of what was asked. `recorded`: it is in the company's decisions."""

    id: str
    company: str
    payload_hash: str
    genuine: bool
    recorded: bool


def every(tx: Tx) -> Iterator[Asked]:
    """In batches: what was asked may be long, and only its hash is needed."""
    table = human_interactions
    wanted = sa.select(
        table.c.id,
        table.c.company,
        table.c.payload,
        table.c.payload_hash,
        table.c.recorded_at.is_not(None).label("recorded"),
    )
    after = ""
    while rows := tx.execute(wanted.where(table.c.id > after).order_by(table.c.id).limit(_BATCH)).all():
        for row in rows:
            yield Asked(
                id=row.id,
                company=row.company,
                payload_hash=row.payload_hash,
                genuine=hashlib.sha256(str(row.payload).encode()).hexdigest() == row.payload_hash,
                recorded=row.recorded,
            )
        after = rows[-1].id
