"""A decider says what happens to a stranger, or to a chat without an agent; messages that waited for it are
released.

A request is decided once, by whoever removes its row first. Everything that follows is in that transaction.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from nanoclaw.admission.judge import Admitted, Held
from nanoclaw.context.group_creation import GroupCreation
from nanoclaw.context.groups import Groups
from nanoclaw.delivery import outbox
from nanoclaw.domain.errors import NotFound, Refused
from nanoclaw.domain.ids import MessageId, new_id
from nanoclaw.domain.messages import Chat, End, Message
from nanoclaw.domain.parcels import NEW_CHAT, Author, Button
from nanoclaw.domain.people import Actor, Person, Role
from nanoclaw.domain.text import as_written
from nanoclaw.domain.wirings import UnknownSenders
from nanoclaw.durable import approvals, audit, memberships, people
from nanoclaw.durable.approvals import Request
from nanoclaw.durable.store import Tx
from nanoclaw.durable.timeline import Event
from nanoclaw.flows.incoming.admission import MessageAdmission
from nanoclaw.flows.incoming.arrival import Arrival, answer
from nanoclaw.flows.incoming.cards import (
    ALLOW,
    BLOCK,
    CREATE,
    DENY,
    IGNORE,
    NEVER,
    SHORT,
    Cards,
    shown,
    token,
)
from nanoclaw.flows.incoming.held_messages import HeldMessages
from nanoclaw.texts import say, tell

_CANCEL, _OWN, _FOR = "cancel", "own", "@"


@dataclass(frozen=True, kw_only=True, slots=True)
class DecisionReply:
    """What to tell the decider; `done` unless more is needed from them first."""

    said: str
    done: bool = True


@dataclass(frozen=True, kw_only=True, slots=True)
class _Case:
    """A request about to be decided."""

    tx: Tx
    request: Request
    chat: Chat
    by: Actor
    at: datetime

    def record(self, action: str, **detail: object) -> None:
        one = people.person(self.tx, self.request.person_id)
        audit.record(
            self.tx,
            self.by,
            self.at,
            action,
            self.request.id,
            chat=self.chat.title,
            person=f"{one.name} ({one.handle})",
            **detail,
        )


class Approvals:
    def __init__(
        self,
        *,
        message_admission: MessageAdmission,
        cards: Cards,
        waiting: HeldMessages,
        groups: Groups,
        group_creation: GroupCreation,
    ) -> None:
        self._message_admission = message_admission
        self._cards = cards
        self._waiting = waiting
        self._groups = groups
        self._group_creation = group_creation

    def decide(
        self, tx: Tx, request_id: str, choice: str, by: Actor, at: datetime, *, asked_in: Chat | None = None
    ) -> DecisionReply:
        """Decide a request. Raises Refused, having changed nothing: already decided, not theirs to decide, no
        such choice. `asked_in` is where they can be asked for a name, if one is needed.
        """
        request = approvals.get(tx, request_id)
        chat = people.chat(tx, request.chat_id) if request else None
        if request is None or chat is None:
            raise _too_late(tx, request_id)
        case = _Case(tx=tx, request=request, chat=chat, by=by, at=at)
        if not by.rights.may_in_all(request.groups, Role.ADMIN):
            raise Refused("request-forbidden")
        return (
            self._about_chat(case, choice, asked_in)
            if request.is_about_chat
            else self._about_sender(case, choice)
        )

    def find(self, tx: Tx, ref: str) -> Request:
        """Find a request by the end of its id, as shown on cards."""
        wanted = ref.strip().lower()
        fits = [each for each in approvals.list_open(tx) if each.id.endswith(wanted)]
        if len(fits) == 1 and len(wanted) >= SHORT:
            return fits[0]
        before = audit.last_ending(tx, wanted) if len(wanted) >= SHORT else None
        raise _decided_by(before) if before else NotFound("no-such-request", id=ref)

    def joined(self, tx: Tx, chat: Chat, person: Person, at: datetime) -> None:
        """Somebody added us to a chat: judge it as if they had mentioned us there, before anyone says a word."""
        called = Message(
            id=MessageId(""),
            chat_id=chat.id,
            person_id=person.id,
            sender=person.name,
            text="",
            sent_at=at,
            received_at=at,
            reply_to=None,
            end=None,
            reason=None,
        )
        arrival = self._message_admission.meet(tx, called, chat, person, at)
        match self._message_admission.judge(arrival):
            case Admitted(wires=True, groups=groups):
                self._waiting.wire(tx, arrival.actor, chat, groups[0], at)
            case Held(groups=()) if approvals.of_chat(tx, chat.id) is None:
                self._cards.ask_about_chat(tx, chat, person, at)
            case _:
                pass

    def name(self, arrival: Arrival) -> None:
        """Take the name that someone gives the new agent of a chat."""
        tx, language = arrival.tx, arrival.locale.speaks
        request_id = arrival.chat.naming or ""
        arrival.note(Event.COMMANDED, name=CREATE)
        try:
            folder = self._group_creation.folder_for(arrival.message.text)
        except Refused as error:
            answer(arrival, as_written(tell(language, error)), End.REFUSED)
            return
        approvals.put_name(tx, request_id, folder)
        approvals.ask_name(tx, request_id, None)
        companies = [
            Button(label=company, data=f"{NEW_CHAT}:{request_id}:{_FOR}{token(company)[1:]}")
            for company in self._group_creation.companies()
        ]
        own = Button(
            label=say(language, "button-own-company", name=folder), data=f"{NEW_CHAT}:{request_id}:{_OWN}"
        )
        cancel = Button(label=say(language, "button-cancel"), data=f"{NEW_CHAT}:{request_id}:{_CANCEL}")
        said = say(language, "card-company", group=folder)
        answer(arrival, said, End.ANSWERED, [*companies, own, cancel])

    def _about_sender(self, case: _Case, choice: str) -> DecisionReply:
        tx, request, at = case.tx, case.request, case.at
        if choice not in (ALLOW, DENY, BLOCK):
            raise Refused("no-such-choice", choice=choice, known=f"{ALLOW}, {DENY}, {BLOCK}")
        if choice == BLOCK and not case.by.rights.everywhere.may(Role.ADMIN):  # it affects every agent group
            raise Refused("role-forbidden", role=Role.ADMIN)
        if not approvals.take(tx, request.id):
            raise _too_late(tx, request.id)
        person = people.person(tx, request.person_id)
        case.record(f"sender-{choice}", groups=list(request.groups))
        if choice == ALLOW:
            for group in request.groups:
                if not memberships.rights_of(tx, person).role_in(group).may(Role.MEMBER):
                    memberships.put(tx, person.id, group, Role.MEMBER, at)
            self._waiting.replay(tx, request, at)
        else:
            self._waiting.give_up(tx, request, "denied", at)
            if choice == BLOCK:
                people.block(tx, person.id, blocked=True)
                self._waiting.give_up_on(tx, case.by, person, at)
        told = {"who": shown(person), "name": as_written(case.by.name)}
        self._cards.settle(tx, request, f"card-{choice}", **told)
        return DecisionReply(said=say(case.by.language, f"card-{choice}", **told))

    def _about_chat(self, case: _Case, choice: str, asked_in: Chat | None) -> DecisionReply:
        new_group = case.request.new_group or ""
        acts: dict[str, Callable[[], DecisionReply]] = {
            CREATE: lambda: self._ask_name(case, asked_in),
            _CANCEL: lambda: self._cancel(case),
            _OWN: lambda: self._create(case, new_group),
            IGNORE: lambda: self._ignore(case, IGNORE),
            NEVER: lambda: self._ignore(case, NEVER),
            BLOCK: lambda: self._block(case),
        }
        if act := acts.get(choice):
            return act()
        if choice.startswith(_FOR):
            company = next(
                (each for each in self._group_creation.companies() if token(each)[1:] == choice[1:]), None
            )
            if company is None:
                raise Refused("no-such-company")
            return self._create(case, company)
        group = next((each for each in self._groups.names() if choice in (each, token(each))), None)
        if group is None:
            known = ", ".join((*self._groups.names(), CREATE, IGNORE, NEVER))
            raise Refused("no-such-choice", choice=choice.removeprefix("="), known=known)
        return self._wire(case, group)

    def _wire(self, case: _Case, group: str) -> DecisionReply:
        """Wire the chat. The person on the card may talk to the agent from now on; others are asked about."""
        tx, request, at = case.tx, case.request, case.at
        self._waiting.expect_company(tx, case.chat, group)
        if not approvals.take(tx, request.id):
            raise _too_late(tx, request.id)
        case.record("chat-wired", group=group)
        person = people.person(tx, request.person_id)
        known = memberships.rights_of(tx, person).role_in(group).may(Role.MEMBER)
        if not known and not person.is_anonymous and not person.blocked:
            memberships.put(tx, person.id, group, Role.MEMBER, at)
        self._waiting.belong(tx, case.by, case.chat, group, at, request)
        return DecisionReply(
            said=say(case.by.language, "card-wired", group=group, name=as_written(case.by.name))
        )

    def _block(self, case: _Case) -> DecisionReply:
        tx, person = case.tx, people.person(case.tx, case.request.person_id)
        if person.role.may(Role.ADMIN):
            raise Refused("block-admin")
        case.record("sender-block")
        people.block(tx, person.id, blocked=True)
        self._waiting.give_up_on(tx, case.by, person, case.at)
        said = say(case.by.language, "card-block", who=shown(person), name=as_written(case.by.name))
        return DecisionReply(said=said)

    def _ignore(self, case: _Case, choice: str) -> DecisionReply:
        tx, request = case.tx, case.request
        if not approvals.take(tx, request.id):
            raise _too_late(tx, request.id)
        case.record(f"chat-{choice}")
        if choice == NEVER:
            people.set_strangers(tx, case.chat.id, UnknownSenders.STRICT)
        name = as_written(case.by.name)
        self._waiting.give_up(tx, request, "not-wired", case.at)
        self._cards.settle(tx, request, f"card-{choice}", name=name)
        return DecisionReply(said=say(case.by.language, f"card-{choice}", name=name))

    def _ask_name(self, case: _Case, asked_in: Chat | None) -> DecisionReply:
        if asked_in is None:
            raise Refused("create-needs-chat")
        language = case.by.language
        if asked_in.naming == case.request.id:  # pressed twice
            return DecisionReply(said=say(language, "card-name-asked"), done=False)
        approvals.ask_name(case.tx, case.request.id, asked_in.id)
        outbox.post(
            case.tx,
            chat_id=asked_in.id,
            thread=None,
            author=Author.HOST,
            text=say(language, "card-name", chat=as_written(case.chat.title)),
            at=case.at,
            origin=f"{outbox.ALERT} {case.request.id} {new_id('x')}",  # signed with the cards
            buttons=[
                Button(label=say(language, "button-cancel"), data=f"{NEW_CHAT}:{case.request.id}:{_CANCEL}")
            ],
        )
        return DecisionReply(said=say(language, "card-name-asked"), done=False)

    def _cancel(self, case: _Case) -> DecisionReply:
        approvals.ask_name(case.tx, case.request.id, None)
        return DecisionReply(said=say(case.by.language, "card-cancelled"), done=False)

    def _create(self, case: _Case, company: str) -> DecisionReply:
        folder = case.request.new_group
        if not folder:
            raise Refused("create-needs-chat")
        if not self._group_creation.works_for(folder, company):
            self._group_creation.folder_for(folder)
            self._group_creation.found(folder, company)
        case.record("group-founded", group=folder, company=company)
        return self._wire(case, folder)


def _too_late(tx: Tx, request_id: str) -> Refused:
    """Says who decided it, if known."""
    entry = audit.last_about(tx, request_id)
    return _decided_by(entry) if entry else Refused("request-gone")


def _decided_by(entry: audit.AuditEntry) -> Refused:
    return Refused("request-decided", name=entry.name, at=f"{entry.at:%Y-%m-%d %H:%M} UTC")
