"""A few counts of the whole host, for `status`, the health page and the `/status` order."""

from dataclasses import dataclass

import sqlalchemy as sa

from nanoclaw.durable.store import Tx
from nanoclaw.durable.tables import NOT_DELIVERED, inbox, parcels


@dataclass(frozen=True, kw_only=True, slots=True)
class Figures:
    waiting: int
    running: int
    undelivered: int
    failed: int


def count(tx: Tx) -> Figures:
    """Counts only what is open, so it costs the same on a new and on an old host."""
    opened = sa.select(sa.func.count()).select_from(inbox).where(inbox.c.end.is_(None))
    parcel = sa.select(sa.func.count()).select_from(parcels).where(NOT_DELIVERED)
    return Figures(
        waiting=tx.execute(opened.where(inbox.c.turn_id.is_(None))).scalar_one(),
        running=tx.execute(opened.where(inbox.c.turn_id.is_not(None))).scalar_one(),
        undelivered=tx.execute(parcel.where(parcels.c.state.in_(["pending", "sending"]))).scalar_one(),
        failed=tx.execute(parcel.where(parcels.c.state.in_(["failed", "unknown"]))).scalar_one(),
    )
