"""Ends a run of a pipeline: finished, failed or cancelled. Whatever it still waited for is called off."""

from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from nanoclaw.delivery import outbox
from nanoclaw.domain.handoffs import HandoffState
from nanoclaw.domain.ids import SessionId
from nanoclaw.domain.parcels import Author
from nanoclaw.domain.people import Actor, Rights, Role
from nanoclaw.domain.pipeline_runs import PipelineRun, PipelineRunStatus, StepRun, StepState
from nanoclaw.domain.text import as_written
from nanoclaw.durable import handoffs, pipeline_runs, questions, session_queue, sessions, work
from nanoclaw.durable.store import Tx
from nanoclaw.flows.handoffs.ends import HandoffEnds
from nanoclaw.flows.human.resolution import Resolution
from nanoclaw.flows.pipelines.afterwards import wake_task
from nanoclaw.flows.pipelines.cards import RunCards
from nanoclaw.flows.pipelines.run_text import fault, short_id
from nanoclaw.texts import say


@dataclass(frozen=True, kw_only=True, slots=True)
class PipelineRunEnds:
    resolution: Resolution
    handoff_ends: HandoffEnds
    cards: RunCards

    def end(
        self,
        tx: Tx,
        run: PipelineRun,
        status: PipelineRunStatus,
        why: dict[str, Any] | None,
        by: Actor | None,
        at: datetime,
    ) -> None:
        """End the run; what its finished steps made stays. `by` is None if the host itself ends it."""
        self._take_back(tx, run.question_id, by, at)
        for step in pipeline_runs.steps(tx, run.id):
            if not step.state.is_over:
                self.call_off(tx, step, at, by)
                pipeline_runs.mark_step(
                    tx, run.id, step.number, state=StepState.CANCELLED.value, ended_at=at, due_by=None
                )
        if status is not PipelineRunStatus.DONE:
            self._end_handoffs(tx, run, by, at)
        pipeline_runs.mark(tx, run.id, status=status.value, why=why, ended_at=at)
        ended = replace(run, status=status, why=why, ended_at=at)
        self.cards.show(tx, ended, pipeline_runs.steps(tx, run.id), at)
        if run.task_id:
            wake_task(tx, run, at)  # the task's notices report a failure
        elif status is PipelineRunStatus.FAILED:  # editing the message would not notify anyone
            self._tell(tx, ended, at)

    def _end_handoffs(self, tx: Tx, run: PipelineRun, by: Actor | None, at: datetime) -> None:
        """Stop everyone who works for its agents; nobody is told separately, because the message of the run
        says it.
        """
        for each in handoffs.of_chain(tx, run.id):
            handoff = handoffs.locked(tx, each.id)  # one that ends takes its own handoffs along
            if handoff and not handoff.state.is_over:
                self.handoff_ends.end(tx, handoff, HandoffState.CANCELLED, at, by=by, is_told=False)

    def _tell(self, tx: Tx, run: PipelineRun, at: datetime) -> None:
        language = self.cards.language_of(tx, run)
        outbox.post(
            tx,
            chat_id=run.chat_id,
            thread=run.thread,
            author=Author.HOST,
            text=failure_text(run, language),
            at=at,
            message_id=run.message_id,
            origin=f"pipeline {run.id} failed",
        )

    def call_off(self, tx: Tx, step: StepRun, at: datetime, by: Actor | None = None) -> None:
        """Stop waiting for the agent or the people of this step."""
        self._take_back(tx, step.question_id, by, at)
        if step.session_id and step.state is StepState.RUNNING:
            self._stop(tx, step.session_id, at)

    def _stop(self, tx: Tx, session_id: SessionId, at: datetime) -> None:
        """End its turn, and the box with it."""
        for question in questions.open_of(tx, session_id):
            questions.carry(tx, question.id, at)  # the answer wakes nobody
            self.resolution.cancel(tx, question, _HOST, at)
        session_queue.stop_waiting(tx, session_id)
        if begun := session_queue.open_turn(tx, session_id):
            sessions.stop(tx, session_id, max(at, begun.started_at))  # even if the clock was set back
            work.due(tx, work.STEP, session_id, at)

    def _take_back(self, tx: Tx, question_id: str | None, by: Actor | None, at: datetime) -> None:
        question = questions.locked(tx, question_id) if question_id else None
        if question and question.is_open:
            self.resolution.cancel(tx, question, by or _HOST, at)


def failure_text(run: PipelineRun, language: str) -> str:
    return say(
        language,
        "run-ended-failed",
        title=as_written(run.template.title),
        id=short_id(run),
        why=as_written(fault(run.why, language)),
    )


def cancelled_by(name: str) -> dict[str, Any]:
    """Why a run ended, in the form of its row."""
    return {"key": "run-cancelled", "name": name} if name else {"key": "run-called-off"}


_HOST = Actor(handle="host", name="", rights=Rights(everywhere=Role.STRANGER), via="host", language="en")
