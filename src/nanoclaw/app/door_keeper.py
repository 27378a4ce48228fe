"""The keeper of the door for the page and the command line, in the name of whoever holds this machine.

Beside a host that runs, a command writes the rows itself: the host reads them with the next message, and its sweep
finds what is to be done.
"""

import asyncio
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import TypeVar

from nanoclaw.admission.commands import read_order
from nanoclaw.admission.judge import Accumulated, Admitted, Dropped, Held
from nanoclaw.admission.refusals import Refusal
from nanoclaw.app.door import Door
from nanoclaw.app.settings import Settings
from nanoclaw.console import keeper as rows
from nanoclaw.console.desk import OWNER
from nanoclaw.context.founding import Founding
from nanoclaw.domain.errors import NotFound, Refused
from nanoclaw.domain.ids import ChatId, MessageId, PersonId
from nanoclaw.domain.locale import Locale
from nanoclaw.domain.messages import Chat, Message
from nanoclaw.domain.people import Person, Rights, Role, Ruler
from nanoclaw.domain.wirings import (
    ChatKind,
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
from nanoclaw.flows.door.admitting import Decision, Ordered
from nanoclaw.flows.door.cards import ALLOW, BLOCK, DENY, IGNORE, NEVER, short
from nanoclaw.flows.door.rule_lists import told
from nanoclaw.flows.ruling import NOBODY, Change, engaged, read_choice, read_engage, read_role
from nanoclaw.texts import say

T = TypeVar("T")


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
            return [_person_row(one, within.get(one.id, {})) for one in people.everyone(tx)]

        return await self._store.read(story)

    async def person(self, ref: str) -> rows.PersonRow:
        def story(tx: Tx) -> rows.PersonRow:
            found = self._door.rulings.find_person(tx, ref)
            return _person_row(found, memberships.all_of(tx).get(found.id, {}))

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
            return [self._chat_row(language, chat, wired.get(chat.id, [])) for chat in people.all_chats(tx)]

        return await self._store.read(story)

    async def chat(self, ref: str) -> rows.ChatRow:
        def story(tx: Tx) -> rows.ChatRow:
            found = self._door.rulings.find_chat(tx, ref)
            return self._chat_row(self._ruler(tx).language, found, wirings.of_chat(tx, found.id))

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
        return await self._store.read(
            lambda tx: [self._request_row(tx, each) for each in approvals.list_open(tx)]
        )

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
            return [
                rows.DropRow(
                    id=drop.id,
                    at=drop.at,
                    chat=drop.chat,
                    channel=drop.channel,
                    sender=drop.sender,
                    handle=drop.handle,
                    text=drop.text,
                    reason=drop.reason,
                    sentence=say(language, f"reason-{drop.reason}"),
                )
                for drop in drops.newest(tx, limit, before)
            ]

        return await self._store.read(story)

    async def audit(self, limit: int, before: str | None = None) -> list[rows.AuditRow]:
        def story(tx: Tx) -> list[rows.AuditRow]:
            language = self._ruler(tx).language
            return [
                rows.AuditRow(
                    id=entry.id,
                    at=entry.at,
                    name=entry.name,
                    handle=entry.handle,
                    via=entry.via,
                    action=entry.action,
                    sentence=told(language, entry),
                )
                for entry in audit.newest(tx, limit, before)
            ]

        return await self._store.read(story)

    async def explain(
        self, chat: str, person: str, text: str, *, addressed: bool | None, thread: str | None
    ) -> rows.Explained:
        return await self._store.read(
            partial(
                self._explain, chat_ref=chat, person_ref=person, text=text, addressed=addressed, thread=thread
            )
        )

    def _explain(
        self,
        tx: Tx,
        *,
        chat_ref: str,
        person_ref: str,
        text: str,
        addressed: bool | None,
        thread: str | None,
    ) -> rows.Explained:
        """A chat or person that is not there is taken for a new one, of whom nothing is known."""
        chat, person = self._chat_or_new(tx, chat_ref), self._person_or_new(tx, person_ref)
        is_private = chat.kind is ChatKind.PRIVATE
        message = Message(
            id=MessageId(""),
            chat_id=chat.id,
            person_id=person.id,
            sender=person.name,
            text=text,
            sent_at=now(),
            received_at=now(),
            reply_to=None,
            end=None,
            reason=None,
            thread=thread,
            addressed=is_private or read_order(text) is not None if addressed is None else addressed,
        )
        arrival = self._door.admitting.meet(tx, message, chat, person, now())
        admitting = self._door.admitting
        decision = admitting.decide(arrival, self._door.shelf.commands().keys())
        groups = decision.groups if isinstance(decision, Admitted) else ()
        waits = (admitting.due_at(arrival, groups) - arrival.at).total_seconds()
        return _told(self._ruler(tx).language, decision, round(waits))

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

    def _chat_row(self, language: str, chat: Chat, wired: list[Wiring]) -> rows.ChatRow:
        """The first agent that is there says for which company the chat is."""
        companies = (self._door.groups.company_of(wiring.group) for wiring in wired)
        company = next((each for each in companies if each is not None), None)
        return rows.ChatRow(
            id=chat.id,
            channel=chat.channel,
            address=chat.address,
            title=chat.title,
            kind=chat.kind.value,
            strangers=chat.strangers.value,
            sentence=say(language, f"strangers-{chat.strangers}"),
            wirings=tuple(self._wiring_row(language, wiring, company) for wiring in wired),
        )

    def _wiring_row(self, language: str, wiring: Wiring, company: str | None) -> rows.WiringRow:
        own = self._door.groups.company_of(wiring.group)
        fault = None
        if own is None:
            fault = say(language, "reason-group-gone")
        elif own != company:
            fault = say(language, "reason-other-company")
        return rows.WiringRow(
            group=wiring.group,
            engage=wiring.engage.mode.value,
            pattern=wiring.engage.pattern,
            senders=wiring.senders.value,
            ignored=wiring.ignored.value,
            priority=wiring.priority,
            sentence=engaged(language, wiring.engage),
            fault=fault,
        )

    def _request_row(self, tx: Tx, request: approvals.Request) -> rows.RequestRow:
        language = self._ruler(tx).language
        chat, person = people.chat(tx, request.chat_id), people.person(tx, request.person_id)
        if request.is_about_chat:
            choices = [rows.Choice(value=name, label=name) for name in self._door.groups.names()]
            choices += [_choice(language, value) for value in (IGNORE, NEVER)]
        else:
            choices = [_choice(language, value) for value in (ALLOW, DENY, BLOCK)]
        return rows.RequestRow(
            id=request.id,
            short=short(request.id),
            about="chat" if request.is_about_chat else "sender",
            at=request.created_at,
            chat=chat.title if chat else "?",
            person=person.name,
            handle=person.handle,
            groups=request.groups,
            said=tuple(message.text for message in approvals.held_for(tx, request.id)),
            choices=tuple(choices),
        )

    def _chat_or_new(self, tx: Tx, ref: str) -> Chat:
        try:
            return self._door.rulings.find_chat(tx, ref)
        except NotFound:
            kind = ChatKind.GROUP if ref.startswith("-") else ChatKind.PRIVATE
            return Chat(id=ChatId(""), channel="", address=ref, title=ref, kind=kind)

    def _person_or_new(self, tx: Tx, ref: str) -> Person:
        try:
            return self._door.rulings.find_person(tx, ref)
        except NotFound as missing:
            if missing.key == "several-people":
                raise
            return Person(
                id=PersonId(""),
                handle=ref if ":" in ref else f"telegram:{ref}",
                name=ref,
                role=Role.STRANGER,
                language=None,
                timezone=None,
            )


def _person_row(one: Person, within: Mapping[str, Role]) -> rows.PersonRow:
    return rows.PersonRow(
        id=one.id,
        handle=one.handle,
        name=one.name,
        username=one.username,
        role=NOBODY if one.role is Role.STRANGER else one.role.value,
        memberships=tuple(rows.Membership(group=group, role=role.value) for group, role in within.items()),
        blocked=one.blocked,
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


def _choice(language: str, value: str) -> rows.Choice:
    return rows.Choice(value=value, label=say(language, f"button-{value}"))


def _told(language: str, decision: Decision, waits: int) -> rows.Explained:
    if isinstance(decision, Ordered):
        role = decision.command.role if decision.command else ""
        sentence = say(language, f"explain-{decision.fault or 'order'}", name=decision.order.name, role=role)
        return rows.Explained(
            verdict="refused" if decision.fault else "order", sentence=sentence, findings=()
        )
    reason = say(language, f"reason-{decision.reason}")
    if isinstance(decision, Refusal):
        return rows.Explained(
            verdict="refused", sentence=say(language, "explain-refused", reason=reason), findings=()
        )
    names = {Admitted: "admitted", Accumulated: "accumulated", Held: "held", Dropped: "dropped"}
    name = names[type(decision)]
    groups = "" if isinstance(decision, Dropped) else ", ".join(decision.groups)
    sentence = say(language, f"explain-{name}", groups=groups, reason=reason)
    if waits > 0:
        sentence += " " + say(language, "explain-waits", seconds=waits)
    return rows.Explained(
        verdict=name,
        sentence=sentence,
        findings=tuple(
            rows.FindingRow(
                group=finding.group,
                outcome=finding.outcome.value,
                sentence=say(language, f"reason-{finding.reason}"),
            )
            for finding in decision.findings
        ),
    )


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
