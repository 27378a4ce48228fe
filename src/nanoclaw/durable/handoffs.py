"""The rows of handoffs, and of the chains they form. Whoever changes one tells those who watch."""

from collections.abc import Iterable
from typing import Any

import sqlalchemy as sa

from nanoclaw.domain.handoffs import Handoff, HandoffState, HandoffType, HandoffWay
from nanoclaw.domain.news import EVERY_CHAT, HandoffChanged
from nanoclaw.durable.after_commit import announce
from nanoclaw.durable.pipeline_tables import handoffs
from nanoclaw.durable.store import Tx

_C = handoffs.c


def add(tx: Tx, handoff: Handoff, *, origin: str | None = None) -> Handoff:
    """The handoff that has this origin already, if there is one."""
    if origin is not None and (known := tx.execute(sa.select(handoffs).where(_C.origin == origin)).first()):
        return _handoff(known)
    values = {each.name: getattr(handoff, each.name) for each in handoffs.columns if each.name != "origin"}
    tx.execute(sa.insert(handoffs).values(**{**values, "visited": list(handoff.visited)}, origin=origin))
    announce(tx, EVERY_CHAT, HandoffChanged(handoff.id))
    return handoff


def get(tx: Tx, handoff_id: str) -> Handoff | None:
    row = tx.execute(sa.select(handoffs).where(_C.id == handoff_id)).one_or_none()
    return _handoff(row) if row else None


def mark(tx: Tx, handoff_id: str, **values: object) -> None:
    tx.execute(sa.update(handoffs).where(_C.id == handoff_id).values(**values))
    announce(tx, EVERY_CHAT, HandoffChanged(handoff_id))


def of_chain(tx: Tx, chain_id: str) -> list[Handoff]:
    """In their order."""
    rows = tx.execute(sa.select(handoffs).where(_C.chain_id == chain_id).order_by(_C.step, _C.id))
    return [_handoff(row) for row in rows]


def joined(tx: Tx, joins: str) -> list[Handoff]:
    rows = tx.execute(sa.select(handoffs).where(_C.joins == joins).order_by(_C.id))
    return [_handoff(row) for row in rows]


def of_session(tx: Tx, session_id: str) -> Handoff | None:
    """The one that an agent of this session works on."""
    this = sa.and_(_C.session_id == session_id, _C.state == HandoffState.RUNNING.value)
    row = tx.execute(sa.select(handoffs).where(this)).first()
    return _handoff(row) if row else None


def newest(
    tx: Tx, companies: Iterable[str], *, before: str | None = None, limit: int = 20, is_open: bool = False
) -> list[Handoff]:
    where: list[sa.ColumnElement[bool]] = [_C.company.in_(list(companies))]
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
