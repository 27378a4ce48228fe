"""The outbox: a row for each parcel, posted in the transaction that decides it, so that nothing is lost."""

from collections.abc import Sequence
from dataclasses import asdict, replace
from datetime import datetime
from typing import Any

import sqlalchemy as sa

from nanoclaw.domain.ids import ChatId, MessageId, ParcelId, TurnId, new_id
from nanoclaw.domain.parcels import Attachment, Author, Button, Parcel, ParcelState
from nanoclaw.domain.shown_text import shown, shown_line
from nanoclaw.domain.thoughts import without_internal
from nanoclaw.durable import people, sent, work
from nanoclaw.durable.store import Tx
from nanoclaw.durable.tables import NOT_DELIVERED, UtcTime, chats, messages, parcels
from nanoclaw.durable.timeline import Event, note

ALERT = "alert"  # first word of the origin of alerts and questions to owners
REMINDER = "reminder"  # the same for reminders: the card they are about is above

_TO_SEND = (ParcelState.PENDING.value, ParcelState.SENDING.value)
_GIVEN_UP = (ParcelState.FAILED.value, ParcelState.UNKNOWN.value)

_SELECT = (
    sa.select(parcels, chats.c.channel, chats.c.address, chats.c.closed, messages.c.external_id)
    .join(chats, chats.c.id == parcels.c.chat_id)
    .outerjoin(messages, messages.c.id == parcels.c.message_id)
)
_NEXT = (
    _SELECT.where(parcels.c.chat_id == sa.bindparam("chat"), NOT_DELIVERED, parcels.c.state.in_(_TO_SEND))
    .order_by(parcels.c.number)
    .limit(1)
)
_FAILED = _SELECT.where(NOT_DELIVERED, parcels.c.state.in_(_GIVEN_UP)).order_by(parcels.c.id)
_UNKNOWN = _SELECT.where(
    parcels.c.chat_id == sa.bindparam("chat"), NOT_DELIVERED, parcels.c.state == ParcelState.UNKNOWN.value
).order_by(parcels.c.number)
_AWAITED = (
    sa.select(parcels.c.id)
    .where(
        parcels.c.chat_id == sa.bindparam("chat"),
        NOT_DELIVERED,
        parcels.c.state.in_(_TO_SEND),
        parcels.c.platform_id.is_(None),
    )
    .limit(1)
)
_GET = _SELECT.where(parcels.c.id == sa.bindparam("parcel"))
_CHAT_OF = sa.select(parcels.c.chat_id).where(parcels.c.id == sa.bindparam("parcel"))
_POST = sa.insert(parcels)
_MARK = sa.update(parcels).where(parcels.c.id == sa.bindparam("parcel"))
_MARK_SENT = _MARK.where(parcels.c.text == sa.bindparam("said"))
_SPOKEN_IN = (
    sa.update(chats)
    .where(chats.c.id == sa.bindparam("chat"))
    .values(last_at=sa.bindparam("at", type_=UtcTime), last_number=chats.c.last_number + 1)
    .returning(chats.c.last_number)
)


def post(
    tx: Tx,
    *,
    chat_id: ChatId,
    thread: str | None,
    author: Author,
    text: str,
    at: datetime,
    turn_id: TurnId | None = None,
    message_id: MessageId | None = None,
    parcel_id: ParcelId | None = None,
    attachments: Sequence[Attachment] = (),
    buttons: Sequence[Button] = (),
    origin: str | None = None,
    silent: bool = False,
) -> ParcelId:
    """Post a parcel. The delivery worker sends it after the commit. Everything an agent says to people goes
    through here; what it only thinks does not. Whatever the host shows (cards, diffs, lists) has marks for what
    a screen would hide.
    """
    said = without_internal(text) if author is Author.AGENT else shown(text)
    parcel_id = parcel_id or ParcelId(new_id("o"))
    # First, because it locks the chat, so that numbers follow the order of commits.
    number = tx.execute(_SPOKEN_IN, {"chat": chat_id, "at": at}).scalar()
    tx.execute(
        _POST,
        {
            "id": parcel_id,
            "number": number,
            "chat_id": chat_id,
            "thread": thread or "",
            "author": author.value,
            "text": said,
            "turn_id": turn_id,
            "message_id": message_id,
            "state": ParcelState.PENDING.value,
            "attempts": 0,
            "attachments": [asdict(each) for each in attachments] or None,
            "buttons": _written(buttons),
            "origin": origin,
            "silent": silent or None,
            "created_at": at,
        },
    )
    # Not hastened: a chat that told us to wait is not tried sooner because there is more to send.
    work.due(tx, work.DELIVERY, chat_id, at, hasten=False)
    return parcel_id


