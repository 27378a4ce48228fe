"""Past and future runs, day by day. Very frequent ones appear once a day with a count: they would crowd out the
rest."""

from collections import defaultdict
from collections.abc import Iterator
from datetime import datetime, time, timedelta
from heapq import merge
from itertools import islice, takewhile
from zoneinfo import ZoneInfo

from nanoclaw.console.task_shapes import Calendar, Coming
from nanoclaw.console.task_views import RESULT_SHOWN, show_run
from nanoclaw.domain.errors import Refused
from nanoclaw.domain.locale import Locale, first_moment
from nanoclaw.domain.tasks import Task
from nanoclaw.durable import task_runs, tasks
from nanoclaw.durable.clock import now
from nanoclaw.durable.store import Tx

_MOST = 2000  # entries
_OFTEN = 24  # times a day
_DAY = timedelta(days=1)
_LONGEST = timedelta(days=100)


def show_calendar(tx: Tx, start: datetime, end: datetime, locale: Locale) -> Calendar:
    """The past is what was recorded; the future is what will be due as things stand. Days are those of the zone."""
    if not timedelta() < end - start <= _LONGEST:
        raise Refused("calendar-span", days=_LONGEST.days)
    zone = locale.zone
    kept = _past(tx, start, end, zone)
    runs = task_runs.by_ids(tx, [run_id for run_id, _ in kept][-_MOST:])
    titles = tasks.titles(tx, sorted({run.task_id for run in runs}))
    times = dict(kept)
    begin = max(start, now())
    each = (_coming(task, begin, end, zone) for task in tasks.coming(tx, end, _MOST))
    coming = list(islice(merge(*each, key=lambda entry: entry.at), _MOST))
    return Calendar(
        runs=[
            show_run(run, titles[run.task_id], locale, most=RESULT_SHOWN, times=times[run.id]) for run in runs
        ],
        coming=coming,
        more=len(kept) > _MOST or len(coming) == _MOST,
    )


def _past(tx: Tx, start: datetime, end: datetime, zone: ZoneInfo) -> list[tuple[str, int]]:
    """Each run; of a task's very frequent runs on one day with the same end, the last one and a count."""
    groups: dict[tuple[object, ...], list[str]] = defaultdict(list)
    for run_id, task_id, run_at, status in task_runs.outline(tx, start, end):
        groups[task_id, run_at.astimezone(zone).date(), status].append(run_id)
    kept = []
    for ids in groups.values():
        kept += [(ids[-1], len(ids))] if len(ids) > _OFTEN else [(run_id, 1) for run_id in ids]
    return sorted(kept)


def _coming(task: Task, start: datetime, end: datetime, zone: ZoneInfo) -> Iterator[Coming]:
    """Upcoming runs; after a pause or an edit they start with the task's own next time."""
    first = task.next_run_at
    if first is None or first >= end:
        return
    begin = max(first, start)
    if task.schedule.runs_within(begin, _DAY) > _OFTEN:
        yield from _each_day(task, begin, end, zone)
        return
    if first >= start:
        yield Coming(task_id=task.id, title=task.title, at=first, times=1)
    for at in takewhile(lambda at: at < end, task.schedule.times_after(begin)):
        yield Coming(task_id=task.id, title=task.title, at=at, times=1)


def _each_day(task: Task, begin: datetime, end: datetime, zone: ZoneInfo) -> Iterator[Coming]:
    while begin < end:
        midnight = datetime.combine(begin.astimezone(zone).date() + _DAY, time())
        tomorrow = min(first_moment(midnight, zone), end)
        at = task.schedule.next_after(begin - timedelta(seconds=1))
        if at is None:
            return
        if at < tomorrow:
            # Up to midnight, which belongs to the next day.
            often = task.schedule.runs_within(at, tomorrow - at - timedelta(seconds=1))
            yield Coming(task_id=task.id, title=task.title, at=at, times=often + 1)
        begin = tomorrow
