"""API bodies about tasks: what is wanted, when it is due, its policies, and how each run went."""

from datetime import UTC, datetime
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, AwareDatetime, Field

from nanoclaw.console.shape import Id, Shape, Word
from nanoclaw.domain.text import storable

MOST_TASKS = 200
"""The most tasks or runs per page."""
_MOST_NUMBER = 2**31 - 1
_LONGEST_WORK = 60 * 24 * 31  # minutes

_Text = Annotated[str, AfterValidator(storable)]  # limited only by the body: a task says how long it may be
_Script = Annotated[str, Field(max_length=10_000), AfterValidator(storable)]
# The first and last representable moments do not exist in every zone.
_Moment = Annotated[
    AwareDatetime, Field(ge=datetime(1970, 1, 2, tzinfo=UTC), lt=datetime(2200, 1, 1, tzinfo=UTC))
]


class Run(Shape):
    """One time that a task was done, or should have been. `doing` is what it is doing now; `error` is a sentence."""

    id: str
    task_id: int
    title: str
    run_at: datetime
    reason: str
    status: str
    attempts: int
    started_at: datetime | None
    finished_at: datetime | None
    duration_ms: int | None
    cost_usd: float
    doing: str | None
    result: str | None
    error: str | None
    message_id: str | None
    times: int


class Policy(Shape):
    """What happens to a task when things go wrong. Spans are in seconds."""

    catch_up: str
    most_caught_up: int
    stale_after: float | None
    overlap: str
    thinking: str | None
    jitter: float
    retries: int
    retry_pause: float
    pause_after: int
    deliver_by: float | None
    alarm_to: str | None


class Task(Shape):
    """`when` is how it repeats, in words; `next_times` are the next three, and the zone is that of its own clock."""

    id: int
    kind: str
    status: str
    why: str | None
    group: str
    chat_id: str
    chat_title: str
    owner: str
    prompt: str
    title: str
    skill: str
    model: str | None
    notify: bool
    check: str | None
    priority: str
    estimated_minutes: int | None
    schedule_type: str
    schedule_value: str
    timezone: str
    zone_of: str
    when: str
    next_run_at: datetime | None
    next_times: list[datetime]
    last_run_at: datetime | None
    run_count: int
    failures: int
    created_at: datetime
    policy: Policy
    runs_per_month: int
    cost_per_run_usd: float | None
    cost_per_month_usd: float | None
    similar_runs: int
    last_run: Run | None
    running: bool
    stored_text: str | None
    batch_id: str | None


class WaitingTexts(Shape):
    """The texts of a batch that are scheduled and not sent yet: one line, however many there are."""

    kind: Literal["texts"] = "texts"
    batch_id: str
    short: str
    group: str
    count: int
    paused: int
    next_at: datetime | None
    last_at: datetime | None
    line: str


class TaskList(Shape):
    """`texts` are those of batches, which are not among the tasks; only with the first page."""

    tasks: list[Task]
    texts: list[WaitingTexts]


class RunList(Shape):
    runs: list[Run]


class Coming(Shape):
    task_id: int
    title: str
    at: datetime
    times: int


class Calendar(Shape):
    """Past and future; `more` if there is more than can be shown."""

    runs: list[Run]
    coming: list[Coming]
    more: bool


class Preview(Shape):
    """What a time in words means, before anything is scheduled."""

    schedule_type: str
    schedule_value: str
    timezone: str
    zone_of: str
    next_times: list[datetime]
    runs_per_month: int


class WantedPreview(Shape):
    when: _Text
    timezone: Word | None = None
    group: Word | None = None


class _Treatment(Shape):
    """Spans are written as people do: `90s`, `2h`, `none`; a bare number means minutes."""

    catch_up: Word | None = None
    most_caught_up: int | None = None
    stale_after: Word | None = None
    overlap: Word | None = None
    thinking: Word | None = None
    jitter: Word | None = None
    retries: int | None = None
    retry_pause: Word | None = None
    pause_after: int | None = None
    deliver_by: Word | None = None
    alarm_to: Word | None = None

    def given(self) -> dict[str, Any]:
        """null counts as left out."""
        return {name: value for name, value in self if value is not None}


class TaskEdit(_Treatment):
    """What is left out stays; an empty text removes the skill, the model, the check or whom to alert."""

    prompt: _Text | None = None
    when: _Text | None = None
    schedule_type: Literal["cron", "interval", "once"] | None = None
    schedule_value: _Text | None = None
    timezone: Word | None = None
    skill: Word | None = None
    model: Word | None = None
    notify: bool | None = None
    check: _Script | None = None


class NewTask(TaskEdit):
    """`prompt`, and `when` in words or `schedule_type` and `schedule_value`; or `background`, for now and once.

    `chat` is where the results go: an id, a title, or a person's handle. The same `id` again is the same task.
    """

    id: Id | None = None
    prompt: _Text
    background: bool = False
    group: Word | None = None
    chat: Word | None = None
    priority: Literal["low", "normal", "high"] | None = None
    estimated_minutes: int | None = Field(default=None, ge=1, le=_LONGEST_WORK)


class TasksOf(Shape):
    """`over`: include those that will never run again; `before` is a number to page back from."""

    over: bool = False
    before: int | None = Field(default=None, ge=1, le=_MOST_NUMBER)


class RunsOf(Shape):
    before: Word | None = None
    limit: int = Field(default=50, ge=1, le=MOST_TASKS)


class Span(Shape):
    start: _Moment = Field(alias="from")
    end: _Moment = Field(alias="to")
