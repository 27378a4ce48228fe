"""After a restore everything is held until a person says go. All within a transaction.

The backup is out of date: what it wants to do may already have been done. So nothing in it starts by itself, and what
was on its way to a chat is set aside, where a person can retry it.
"""

from datetime import datetime
from typing import Any, TypedDict, cast

import sqlalchemy as sa

from nanoclaw.domain.ids import MessageId, SessionId
from nanoclaw.durable import clock_check, notes, session_queue, sessions, work
from nanoclaw.durable.store import Tx
from nanoclaw.durable.tables import NOT_DELIVERED, hosts, messages, parcels, scheduled_tasks, sent, turns
from nanoclaw.durable.tables import session_queue as waiting
from nanoclaw.durable.tables import work as work_rows
from nanoclaw.durable.timeline import Event, note

RESTORED = "restored"  # the error of a parcel that may have been sent after the backup was made
BACKUP = "backup"  # the note that says which backup was made last
_KEY = "held"
_ON_ITS_WAY = sa.and_(NOT_DELIVERED, parcels.c.state.in_(["pending", "sending", "unknown"]))


class RestoreHold(TypedDict):
    """What is stored while everything is held."""

    since: str
    made_at: str  # when the backup was made
    newest: str | None  # the last message of the backup; later ones came after the restore


class WaitingWork(TypedDict):
    """What continues when a person says go, and what was set aside."""

    turns: int
    tasks: int
    parcels: int


def read(tx: Tx) -> RestoreHold | None:
    found: RestoreHold | None = notes.read(tx, _KEY)
    return found


def hold(tx: Tx, *, made_at: str, at: datetime) -> None:
    """Hold a restored database, before any host has seen it."""
    clock_check.go_on_after_newest(tx)
    tx.execute(sa.delete(hosts))
    work.recover(tx, at)  # the hosts that did it are gone
    tx.execute(sa.delete(work_rows).where(work_rows.c.kind == work.DELIVERY))
    for row in tx.execute(sa.select(parcels).where(_ON_ITS_WAY)).all():
        note(tx, row.turn_id or row.message_id, Event.DELIVERY_FAILED, at, error=RESTORED)
    tx.execute(sa.update(parcels).where(_ON_ITS_WAY).values(state="failed", error={"error": RESTORED}))
    # A turn's preview may be its whole answer by now: it is neither overwritten nor removed.
    open_turns = sa.select(turns.c.id).where(turns.c.finished_at.is_(None))
    tx.execute(sa.delete(sent).where(sent.c.subject.in_(open_turns)))
    notes.forget(tx, BACKUP)
    newest = tx.execute(sa.select(sa.func.max(messages.c.id))).scalar()
    notes.write(tx, _KEY, RestoreHold(since=at.isoformat(), made_at=made_at, newest=newest), at)


def release(tx: Tx, at: datetime, *, drop: bool) -> RestoreHold | None:
    """Release the hold when a person says go. None if nothing was held. With `drop` the backup's turns end as
    stopped.
    """
    found = read(tx)
    if found is None:
        return None
    clock_check.go_on_after_newest(tx)
    if drop:
        _give_up_turns(tx, found["newest"] or "", at)
    notes.forget(tx, _KEY)
    return found


def count(tx: Tx) -> WaitingWork:
    open_sessions = sa.select(sa.func.count(waiting.c.session_id.distinct())).where(waiting.c.end.is_(None))
    tasks = sa.select(sa.func.count()).where(scheduled_tasks.c.status == "active")
    aside = tx.execute(sa.select(parcels.c.error).where(NOT_DELIVERED, parcels.c.state == "failed"))
    return WaitingWork(
        turns=tx.execute(open_sessions).scalar_one(),
        tasks=tx.execute(tasks).scalar_one(),
        parcels=sum(_is_restored(error) for error in aside.scalars()),
    )


def _is_restored(error: Any) -> bool:
    return isinstance(error, dict) and cast(dict[str, Any], error).get("error") == RESTORED


def _give_up_turns(tx: Tx, newest: str, at: datetime) -> None:
    """Give each session one turn with everything that waited in the backup, and a request to stop it: it ends
    like any stopped turn, a task's too, without asking an agent.
    """
    of_copy = sa.and_(waiting.c.end.is_(None), waiting.c.message_id <= newest)
    found: dict[SessionId, list[MessageId]] = {}
    for row in tx.execute(sa.select(waiting).where(of_copy)).all():
        found.setdefault(row.session_id, [])
        if row.turn_id is None:
            found[row.session_id].append(row.message_id)
    for session_id, ids in found.items():
        session, begun = sessions.get(tx, session_id), session_queue.open_turn(tx, session_id)
        turn_id = begun.id if begun else session_queue.begin_turn(tx, session, [], at)
        if ids:
            session_queue.join_turn(tx, session_id, ids, turn_id)
        # Never before its start, whatever the clock was when the backup was made.
        sessions.stop(tx, session_id, max(at, begun.started_at) if begun else at)
        work.due(tx, session.lane, session_id, at)
