"""The rows of live sessions: where a person works with an agent on an interactive request, and how far it is."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

import sqlalchemy as sa

from nanoclaw.durable.steering_tables import live_sessions
from nanoclaw.durable.store import Tx
from nanoclaw.durable.tables import hosts
from nanoclaw.durable.upsert import insert_if_new


@dataclass(frozen=True, kw_only=True, slots=True)
class LiveSession:
    question_id: str
    session_id: str | None = None
    chat_id: str | None = None
    runtime: str | None = None
    opened_at: datetime | None = None
    opened_by: str | None = None
    host: str | None = None
    typist: str | None = None
    prefill: Any = None
    attempts: int = 0
    warned_at: datetime | None = None
    ended_at: datetime | None = None


def get(tx: Tx, question_id: str) -> LiveSession:
    """The live session; without a row nobody has opened it yet."""
    row = tx.execute(sa.select(live_sessions).where(live_sessions.c.question_id == question_id)).first()
    return LiveSession(**row._mapping) if row else LiveSession(question_id=question_id)


def in_chat(tx: Tx, chat_id: str) -> LiveSession | None:
    """The live session held in this room."""
    row = tx.execute(sa.select(live_sessions).where(live_sessions.c.chat_id == chat_id)).first()
    return LiveSession(**row._mapping) if row else None


def mark(tx: Tx, question_id: str, **values: object) -> None:
    tx.execute(insert_if_new(tx, live_sessions), {"question_id": question_id, "attempts": 0})
    tx.execute(sa.update(live_sessions).where(live_sessions.c.question_id == question_id).values(**values))


def is_in_terminal(tx: Tx, live: LiveSession) -> bool:
    """Whether its terminal runs now, on a living host. A host that was given up or restarted has no row. When
    it was last heard of says nothing, because a host that is alone does not beat.
    """
    if live.host is None:
        return False
    return tx.execute(sa.select(hosts.c.id).where(hosts.c.id == live.host)).first() is not None


def shift(tx: Tx, by: timedelta) -> None:
    """The clock was set: people who were warned keep their remaining time."""
    warned = sa.and_(live_sessions.c.warned_at.is_not(None), live_sessions.c.ended_at.is_(None))
    for row in tx.execute(sa.select(live_sessions).where(warned)).all():
        mark(tx, row.question_id, warned_at=row.warned_at + by)
