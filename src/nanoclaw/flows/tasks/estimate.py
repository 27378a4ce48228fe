"""What a task may cost per month, from what similar runs cost."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from nanoclaw.domain.tasks import Task
from nanoclaw.durable import task_runs
from nanoclaw.durable.store import Tx

_MONTH = timedelta(days=30)
_SIMILAR = 20


@dataclass(frozen=True, kw_only=True, slots=True)
class Estimate:
    """In micros; `per_run` is None while nothing similar ever ran. `known` is the number of runs it is based on."""

    runs: int
    per_run: int | None
    known: int

    @property
    def per_month(self) -> int:
        return (self.per_run or 0) * self.runs


def estimate(tx: Tx, task: Task, at: datetime) -> Estimate:
    """From its own runs, otherwise from turns of the same agent with the same skill."""
    if task.stored_text is not None:
        return Estimate(runs=1, per_run=0, known=0)
    costs = task_runs.costs_of(tx, task.id, _SIMILAR) or task_runs.costs_like(
        tx, task.group, task.skill, _SIMILAR
    )
    return Estimate(
        runs=task.schedule.runs_within(at, _MONTH) if task.schedule.repeats else 1,
        per_run=round(sum(costs) / len(costs)) if costs else None,
        known=len(costs),
    )
