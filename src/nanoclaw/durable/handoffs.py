"""The rows of handoffs, and of the chains they form. Every change is announced to those who watch."""

from collections.abc import Iterable
from datetime import datetime
from typing import Any

import sqlalchemy as sa

from nanoclaw.domain.handoffs import Handoff, HandoffState, HandoffType, HandoffWay
from nanoclaw.domain.news import EVERY_CHAT, HandoffChanged
from nanoclaw.durable.after_commit import announce
from nanoclaw.durable.pipeline_tables import chains, handoffs
from nanoclaw.durable.store import Tx
from nanoclaw.durable.tables import costs

_C = handoffs.c


def add(tx: Tx, handoff: Handoff, *, origin: str | None = None) -> Handoff:
    """Add a handoff, or return the one with this origin."""
    if origin is not None and (before := known(tx, origin)):
        return before
    values = {each.name: getattr(handoff, each.name) for each in handoffs.columns if each.name != "origin"}
    tx.execute(sa.insert(handoffs).values(**{**values, "visited": list(handoff.visited)}, origin=origin))
    announce(tx, EVERY_CHAT, HandoffChanged(handoff.id))
    return handoff


def get(tx: Tx, handoff_id: str) -> Handoff | None:
    row = tx.execute(sa.select(handoffs).where(_C.id == handoff_id)).one_or_none()
    return _handoff(row) if row else None


def locked(tx: Tx, handoff_id: str) -> Handoff | None:
    """The handoff, locked for changes on PostgreSQL, together with those it is joined with. When several of them end at
    once, each would otherwise see the others as open, and nobody would wake the sender."""
    this = handoffs.alias()
    joins = sa.select(this.c.joins).where(this.c.id == handoff_id).scalar_subquery()
    together = sa.select(handoffs).where(sa.or_(_C.id == handoff_id, _C.joins == joins))
    # Always in the same order, so that two transactions never wait for each other.
    rows = tx.execute(together.order_by(_C.id).with_for_update()).all()
    return next((_handoff(row) for row in rows if row.id == handoff_id), None)


def known(tx: Tx, origin: str) -> Handoff | None:
    """The handoff that this request made before."""
    row = tx.execute(sa.select(handoffs).where(_C.origin == origin)).first()
    return _handoff(row) if row else None


def begin_chain(
    tx: Tx, chain_id: str, company: str, *, budget: int | None, message_id: str | None, at: datetime
) -> None:
    values = {"id": chain_id, "company": company, "budget_micros": budget, "created_at": at}
    tx.execute(sa.insert(chains).values(**values, message_id=message_id))


def last_step(tx: Tx, chain_id: str) -> int:
    """The last step of a chain; 0 if nothing was handed over in it yet."""
    found = sa.select(sa.func.max(_C.step)).where(_C.chain_id == chain_id)
    return int(tx.execute(found).scalar() or 0)


def of_turn(tx: Tx, session_id: str, turn_id: str) -> list[Handoff]:
    """What a turn has handed over, in order."""
    this = sa.and_(_C.from_session == session_id, _C.from_turn == turn_id)
    return [_handoff(row) for row in tx.execute(sa.select(handoffs).where(this).order_by(_C.id))]


def from_session(tx: Tx, session_id: str, *, is_open: bool = True) -> list[Handoff]:
    """What the agent of this session has handed over to others: only what is open, or all of it."""
    this = sa.and_(_C.from_session == session_id, _C.way != HandoffWay.INSIDE.value)
    wanted = sa.and_(this, _C.ended_at.is_(None)) if is_open else this
    return [_handoff(row) for row in tx.execute(sa.select(handoffs).where(wanted).order_by(_C.id))]


def mark(tx: Tx, handoff_id: str, **values: object) -> None:
    tx.execute(sa.update(handoffs).where(_C.id == handoff_id).values(**values))
    announce(tx, EVERY_CHAT, HandoffChanged(handoff_id))


def of_chain(tx: Tx, chain_id: str) -> list[Handoff]:
    """The handoffs of a chain, in order."""
    rows = tx.execute(sa.select(handoffs).where(_C.chain_id == chain_id).order_by(_C.step, _C.id))
    return [_handoff(row) for row in rows]


def joined(tx: Tx, joins: str) -> list[Handoff]:
    rows = tx.execute(sa.select(handoffs).where(_C.joins == joins).order_by(_C.id))
    return [_handoff(row) for row in rows]


def worked_on(tx: Tx, session_id: str) -> Handoff | None:
    """The handoff this session was opened for, if any."""
    row = tx.execute(sa.select(handoffs).where(_C.session_id == session_id)).first()
    return _handoff(row) if row else None


def cost_of(tx: Tx, handoff: Handoff) -> int:
    """What its receiver's calls cost, in micros."""
    found = sa.select(sa.func.coalesce(sa.func.sum(costs.c.micros), 0)).where(
        costs.c.chain_id == handoff.chain_id, costs.c.session_id == handoff.session_id
    )
    return int(tx.execute(found).scalar_one())


def newest(
    tx: Tx,
    companies: Iterable[str],
    *,
    before: str | None = None,
    limit: int = 20,
    is_open: bool = False,
    chain_id: str | None = None,
) -> list[Handoff]:
    where: list[sa.ColumnElement[bool]] = [_C.company.in_(list(companies))]
    if chain_id is not None:
        where.append(_C.chain_id == chain_id)
    if before is not None:
        where.append(_C.id < before)
    if is_open:
        where.append(_C.ended_at.is_(None))
    rows = tx.execute(sa.select(handoffs).where(*where).order_by(_C.id.desc()).limit(limit))
    return [_handoff(row) for row in rows]


def _handoff(row: Any) -> Handoff:
    found = dict(row._mapping)
    del found["origin"]
    return Handoff(
        **{
            **found,
            "type": HandoffType(row.type),
            "way": HandoffWay(row.way),
            "state": HandoffState(row.state),
            "visited": tuple(row.visited),
        }
    )
