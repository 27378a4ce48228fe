"""How tasks, their runs and their calendar are printed on a terminal."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from itertools import groupby

from nanoclaw.cli.inbox.lines import took
from nanoclaw.cli.plain_lines import clean, one_line
from nanoclaw.console.task_shapes import Calendar, Run, Task
from nanoclaw.domain.locale import Locale
from nanoclaw.domain.money import MICROS, dollars
from nanoclaw.domain.schedules import ScheduleType
from nanoclaw.domain.tasks import TaskKind, TaskStatus, tries_of
from nanoclaw.flows.human.card_text import span
from nanoclaw.flows.tasks.estimate import Estimate
from nanoclaw.flows.tasks.task_text import moment, offset, priced
from nanoclaw.texts import say

_INDENT = "    "
_MOST_A_DAY = 4  # lines of one task in the calendar


def task_line(locale: Locale, row: Task) -> str:
    """One line for the list: number, what, how often, when next, and how it went."""
    language = locale.speaks
    where = say(language, "tasks-where", group=one_line(row.group), chat=one_line(row.chat_title))
    standing = f"{_rhythm(row, locale)} · {_standing(row, locale)}"
    return f"{row.id}  {one_line(row.title)}\n{_INDENT}{standing}\n{_INDENT}{where}"


def made_lines(locale: Locale, row: Task) -> list[str]:
    """What was understood: when it runs, on whose clock, what that may cost, and where the results go."""
    language = locale.speaks
    return [
        f"{say(language, 'tasks-head-one', id=row.id)}: {one_line(row.title)}",
        _rhythm(row, locale),
        *_times(row, locale),
        _priced(row, language),
        say(language, "tasks-where", group=one_line(row.group), chat=one_line(row.chat_title)),
    ]


def whole_lines(locale: Locale, row: Task) -> list[str]:
    """Everything about one task."""
    language = locale.speaks
    about = {"skill": row.skill, "model": row.model, "check": row.check}
    return [
        f"{say(language, 'tasks-head-one', id=row.id)}: {_standing(row, locale)}",
        *(f"│ {line}" for line in clean(row.stored_text or row.prompt, longest=None)),
        *([say(language, "task-stored")] if row.stored_text else []),
        _rhythm(row, locale),
        *_times(row, locale),
        *([_priced(row, language)] if row.status == TaskStatus.ACTIVE else []),
        say(language, "tasks-where", group=one_line(row.group), chat=one_line(row.chat_title)),
        say(language, "tasks-owner", name=one_line(row.owner), time=moment(row.created_at, locale)),
        *(say(language, f"tasks-{name}", value=one_line(value)) for name, value in about.items() if value),
        *([] if row.notify else [say(language, "tasks-quiet")]),
        *_treatment(row, language),
        say(language, "tasks-runs", count=row.run_count, failures=row.failures),
        *(run_line(locale, row.last_run).splitlines() if row.last_run else []),
    ]


def run_line(locale: Locale, run: Run) -> str:
    """One line of the history: when, how it went, how long it took, what it cost, and the result."""
    language = locale.speaks
    parts = [moment(run.run_at, locale), say(language, f"run-{run.status}")]
    if run.reason in ("late", "manual"):
        parts.append(say(language, f"tasks-reason-{run.reason}"))
    if run.duration_ms is not None:
        parts.append(took(language, run.duration_ms / 1000))
    if run.started_at is not None:
        parts.append(dollars(round(run.cost_usd * MICROS)))
    if (tries := tries_of(run.attempts, run.status)) > 1:
        parts.append(say(language, "run-attempts", count=tries))
    said = one_line(run.error or run.result or run.doing or "")
    return " · ".join(parts) + (f"\n{_INDENT}{said}" if said else "")


def calendar_lines(locale: Locale, calendar: Calendar) -> list[str]:
    """Day by day: what ran and how it went, and what will run; frequent runs get one line a day."""
    language = locale.speaks
    entries = sorted(_entries(calendar, locale), key=_moment)
    if not entries:
        return [say(language, "tasks-calendar-none")]
    lines: list[str] = []
    for day, of_day in groupby(entries, key=lambda entry: entry.at.date()):
        lines += [*([""] if lines else []), f"{say(language, f'weekday-{day.weekday()}')} {day}"]
        alike: dict[str, list[_Entry]] = {}
        for entry in of_day:
            alike.setdefault(entry.told, []).append(entry)
        kept = [each for found in alike.values() for each in _folded(found)]
        lines += [f"{_INDENT}{_entry_line(entry, language)}" for entry in sorted(kept, key=_moment)]
    if calendar.more:
        lines += ["", say(language, "tasks-calendar-more")]
    return lines


@dataclass(frozen=True, kw_only=True, slots=True)
class _Entry:
    """A line of a day. Runs that ended the same way have the same text."""

    at: datetime  # on the viewer's clock
    until: datetime | None = None
    times: int
    told: str


def _entries(calendar: Calendar, locale: Locale) -> Iterator[_Entry]:
    for run in calendar.runs:
        told = f"{run.task_id}  {one_line(run.title)} · {say(locale.speaks, f'run-{run.status}')}"
        yield _Entry(at=run.run_at.astimezone(locale.zone), times=run.times, told=told)
    for coming in calendar.coming:
        told = f"{coming.task_id}  {one_line(coming.title)}"
        yield _Entry(at=coming.at.astimezone(locale.zone), times=coming.times, told=told)


def _moment(entry: _Entry) -> float:
    """Sort key: not the local time, which may occur twice."""
    return entry.at.timestamp()


def _folded(alike: list[_Entry]) -> list[_Entry]:
    if len(alike) <= _MOST_A_DAY:
        return alike
    return [replace(alike[0], until=alike[-1].at, times=sum(entry.times for entry in alike))]


def _entry_line(entry: _Entry, language: str) -> str:
    clock = f"{entry.at:%H:%M} ({offset(entry.at)})"
    if entry.until and offset(entry.until) == offset(entry.at):
        clock = f"{entry.at:%H:%M} – {entry.until:%H:%M} ({offset(entry.at)})"
    elif entry.until:
        clock = f"{clock} – {entry.until:%H:%M} ({offset(entry.until)})"
    often = f" · {say(language, 'tasks-calendar-times', count=entry.times)}" if entry.times > 1 else ""
    return f"{clock}  {entry.told}{often}"


def _rhythm(row: Task, locale: Locale) -> str:
    if row.kind == TaskKind.BACKGROUND:
        return say(locale.speaks, "tasks-background", priority=row.priority)
    is_other = row.schedule_type == ScheduleType.CRON and row.timezone != locale.zone.key
    return row.when.replace("`", "") + (f" ({row.timezone})" if is_other else "")


def _standing(row: Task, locale: Locale) -> str:
    language, last = locale.speaks, row.last_run
    parts = []
    if row.status == TaskStatus.PAUSED:
        parts += [say(language, "task-line-paused"), *([row.why] if row.why else [])]
    elif row.status != TaskStatus.ACTIVE:
        parts.append(say(language, "tasks-status", status=row.status))
    elif row.next_run_at:
        parts.append(say(language, "task-line-next", time=moment(row.next_run_at, locale)))
    if last and row.running:
        parts.append(say(language, f"run-{last.status}"))
    elif last:
        parts.append(say(language, "tasks-last", status=say(language, f"run-{last.status}")))
    return " · ".join(parts)


def _times(row: Task, locale: Locale) -> list[str]:
    language = locale.speaks
    if row.status != TaskStatus.ACTIVE or not row.next_times:
        return []
    zone = {"zone": row.timezone, "name": one_line(row.owner)}
    shown = (
        [say(language, "tasks-zone-shown", zone=locale.zone.key)] if locale.zone.key != row.timezone else []
    )
    return [
        say(language, "task-next", count=len(row.next_times)),
        *(f"{_INDENT}{moment(each, locale)}" for each in row.next_times),
        say(language, f"tasks-zone-{row.zone_of}", **zone),
        *shown,
    ]


def _priced(row: Task, language: str) -> str:
    known = row.cost_per_run_usd
    per_run = None if known is None else round(known * MICROS)
    return priced(Estimate(runs=row.runs_per_month, per_run=per_run, known=row.similar_runs), language)


def _treatment(row: Task, language: str) -> list[str]:
    """The task's policies, a sentence each; those not set are left out."""
    policy = row.policy
    if row.kind == TaskKind.BACKGROUND:
        told = [
            say(
                language,
                "tasks-retries",
                count=policy.retries,
                span=_span(policy.retry_pause, language),
            )
        ]
        return [*told, *_alarm(row, language)]
    lines = [
        say(language, "tasks-catch-up", how=policy.catch_up, most=policy.most_caught_up),
        say(language, "tasks-overlap", how=policy.overlap),
        *([say(language, "tasks-thinking", how=policy.thinking)] if policy.thinking else []),
        say(language, "tasks-retries", count=policy.retries, span=_span(policy.retry_pause, language)),
        say(language, "tasks-pause-after", count=policy.pause_after),
    ]
    for text, length in (("tasks-stale-after", policy.stale_after), ("tasks-jitter", policy.jitter)):
        if length:
            lines.append(say(language, text, span=_span(length, language)))
    return [*lines, *_alarm(row, language)]


def _alarm(row: Task, language: str) -> list[str]:
    by, whom = row.policy.deliver_by, row.policy.alarm_to
    if not by:
        return []
    values = {"span": _span(by, language), "whom": one_line(whom or "-")}
    return [say(language, "tasks-deliver-by", named="yes" if whom else "no", **values)]


def _span(seconds: float, language: str) -> str:
    return span(language, timedelta(seconds=seconds))
