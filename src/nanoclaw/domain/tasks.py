"""Work that starts itself, and work that takes hours: a task, its policy, and its runs."""

from dataclasses import asdict, dataclass, field
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any

from nanoclaw.domain.file_protocol import TASK_RESULT
from nanoclaw.domain.ids import ChatId, MessageId, ParcelId, PersonId, SessionId
from nanoclaw.domain.model_choice import ThinkingChoice
from nanoclaw.domain.schedules import Schedule

LONGEST_PROMPT = 20_000
OVERLAPS = "run-overlaps"
"""Why a run was skipped: the previous one was still running."""
_TITLE = 60  # characters
_ALWAYS_FRESH = timedelta(minutes=1)  # whatever a policy says: starting takes time


class TaskKind(StrEnum):
    SCHEDULED = "scheduled"
    BACKGROUND = "background"


class TaskStatus(StrEnum):
    """The life of a task."""

    ACTIVE = "active"
    PAUSED = "paused"  # by a person, or because something is wrong with it
    COMPLETED = "completed"  # it was to be done once, and was
    FAILED = "failed"  # the same, and it went wrong
    CANCELLED = "cancelled"  # a person stopped it while it was done
    DELETED = "deleted"

    @property
    def is_alive(self) -> bool:
        return self in (TaskStatus.ACTIVE, TaskStatus.PAUSED)


class RunStatus(StrEnum):
    """The life of a run."""

    QUEUED = "queued"  # waits for its place, for the run before it, or for its own moment
    RUNNING = "running"
    WAITING = "waiting"  # for a person who was asked
    UNPAID = "unpaid"  # waits for money; shown, and never stored
    RETRYING = "retrying"  # it went wrong, and is tried again after a pause
    SUCCESS = "success"
    FAILED = "failed"
    SKIPPED = "skipped"  # the check said so, or the run before it was still active
    MISSED = "missed"  # the host was not there, and it was not to be made up for
    CANCELLED = "cancelled"

    @property
    def is_open(self) -> bool:
        return self in _OPEN


_OPEN = (RunStatus.QUEUED, RunStatus.RUNNING, RunStatus.WAITING, RunStatus.UNPAID, RunStatus.RETRYING)


class RunReason(StrEnum):
    """Why a run began."""

    SCHEDULE = "schedule"
    LATE = "late"  # it was due while no host ran
    MANUAL = "manual"  # a person wanted it now
    BACKGROUND = "background"


class ZoneOf(StrEnum):
    """The clock that a task follows."""

    PERSON = "person"
    GROUP = "group"
    HOST = "host"
    NAMED = "named"


class CatchUp(StrEnum):
    """What happens to runs that were due while no host ran."""

    NONE = "none"
    LATEST = "latest"
    ALL = "all"


class Overlap(StrEnum):
    """What happens to a run that is due while the one before it is still active."""

    SKIP = "skip"
    QUEUE = "queue"


class Priority(StrEnum):
    """Which of those that wait for a place goes first."""

    LOW = "low"
    NORMAL = "normal"
    HIGH = "high"

    @property
    def rank(self) -> int:
        """The lowest goes first."""
        return {Priority.HIGH: -1, Priority.NORMAL: 0, Priority.LOW: 1}[self]


