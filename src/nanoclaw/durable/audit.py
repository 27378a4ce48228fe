"""The rows of the audit: who changed what, when, and from where. Written in the transaction of the change.

Each row holds a hash of itself and the previous one, so that `audit_chain` finds what was changed or removed.
"""

import hashlib
import json
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from typing import Any

import sqlalchemy as sa

from nanoclaw.domain.ids import new_id
from nanoclaw.domain.people import Actor
from nanoclaw.durable.store import Tx
from nanoclaw.durable.tables import audit, audit_head
from nanoclaw.durable.upsert import insert_if_new

_HEAD = sa.select(audit_head).where(audit_head.c.id == 1).with_for_update()
_ADD = sa.insert(audit)
_MOVE_HEAD = sa.update(audit_head).where(audit_head.c.id == 1)


@dataclass(frozen=True, kw_only=True, slots=True)
class AuditEntry:
    """`subject` is the id of the person, chat or request that was changed."""

    id: str
    at: datetime
    handle: str
    name: str
    via: str
    action: str
    subject: str
    detail: dict[str, Any]


def record(tx: Tx, by: Actor, at: datetime, action: str, subject: str, **detail: object) -> None:
    """Add a row, shown as the text `audit-<action>`."""
    entry = AuditEntry(
        id=new_id("x"),
        at=at,
        handle=by.handle,
        name=by.name,
        via=by.via,
        action=action,
        subject=subject,
        # As it will be read back and hashed again: JSON turns tuples into lists, and number keys into strings.
        detail=json.loads(json.dumps(detail)),
    )
    last = _locked_head(tx)
    seq = last.seq + 1
    link = link_of(last.hash, seq, entry)
    tx.execute(_ADD, {**asdict(entry), "seq": seq, "hash": link})
    tx.execute(_MOVE_HEAD, {"seq": seq, "hash": link})


def link_of(last: str, seq: int, entry: AuditEntry) -> str:
    """The hash of a row and the one before it. Stored rows were hashed this way: the format never changes."""
    who = [entry.handle, entry.name, entry.via, entry.action, entry.subject]
    fields = [last, seq, entry.id, entry.at.astimezone(UTC).isoformat(), *who, entry.detail]
    written = json.dumps(fields, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(written.encode(errors="surrogatepass")).hexdigest()


def _locked_head(tx: Tx) -> Any:
    """The head, locked: others who add a row wait until this transaction ends, so that there is one chain."""
    if head := tx.execute(_HEAD).first():
        return head
    # Two may find it missing: the second waits here for the first, writes nothing, and then locks the row.
    # If someone removed it, continue after the existing rows; the check finds that it was removed.
    after = sa.select(sa.func.coalesce(sa.func.max(audit.c.seq), 0)).scalar_subquery()
    tx.execute(insert_if_new(tx, audit_head).values(id=1, seq=after, hash=""))
    return tx.execute(_HEAD).one()


def newest(tx: Tx, limit: int, before: str | None = None) -> list[AuditEntry]:
    found = sa.select(audit).order_by(audit.c.id.desc()).limit(limit)
    if before:
        found = found.where(audit.c.id < before)
    return [read_entry(row) for row in tx.execute(found)]


def last_about(tx: Tx, subject: str) -> AuditEntry | None:
    found = sa.select(audit).where(audit.c.subject == subject).order_by(audit.c.id.desc()).limit(1)
    row = tx.execute(found).first()
    return read_entry(row) if row else None


def last_ending(tx: Tx, ending: str) -> AuditEntry | None:
    """The last entry about a request, by the end of its id, which is all that people see."""
    fits = sa.and_(
        audit.c.subject.endswith(ending, autoescape=True),
        sa.or_(audit.c.action.startswith("sender-"), audit.c.action.startswith("chat-")),
    )
    row = tx.execute(sa.select(audit).where(fits).order_by(audit.c.id.desc()).limit(1)).first()
    return read_entry(row) if row else None


def read_entry(row: Any) -> AuditEntry:
    return AuditEntry(
        id=row.id,
        at=row.at,
        handle=row.handle,
        name=row.name,
        via=row.via,
        action=row.action,
        subject=row.subject,
        detail=row.detail,
    )
