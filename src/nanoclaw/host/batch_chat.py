"""Assembles what a person says and reads about batches: wishes, estimates, topics, prompts, the check, and commands."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Self

from nanoclaw.context.adaptors import Adaptors
from nanoclaw.context.company_context import CompanyContexts
from nanoclaw.domain.budgets import Budget
from nanoclaw.domain.money import Spender
from nanoclaw.durable import money_left
from nanoclaw.durable.clock import now
from nanoclaw.flows.batches.cards import BatchCards, wanted_start
from nanoclaw.flows.batches.changes import BatchChanges
from nanoclaw.flows.batches.commands import BatchCommands
from nanoclaw.flows.batches.estimate import BatchEstimates
from nanoclaw.flows.batches.grader import Grader
from nanoclaw.flows.batches.money import payer
from nanoclaw.flows.batches.prompts import Prompts
from nanoclaw.flows.batches.text_checks import TextChecks
from nanoclaw.flows.batches.topics import Ask, Topics
from nanoclaw.flows.batches.wanted import DEMO
from nanoclaw.flows.batches.wishes import Wishes
from nanoclaw.gateway.prices import Prices
from nanoclaw.host.admission import Admission
from nanoclaw.host.allowed_models import TIERS
from nanoclaw.host.base import Base
from nanoclaw.host.member_limits import member_limits
from nanoclaw.host.question_parts import QuestionParts
from nanoclaw.runtimes import demo_batch


@dataclass(frozen=True, kw_only=True, slots=True)
class BatchChat:
    prompts: Prompts
    topics: Topics
    checking: TextChecks
    cards: BatchCards
    changes: BatchChanges
    estimates: BatchEstimates
    wishes: Wishes

    @classmethod
    def of(
        cls,
        base: Base,
        admission: Admission,
        question_parts: QuestionParts,
        *,
        runtime: Callable[[], str],
        ask: Ask,
        budgets: Callable[[str], Budget],
    ) -> Self:
        """`runtime` is used for groups and skills that name none; `ask` asks the smallest model."""
        home, settings, adaptors = base.home, base.settings, Adaptors(base.home)
        cards = BatchCards(groups=base.groups, locale=settings.locale)
        changes = BatchChanges(
            new_questions=question_parts.new_questions,
            resolution=question_parts.resolution,
            start_card=wanted_start,
            limits=member_limits(settings.spending, budgets),
        )
        prompts = Prompts(
            home=home,
            known_skills=base.known_skills,
            contexts=CompanyContexts(home),
            adaptors=adaptors,
        )
        estimates = BatchEstimates(
            prices=Prices(settings.prices),
            prompts=prompts,
            small=settings.agents.haiku,
            left=lambda tx, company: money_left.left(tx, company, budgets(company), now()),
        )
        wishes = Wishes(
            home=home,
            groups=base.groups,
            known_skills=base.known_skills,
            adaptors=adaptors,
            models={tier: getattr(settings.agents, tier) for tier in TIERS},
            runtime=runtime,
        )
        commands = BatchCommands(home=home, wishes=wishes, estimates=estimates, changes=changes, cards=cards)
        admission.commands.learn(commands.answers())

        paid_by = partial(payer, base.store)

        def asked_of(model: str) -> Ask:
            return _ask_demo if model == DEMO else ask

        return cls(
            prompts=prompts,
            topics=Topics(home=home, prompts=prompts, ask=asked_of, payer=paid_by),
            checking=TextChecks(
                store=base.store, adaptors=adaptors, grading=Grader(ask=asked_of, payer=paid_by)
            ),
            cards=cards,
            changes=changes,
            estimates=estimates,
            wishes=wishes,
        )


async def _ask_demo(_spender: Spender, prompt: str, _most: int) -> str:
    return demo_batch.answer(prompt)
