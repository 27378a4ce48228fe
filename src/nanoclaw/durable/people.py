"""The rows of people and chats."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

import sqlalchemy as sa

from nanoclaw.domain.ids import ChatId, PersonId, new_id
from nanoclaw.domain.memory import MemoryMode
from nanoclaw.domain.messages import Chat
from nanoclaw.domain.people import LOCAL_OWNER, Person, Role
from nanoclaw.domain.wirings import ChatKind, UnknownSenders
from nanoclaw.durable import work
from nanoclaw.durable.clock import now
from nanoclaw.durable.store import Tx
from nanoclaw.durable.tables import (
    NOT_DELIVERED,
    chats,
    messages,
    parcels,
    pending_channel_approvals,
    pending_sender_approvals,
    people,
    scheduled_tasks,
    sent,
    sessions,
    wirings,
)

# Statements are built once: building one costs more than running it.
_PERSON_NAMED = sa.select(people).where(people.c.handle == sa.bindparam("handle"))
_PERSON = sa.select(people).where(people.c.id == sa.bindparam("id"))
_CHAT_AT = sa.select(chats).where(
    chats.c.channel == sa.bindparam("channel"), chats.c.address == sa.bindparam("address")
)
_CHAT = sa.select(chats).where(chats.c.id == sa.bindparam("id"))


def person_named(tx: Tx, handle: str) -> Person | None:
    row = tx.execute(_PERSON_NAMED, {"handle": handle}).first()
    return to_person(row) if row else None


def person(tx: Tx, person_id: str) -> Person:
    return to_person(tx.execute(_PERSON, {"id": person_id}).one())


def add_person(
    tx: Tx,
    *,
    handle: str,
    name: str,
    role: Role,
    at: datetime,
    language: str | None = None,
    username: str | None = None,
) -> Person:
    _free(tx, username)
    new = Person(
        id=PersonId(new_id("p")),
        handle=handle,
        name=name,
        role=role,
        language=language,
        timezone=None,
        username=username,
    )
    tx.execute(
        sa.insert(people).values(
            id=new.id,
            handle=handle,
            name=name,
            role=role.value,
            language=language,
            username=username,
            created_at=at,
        )
    )
    return new


def rename_person(tx: Tx, person_id: PersonId, name: str, username: str | None) -> None:
    """Rename a person; a username that someone else has now is no longer theirs."""
    _free(tx, username)
    tx.execute(sa.update(people).where(people.c.id == person_id).values(name=name, username=username))


def _free(tx: Tx, username: str | None) -> None:
    """Take a username from its holder; `@Olena` and `@olena` are the same."""
    if username:
        taken = sa.func.lower(people.c.username) == username.lower()
        tx.execute(sa.update(people).where(taken).values(username=None))


def block(tx: Tx, person_id: PersonId, *, blocked: bool) -> None:
    tx.execute(sa.update(people).where(people.c.id == person_id).values(blocked=blocked or None))


def everyone(tx: Tx) -> list[Person]:
    """Everyone, in order of arrival."""
    return [to_person(row) for row in tx.execute(sa.select(people).order_by(people.c.id))]


def known_as(tx: Tx, ref: str) -> list[Person]:
    """The person meant by an id, handle, `@username`, or the number on their network."""
    username = ref.removeprefix("@")
    fits = sa.or_(
        people.c.id == ref,
        people.c.handle == ref,
        sa.func.lower(people.c.username) == username.lower(),
        people.c.handle.endswith(f":{ref}", autoescape=True),
    )
    return [to_person(row) for row in tx.execute(sa.select(people).where(fits).order_by(people.c.id))]


def set_role(tx: Tx, person_id: PersonId, role: Role) -> None:
    tx.execute(sa.update(people).where(people.c.id == person_id).values(role=role.value))


def with_role(tx: Tx, role: Role) -> list[Person]:
    """The people with this role, in order of arrival."""
    found = sa.select(people).where(people.c.role == role.value).order_by(people.c.id)
    return [to_person(row) for row in tx.execute(found)]


def set_preference(tx: Tx, person_id: PersonId, **preference: str | datetime | None) -> None:
    """Set their language, timezone, quiet hours or delegate."""
    tx.execute(sa.update(people).where(people.c.id == person_id).values(**preference))


def chat_at(tx: Tx, channel: str, address: str) -> Chat | None:
    row = tx.execute(_CHAT_AT, {"channel": channel, "address": address}).first()
    return _chat(row) if row else None


def chat(tx: Tx, chat_id: str) -> Chat | None:
    row = tx.execute(_CHAT, {"id": chat_id}).first()
    return _chat(row) if row else None


def add_chat(
    tx: Tx, *, channel: str, address: str, title: str, at: datetime, kind: ChatKind = ChatKind.PRIVATE
) -> Chat:
    new = Chat(id=ChatId(new_id("c")), channel=channel, address=address, title=title, kind=kind)
    tx.execute(
        sa.insert(chats).values(
            id=new.id, channel=channel, address=address, title=title, kind=kind.value, created_at=at
        )
    )
    return new


def titled(tx: Tx, title: str) -> list[Chat]:
    """The chats with this title; SQLite lowercases only ASCII letters."""
    named = sa.or_(chats.c.title == title.strip(), sa.func.lower(chats.c.title) == title.strip().lower())
    found = sa.select(chats).where(named).limit(2)
    return [_chat(row) for row in tx.execute(found)]


def set_kind(tx: Tx, chat_id: str, kind: ChatKind) -> None:
    """Set the kind of a chat: a group may get threads, and lose them."""
    tx.execute(sa.update(chats).where(chats.c.id == chat_id).values(kind=kind.value))


def set_strangers(tx: Tx, chat_id: str, policy: UnknownSenders) -> None:
    tx.execute(sa.update(chats).where(chats.c.id == chat_id).values(unknown_sender_policy=policy.value))


def set_memory(tx: Tx, chat_id: str, mode: MemoryMode) -> None:
    tx.execute(sa.update(chats).where(chats.c.id == chat_id).values(memory=mode.value))


def rename_chat(tx: Tx, chat_id: str, title: str) -> None:
    tx.execute(sa.update(chats).where(chats.c.id == chat_id).values(title=title))


def close_chat(tx: Tx, chat_id: str, why: str | None) -> None:
    """Mark that nothing can be sent there any more; None reopens it."""
    tx.execute(sa.update(chats).where(chats.c.id == chat_id).values(closed=why))


def move_chat(tx: Tx, channel: str, address: str, to: str) -> None:
    """The network changed the chat's address; message numbers start afresh there."""
    old, new = chat_at(tx, channel, address), chat_at(tx, channel, to)
    if old is None:
        return
    if new is not None:  # someone wrote there before we knew: continue there, with what is still to be sent
        _join_chats(tx, old, new)
        return
    here = messages.c.chat_id == old.id
    renamed = sa.literal(f"{address}/") + messages.c.external_id
    tx.execute(sa.update(messages).where(here).values(external_id=renamed))
    tx.execute(sa.delete(sent).where(sent.c.chat_id == old.id))
    tx.execute(sa.update(parcels).where(parcels.c.chat_id == old.id).values(platform_id=None))
    tx.execute(sa.update(chats).where(chats.c.id == old.id).values(address=to))


