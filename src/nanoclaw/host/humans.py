"""Puts together what asks people, takes their answers, and minds the time they have."""

from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Self

from nanoclaw.admission.quiet import read_quiet
from nanoclaw.context.groups import Groups
from nanoclaw.delivery.live import Live
from nanoclaw.durable.clock import now
from nanoclaw.durable.engine import Engine
from nanoclaw.durable.store import Store
from nanoclaw.flows.deadline import Deadlines, heed_clock
from nanoclaw.flows.human.answering import Answering
from nanoclaw.flows.human.cards import QuestionCards
from nanoclaw.flows.human.deciders import Whereabouts
from nanoclaw.flows.human.deciding import Deciding
from nanoclaw.flows.human.opening import Opening
from nanoclaw.flows.human.orders import HumanOrders
from nanoclaw.flows.human.resolution import Resolution
from nanoclaw.flows.human.waits import Waits
from nanoclaw.flows.permission import Permissions
from nanoclaw.flows.question import Questions
from nanoclaw.flows.sending.copies import Copies
from nanoclaw.host.door import Door
from nanoclaw.host.settings import Settings
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
    def of(
        cls,
        home: Path,
        settings: Settings,
        *,
        store: Store,
        engine: Engine,
        live: Live,
        groups: Groups,
        door: Door,
    ) -> Self:
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
            live=live,
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
            questions=questions,
            waits=waits,
            home=home,
            not_before=now() + timedelta(seconds=asking.grace_seconds),
        )
        engine.heed_clock(heed_clock)
        orders = HumanOrders(deciding, cards, resolution)
        door.orders.learn(orders.answers(), stopped=orders.stopped)
        return cls(
            questions=questions,
            deciding=deciding,
            resolution=resolution,
            whereabouts=whereabouts,
            answering=Answering(questions, deciding, door.admitting),
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
