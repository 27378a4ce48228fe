"""What people are asked in a run: to approve what was made, to decide at a failed gate, and what to change."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from enum import StrEnum
from pathlib import Path
from typing import Any

from nanoclaw.domain.continuations import Continuation
from nanoclaw.domain.outcomes import APPROVED, REJECTED
from nanoclaw.domain.parcels import Attachment
from nanoclaw.domain.pipeline_runs import PipelineRun, StepRun, StepState
from nanoclaw.domain.pipelines import OnTimeout, Step
from nanoclaw.domain.questions import Asker, NewQuestion, Option, Question, QuestionKind, Risk, too
from nanoclaw.domain.text import as_written
from nanoclaw.durable import people, pipeline_runs, work
from nanoclaw.durable.store import Tx
from nanoclaw.flows.human.new_questions import NewQuestions, ReviewDocument
from nanoclaw.flows.pipelines.cards import RunCards
from nanoclaw.flows.pipelines.run_text import fault, role_of
from nanoclaw.flows.pipelines.step_prompt import inputs_of
from nanoclaw.texts import say

APPROVE, EDIT, CANCEL = "approve", "edit", "cancel"
AGAIN, GO_ON, ABORT = "again", "go_on", "abort"
"""The choices on the cards."""

_LONG = 3000  # characters; longer texts come as a document
_SHOWN = 600
_MOST_MADE = 50_000
_MILLISECOND = timedelta(milliseconds=1)


class StepQuestion(StrEnum):
    """What a question of a step is about; the last word of its `asked_id`."""

    APPROVAL = "approval"
    GATE = "gate"
    NOTE = "note"


def about(question: Question) -> StepQuestion:
    return StepQuestion(question.asked_id.rpartition(" ")[2])


class FileFirst(Exception):
    """The document of a question must be kept before it can be asked."""

    def __init__(self, path: Path, content: bytes) -> None:
        super().__init__(path.name)
        self.path, self.content = path, content


@dataclass(frozen=True, kw_only=True, slots=True)
class StepQuestions:
    new_questions: NewQuestions
    cards: RunCards
    attachments: Path
    usual_timeout: timedelta

    def approve(self, tx: Tx, run: PipelineRun, step: Step, steps: Sequence[StepRun], at: datetime) -> None:
        """Show what was made, and ask. Raises FileFirst if it is long and its document is not kept yet."""
        done, language = steps[step.number - 1], self.cards.language_of(tx, run)
        made = inputs_of(run.template, step, steps)
        text = str((done.given or {}).get("text") or "") or "\n\n".join(
            text for each in made for text in each.texts.values()
        )
        document = self._document(run, step, done, text) if len(text) > _LONG else None
        if step.in_session:
            self._ask(tx, run, done, self._session(run, step, text, language), StepQuestion.APPROVAL, at)
            return
        goes_on = step.on_timeout is OnTimeout.GO_ON and step.risk is Risk.NORMAL
        shown = f"{text[:_SHOWN].rstrip()}…" if document else text
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
                    shown,
                ]
            ),
            options=(Option(id=APPROVE), Option(id=EDIT), Option(id=CANCEL, safe=True)),
            timeout=step.timeout,
            default=APPROVE if goes_on else CANCEL,
            risk=step.risk,
            document=document.kept.name if document else None,
        )
        self._ask(tx, run, done, wanted, StepQuestion.APPROVAL, at, document)

    def _session(self, run: PipelineRun, step: Step, text: str, language: str) -> NewQuestion:
        """A session with the output as its context; the files that the steps wrote are there too."""
        config = {
            "context": {"subject": run.subject, "made": text[:_MOST_MADE]},
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
            context={"made": f"{text[:_SHOWN].rstrip()}…" if len(text) > _SHOWN else text},
            config=config,
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
        document: ReviewDocument | None = None,
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
        question = self.new_questions.open(tx, wanted, asker, document, at)
        pipeline_runs.mark_step(
            tx,
            run.id,
            done.number,
            state=StepState.ASKED.value,
            question_id=question.id,
            started_at=done.started_at or at,
            due_by=None,
        )

    def _document(self, run: PipelineRun, step: Step, done: StepRun, text: str) -> ReviewDocument:
        kept = f"{run.id}.{step.number}.asked{done.attempt}"
        content, path = text.encode(), self.attachments / kept
        if not path.exists():
            raise FileFirst(path, content)
        name = f"{step.number}.md"
        return ReviewDocument(
            kept=Attachment(name=name, media_type="text/markdown", size=len(content), kept=kept),
            sha256=hashlib.sha256(content).hexdigest(),
        )