def _join_chats(tx: Tx, old: Chat, new: Chat) -> None:
    wired = sa.select(wirings.c.chat_id).where(wirings.c.chat_id == new.id)
    if tx.execute(wired).first() is None:
        tx.execute(sa.update(wirings).where(wirings.c.chat_id == old.id).values(chat_id=new.id))
        set_strangers(tx, new.id, old.strangers)
        set_memory(tx, new.id, old.memory)
    waiting = sa.and_(parcels.c.chat_id == old.id, NOT_DELIVERED)
    tx.execute(sa.update(parcels).where(waiting).values(chat_id=new.id))
    work.due(tx, work.DELIVERY, new.id, now())
    # Tasks speak there from now on, in the sessions they have.
    tx.execute(sa.update(scheduled_tasks).where(scheduled_tasks.c.chat_id == old.id).values(chat_id=new.id))
    of_tasks = sa.and_(sessions.c.chat_id == old.id, sessions.c.task_id.is_not(None))
    tx.execute(sa.update(sessions).where(of_tasks).values(chat_id=new.id))
    # Held messages are decided there too.
    held = sa.and_(messages.c.chat_id == old.id, messages.c.held_for.is_not(None))
    renamed = sa.literal(f"{old.address}/") + messages.c.external_id
    tx.execute(sa.update(messages).where(held).values(chat_id=new.id, external_id=renamed))
    for table in (pending_sender_approvals, pending_channel_approvals):
        there = table.alias()
        same = [there.c.chat_id == new.id]
        if table is pending_sender_approvals:
            same.append(there.c.person_id == table.c.person_id)
        is_asked = sa.exists().where(*same)
        tx.execute(sa.update(table).where(table.c.chat_id == old.id, ~is_asked).values(chat_id=new.id))


