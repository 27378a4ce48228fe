"""Creates the owner, a first room on the page and the terminal's room at the start."""

from nanoclaw.channels.rooms import TERMINAL, WEB
from nanoclaw.console.owner import OWNER
from nanoclaw.domain.people import Role
from nanoclaw.durable import people, wirings
from nanoclaw.durable.clock import now
from nanoclaw.durable.store import Tx
from nanoclaw.host.settings import Settings
from nanoclaw.texts import say


def furnish(tx: Tx, settings: Settings, group: str) -> None:
    if people.person_named(tx, OWNER) is None:
        people.add_person(tx, handle=OWNER, name=settings.owner.name, role=Role.OWNER, at=now())
    for channel, text in ((WEB, "room-first"), (TERMINAL, "room-terminal")):
        if people.chat_at(tx, channel, "main") is None:
            title = say(settings.language, text)
            room = people.add_chat(tx, channel=channel, address="main", title=title, at=now())
            wirings.wire(tx, room.id, room.kind, group, now())
