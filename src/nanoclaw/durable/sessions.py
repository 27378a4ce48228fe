"""The rows of sessions: one conversation of one agent group in one chat, and its earlier turns."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

import sqlalchemy as sa

from nanoclaw.domain.continuations import Continuation
from nanoclaw.domain.ids import ChatId, SessionId, new_id
from nanoclaw.domain.turns import Exchange, Session, TurnState
from nanoclaw.durable.store import Tx
from nanoclaw.durable.tables import sessions, turns
from nanoclaw.durable.transfer_tables import session_transfers
from nanoclaw.durable.work import TURN

_FIND = sa.select(sessions).where(
    sessions.c.agent_group == sa.bindparam("group"),
    sessions.c.chat_id == sa.bindparam("chat_id"),
    sessions.c.thread == sa.bindparam("thread"),
)
_IS_AWAY = sa.exists().where(
    session_transfers.c.session_id == sessions.c.id, session_transfers.c.ended_at.is_(None)
)
_GET = sa.select(sessions, _IS_AWAY.label("is_away")).where(sessions.c.id == sa.bindparam("id"))
_OPEN = sa.insert(sessions)
_MARK = sa.update(sessions).where(sessions.c.id == sa.bindparam("session"))
_EXCHANGES = (
    sa.select(turns.c.prompt, turns.c.answer)
    .where(
        turns.c.session_id == sa.bindparam("session"),
        turns.c.state.in_([TurnState.ANSWERED.value, TurnState.STOPPED.value]),
        turns.c.prompt != "",  # stopped before it began
        turns.c.id > sa.bindparam("since"),
    )
    .order_by(turns.c.id.desc())
    .limit(sa.bindparam("limit"))
)


def find(tx: Tx, group: str, chat_id: ChatId, thread: str | None) -> Session | None:
    row = tx.execute(_FIND, {"group": group, "chat_id": chat_id, "thread": thread or ""}).first()
    return to_session(row) if row else None


def find_or_open(tx: Tx, group: str, chat_id: ChatId, thread: str | None, at: datetime) -> Session:
    """The conversation of this group in this chat; created with the first message."""
    known = find(tx, group, chat_id, thread)
    if known is not None:
        return known
    new = Session(id=SessionId(new_id("s")), group=group, chat_id=chat_id, thread=thread)
    tx.execute(
        sa.insert(sessions).values(
            id=new.id, agent_group=group, chat_id=chat_id, thread=thread or "", created_at=at
        )
    )
    return new


def open_apart(
    tx: Tx,
    *,
    lane: str,
    group: str,
    chat_id: ChatId,
    at: datetime,
    thread: str | None = None,
    task_id: int | None = None,
    then: Continuation | None = None,
    chain_id: str | None = None,
) -> SessionId:
    """A session that nobody talks to in the chat: for the runs of a task, or other work that waits for turns."""
    new = SessionId(new_id("s"))
    values = {"id": new, "agent_group": group, "chat_id": chat_id, "created_at": at, "lane": lane}
    kind, key = then or (None, None)
    values |= {"thread": new, "says_in": thread, "task_id": task_id, "chain_id": chain_id}
    tx.execute(_OPEN, {**values, "then_kind": kind, "then_key": key})
    return new


def let_wait(tx: Tx, session_id: SessionId, then: Continuation, priority: int) -> None:
    """Let this continuation wait for the turns that begin in it from now on."""
    tx.execute(
        _MARK,
        {"session": session_id, "then_kind": then.kind, "then_key": then.key, "priority": priority},
    )


def get(tx: Tx, session_id: str) -> Session:
    row = tx.execute(_GET, {"id": session_id}).one()
    return to_session(row, is_away=row.is_away)


def known(tx: Tx, session_id: SessionId) -> Session | None:
    row = tx.execute(_GET, {"id": session_id}).first()
    return None if row is None else to_session(row, is_away=row.is_away)


def exchanges(tx: Tx, session: Session, limit: int) -> tuple[Exchange, ...]:
    """The last turns of a session since it was cleared, oldest first."""
    since = session.cleared_by or ""
    rows = tx.execute(_EXCHANGES, {"session": session.id, "limit": limit, "since": since}).all()
    return tuple(Exchange(asked=row.prompt, answered=row.answer) for row in reversed(rows))


def unextracted(tx: Tx, session_id: SessionId, limit: int) -> list[Any]:
    """The ended turns since the last extraction, oldest first: `id`, `answer`, `finished_at`."""
    since = sa.select(sa.func.coalesce(sessions.c.extracted, "")).where(sessions.c.id == session_id)
    found = (
        sa.select(turns.c.id, turns.c.answer, turns.c.finished_at)
        .where(
            turns.c.session_id == session_id,
            turns.c.state.in_([TurnState.ANSWERED.value, TurnState.STOPPED.value]),
            turns.c.id > since.scalar_subquery(),
        )
        .order_by(turns.c.id)
        .limit(limit)
    )
    return list(tx.execute(found))


def mark_extracted(tx: Tx, session_id: SessionId, turn_id: str) -> None:
    tx.execute(sa.update(sessions).where(sessions.c.id == session_id).values(extracted=turn_id))


def of_chat(tx: Tx, chat_id: ChatId, thread: str | None) -> list[Session]:
    """Every agent's conversation in this chat."""
    found = sa.select(sessions).where(sessions.c.chat_id == chat_id, sessions.c.thread == (thread or ""))
    return [to_session(row) for row in tx.execute(found)]


