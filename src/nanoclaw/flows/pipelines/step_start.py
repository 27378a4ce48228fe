"""Sets an agent to work on a step: its session, its prompt, its time."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from nanoclaw.domain.continuations import Continuation
from nanoclaw.domain.ids import SessionId
from nanoclaw.domain.pipeline_runs import PipelineRun, StepRun, StepState
from nanoclaw.domain.pipelines import Step, StepType
from nanoclaw.durable import people, pipeline_runs, prompts, sessions, work
from nanoclaw.durable.store import Tx


@dataclass(frozen=True, kw_only=True, slots=True)
class Again:
    """Why a step is repeated, for its agent."""

    missing: str
    why: Mapping[str, Any] = field(default_factory=dict)  # the same for people: a key and values
    texts: dict[str, str] | None = None  # what it made before
    said: str = ""
    is_reminder: bool = False  # still the same attempt

    def as_json(self) -> dict[str, Any]:
        return {"missing": self.missing, "texts": self.texts, "said": self.said}


def begin_step(
    tx: Tx,
    run: PipelineRun,
    step: Step,
    done: StepRun,
    at: datetime,
    again: Again | None = None,
    **changed: object,
) -> None:
    """`done` is the step's row so far; `changed` are further changes to it."""
    attempt = done.attempt if again and again.is_reminder else done.attempt + 1
    session_id = _session(tx, run, step, done, at)
    given = {name: value for name, value in (done.given or {}).items() if name != "before" or not again}
    if again:
        given["before"] = again.as_json()
    values: dict[str, object] = {
        "state": StepState.RUNNING.value,
        "attempt": attempt,
        "session_id": session_id,
        "question_id": None,
        "given": given or None,
        "texts": {},
        "results": {},
        "claims": [],
        "faults": [],
        "why": None,
        "started_at": done.started_at or at,
        "due_by": at + step.timeout,
    }
    pipeline_runs.mark_step(tx, run.id, step.number, **(values | changed))
    told = f"{run.template.title}, {step.number}/{len(run.template.steps)}, {step.role}: {run.subject}"
    ref = f"{run.id} {step.number} {attempt}{' reminder' if again and again.is_reminder else ''}"
    prompts.give(tx, session_id, told, people.person(tx, run.started_by), ref, at)


def _session(tx: Tx, run: PipelineRun, step: Step, done: StepRun, at: datetime) -> SessionId:
    """The session of the step. Nothing is carried over from earlier work in it; a container is always new."""
    is_alone = step.type is StepType.SUB_AGENT and not step.together
    if is_alone:
        known = run.session_id or (pipeline_runs.get(tx, run.id) or run).session_id
    else:
        known = done.session_id if step.type is StepType.SUB_AGENT else None
    if known:
        sessions.clear(tx, known, at)
        return known
    opened = sessions.open_apart(
        tx,
        lane=work.STEP,
        group=run.group,
        chat_id=run.chat_id,
        thread=run.thread,
        at=at,
        then=Continuation(work.PIPELINE, run.id),
        chain_id=run.id,
    )
    if is_alone:
        pipeline_runs.mark(tx, run.id, session_id=opened)
    return opened