SPANS = ("stale_after", "jitter", "retry_pause", "deliver_by")
"""The durations in a policy."""
CHOICES = {"catch_up": CatchUp, "overlap": Overlap, "thinking": ThinkingChoice}
NUMBERS = {"retries": (0, 20), "pause_after": (1, 1000), "most_caught_up": (1, 100)}
"""Its whole numbers, each with minimum and maximum."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Policy:
    """How a task is treated when something goes wrong."""

    catch_up: CatchUp = CatchUp.LATEST
    most_caught_up: int = 10  # with catch-up "all"
    stale_after: timedelta | None = None  # later than this, a run is no longer useful
    overlap: Overlap = Overlap.SKIP
    jitter: timedelta = timedelta()  # it starts within this time, so that not all start at once
    retries: int = 2
    retry_pause: timedelta = timedelta(minutes=1)  # five times as long before each further one
    pause_after: int = 5  # failures in a row
    deliver_by: timedelta | None = None  # how long after its time the result must have been delivered
    thinking: ThinkingChoice | None = None  # before it answers; None: as its skill says
    alarm_to: str | None = None  # who is told elsewhere if it was not: a chat, or a person's handle

    def in_seconds(self) -> dict[str, Any]:
        """The policy as stored and shown: durations in seconds."""
        return {
            name: value.total_seconds() if isinstance(value, timedelta) else value
            for name, value in asdict(self).items()
        }

    def is_stale(self, run_at: datetime, at: datetime) -> bool:
        return self.stale_after is not None and at - run_at > max(self.stale_after, _ALWAYS_FRESH)


@dataclass(frozen=True, kw_only=True, slots=True)
class Task:
    id: int
    kind: TaskKind
    group: str
    chat_id: ChatId  # where its results go
    thread: str | None
    owner: PersonId
    schedule: Schedule
    zone_of: ZoneOf
    prompt: str
    skill: str
    model: str | None
    notify: bool
    policy: Policy
    priority: Priority
    check: str | None  # a shell command that says whether the agent is needed
    estimated_minutes: int | None
    status: TaskStatus
    why: str | None  # why it is paused, as the key of a text
    next_run_at: datetime | None
    last_run_at: datetime | None
    run_count: int
    failures: int  # in a row
    created_at: datetime
    session_id: SessionId | None = None  # of its own runs
    asked_by: SessionId | None = None  # the session whose agent handed it over, and may read the result
    card: ParcelId | None = None  # where it is shown
    told: MessageId | None = None  # the message that tells the agent of its chat the last result
    is_mixed: bool = False  # its prompt may contain what no member said
    stored_text: str | None = None  # delivered as it is: no turn, no model, no cost
    batch_id: str | None = None  # the batch that text is from

    @property
    def is_background(self) -> bool:
        return self.kind is TaskKind.BACKGROUND

    @property
    def title(self) -> str:
        """The first words of the prompt."""
        return title_of(self.prompt)

    @property
    def result_name(self) -> str:
        """Its file in `results/`."""
        return f"{TASK_RESULT}{self.id}.json"


@dataclass(frozen=True, kw_only=True, slots=True)
class Run:
    """One time that a task was done, or should have been."""

    id: str
    task_id: int
    run_at: datetime  # when it was due
    reason: RunReason
    status: RunStatus
    created_at: datetime
    attempts: int = 0
    started_at: datetime | None = None
    finished_at: datetime | None = None
    duration_ms: int | None = None
    micros: int = 0
    result: str | None = None
    error: dict[str, object] | None = None  # a key and values, for the reader's language
    message_id: MessageId | None = None
    turn_id: str | None = None
    parcel_id: ParcelId | None = None  # the result
    deliver_by: datetime | None = None
    alarmed_at: datetime | None = None
    filed_at: datetime | None = None  # its result was left for the agent that asked
    doing: str | None = None  # what it is doing, while it runs


def tries_of(retries: int, status: str) -> int:
    """How often a run was started: the retry it waits for does not count yet."""
    return retries + (status != RunStatus.RETRYING)


@dataclass(frozen=True, kw_only=True, slots=True)
class WantedTask:
    """A task as someone wants it, before their rights and its references are checked."""

    schedule: Schedule
    prompt: str
    skill: str = ""
    model: str | None = None
    notify: bool = True
    policy: Policy = field(default_factory=Policy)
    priority: Priority = Priority.NORMAL
    check: str | None = None
    estimated_minutes: int | None = None
    kind: TaskKind = TaskKind.SCHEDULED


def title_of(prompt: str) -> str:
    words = " ".join(prompt.split())
    return words if len(words) <= _TITLE else f"{words[: _TITLE - 1]}…"
