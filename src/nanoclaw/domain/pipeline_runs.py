"""A run of a pipeline, and its steps: how far each is."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any

from nanoclaw.domain.ids import ChatId, MessageId, ParcelId, PersonId, SessionId, TurnId
from nanoclaw.domain.pipelines import Step, Template


class PipelineRunStatus(StrEnum):
    ASKED = "asked"  # a card with steps and estimate waits for a yes
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"

    @property
    def is_over(self) -> bool:
        return self in (PipelineRunStatus.DONE, PipelineRunStatus.FAILED, PipelineRunStatus.CANCELLED)


class StepState(StrEnum):
    WAITING = "waiting"  # its turn has not come
    RUNNING = "running"  # an agent works on it
    ASKED = "asked"  # a person decides: an approval, or a gate that failed
    DONE = "done"
    SKIPPED = "skipped"  # its condition did not hold, or an earlier run had done it
    FAILED = "failed"
    CANCELLED = "cancelled"

    @property
    def is_over(self) -> bool:
        return self in (StepState.DONE, StepState.SKIPPED, StepState.FAILED, StepState.CANCELLED)


@dataclass(frozen=True, kw_only=True, slots=True)
class PipelineRun:
    """`id` is also the id of its chain: of its costs, its decisions, and what its agents hand over."""

    id: str
    template: Template  # as it was when the run began
    subject: str
    status: PipelineRunStatus
    company: str
    group: str
    chat_id: ChatId
    started_by: PersonId
    created_at: datetime
    thread: str | None = None
    message_id: MessageId | None = None  # of the person who wanted it
    session_id: SessionId | None = None  # where its sub-agents work
    question_id: str | None = None  # the card that asks whether to start
    parcel_id: ParcelId | None = None  # the message that shows how far it is
    task_id: int | None = None
    again_of: str | None = None  # the run that this one repeats from a step on
    from_step: int = 1
    budget: int | None = None  # in micros; its calls never cost more
    estimate: Mapping[str, Any] | None = None  # as it was shown before the start
    why: Mapping[str, Any] | None = None  # key and values, if it failed or was cancelled
    started_at: datetime | None = None
    ended_at: datetime | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class StepRun:
    """What became of one step. `texts` and `results` are those of `pipelines.results.StepResult`."""

    run_id: str
    number: int
    state: StepState
    attempt: int = 0  # of its agent: 1 is the first
    given: Mapping[str, Any] | None = (
        None  # what a person changed: {"text": instead of the input, "note": for the agent}
    )
    session_id: SessionId | None = None
    turn_id: TurnId | None = None  # the last
    question_id: str | None = None
    texts: Mapping[str, str] = field(default_factory=dict)
    results: Mapping[str, Any] = field(default_factory=dict)
    claims: tuple[
        Mapping[str, Any], ...
    ] = ()  # what the agent claimed about its text and counting did not confirm
    faults: tuple[Mapping[str, Any], ...] = ()  # failed gates, broken rules of adaptors
    why: Mapping[str, Any] | None = None
    micros: int = 0
    started_at: datetime | None = None
    ended_at: datetime | None = None
    due_by: datetime | None = None  # when its time is over; waits for people move it


@dataclass(frozen=True, kw_only=True, slots=True)
class StepAtWork:
    """A step that an agent works on, with everything its run has so far."""

    run: PipelineRun
    step: Step
    steps: tuple[StepRun, ...]

    @property
    def done(self) -> StepRun:
        """The row of the step itself."""
        return self.steps[self.step.number - 1]
