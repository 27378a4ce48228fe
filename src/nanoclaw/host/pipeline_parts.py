"""Assembles pipelines: their templates, the story of their runs, and what people can do with them."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Self

from nanoclaw.domain.pipeline_runs import PipelineRun, StepRun
from nanoclaw.domain.questions import Option, QuestionKind, Wanted
from nanoclaw.durable.store import Tx
from nanoclaw.flows.pipelines.changes import PipelineChanges
from nanoclaw.flows.pipelines.run_end import RunEnds
from nanoclaw.host.base import Base
from nanoclaw.host.question_parts import QuestionParts
from nanoclaw.host.templates import make_catalogue
from nanoclaw.pipelines.catalogue import Catalogue
from nanoclaw.pipelines.estimates import RunEstimate


@dataclass(frozen=True, kw_only=True, slots=True)
class PipelineParts:
    catalogue: Catalogue
    changes: PipelineChanges

    @classmethod
    def of(cls, base: Base, question_parts: QuestionParts) -> Self:
        run_ends = RunEnds(resolution=question_parts.resolution, cards=_NoCards())
        return cls(
            catalogue=make_catalogue(base.home, base.settings, base.groups, base.known_skills),
            changes=PipelineChanges(
                new_questions=question_parts.new_questions, wanted_start=_plain_start, run_ends=run_ends
            ),
        )


class _NoCards:
    def show(self, tx: Tx, run: PipelineRun, steps: Sequence[StepRun], at: datetime) -> None:
        """Nothing is shown."""


def _plain_start(run: PipelineRun, _estimate: RunEstimate, _language: str) -> Wanted:
    return Wanted(
        kind=QuestionKind.APPROVAL,
        prompt=f"{run.template.title}: {run.subject}",
        options=(Option(id="yes", label="Yes"), Option(id="cancel", label="Cancel", safe=True)),
        timeout=timedelta(days=1),
        default="cancel",
    )
