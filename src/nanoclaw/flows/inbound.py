"""The front door. A message is stored, judged, and becomes a turn, an order to the host, or a recorded drop.

All of it is one transaction: when `receive` returns, the message is on disk with its verdict, and the platform may
be told that we have it. A repeat of the same update finds the first one and changes nothing.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from typing import assert_never

from nanoclaw.admission.commands import COMMANDS, Order, read_order
from nanoclaw.admission.judge import Admitted, Declined, Dropped, Facts, judge
from nanoclaw.context.groups import Groups
from nanoclaw.context.skills import Shelf
from nanoclaw.delivery import outbox
from nanoclaw.delivery.live import EVERY_CHAT, ChatChanged, Live, MessageChanged
from nanoclaw.domain.ids import ChatId, MessageId, SessionId, new_id
from nanoclaw.domain.locale import Locale
from nanoclaw.domain.messages import Chat, End, Incoming, Message
from nanoclaw.domain.parcels import Author
from nanoclaw.domain.people import Person, Role
from nanoclaw.domain.text import storable, tidy_name
from nanoclaw.durable import inbox, messages, people, sessions, work
from nanoclaw.durable.clock import now
from nanoclaw.durable.engine import Engine
from nanoclaw.durable.store import Store, Tx
from nanoclaw.durable.timeline import Event, note_all
from nanoclaw.flows.order import Asked, Orders
from nanoclaw.texts import say

Steps = list[tuple[Event, datetime, dict[str, object]]]


@dataclass(frozen=True, kw_only=True, slots=True)
class _TakenIn:
    """What to set going once the message is safe."""

    message_id: MessageId
    chat_id: ChatId
    sessions: tuple[SessionId, ...] = ()
    answered: bool = False


class Inbound:
    def __init__(
        self,
        *,
        store: Store,
        engine: Engine,
        live: Live,
        groups: Groups,
        shelf: Shelf,
        orders: Orders,
        newcomers: Mapping[str, Role],
        locale: Locale,
        longest: int,
    ) -> None:
        self._store = store
        self._engine = engine
        self._live = live
        self._groups = groups
        self._shelf = shelf
        self._orders = orders
        self._newcomers = newcomers
        self._locale = locale
        self._longest = longest

    async def receive(self, incoming: Incoming) -> MessageId:
        quote = incoming.reply_to and replace(
            incoming.reply_to,
            sender=tidy_name(incoming.reply_to.sender),
            text=storable(incoming.reply_to.text),
        )
        tidy = replace(
            incoming,
            text=storable(incoming.text),
            sender=tidy_name(incoming.sender) or incoming.handle,
            reply_to=quote,
        )
        taken = await self._store.write(
            partial(
                self._take_in,
                message_id=MessageId(new_id("m")),
                incoming=tidy,
                skills=self._shelf.commands().keys(),
                at=now(),
            )
        )
        for session_id in taken.sessions:
            self._engine.kick(work.TURN, session_id)
        if taken.answered:
            self._engine.kick(work.DELIVERY, taken.chat_id)
        self._live.tell(taken.chat_id, MessageChanged(taken.message_id))
        self._live.tell(EVERY_CHAT, ChatChanged(taken.chat_id))
        return taken.message_id

    async def retry(self, message_id: str) -> bool:
        """A person wants a failed message to be tried again. False when there is nothing to retry."""
        reopened = await self._store.write(partial(_put_back, message_id=message_id, at=now()))
        if reopened is None:
            return False
        for session_id in reopened.sessions:
            self._engine.kick(work.TURN, session_id)
        self._live.tell(reopened.chat_id, MessageChanged(reopened.message_id))
        return True

    def _take_in(
        self, tx: Tx, *, message_id: MessageId, incoming: Incoming, skills: Collection[str], at: datetime
    ) -> _TakenIn:
        person = self._person(tx, incoming, at)
        chat = self._chat(tx, incoming, person, at)
        if repeat := messages.seen(tx, incoming.channel, chat.id, incoming.external_id):
            return _TakenIn(message_id=repeat, chat_id=chat.id)
        message = messages.store(tx, message_id, incoming, chat.id, person.id, at)
        steps: Steps = [(Event.RECEIVED, at, {"channel": incoming.channel})]
        wired_to = tuple(people.groups_of(tx, chat.id))
        taken = _TakenIn(message_id=message.id, chat_id=chat.id)
        verdict = judge(Facts(text=message.text, role=person.role, wired_to=wired_to, longest=self._longest))
        match verdict:
            case Dropped(reason=reason):
                messages.end(tx, message.id, End.DROPPED, reason)
                steps.append((Event.DROPPED, at, {"reason": reason}))
            case Declined(reason=reason, values=values):
                said = say(self._language(person, wired_to), f"declined-{reason}", **values)
                steps.append((Event.REFUSED, at, {"reason": reason}))
                taken = self._answer(tx, message, incoming, said, End.REFUSED, at)
            case Admitted(groups=groups):
                steps.append((Event.ADMITTED, at, {"groups": ", ".join(groups)}))
                order = read_order(message.text)
                if order is None or (order.name in skills and order.name not in COMMANDS):
                    taken = self._queue(tx, message, incoming, groups, steps, at)
                else:
                    taken = self._obey(tx, order, message, incoming, person, chat, steps, at)
            case _:
                assert_never(verdict)
        note_all(tx, message.id, steps)
        return taken

    def _queue(
        self,
        tx: Tx,
        message: Message,
        incoming: Incoming,
        groups: tuple[str, ...],
        steps: Steps,
        at: datetime,
    ) -> _TakenIn:
        """Every wired agent gets the message in its own session. An idle session starts at once."""
        opened = []
        for group in groups:
            session = sessions.find_or_open(tx, group, message.chat_id, incoming.thread, at)
            inbox.join(tx, message.id, session.id)
            # Not hastened: a burst that is being gathered, or a turn that waits to be tried again, keeps its time.
            work.due(tx, work.TURN, session.id, at, hasten=False)
            steps.append((Event.QUEUED, at, {"group": group}))
            opened.append(session.id)
        return _TakenIn(message_id=message.id, chat_id=message.chat_id, sessions=tuple(opened))

    def _obey(
        self,
        tx: Tx,
        order: Order,
        message: Message,
        incoming: Incoming,
        person: Person,
        chat: Chat,
        steps: Steps,
        at: datetime,
    ) -> _TakenIn:
        """An order to the host is answered by the host, in the same transaction."""
        language = self._language(person, tuple(people.groups_of(tx, chat.id)))
        command = COMMANDS.get(order.name)
        if command is None:
            return self._answer(
                tx, message, incoming, say(language, "order-unknown", name=order.name), End.REFUSED, at
            )
        if not person.role.may(command.role):
            said = say(language, "order-forbidden", name=order.name, role=command.role, yours=person.role)
            return self._answer(tx, message, incoming, said, End.REFUSED, at)
        steps.append((Event.COMMANDED, at, {"name": order.name}))
        locale = Locale(language=person.language, timezone=person.timezone).or_else(self._locale)
        said = self._orders.obey(
            tx, order, Asked(person=person, message=message, locale=replace(locale, language=language), at=at)
        )
        return self._answer(tx, message, incoming, said, End.ANSWERED, at)

    def _answer(
        self, tx: Tx, message: Message, incoming: Incoming, said: str, how: End, at: datetime
    ) -> _TakenIn:
        messages.end(tx, message.id, how)
        outbox.post(
            tx,
            chat_id=message.chat_id,
            thread=incoming.thread,
            author=Author.HOST,
            text=said,
            at=at,
            message_id=message.id,
        )
        return _TakenIn(message_id=message.id, chat_id=message.chat_id, answered=True)

    def _person(self, tx: Tx, incoming: Incoming, at: datetime) -> Person:
        known = people.person_named(tx, incoming.handle)
        if known is not None:
            return known
        role = self._newcomers.get(incoming.channel, Role.STRANGER)
        return people.add_person(tx, handle=incoming.handle, name=incoming.sender, role=role, at=at)

    def _chat(self, tx: Tx, incoming: Incoming, person: Person, at: datetime) -> Chat:
        """A chat that the owner opens is wired to the main group at once; anyone else's stays unwired."""
        known = people.chat_at(tx, incoming.channel, incoming.address)
        if known is not None:
            return known
        title = tidy_name(incoming.chat_title) or incoming.address
        new = people.add_chat(tx, channel=incoming.channel, address=incoming.address, title=title, at=at)
        if person.role.may(Role.ADMIN):
            people.wire(tx, new.id, self._groups.main().name, at)
        return new

    def _language(self, person: Person, wired_to: tuple[str, ...]) -> str:
        group = self._groups.get(wired_to[0]).language if wired_to else None
        return person.language or group or self._locale.speaks


def _put_back(tx: Tx, *, message_id: str, at: datetime) -> _TakenIn | None:
    message = messages.get(tx, message_id)
    reopened = inbox.reopen(tx, message_id) if message else {}
    if message is None or not reopened:
        return None
    for session_id, turn_id in reopened.items():
        work.due(tx, work.TURN, session_id, at, hasten=False)
        note_all(tx, message.id, [(Event.RETRIED, at, {"turn": turn_id})])
    return _TakenIn(message_id=message.id, chat_id=message.chat_id, sessions=tuple(reopened))
