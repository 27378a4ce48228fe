"""The queue of a session: the messages that wait for a turn, and the turns that take them."""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import NamedTuple

import sqlalchemy as sa

from nanoclaw.domain.continuations import Continuation
from nanoclaw.domain.ids import MessageId, SessionId, TurnId, new_id
from nanoclaw.domain.messages import End, Message
from nanoclaw.domain.turns import Session, TurnState
from nanoclaw.durable import work
from nanoclaw.durable.messages import to_message
from nanoclaw.durable.sessions import continuation, to_session
from nanoclaw.durable.store import Tx
from nanoclaw.durable.tables import KEPT_UNREAD, UtcTime, messages, session_queue, sessions, turns

_OPEN_IN = sa.and_(session_queue.c.session_id == sa.bindparam("session"), session_queue.c.end.is_(None))
_MESSAGES = sa.select(messages).join(session_queue, session_queue.c.message_id == messages.c.id)

_JOIN = sa.insert(session_queue)
_FREE = sa.and_(_OPEN_IN, session_queue.c.turn_id.is_(None))
_WAITING = (
    _MESSAGES.where(
        _FREE,
        sa.or_(
            session_queue.c.not_before.is_(None),
            session_queue.c.not_before <= sa.bindparam("by", type_=UtcTime),
        ),
    )
    .order_by(session_queue.c.message_id)
    .limit(sa.bindparam("limit"))
)
_PAUSED = sa.select(sa.func.min(session_queue.c.not_before)).where(_FREE)
_PUT_OFF = sa.update(session_queue).where(_FREE)
_UNREAD = sa.and_(session_queue.c.session_id == sa.bindparam("session"), KEPT_UNREAD)
_NEWEST_UNREAD = (
    _MESSAGES.where(_UNREAD).order_by(session_queue.c.message_id.desc()).limit(sa.bindparam("limit"))
)
_FORGET = sa.delete(session_queue).where(_UNREAD, session_queue.c.message_id == sa.bindparam("message"))
_READ_ALL = sa.update(session_queue).where(_UNREAD)
_KEPT_OF_TURN = (
    _MESSAGES.where(session_queue.c.turn_id == sa.bindparam("turn"), session_queue.c.end == End.KEPT.value)
    .order_by(messages.c.id.desc())
    .limit(sa.bindparam("limit"))
)
_OPEN_TURN = (
    sa.select(turns.c.id, turns.c.started_at, turns.c.then_kind, turns.c.then_key, turns.c.is_mixed)
    .join(session_queue, session_queue.c.turn_id == turns.c.id)
    .where(_OPEN_IN, session_queue.c.turn_id.is_not(None))
    .limit(1)
)
_WAKES = sa.or_(session_queue.c.end.is_(None), session_queue.c.end != End.KEPT.value)
_OF_TURN = _MESSAGES.where(session_queue.c.turn_id == sa.bindparam("turn"), _WAKES).order_by(messages.c.id)
_BEGIN = sa.insert(turns)
_TAKE = sa.update(session_queue).where(
    session_queue.c.session_id == sa.bindparam("session"), session_queue.c.message_id == sa.bindparam("taken")
)
_TAKE_FREE = _TAKE.where(session_queue.c.turn_id.is_(None), session_queue.c.end.is_(None))
_WAS_MIXED = sa.func.coalesce(turns.c.is_mixed, sa.false())
_END_TURN = (
    sa.update(turns)
    .where(turns.c.id == sa.bindparam("turn"))
    .values(is_mixed=sa.or_(_WAS_MIXED, sa.bindparam("mixes", type_=sa.Boolean)))
    .returning(turns.c.then_kind, turns.c.then_key, turns.c.is_mixed)
)
_MIX = sa.update(turns).where(turns.c.id == sa.bindparam("turn"))
_END_MESSAGES = sa.update(session_queue).where(session_queue.c.turn_id == sa.bindparam("turn"), _WAKES)


def join(tx: Tx, message_id: MessageId, session_id: SessionId, *, not_before: datetime | None = None) -> None:
    """Queue a message in this session; if it came too fast, others go first until `not_before`."""
    paused = {"not_before": not_before} if not_before else {}
    tx.execute(_JOIN, {"session_id": session_id, "message_id": message_id, **paused})


def keep(tx: Tx, message_id: MessageId, session_id: SessionId) -> None:
    """Keep a message that wakes nobody: the agent reads it with the next one that does."""
    tx.execute(_JOIN, {"session_id": session_id, "message_id": message_id, "end": End.KEPT.value})


def forget_kept(tx: Tx, session_id: SessionId, message_id: str) -> None:
    """Forget a kept message, unless it was already read."""
    tx.execute(_FORGET, {"session": session_id, "message": message_id})


