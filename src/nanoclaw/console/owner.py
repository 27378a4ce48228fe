"""A person who holds the token, or types a command on this machine, acts as its owner."""

from nanoclaw.domain.errors import NotFound
from nanoclaw.domain.locale import Locale
from nanoclaw.domain.people import LOCAL_OWNER, Actor, Person, Rights, Role
from nanoclaw.durable import people
from nanoclaw.durable.store import Tx

OWNER = LOCAL_OWNER


def owner(tx: Tx) -> Person:
    found = people.person_named(tx, OWNER)
    if found is None:
        raise NotFound("no-owner")
    return found


def owner_locale(tx: Tx, usual: Locale) -> Locale:
    """Their own language and zone take precedence."""
    found = people.person_named(tx, OWNER)
    own = Locale(language=found.language, timezone=found.timezone) if found else Locale()
    return own.or_else(usual)


def owner_actor(tx: Tx, *, usual: Locale, name: str, via: str) -> Actor:
    """`name` is for a workspace where no host has run yet."""
    found = people.person_named(tx, OWNER)
    return Actor(
        handle=OWNER,
        name=found.name if found else name,
        rights=Rights(everywhere=Role.OWNER),
        via=via,
        language=owner_locale(tx, usual).speaks,
        timezone=found.timezone if found else None,
    )
