"""How much a company remembers, and where an entry was used: read from the index and related tables."""

from collections import Counter
from dataclasses import dataclass
from datetime import datetime

import sqlalchemy as sa

from nanoclaw.domain.memory import EntryKind, EntryState, Trust
from nanoclaw.durable.knowledge_tables import memory_changes, memory_entries, memory_uses
from nanoclaw.durable.memory_changes import ChangeState
from nanoclaw.durable.store import Tx
from nanoclaw.durable.tables import chats, messages, session_queue, sessions, turns

_OWN_KINDS = memory_entries.c.kind != EntryKind.CONTEXT.value
_IN_LINES = memory_entries.c.file.like("%.jsonl")
_LIVE = memory_entries.c.state == EntryState.LIVE.value


@dataclass(frozen=True, kw_only=True, slots=True)
class Totals:
    """`counts` by kind and state."""

    counts: dict[tuple[EntryKind, EntryState], int]
    hearsay: int
    public: int
    waiting: int
    quarantined: int
    oldest: datetime | None
    newest: datetime | None


@dataclass(frozen=True, kw_only=True, slots=True)
class Use:
    turn_id: str
    at: datetime
    message_id: str | None
    chat: str
    text: str


def totals(tx: Tx, company: str) -> Totals:
    of = memory_entries.c.company == company
    rows = tx.execute(
        sa.select(
            memory_entries.c.kind,
            memory_entries.c.state,
            memory_entries.c.trust,
            memory_entries.c.is_public,
            sa.func.count().label("number"),
            sa.func.min(memory_entries.c.at, type_=memory_entries.c.at.type).label("oldest"),
            sa.func.max(memory_entries.c.at, type_=memory_entries.c.at.type).label("newest"),
        )
        .where(of, _OWN_KINDS)
        .group_by(
            memory_entries.c.kind, memory_entries.c.state, memory_entries.c.trust, memory_entries.c.is_public
        )
    ).all()
    counts: Counter[tuple[EntryKind, EntryState]] = Counter()
    hearsay = public = 0
    for row in rows:
        counts[EntryKind(row.kind), EntryState(row.state)] += row.number
        if row.state == EntryState.LIVE:
            hearsay += row.number if row.trust == Trust.HEARSAY else 0
            public += row.number if row.is_public else 0
    return Totals(
        counts=dict(counts),
        hearsay=hearsay,
        public=public,
        waiting=_changes(tx, company, ChangeState.WAITING),
        quarantined=_changes(tx, company, ChangeState.QUARANTINED),
        oldest=min((row.oldest for row in rows), default=None),
        newest=max((row.newest for row in rows), default=None),
    )


def live_counts(tx: Tx, company: str, most: int) -> dict[EntryKind, int]:
    """Live entries by kind; counting stops at `most`, because a person waits for it."""
    some = sa.select(memory_entries.c.kind).where(memory_entries.c.company == company, _OWN_KINDS, _LIVE)
    found = some.limit(most).subquery()
    rows = tx.execute(sa.select(found.c.kind, sa.func.count().label("number")).group_by(found.c.kind))
    return {EntryKind(row.kind): row.number for row in rows}


def uses_of(tx: Tx, company: str, entry_id: str, most: int) -> list[Use]:
    """The turns whose prompt contained it, newest first, each with the first message it answered."""
    first = (
        sa.select(sa.func.min(session_queue.c.message_id))
        .where(session_queue.c.turn_id == turns.c.id)
        .scalar_subquery()
    )
    rows = tx.execute(
        sa.select(
            turns.c.id, turns.c.started_at, messages.c.id.label("message_id"), chats.c.title, messages.c.text
        )
        .select_from(memory_uses)
        .join(turns, turns.c.id == memory_uses.c.turn_id)
        .join(sessions, sessions.c.id == turns.c.session_id)
        .join(chats, chats.c.id == sessions.c.chat_id)
        .outerjoin(messages, messages.c.id == first)
        .where(memory_uses.c.company == company, memory_uses.c.entry_id == entry_id)
        .order_by(turns.c.id.desc())
        .limit(most)
    )
    return [
        Use(turn_id=row.id, at=row.started_at, message_id=row.message_id, chat=row.title, text=row.text or "")
        for row in rows
    ]


def ids_in_lines(tx: Tx, company: str) -> list[str]:
    """The ids of all entries that are a line in one of the files, in any state."""
    of = memory_entries.c.company == company
    return list(tx.execute(sa.select(memory_entries.c.id).where(of, _OWN_KINDS, _IN_LINES)).scalars())


def count_in_lines(tx: Tx, company: str) -> int:
    of = memory_entries.c.company == company
    counted = sa.select(sa.func.count()).select_from(memory_entries).where(of, _OWN_KINDS, _IN_LINES)
    return int(tx.execute(counted).scalar_one())


def times_used(tx: Tx, company: str, entry_id: str) -> int:
    of = (memory_uses.c.company == company, memory_uses.c.entry_id == entry_id)
    return int(tx.execute(sa.select(sa.func.count()).select_from(memory_uses).where(*of)).scalar_one())


def _changes(tx: Tx, company: str, state: ChangeState) -> int:
    of = (memory_changes.c.company == company, memory_changes.c.state == state.value)
    return int(tx.execute(sa.select(sa.func.count()).select_from(memory_changes).where(*of)).scalar_one())