def read_kept(tx: Tx, session_id: SessionId, turn_id: TurnId, limit: int) -> list[Message]:
    """Make the newest kept messages part of this turn; the agent never sees older ones."""
    rows = tx.execute(_NEWEST_UNREAD, {"session": session_id, "limit": limit}).all()
    tx.execute(_READ_ALL, {"session": session_id, "turn_id": turn_id})
    return [to_message(row) for row in reversed(rows)]


def kept_of(tx: Tx, turn_id: TurnId, limit: int) -> list[Message]:
    """The kept messages that a restarted turn was given as context."""
    rows = tx.execute(_KEPT_OF_TURN, {"turn": turn_id, "limit": limit}).all()
    return [to_message(row) for row in reversed(rows)]


def waiting_in(tx: Tx, session_id: SessionId, limit: int, by: datetime) -> list[Message]:
    """The messages that wait in a session and may have a turn by then, in order."""
    rows = tx.execute(_WAITING, {"session": session_id, "limit": limit, "by": by})
    return [to_message(row) for row in rows]


def paused_until(tx: Tx, session_id: SessionId) -> datetime | None:
    """When the next message that came too fast, and has no turn yet, may be taken up."""
    return tx.execute(_PAUSED, {"session": session_id}).scalar()


class OpenTurn(NamedTuple):
    """When the turn began, and what waits for it."""

    id: TurnId
    started_at: datetime
    then: Continuation | None
    is_mixed: bool


def open_turn(tx: Tx, session_id: SessionId) -> OpenTurn | None:
    """The turn of this session that has begun and not ended."""
    found = tx.execute(_OPEN_TURN, {"session": session_id}).first()
    if found is None:
        return None
    return OpenTurn(TurnId(found.id), found.started_at, continuation(found), bool(found.is_mixed))


def mix(tx: Tx, turn_id: TurnId) -> None:
    """Mark that the turn contains something no member said."""
    tx.execute(_MIX, {"turn": turn_id, "is_mixed": True})


def is_running(tx: Tx, turn_id: TurnId) -> bool:
    """Whether the turn has begun and not ended."""
    state = tx.execute(sa.select(turns.c.state).where(turns.c.id == turn_id)).scalar()
    return state == TurnState.RUNNING.value


def begin_turn(tx: Tx, session: Session, taken: list[Message], at: datetime) -> TurnId:
    """Begin one turn for all the waiting messages."""
    turn_id, (then_kind, then_key) = TurnId(new_id("t")), session.then or (None, None)
    begun = {"id": turn_id, "session_id": session.id, "state": TurnState.RUNNING.value, "started_at": at}
    tx.execute(_BEGIN, {**begun, "then_kind": then_kind, "then_key": then_key})
    if taken:
        tx.execute(_TAKE, [{"session": session.id, "taken": each.id, "turn_id": turn_id} for each in taken])
    return turn_id


def join_turn(tx: Tx, session_id: SessionId, ids: Sequence[MessageId], turn_id: TurnId) -> None:
    """Add messages that came while the turn ran; one that another turn has taken stays there."""
    if ids:
        tx.execute(_TAKE_FREE, [{"session": session_id, "taken": each, "turn_id": turn_id} for each in ids])


def put_off(tx: Tx, message_id: MessageId, until: datetime) -> None:
    """Let a message wait in its sessions until then."""
    tx.execute(
        sa.update(session_queue).where(session_queue.c.message_id == message_id).values(not_before=until)
    )


def heed_clock(tx: Tx, by: timedelta) -> None:
    """The clock was set: messages that wait because they came too fast, or for a retry, wait as long as before."""
    paused = sa.and_(
        session_queue.c.end.is_(None),
        session_queue.c.turn_id.is_(None),
        session_queue.c.not_before.is_not(None),
    )
    for row in tx.execute(sa.select(session_queue).where(paused)).all():
        this = sa.and_(
            session_queue.c.session_id == row.session_id, session_queue.c.message_id == row.message_id
        )
        tx.execute(sa.update(session_queue).where(this).values(not_before=row.not_before + by))


def put_off_waiting(tx: Tx, session_id: SessionId, until: datetime) -> None:
    """Put off everything that waits in this session; what a turn has taken continues."""
    tx.execute(_PUT_OFF, {"session": session_id, "not_before": until})


def stop_waiting(tx: Tx, session_id: SessionId) -> list[MessageId]:
    """End what waits for a turn, because a person said so."""
    waiting = sa.and_(
        session_queue.c.session_id == session_id,
        session_queue.c.end.is_(None),
        session_queue.c.turn_id.is_(None),
    )
    found = list(tx.execute(sa.select(session_queue.c.message_id).where(waiting)).scalars())
    tx.execute(sa.update(session_queue).where(waiting).values(end=End.STOPPED.value))
    return [MessageId(each) for each in found]


