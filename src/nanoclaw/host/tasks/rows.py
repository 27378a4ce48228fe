"""Tasks and runs as the page and the command line show them."""

from collections.abc import Sequence

from nanoclaw.console.task_keeper import RunRow, TaskRow
from nanoclaw.domain.locale import Locale
from nanoclaw.domain.money import MICROS
from nanoclaw.domain.people import LOCAL_OWNER
from nanoclaw.domain.tasks import Run, Task
from nanoclaw.durable import people, task_runs
from nanoclaw.durable.clock import now
from nanoclaw.durable.store import Tx
from nanoclaw.flows.tasks import words
from nanoclaw.flows.tasks.estimating import estimate
from nanoclaw.flows.tasks.rhythm import rhythm

_RESULT_SHOWN = 2000  # characters, in a list of tasks


class TaskRows:
    """In the language of whoever holds this machine."""

    def __init__(self, tx: Tx, locale: Locale) -> None:
        self._tx = tx
        owner = people.person_named(tx, LOCAL_OWNER)
        own = Locale(language=owner.language, timezone=owner.timezone) if owner else Locale()
        self.locale = own.or_else(locale)

    def of(self, found: Sequence[Task]) -> list[TaskRow]:
        last = task_runs.last_of(self._tx, [task.id for task in found])
        return [self._row(task, last.get(task.id)) for task in found]

    def _row(self, task: Task, last: Run | None) -> TaskRow:
        tx, at = self._tx, now()
        chat, priced = people.chat(tx, task.chat_id), estimate(tx, task, at)
        known = priced.per_run is not None
        return TaskRow(
            id=task.id,
            kind=task.kind.value,
            status=task.status.value,
            why=task.why and words.why(task, self.locale.speaks),
            group=task.group,
            chat_id=task.chat_id,
            chat_title=chat.title if chat else "",
            owner=people.person(tx, task.owner).name,
            prompt=task.prompt,
            title=task.title,
            skill=task.skill,
            model=task.model,
            notify=task.notify,
            check=task.check,
            priority=task.priority.value,
            estimated_minutes=task.estimated_minutes,
            schedule_type=task.schedule.type.value,
            schedule_value=task.schedule.value,
            timezone=task.schedule.timezone,
            zone_of=task.zone_of,
            when=rhythm(task.schedule, self.locale),
            next_run_at=task.next_run_at,
            next_times=tuple(words.next_times(task, at)),
            last_run_at=task.last_run_at,
            run_count=task.run_count,
            failures=task.failures,
            created_at=task.created_at,
            policy=task.policy.in_seconds(),
            runs_per_month=priced.runs,
            cost_per_run_usd=(priced.per_run or 0) / MICROS if known else None,
            cost_per_month_usd=priced.per_month / MICROS if known else None,
            similar_runs=priced.known,
            last_run=self.run(last, task.title, most=_RESULT_SHOWN) if last else None,
            running=bool(last and last.status.is_open),
        )

    def run(self, run: Run, title: str, *, most: int | None = None, times: int = 1) -> RunRow:
        """With all that came out, or the first of it; it may stand for several of its kind."""
        result = run.result
        if result and most and len(result) > most:
            result = f"{result[:most]}…"
        return RunRow(
            id=run.id,
            task_id=run.task_id,
            title=title,
            run_at=run.run_at,
            reason=run.reason,
            status=run.status.value,
            attempts=run.attempts,
            started_at=run.started_at,
            finished_at=run.finished_at,
            duration_ms=run.duration_ms,
            cost_usd=run.micros / MICROS,
            doing=run.doing,
            result=result,
            error=words.plain_fault(run, self.locale.speaks) or None,
            message_id=run.message_id,
            times=times,
        )
