"""The rows of people and chats, and which agent groups a chat is wired to."""

from datetime import datetime
from typing import Any

import sqlalchemy as sa

from nanoclaw.domain.ids import ChatId, PersonId, new_id
from nanoclaw.domain.messages import Chat
from nanoclaw.domain.people import Person, Role
from nanoclaw.durable import work
from nanoclaw.durable.clock import now
from nanoclaw.durable.store import Tx
from nanoclaw.durable.tables import NOT_DELIVERED, chats, messages, parcels, people, sent, wirings

# Statements are built once: putting one together costs more than running it.
_PERSON_NAMED = sa.select(people).where(people.c.handle == sa.bindparam("handle"))
_PERSON = sa.select(people).where(people.c.id == sa.bindparam("id"))
_CHAT_AT = sa.select(chats).where(
    chats.c.channel == sa.bindparam("channel"), chats.c.address == sa.bindparam("address")
)
_CHAT = sa.select(chats).where(chats.c.id == sa.bindparam("id"))
_GROUPS_OF = (
    sa.select(wirings.c.agent_group)
    .where(wirings.c.chat_id == sa.bindparam("chat_id"))
    .order_by(wirings.c.priority, wirings.c.agent_group)
)


def person_named(tx: Tx, handle: str) -> Person | None:
    row = tx.execute(_PERSON_NAMED, {"handle": handle}).first()
    return _person(row) if row else None


def person(tx: Tx, person_id: str) -> Person:
    return _person(tx.execute(_PERSON, {"id": person_id}).one())


def add_person(
    tx: Tx, *, handle: str, name: str, role: Role, at: datetime, language: str | None = None
) -> Person:
    new = Person(
        id=PersonId(new_id("p")), handle=handle, name=name, role=role, language=language, timezone=None
    )
    tx.execute(
        sa.insert(people).values(
            id=new.id, handle=handle, name=name, role=role.value, language=language, created_at=at
        )
    )
    return new


def set_role(tx: Tx, person_id: PersonId, role: Role) -> None:
    tx.execute(sa.update(people).where(people.c.id == person_id).values(role=role.value))


def with_role(tx: Tx, role: Role) -> list[Person]:
    """In the order in which they came."""
    found = sa.select(people).where(people.c.role == role.value).order_by(people.c.id)
    return [_person(row) for row in tx.execute(found)]


def set_preference(tx: Tx, person_id: PersonId, **preference: str | None) -> None:
    """Language or timezone, as the person wants it."""
    tx.execute(sa.update(people).where(people.c.id == person_id).values(**preference))


def chat_at(tx: Tx, channel: str, address: str) -> Chat | None:
    row = tx.execute(_CHAT_AT, {"channel": channel, "address": address}).first()
    return _chat(row) if row else None


def chat(tx: Tx, chat_id: str) -> Chat | None:
    row = tx.execute(_CHAT, {"id": chat_id}).first()
    return _chat(row) if row else None


def add_chat(tx: Tx, *, channel: str, address: str, title: str, at: datetime) -> Chat:
    new = Chat(id=ChatId(new_id("c")), channel=channel, address=address, title=title)
    tx.execute(
        sa.insert(chats).values(id=new.id, channel=channel, address=address, title=title, created_at=at)
    )
    return new


def rename_chat(tx: Tx, chat_id: str, title: str) -> None:
    tx.execute(sa.update(chats).where(chats.c.id == chat_id).values(title=title))


def close_chat(tx: Tx, chat_id: str, why: str | None) -> None:
    """Nothing can be said there any more; with None it can again."""
    tx.execute(sa.update(chats).where(chats.c.id == chat_id).values(closed=why))


def move_chat(tx: Tx, channel: str, address: str, to: str) -> None:
    """The network gave the chat another address, where it numbers its messages anew."""
    old, new = chat_at(tx, channel, address), chat_at(tx, channel, to)
    if old is None:
        return
    if new is not None:  # someone wrote there before we knew: it goes on there, with what is still to be said
        if not groups_of(tx, new.id):
            tx.execute(sa.update(wirings).where(wirings.c.chat_id == old.id).values(chat_id=new.id))
        waiting = sa.and_(parcels.c.chat_id == old.id, NOT_DELIVERED)
        tx.execute(sa.update(parcels).where(waiting).values(chat_id=new.id))
        work.due(tx, work.DELIVERY, new.id, now())
        return
    here = messages.c.chat_id == old.id
    renamed = sa.literal(f"{address}/") + messages.c.external_id
    tx.execute(sa.update(messages).where(here).values(external_id=renamed))
    tx.execute(sa.delete(sent).where(sent.c.chat_id == old.id))
    tx.execute(sa.update(parcels).where(parcels.c.chat_id == old.id).values(platform_id=None))
    tx.execute(sa.update(chats).where(chats.c.id == old.id).values(address=to))


def chats_of(tx: Tx, channels: tuple[str, ...]) -> list[tuple[Chat, datetime | None]]:
    """The chats of these channels with the time of their last message, in the order they were made."""
    rows = tx.execute(sa.select(chats).where(chats.c.channel.in_(channels)).order_by(chats.c.id))
    return [(_chat(row), row.last_at) for row in rows]


def chat_with_time(tx: Tx, chat_id: str) -> tuple[Chat, datetime | None]:
    """A chat that is known to be there, with the time of its last message."""
    row = tx.execute(_CHAT, {"id": chat_id}).one()
    return _chat(row), row.last_at


def groups_of(tx: Tx, chat_id: ChatId) -> list[str]:
    """The agent groups that a chat is wired to, the first to start first."""
    return list(tx.execute(_GROUPS_OF, {"chat_id": chat_id}).scalars())


def wire(tx: Tx, chat_id: ChatId, agent_group: str, at: datetime) -> None:
    tx.execute(sa.insert(wirings).values(chat_id=chat_id, agent_group=agent_group, priority=0, created_at=at))


def _person(row: Any) -> Person:
    return Person(
        id=PersonId(row.id),
        handle=row.handle,
        name=row.name,
        role=Role(row.role),
        language=row.language,
        timezone=row.timezone,
    )


def _chat(row: Any) -> Chat:
    return Chat(
        id=ChatId(row.id), channel=row.channel, address=row.address, title=row.title, closed=row.closed
    )


def alert_chats(tx: Tx) -> list[tuple[ChatId, str | None]]:
    """Where owners look, with the language of each: alone with a bot on their network, and the page's first room."""
    owners = {owner.handle: owner.language for owner in with_role(tx, Role.OWNER)}
    told: list[tuple[ChatId, str | None]] = []
    for handle, language in owners.items():
        network, _, address = handle.partition(":")
        alone = sa.select(chats.c.id).where(
            chats.c.channel.startswith(f"{network}:", autoescape=True),
            chats.c.address == address,
            chats.c.closed.is_(None),
        )
        told += [(ChatId(chat_id), language) for chat_id in tx.execute(alone).scalars()]
    if first := chat_at(tx, "web", "main"):
        told.append((first.id, owners.get("local:owner")))
    return told


def chats_wired_to(tx: Tx, group: str) -> list[ChatId]:
    """The chats where a group's agent speaks."""
    found = sa.select(wirings.c.chat_id).where(wirings.c.agent_group == group).order_by(wirings.c.created_at)
    return [ChatId(chat_id) for chat_id in tx.execute(found).scalars()]
