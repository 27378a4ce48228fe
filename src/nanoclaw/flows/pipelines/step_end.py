"""The agent of a step ended its turn or ran out of time: the step is done, tried again, asked about, or fails."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from nanoclaw.delivery.alerts import Alerts
from nanoclaw.domain.continuations import Continuation
from nanoclaw.domain.money import RUN_SPENT, STEP_SPENT
from nanoclaw.domain.pipeline_runs import PipelineRun, PipelineRunStatus, StepRun, StepState
from nanoclaw.domain.pipelines import Step
from nanoclaw.domain.turns import TurnState
from nanoclaw.durable import chains, pipeline_runs, questions, session_queue, work
from nanoclaw.durable.store import Tx
from nanoclaw.durable.turns import EndedTurn, ended_for
from nanoclaw.flows.pipelines.run_end import PipelineRunEnds, failure_text
from nanoclaw.flows.pipelines.run_text import fault
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
class StepEnds:
    run_ends: PipelineRunEnds
    step_questions: StepQuestions
    alerts: Alerts

    def take_up(
        self, tx: Tx, run: PipelineRun, steps: Sequence[StepRun], done: StepRun, at: datetime
    ) -> bool:
        """Take up what became of the agent of this step. False if the run is over."""
        step, seen = run.template.step(done.number), _newest_seen(steps, done)
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
        if done.why == _LACKS_RESULT:  # it was already reminded
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
        self.run_ends.end(tx, run, PipelineRunStatus.CANCELLED, {"key": "run-stopped"}, None, at)
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
        self.run_ends.end(tx, run, PipelineRunStatus.FAILED, why, None, at)


def _newest_seen(steps: Sequence[StepRun], step: StepRun) -> str | None:
    """The newest turn of its session that the run has taken up: steps in one box share a session."""
    seen = (each.turn_id for each in steps if each.turn_id and each.session_id == step.session_id)
    return max(seen, default=None)


def _finish(tx: Tx, run: PipelineRun, done: StepRun, at: datetime) -> None:
    pipeline_runs.mark_step(
        tx, run.id, done.number, state=StepState.DONE.value, ended_at=at, due_by=None, why=None
    )


def _shown(value: object) -> str:
    return (
        str(len(value))
        if isinstance(value, list)
        else f"{value:g}"
        if isinstance(value, float)
        else str(value)
    )
