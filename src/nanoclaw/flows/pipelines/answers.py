"""Carries out what people decided in a run: it continues, a step is repeated as they wish, or the run ends."""

from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from nanoclaw.domain.outcomes import APPROVED, REJECTED
from nanoclaw.domain.pipeline_runs import PipelineRun, PipelineRunStatus, StepRun, StepState
from nanoclaw.domain.pipelines import OnTimeout, Step
from nanoclaw.domain.questions import Question, QuestionKind, Status
from nanoclaw.durable import pipeline_runs, questions
from nanoclaw.durable.store import Tx
from nanoclaw.flows.pipelines.run_end import PipelineRunEnds, cancelled_by
from nanoclaw.flows.pipelines.step_prompt import inputs_of
from nanoclaw.flows.pipelines.step_questions import (
    AGAIN,
    APPROVE,
    EDIT,
    GO_ON,
    StepQuestion,
    StepQuestions,
    about,
    effect_of,
    text_to_approve,
)
from nanoclaw.flows.pipelines.step_start import begin_step


@dataclass(frozen=True, kw_only=True, slots=True)
class Answers:
    run_ends: PipelineRunEnds
    step_questions: StepQuestions

    def take_up(self, tx: Tx, run: PipelineRun, done: StepRun, at: datetime) -> bool:
        """Carry out the answer to the question of this step. False if the run is over."""
        question = questions.get(tx, done.question_id) if done.question_id else None
        if question is None or question.is_open:
            return True
        step, words = run.template.step(done.number), _words(question)
        if not _is_as_shown(tx, run, step, done, question):
            why = {"key": "run-not-as-shown"}
            self.run_ends.end(tx, run, PipelineRunStatus.CANCELLED, why, None, at)
            return False
        if question.kind is QuestionKind.INTERACTIVE:
            return self._take_up_session(tx, run, step, done, question, at)
        match about(question), question.chosen:
            case StepQuestion.APPROVAL, choice if choice == APPROVE:
                return self._pass(tx, run, done, question, at)
            case StepQuestion.GATE, choice if choice == GO_ON:  # its agent was ready when people were asked
                return self._pass(tx, run, done, question, question.created_at)
            case _, _ if words:
                return self._do_again(tx, run, step, done, words, at)
            case _, choice if choice in (AGAIN, EDIT):
                self.step_questions.ask_note(tx, run, step, done, at)
                return True
        return self._end(tx, run, question, at)

    def _take_up_session(
        self, tx: Tx, run: PipelineRun, step: Step, done: StepRun, question: Question, at: datetime
    ) -> bool:
        """If approved it continues; if rejected with a note, the work is repeated with that note."""
        is_late = question.status is Status.TIMEOUT
        if question.chosen == APPROVED or (is_late and step.on_timeout is OnTimeout.GO_ON):
            return self._pass(tx, run, done, question, at)
        if question.chosen == REJECTED and question.user_input:
            return self._do_again(tx, run, step, done, question.user_input, at)
        return self._end(tx, run, question, at)

    def _pass(self, tx: Tx, run: PipelineRun, done: StepRun, question: Question, at: datetime) -> bool:
        results = {**done.results, "decided_by": question.decided_name or question.decided_by or "nobody"}
        values: dict[str, Any] = {
            "state": StepState.DONE.value,
            "results": results,
            "ended_at": at,
            "why": None,
        }
        if not run.template.step(done.number).skill and (text := (done.given or {}).get("text")):
            values["texts"] = {
                "text": text
            }  # a person wrote what was approved, so the next steps get this text
        pipeline_runs.mark_step(tx, run.id, done.number, **values)
        return True

    def _do_again(self, tx: Tx, run: PipelineRun, step: Step, done: StepRun, note: str, at: datetime) -> bool:
        if step.skill:
            given = {**(done.given or {}), "note": note}
            begin_step(tx, run, step, replace(done, given=given, started_at=None), at)
            return True
        # An approval: repeat what it is about, and everything that depends on it.
        steps = pipeline_runs.steps(tx, run.id)
        made = [each.number for each in inputs_of(run.template, step, steps)]
        first = min(made, default=step.number)
        for each in steps[first - 1 : step.number]:
            if each.state is StepState.SKIPPED and not each.texts:
                continue
            again: dict[str, Any] = {"state": StepState.WAITING.value, "question_id": None}
            again |= {"started_at": None, "ended_at": None}  # waiting for people does not count as its time
            if each.number in made:
                changed = {"text": text} if (text := (done.given or {}).get("text")) else dict(each.texts)
                before = {"texts": changed, "missing": "", "said": ""}
                again["given"] = {**(each.given or {}), "note": note, "before": before}
            if each.number == step.number:
                again["attempt"] = each.attempt + 1
                again["given"] = None  # what a person wrote belongs to the version that is now replaced
            pipeline_runs.mark_step(tx, run.id, each.number, **again)
        return True

    def _end(self, tx: Tx, run: PipelineRun, question: Question, at: datetime) -> bool:
        """End the run: somebody said no, or nobody answered and the card had announced this."""
        if question.status is Status.TIMEOUT:
            status, why = PipelineRunStatus.FAILED, {"key": "run-unanswered", "step": question.step or 0}
        else:
            status, why = PipelineRunStatus.CANCELLED, cancelled_by(question.decided_name or "")
        self.run_ends.end(tx, run, status, why, None, at)
        return False


def _is_as_shown(tx: Tx, run: PipelineRun, step: Step, done: StepRun, question: Question) -> bool:
    """Whether the run would continue with the texts that people were shown."""
    match about(question):
        case StepQuestion.APPROVAL:
            text = text_to_approve(run, step, pipeline_runs.steps(tx, run.id))
            return question.is_about(effect_of(run, step, text))
        case StepQuestion.GATE:
            return question.is_about(effect_of(run, step, done.texts))
        case StepQuestion.NOTE:
            return question.is_as_asked


def _words(question: Question) -> str:
    """What a person wrote, along with a choice or instead of one."""
    if question.status is not Status.COMPLETED:
        return ""
    if question.option(question.chosen) and question.chosen not in (AGAIN, EDIT):
        return ""
    said = question.user_input or ("" if question.option(question.chosen) else question.chosen)
    return (said or "").strip()
