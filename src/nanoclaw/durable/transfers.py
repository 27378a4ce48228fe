"""The rows of session transfers: what was packed for whom, and how far it is."""

from dataclasses import fields
from datetime import timedelta
from typing import Any

import sqlalchemy as sa

from nanoclaw.domain.ids import new_id
from nanoclaw.domain.news import EVERY_CHAT, TransferChanged
from nanoclaw.domain.transfers import Target, Transfer, TransferState
from nanoclaw.durable.after_commit import announce
from nanoclaw.durable.store import Tx
from nanoclaw.durable.transfer_tables import session_transfers

_NAMES = {"group": "agent_group", "target": "target_runtime", "state": "status"}
_OPEN = session_transfers.c.ended_at.is_(None)
_OPEN_OF = sa.select(session_transfers).where(
    session_transfers.c.session_id == sa.bindparam("session"), _OPEN
)


def new_transfer_id() -> str:
    return new_id("tr")


def add(tx: Tx, transfer: Transfer) -> None:
    values = {_NAMES.get(each.name, each.name): getattr(transfer, each.name) for each in fields(transfer)}
    tx.execute(sa.insert(session_transfers), values)
    announce(tx, EVERY_CHAT, TransferChanged(transfer.id))


def mark(tx: Tx, transfer_id: str, **changed: Any) -> None:
    """Change these fields, given by name, whether it is open or ended."""
    values = {_NAMES.get(name, name): value for name, value in changed.items()}
    tx.execute(sa.update(session_transfers).where(session_transfers.c.id == transfer_id).values(values))
    announce(tx, EVERY_CHAT, TransferChanged(transfer_id))


def get(tx: Tx, transfer_id: str) -> Transfer | None:
    return _one(tx, sa.select(session_transfers).where(session_transfers.c.id == transfer_id))


def locked(tx: Tx, transfer_id: str) -> Transfer | None:
    """The transfer, locked until this transaction ends."""
    wanted = sa.select(session_transfers).where(session_transfers.c.id == transfer_id).with_for_update()
    return _one(tx, wanted)


def open_of(tx: Tx, session_id: str) -> list[Transfer]:
    """Open transfers of this session, oldest first."""
    return sorted(map(_transfer, tx.execute(_OPEN_OF, {"session": session_id})), key=lambda each: each.id)


def open_in(tx: Tx, company: str) -> list[Transfer]:
    """Open transfers of this company, oldest first."""
    wanted = sa.select(session_transfers).where(session_transfers.c.company == company, _OPEN)
    return [_transfer(row) for row in tx.execute(wanted.order_by(session_transfers.c.id))]


def away(tx: Tx, company: str, limit: int) -> list[Transfer]:
    """Transfers of this company that wait for a result, newest first."""
    table = session_transfers
    wanted = sa.select(table).where(table.c.company == company, _OPEN, table.c.delivered_at.is_not(None))
    return [_transfer(row) for row in tx.execute(wanted.order_by(table.c.id.desc()).limit(limit))]


def open_ids(tx: Tx) -> set[str]:
    return set(tx.execute(sa.select(session_transfers.c.id).where(_OPEN)).scalars())


def latest(
    tx: Tx,
    *,
    is_open: bool | None = None,
    chat_id: str | None = None,
    limit: int = 50,
    before: str | None = None,
) -> list[Transfer]:
    """Newest first; optionally only open or ended ones, or those of a chat. `before` is the id of the last
    one seen.
    """
    wanted = sa.select(session_transfers).order_by(session_transfers.c.id.desc()).limit(limit)
    if chat_id is not None:
        wanted = wanted.where(session_transfers.c.chat_id == chat_id)
    if is_open is not None:
        wanted = wanted.where(_OPEN if is_open else sa.not_(_OPEN))
    if before:
        wanted = wanted.where(session_transfers.c.id < before)
    return [_transfer(row) for row in tx.execute(wanted)]


def ending(tx: Tx, end: str) -> list[Transfer]:
    """Transfers whose id ends like this, which is all that people see of it."""
    fits = session_transfers.c.id.endswith(end, autoescape=True)
    wanted = sa.select(session_transfers).where(fits).order_by(session_transfers.c.id.desc()).limit(3)
    return [_transfer(row) for row in tx.execute(wanted)]


def began_with(tx: Tx, message_id: str, turns: list[str]) -> list[Transfer]:
    """Transfers that this message asked for, or these turns proposed, oldest first."""
    table = session_transfers
    fits = sa.or_(table.c.message_id == message_id, table.c.turn_id.in_(turns))
    return [_transfer(row) for row in tx.execute(sa.select(table).where(fits).order_by(table.c.id))]


def heed_clock(tx: Tx, by: timedelta) -> None:
    """The clock was set: open transfers keep their remaining time, and so do their packages."""
    table = session_transfers
    kept = sa.select(table.c.id, table.c.expires_at).where(table.c.cleared_at.is_(None))
    for row in tx.execute(kept).all():
        tx.execute(sa.update(table).where(table.c.id == row.id).values(expires_at=row.expires_at + by))


def _one(tx: Tx, wanted: sa.Select[Any]) -> Transfer | None:
    row = tx.execute(wanted).first()
    return _transfer(row) if row else None


def _transfer(row: Any) -> Transfer:
    stored = row._mapping
    values = {each.name: stored[_NAMES.get(each.name, each.name)] for each in fields(Transfer)}
    values["target"], values["state"] = Target(values["target"]), TransferState(values["state"])
    return Transfer(**values)
