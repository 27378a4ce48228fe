"""Assembles pipelines: their templates, the story of their runs, and what people can do with them."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Self

from nanoclaw.flows.pipelines.cards import RunCards
from nanoclaw.flows.pipelines.changes import PipelineChanges
from nanoclaw.flows.pipelines.commands import PipelineCommands
from nanoclaw.flows.pipelines.estimates import Estimates
from nanoclaw.flows.pipelines.run_end import RunEnds
from nanoclaw.flows.pipelines.triggers import Triggers
from nanoclaw.gateway.prices import Prices
from nanoclaw.host.admission import Admission
from nanoclaw.host.allowed_models import TIERS
from nanoclaw.host.base import Base
from nanoclaw.host.question_parts import QuestionParts
from nanoclaw.pipelines.catalogue import Catalogue


@dataclass(frozen=True, kw_only=True, slots=True)
class PipelineParts:
    catalogue: Catalogue
    changes: PipelineChanges
    cards: RunCards
    estimates: Estimates

    @classmethod
    def of(
        cls, base: Base, admission: Admission, question_parts: QuestionParts, runtime: Callable[[], str]
    ) -> Self:
        """`runtime` is the one of groups and skills that name none."""
        settings = base.settings
        cards = RunCards(groups=base.groups, locale=base.settings.locale)
        run_ends = RunEnds(resolution=question_parts.resolution, cards=cards)
        changes = PipelineChanges(new_questions=question_parts.new_questions, run_ends=run_ends)
        catalogue = admission.catalogue
        estimates = Estimates(
            prices=Prices(settings.prices),
            groups=base.groups,
            known_skills=base.known_skills,
            models={tier: getattr(settings.agents, tier) for tier in TIERS},
            runtime=runtime,
        )
        admission.commands.learn(
            PipelineCommands(catalogue=catalogue, changes=changes, cards=cards).answers(),
            pipelines=Triggers(catalogue=catalogue, groups=base.groups, estimates=estimates, changes=changes),
        )
        return cls(cards=cards, catalogue=catalogue, changes=changes, estimates=estimates)
