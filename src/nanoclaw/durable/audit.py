"""The rows of the audit: who changed what, when, and from where. Written in the transaction of the change."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

import sqlalchemy as sa

from nanoclaw.domain.ids import new_id
from nanoclaw.domain.people import Ruler
from nanoclaw.durable.store import Tx
from nanoclaw.durable.tables import audit


@dataclass(frozen=True, kw_only=True, slots=True)
class Entry:
    """`subject` is the id of the person, chat or request that was changed."""

    id: str
    at: datetime
    handle: str
    name: str
    via: str
    action: str
    subject: str
    detail: dict[str, Any]


def record(tx: Tx, by: Ruler, at: datetime, action: str, subject: str, **detail: object) -> None:
    """Told as the text `audit-<action>`."""
    tx.execute(
        sa.insert(audit).values(
            id=new_id("x"),
            at=at,
            handle=by.handle,
            name=by.name,
            via=by.via,
            action=action,
            subject=subject,
            detail=detail,
        )
    )


def newest(tx: Tx, limit: int, before: str | None = None) -> list[Entry]:
    found = sa.select(audit).order_by(audit.c.id.desc()).limit(limit)
    if before:
        found = found.where(audit.c.id < before)
    return [_entry(row) for row in tx.execute(found)]


def last_about(tx: Tx, subject: str) -> Entry | None:
    found = sa.select(audit).where(audit.c.subject == subject).order_by(audit.c.id.desc()).limit(1)
    row = tx.execute(found).first()
    return _entry(row) if row else None


def last_ending(tx: Tx, ending: str) -> Entry | None:
    """About a request, by the end of its id, which is all that people see of it."""
    fits = sa.and_(
        audit.c.subject.endswith(ending, autoescape=True),
        sa.or_(audit.c.action.startswith("sender-"), audit.c.action.startswith("chat-")),
    )
    row = tx.execute(sa.select(audit).where(fits).order_by(audit.c.id.desc()).limit(1)).first()
    return _entry(row) if row else None


def _entry(row: Any) -> Entry:
    return Entry(
        id=row.id,
        at=row.at,
        handle=row.handle,
        name=row.name,
        via=row.via,
        action=row.action,
        subject=row.subject,
        detail=row.detail,
    )
