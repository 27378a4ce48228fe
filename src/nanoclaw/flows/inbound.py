"""The front door. A message is stored, judged, and becomes a turn, an order to the host, or a recorded drop.

All of it is one transaction: when `receive` returns, the message is on disk with its verdict, and the platform may
be told that we have it. A repeat of the same update finds the first one and changes nothing.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from functools import partial
from typing import assert_never

import structlog

from nanoclaw.admission.commands import COMMANDS, Order, order_in
from nanoclaw.admission.judge import Admitted, Declined, Dropped, Facts, judge
from nanoclaw.admission.pairing import looks_like_code
from nanoclaw.context.groups import Groups
from nanoclaw.context.skills import Shelf
from nanoclaw.delivery import outbox
from nanoclaw.delivery.live import EVERY_CHAT, ChatChanged, Live, MessageChanged
from nanoclaw.domain.errors import BadWorkspace
from nanoclaw.domain.ids import ChatId, MessageId, SessionId, new_id
from nanoclaw.domain.locale import Locale
from nanoclaw.domain.messages import Chat, End, Incoming, Message
from nanoclaw.domain.parcels import Author
from nanoclaw.domain.people import Person, Role
from nanoclaw.domain.text import storable, tidy_name
from nanoclaw.durable import inbox, messages, people, sessions, work
from nanoclaw.durable.clock import now
from nanoclaw.durable.engine import Engine, Place
from nanoclaw.durable.store import Store, Tx
from nanoclaw.durable.timeline import Event, note_all
from nanoclaw.flows.order import Asked, Orders, reopen
from nanoclaw.texts import LANGUAGES, say

log = structlog.get_logger("inbound")

_ALBUM_WINDOW = timedelta(seconds=0.7)  # pictures that were sent together come within it


@dataclass(frozen=True, kw_only=True)
class _Arrival:
    """A message that was just stored, with all that is known about it, in the transaction that stored it."""

    tx: Tx
    incoming: Incoming
    message: Message
    person: Person
    wired_to: tuple[str, ...]
    locale: Locale
    at: datetime
    steps: list[tuple[Event, datetime, dict[str, object]]] = field(default_factory=list)

    def note(self, event: Event, **detail: object) -> None:
        self.steps.append((event, self.at, detail))


@dataclass(frozen=True, kw_only=True, slots=True)
class _TakenIn:
    """What to set going once the message is safe."""

    message_id: MessageId
    chat_id: ChatId
    sessions: tuple[SessionId, ...] = ()
    deliver_to: tuple[ChatId, ...] = ()
    fetch_at: datetime | None = None  # when its files are fetched, if it has any


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
        """`newcomers` says which role someone has who writes on a channel for the first time."""
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
        """Store a message and judge it. It is safe when this returns."""
        story = partial(
            self._take_in,
            message_id=MessageId(new_id("m")),  # made now, so that order is the order of arrival
            incoming=_tidy(incoming),
            skills=self._shelf.commands().keys(),
            at=now(),
        )
        taken, begun = await self._engine.write_and_start(
            work.TURN, lambda place: self._store.write(partial(story, place=place))
        )
        self._set_going(taken, begun)
        return taken.message_id

    async def retry(self, message_id: str) -> bool:
        """A person wants a failed message to be tried again. False when there is nothing to retry."""
        chat_id, reopened = await self._store.write(partial(reopen, message_id=message_id, at=now()))
        if not reopened:
            return False
        self._set_going(_TakenIn(message_id=MessageId(message_id), chat_id=chat_id, sessions=reopened))
        return True

    def _set_going(self, taken: _TakenIn, begun: str | None = None) -> None:
        """`begun` is the session whose turn was taken up in the transaction that stored the message."""
        for session_id in taken.sessions:
            if session_id != begun:
                self._engine.kick(work.TURN, session_id)
        for chat_id in taken.deliver_to:
            self._engine.kick(work.DELIVERY, chat_id)
        if taken.fetch_at is not None:
            self._engine.kick_at(work.FILES, taken.message_id, taken.fetch_at)
        self._live.tell(taken.chat_id, MessageChanged(taken.message_id))
        self._live.tell(EVERY_CHAT, ChatChanged(taken.chat_id))

    def _take_in(
        self,
        tx: Tx,
        *,
        message_id: MessageId,
        incoming: Incoming,
        skills: Collection[str],
        at: datetime,
        place: Place,
    ) -> _TakenIn:
        person = self._person(tx, incoming, at)
        chat = self._chat(tx, incoming, at)
        if repeat := messages.seen(tx, incoming.channel, chat.id, incoming.external_id):
            return _TakenIn(message_id=repeat, chat_id=chat.id)
        if joined := _join_album(tx, incoming, chat) or _reword(tx, incoming, chat, at):
            return joined
        wired_to = self._wired_to(tx, chat, person, at)
        arrival = _Arrival(
            tx=tx,
            incoming=incoming,
            message=messages.store(tx, message_id, incoming, chat.id, person.id, at),
            person=person,
            wired_to=wired_to,
            locale=self._locale_for(person, wired_to),
            at=at,
        )
        arrival.note(Event.RECEIVED, channel=incoming.channel)
        taken = self._judge(arrival, skills)
        note_all(tx, message_id, arrival.steps)
        if taken.sessions:
            place.take(tx, taken.sessions[0])
        return taken

    def _judge(self, arrival: _Arrival, skills: Collection[str]) -> _TakenIn:
        incoming, order = arrival.incoming, order_in(arrival.message)
        if arrival.person.role is Role.STRANGER:
            if order is None and looks_like_code(incoming.text):
                order = Order(name="pair", argument=incoming.text)  # as people paste it
            if order and self._orders.is_for_anyone(order, incoming):
                return self._obey(arrival, order)
        verdict = judge(
            Facts(
                text=incoming.text,
                role=arrival.person.role,
                wired_to=arrival.wired_to,
                longest=self._longest,
                addressed=incoming.addressed,
                has_files=bool(incoming.files),
            )
        )
        match verdict:
            case Dropped(reason=reason):
                return _drop(arrival, reason)
            case Declined(reason=reason, values=values):
                arrival.note(Event.REFUSED, reason=reason)
                return _answer(
                    arrival, say(arrival.locale.speaks, f"declined-{reason}", **values), End.REFUSED
                )
            case Admitted(groups=groups):
                arrival.note(Event.ADMITTED, groups=", ".join(groups))
                if order is None or (order.name in skills and order.name not in COMMANDS):
                    return _queue(arrival, groups)
                return self._obey(arrival, order)
            case _:
                assert_never(verdict)

    def _obey(self, arrival: _Arrival, order: Order) -> _TakenIn:
        """An order to the host is answered by the host, in the same transaction."""
        language, role = arrival.locale.speaks, arrival.person.role
        command = COMMANDS.get(order.name)
        if command is None:
            arrival.note(Event.REFUSED, reason="unknown-command")
            return _answer(arrival, say(language, "order-unknown", name=order.name), End.REFUSED)
        if not role.may(command.role):
            arrival.note(Event.REFUSED, reason="forbidden-command")
            said = say(language, "order-forbidden", name=order.name, role=command.role, yours=role)
            return _answer(arrival, said, End.REFUSED)
        asked = Asked(
            person=arrival.person,
            message=arrival.message,
            thread=arrival.incoming.thread,
            locale=arrival.locale,
            at=arrival.at,
        )
        obeyed = self._orders.obey(arrival.tx, order, asked)
        if obeyed is None:
            return _drop(arrival, "unknown-sender")
        arrival.note(Event.COMMANDED, name=order.name)
        taken = _answer(arrival, obeyed.said, End.ANSWERED)
        return replace(taken, sessions=obeyed.sessions, deliver_to=(*taken.deliver_to, *obeyed.deliver_to))

    def _person(self, tx: Tx, incoming: Incoming, at: datetime) -> Person:
        known = people.person_named(tx, incoming.handle)
        if known is not None:
            return known
        return people.add_person(
            tx,
            handle=incoming.handle,
            name=incoming.sender,
            role=self._newcomers.get(incoming.channel, Role.STRANGER),
            at=at,
            language=incoming.language if incoming.language in LANGUAGES else None,
        )

    def _chat(self, tx: Tx, incoming: Incoming, at: datetime) -> Chat:
        title = tidy_name(incoming.chat_title)
        known = people.chat_at(tx, incoming.channel, incoming.address)
        if known is None:
            return people.add_chat(
                tx, channel=incoming.channel, address=incoming.address, title=title or incoming.address, at=at
            )
        if known.closed:  # whoever writes there can be answered again
            people.close_chat(tx, known.id, None)
        if title and title != known.title:
            people.rename_chat(tx, known.id, title)
        return known

    def _wired_to(self, tx: Tx, chat: Chat, person: Person, at: datetime) -> tuple[str, ...]:
        """A chat that an owner opens is wired to the main group at once; anyone else's stays unwired."""
        found = tuple(people.groups_of(tx, chat.id))
        if found or not person.role.may(Role.ADMIN):
            return found
        try:
            main = self._groups.main().name
        except BadWorkspace as error:
            log.warning("chat not wired", chat=chat.id, reason=str(error))
            return ()
        people.wire(tx, chat.id, main, at)
        return (main,)

    def _locale_for(self, person: Person, wired_to: tuple[str, ...]) -> Locale:
        own = Locale(language=person.language, timezone=person.timezone)
        return own.or_else(self._groups.locale_of(wired_to[0]) if wired_to else Locale()).or_else(
            self._locale
        )


