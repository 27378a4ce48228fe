"""Parcels that may or may not have arrived: settled by proof, or resent with a note when their person writes next.
Silence would be worse than a repeat that says it is one.
"""

from datetime import datetime

from nanoclaw.delivery import outbox
from nanoclaw.delivery.markdown import render
from nanoclaw.delivery.text_parts import split
from nanoclaw.domain.ids import ChatId, ParcelId
from nanoclaw.domain.messages import Quote
from nanoclaw.domain.parcels import Parcel, ParcelState
from nanoclaw.domain.people import Person
from nanoclaw.durable import messages, sent, work
from nanoclaw.durable.clock import now
from nanoclaw.durable.store import Tx
from nanoclaw.durable.timeline import Event, note
from nanoclaw.texts import say
from nanoclaw.texts.catalogue import language_of

_COMPARED = 500  # characters of the message replied to
_LONGEST = 4096  # units of one message


def prove_by_reply(tx: Tx, doubtful: list[Parcel], quote: Quote, at: datetime) -> list[Parcel]:
    """Someone replied to a message of ours that we do not know: it is the unknown parcel with a whole message of that
    text. Returns those still unknown.
    """
    quoted = _bare(quote.text)[:_COMPARED]
    for parcel in doubtful:
        known = sent.subject_at(tx, parcel.chat_id, quote.ref)
        said = [_bare(part.text)[:_COMPARED] for part in split(render(parcel.text), _LONGEST)]
        above = _bare(parcel.note or "")
        if quoted and not known and quoted.removeprefix(above) in said:
            arrived(tx, parcel, quote.ref, at)
            return [other for other in doubtful if other is not parcel]
    return doubtful


def prove_by_press(tx: Tx, chat_id: ChatId, platform_id: str, data: str, at: datetime) -> None:
    """Someone pressed a button on a message that we do not know: it is the unknown parcel with that button."""
    for parcel in outbox.unknown_in(tx, chat_id):
        if any(button.data == data for button in parcel.buttons):
            if not sent.subject_at(tx, chat_id, platform_id):
                arrived(tx, parcel, platform_id, at)
            return


def heard(tx: Tx, parcel_id: ParcelId, platform_id: str) -> None:
    """The sender knows that it arrived; others may have marked it unknown meanwhile."""
    parcel = outbox.get(tx, parcel_id)
    if parcel is None or parcel.platform_id is not None:
        return
    subject = parcel.turn_id or parcel.id
    if parcel.state is ParcelState.UNKNOWN:
        arrived(tx, parcel, platform_id, now())
    elif parcel.state is ParcelState.SENDING and not sent.parts_of(tx, subject):
        sent.put(tx, subject, 0, parcel.chat_id, platform_id)


def arrived(tx: Tx, parcel: Parcel, platform_id: str, at: datetime) -> None:
    """It is in the chat under this id. Missing parts are sent, and what is there is corrected."""
    subject = parcel.turn_id or parcel.id
    parts = sent.parts_of(tx, subject)
    missing = min((place for place, part in parts.items() if part.platform_id is None), default=0)
    if parts:
        sent.put(tx, subject, missing, parcel.chat_id, platform_id)
    first = {} if missing or parcel.platform_id else {"platform_id": platform_id}
    outbox.mark(tx, parcel.id, ParcelState.PENDING, error=None, **first)
    note(tx, parcel.turn_id or parcel.message_id, Event.DELIVERY_PROVEN, at)
    _settle_cards(tx, parcel, "alert-arrived", at)
    work.due(tx, work.DELIVERY, parcel.chat_id, at)


def say_again(
    tx: Tx, doubtful: list[Parcel], person: Person, *, member: bool, language: str, at: datetime
) -> None:
    """Resend their own answers and, if they may speak to the agent, what was addressed to nobody in particular. It
    goes before anything new.
    """
    for parcel in doubtful:
        asked = messages.get(tx, parcel.message_id) if parcel.message_id else None
        theirs = asked.person_id == person.id if asked else member
        if not theirs or outbox.kind_of(tx, parcel.id) == outbox.REMINDER:
            continue
        sent.forget_unheard(tx, parcel.turn_id or parcel.id)
        above = say(language, "delivery-again")
        outbox.mark(tx, parcel.id, ParcelState.PENDING, attempts=0, error=None, noted=above)
        note(tx, parcel.turn_id or parcel.message_id, Event.DELIVERY_AGAIN, at)
        _settle_cards(tx, parcel, "alert-said-again", at)
        work.due(tx, work.DELIVERY, parcel.chat_id, at)


def _settle_cards(tx: Tx, parcel: Parcel, key: str, at: datetime) -> None:
    """Update the alerts: owners who were told about the doubt no longer need to decide."""
    for card in outbox.alerts_about(tx, parcel.id):
        added = say(language_of(card.text) or "en", key)
        outbox.amend(tx, card.id, f"{card.text}\n\n*{added}*", (), at)


def _bare(text: str) -> str:
    return "".join(text.split())
