"""Turns that rest: so many hosts ended during them that they may be the cause. For how long is said in `work`."""

from dataclasses import dataclass
from datetime import datetime

import sqlalchemy as sa

from nanoclaw.durable import work
from nanoclaw.durable.clock import now
from nanoclaw.durable.pipeline_tables import chains
from nanoclaw.durable.store import Tx
from nanoclaw.durable.tables import session_queue, sessions
from nanoclaw.durable.tables import work as rows


@dataclass(frozen=True, kw_only=True, slots=True)
class Rest:
    deaths: int
    until: datetime


def of_message(tx: Tx, message_id: str) -> Rest | None:
    """The longest of those that its answer waits for: in its own session, or in that of an agent further down."""
    queued = sa.select(session_queue.c.session_id).where(
        session_queue.c.message_id == message_id, session_queue.c.end.is_(None)
    )
    followed = sa.select(sessions.c.id).join(chains, chains.c.id == sessions.c.chain_id)
    found = tx.execute(
        sa.select(rows.c.deaths, rows.c.due_at)
        .join(sessions, sa.and_(sessions.c.id == rows.c.key, sessions.c.lane == rows.c.kind))
        .where(
            sa.or_(
                sessions.c.id.in_(queued),
                sessions.c.id.in_(followed.where(chains.c.message_id == message_id)),
            ),
            rows.c.host.is_(None),
            rows.c.deaths >= work.MOST_DEATHS,
            rows.c.due_at > now(),
        )
        .order_by(rows.c.due_at.desc())
    ).first()
    return Rest(deaths=found.deaths, until=found.due_at) if found else None