def _tidy(incoming: Incoming) -> Incoming:
    """As it can be stored and shown."""
    quote = incoming.reply_to
    return replace(
        incoming,
        text=storable(incoming.text),
        sender=tidy_name(incoming.sender) or incoming.handle,
        forwarded_from=incoming.forwarded_from and (tidy_name(incoming.forwarded_from) or "?"),
        external_id=storable(incoming.external_id),
        reply_to=quote
        and replace(
            quote, ref=storable(quote.ref), sender=tidy_name(quote.sender), text=storable(quote.text)
        ),
    )


def _queue(arrival: _Arrival, groups: tuple[str, ...]) -> _TakenIn:
    """Every wired agent gets the message in its own session. An idle session starts at once."""
    tx, message, at = arrival.tx, arrival.message, arrival.at
    opened = []
    for group in groups:
        session = sessions.find_or_open(tx, group, message.chat_id, arrival.incoming.thread, at)
        inbox.join(tx, message.id, session.id)
        if message.is_ready:
            # Not hastened: a burst that is being gathered, or a turn that waits to be tried again, keeps its time.
            work.due(tx, work.TURN, session.id, at, hasten=False)
        arrival.note(Event.QUEUED, group=group)
        opened.append(session.id)
    if message.is_ready:
        return _TakenIn(message_id=message.id, chat_id=message.chat_id, sessions=tuple(opened))
    fetch_at = at + _ALBUM_WINDOW if arrival.incoming.album else at
    work.due(tx, work.FILES, message.id, fetch_at)
    return _TakenIn(message_id=message.id, chat_id=message.chat_id, fetch_at=fetch_at)


