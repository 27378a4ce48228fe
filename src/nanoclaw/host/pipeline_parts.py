"""Assembles pipelines: their templates, the story of their runs, and what people can do with them."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from typing import Self

from nanoclaw.context.adaptors import Adaptors
from nanoclaw.context.company_context import CompanyContexts
from nanoclaw.delivery.alerts import Alerts
from nanoclaw.flows.handoffs.ends import HandoffEnds
from nanoclaw.flows.pipeline import Pipelines
from nanoclaw.flows.pipelines.answers import Answers
from nanoclaw.flows.pipelines.cards import RunCards
from nanoclaw.flows.pipelines.changes import PipelineChanges
from nanoclaw.flows.pipelines.commands import PipelineCommands
from nanoclaw.flows.pipelines.estimates import Estimates
from nanoclaw.flows.pipelines.outputs import OutputFiles
from nanoclaw.flows.pipelines.presses import RunPresses
from nanoclaw.flows.pipelines.progress import RunProgress
from nanoclaw.flows.pipelines.run_end import PipelineRunEnds
from nanoclaw.flows.pipelines.step_end import StepEnds
from nanoclaw.flows.pipelines.step_questions import StepQuestions
from nanoclaw.flows.pipelines.step_tools import StepTools
from nanoclaw.flows.pipelines.step_turns import StepTurns
from nanoclaw.flows.pipelines.triggers import Triggers
from nanoclaw.flows.pipelines.wished_turns import WishedTurns
from nanoclaw.flows.spending.member_limits import MemberLimits
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
    presses: RunPresses
    wished_turns: WishedTurns
    tools: StepTools
    turns: StepTurns
    story: Pipelines

    @classmethod
    def of(
        cls,
        base: Base,
        admission: Admission,
        question_parts: QuestionParts,
        alerts: Alerts,
        *,
        runtime: Callable[[], str],
        owner_of: Callable[[str], int],
        limits: MemberLimits,
    ) -> Self:
        """`runtime` is used for groups and skills that name none; `owner_of` gives the user id that a
        company's boxes run as.
        """
        settings, known_skills, catalogue = base.settings, base.known_skills, admission.catalogue
        cards = RunCards(groups=base.groups, locale=settings.locale)
        resolution = question_parts.resolution
        handoff_ends = HandoffEnds(groups=base.groups, resolution=resolution, locale=settings.locale)
        run_ends = PipelineRunEnds(resolution=resolution, handoff_ends=handoff_ends, cards=cards)
        changes = PipelineChanges(
            new_questions=question_parts.new_questions, run_ends=run_ends, limits=limits
        )
        estimates = Estimates(
            prices=Prices(settings.prices),
            groups=base.groups,
            known_skills=known_skills,
            models={tier: getattr(settings.agents, tier) for tier in TIERS},
            runtime=runtime,
        )
        triggers = Triggers(catalogue=catalogue, groups=base.groups, estimates=estimates, changes=changes)
        admission.commands.learn(
            PipelineCommands(catalogue=catalogue, changes=changes, cards=cards).answers(),
            pipelines=triggers,
        )
        outputs = OutputFiles(
            home=base.home,
            adaptors=Adaptors(base.home),
            known_skills=known_skills,
            whereabouts=question_parts.whereabouts,
            cards=cards,
            owner_of=owner_of,
        )
        return cls(
            catalogue=catalogue,
            changes=changes,
            cards=cards,
            estimates=estimates,
            tools=StepTools(store=base.store, known_skills=known_skills, outputs=outputs),
            turns=StepTurns(
                store=base.store,
                known_skills=known_skills,
                contexts=CompanyContexts(base.home),
                cards=cards,
                most_steps=settings.pipelines.most_steps,
            ),
            presses=RunPresses(changes=changes),
            wished_turns=WishedTurns(store=base.store, triggers=triggers),
            story=_story(base, question_parts, alerts, changes, outputs),
        )


def _story(
    base: Base, question_parts: QuestionParts, alerts: Alerts, changes: PipelineChanges, outputs: OutputFiles
) -> Pipelines:
    run_ends = changes.run_ends
    step_questions = StepQuestions(
        new_questions=question_parts.new_questions,
        cards=run_ends.cards,
        usual_timeout=timedelta(minutes=base.settings.questions.timeout_minutes),
    )
    progress = RunProgress(
        run_ends=run_ends,
        step_questions=step_questions,
        answers=Answers(run_ends=run_ends, step_questions=step_questions),
        step_ends=StepEnds(run_ends=run_ends, step_questions=step_questions, alerts=alerts),
        cards=run_ends.cards,
        changes=changes,
    )
    return Pipelines(store=base.store, engine=base.engine, progress=progress, outputs=outputs)