def chats_of(tx: Tx, channels: tuple[str, ...]) -> list[tuple[Chat, datetime | None]]:
    """The chats of these channels with the time of their last message, in order of creation."""
    rows = tx.execute(sa.select(chats).where(chats.c.channel.in_(channels)).order_by(chats.c.id))
    return [(_chat(row), row.last_at) for row in rows]


def chat_with_time(tx: Tx, chat_id: str) -> tuple[Chat, datetime | None]:
    """An existing chat, with the time of its last message."""
    row = tx.execute(_CHAT, {"id": chat_id}).one()
    return _chat(row), row.last_at


def to_person(row: Any) -> Person:
    return Person(
        id=PersonId(row.id),
        handle=row.handle,
        name=row.name,
        role=Role(row.role),
        language=row.language,
        timezone=row.timezone,
        username=row.username,
        blocked=bool(row.blocked),
        away_until=row.away_until,
        delegate=row.delegate and PersonId(row.delegate),
        quiet=row.quiet,
    )


def _chat(row: Any) -> Chat:
    return Chat(
        id=ChatId(row.id),
        channel=row.channel,
        address=row.address,
        title=row.title,
        closed=row.closed,
        kind=ChatKind(row.kind),
        strangers=UnknownSenders(row.unknown_sender_policy),
        memory=MemoryMode(row.memory),
        naming=row.naming,
        awaits=row.awaits,
    )


def own_chats(tx: Tx, one: Person) -> list[ChatId]:
    """Someone's private chats with a bot on their network; for this machine's owner, the page's first room."""
    if one.handle == LOCAL_OWNER:
        first = chat_at(tx, "web", "main")
        return [first.id] if first else []
    alone = sa.select(chats.c.id).where(
        sa.or_(
            chats.c.channel == one.network,
            chats.c.channel.startswith(f"{one.network}:", autoescape=True),
        ),
        chats.c.address == one.handle.partition(":")[2],
        chats.c.closed.is_(None),
    )
    return [ChatId(chat_id) for chat_id in tx.execute(alone).scalars()]


def alert_chats(tx: Tx, wanted: Sequence[Person]) -> list[tuple[ChatId, str | None]]:
    """Where to alert these people, with each one's language: in private with a bot, or in the page's first room."""
    told: list[tuple[ChatId, str | None]] = []
    for one in wanted:
        if one.handle != LOCAL_OWNER:
            told += [(chat_id, one.language) for chat_id in own_chats(tx, one)]
    if first := chat_at(tx, "web", "main"):
        at_the_machine = person_named(tx, LOCAL_OWNER)
        told.append((first.id, at_the_machine.language if at_the_machine else None))
    return told


def all_chats(tx: Tx) -> list[Chat]:
    """All chats, in order of creation."""
    return [_chat(row) for row in tx.execute(sa.select(chats).order_by(chats.c.id))]
