"""The rows of messages: what people said, stored before anything else happens to it."""

from collections.abc import Sequence
from dataclasses import asdict
from datetime import datetime
from typing import Any

import sqlalchemy as sa

from nanoclaw.domain.ids import ChatId, MessageId, PersonId
from nanoclaw.domain.messages import End, File, FileKind, Incoming, Message, Quote
from nanoclaw.domain.people import Person
from nanoclaw.domain.wirings import ChatKind
from nanoclaw.durable.store import Tx
from nanoclaw.durable.tables import chats, messages, session_queue

_SEEN = sa.select(messages.c.id).where(
    messages.c.channel == sa.bindparam("channel"),
    messages.c.chat_id == sa.bindparam("chat_id"),
    messages.c.external_id == sa.bindparam("external_id"),
)
_GET = sa.select(messages).where(messages.c.id == sa.bindparam("id"))
_AT = sa.select(messages).where(
    # first column of the index
    messages.c.channel
    == sa.select(chats.c.channel).where(chats.c.id == sa.bindparam("chat_id")).scalar_subquery(),
    messages.c.chat_id == sa.bindparam("chat_id"),
    messages.c.external_id == sa.bindparam("external_id"),
)
_NEWEST_WORDS = (
    sa.select(messages)
    .where(
        messages.c.chat_id == sa.bindparam("chat_id"),
        sa.or_(
            messages.c.external_id == sa.bindparam("external_id"),
            messages.c.edits == sa.bindparam("external_id"),
        ),
    )
    .order_by(messages.c.id.desc())
    .limit(1)
)
_GATHERING = (
    sa.select(messages)
    .where(
        messages.c.chat_id == sa.bindparam("chat_id"),
        messages.c.album == sa.bindparam("album"),
        messages.c.unfetched,
        messages.c.end.is_(None),
    )
    .limit(1)
    .with_for_update()
)
_PLACES = (
    sa.select(session_queue.c.turn_id, session_queue.c.end)
    .where(session_queue.c.message_id == sa.bindparam("id"))
    .with_for_update()
)
_OF_PART = (
    sa.select(messages)
    .where(
        messages.c.chat_id == sa.bindparam("chat_id"),
        messages.c.album.is_not(None),
        sa.cast(messages.c.files, sa.Text).like(sa.bindparam("part")),
    )
    .limit(1)
)
_STORE = sa.insert(messages)
_SPOKEN_IN = sa.update(chats).where(chats.c.id == sa.bindparam("chat"))
_UPDATE = sa.update(messages).where(messages.c.id == sa.bindparam("message"))
_LATELY = 200  # messages
HOST = "host"
"""The channel of what the host itself puts into a session; nobody sees it in the chat."""


def by_host(
    ref: str, person: Person, text: str, at: datetime, *, sender: str = HOST, thread: str | None = None
) -> Incoming:
    """What the host says to an agent on behalf of this person. `ref` is its `external_id`."""
    return Incoming(
        channel=HOST,
        address="",
        external_id=ref,
        handle=person.handle,
        sender=sender,
        text=text,
        sent_at=at,
        kind=ChatKind.PRIVATE,
        addressed=True,
        thread=thread,
    )


def seen(tx: Tx, channel: str, chat_id: str, external_id: str) -> MessageId | None:
    """The message this update was already stored as, if any."""
    found = tx.execute(_SEEN, {"channel": channel, "chat_id": chat_id, "external_id": external_id}).scalar()
    return found and MessageId(found)


def store(
    tx: Tx, message_id: MessageId, incoming: Incoming, chat_id: ChatId, person_id: PersonId, at: datetime
) -> Message:
    """Store a message. The id was made when it arrived, so that ids sort by arrival."""
    message = Message(
        id=message_id,
        chat_id=chat_id,
        person_id=person_id,
        sender=incoming.sender,
        text=incoming.text,
        sent_at=incoming.sent_at,
        received_at=at,
        reply_to=incoming.reply_to,
        end=None,
        reason=None,
        external_id=incoming.external_id,
        files=incoming.files,
        is_ready=not incoming.files,
        forwarded_from=incoming.forwarded_from,
        edits=incoming.edits,
        thread=incoming.thread,
        addressed=incoming.addressed,
    )
    tx.execute(
        _STORE,
        {
            "id": message.id,
            "channel": incoming.channel,
            "external_id": incoming.external_id,
            "chat_id": chat_id,
            "thread": incoming.thread or "",
            "person_id": person_id,
            "sender": message.sender,
            "text": message.text,
            "reply_to": incoming.reply_to and asdict(incoming.reply_to),
            "forwarded_from": incoming.forwarded_from,
            "edits": incoming.edits,
            "files": _written(incoming.files),
            "unfetched": bool(incoming.files) or None,
            "album": incoming.album,
            "addressed": incoming.addressed,
            "sent_at": message.sent_at,
            "received_at": at,
        },
    )
    tx.execute(_SPOKEN_IN, {"chat": chat_id, "last_at": at})
    return message


def knows_thread(tx: Tx, chat_id: str, thread: str) -> bool:
    """Whether anything was ever said there."""
    found = sa.select(messages.c.id).where(messages.c.chat_id == chat_id, messages.c.thread == thread)
    return tx.execute(found.limit(1)).first() is not None


def get(tx: Tx, message_id: str) -> Message | None:
    row = tx.execute(_GET, {"id": message_id}).first()
    return to_message(row) if row else None


