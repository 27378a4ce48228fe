"""The rows of open requests: strangers who want to speak, and chats that belong to no agent group yet.

Deciding removes the row. It can be removed only once, so two deciders make one decision.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import sqlalchemy as sa

from nanoclaw.domain.ids import ChatId, MessageId, PersonId, new_id
from nanoclaw.domain.messages import Message
from nanoclaw.durable.messages import to_message
from nanoclaw.durable.store import Tx
from nanoclaw.durable.tables import chats, messages, pending_channel_approvals, pending_sender_approvals
from nanoclaw.durable.upsert import insert_if_new


@dataclass(frozen=True, kw_only=True, slots=True)
class Request:
    """Someone wants to speak. Without agent groups it is about the chat, which has none yet."""

    id: str
    chat_id: ChatId
    person_id: PersonId
    groups: tuple[str, ...]
    created_at: datetime
    new_group: str | None = None

    @property
    def is_about_chat(self) -> bool:
        return self.id.startswith(_CHAT)


_SENDER, _CHAT = "q", "k"


def of_sender(tx: Tx, chat_id: str, person_id: str) -> Request | None:
    table = pending_sender_approvals
    return _one(tx, table, sa.and_(table.c.chat_id == chat_id, table.c.person_id == person_id))


def of_person(tx: Tx, person_id: str) -> list[Request]:
    """Their requests to be admitted, and those about chats they added us to."""
    return [request for request in list_open(tx) if request.person_id == person_id]


def of_strangers_in(tx: Tx, chat_id: str) -> list[Request]:
    table = pending_sender_approvals
    return [_request(row) for row in tx.execute(sa.select(table).where(table.c.chat_id == chat_id))]


def of_chat(tx: Tx, chat_id: str) -> Request | None:
    return _one(tx, pending_channel_approvals, pending_channel_approvals.c.chat_id == chat_id)


def open_for_sender(
    tx: Tx, chat_id: ChatId, person_id: PersonId, groups: Sequence[str], at: datetime
) -> Request | None:
    """None if someone else was faster."""
    new = Request(
        id=new_id(_SENDER), chat_id=chat_id, person_id=person_id, groups=tuple(groups), created_at=at
    )
    return _insert(tx, pending_sender_approvals, new, agent_groups=list(groups))


def open_for_chat(tx: Tx, chat_id: ChatId, person_id: PersonId, at: datetime) -> Request | None:
    """None if someone else was faster."""
    new = Request(id=new_id(_CHAT), chat_id=chat_id, person_id=person_id, groups=(), created_at=at)
    return _insert(tx, pending_channel_approvals, new)


def get(tx: Tx, request_id: str) -> Request | None:
    table = _table_of(request_id)
    return _one(tx, table, table.c.id == request_id)


def take(tx: Tx, request_id: str) -> bool:
    """Remove the request, which decides it; False if someone else did."""
    table = _table_of(request_id)
    tx.execute(sa.update(chats).where(chats.c.naming == request_id).values(naming=None))
    return bool(tx.execute(sa.delete(table).where(table.c.id == request_id)).rowcount)


def list_open(tx: Tx) -> list[Request]:
    """Open requests in order of arrival."""
    found = [
        _request(row)
        for table in (pending_sender_approvals, pending_channel_approvals)
        for row in tx.execute(sa.select(table))
    ]
    return sorted(found, key=lambda request: request.created_at)


def count_open(tx: Tx) -> int:
    return sum(
        tx.execute(sa.select(sa.func.count()).select_from(table)).scalar_one()
        for table in (pending_sender_approvals, pending_channel_approvals)
    )


def ask_name(tx: Tx, request_id: str, chat_id: ChatId | None) -> None:
    """Take the decider's next message in this chat as the name of a new agent; None: no chat waits for a name."""
    tx.execute(sa.update(chats).where(chats.c.naming == request_id).values(naming=None))
    if chat_id is not None:
        tx.execute(sa.update(chats).where(chats.c.id == chat_id).values(naming=request_id))


def put_name(tx: Tx, request_id: str, name: str) -> None:
    table = pending_channel_approvals
    tx.execute(sa.update(table).where(table.c.id == request_id).values(new_group=name))


def hold(tx: Tx, message_id: MessageId, request_id: str | None) -> None:
    """Hold the message until the request is decided; None releases it."""
    tx.execute(sa.update(messages).where(messages.c.id == message_id).values(held_for=request_id))


def held_for(tx: Tx, request_id: str) -> list[Message]:
    """The messages held for a request, in order of arrival."""
    found = sa.select(messages).where(messages.c.held_for == request_id).order_by(messages.c.id)
    return [to_message(row) for row in tx.execute(found)]


def _table_of(request_id: str) -> sa.Table:
    return pending_channel_approvals if request_id.startswith(_CHAT) else pending_sender_approvals


def _insert(tx: Tx, table: sa.Table, new: Request, **more: object) -> Request | None:
    values = {"id": new.id, "chat_id": new.chat_id, "person_id": new.person_id, "created_at": new.created_at}
    done = tx.execute(insert_if_new(tx, table), {**values, **more})
    return new if done.first() else None


def _one(tx: Tx, table: sa.Table, fits: sa.ColumnElement[bool]) -> Request | None:
    # Lock it: a message held for it after someone else's decision would wait for ever.
    row = tx.execute(sa.select(table).where(fits).with_for_update()).first()
    return _request(row) if row else None


def _request(row: Any) -> Request:
    return Request(
        id=row.id,
        chat_id=ChatId(row.chat_id),
        person_id=PersonId(row.person_id),
        groups=tuple(getattr(row, "agent_groups", ())),
        created_at=row.created_at,
        new_group=getattr(row, "new_group", None),
    )
