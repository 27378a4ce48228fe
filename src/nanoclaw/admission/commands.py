"""The orders that a person can give to the host itself, and the role each needs. `/help` is made from this table."""

import re
from dataclasses import dataclass

from nanoclaw.domain.messages import Incoming, Message
from nanoclaw.domain.people import Role

_ORDER = re.compile(r"/([A-Za-z][\w-]*)(?:@\w+)?(?:\s+(.*))?\Z", re.DOTALL)


@dataclass(frozen=True, kw_only=True, slots=True)
class Command:
    """Its help is the text `command-<name>`."""

    name: str
    role: Role
    usage: str = ""
    listed: bool = True  # in `/help` and in menus


COMMANDS = {
    command.name: command
    for command in (
        Command(name="help", role=Role.MEMBER),
        Command(name="start", role=Role.STRANGER, listed=False),
        Command(name="status", role=Role.MEMBER),
        Command(name="why", role=Role.MEMBER, usage="[id]"),
        Command(name="stop", role=Role.MEMBER),
        Command(name="clear", role=Role.MEMBER),
        Command(name="retry", role=Role.MEMBER),
        Command(name="retry-failed", role=Role.ADMIN),
        Command(name="language", role=Role.MEMBER, usage="en | uk"),
        Command(name="timezone", role=Role.MEMBER, usage="Area/City"),
        Command(name="pair", role=Role.STRANGER, usage="CODE", listed=False),
    )
}


@dataclass(frozen=True, kw_only=True, slots=True)
class Order:
    name: str
    argument: str


def order_in(message: Message | Incoming) -> Order | None:
    """What a person orders in their own words. Someone else's, passed on, order nothing."""
    return None if message.forwarded_from else read_order(message.text)


def read_order(text: str) -> Order | None:
    """`/name argument` as an order; None for anything else, a path such as /etc/hosts included."""
    match = _ORDER.match(text.strip())
    if match is None:
        return None
    name = match[1].lower().replace("_", "-")
    return Order(name=name, argument=(match[2] or "").strip())
