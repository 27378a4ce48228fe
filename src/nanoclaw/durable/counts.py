"""A few counts for the whole host, for `status`, the health page and the `/status` command."""

from dataclasses import dataclass

import sqlalchemy as sa

from nanoclaw.durable.store import Tx
from nanoclaw.durable.tables import NOT_DELIVERED, parcels, session_queue, sessions
from nanoclaw.durable.transfer_tables import session_transfers
from nanoclaw.durable.work import TURN


@dataclass(frozen=True, kw_only=True, slots=True)
class Counts:
    """Waiting messages, running turns, parcels in flight, parcels given up, and sessions that wait for a
    result from elsewhere.
    """

    waiting: int
    running: int
    undelivered: int
    failed: int
    awaiting: int = 0


def busy(found: Counts) -> bool:
    return bool(found.waiting or found.running or found.undelivered)


def count(tx: Tx, *, tasks: bool = True) -> Counts:
    """Count only what is open, so that it costs the same on a new and an old host; with or without runs of tasks."""
    of_people = session_queue.c.session_id.in_(sa.select(sessions.c.id).where(sessions.c.lane == TURN))
    is_open = sa.and_(session_queue.c.end.is_(None), sa.true() if tasks else of_people)
    waiting = sa.select(sa.func.count()).where(is_open, session_queue.c.turn_id.is_(None))
    running = sa.select(sa.func.count(session_queue.c.turn_id.distinct())).where(is_open)
    parcel = sa.select(sa.func.count()).select_from(parcels).where(NOT_DELIVERED)
    away = session_transfers.c.ended_at.is_(None), session_transfers.c.delivered_at.is_not(None)
    awaiting = sa.select(sa.func.count(session_transfers.c.session_id.distinct())).where(*away)
    return Counts(
        waiting=tx.execute(waiting).scalar_one(),
        running=tx.execute(running).scalar_one(),
        undelivered=tx.execute(parcel.where(parcels.c.state.in_(["pending", "sending"]))).scalar_one(),
        failed=tx.execute(parcel.where(parcels.c.state.in_(["failed", "unknown"]))).scalar_one(),
        awaiting=tx.execute(awaiting).scalar_one(),
    )
