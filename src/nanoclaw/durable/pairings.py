"""One-time codes by which a person on a chat network becomes the owner."""

import hashlib
from datetime import datetime

import sqlalchemy as sa

from nanoclaw.durable.store import Tx
from nanoclaw.durable.tables import pairings


def issue(tx: Tx, code: str, expires_at: datetime) -> None:
    """Store a new code; unused earlier codes become invalid."""
    tx.execute(sa.delete(pairings).where(pairings.c.used_by.is_(None)))
    tx.execute(sa.insert(pairings).values(code=_hashed(code), expires_at=expires_at))


def redeem(tx: Tx, code: str, handle: str, at: datetime) -> bool:
    """Whether the code was valid. The first to send it uses it up."""
    good = sa.and_(pairings.c.code == _hashed(code), pairings.c.used_by.is_(None), pairings.c.expires_at > at)
    return bool(tx.execute(sa.update(pairings).where(good).values(used_by=handle)).rowcount)


def _hashed(code: str) -> str:
    return hashlib.sha256(code.encode()).hexdigest()