def posted_for(tx: Tx, origin: str) -> bool:
    """Whether this request of an agent was already carried out."""
    return id_for(tx, origin) is not None


def id_for(tx: Tx, origin: str) -> ParcelId | None:
    """The parcel that was posted for it."""
    found = tx.execute(sa.select(parcels.c.id).where(parcels.c.origin == origin)).scalar()
    return ParcelId(found) if found else None


def origin_of(tx: Tx, parcel_id: ParcelId) -> str | None:
    """What made the host post it."""
    return tx.execute(sa.select(parcels.c.origin).where(parcels.c.id == parcel_id)).scalar()


def kind_of(tx: Tx, parcel_id: ParcelId) -> str:
    """ALERT, REMINDER, or another kind that nobody asks about."""
    return (origin_of(tx, parcel_id) or "").partition(" ")[0]


def is_awaited(tx: Tx, chat_id: str) -> bool:
    """Whether a new parcel is on its way to this chat: whatever is said later must appear below it."""
    return tx.execute(_AWAITED, {"chat": chat_id}).first() is not None


def was_overtaken(tx: Tx, parcel: Parcel) -> bool:
    """Whether a later parcel has already arrived there."""
    later = sa.select(parcels.c.id).where(
        parcels.c.chat_id == parcel.chat_id,
        parcels.c.number > parcel.number,
        parcels.c.state == ParcelState.DELIVERED.value,
    )
    return tx.execute(later.limit(1)).first() is not None


def unknown_in(tx: Tx, chat_id: str) -> list[Parcel]:
    """Parcels there in state unknown, oldest first."""
    return [_parcel(row) for row in tx.execute(_UNKNOWN, {"chat": chat_id})]


def alerts_about(tx: Tx, parcel_id: str) -> list[Parcel]:
    """Alerts about an undelivered parcel that owners have not decided yet."""
    found = _SELECT.where(
        parcels.c.origin.startswith(f"{ALERT} {parcel_id} "), parcels.c.buttons.is_not(None)
    )
    return [_parcel(row) for row in tx.execute(found)]


def next_for(tx: Tx, chat_id: str) -> Parcel | None:
    """The first parcel that this chat has not received yet. The ones after it wait."""
    row = tx.execute(_NEXT, {"chat": chat_id}).first()
    return _parcel(row) if row else None


def mark(tx: Tx, parcel_id: ParcelId, state: ParcelState, **values: object) -> None:
    tx.execute(_MARK, {"parcel": parcel_id, "state": state.value, **values})


def mark_leaving(tx: Tx, parcel_id: ParcelId, lease: str) -> None:
    """Its first bytes are about to leave, under this delivery's lease."""
    mark(tx, parcel_id, ParcelState.SENDING, error={"error": "send-cut", "lease": lease})


def take_mark_back(tx: Tx, chat_id: str, lease: str, at: datetime) -> None:
    """Nothing left under this lease, whatever others did with its mark meanwhile."""
    marked = sa.and_(NOT_DELIVERED, parcels.c.state.in_((*_TO_SEND, ParcelState.UNKNOWN.value)))
    for row in tx.execute(sa.select(parcels).where(parcels.c.chat_id == chat_id, marked)).all():
        if (row.error or {}).get("lease") == lease:
            mark(tx, row.id, ParcelState.PENDING, error=None)
            work.due(tx, work.DELIVERY, chat_id, at)


