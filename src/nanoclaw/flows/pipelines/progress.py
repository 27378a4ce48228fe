"""A run moves on: what has ended is taken up, what is next begins. All of it is one transaction.

Whatever crashes, a finished step is taken up once, and each question is asked once: the rows say how far the run is.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from nanoclaw.delivery.alerts import Alerts
from nanoclaw.domain.continuations import Continuation
from nanoclaw.domain.money import RUN_SPENT, STEP_SPENT
from nanoclaw.domain.people import Role
from nanoclaw.domain.pipeline_runs import PipelineRun, RunStatus, StepRun, StepState
from nanoclaw.domain.pipelines import Step, StepType, When
from nanoclaw.domain.questions import Status
from nanoclaw.domain.turns import TurnState
from nanoclaw.durable import chains, memberships, people, pipeline_runs, questions, session_queue, work
from nanoclaw.durable.store import Tx
from nanoclaw.durable.turns import EndedTurn, ended_for
from nanoclaw.flows.pipelines.answers import Answers
from nanoclaw.flows.pipelines.cards import RunCards
from nanoclaw.flows.pipelines.run_end import RunEnds, cancelled_by, failure_text
from nanoclaw.flows.pipelines.run_text import fault
from nanoclaw.flows.pipelines.start_card import START
from nanoclaw.flows.pipelines.step_questions import StepQuestions
from nanoclaw.flows.pipelines.step_start import Again, begin_step
from nanoclaw.flows.pipelines.step_time import is_over_at
from nanoclaw.flows.pipelines.step_tools import MOST_REFUSALS, refusals
from nanoclaw.pipelines.results import failed_gates

_SAID = 20_000  # characters of what an agent said instead of handing in its result
_SHOWN = 500
_LACKS_RESULT = {"key": "step-no-result"}
_NO_RESULT = "You ended without finish_step. Call it now, with your whole result."


@dataclass(frozen=True, kw_only=True, slots=True)
class Look:
    """How far a run is. `is_complete`: nothing is left to do but to deliver what it made."""

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
    run_ends: RunEnds
    step_questions: StepQuestions
    answers: Answers
    cards: RunCards
    alerts: Alerts

    def go_on(self, tx: Tx, run_id: str, at: datetime) -> Look:
        run = pipeline_runs.locked(tx, run_id)
        if run is None:
            return Look()
        if run.status is RunStatus.ASKED:
            run = self._started(tx, run, at)
        if run.status is not RunStatus.RUNNING:
            return Look(run=run, steps=pipeline_runs.steps(tx, run.id))
        steps = pipeline_runs.steps(tx, run.id)
        for step in steps:
            goes_on = True
            if step.state is StepState.RUNNING:
                goes_on = self._take_up(tx, run, step, _newest_seen(steps, step), at)
            elif step.state is StepState.ASKED:
                goes_on = self.answers.take_up(tx, run, step, at)
            if not goes_on:
                return _look(tx, run, pipeline_runs.steps(tx, run.id))
        if any(step.state is StepState.ASKED for step in steps):  # an answer may have changed several
            steps = pipeline_runs.steps(tx, run.id)
        else:
            _refresh(tx, steps, [step.number for step in steps if step.state is StepState.RUNNING])
        begun = self._begin_next(tx, run, steps, at)
        if isinstance(begun, dict):
            self.run_ends.end(tx, run, RunStatus.FAILED, begun, None, at)
            return _look(tx, run, pipeline_runs.steps(tx, run.id))
        _refresh(tx, steps, begun)
        look = _look(tx, run, steps)
        if look.run and not look.is_complete:
            self.cards.show(tx, look.run, look.steps, at)
        return look

    def _started(self, tx: Tx, run: PipelineRun, at: datetime) -> PipelineRun:
        """Somebody said yes, or no, or nobody did."""
        question = questions.get(tx, run.question_id) if run.question_id else None
        if question is None or question.is_open:
            return run
        if question.status is Status.COMPLETED and question.chosen == START:
            pipeline_runs.mark(tx, run.id, status=RunStatus.RUNNING.value, started_at=at)
            return replace(run, status=RunStatus.RUNNING, started_at=at)
        is_late = question.status is Status.TIMEOUT
        why = {"key": "run-not-started"} if is_late else cancelled_by(question.decided_name or "")
        self.run_ends.end(tx, run, RunStatus.CANCELLED, why, None, at)
        return pipeline_runs.get(tx, run.id) or run

    # An agent's turn

    def _take_up(self, tx: Tx, run: PipelineRun, done: StepRun, seen: str | None, at: datetime) -> bool:
        """What became of the agent of this step. False when the run is over."""
        step = run.template.step(done.number)
        turns = ended_for(tx, Continuation(work.PIPELINE, run.id), after=seen)
        ended = next((turn for turn in reversed(turns) if turn.session_id == done.session_id), None)
        if ended is None:
            return self._watch_time(tx, run, step, done, at)
        spent = chains.spent_by_step(tx, run.id).get(done.number, 0)
        micros = max(done.micros + ended.micros, spent)
        pipeline_runs.mark_step(tx, run.id, done.number, turn_id=ended.id, micros=micros)
        done = replace(done, turn_id=ended.id, micros=micros)
        if ended.state is TurnState.STOPPED:
            return self._stopped(tx, run, at)
        if done.texts:
            self._judge(tx, run, step, done, at)
            return True
        if ended.state is TurnState.FAILED:
            return self._went_wrong(tx, run, step, done, ended, at)
        session_id = ended.session_id
        if (
            questions.open_of(tx, session_id)
            or session_queue.waiting_in(tx, session_id, 1, at)
            or session_queue.open_turn(tx, session_id)
        ):
            return True  # a person's answer will wake it
        if refusals(done) > MOST_REFUSALS:
            told = "; ".join(dict.fromkeys(str(each["said"]) for each in done.faults if "form" in each))
            why: dict[str, Any] = {"key": "step-wrong-result", "said": told[:_SHOWN]}
            again = Again(missing=told, why=why, said=ended.said[:_SAID])
            self._attempt_failed(tx, run, step, done, again, at)
            return True
        again = Again(missing=_NO_RESULT, why=_LACKS_RESULT, said=ended.said[:_SAID])
        if done.why == _LACKS_RESULT:  # it was reminded
            self._attempt_failed(tx, run, step, done, again, at)
        else:
            begin_step(tx, run, step, done, at, replace(again, is_reminder=True), why=_LACKS_RESULT)
        return True

    def _judge(self, tx: Tx, run: PipelineRun, step: Step, done: StepRun, at: datetime) -> None:
        failed = failed_gates(step, done.results)
        if not failed:
            _finish(tx, run, done, at)
            return
        missing = ", ".join(f"{gate} (it is {_shown(done.results.get(gate.key))})" for gate in failed)
        gates = ", ".join(f"{gate} ({_shown(done.results.get(gate.key))})" for gate in failed)
        why = {"key": "step-gates", "gates": gates}
        self._attempt_failed(tx, run, step, done, Again(missing=missing, why=why, texts=dict(done.texts)), at)

    def _attempt_failed(
        self, tx: Tx, run: PipelineRun, step: Step, done: StepRun, again: Again, at: datetime
    ) -> None:
        if done.attempt <= step.retry:
            begin_step(tx, run, step, done, at, again)
            return
        given = {**(done.given or {}), "before": again.as_json()}
        pipeline_runs.mark_step(tx, run.id, done.number, given=given)
        self.step_questions.decide_gate(tx, run, step, done, again.why, at)

    def _went_wrong(
        self, tx: Tx, run: PipelineRun, step: Step, done: StepRun, turn: EndedTurn, at: datetime
    ) -> bool:
        why: dict[str, Any] = turn.error or {"key": "unexpected", "said": ""}
        if not turn.lasting and why["key"] not in (RUN_SPENT, STEP_SPENT):
            self._attempt_failed(tx, run, step, done, Again(missing=fault(why, "en"), why=why), at)
            return True
        self._fail(tx, run, done, why, at)
        return False

    def _stopped(self, tx: Tx, run: PipelineRun, at: datetime) -> bool:
        self.run_ends.end(tx, run, RunStatus.CANCELLED, {"key": "run-stopped"}, None, at)
        return False

    def _watch_time(self, tx: Tx, run: PipelineRun, step: Step, done: StepRun, at: datetime) -> bool:
        over_at = is_over_at(tx, step, done, at)
        if over_at is None or over_at > at:
            if over_at and over_at != done.due_by:
                pipeline_runs.mark_step(tx, run.id, done.number, due_by=over_at)
            return True
        minutes = round(step.timeout.total_seconds() / 60, 1)
        why = {"key": "step-timeout", "step": step.number, "role": step.role, "minutes": f"{minutes:g}"}
        self._fail(tx, run, done, why, at)
        failed = pipeline_runs.get(tx, run.id) or run
        self.alerts.post(
            tx,
            f"{run.id} late",
            lambda language: (failure_text(failed, language), ()),
            except_in=run.chat_id,
        )
        return False

    def _fail(self, tx: Tx, run: PipelineRun, done: StepRun, why: dict[str, Any], at: datetime) -> None:
        self.run_ends.call_off(tx, done, at)
        pipeline_runs.mark_step(
            tx, run.id, done.number, state=StepState.FAILED.value, why=why, ended_at=at, due_by=None
        )
        self.run_ends.end(tx, run, RunStatus.FAILED, why, None, at)

    # What is next

    def _begin_next(
        self, tx: Tx, run: PipelineRun, steps: Sequence[StepRun], at: datetime
    ) -> list[int] | dict[str, Any]:
        """The first stage that is not over. Returns the steps that changed; or why nothing can begin."""
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


def _look(tx: Tx, run: PipelineRun, steps: Sequence[StepRun]) -> Look:
    run = pipeline_runs.get(tx, run.id) or run
    is_running = run.status is RunStatus.RUNNING
    due = [step.due_by for step in steps if step.state is StepState.RUNNING and step.due_by]
    return Look(
        run=run,
        steps=steps,
        again_at=min(due, default=None) if is_running else None,
        is_complete=is_running and all(step.state.is_over for step in steps),
    )


def _refresh(tx: Tx, steps: list[StepRun], numbers: Iterable[int]) -> None:
    """Those that were changed: a run may have 200 with long texts."""
    for number in numbers:
        steps[number - 1] = pipeline_runs.step(tx, steps[number - 1].run_id, number)


def _newest_seen(steps: Sequence[StepRun], step: StepRun) -> str | None:
    """The newest turn of its session that the run has taken up: steps in one box share a session."""
    seen = (each.turn_id for each in steps if each.turn_id and each.session_id == step.session_id)
    return max(seen, default=None)


def _finish(tx: Tx, run: PipelineRun, done: StepRun, at: datetime) -> None:
    pipeline_runs.mark_step(
        tx, run.id, done.number, state=StepState.DONE.value, ended_at=at, due_by=None, why=None
    )


def _is_wanted(step: Step, steps: Sequence[StepRun]) -> bool:
    return all(_holds(each, steps) for each in step.when)


def _holds(condition: When, steps: Sequence[StepRun]) -> bool:
    return condition.step is not None and condition.holds(steps[condition.step - 1].results)


def _hindrance(tx: Tx, run: PipelineRun) -> dict[str, Any] | None:
    """A step has the rights of whoever started the run, and they may be gone."""
    starter = people.person(tx, run.started_by)
    if starter.blocked or not memberships.rights_of(tx, starter).role_in(run.group).may(Role.MEMBER):
        return {"key": "run-lost-rights", "name": starter.name}
    return None


def _shown(value: object) -> str:
    return (
        str(len(value))
        if isinstance(value, list)
        else f"{value:g}"
        if isinstance(value, float)
        else str(value)
    )
