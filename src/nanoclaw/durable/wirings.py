"""The rows of wirings: which agent groups a chat is wired to, and how."""

from datetime import datetime
from typing import Any

import sqlalchemy as sa

from nanoclaw.domain.ids import ChatId
from nanoclaw.domain.wirings import (
    ChatKind,
    Engage,
    EngageMode,
    IgnoredMessages,
    SenderScope,
    Wiring,
    usual_engage,
)
from nanoclaw.durable.store import Tx
from nanoclaw.durable.tables import wirings
from nanoclaw.durable.upsert import insert_if_new

_OF_CHAT = (
    sa.select(wirings)
    .where(wirings.c.chat_id == sa.bindparam("chat_id"))
    .order_by(wirings.c.priority, wirings.c.agent_group)
)


def of_chat(tx: Tx, chat_id: str) -> list[Wiring]:
    """The wirings of a chat, in the order in which agents start."""
    return [_wiring(row) for row in tx.execute(_OF_CHAT, {"chat_id": chat_id})]


def groups_of(tx: Tx, chat_id: str) -> list[str]:
    return [wiring.group for wiring in of_chat(tx, chat_id)]


def everywhere(tx: Tx) -> list[Wiring]:
    found = sa.select(wirings).order_by(wirings.c.chat_id, wirings.c.priority, wirings.c.agent_group)
    return [_wiring(row) for row in tx.execute(found)]


def chats_wired_to(tx: Tx, group: str) -> list[ChatId]:
    """The chats where a group's agent speaks."""
    found = sa.select(wirings.c.chat_id).where(wirings.c.agent_group == group).order_by(wirings.c.created_at)
    return [ChatId(chat_id) for chat_id in tx.execute(found).scalars()]


def wire(tx: Tx, chat_id: ChatId, kind: ChatKind, group: str, at: datetime) -> Wiring:
    """Wire a chat with the defaults for its kind; an existing wiring stays as it is."""
    new = Wiring(chat_id=chat_id, group=group, engage=usual_engage(kind))
    values = {"chat_id": chat_id, "agent_group": group, "created_at": at, **_written(new)}
    tx.execute(insert_if_new(tx, wirings), values)
    return new


def change(tx: Tx, wiring: Wiring) -> None:
    tx.execute(sa.update(wirings).where(_this(wiring.chat_id, wiring.group)).values(**_written(wiring)))


def unwire(tx: Tx, chat_id: str, group: str) -> None:
    tx.execute(sa.delete(wirings).where(_this(chat_id, group)))


def _this(chat_id: str, group: str) -> sa.ColumnElement[bool]:
    return sa.and_(wirings.c.chat_id == chat_id, wirings.c.agent_group == group)


def _written(wiring: Wiring) -> dict[str, Any]:
    return {
        "priority": wiring.priority,
        "engage_mode": wiring.engage.mode.value,
        "engage_pattern": wiring.engage.pattern,
        "sender_scope": wiring.senders.value,
        "ignored_message_policy": wiring.ignored.value,
    }


def _wiring(row: Any) -> Wiring:
    return Wiring(
        chat_id=ChatId(row.chat_id),
        group=row.agent_group,
        engage=Engage(mode=EngageMode(row.engage_mode), pattern=row.engage_pattern),
        senders=SenderScope(row.sender_scope),
        ignored=IgnoredMessages(row.ignored_message_policy),
        priority=row.priority,
    )
