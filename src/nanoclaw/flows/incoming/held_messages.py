"""Releases or gives up the messages held for a request, wherever the decision was made."""

from collections.abc import Callable
from datetime import datetime

from nanoclaw.context.groups import Groups
from nanoclaw.context.skills import Skills
from nanoclaw.domain.errors import Refused
from nanoclaw.domain.messages import Chat
from nanoclaw.domain.people import Actor, Person, Role
from nanoclaw.domain.text import as_written
from nanoclaw.durable import approvals, audit, memberships, people, wirings
from nanoclaw.durable.approvals import Request
from nanoclaw.durable.store import Tx
from nanoclaw.durable.timeline import Event
from nanoclaw.flows.incoming.admission import MessageAdmission
from nanoclaw.flows.incoming.arrival import Arrival, drop
from nanoclaw.flows.incoming.cards import Cards, shown


class HeldMessages:
    def __init__(
        self, *, message_admission: MessageAdmission, cards: Cards, groups: Groups, known_skills: Skills
    ) -> None:
        self._message_admission = message_admission
        self._cards = cards
        self._groups = groups
        self._known_skills = known_skills
        message_admission.learn_to_wire(self.wire)

    def wire(self, tx: Tx, by: Actor, chat: Chat, group: str, at: datetime) -> None:
        """Wire the chat to the agent group; messages that waited for it are released."""
        self.expect_company(tx, chat, group)
        request = approvals.of_chat(tx, chat.id)
        taken = request if request and approvals.take(tx, request.id) else None
        audit.record(tx, by, at, "wired", chat.id, chat=chat.title, group=group)
        self.belong(tx, by, chat, group, at, taken)

    def paired(self, tx: Tx, by: Actor, person: Person, chat: Chat, at: datetime) -> None:
        """Someone became an owner by a code: they talk to the main agent here, and their earlier messages are
        released.
        """
        if not wirings.of_chat(tx, chat.id):
            self.wire(tx, by, chat, self._groups.main().name, at)
        self.let_in(tx, by, person, at)

    def let_in(self, tx: Tx, by: Actor, person: Person, at: datetime) -> None:
        """They may speak now, though not by a card's decision: release their messages."""
        rights = memberships.rights_of(tx, people.person(tx, person.id))
        for request in approvals.of_person(tx, person.id):
            may_speak = not request.is_about_chat and rights.role_among(request.groups).may(Role.MEMBER)
            if may_speak and approvals.take(tx, request.id):
                told = {"who": shown(person), "name": as_written(by.name)}
                self.replay(tx, request, at)
                self._cards.settle(tx, request, "card-allow", **told)

    def release(self, tx: Tx, by: Actor, chat: Chat, at: datetime) -> None:
        """Anyone may speak in the chat now: release what strangers wrote there."""
        for request in approvals.of_strangers_in(tx, chat.id):
            if approvals.take(tx, request.id):
                self._cards.settle(tx, request, "card-public", name=as_written(by.name))
                self.replay(tx, request, at)

    def give_up_on(self, tx: Tx, by: Actor, person: Person, at: datetime) -> None:
        """They are blocked: nobody needs to decide about them any more."""
        for request in approvals.of_person(tx, person.id):
            if approvals.take(tx, request.id):
                told = {"who": shown(person), "name": as_written(by.name)}
                self._cards.settle(tx, request, "card-block", **told)
                self.give_up(tx, request, "blocked", at)

    def moved(self, tx: Tx, channel: str, address: str, to: str, at: datetime) -> None:
        """The network changed a chat's address. Requests about the new address, made before we knew, are settled."""
        people.move_chat(tx, channel, address, to)
        chat = people.chat_at(tx, channel, to)
        wired = wirings.groups_of(tx, chat.id) if chat else []
        request = approvals.of_chat(tx, chat.id) if chat and wired else None
        if request and approvals.take(tx, request.id):
            self._cards.settle(tx, request, "card-moved", group=wired[0])
            self.replay(tx, request, at)

    def expect_company(self, tx: Tx, chat: Chat, group: str) -> None:
        """Refuse a wiring that would cross companies."""
        there = {self._groups.company_of(each) for each in wirings.groups_of(tx, chat.id)}
        if there - {None, self._groups.company_of(group)}:
            raise Refused("wiring-companies", group=group, chat=chat.title)

    def belong(
        self, tx: Tx, by: Actor, chat: Chat, group: str, at: datetime, request: Request | None
    ) -> None:
        """`request` is the open one about the chat, removed by the caller that wires it."""
        wirings.wire(tx, chat.id, chat.kind, group, at)
        if request:
            self._cards.settle(tx, request, "card-wired", group=group, name=as_written(by.name))
            self.replay(tx, request, at)

    def replay(self, tx: Tx, request: Request, at: datetime) -> None:
        """Judge the waiting messages again, now that they may be admitted; they keep the time they were sent.
        Many may have written in a chat without an agent: only the person asked about and the one who wrote
        last go on.
        """
        skills, held = self._known_skills.commands().keys(), approvals.held_for(tx, request.id)
        heard = {request.person_id, *(message.person_id for message in held[-1:])}

        def go_on(arrival: Arrival) -> None:
            if request.is_about_chat and arrival.person.id not in heard:
                drop(arrival, "replaced")
            else:
                self._message_admission.admit(arrival, skills)

        self._let_go(tx, request, at, go_on)

    def give_up(self, tx: Tx, request: Request, reason: str, at: datetime) -> None:
        self._let_go(tx, request, at, lambda arrival: drop(arrival, reason))

    def _let_go(self, tx: Tx, request: Request, at: datetime, act: Callable[[Arrival], None]) -> None:
        """Act on each message that waited for the request, in order of arrival."""
        for message in approvals.held_for(tx, request.id):
            approvals.hold(tx, message.id, None)
            chat, person = people.chat(tx, message.chat_id), people.person(tx, message.person_id)
            if chat is not None:
                arrival = self._message_admission.meet(tx, message, chat, person, at)
                arrival.note(Event.DECIDED)
                act(arrival)
                arrival.write_steps()
