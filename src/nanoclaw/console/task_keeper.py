"""The keeper of tasks, as the page and the command line ask for it: what is scheduled, and how each run went."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol

MOST_ROWS = 200
"""So many tasks or runs at a time."""


@dataclass(frozen=True, kw_only=True, slots=True)
class RunRow:
    """One time that a task was done, or should have been. `error` is a sentence."""

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
    doing: str | None  # what it is at, while it runs
    result: str | None
    error: str | None
    message_id: str | None
    times: int = 1  # in a calendar, it may stand for so many of its day with the same end


@dataclass(frozen=True, kw_only=True, slots=True)
class TaskRow:
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
    next_times: tuple[datetime, ...]
    last_run_at: datetime | None
    run_count: int
    failures: int
    created_at: datetime
    policy: Mapping[str, Any]  # spans in seconds
    runs_per_month: int
    cost_per_run_usd: float | None
    cost_per_month_usd: float | None
    similar_runs: int
    last_run: RunRow | None
    running: bool  # a run is under way, or waits to be


@dataclass(frozen=True, kw_only=True, slots=True)
class Coming:
    """A moment at which a task will run."""

    task_id: int
    title: str
    at: datetime
    times: int = 1  # it is the first of so many on that day


@dataclass(frozen=True, kw_only=True, slots=True)
class Calendar:
    """What was, and what will be; `more` when there is more than can be shown."""

    runs: Sequence[RunRow]
    coming: Sequence[Coming]
    more: bool


@dataclass(frozen=True, kw_only=True, slots=True)
class Preview:
    """What a time in words means, before anything is scheduled."""

    schedule_type: str
    schedule_value: str
    timezone: str
    zone_of: str
    next_times: tuple[datetime, ...]
    runs_per_month: int


class TaskKeeper(Protocol):
    """Everything is done in the name of the owner of this machine. Raises NanoClawError with what is wrong."""

    def through(self, via: str) -> "TaskKeeper":
        """The same, where what is done comes from elsewhere than the page."""

    async def all(self, *, before: int | None = None, over: bool = False) -> Sequence[TaskRow]:
        """Those that may still run, the newest first; with `over` also those that never will again."""

    async def get(self, ref: str) -> TaskRow: ...

    async def preview(self, when: str, timezone: str | None, group: str | None) -> Preview: ...

    async def add(self, given: Mapping[str, Any]) -> TaskRow:
        """`id`, so that a repeat is the same task; `prompt` and `when`, or `schedule_type` and `schedule_value`, or
        `background` for at once and once.

        Also `group`, `chat` (where the results go: id or title), `skill`, `model`, `notify`, `check`, `timezone`,
        `priority`, `estimated_minutes`, and how it is treated: `catch_up`, `most_caught_up`, `stale_after`,
        `overlap`, `jitter`, `retries`, `retry_pause`, `pause_after`, `deliver_by`, `alarm_to`.
        """

    async def edit(self, ref: str, given: Mapping[str, Any]) -> TaskRow:
        """`prompt`, `when`, `timezone`, `skill`, `model`, `notify`, `check`, and how it is treated."""

    async def change(self, ref: str, action: str) -> TaskRow:
        """`pause`, `resume`, `run`, `cancel` or `delete`."""

    async def history(self, ref: str, *, limit: int, before: str | None = None) -> Sequence[RunRow]:
        """The newest first."""

    async def calendar(self, start: datetime, end: datetime) -> Calendar: ...