def get_alone(tx: Tx, message_id: str) -> Message | None:
    """The same, locked until this transaction ends."""
    row = tx.execute(_GET.with_for_update(), {"id": message_id}).first()
    return to_message(row) if row else None


def at(tx: Tx, chat_id: str, external_id: str) -> Message | None:
    """Find a message by the platform's own id, including that of a picture that joined an album."""
    row = tx.execute(_AT, {"chat_id": chat_id, "external_id": external_id}).first()
    if row is None and external_id.isdigit():
        part = f'%"part_of": "{external_id}"%'
        row = tx.execute(_OF_PART, {"chat_id": chat_id, "part": part}).first()
    return to_message(row) if row else None


def newest_words(tx: Tx, chat_id: str, external_id: str) -> Message | None:
    """What a message on the platform says now: its last edit that became a message, or itself."""
    row = tx.execute(_NEWEST_WORDS, {"chat_id": chat_id, "external_id": external_id}).first()
    return to_message(row) if row else None


def gathering(tx: Tx, chat_id: str, album: str) -> Message | None:
    """The message that an album's pictures join, until they are fetched."""
    row = tx.execute(_GATHERING, {"chat_id": chat_id, "album": album}).first()
    return to_message(row) if row else None


def woke_someone(tx: Tx, chat_id: str, external_id: str, before: MessageId) -> bool:
    """Whether a message on the platform, or an earlier edit of it, went to an agent."""
    found = (
        sa.select(session_queue.c.message_id)
        .join(messages, messages.c.id == session_queue.c.message_id)
        .where(
            messages.c.chat_id == chat_id,
            sa.or_(messages.c.external_id == external_id, messages.c.edits == external_id),
            messages.c.id < before,
            sa.or_(session_queue.c.end.is_(None), session_queue.c.end != End.KEPT.value),
        )
    )
    return tx.execute(found.limit(1)).first() is not None


def is_untouched(tx: Tx, message_id: MessageId) -> bool:
    """Whether it waits in its sessions and no agent has seen it yet."""
    states = tx.execute(_PLACES, {"id": message_id}).all()
    return bool(states) and all(row.turn_id is None and row.end is None for row in states)


def reword(tx: Tx, message_id: MessageId, text: str) -> None:
    tx.execute(_UPDATE, {"message": message_id, "text": text})


def put_files(tx: Tx, message_id: MessageId, files: Sequence[File], *, unfetched: bool) -> None:
    tx.execute(_UPDATE, {"message": message_id, "files": _written(files), "unfetched": unfetched})


def end(tx: Tx, message_id: MessageId, how: End, reason: str | None = None) -> None:
    """End a message at once that no turn will take up."""
    tx.execute(_UPDATE, {"message": message_id, "end": how.value, "reason": reason})


def to_message(row: Any) -> Message:
    return Message(
        id=MessageId(row.id),
        chat_id=ChatId(row.chat_id),
        person_id=PersonId(row.person_id),
        sender=row.sender,
        text=row.text,
        sent_at=row.sent_at,
        received_at=row.received_at,
        reply_to=Quote(**row.reply_to) if row.reply_to else None,
        end=End(row.end) if row.end else None,
        reason=row.reason,
        external_id=row.external_id,
        files=tuple(File(**{**each, "kind": FileKind(each["kind"])}) for each in row.files or ()),
        is_ready=not row.unfetched,
        forwarded_from=row.forwarded_from,
        edits=row.edits,
        thread=row.thread or None,
        addressed=row.addressed is not False,
        answers=row.answers,
        held_for=row.held_for,
    )


def _written(files: Sequence[File]) -> list[dict[str, Any]] | None:
    return [asdict(each) for each in files] or None


def recent_speakers(tx: Tx, chat_id: str) -> set[PersonId]:
    """The people who wrote there lately."""
    newest = (
        sa.select(messages.c.person_id)
        .where(messages.c.chat_id == chat_id, messages.c.channel != HOST)
        .order_by(messages.c.id.desc())
        .limit(_LATELY)
        .subquery()
    )
    return {PersonId(found) for found in tx.execute(sa.select(newest.c.person_id).distinct()).scalars()}


def bring(
    tx: Tx, message_id: MessageId, chat_id: ChatId, person_id: PersonId, told: Incoming
) -> Message | None:
    """Bring something to a session as a host message, on someone's behalf; None if it was brought before."""
    if seen(tx, told.channel, chat_id, told.external_id):
        return None
    return store(tx, message_id, told, chat_id, person_id, told.sent_at)


def bring_answer(
    tx: Tx, message_id: MessageId, question_id: str, chat_id: ChatId, person_id: PersonId, told: Incoming
) -> Message | None:
    """Bring the answer to a question to the session as a host message; None if it was brought before."""
    message = bring(tx, message_id, chat_id, person_id, told)
    if message is not None:
        put_question(tx, message.id, question_id)
    return message


def answer_was_brought(tx: Tx, chat_id: str, question_id: str) -> bool:
    return seen(tx, HOST, chat_id, answer_ref(question_id)) is not None


def answer_ref(question_id: str) -> str:
    """The external id of the message that brings an answer, so that it comes only once."""
    return f"answer {question_id}"


def put_question(tx: Tx, message_id: MessageId, question_id: str) -> None:
    """Set the question that this message answers."""
    tx.execute(_UPDATE, {"message": message_id, "answers": question_id})
