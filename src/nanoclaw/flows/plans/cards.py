"""The card of a plan: posted, edited as the plan advances, and closed when another one follows it."""

from dataclasses import replace
from datetime import datetime

from nanoclaw.delivery import outbox
from nanoclaw.domain.ids import ChatId, MessageId, ParcelId, new_id
from nanoclaw.domain.parcels import Author, ParcelState
from nanoclaw.domain.plans import Plan
from nanoclaw.durable import plans
from nanoclaw.durable.store import Tx
from nanoclaw.flows.plans import plan_text
from nanoclaw.flows.plans.plan_text import Card


def show(tx: Tx, plan: Plan, at: datetime, *, typing: bool = False) -> Plan:
    """Show its current state on its card, or on a new one."""
    shown = plan_text.card(plan, typing=typing)
    if plan.parcel_id:
        amend(tx, plan, shown, at)
        return plan
    return post(tx, plan, shown, at)


def post(tx: Tx, plan: Plan, shown: Card, at: datetime) -> Plan:
    """Post a new card, which is the plan's card from now on."""
    text, buttons = shown
    parcel_id = outbox.post(
        tx,
        chat_id=ChatId(plan.chat_id),
        thread=plan.thread,
        author=Author.HOST,
        text=text,
        at=at,
        message_id=MessageId(plan.message_id) if plan.message_id else None,
        buttons=buttons,
        # Like every question: seeing it twice does no harm, but a person who never sees it would wait in vain.
        origin=f"{outbox.ALERT} {plan.id} {new_id('x')}",
    )
    plan = replace(plan, parcel_id=parcel_id)
    plans.save(tx, plan)
    return plan


def amend(tx: Tx, plan: Plan, shown: Card, at: datetime) -> None:
    """Edit the card only if it differs: networks refuse an edit that changes nothing."""
    text, buttons = shown
    card = outbox.get(tx, plan.parcel_id or "")
    if card and (card.text, card.buttons) != (text, tuple(buttons)):
        outbox.amend(tx, card.id, text, buttons, at)


def close(tx: Tx, plan: Plan, text: str, at: datetime) -> Plan:
    """Leave this text on the card, without buttons; the next card is a new one."""
    if plan.parcel_id:
        outbox.amend(tx, ParcelId(plan.parcel_id), text, (), at)
    return replace(plan, parcel_id=None)


def has_arrived(tx: Tx, plan: Plan) -> bool:
    """Whether the person sees what was written last."""
    card = outbox.get(tx, plan.parcel_id or "")
    return card is not None and card.state is ParcelState.DELIVERED


def is_on_its_way(tx: Tx, plan: Plan, data: str) -> bool:
    """Whether its card has this button but its delivery is not confirmed yet: the person may already see it."""
    card = outbox.get(tx, plan.parcel_id or "")
    is_unheard = card is not None and card.platform_id is None and card.state is not ParcelState.DELIVERED
    return card is not None and is_unheard and any(button.data == data for button in card.buttons)
