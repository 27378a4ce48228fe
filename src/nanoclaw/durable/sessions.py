"""The rows of sessions: one conversation of one agent group in one chat, and what was said in it before."""

from datetime import datetime
from typing import Any

import sqlalchemy as sa

from nanoclaw.domain.ids import ChatId, SessionId, new_id
from nanoclaw.domain.turns import Exchange, Session, TurnState
from nanoclaw.durable.store import Tx
from nanoclaw.durable.tables import sessions, turns

_FIND = sa.select(sessions).where(
    sessions.c.agent_group == sa.bindparam("group"),
    sessions.c.chat_id == sa.bindparam("chat_id"),
    sessions.c.thread == sa.bindparam("thread"),
)
_GET = sa.select(sessions).where(sessions.c.id == sa.bindparam("id"))
_EXCHANGES = (
    sa.select(turns.c.prompt, turns.c.answer)
    .where(turns.c.session_id == sa.bindparam("session"), turns.c.state == TurnState.ANSWERED.value)
    .order_by(turns.c.id.desc())
    .limit(sa.bindparam("limit"))
)


def find_or_open(tx: Tx, group: str, chat_id: ChatId, thread: str | None, at: datetime) -> Session:
    """The conversation of this group in this chat; a new one when it is the first message."""
    row = tx.execute(_FIND, {"group": group, "chat_id": chat_id, "thread": thread or ""}).first()
    if row is not None:
        return _session(row)
    new = Session(id=SessionId(new_id("s")), group=group, chat_id=chat_id, thread=thread)
    tx.execute(
        sa.insert(sessions).values(
            id=new.id, agent_group=group, chat_id=chat_id, thread=thread or "", created_at=at
        )
    )
    return new


def get(tx: Tx, session_id: str) -> Session:
    return _session(tx.execute(_GET, {"id": session_id}).one())


def exchanges(tx: Tx, session_id: SessionId, limit: int) -> tuple[Exchange, ...]:
    """The last answered turns of a session, oldest first."""
    rows = tx.execute(_EXCHANGES, {"session": session_id, "limit": limit}).all()
    return tuple(Exchange(asked=row.prompt, answered=row.answer) for row in reversed(rows))


def _session(row: Any) -> Session:
    return Session(
        id=SessionId(row.id), group=row.agent_group, chat_id=row.chat_id, thread=row.thread or None
    )
