"""The keeper of the door for the page and the command line, in the name of whoever holds this machine.

Beside a host that runs, a command writes the rows itself: the host reads them with the next message, and its sweep
finds what is to be done.
"""

import asyncio
from collections.abc import Callable
from pathlib import Path

from nanoclaw.console import keeper as rows
from nanoclaw.console.desk import OWNER
from nanoclaw.context.founding import Founding
from nanoclaw.domain.errors import Refused
from nanoclaw.domain.ids import ChatId
from nanoclaw.domain.locale import Locale
from nanoclaw.domain.people import Person, Rights, Role, Ruler
from nanoclaw.domain.wirings import (
    EngageMode,
    IgnoredMessages,
    SenderScope,
    UnknownSenders,
    Wiring,
)
from nanoclaw.durable import approvals, audit, drops, memberships, people, wirings
from nanoclaw.durable.aftermath import Aftermath
from nanoclaw.durable.clock import now
from nanoclaw.durable.engine import Engine
from nanoclaw.durable.store import Store, Tx
from nanoclaw.flows.ruling import Change, read_choice, read_engage, read_role
from nanoclaw.host.door import Door
from nanoclaw.host.people.explaining import explained
from nanoclaw.host.people.rows import audit_row, chat_row, drop_row, person_row, request_row
from nanoclaw.host.settings import Settings


