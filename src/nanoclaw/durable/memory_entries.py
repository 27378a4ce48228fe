"""The rows of the index over what companies know. Their words, and how they are searched, are in `nanoclaw.memory`."""

from datetime import datetime
from typing import Any

import sqlalchemy as sa

from nanoclaw.domain.memory import Entry, EntryKind, EntryState, Trust
from nanoclaw.durable.knowledge_tables import memory_entries
from nanoclaw.durable.store import Tx

_GET = sa.select(memory_entries).where(
    memory_entries.c.company == sa.bindparam("company"), memory_entries.c.id == sa.bindparam("id")
)
_LOCKED = _GET.with_for_update()


def get(tx: Tx, company: str, entry_id: str) -> Entry | None:
    row = tx.execute(_GET, {"company": company, "id": entry_id}).first()
    return to_entry(row) if row else None


def locked(tx: Tx, company: str, entry_id: str) -> Entry | None:
    """The entry, locked until this transaction ends."""
    row = tx.execute(_LOCKED, {"company": company, "id": entry_id}).first()
    return to_entry(row) if row else None


def named(tx: Tx, company: str, ending: str, most: int = 5) -> list[Entry]:
    """Entries whose id ends like this, which is how people shorten it."""
    fits = memory_entries.c.id.endswith(ending, autoescape=True)
    rows = tx.execute(_of(company, fits).order_by(memory_entries.c.id).limit(most))
    return [to_entry(row) for row in rows]


def came_from(
    tx: Tx,
    company: str,
    *,
    turn: str | None = None,
    person: str | None = None,
    since: datetime | None = None,
) -> list[Entry]:
    """What came from there and is live, or would be if its replacement were forgotten, in the order it was
    written. `person` is a handle.
    """
    wanted = [
        memory_entries.c.state.in_((EntryState.LIVE.value, EntryState.SUPERSEDED.value)),
        memory_entries.c.kind != EntryKind.CONTEXT.value,
    ]
    if turn is not None:
        wanted.append(memory_entries.c.turn_id == turn)
    if person is not None:
        wanted.append(memory_entries.c.person == person)
    if since is not None:
        wanted.append(memory_entries.c.at >= since)
    found = [to_entry(row) for row in tx.execute(_of(company, *wanted).order_by(memory_entries.c.number))]
    concerned = {entry.id for entry in found if entry.state is EntryState.LIVE}
    while more := {
        entry.id for entry in found if entry.superseded_by in concerned and entry.id not in concerned
    }:
        concerned |= more
    return [entry for entry in found if entry.id in concerned]


def binding(tx: Tx, company: str, domain: str) -> list[Entry]:
    """Decisions of this domain that agents follow, newest first."""
    wanted = (
        memory_entries.c.kind == EntryKind.DECISION.value,
        memory_entries.c.state == EntryState.LIVE.value,
        memory_entries.c.is_binding.is_(True),
        memory_entries.c.domain == domain,
    )
    rows = tx.execute(_of(company, *wanted).order_by(memory_entries.c.at.desc()).limit(200))
    return [to_entry(row) for row in rows]


def _of(company: str, *wanted: sa.ColumnElement[bool]) -> sa.Select[Any]:
    return sa.select(memory_entries).where(memory_entries.c.company == company, *wanted)


def to_entry(row: Any) -> Entry:
    return Entry(
        company=row.company,
        id=row.id,
        kind=EntryKind(row.kind),
        text=row.text,
        at=row.at,
        file=row.file,
        domain=row.domain,
        topic=row.topic,
        related=tuple(row.related),
        source=row.source,
        confidence=row.confidence,
        expires=row.expires,
        trust=Trust(row.trust),
        is_public=row.is_public,
        is_binding=row.is_binding,
        person=row.person,
        turn_id=row.turn_id,
        message_id=row.message_id,
        chat_id=row.chat_id,
        state=EntryState(row.state),
        supersedes=row.supersedes,
        superseded_by=row.superseded_by,
    )
