"""Tasks and their runs as the API shows them: in the owner's language and on the owner's clock."""

from collections.abc import Sequence

from nanoclaw.console.task_shapes import Run, Task, WaitingTexts
from nanoclaw.domain import tasks
from nanoclaw.domain.locale import Locale
from nanoclaw.domain.money import MICROS
from nanoclaw.durable import people, stored_texts, task_runs
from nanoclaw.durable.clock import now
from nanoclaw.durable.store import Tx
from nanoclaw.flows.human.card_text import SHORT
from nanoclaw.flows.tasks import task_text
from nanoclaw.flows.tasks.estimate import estimate
from nanoclaw.flows.tasks.recurrence_text import rhythm

RESULT_SHOWN = 2000  # characters, in a list of tasks


def show_tasks(tx: Tx, found: Sequence[tasks.Task], locale: Locale) -> list[Task]:
    last = task_runs.last_of(tx, [task.id for task in found])
    return [_show(tx, task, last.get(task.id), locale) for task in found]


def show_task(tx: Tx, task: tasks.Task, locale: Locale) -> Task:
    return show_tasks(tx, [task], locale)[0]


def _show(tx: Tx, task: tasks.Task, last: tasks.Run | None, locale: Locale) -> Task:
    at = now()
    chat, priced = people.chat(tx, task.chat_id), estimate(tx, task, at)
    known = priced.per_run is not None
    return Task.of(
        task,
        why=task.why and task_text.why(task, locale.speaks),
        chat_title=chat.title if chat else "",
        owner=people.person(tx, task.owner).name,
        schedule_type=task.schedule.type,
        schedule_value=task.schedule.value,
        timezone=task.schedule.timezone,
        when=rhythm(task.schedule, locale),
        next_times=task_text.next_times(task, at),
        policy=task.policy.in_seconds(),
        runs_per_month=priced.runs,
        cost_per_run_usd=(priced.per_run or 0) / MICROS if known else None,
        cost_per_month_usd=priced.per_month / MICROS if known else None,
        similar_runs=priced.known,
        last_run=show_run(last, task.title, locale, most=RESULT_SHOWN) if last else None,
        running=bool(last and last.status.is_open),
    )


def show_waiting_texts(tx: Tx, locale: Locale) -> list[WaitingTexts]:
    return [
        WaitingTexts(
            batch_id=each.batch_id,
            short=each.batch_id[-SHORT:],
            group=each.group,
            count=each.count,
            paused=each.paused,
            next_at=each.next,
            last_at=each.last,
            line=task_text.texts_line(each, locale, plain=True),
        )
        for each in stored_texts.waiting(tx)
    ]


def show_run(run: tasks.Run, title: str, locale: Locale, *, most: int | None = None, times: int = 1) -> Run:
    """A run with its whole result or the start of it; it may stand for several of its kind."""
    result = run.result
    if result and most and len(result) > most:
        result = f"{result[:most]}…"
    return Run.of(
        run,
        title=title,
        cost_usd=run.micros / MICROS,
        result=result,
        error=task_text.plain_fault(run, locale.speaks) or None,
        times=times,
    )