class DoorKeeper:
    def __init__(
        self, *, home: Path, store: Store, door: Door, settings: Settings, engine: Engine | None, via: str
    ) -> None:
        self._store = store
        self._door = door
        self._settings = settings
        self._engine = engine
        self._via = via
        self._founding = Founding(home)

    # People

    async def people(self) -> list[rows.PersonRow]:
        def story(tx: Tx) -> list[rows.PersonRow]:
            within = memberships.all_of(tx)
            return [person_row(one, within.get(one.id, {})) for one in people.everyone(tx)]

        return await self._store.read(story)

    async def person(self, ref: str) -> rows.PersonRow:
        def story(tx: Tx) -> rows.PersonRow:
            found = self._door.rulings.find_person(tx, ref)
            return person_row(found, memberships.all_of(tx).get(found.id, {}))

        return await self._store.read(story)

    async def give_role(self, person: str, role: str, group: str | None) -> None:
        given = read_role(role)
        names = self._door.groups.names()
        if given is Role.MEMBER and group is None and len(names) == 1:
            group = names[0]

        def story(tx: Tx, by: Ruler) -> Aftermath:
            found = self._door.rulings.find_person(tx, person)
            return self._door.rulings.give_role(tx, by, found, given, group, now())

        await self._rule(story)

    async def take_role(self, person: str, group: str | None) -> None:
        """Without a group: the one that they have everywhere, else the only one that they have in a group."""

        def story(tx: Tx, by: Ruler) -> Aftermath:
            found = self._door.rulings.find_person(tx, person)
            place = _place_of_role(tx, found, group)
            return self._door.rulings.give_role(tx, by, found, None, place, now())

        await self._rule(story)

    async def block(self, person: str, *, blocked: bool) -> None:
        def story(tx: Tx, by: Ruler) -> Aftermath:
            found = self._door.rulings.find_person(tx, person)
            return self._door.rulings.block(tx, by, found, now(), blocked=blocked)

        await self._rule(story)

    # Chats and agent groups

    async def chats(self) -> list[rows.ChatRow]:
        def story(tx: Tx) -> list[rows.ChatRow]:
            language = self._ruler(tx).language
            wired: dict[ChatId, list[Wiring]] = {}
            for wiring in wirings.everywhere(tx):
                wired.setdefault(wiring.chat_id, []).append(wiring)
            return [
                chat_row(self._door.groups, language, chat, wired.get(chat.id, []))
                for chat in people.all_chats(tx)
            ]

        return await self._store.read(story)

    async def chat(self, ref: str) -> rows.ChatRow:
        def story(tx: Tx) -> rows.ChatRow:
            found = self._door.rulings.find_chat(tx, ref)
            return chat_row(self._door.groups, self._ruler(tx).language, found, wirings.of_chat(tx, found.id))

        return await self._store.read(story)

    async def set_strangers(self, chat: str, policy: str) -> None:
        chosen = read_choice(UnknownSenders, policy)

        def story(tx: Tx, by: Ruler) -> Aftermath:
            found = self._door.rulings.find_chat(tx, chat)
            return self._door.rulings.set_strangers(tx, by, found, chosen, now())

        await self._rule(story)

    async def wire(self, chat: str, group: str, change: rows.WiringChange) -> None:
        wanted = _read_change(change)

        def story(tx: Tx, by: Ruler) -> Aftermath:
            rulings = self._door.rulings
            found = rulings.find_chat(tx, chat)
            is_new = group not in wirings.groups_of(tx, found.id)
            going = rulings.wire(tx, by, found, group, now()) if is_new else Aftermath()
            if wanted != Change():
                rulings.change(tx, by, rulings.wiring_of(tx, found, group), wanted, now())
            return going

        await self._rule(story)

    async def unwire(self, chat: str, group: str) -> None:
        def story(tx: Tx, by: Ruler) -> Aftermath:
            found = self._door.rulings.find_chat(tx, chat)
            self._door.rulings.unwire(tx, by, found, group, now())
            return Aftermath()

        await self._rule(story)

    async def groups(self) -> list[rows.GroupRow]:
        groups = self._door.groups

        def story(tx: Tx) -> list[rows.GroupRow]:
            main = groups.main().name
            return [
                rows.GroupRow(
                    name=name,
                    company=groups.company_of(name) or "",
                    main=name == main,
                    chats=len(wirings.chats_wired_to(tx, name)),
                )
                for name in groups.names()
            ]

        return await self._store.read(story)

    async def companies(self) -> list[str]:
        return await asyncio.to_thread(self._founding.companies)

    async def found_group(self, name: str, company: str) -> str:
        made: list[str] = []

        def story(tx: Tx, by: Ruler) -> Aftermath:
            made.append(self._door.rulings.found_group(tx, by, name, company, now()))
            return Aftermath()

        await self._rule(story)
        return made[-1]

    # Requests, drops, audit

    async def requests(self) -> list[rows.RequestRow]:
        def story(tx: Tx) -> list[rows.RequestRow]:
            language = self._ruler(tx).language
            return [request_row(tx, self._door.groups, language, each) for each in approvals.list_open(tx)]

        return await self._store.read(story)

    async def decide(self, request: str, choice: str) -> str:
        said: list[str] = []

        def story(tx: Tx, by: Ruler) -> Aftermath:
            found = self._door.approvals.find(tx, request)
            decided = self._door.approvals.decide(tx, found.id, choice, by, now())
            said.append(decided.said)
            return decided.aftermath

        await self._rule(story)
        return said[-1].replace("\\", "")

    async def drops(self, limit: int, before: str | None = None) -> list[rows.DropRow]:
        def story(tx: Tx) -> list[rows.DropRow]:
            language = self._ruler(tx).language
            return [drop_row(language, drop) for drop in drops.newest(tx, limit, before)]

        return await self._store.read(story)

    async def audit(self, limit: int, before: str | None = None) -> list[rows.AuditRow]:
        def story(tx: Tx) -> list[rows.AuditRow]:
            locale = self._locale(people.person_named(tx, OWNER))
            return [audit_row(locale, entry) for entry in audit.newest(tx, limit, before)]

        return await self._store.read(story)

    async def explain(
        self, chat: str, person: str, text: str, *, addressed: bool | None, thread: str | None
    ) -> rows.Explained:
        def story(tx: Tx) -> rows.Explained:
            language = self._ruler(tx).language
            return explained(
                tx,
                self._door,
                language,
                chat=chat,
                person=person,
                text=text,
                addressed=addressed,
                thread=thread,
            )

        return await self._store.read(story)

    # How it is done

    async def _rule(self, story: Callable[[Tx, Ruler], Aftermath]) -> None:
        going = await self._store.write(lambda tx: story(tx, self._ruler(tx)))
        if self._engine is not None:
            going.set_going(self._engine)

    async def locale(self) -> Locale:
        """The language and the clock of whoever holds this machine."""
        return await self._store.read(lambda tx: self._locale(people.person_named(tx, OWNER)))

    def _locale(self, owner: Person | None) -> Locale:
        own = Locale(language=owner.language, timezone=owner.timezone) if owner else Locale()
        return own.or_else(self._settings.locale)

    def _ruler(self, tx: Tx) -> Ruler:
        owner = people.person_named(tx, OWNER)
        return Ruler(
            handle=OWNER,
            name=owner.name if owner else self._settings.owner.name,
            rights=Rights(everywhere=Role.OWNER),
            via=self._via,
            language=self._locale(owner).speaks,
        )


def _place_of_role(tx: Tx, person: Person, group: str | None) -> str | None:
    """The agent group where they have the role that is meant; None for one that they have everywhere."""
    held = list(memberships.all_of(tx).get(person.id, {}))
    if group is None and person.role is not Role.STRANGER:
        return None
    if group is None and len(held) > 1:
        raise Refused("role-which-group", known=", ".join(held))
    if not held or group not in (None, *held):
        raise Refused("role-none", person=person.name)
    return group or held[0]


def _read_change(change: rows.WiringChange) -> Change:
    engage = None
    if change.engage is not None or change.pattern is not None:
        mode = EngageMode.PATTERN if change.engage is None else change.engage
        engage = read_engage(mode, change.pattern)
    return Change(
        engage=engage,
        senders=None if change.senders is None else read_choice(SenderScope, change.senders),
        ignored=None if change.ignored is None else read_choice(IgnoredMessages, change.ignored),
        priority=change.priority,
    )
