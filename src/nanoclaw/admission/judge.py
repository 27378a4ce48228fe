"""The judge: from the facts about a message to a verdict with its reason. Pure: asks nothing, changes nothing."""

from dataclasses import dataclass

from nanoclaw.domain.people import Role
from nanoclaw.domain.text import is_empty


@dataclass(frozen=True, kw_only=True, slots=True)
class Facts:
    """All that the verdict depends on."""

    text: str
    role: Role
    wired_to: tuple[str, ...]
    longest: int
    addressed: bool = True
    has_files: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class Admitted:
    """Goes to these agent groups, or is an order to the host."""

    groups: tuple[str, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class Declined:
    """Will not be done, and the person is told why."""

    reason: str
    values: dict[str, int]


@dataclass(frozen=True, kw_only=True, slots=True)
class Dropped:
    """Never accepted; recorded with the reason, and nobody is told."""

    reason: str


Verdict = Admitted | Declined | Dropped


def judge(facts: Facts) -> Verdict:
    if not facts.role.may(Role.MEMBER):
        return Dropped(reason="unknown-sender")
    if not facts.wired_to:
        return Dropped(reason="not-wired")
    if not facts.addressed:
        return Dropped(reason="not-addressed")
    if is_empty(facts.text) and not facts.has_files:
        return Declined(reason="empty", values={})
    if len(facts.text) > facts.longest:
        return Declined(reason="too-long", values={"length": len(facts.text), "longest": facts.longest})
    return Admitted(groups=facts.wired_to)
