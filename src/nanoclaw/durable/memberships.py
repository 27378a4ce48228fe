"""The roles that people have in single agent groups, and who may decide for a group."""

from collections.abc import Collection, Iterable
from datetime import datetime

import sqlalchemy as sa

from nanoclaw.domain.ids import PersonId
from nanoclaw.domain.messages import Message
from nanoclaw.domain.people import Person, Rights, Role, Speaker, best
from nanoclaw.durable.people import to_person
from nanoclaw.durable.store import Tx
from nanoclaw.durable.tables import memberships, people
from nanoclaw.durable.upsert import insert_if_new

_OF = sa.select(memberships).where(memberships.c.person_id == sa.bindparam("person"))


def rights_of(tx: Tx, person: Person) -> Rights:
    """A global owner or admin needs no roles in single groups, so they are not looked up."""
    if person.role.may(Role.ADMIN):
        return Rights(everywhere=person.role)
    rows = tx.execute(_OF, {"person": person.id})
    return Rights(everywhere=person.role, within={row.agent_group: Role(row.role) for row in rows})


def speakers(tx: Tx, said: Iterable[Message], group: str) -> dict[PersonId, Speaker]:
    """The authors of these messages, with their role in the group."""
    wanted = {message.person_id for message in said}
    here = sa.and_(memberships.c.person_id == people.c.id, memberships.c.agent_group == group)
    found = (
        sa.select(people, memberships.c.role.label("within"))
        .outerjoin(memberships, here)
        .where(people.c.id.in_(wanted))
    )
    return {
        row.id: Speaker(handle=row.handle, role=best(Role(row.role), Role(row.within or Role.STRANGER)))
        for row in tx.execute(found)
    }


def all_of(tx: Tx) -> dict[PersonId, dict[str, Role]]:
    """Roles by person and agent group."""
    found: dict[PersonId, dict[str, Role]] = {}
    for row in tx.execute(sa.select(memberships).order_by(memberships.c.agent_group)):
        found.setdefault(row.person_id, {})[row.agent_group] = Role(row.role)
    return found


def put(tx: Tx, person_id: PersonId, group: str, role: Role | None, at: datetime) -> None:
    """Set their role in the group; None removes it."""
    this = sa.and_(memberships.c.person_id == person_id, memberships.c.agent_group == group)
    tx.execute(sa.delete(memberships).where(this))
    if role is not None:
        values = {"person_id": person_id, "agent_group": group, "role": role.value, "created_at": at}
        tx.execute(insert_if_new(tx, memberships), values)


def approvers(tx: Tx, groups: Collection[str] = ()) -> list[Person]:
    """Owners, global admins, and admins of every one of these groups."""
    everywhere = people.c.role.in_([Role.OWNER.value, Role.ADMIN.value])
    deciders = sa.or_(everywhere, people.c.id.in_(_admins_of_all(groups))) if groups else everywhere
    rows = tx.execute(sa.select(people).where(deciders, people.c.blocked.is_not(True)).order_by(people.c.id))
    return [to_person(row) for row in rows]


def _admins_of_all(groups: Collection[str]) -> sa.Select[tuple[str]]:
    return (
        sa.select(memberships.c.person_id)
        .where(memberships.c.agent_group.in_(list(groups)), memberships.c.role == Role.ADMIN.value)
        .group_by(memberships.c.person_id)
        .having(sa.func.count() == len(set(groups)))
    )
