"""The orders that a person can give to the host itself, and the role each needs. `/help` is made from this table."""

import re
from dataclasses import dataclass

from nanoclaw.domain.people import Role

_ORDER = re.compile(r"/([A-Za-z][\w-]*)(?:@\w+)?(?:\s+(.*))?\Z", re.DOTALL)


@dataclass(frozen=True, kw_only=True, slots=True)
class Command:
    """Its help is the text `command-<name>`."""

    name: str
    role: Role
    usage: str = ""


COMMANDS = {
    command.name: command
    for command in (
        Command(name="help", role=Role.MEMBER),
        Command(name="start", role=Role.MEMBER),
        Command(name="status", role=Role.MEMBER),
        Command(name="why", role=Role.MEMBER, usage="[id]"),
        Command(name="stop", role=Role.MEMBER),
        Command(name="clear", role=Role.MEMBER),
        Command(name="retry", role=Role.MEMBER),
        Command(name="language", role=Role.MEMBER, usage="en | uk"),
        Command(name="timezone", role=Role.MEMBER, usage="Area/City"),
    )
}


@dataclass(frozen=True, kw_only=True, slots=True)
class Order:
    name: str
    argument: str


def read_order(text: str) -> Order | None:
    """`/name argument` as an order; None for anything else, a path such as /etc/hosts included."""
    match = _ORDER.match(text.strip())
    if match is None:
        return None
    name = match[1].lower().replace("_", "-")
    return Order(name=name, argument=(match[2] or "").strip())
