"""Puts together what asks people, takes their answers, and minds the time they have."""

from dataclasses import dataclass
from datetime import timedelta
from typing import Self

from nanoclaw.admission.quiet import read_quiet
from nanoclaw.durable.clock import now
from nanoclaw.flows.deadline import Deadlines
from nanoclaw.flows.human.answering import Answering
from nanoclaw.flows.human.cards import QuestionCards
from nanoclaw.flows.human.deciders import Whereabouts
from nanoclaw.flows.human.deciding import Deciding
from nanoclaw.flows.human.opening import Opening
from nanoclaw.flows.human.orders import HumanOrders
from nanoclaw.flows.human.permissions import Permissions
from nanoclaw.flows.human.questions import Questions
from nanoclaw.flows.human.resolution import Resolution
from nanoclaw.flows.human.waits import Waits
from nanoclaw.flows.sending.copies import Copies
from nanoclaw.host.admission import Admission
from nanoclaw.host.base import Base
from nanoclaw.sandbox.named_files import NamedFiles


@dataclass(frozen=True, kw_only=True, slots=True)
class Humans:
    questions: Questions
    deciding: Deciding
    resolution: Resolution
    whereabouts: Whereabouts
    answering: Answering
    permissions: Permissions
    deadlines: Deadlines
    waits: Waits
    copies: Copies

    @classmethod
    def of(cls, base: Base, admission: Admission) -> Self:
        settings, store, engine = base.settings, base.store, base.engine
        home, groups = base.home, base.groups
        asking = settings.questions
        quiet = read_quiet(asking.quiet) if asking.quiet else None
        whereabouts = Whereabouts(locale=settings.locale, quiet=quiet)
        cards = QuestionCards(whereabouts, groups)
        resolution = Resolution(cards, settings.locale)
        waits, copies = Waits(asking.most_waiting), Copies(home)
        opening = Opening(cards=cards, waits=waits)
        deciding = Deciding(cards=cards, resolution=resolution, opening=opening, locale=settings.locale)
        questions = Questions(
            store=store,
            engine=engine,
            opening=opening,
            waits=waits,
            copies=copies,
            locale=settings.locale,
            usual_timeout=timedelta(minutes=asking.timeout_minutes),
            hold=asking.hold_minutes * 60,
        )
        deadlines = Deadlines(
            store=store,
            engine=engine,
            cards=cards,
            resolution=resolution,
            waits=waits,
            home=home,
            not_before=now() + timedelta(seconds=asking.grace_seconds),
        )
        orders = HumanOrders(deciding, cards, resolution)
        admission.orders.learn(orders.answers(), stopped=orders.stopped)
        return cls(
            questions=questions,
            deciding=deciding,
            resolution=resolution,
            whereabouts=whereabouts,
            answering=Answering(deciding, admission.admitting),
            permissions=Permissions(
                store=store,
                questions=questions,
                groups=groups,
                locale=settings.locale,
                files=NamedFiles(home=home),
            ),
            deadlines=deadlines,
            waits=waits,
            copies=copies,
        )
