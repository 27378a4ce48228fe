"""How much a conversation has grown: its context in tokens, how long people have talked, and the files it made."""

from dataclasses import dataclass
from datetime import datetime, timedelta

import sqlalchemy as sa

from nanoclaw.domain.turns import Session
from nanoclaw.durable.store import Tx
from nanoclaw.durable.tables import costs, parcels, timeline, turns
from nanoclaw.durable.timeline import Event

_MOST_TURNS = 100  # turns examined
_PAUSE = timedelta(minutes=15)  # after this pause people begin a new dialogue
_TURNS = (
    sa.select(turns.c.id, turns.c.started_at, turns.c.finished_at)
    .where(
        turns.c.session_id == sa.bindparam("session"),
        turns.c.id > sa.bindparam("since"),
        turns.c.finished_at.is_not(None),
    )
    .order_by(turns.c.id.desc())
    .limit(_MOST_TURNS)
)
_CONTEXT = sa.select(
    sa.func.max(costs.c.input_tokens + costs.c.cache_read_tokens + costs.c.cache_write_tokens)
).where(costs.c.turn_id == sa.bindparam("turn"))


@dataclass(frozen=True, kw_only=True, slots=True)
class Growth:
    """`context` is that of the biggest call in the last turn."""

    context: int = 0
    lasts: timedelta = timedelta()
    files: int = 0


def of_session(tx: Tx, session: Session, at: datetime) -> Growth:
    """The growth since it was cleared."""
    rows = tx.execute(_TURNS, {"session": session.id, "since": session.cleared_by or ""}).all()
    if not rows:
        return Growth()
    began = at
    for row in rows:
        if began - row.finished_at > _PAUSE:
            break
        began = row.started_at
    return Growth(
        context=tx.execute(_CONTEXT, {"turn": rows[0].id}).scalar() or 0,
        lasts=at - began,
        files=_files_sent(tx, session, rows[-1].id),
    )


def _files_sent(tx: Tx, session: Session, since: str) -> int:
    """Files sent by its agent in its chat since this turn. Ids of different kinds are compared by what
    follows their kind.
    """
    sent = sa.select(parcels.c.attachments, parcels.c.origin).where(
        parcels.c.chat_id == session.chat_id,
        parcels.c.id >= f"o_{since.partition('_')[2]}",
        parcels.c.attachments.is_not(None),
    )
    return sum(len(row.attachments) for row in tx.execute(sent) if (row.origin or "").startswith(session.id))


def was_told(tx: Tx, session: Session) -> bool:
    """Whether its agent has been told, since it was cleared, that the work outgrows it."""
    told = (
        sa.select(turns.c.id)
        .join(timeline, timeline.c.subject == turns.c.id)
        .where(
            turns.c.session_id == session.id,
            turns.c.id > (session.cleared_by or ""),
            timeline.c.event == Event.OUTGROWN.value,
        )
    )
    return tx.execute(told.limit(1)).first() is not None
