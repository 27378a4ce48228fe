"""Assembles pipelines: their templates, the story of their runs, and what people can do with them."""

from dataclasses import dataclass
from typing import Self

from nanoclaw.flows.pipelines.cards import RunCards
from nanoclaw.flows.pipelines.changes import PipelineChanges
from nanoclaw.flows.pipelines.run_end import RunEnds
from nanoclaw.host.base import Base
from nanoclaw.host.question_parts import QuestionParts
from nanoclaw.host.templates import make_catalogue
from nanoclaw.pipelines.catalogue import Catalogue


@dataclass(frozen=True, kw_only=True, slots=True)
class PipelineParts:
    catalogue: Catalogue
    changes: PipelineChanges
    cards: RunCards

    @classmethod
    def of(cls, base: Base, question_parts: QuestionParts) -> Self:
        cards = RunCards(groups=base.groups, locale=base.settings.locale)
        run_ends = RunEnds(resolution=question_parts.resolution, cards=cards)
        return cls(
            cards=cards,
            catalogue=make_catalogue(base.home, base.settings, base.groups, base.known_skills),
            changes=PipelineChanges(new_questions=question_parts.new_questions, run_ends=run_ends),
        )
