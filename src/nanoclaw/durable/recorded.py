"""What the rows of questions say was asked and written down, so that the companies' decisions can be compared."""

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import sqlalchemy as sa

from nanoclaw.domain.questions import Status
from nanoclaw.durable.store import Tx
from nanoclaw.durable.tables import human_interactions

_BATCH = 500


@dataclass(frozen=True, kw_only=True, slots=True)
class Asked:
    """`genuine`: its hash is that of what was asked. `recorded`: it is in the company's decisions.

    `outcome` is what its line says of that, by the names of the fields; empty while it is open.
    """

    id: str
    company: str
    payload_hash: str
    genuine: bool
    recorded: bool
    outcome: Mapping[str, object]


def every(tx: Tx) -> Iterator[Asked]:
    """In batches: what was asked may be long, and only its hash is needed."""
    table = human_interactions
    wanted = sa.select(
        table.c.id,
        table.c.company,
        table.c.payload,
        table.c.payload_hash,
        table.c.status,
        sa.cast(table.c.response, sa.Text).label("response"),
        table.c.decided_by,
        table.c.made_by,
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
                outcome={
                    "choice": _chosen(row.response),
                    "user": row.decided_by,
                    "made_by": row.made_by,
                    "status": row.status,
                }
                if row.status != Status.PENDING
                else {},
            )
        after = rows[-1].id


def _chosen(response: str | None) -> object:
    """What someone wrote there that is no response is like no line."""
    try:
        found = json.loads(response or "null") or {}
        chosen = found.get("chosen")
    except (ValueError, AttributeError):
        return response
    return chosen if isinstance(chosen, str) else None
