"""People, and what they may do."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Self

from nanoclaw.domain.ids import PersonId

LOCAL_OWNER = "local:owner"
"""The person who uses this machine."""

ANONYMOUS = "-chat"
"""Ends the network part in the handle of someone who speaks as a chat: `telegram-chat:-100123`."""


class Role(StrEnum):
    """What a person may do; each role may do all that the next one may."""

    OWNER = "owner"  # administers the host and everyone in it
    ADMIN = "admin"  # administers agent groups: all of them, or one
    MEMBER = "member"  # talks to the agent of a group
    STRANGER = "stranger"  # nobody has vouched for them yet

    def may(self, needed: "Role") -> bool:
        ranks = list(Role)
        return ranks.index(self) <= ranks.index(needed)


@dataclass(frozen=True, kw_only=True, slots=True)
class Person:
    """Someone who writes to us, known by a handle that includes the network (`local:owner`). Without their
    own language or zone, the group's applies, then the workspace's.
    """

    id: PersonId
    handle: str
    name: str
    role: Role  # in every agent group; single groups may add more
    language: str | None
    timezone: str | None
    username: str | None = None  # their public name on the network; it may change hands
    blocked: bool = False  # by an owner or admin
    away_until: datetime | None = None
    delegate: PersonId | None = None  # decides for them while they are away
    quiet: str | None = None  # their quiet hours, `22:00-07:00`

    @property
    def network(self) -> str:
        return self.handle.partition(":")[0]

    def is_away(self, at: datetime) -> bool:
        return self.away_until is not None and self.away_until > at

    @property
    def is_anonymous(self) -> bool:
        """Whether it is a channel, or a group's anonymous admin: it may be a different person next time."""
        return self.network.endswith(ANONYMOUS)


@dataclass(frozen=True, kw_only=True, slots=True)
class Rights:
    """The roles of a person: one everywhere, and those given in single agent groups."""

    everywhere: Role
    within: Mapping[str, Role] = field(default_factory=dict)

    def role_in(self, group: str) -> Role:
        return best(self.everywhere, self.within.get(group, Role.STRANGER))

    def as_member_of(self, group: str) -> "Rights":
        """Limited to a member's rights in this group, and none elsewhere."""
        is_member = self.role_in(group).may(Role.MEMBER)
        return Rights(everywhere=Role.STRANGER, within={group: Role.MEMBER} if is_member else {})

    def role_among(self, groups: Iterable[str]) -> Role:
        """Their highest role in any of them."""
        return best(self.everywhere, *(self.within.get(group, Role.STRANGER) for group in groups))

    def may_in_all(self, groups: Iterable[str], needed: Role) -> bool:
        """Whether they may in all of these groups; with none, whether they may everywhere."""
        found = list(groups)
        return all(self.role_in(group).may(needed) for group in found) and (
            bool(found) or self.everywhere.may(needed)
        )


def best(*roles: Role) -> Role:
    return min(roles, key=list(Role).index)


@dataclass(frozen=True, kw_only=True, slots=True)
class Speaker:
    """Who said something, as an agent is told if several people speak: names alone may be equal."""

    handle: str
    role: Role


@dataclass(frozen=True, kw_only=True, slots=True)
class Actor:
    """Someone who makes a change: who, with which rights, and from where."""

    handle: str
    name: str
    rights: Rights
    via: str  # the channel, `web` for the page, or `command line`
    language: str
    timezone: str | None = None

    @classmethod
    def of(cls, person: Person, rights: Rights, *, via: str, language: str) -> Self:
        return cls(
            handle=person.handle,
            name=person.name,
            rights=rights,
            via=via,
            language=language,
            timezone=person.timezone,
        )
