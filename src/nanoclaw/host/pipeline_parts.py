"""Assembles pipelines: their templates, the story of their runs, and what people can do with them."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from typing import Self

from nanoclaw.context.adaptors import Adaptors
from nanoclaw.context.company_context import CompanyContexts
from nanoclaw.delivery.alerts import Alerts
from nanoclaw.flows.pipeline import Pipelines
from nanoclaw.flows.pipelines.answers import Answers
from nanoclaw.flows.pipelines.cards import RunCards
from nanoclaw.flows.pipelines.changes import PipelineChanges
from nanoclaw.flows.pipelines.outputs import Outputs
from nanoclaw.flows.pipelines.progress import RunProgress
from nanoclaw.flows.pipelines.run_end import RunEnds
from nanoclaw.flows.pipelines.step_questions import StepQuestions
from nanoclaw.flows.pipelines.step_tools import StepTools
from nanoclaw.flows.pipelines.step_turns import StepTurns
from nanoclaw.host.base import Base
from nanoclaw.host.question_parts import QuestionParts
from nanoclaw.host.templates import make_catalogue
from nanoclaw.pipelines.catalogue import Catalogue


@dataclass(frozen=True, kw_only=True, slots=True)
class PipelineParts:
    catalogue: Catalogue
    changes: PipelineChanges
    cards: RunCards
    tools: StepTools
    turns: StepTurns
    story: Pipelines

    @classmethod
    def of(
        cls, base: Base, question_parts: QuestionParts, alerts: Alerts, owner_of: Callable[[str], int]
    ) -> Self:
        """`owner_of` gives the user id that a company's boxes run as."""
        settings, known_skills = base.settings, base.known_skills
        cards = RunCards(groups=base.groups, locale=settings.locale)
        run_ends = RunEnds(resolution=question_parts.resolution, cards=cards)
        outputs = Outputs(
            home=base.home,
            adaptors=Adaptors(base.home),
            known_skills=known_skills,
            whereabouts=question_parts.whereabouts,
            cards=cards,
            owner_of=owner_of,
        )
        step_questions = StepQuestions(
            new_questions=question_parts.new_questions,
            cards=cards,
            attachments=base.home / "data" / "attachments",
            usual_timeout=timedelta(minutes=settings.questions.timeout_minutes),
        )
        progress = RunProgress(
            run_ends=run_ends,
            step_questions=step_questions,
            answers=Answers(run_ends=run_ends, step_questions=step_questions),
            cards=cards,
            alerts=alerts,
        )
        return cls(
            catalogue=make_catalogue(base.home, settings, base.groups, known_skills),
            changes=PipelineChanges(new_questions=question_parts.new_questions, run_ends=run_ends),
            cards=cards,
            tools=StepTools(store=base.store, known_skills=known_skills, outputs=outputs),
            turns=StepTurns(
                store=base.store,
                known_skills=known_skills,
                contexts=CompanyContexts(base.home),
                most_steps=settings.pipelines.most_steps,
            ),
            story=Pipelines(store=base.store, progress=progress, outputs=outputs),
        )
