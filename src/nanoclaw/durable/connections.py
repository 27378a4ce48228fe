"""The rows of connections that programs in a box asked for, allowed or not."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

import sqlalchemy as sa

from nanoclaw.domain.ids import new_id
from nanoclaw.domain.money import Spender
from nanoclaw.durable.store import Tx
from nanoclaw.durable.tables import connections


class ConnectionVerdict(StrEnum):
    """What happened to a requested connection."""

    ALLOWED = "allowed"
    NOT_LISTED = "not-listed"  # the group may not connect to this host
    PRIVATE = "private"  # the name leads into the owner's own network
    OTHER_NAME = "other-name"  # inside the tunnel, another host or none is named
    UNRESOLVED = "unresolved"  # the name does not resolve
    FAILED = "failed"  # no answer, or too many connections at once


@dataclass(frozen=True, kw_only=True, slots=True)
class Connection:
    """One connection that has ended, or was never made."""

    at: datetime
    host: str
    port: int
    verdict: ConnectionVerdict
    sent: int = 0
    received: int = 0
    duration: float = 0.0


_INSERT = sa.insert(connections)


def note(tx: Tx, spender: Spender, connection: Connection) -> None:
    """Store a connection."""
    tx.execute(
        _INSERT,
        {
            "id": new_id("n"),
            "at": connection.at,
            "agent_group": spender.group,
            "session_id": spender.session_id,
            "turn_id": spender.turn_id,
            "name": connection.host,
            "port": connection.port,
            "verdict": connection.verdict,
            "sent_bytes": connection.sent,
            "received_bytes": connection.received,
            "duration_ms": round(connection.duration * 1000),
        },
    )


def of_turn(tx: Tx, turn_id: str) -> list[Connection]:
    """The connections of a turn, in the order they ended."""
    rows = tx.execute(
        sa.select(connections).where(connections.c.turn_id == turn_id).order_by(connections.c.id)
    )
    return [
        Connection(
            at=row.at,
            host=row.name,
            port=row.port,
            verdict=ConnectionVerdict(row.verdict),
            sent=row.sent_bytes,
            received=row.received_bytes,
            duration=row.duration_ms / 1000,
        )
        for row in rows
    ]
