"""Updates that could not be taken in, kept with the reason so that they stop nobody and can be looked at."""

from dataclasses import dataclass
from datetime import datetime
from types import ModuleType
from typing import Any

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql, sqlite

from nanoclaw.durable.store import Tx
from nanoclaw.durable.tables import set_aside

_LONGEST = 100_000


@dataclass(frozen=True, kw_only=True, slots=True)
class SetAside:
    channel: str
    update_id: str
    body: str
    error: str
    at: datetime


def _once(dialect: ModuleType) -> Any:
    return dialect.insert(set_aside).on_conflict_do_nothing()


_KEEP = {dialect.__name__.rpartition(".")[2]: _once(dialect) for dialect in (sqlite, postgresql)}


def keep(tx: Tx, update: SetAside) -> None:
    tx.execute(
        _KEEP[tx.dialect.name],
        {
            "channel": update.channel,
            "update_id": update.update_id,
            "body": update.body[:_LONGEST],
            "error": update.error,
            "at": update.at,
        },
    )


def kept(tx: Tx, limit: int) -> list[SetAside]:
    """The newest first."""
    rows = tx.execute(sa.select(set_aside).order_by(set_aside.c.at.desc()).limit(limit))
    return [
        SetAside(channel=row.channel, update_id=row.update_id, body=row.body, error=row.error, at=row.at)
        for row in rows
    ]
