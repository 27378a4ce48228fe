"""What both sides said in a chat, in order, with the state of every message, for the page and the terminal."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

import sqlalchemy as sa

from nanoclaw.domain.ids import moment_of
from nanoclaw.domain.messages import End
from nanoclaw.domain.parcels import Attachment, Button, ParcelState
from nanoclaw.durable import work
from nanoclaw.durable.messages import HOST
from nanoclaw.durable.store import Tx
from nanoclaw.durable.tables import messages, parcels, session_queue

WAITING = "waiting"
RUNNING = "running"
HELD = "held"
_SAID = messages.c.channel != HOST


@dataclass(frozen=True, kw_only=True, slots=True)
class Item:
    """One line of a chat. The author is a person, the agent or the host."""

    id: str
    chat_id: str
    author: str
    name: str
    text: str
    at: datetime
    state: str
    place: int | None = None
    turn: str | None = None
    reply_to: str | None = None
    answers: str | None = None  # the question that this message answered
    attachments: tuple[Attachment, ...] = ()
    buttons: tuple[Button, ...] = ()


def of_chat(
    tx: Tx, chat_id: str, *, before: str | None = None, after: str | None = None, limit: int = 50
) -> tuple[list[Item], bool]:
    """A page of the chat, oldest first, and whether there is more. Cursors are ids of items."""
    found: list[Item] = []
    for table, kind in ((messages, "m"), (parcels, "o")):
        query = sa.select(table.c.id).where(table.c.chat_id == chat_id)
        if table is messages:
            query = query.where(_SAID)
        if before:
            query = query.where(table.c.id < f"{kind}_{moment_of(before)}")
        if after:
            query = query.where(table.c.id > f"{kind}_{moment_of(after)}").order_by(table.c.id)
        else:
            query = query.order_by(table.c.id.desc())
        ids = list(tx.execute(query.limit(limit + 1)).scalars())
        found += messages_by_id(tx, ids) if table is messages else parcels_by_id(tx, ids)
    found.sort(key=lambda item: moment_of(item.id))
    more = len(found) > limit
    return (found[:limit] if after else found[-limit:]), more


def messages_by_id(tx: Tx, ids: Iterable[str], *, unsaid: bool = False) -> list[Item]:
    """`unsaid`: include what the host itself put into a session, which nobody sees in the chat."""
    rows = tx.execute(
        sa.select(
            messages,
            session_queue.c.session_id,
            session_queue.c.turn_id,
            session_queue.c.end.label("session_end"),
        )
        .outerjoin(session_queue, session_queue.c.message_id == messages.c.id)
        .where(messages.c.id.in_(list(ids)), *([] if unsaid else [_SAID]))
        .order_by(messages.c.id)
    ).all()
    by_message: dict[str, list[sa.Row[tuple[object, ...]]]] = {}
    for row in rows:
        by_message.setdefault(row.id, []).append(row)
    return [_message_item(tx, group) for group in by_message.values()]


def parcels_by_id(tx: Tx, ids: Iterable[str]) -> list[Item]:
    rows = tx.execute(
        sa.select(parcels)
        .where(parcels.c.id.in_(list(ids)), parcels.c.state != ParcelState.DROPPED.value)
        .order_by(parcels.c.id)
    )
    return [
        Item(
            id=row.id,
            chat_id=row.chat_id,
            author=row.author,
            name="",
            text=row.text,
            at=row.created_at,
            state=row.state,
            turn=row.turn_id,
            reply_to=row.message_id,
            attachments=tuple(map(Attachment.read, row.attachments or ())),
            buttons=tuple(Button(**each) for each in row.buttons or ()),
        )
        for row in rows
    ]


def said_to(tx: Tx, message_id: str) -> list[Item]:
    """The answers to a message, in order."""
    ids = tx.execute(sa.select(parcels.c.id).where(parcels.c.message_id == message_id)).scalars()
    return parcels_by_id(tx, ids)


def _message_item(tx: Tx, rows: list[sa.Row[tuple[object, ...]]]) -> Item:
    """The state of a message. With several agents in one chat, the slowest of them counts."""
    first = rows[0]
    open_rows = [row for row in rows if row.session_id and not row.session_end]
    place = None
    if first.end:
        state = first.end
    elif first.held_for:
        state = HELD
    elif waiting := [row for row in open_rows if not row.turn_id]:
        state = WAITING
        place = work.place_of(tx, work.TURN, waiting[0].session_id)
    elif open_rows:  # a turn that is held, or to be retried, waits although it has begun
        place = work.place_of(tx, work.TURN, open_rows[0].session_id)
        state = RUNNING if place is None else WAITING
    elif not any(row.session_id for row in rows):  # a command that takes long to read, or waits for its file
        state = RUNNING
    else:
        ends = {row.session_end for row in rows}
        state = next(
            (end.value for end in (End.FAILED, End.STOPPED, End.ANSWERED, End.SILENT) if end in ends),
            End.KEPT.value if End.KEPT in ends else End.SILENT.value,
        )
    return Item(
        id=first.id,
        chat_id=first.chat_id,
        author="person",
        name=first.sender,
        text=first.text,
        at=first.received_at,
        state=state,
        place=place,
        turn=first.turn_id,
        reply_to=(first.reply_to or {}).get("ref"),
        answers=first.answers,
    )
