"""Whether the audit is intact: every row follows from the one before it, and the last one matches the head.

Changing a row with a database tool breaks the chain behind it. Recomputing all hashes does not, which is why
the last hash is shown: someone may have noted it elsewhere.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

import sqlalchemy as sa

from nanoclaw.durable.audit import AuditEntry, link_of, read_entry
from nanoclaw.durable.store import Tx
from nanoclaw.durable.tables import audit, audit_head

_BATCH = 500


class ChainFlaw(StrEnum):
    CHANGED = "changed"  # it does not follow from the row before it: one of the two was altered
    MISSING = "missing"  # rows between two others are gone
    ORDER = "order"  # it comes before one that was written earlier
    CUT = "cut"  # the head knows of later rows
    HEAD = "head"  # the head is not the end of these rows


@dataclass(frozen=True, kw_only=True, slots=True)
class ChainFault:
    """`seq` is the first row that is wrong or gone, `until` the last one that is gone with it."""

    what: ChainFlaw
    seq: int
    until: int
    id: str | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Verified:
    """How many rows are intact, and the hash of the last one. Checking stops at the first fault."""

    rows: int
    end: str
    fault: ChainFault | None


@dataclass(frozen=True, kw_only=True, slots=True)
class _Link:
    """Without an entry, someone stored an invalid time, number or JSON there."""

    seq: int
    id: str
    hash: str
    entry: AuditEntry | None


def verify(tx: Tx) -> Verified:
    """Works next to a host that keeps writing: rows added after the head was read are compared with the head
    as read.
    """
    rows, end = 0, ""
    head_seq, head_hash = _head(tx)
    for link in _links(tx):
        fault = _fault(tx, end, rows + 1, link)
        if fault is None and link.seq == head_seq and link.hash != head_hash:
            fault = ChainFault(what=ChainFlaw.HEAD, seq=link.seq, until=link.seq, id=link.id)
        if fault:
            return Verified(rows=rows, end=end, fault=fault)
        rows, end = link.seq, link.hash
    fault = None
    if head_seq > rows:
        fault = ChainFault(what=ChainFlaw.CUT, seq=rows + 1, until=head_seq)
    elif head_seq < rows and _head(tx)[0] < rows:
        fault = ChainFault(what=ChainFlaw.HEAD, seq=rows, until=rows)
    return Verified(rows=rows, end=end, fault=fault)


def _fault(tx: Tx, last: str, expected: int, link: _Link) -> ChainFault | None:
    if link.entry is None:
        return ChainFault(what=ChainFlaw.CHANGED, seq=expected, until=expected, id=link.id)
    if link.seq > expected:
        return ChainFault(what=ChainFlaw.MISSING, seq=expected, until=link.seq - 1)
    if link.seq == expected and _follows(last, link.seq, link.entry, link.hash):
        return None
    # Ids sort by time, and the hosts of one database have nearly the same one.
    what = ChainFlaw.ORDER if (_id_after(tx, link.seq) or link.id) < link.id else ChainFlaw.CHANGED
    return ChainFault(what=what, seq=link.seq, until=link.seq, id=link.id)


def _follows(last: str, seq: int, entry: AuditEntry, link: str) -> bool:
    try:
        return link_of(last, seq, entry) == link
    except TypeError:  # SQLite accepts bytes as text
        return False


def _head(tx: Tx) -> tuple[int, str]:
    """The head; if it is missing, as before the first row: then there must be no rows either."""
    row = tx.execute(sa.select(audit_head).where(audit_head.c.id == 1)).first()
    return (row.seq, row.hash) if row else (0, "")


def _links(tx: Tx) -> Iterator[_Link]:
    after: int | None = None
    while batch := _batch(tx, after, _BATCH):
        yield from batch
        after = batch[-1].seq


def _batch(tx: Tx, after: int | None, size: int) -> Sequence[_Link]:
    behind = sa.true() if after is None else audit.c.seq > after
    try:
        rows = tx.execute(sa.select(audit).where(behind).order_by(audit.c.seq).limit(size)).all()
        return [
            _Link(
                seq=row.seq,
                id=row.id,
                hash=row.hash,
                entry=read_entry(row) if isinstance(row.seq, int) else None,
            )
            for row in rows
        ]
    except (ValueError, TypeError):
        if size > 1:  # find the unreadable one
            return _batch(tx, after, size // 2)
        bare = sa.select(audit.c.seq, audit.c.id, audit.c.hash).where(behind).order_by(audit.c.seq).limit(1)
        return [_Link(seq=row.seq, id=row.id, hash=row.hash, entry=None) for row in tx.execute(bare)]


def _id_after(tx: Tx, seq: int) -> str | None:
    found = sa.select(audit.c.id).where(audit.c.seq > seq).order_by(audit.c.seq).limit(1)
    return tx.execute(found).scalar()
