"""What was and what will be, day by day. What comes very often is told once a day, with how often: else it would leave
no room for the rest."""

from collections import defaultdict
from collections.abc import Iterator
from datetime import datetime, time, timedelta
from heapq import merge
from itertools import islice, takewhile
from zoneinfo import ZoneInfo

from nanoclaw.console.task_keeper import Calendar, Coming
from nanoclaw.domain.locale import first_moment
from nanoclaw.domain.tasks import Task
from nanoclaw.durable import task_runs, tasks
from nanoclaw.durable.store import Tx
from nanoclaw.host.tasks.rows import TaskRows

_MOST = 2000  # entries
_OFTEN = 24  # times a day
_RESULT_SHOWN = 2000  # characters
_DAY = timedelta(days=1)


def calendar(
    tx: Tx, rows: TaskRows, start: datetime, end: datetime, at: datetime, zone: ZoneInfo
) -> Calendar:
    """The past is what was written down; the future is what will be due as things stand. Days are those of the zone."""
    kept = _past(tx, start, end, zone)
    runs = task_runs.by_ids(tx, [run_id for run_id, _ in kept][-_MOST:])
    titles = tasks.titles(tx, sorted({run.task_id for run in runs}))
    times = dict(kept)
    begin = max(start, at)
    each = (_coming(task, begin, end, zone) for task in tasks.coming(tx, end, _MOST))
    coming = list(islice(merge(*each, key=lambda entry: entry.at), _MOST))
    return Calendar(
        runs=[rows.run(run, titles[run.task_id], most=_RESULT_SHOWN, times=times[run.id]) for run in runs],
        coming=coming,
        more=len(kept) > _MOST or len(coming) == _MOST,
    )


def _past(tx: Tx, start: datetime, end: datetime, zone: ZoneInfo) -> list[tuple[str, int]]:
    """Each run; of what a task did very often on a day, with the same end, the last one and how often."""
    groups: dict[tuple[object, ...], list[str]] = defaultdict(list)
    for run_id, task_id, run_at, status in task_runs.outline(tx, start, end):
        groups[task_id, run_at.astimezone(zone).date(), status].append(run_id)
    kept = []
    for ids in groups.values():
        kept += [(ids[-1], len(ids))] if len(ids) > _OFTEN else [(run_id, 1) for run_id in ids]
    return sorted(kept)


def _coming(task: Task, start: datetime, end: datetime, zone: ZoneInfo) -> Iterator[Coming]:
    """What was put off by a pause or an edit begins with its own next time."""
    first = task.next_run_at
    if first is None or first >= end:
        return
    begin = max(first, start)
    if task.schedule.runs_within(begin, _DAY) > _OFTEN:
        yield from _each_day(task, begin, end, zone)
        return
    if first >= start:
        yield Coming(task_id=task.id, title=task.title, at=first)
    for at in takewhile(lambda at: at < end, task.schedule.times_after(begin)):
        yield Coming(task_id=task.id, title=task.title, at=at)


def _each_day(task: Task, begin: datetime, end: datetime, zone: ZoneInfo) -> Iterator[Coming]:
    while begin < end:
        midnight = datetime.combine(begin.astimezone(zone).date() + _DAY, time())
        tomorrow = min(first_moment(midnight, zone), end)
        at = task.schedule.next_after(begin - timedelta(seconds=1))
        if at is None:
            return
        if at < tomorrow:
            # Up to the midnight, which is the next day's.
            often = task.schedule.runs_within(at, tomorrow - at - timedelta(seconds=1))
            yield Coming(task_id=task.id, title=task.title, at=at, times=often + 1)
        begin = tomorrow