def sessions_of(tx: Tx, message_id: str) -> list[Session]:
    """The sessions in which a message waits."""
    found = (
        sa.select(sessions)
        .join(session_queue, session_queue.c.session_id == sessions.c.id)
        .where(session_queue.c.message_id == message_id, session_queue.c.end.is_(None))
        .order_by(sessions.c.id)
    )
    return [to_session(row) for row in tx.execute(found)]


def messages_of(tx: Tx, turn_id: TurnId) -> list[Message]:
    return [to_message(row) for row in tx.execute(_OF_TURN, {"turn": turn_id})]


def last_in(tx: Tx, session_id: SessionId) -> MessageId | None:
    """The newest message of a session."""
    newest = sa.select(session_queue.c.message_id).where(session_queue.c.session_id == session_id)
    found = tx.execute(newest.order_by(session_queue.c.message_id.desc()).limit(1)).scalar()
    return MessageId(found) if found else None


def messages_before(tx: Tx, session_id: SessionId, turn_id: TurnId) -> list[Message]:
    """The messages of the turn before this one."""
    earlier = sa.select(sa.func.max(turns.c.id)).where(turns.c.session_id == session_id, turns.c.id < turn_id)
    before = tx.execute(earlier).scalar()
    return messages_of(tx, before) if before else []


def said_before(tx: Tx, session_id: SessionId | None, turn_id: TurnId) -> list[Message]:
    """The newest message of a person in this session that is older than the turn; ids sort by time."""
    here = session_queue.c.session_id == session_id
    query = (
        _MESSAGES.where(here, messages.c.answers.is_(None), _WAKES).order_by(messages.c.id.desc()).limit(100)
    )
    found = (to_message(row) for row in tx.execute(query))
    since = turn_id.partition("_")[2]
    return [each for each in found if each.id.partition("_")[2] < since][:1]


def end_turn(
    tx: Tx,
    turn_id: TurnId,
    state: TurnState,
    *,
    skill: str | None,
    prompt: str,
    answer: str,
    at: datetime,
    result: Mapping[str, object] | None = None,
    is_mixed: bool = False,
) -> bool:
    """End the turn and every message in it. What waits for it continues with this result. Returns whether it
    is mixed: a sub-agent may have noted that meanwhile.
    """
    then = tx.execute(
        _END_TURN,
        {
            "turn": turn_id,
            "state": state.value,
            "skill": skill,
            "prompt": prompt,
            "answer": answer,
            "finished_at": at,
            "result": result and dict(result),
            "mixes": is_mixed,
        },
    ).one()
    if then.then_kind:
        work.due(tx, then.then_kind, then.then_key, at)
    tx.execute(_END_MESSAGES, {"turn": turn_id, "end": End(state.value).value})
    return bool(then.is_mixed)


def last_failed(tx: Tx, chat_id: str) -> str | None:
    """The newest failed message of a chat."""
    return tx.execute(
        sa.select(session_queue.c.message_id)
        .join(messages, messages.c.id == session_queue.c.message_id)
        .join(sessions, sessions.c.id == session_queue.c.session_id)
        .where(
            messages.c.chat_id == chat_id,
            session_queue.c.end == End.FAILED.value,
            sessions.c.lane == work.TURN,  # tasks retry their own turns
        )
        .order_by(session_queue.c.message_id.desc())
        .limit(1)
    ).scalar()


def reopen(tx: Tx, message_id: str, session_id: SessionId | None = None) -> dict[SessionId, TurnId]:
    """Let a failed message wait again as if it had just come, in this session or else in all sessions of
    people. Returns where it waits, with the turn that failed there.
    """
    here = sessions.c.id == session_id if session_id else sessions.c.lane == work.TURN
    meant = session_queue.c.session_id.in_(sa.select(sessions.c.id).where(here))
    failed = sa.and_(session_queue.c.message_id == message_id, session_queue.c.end == End.FAILED.value, meant)
    found = {row.session_id: row.turn_id for row in tx.execute(sa.select(session_queue).where(failed))}
    tx.execute(sa.update(session_queue).where(failed).values(end=None, turn_id=None))
    for reopened_in, turn_id in found.items():  # what the agent read along with it is read again
        kept = sa.and_(
            session_queue.c.session_id == reopened_in,
            session_queue.c.turn_id == turn_id,
            session_queue.c.end == End.KEPT.value,
        )
        if tx.execute(sa.update(session_queue).where(kept).values(turn_id=None)).rowcount:
            tx.execute(sa.update(sessions).where(sessions.c.id == reopened_in).values(keeps=True))
    return found
