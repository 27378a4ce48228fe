"""The rows of permits: what a person allowed an agent to do with a tool without asking again."""

from dataclasses import asdict, dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any

import sqlalchemy as sa

from nanoclaw.durable.store import Tx
from nanoclaw.durable.tables import permits


class Scope(StrEnum):
    """How far a permit extends."""

    ONCE = "once"
    SESSION = "session"
    ALWAYS = "always"  # in its agent group, until it expires


@dataclass(frozen=True, kw_only=True, slots=True)
class Permit:
    """`arguments_hash` is empty if it covers whatever its rule matches."""

    id: str
    scope: Scope
    agent_group: str
    session_id: str
    tool: str
    arguments_hash: str | None
    rule: str
    shown: str
    granted_by: str
    granted_name: str
    question_id: str
    created_at: datetime
    expires_at: datetime | None


def grant(tx: Tx, permit: Permit) -> None:
    tx.execute(sa.insert(permits).values(**asdict(permit) | {"scope": permit.scope.value}))


def covering(
    tx: Tx, *, group: str, session_id: str, tool: str, arguments_hash: str, rule: str, at: datetime
) -> Permit | None:
    """A permit for this call, the widest first, so that a one-time permit is not wasted."""
    fits = sa.and_(
        permits.c.agent_group == group,
        permits.c.tool == tool,
        permits.c.rule == rule,
        sa.or_(permits.c.scope == Scope.ALWAYS.value, permits.c.session_id == session_id),
        sa.or_(permits.c.arguments_hash.is_(None), permits.c.arguments_hash == arguments_hash),
        _valid(at),
    )
    found = [_permit(row) for row in tx.execute(sa.select(permits).where(fits))]
    return max(found, key=lambda permit: list(Scope).index(permit.scope), default=None)


def use_up(tx: Tx, permit_id: str, at: datetime) -> bool:
    """Use up a one-time permit. False if another call was first, or it was revoked."""
    return bool(tx.execute(sa.update(permits).where(_unspent(permit_id)).values(used_at=at)).rowcount)


def revoke(tx: Tx, permit_id: str, at: datetime) -> bool:
    """False if it was used up or revoked before."""
    return bool(tx.execute(sa.update(permits).where(_unspent(permit_id)).values(revoked_at=at)).rowcount)


def revoke_session(tx: Tx, session_id: str, at: datetime) -> None:
    """A fresh start: what was allowed in the conversation so far is asked about again."""
    theirs = sa.and_(permits.c.session_id == session_id, permits.c.scope != Scope.ALWAYS.value, _valid(at))
    tx.execute(sa.update(permits).where(theirs).values(revoked_at=at))


def valid(tx: Tx, at: datetime) -> list[Permit]:
    """Valid permits, newest first."""
    rows = tx.execute(sa.select(permits).where(_valid(at)).order_by(permits.c.id.desc()))
    return [_permit(row) for row in rows]


def _unspent(permit_id: str) -> sa.ColumnElement[bool]:
    return sa.and_(permits.c.id == permit_id, permits.c.used_at.is_(None), permits.c.revoked_at.is_(None))


def _valid(at: datetime) -> sa.ColumnElement[bool]:
    return sa.and_(
        permits.c.revoked_at.is_(None),
        permits.c.used_at.is_(None),
        sa.or_(permits.c.expires_at.is_(None), permits.c.expires_at > at),
    )


def _permit(row: Any) -> Permit:
    return Permit(
        id=row.id,
        scope=Scope(row.scope),
        agent_group=row.agent_group,
        session_id=row.session_id,
        tool=row.tool,
        arguments_hash=row.arguments_hash,
        rule=row.rule,
        shown=row.shown,
        granted_by=row.granted_by,
        granted_name=row.granted_name,
        question_id=row.question_id,
        created_at=row.created_at,
        expires_at=row.expires_at,
    )
