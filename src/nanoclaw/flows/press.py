"""A person presses a button under a parcel: it is checked who that is, done once, and shown on the card.

What a button does is in its data, `<prefix>:<id>`; that it is still to be done is in the rows. So a second press, or
one on an old card, changes nothing and says so.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

from nanoclaw.delivery import outbox
from nanoclaw.domain.ids import ChatId, SessionId
from nanoclaw.domain.locale import Locale
from nanoclaw.domain.messages import Chat, Press, Pressed
from nanoclaw.domain.parcels import DROP, RETRY, SEND_AGAIN, Parcel, ParcelState
from nanoclaw.domain.people import Person, Role
from nanoclaw.durable import messages, people, sent, work
from nanoclaw.durable.clock import now
from nanoclaw.durable.engine import Engine
from nanoclaw.durable.store import Store, Tx
from nanoclaw.flows.order import reopen
from nanoclaw.texts import say


@dataclass(frozen=True, kw_only=True, slots=True)
class _Done:
    """What came of a press, and what to set going once it is written down."""

    pressed: Pressed
    sessions: tuple[SessionId, ...] = ()
    deliver_to: tuple[ChatId, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class _By:
    """Who pressed, where, and in which language they are told."""

    person: Person
    chat: Chat
    language: str


class Presses:
    def __init__(self, *, store: Store, engine: Engine, locale: Locale) -> None:
        self._store = store
        self._engine = engine
        self._locale = locale
        self._kinds: dict[str, Callable[[Tx, str, _By], _Done]] = {
            RETRY: _retry,
            SEND_AGAIN: partial(_decide, send=True),
            DROP: partial(_decide, send=False),
        }

    async def press(self, press: Press) -> Pressed:
        done = await self._store.write(partial(self._take, press=press))
        for session_id in done.sessions:
            self._engine.kick(work.TURN, session_id)
        for chat_id in dict.fromkeys(done.deliver_to):
            self._engine.kick(work.DELIVERY, chat_id)
        return done.pressed

    def _take(self, tx: Tx, press: Press) -> _Done:
        person = people.person_named(tx, press.handle)
        chat = people.chat_at(tx, press.channel, press.address)
        own = Locale(language=person.language, timezone=person.timezone) if person else Locale()
        language = own.or_else(self._locale).speaks
        prefix, _, meant = press.data.partition(":")
        act = self._kinds.get(prefix)
        if person is None or chat is None or not person.role.may(Role.MEMBER):
            return _no(language, "press-forbidden")
        if act is None:
            return _no(language, "press-old")
        done = act(tx, meant, _By(person=person, chat=chat, language=language))
        if not done.pressed.taken:
            return done
        return replace(done, deliver_to=(*done.deliver_to, *_sign(tx, press, chat, person, language)))


def _sign(tx: Tx, press: Press, chat: Chat, person: Person, language: str) -> tuple[ChatId, ...]:
    """The card shows who chose what, and has no buttons any more; so do its copies in other chats."""
    cards = outbox.alerts_about(tx, press.data.partition(":")[2]) or _card(tx, chat, press.platform_id)
    for card in cards:
        label = next((button.label for button in card.buttons if button.data == press.data), "")
        note = say(language, "press-signed", label=label, name=person.name)
        outbox.amend(tx, card.id, f"{card.text}\n\n*{note}*", (), now())
    return tuple(card.chat_id for card in cards)


def _card(tx: Tx, chat: Chat, platform_id: str) -> list[Parcel]:
    subject = sent.subject_at(tx, chat.id, platform_id)
    card = outbox.about(tx, subject) if subject else None
    return [card] if card else []


def _retry(tx: Tx, message_id: str, by: _By) -> _Done:
    """Whoever may talk to the agent here may have a failed message tried again."""
    message = messages.get(tx, message_id)
    if message is None or message.chat_id != by.chat.id:
        return _no(by.language, "press-old")
    _, reopened = reopen(tx, message_id=message_id, at=now())
    if not reopened:
        return _no(by.language, "press-old")
    return _Done(pressed=_yes(by.language), sessions=reopened)


def _decide(tx: Tx, parcel_id: str, by: _By, *, send: bool) -> _Done:
    """What could not be delivered is sent again, or never."""
    if not by.person.role.may(Role.ADMIN):
        return _no(by.language, "press-forbidden")
    parcel = outbox.get(tx, parcel_id)
    if parcel is None or parcel.state not in (ParcelState.FAILED, ParcelState.UNKNOWN):
        return _no(by.language, "press-old")
    if not send:
        outbox.drop(tx, parcel, now())
        return _Done(pressed=_yes(by.language))
    outbox.retry(tx, parcel, now())
    return _Done(pressed=_yes(by.language), deliver_to=(parcel.chat_id,))


def _yes(language: str) -> Pressed:
    return Pressed(text=say(language, "press-taken"), taken=True)


def _no(language: str, key: str) -> _Done:
    return _Done(pressed=Pressed(text=say(language, key), taken=False))
