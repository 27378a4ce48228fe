"""Assembles pipelines: their templates, the story of their runs, and what people can do with them."""

from dataclasses import dataclass
from functools import partial
from typing import Self

from nanoclaw.flows.pipelines.cards import RunCards
from nanoclaw.flows.pipelines.changes import PipelineChanges
from nanoclaw.flows.pipelines.estimates import Estimates
from nanoclaw.flows.pipelines.run_end import RunEnds
from nanoclaw.gateway.prices import Prices
from nanoclaw.host.agents import default_runtime
from nanoclaw.host.allowed_models import TIERS
from nanoclaw.host.base import Base
from nanoclaw.host.keys import Keys
from nanoclaw.host.question_parts import QuestionParts
from nanoclaw.host.templates import make_catalogue
from nanoclaw.pipelines.catalogue import Catalogue


@dataclass(frozen=True, kw_only=True, slots=True)
class PipelineParts:
    catalogue: Catalogue
    changes: PipelineChanges
    cards: RunCards
    estimates: Estimates

    @classmethod
    def of(cls, base: Base, question_parts: QuestionParts, keys: Keys) -> Self:
        cards = RunCards(groups=base.groups, locale=base.settings.locale)
        run_ends = RunEnds(resolution=question_parts.resolution, cards=cards)
        return cls(
            cards=cards,
            catalogue=make_catalogue(base.home, base.settings, base.groups, base.known_skills),
            changes=PipelineChanges(new_questions=question_parts.new_questions, run_ends=run_ends),
            estimates=Estimates(
                prices=Prices(base.settings.prices),
                groups=base.groups,
                known_skills=base.known_skills,
                models={tier: getattr(base.settings.agents, tier) for tier in TIERS},
                runtime=partial(default_runtime, base.settings, keys),
            ),
        )
