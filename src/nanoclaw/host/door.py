"""Puts together what decides who may speak: for a host that runs, and for a command beside it."""

from dataclasses import dataclass
from pathlib import Path
from typing import Self

from nanoclaw.admission.rates import Rates
from nanoclaw.context.founding import Founding
from nanoclaw.context.groups import Groups
from nanoclaw.context.skills import Shelf
from nanoclaw.delivery.alerts import Alerts
from nanoclaw.flows.approval import Approvals
from nanoclaw.flows.door.admitting import Admitting
from nanoclaw.flows.door.cards import Cards
from nanoclaw.flows.door.rule_orders import RuleOrders
from nanoclaw.flows.door.waiting import Waiting
from nanoclaw.flows.order import Orders
from nanoclaw.flows.ruling import Rulings
from nanoclaw.host.settings import Settings


@dataclass(frozen=True, kw_only=True, slots=True)
class Door:
    admitting: Admitting
    approvals: Approvals
    waiting: Waiting
    rulings: Rulings
    groups: Groups
    shelf: Shelf
    orders: Orders
    rates: Rates

    @classmethod
    def of(cls, home: Path, settings: Settings, groups: Groups, shelf: Shelf) -> Self:
        cards = Cards(Alerts(locale=settings.locale), groups)
        orders = Orders(shelf)
        limits = settings.limits
        rates = Rates(per_person=limits.person_per_minute, per_group=limits.group_per_minute)
        admitting = Admitting(
            groups=groups,
            orders=orders,
            cards=cards,
            rates=rates,
            locale=settings.locale,
            longest=limits.message_characters,
        )
        waiting = Waiting(admitting=admitting, cards=cards, groups=groups, shelf=shelf)
        founding = Founding(home)
        approvals = Approvals(
            admitting=admitting, cards=cards, waiting=waiting, groups=groups, founding=founding
        )
        rulings = Rulings(groups=groups, founding=founding, waiting=waiting)
        orders.learn(RuleOrders(rulings, approvals, groups).answers(), paired=waiting.paired)
        return cls(
            orders=orders,
            rates=rates,
            admitting=admitting,
            approvals=approvals,
            waiting=waiting,
            rulings=rulings,
            groups=groups,
            shelf=shelf,
        )