def _join_album(tx: Tx, incoming: Incoming, chat: Chat) -> _TakenIn | None:
    """A further picture of an album whose first one waits to be fetched: all of them are one message."""
    if incoming.album is None or incoming.edits:
        return None
    first = messages.gathering(tx, chat.id, incoming.album)
    if first is None:
        return None
    if all(file.part_of != incoming.external_id for file in first.files):
        messages.put_files(tx, first.id, (*first.files, *incoming.files), unfetched=True)
        if incoming.text and not first.text:
            messages.reword(tx, first.id, incoming.text)
    return _TakenIn(message_id=first.id, chat_id=chat.id)


def _reword(tx: Tx, incoming: Incoming, chat: Chat, at: datetime) -> _TakenIn | None:
    """Other words for a message that no agent has seen yet take the place of the old ones; else they are a new one."""
    edited = messages.newest_words(tx, chat.id, incoming.edits) if incoming.edits else None
    if edited is None:
        return None
    if edited.text == incoming.text:  # only a preview of a link changed, or a reaction
        return _TakenIn(message_id=edited.id, chat_id=chat.id)
    if not messages.is_untouched(tx, edited.id):
        return None
    messages.reword(tx, edited.id, incoming.text)
    note_all(tx, edited.id, [(Event.EDITED, at, {})])
    return _TakenIn(message_id=edited.id, chat_id=chat.id)


def _drop(arrival: _Arrival, reason: str) -> _TakenIn:
    arrival.note(Event.DROPPED, reason=reason)
    messages.end(arrival.tx, arrival.message.id, End.DROPPED, reason)
    return _TakenIn(message_id=arrival.message.id, chat_id=arrival.message.chat_id)


def _answer(arrival: _Arrival, said: str, how: End) -> _TakenIn:
    """The host itself says something to this message, and that is its end."""
    message = arrival.message
    messages.end(arrival.tx, message.id, how)
    outbox.post(
        arrival.tx,
        chat_id=message.chat_id,
        thread=arrival.incoming.thread,
        author=Author.HOST,
        text=said,
        at=arrival.at,
        message_id=message.id,
    )
    return _TakenIn(message_id=message.id, chat_id=message.chat_id, deliver_to=(message.chat_id,))
