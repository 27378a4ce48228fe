"""How long due work has waited: a healthy host takes it up at once."""

from dataclasses import dataclass
from datetime import datetime

import sqlalchemy as sa

from nanoclaw.durable.store import Tx
from nanoclaw.durable.tables import work
from nanoclaw.durable.work import LEASE


@dataclass(frozen=True, kw_only=True, slots=True)
class Queue:
    """The work of one kind that is due and unclaimed, since when, and how much of the kind is being done."""

    kind: str
    count: int
    since: datetime
    running: int


def due(tx: Tx, at: datetime) -> list[Queue]:
    free = sa.and_(work.c.host.is_(None), work.c.due_at <= at, work.c.kind != LEASE)
    waiting = sa.select(
        work.c.kind, sa.func.count().label("amount"), sa.func.min(work.c.due_at).label("since")
    )
    taken = sa.select(work.c.kind, sa.func.count()).where(work.c.host.is_not(None)).group_by(work.c.kind)
    running = {row[0]: row[1] for row in tx.execute(taken)}
    return [
        Queue(kind=row.kind, count=row.amount, since=row.since, running=running.get(row.kind, 0))
        for row in tx.execute(waiting.where(free).group_by(work.c.kind).order_by(work.c.kind))
    ]
