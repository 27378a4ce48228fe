"""Updates that could not be taken in, kept with the reason, so that they block nobody and can be inspected."""

from dataclasses import dataclass
from datetime import datetime

import sqlalchemy as sa

from nanoclaw.durable.store import Tx
from nanoclaw.durable.tables import set_aside
from nanoclaw.durable.upsert import insert_if_new

_LONGEST = 100_000


@dataclass(frozen=True, kw_only=True, slots=True)
class SetAside:
    channel: str
    update_id: str
    body: str
    error: str
    at: datetime


def keep(tx: Tx, update: SetAside) -> None:
    tx.execute(
        insert_if_new(tx, set_aside),
        {
            "channel": update.channel,
            "update_id": update.update_id,
            "body": update.body[:_LONGEST],
            "error": update.error,
            "at": update.at,
        },
    )


def count_since(tx: Tx, since: datetime) -> dict[str, int]:
    """Counts by channel, without those that set nothing aside."""
    count = sa.select(set_aside.c.channel, sa.func.count()).where(set_aside.c.at >= since)
    rows = tx.execute(count.group_by(set_aside.c.channel))
    return {row[0]: row[1] for row in rows}


def kept(tx: Tx, limit: int) -> list[SetAside]:
    """Updates set aside, newest first."""
    rows = tx.execute(sa.select(set_aside).order_by(set_aside.c.at.desc()).limit(limit))
    return [
        SetAside(channel=row.channel, update_id=row.update_id, body=row.body, error=row.error, at=row.at)
        for row in rows
    ]
