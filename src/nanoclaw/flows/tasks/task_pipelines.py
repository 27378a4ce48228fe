"""A task whose text is a pipeline command: its run starts the pipeline without a card, and waits until that
is over.

Nobody confirms the cost, so it has a ceiling: the budget of the template, or twice the highest estimate.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from nanoclaw.domain.pipeline_runs import PipelineRun
from nanoclaw.domain.pipeline_runs import PipelineRunStatus as PipelineStatus
from nanoclaw.domain.pipelines import Template
from nanoclaw.domain.tasks import Run, Task
from nanoclaw.durable import chains, people, pipeline_runs, work
from nanoclaw.durable.store import Tx
from nanoclaw.flows.pipelines.changes import PipelineChanges, WantedRun
from nanoclaw.flows.pipelines.delivered import delivered
from nanoclaw.flows.pipelines.estimates import Estimates
from nanoclaw.pipelines.catalogue import Catalogue
from nanoclaw.pipelines.estimates import RunEstimate

_TIMES = 2  # the highest estimate
_OVER = {"key": "run-called-off"}


@dataclass(frozen=True, kw_only=True, slots=True)
class Ended:
    """How the pipeline of a task's run ended. `error` is None if it went well."""

    status: PipelineStatus
    said: str
    micros: int
    error: Mapping[str, Any] | None
    run_id: str


@dataclass(frozen=True, kw_only=True, slots=True)
class TaskPipelines:
    catalogue: Catalogue
    estimates: Estimates
    changes: PipelineChanges

    def template_of(self, task: Task) -> tuple[Template, str] | None:
        """The template whose command the task's text is, and the subject."""
        command, _, subject = task.prompt.strip().partition(" ")
        if not command.startswith("/"):
            return None
        template = self.catalogue.find(command.partition("@")[0])
        return (template, subject.strip()) if template else None

    def start(self, tx: Tx, task: Task, run: Run, template: Template, subject: str, at: datetime) -> None:
        """Start it once, even after a crash: the run of the task is its origin. Raises Refused."""
        company = self.changes.run_ends.cards.groups.get(task.group).company
        estimate = self.estimates.of(tx, template, company, task.group)
        wanted = WantedRun(
            template=template,
            subject=subject,
            group=task.group,
            company=company,
            chat_id=task.chat_id,
            thread=task.thread,
            language=people.person(tx, task.owner).language or "en",
            task_id=task.id,
            message_id=run.message_id,
            budget=_ceiling(template, estimate),
            origin=run.id,
        )
        self.changes.start(tx, wanted, people.person(tx, task.owner), estimate, at)

    def is_started(self, tx: Tx, run: Run) -> bool:
        return pipeline_runs.of_origin(tx, run.id) is not None

    def ended(self, tx: Tx, run: Run) -> Ended | None:
        """None while it runs, or if there is none."""
        made = pipeline_runs.of_origin(tx, run.id)
        if made is None or not made.status.is_over:
            return None
        return Ended(
            status=made.status,
            said=_texts(tx, made),
            micros=chains.spent(tx, made.id),
            error=None if made.status is PipelineStatus.DONE else made.why or _OVER,
            run_id=made.id,
        )

    def cancel(self, tx: Tx, run: Run, at: datetime) -> None:
        """Cancel the pipeline: the run of the task is over, and nobody waits for it."""
        made = pipeline_runs.of_origin(tx, run.id)
        if made and not made.status.is_over:
            self.changes.run_ends.end(tx, made, PipelineStatus.CANCELLED, dict(_OVER), None, at)
            work.due(tx, work.PIPELINE, made.id, at)  # to write the output of its finished steps into files


def _ceiling(template: Template, estimate: RunEstimate) -> int | None:
    if template.budget is not None:
        return template.budget
    known = [cost[1] for cost in (estimate.cost, template.estimate.cost) if cost]
    return _TIMES * max(known) if any(known) else None


def _texts(tx: Tx, made: PipelineRun) -> str:
    outputs = list(delivered(made, pipeline_runs.steps(tx, made.id)))
    if len(outputs) == 1:
        return outputs[0].text
    return "\n\n".join(f"{each.file}:\n{each.text}" for each in outputs)
