"""People, and what they may do."""

from dataclasses import dataclass
from enum import StrEnum

from nanoclaw.domain.ids import PersonId


class Role(StrEnum):
    """What a person may do; each role may do all that the next one may."""

    OWNER = "owner"  # administers the host and everyone in it
    ADMIN = "admin"  # administers agent groups
    MEMBER = "member"  # talks to agents
    STRANGER = "stranger"  # nobody has vouched for them yet

    def may(self, needed: "Role") -> bool:
        ranks = list(Role)
        return ranks.index(self) <= ranks.index(needed)


@dataclass(frozen=True, kw_only=True, slots=True)
class Person:
    """Someone who writes to us, known by a handle that names the network too (`local:owner`).

    No language or zone of their own means: as the group, then the workspace, has it.
    """

    id: PersonId
    handle: str
    name: str
    role: Role
    language: str | None
    timezone: str | None
