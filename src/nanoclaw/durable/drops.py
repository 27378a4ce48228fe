"""What was never accepted, newest first, with the reason, so that every silence can be explained."""

from dataclasses import dataclass
from datetime import datetime

import sqlalchemy as sa

from nanoclaw.domain.messages import End
from nanoclaw.durable.store import Tx
from nanoclaw.durable.tables import chats, messages, people

# As a literal: SQLite uses a partial index only when the query has exactly the same expression.
_DROPPED = messages.c.end == sa.literal_column(f"'{End.DROPPED.value}'")


@dataclass(frozen=True, kw_only=True, slots=True)
class Drop:
    id: str
    at: datetime
    channel: str
    chat: str
    chat_id: str
    handle: str
    sender: str
    text: str
    reason: str


def newest(tx: Tx, limit: int, before: str | None = None) -> list[Drop]:
    found = (
        sa.select(messages, chats.c.title, people.c.handle)
        .join(chats, chats.c.id == messages.c.chat_id)
        .join(people, people.c.id == messages.c.person_id)
        .where(_DROPPED)
        .order_by(messages.c.id.desc())
        .limit(limit)
    )
    if before:
        found = found.where(messages.c.id < before)
    return [
        Drop(
            id=row.id,
            at=row.received_at,
            channel=row.channel,
            chat=row.title,
            chat_id=row.chat_id,
            handle=row.handle,
            sender=row.sender,
            text=row.text,
            reason=row.reason or "",
        )
        for row in tx.execute(found)
    ]
