"""What people are asked in a run: to approve what was made, to decide at a failed gate, and what to change."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any

from nanoclaw.domain.continuations import Continuation
from nanoclaw.domain.outcomes import APPROVED, REJECTED
from nanoclaw.domain.pipeline_runs import PipelineRun, StepRun, StepState
from nanoclaw.domain.pipelines import OnTimeout, Step
from nanoclaw.domain.questions import Asker, NewQuestion, Option, Question, QuestionKind, Risk, digest_of, too
from nanoclaw.domain.text import as_written
from nanoclaw.durable import people, pipeline_runs, work
from nanoclaw.durable.store import Tx
from nanoclaw.flows.human.new_questions import NewQuestions
from nanoclaw.flows.pipelines.cards import RunCards
from nanoclaw.flows.pipelines.run_text import fault, role_of
from nanoclaw.flows.pipelines.step_prompt import inputs_of
from nanoclaw.texts import say

APPROVE, EDIT, CANCEL = "approve", "edit", "cancel"
AGAIN, GO_ON, ABORT = "again", "go_on", "abort"
"""The choices on the cards."""

_LONG = 3000  # characters; longer texts are shown in part, with all of it as a document
_MILLISECOND = timedelta(milliseconds=1)


class StepQuestion(StrEnum):
    """What a question of a step is about; the last word of its `asked_id`."""

    APPROVAL = "approval"
    GATE = "gate"
    NOTE = "note"


def about(question: Question) -> StepQuestion:
    return StepQuestion(question.asked_id.rpartition(" ")[2])


@dataclass(frozen=True, kw_only=True, slots=True)
class StepQuestions:
    new_questions: NewQuestions
    cards: RunCards
    usual_timeout: timedelta

    def approve(self, tx: Tx, run: PipelineRun, step: Step, steps: Sequence[StepRun], at: datetime) -> None:
        """Show what was made, and ask."""
        done, language = steps[step.number - 1], self.cards.language_of(tx, run)
        text = text_to_approve(run, step, steps)
        if step.in_session:
            self._ask(tx, run, done, self._session(run, step, text, language), StepQuestion.APPROVAL, at)
            return
        goes_on = step.on_timeout is OnTimeout.GO_ON and step.risk is Risk.NORMAL
        is_long = len(text) > _LONG
        wanted = NewQuestion(
            kind=QuestionKind.REVIEW,
            prompt="\n\n".join(
                [
                    say(
                        language,
                        "run-approve",
                        title=as_written(run.template.title),
                        step=step.number,
                        count=len(run.template.steps),
                        role=as_written(role_of(step, language)),
                    ),
                    *([] if is_long else [text]),
                ]
            ),
            options=(Option(id=APPROVE), Option(id=EDIT), Option(id=CANCEL, safe=True)),
            timeout=step.timeout,
            default=APPROVE if goes_on else CANCEL,
            risk=step.risk,
            context={"made": text} if is_long else None,
            effect=effect_of(run, step, text),
        )
        self._ask(tx, run, done, wanted, StepQuestion.APPROVAL, at)

    def _session(self, run: PipelineRun, step: Step, text: str, language: str) -> NewQuestion:
        """A session with the output as its context; the files that the steps wrote are there too."""
        config = {
            "context": {"subject": run.subject, "made": text},
            "timeout": step.timeout // _MILLISECOND,
            "outcomeSchema": {"type": "approval"},
            "captureTranscript": False,
            "blockOrchestration": True,
        }
        prompt = say(
            language,
            "run-review-session",
            title=as_written(run.template.title),
            step=step.number,
            count=len(run.template.steps),
            role=as_written(role_of(step, language)),
        )
        return NewQuestion(
            kind=QuestionKind.INTERACTIVE,
            prompt=prompt,
            options=(Option(id=APPROVED), Option(id=REJECTED, safe=True)),
            timeout=step.timeout,
            default=None,
            context={"made": text},
            config=config,
            effect=effect_of(run, step, text),
        )

    def decide_gate(
        self, tx: Tx, run: PipelineRun, step: Step, done: StepRun, why: Mapping[str, Any], at: datetime
    ) -> None:
        """Ask what to do about a failed gate; continuing is offered only if there is a text."""
        language = self.cards.language_of(tx, run)
        options = [Option(id=AGAIN), *([Option(id=GO_ON)] if done.texts else []), Option(id=ABORT, safe=True)]
        prompt = say(
            language,
            "run-gate-failed",
            title=as_written(run.template.title),
            step=step.number,
            role=as_written(role_of(step, language)),
            why=as_written(fault(why, language)),
            count=done.attempt,
        )
        wanted = NewQuestion(
            kind=QuestionKind.ESCALATION,
            prompt=prompt,
            options=tuple(options),
            timeout=self.usual_timeout,
            default=ABORT,
            context=dict(done.texts) or None,  # what would go on although it did not pass
            effect=effect_of(run, step, done.texts),
        )
        self._ask(tx, run, done, wanted, StepQuestion.GATE, at)

    def ask_note(self, tx: Tx, run: PipelineRun, step: Step, done: StepRun, at: datetime) -> None:
        """Ask what should be different, in the person's own words."""
        language = self.cards.language_of(tx, run)
        wanted = NewQuestion(
            kind=QuestionKind.INPUT,
            prompt=say(
                language, "run-what-to-change", title=as_written(run.template.title), step=step.number
            ),
            options=(),
            timeout=self.usual_timeout,
            default=None,
            effect=digest_of(run.id, step.number, StepQuestion.NOTE),
        )
        self._ask(tx, run, done, wanted, StepQuestion.NOTE, at)

    def _ask(
        self,
        tx: Tx,
        run: PipelineRun,
        done: StepRun,
        wanted: NewQuestion,
        asked: StepQuestion,
        at: datetime,
    ) -> None:
        starter = people.person(tx, run.started_by)
        asker = Asker(
            asked_id=f"{run.id} {done.number} {done.attempt} {asked}",
            group=run.group,
            company=run.company,
            chat_id=run.chat_id,
            thread=run.thread,
            then=Continuation(work.PIPELINE, run.id),
            chain_id=run.id,
            step=done.number,
        )
        wanted = replace(wanted, deciders=(too(starter.handle),))
        question = self.new_questions.open(tx, wanted, asker, None, at)
        pipeline_runs.mark_step(
            tx,
            run.id,
            done.number,
            state=StepState.ASKED.value,
            question_id=question.id,
            started_at=done.started_at or at,
            due_by=None,
        )


def text_to_approve(run: PipelineRun, step: Step, steps: Sequence[StepRun]) -> str:
    """What an approval is about: what a person wrote instead, or what the steps before made."""
    given = steps[step.number - 1].given or {}
    made = inputs_of(run.template, step, steps)
    return str(given.get("text") or "") or "\n\n".join(text for each in made for text in each.texts.values())


def effect_of(run: PipelineRun, step: Step, made: str | Mapping[str, str]) -> str:
    """What the next steps get after a yes."""
    return digest_of(run.id, step.number, made if isinstance(made, str) else dict(made))
