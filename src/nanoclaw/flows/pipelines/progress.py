"""Moves a run on: takes up what has ended and begins what is next, in one transaction.

Even after a crash a finished step is taken up once, and each question is asked once: the rows say how far the
run is.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from nanoclaw.domain.people import Role
from nanoclaw.domain.pipeline_runs import PipelineRun, PipelineRunStatus, StepRun, StepState
from nanoclaw.domain.pipelines import Step, StepType, When
from nanoclaw.domain.questions import Status
from nanoclaw.durable import memberships, people, pipeline_runs, questions
from nanoclaw.durable.store import Tx
from nanoclaw.flows.pipelines.answers import Answers
from nanoclaw.flows.pipelines.cards import RunCards
from nanoclaw.flows.pipelines.changes import PipelineChanges
from nanoclaw.flows.pipelines.run_end import PipelineRunEnds, cancelled_by
from nanoclaw.flows.pipelines.start_card import START, effect_of
from nanoclaw.flows.pipelines.step_end import StepEnds
from nanoclaw.flows.pipelines.step_questions import StepQuestions
from nanoclaw.flows.pipelines.step_start import begin_step


@dataclass(frozen=True, kw_only=True, slots=True)
class RunState:
    """How far a run is. `is_complete`: nothing is left to do but deliver its output."""

    run: PipelineRun | None = None
    steps: Sequence[StepRun] = ()
    again_at: datetime | None = None
    is_complete: bool = False

    @property
    def writes_files(self) -> bool:
        is_over = self.run is not None and self.run.status.is_over
        return self.is_complete or (is_over and any(step.texts for step in self.steps))


@dataclass(frozen=True, kw_only=True, slots=True)
class RunProgress:
    run_ends: PipelineRunEnds
    step_questions: StepQuestions
    answers: Answers
    step_ends: StepEnds
    cards: RunCards
    changes: PipelineChanges

    def go_on(self, tx: Tx, run_id: str, at: datetime) -> RunState:
        run = pipeline_runs.locked(tx, run_id)
        if run is None:
            return RunState()
        if run.status is PipelineRunStatus.ASKED:
            run = self._started(tx, run, at)
        if run.status is not PipelineRunStatus.RUNNING:
            return RunState(run=run, steps=pipeline_runs.steps(tx, run.id))
        steps = pipeline_runs.steps(tx, run.id)
        for step in steps:
            goes_on = True
            if step.state is StepState.RUNNING:
                goes_on = self.step_ends.take_up(tx, run, steps, step, at)
            elif step.state is StepState.ASKED:
                goes_on = self.answers.take_up(tx, run, step, at)
            if not goes_on:
                return _look(tx, run, pipeline_runs.steps(tx, run.id))
        if any(step.state is StepState.ASKED for step in steps):  # an answer may have changed several steps
            steps = pipeline_runs.steps(tx, run.id)
        else:
            _refresh(tx, steps, [step.number for step in steps if step.state is StepState.RUNNING])
        begun = self._begin_next(tx, run, steps, at)
        if isinstance(begun, dict):
            self.run_ends.end(tx, run, PipelineRunStatus.FAILED, begun, None, at)
            return _look(tx, run, pipeline_runs.steps(tx, run.id))
        _refresh(tx, steps, begun)
        look = _look(tx, run, steps)
        if look.run and not look.is_complete:
            self.cards.show(tx, look.run, look.steps, at)
        return look

    def _started(self, tx: Tx, run: PipelineRun, at: datetime) -> PipelineRun:
        """Start or cancel the run once its start question is closed."""
        question = questions.get(tx, run.question_id) if run.question_id else None
        if question is None or question.is_open:
            return run
        if question.status is Status.COMPLETED and question.chosen == START:
            if not question.is_about(effect_of(run)):
                self.run_ends.end(tx, run, PipelineRunStatus.CANCELLED, {"key": "run-not-as-shown"}, None, at)
                return pipeline_runs.get(tx, run.id) or run
            if waits := self.changes.pass_to_admin(tx, run, question, at):
                return waits
            pipeline_runs.mark(tx, run.id, status=PipelineRunStatus.RUNNING.value, started_at=at)
            return replace(run, status=PipelineRunStatus.RUNNING, started_at=at)
        is_late = question.status is Status.TIMEOUT
        why = {"key": "run-not-started"} if is_late else cancelled_by(question.decided_name or "")
        self.run_ends.end(tx, run, PipelineRunStatus.CANCELLED, why, None, at)
        return pipeline_runs.get(tx, run.id) or run

    def _begin_next(
        self, tx: Tx, run: PipelineRun, steps: Sequence[StepRun], at: datetime
    ) -> list[int] | dict[str, Any]:
        """Begin the first stage that is not over. Returns the steps that changed, or why nothing can begin."""
        changed: list[int] = []
        for stage in run.template.stages:
            is_open = [step for step in stage if not steps[step.number - 1].state.is_over]
            waiting = [step for step in is_open if steps[step.number - 1].state is StepState.WAITING]
            begins = [step for step in waiting if _is_wanted(step, steps)]
            changed += [step.number for step in waiting]
            for step in waiting:
                if step not in begins:
                    skipped = {"state": StepState.SKIPPED.value, "ended_at": at}
                    pipeline_runs.mark_step(tx, run.id, step.number, **skipped)
            if begins and (why := _hindrance(tx, run)):
                return why
            for step in begins:
                if step.type is StepType.APPROVAL:
                    self.step_questions.approve(tx, run, step, steps, at)
                else:
                    begin_step(tx, run, step, steps[step.number - 1], at)
            if begins or len(is_open) > len(waiting):
                break
        return changed


def _look(tx: Tx, run: PipelineRun, steps: Sequence[StepRun]) -> RunState:
    run = pipeline_runs.get(tx, run.id) or run
    is_running = run.status is PipelineRunStatus.RUNNING
    due = [step.due_by for step in steps if step.state is StepState.RUNNING and step.due_by]
    return RunState(
        run=run,
        steps=steps,
        again_at=min(due, default=None) if is_running else None,
        is_complete=is_running and all(step.state.is_over for step in steps),
    )


def _refresh(tx: Tx, steps: list[StepRun], numbers: Iterable[int]) -> None:
    """Reload only the changed steps: a run may have 200 with long texts."""
    for number in numbers:
        steps[number - 1] = pipeline_runs.step(tx, steps[number - 1].run_id, number)


def _is_wanted(step: Step, steps: Sequence[StepRun]) -> bool:
    return all(_holds(each, steps) for each in step.when)


def _holds(condition: When, steps: Sequence[StepRun]) -> bool:
    return condition.step is not None and condition.holds(steps[condition.step - 1].results)


def _hindrance(tx: Tx, run: PipelineRun) -> dict[str, Any] | None:
    """Why the run cannot continue: its steps have the rights of the person who started it, who may have lost them."""
    starter = people.person(tx, run.started_by)
    if starter.blocked or not memberships.rights_of(tx, starter).role_in(run.group).may(Role.MEMBER):
        return {"key": "run-lost-rights", "name": starter.name}
    return None