def mark_sent(tx: Tx, parcel: Parcel, **values: object) -> None:
    """Mark it as delivered. If its text was amended while it was being sent, the new text is still to be sent."""
    delivered = {"parcel": parcel.id, "said": parcel.text, "state": ParcelState.DELIVERED.value, **values}
    if not tx.execute(_MARK_SENT, delivered).rowcount:
        mark(tx, parcel.id, ParcelState.PENDING, **values)


def given_up(tx: Tx) -> list[Parcel]:
    """The failed parcels: undeliverable, waiting for a person's decision."""
    rows = tx.execute(_FAILED)
    return [_parcel(row) for row in rows]


def retry(tx: Tx, parcel: Parcel, at: datetime) -> None:
    """A person wants a failed parcel sent again, even to a chat that was closed."""
    people.close_chat(tx, parcel.chat_id, None)
    mark(tx, parcel.id, ParcelState.PENDING, attempts=0, error=None, noted=None)
    sent.forget_unheard(tx, parcel.turn_id or parcel.id)
    note(tx, parcel.turn_id or parcel.message_id, Event.DELIVERY_RETRIED, at)
    work.due(tx, work.DELIVERY, parcel.chat_id, at)


def amend(tx: Tx, parcel_id: ParcelId, text: str, buttons: Sequence[Button], at: datetime) -> None:
    """Replace the text and buttons that were sent."""
    mark(tx, parcel_id, ParcelState.PENDING, text=shown(text), buttons=_written(buttons), attempts=0)
    chat_id = tx.execute(_CHAT_OF, {"parcel": parcel_id}).scalar_one()
    work.due(tx, work.DELIVERY, chat_id, at)


def amend_without_files(tx: Tx, parcel_id: ParcelId, text: str, at: datetime) -> None:
    """Amend a parcel whose files are no longer kept: the chat shows only the text. For channels that show
    what we keep.
    """
    amend(tx, parcel_id, text, (), at)
    tx.execute(sa.update(parcels).where(parcels.c.id == parcel_id).values(attachments=None))


def get(tx: Tx, parcel_id: str) -> Parcel | None:
    row = tx.execute(_GET, {"parcel": parcel_id}).first()
    return _parcel(row) if row else None


def about(tx: Tx, subject: str) -> Parcel | None:
    """Find a parcel by its own id, or by the id of the turn it answers."""
    row = tx.execute(_SELECT.where(sa.or_(parcels.c.id == subject, parcels.c.turn_id == subject))).first()
    return _parcel(row) if row else None


def drop(tx: Tx, parcel: Parcel, at: datetime) -> None:
    """A person decided that a failed parcel will not be sent."""
    mark(tx, parcel.id, ParcelState.DROPPED)
    note(tx, parcel.turn_id or parcel.message_id, Event.DELIVERY_DROPPED, at)


def _written(buttons: Sequence[Button]) -> list[dict[str, Any]] | None:
    return [asdict(replace(each, label=shown_line(each.label))) for each in buttons] or None


def _parcel(row: Any) -> Parcel:
    return Parcel(
        id=ParcelId(row.id),
        chat_id=ChatId(row.chat_id),
        channel=row.channel,
        address=row.address,
        thread=row.thread or None,
        author=Author(row.author),
        text=row.text,
        turn_id=row.turn_id,
        message_id=row.message_id,
        state=ParcelState(row.state),
        attempts=row.attempts,
        error=row.error,
        created_at=row.created_at,
        attachments=tuple(map(Attachment.read, row.attachments or ())),
        buttons=tuple(Button(**each) for each in row.buttons or ()),
        reply_ref=row.external_id,
        closed=row.closed,
        silent=bool(row.silent),
        platform_id=row.platform_id,
        note=row.noted,
        number=row.number,
    )
