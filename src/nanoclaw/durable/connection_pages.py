"""Where programs in boxes wanted to connect, newest first, in pages for a person to browse."""

from dataclasses import dataclass

import sqlalchemy as sa

from nanoclaw.durable.connections import Connection, ConnectionVerdict
from nanoclaw.durable.store import Tx
from nanoclaw.durable.tables import connections


@dataclass(frozen=True, kw_only=True, slots=True)
class AskedConnection:
    """A connection with who asked for it."""

    id: str
    group: str
    turn_id: str
    connection: Connection


def newest(tx: Tx, *, before: str | None = None, limit: int = 50) -> tuple[list[AskedConnection], bool]:
    """A page, and whether there is more."""
    query = sa.select(connections).order_by(connections.c.id.desc()).limit(limit + 1)
    if before:
        query = query.where(connections.c.id < before)
    rows = tx.execute(query).all()
    found = [
        AskedConnection(
            id=row.id,
            group=row.agent_group,
            turn_id=row.turn_id,
            connection=Connection(
                at=row.at,
                host=row.name,
                port=row.port,
                verdict=ConnectionVerdict(row.verdict),
                sent=row.sent_bytes,
                received=row.received_bytes,
                duration=row.duration_ms / 1000,
            ),
        )
        for row in rows[:limit]
    ]
    return found, len(rows) > limit