def last_talked(tx: Tx, *, group: str | None = None, chats: Sequence[str] | None = None) -> Session | None:
    """The conversation of people with the newest turn: of this group, in one of these chats."""
    wanted = (
        sa.select(sessions)
        .join(turns, turns.c.session_id == sessions.c.id)
        .where(sessions.c.lane == TURN)
        .order_by(turns.c.id.desc())
        .limit(1)
    )
    if group is not None:
        wanted = wanted.where(sessions.c.agent_group == group)
    if chats is not None:
        wanted = wanted.where(sessions.c.chat_id.in_(chats))
    row = tx.execute(wanted).first()
    return to_session(row) if row else None


def stop(tx: Tx, session_id: SessionId, at: datetime) -> None:
    """Ask to stop everything that runs in it, on behalf of a person."""
    named = {"stopped_at": at, "stopped_by": new_id("t")}
    tx.execute(sa.update(sessions).where(sessions.c.id == session_id).values(**named))


def clear(tx: Tx, session_id: SessionId, at: datetime) -> None:
    """Start afresh, on behalf of a person."""
    tx.execute(_MARK, {"session": session_id, "cleared_at": at, "cleared_by": new_id("t")})


def begin_conversation(tx: Tx, session: Session, at: datetime) -> Session:
    """Restart what its agent keeps of the conversation; it is told again what was said in the chat."""
    tx.execute(sa.update(sessions).where(sessions.c.id == session.id).values(cleared_at=at))
    return replace(session, cleared_at=at)


def call(tx: Tx, session_id: SessionId, at: datetime | None) -> None:
    """The agent was mentioned in the thread; None makes it leave until the next mention."""
    tx.execute(sa.update(sessions).where(sessions.c.id == session_id).values(called_at=at))


def keep(tx: Tx, session_id: SessionId, *, keeps: bool) -> None:
    """Set whether there are accumulated messages that the agent has not seen."""
    tx.execute(sa.update(sessions).where(sessions.c.id == session_id).values(keeps=keeps or None))


def continuation(row: Any) -> Continuation | None:
    return Continuation(row.then_kind, row.then_key) if row.then_kind else None


def to_session(row: Any, *, is_away: bool = False) -> Session:
    return Session(
        id=SessionId(row.id),
        group=row.agent_group,
        chat_id=row.chat_id,
        thread=row.says_in if row.thread == row.id else row.thread or None,
        lane=row.lane,
        priority=row.priority,
        task=row.task_id,
        chain_id=row.chain_id,
        then=continuation(row),
        cleared_at=row.cleared_at,
        cleared_by=row.cleared_by,
        stopped_by=row.stopped_by,
        called_at=row.called_at,
        keeps=bool(row.keeps),
        is_away=bool(is_away),
    )
