"""The commands about tasks: scheduling them, what there is, changing them, and how their runs went.

They go through the host, so that cards and pages change at once; where none runs, one is started for a moment.
"""

import asyncio
import re
import sys
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict
from datetime import datetime, time, timedelta
from pathlib import Path
from typing import Any, TypeVar

import typer

from nanoclaw.cli.host_asking import in_place_of, locale_of_owner, through_host
from nanoclaw.cli.people.asking import print_list, word
from nanoclaw.cli.plain_lines import one_line
from nanoclaw.cli.report import print_json
from nanoclaw.cli.tasks.lines import calendar_lines, made_lines, run_line, task_line, whole_lines
from nanoclaw.client.connection import Door
from nanoclaw.client.tasks import TaskClient
from nanoclaw.console.task_keeper import Calendar, TaskRow
from nanoclaw.domain.errors import HostSaid, NotFound, Refused
from nanoclaw.domain.ids import new_id
from nanoclaw.domain.locale import Locale, first_moment
from nanoclaw.domain.tasks import Priority
from nanoclaw.durable.clock import now
from nanoclaw.host import running
from nanoclaw.texts import say

T = TypeVar("T")

_YES = ("y", "yes", "т", "так")
_EDIT = re.compile(r"/task_edit ([0-9]+) time ([^.]+)")
_ORDER = re.compile(r"/task_([a-z]+) ([0-9]+)")
_NAMES = (
    "catch_up|most_caught_up|stale_after|overlap|jitter|retries|retry_pause|pause_after|deliver_by|alarm_to"
)
_FIELD = re.compile(rf"^({_NAMES})\b")


def list_tasks(home: Path, limit: int, *, over: bool, as_json: bool) -> None:
    found, locale = _through_host(home, lambda tasks: tasks.all(limit, over=over))
    if not as_json:
        found = sorted(found, key=_by_next_time)
    print_list(found, locale, task_line, "tasks-none", as_json=as_json)
    if len(found) == limit:
        typer.echo(say(locale.speaks, "tasks-more", limit=limit), err=True)
    if found:
        _warn_of_no_host(home, locale)


def _by_next_time(row: TaskRow) -> tuple[bool, bool, datetime]:
    """What runs, or will run next, first; then what is paused, and what is over."""
    return row.status not in ("active", "paused"), row.status == "paused", row.next_run_at or row.created_at


def add(home: Path, when: str, text: str | None, wanted: Mapping[str, Any], *, as_json: bool) -> None:
    """What takes long begins at once, and then the only thing to say is what is to be done."""
    background = wanted.get("background", False)
    if background and text is not None:
        raise Refused("tasks-add-at-once")
    if not background and text is None:
        raise Refused("tasks-add-what")
    _check_priority(wanted.get("priority"))
    said = {"prompt": when} if background else {"prompt": text, "when": when}
    once = new_id("a")  # said again to another host, because the first one went away, it is the same task
    row, locale = _through_host(home, lambda tasks: tasks.add({**wanted, **said, "id": once}))
    _print_one("\n".join(made_lines(locale, row)), row, as_json=as_json)
    _warn_of_no_host(home, locale)


def show(home: Path, ref: str, *, as_json: bool) -> None:
    row, locale = _about(home, ref, lambda tasks: tasks.get(word(ref)))
    _print_one("\n".join(whole_lines(locale, row)), row, as_json=as_json)


def edit(home: Path, ref: str, wanted: Mapping[str, Any], *, as_json: bool) -> None:
    if not wanted:
        raise Refused("tasks-edit-what")
    row, locale = _about(home, ref, lambda tasks: tasks.edit(word(ref), wanted))
    _print_one("\n".join(made_lines(locale, row)), row, as_json=as_json)
    _warn_of_no_host(home, locale)


def change(home: Path, ref: str, action: str, *, as_json: bool) -> None:
    row, locale = _about(home, ref, lambda tasks: tasks.change(word(ref), action))
    _print_one(_changed(row, locale, action), row, as_json=as_json)
    if action in ("resume", "run"):
        _warn_of_no_host(home, locale)


def delete(home: Path, ref: str, *, sure: bool, as_json: bool) -> None:
    """Someone at a terminal is asked first: a task is quickly mistaken for another by its number."""
    if not sure and sys.stdin.isatty():
        row, locale = _about(home, ref, lambda tasks: tasks.get(word(ref)))
        question = say(locale.speaks, "tasks-delete-sure", id=row.id, title=one_line(row.title))
        typer.echo(f"{question} ", nl=False, err=True)
        if sys.stdin.readline().strip().lower() not in _YES:
            typer.echo(say(locale.speaks, "tasks-kept"), err=True)
            raise typer.Exit(1)
    row, locale = _about(home, ref, lambda tasks: tasks.delete(word(ref)))
    _print_one(_changed(row, locale, "delete"), row, as_json=as_json)


def show_history(home: Path, ref: str, limit: int, *, as_json: bool) -> None:
    found, locale = _about(home, ref, lambda tasks: tasks.history(word(ref), limit))
    print_list(found, locale, run_line, "task-history-none", as_json=as_json)


def show_calendar(home: Path, days: int, *, as_json: bool) -> None:
    """From the beginning of the owner's day."""

    async def story(tasks: TaskClient) -> Calendar:
        zone = (await asyncio.to_thread(locale_of_owner, home)).zone
        today = datetime.combine(now().astimezone(zone), time())
        end = today + timedelta(days=days)
        return await tasks.calendar(first_moment(today, zone), first_moment(end, zone))

    calendar, locale = _through_host(home, story)
    if as_json:
        print_json(asdict(calendar))
    else:
        typer.echo("\n".join(calendar_lines(locale, calendar)))


def _check_priority(typed: str | None) -> None:
    known = [each.value for each in Priority]
    if typed is not None and typed not in known:
        raise Refused("task-no-such-choice", name="--priority", value=typed[:40], known=", ".join(known))


def _changed(row: TaskRow, locale: Locale, action: str) -> str:
    done = say(locale.speaks, f"tasks-done-{action}", id=row.id)
    return done if action == "delete" else f"{done}\n{task_line(locale, row)}"


def _print_one(said: str, row: TaskRow, *, as_json: bool) -> None:
    if as_json:
        print_json(asdict(row))
    else:
        typer.echo(said)


def _warn_of_no_host(home: Path, locale: Locale) -> None:
    """A task that waits for a host that nobody starts would be missed in silence."""
    if running.find(home) is None:
        typer.echo(say(locale.speaks, "tasks-no-host"), err=True)


def _about(home: Path, ref: str, act: Callable[[TaskClient], Awaitable[T]]) -> tuple[T, Locale]:
    unknown = NotFound("tasks-no-such", id=word(ref) or '""')
    if not word(ref):
        raise unknown
    with in_place_of("no-such-task", unknown):
        return _through_host(home, act)


def _through_host(home: Path, act: Callable[[TaskClient], Awaitable[T]]) -> tuple[T, Locale]:
    async def ask(door: Door) -> T:
        async with TaskClient(door) as tasks:
            return await act(tasks)

    with _in_words_of_the_command_line():
        return through_host(home, ask)


@contextmanager
def _in_words_of_the_command_line() -> Iterator[None]:
    """What the host refuses, it says to whoever writes in a chat; here other words are typed."""
    try:
        yield
    except HostSaid as error:
        if error.values.get("code") == "task-no-prompt":
            raise Refused("tasks-add-what") from error
        said = _EDIT.sub(r'nanoclaw tasks edit \1 --when "\2"', str(error.values.get("said", "")))
        said = _ORDER.sub(r"nanoclaw tasks \1 \2", said).replace("/wire ", "nanoclaw wirings set CHAT ")
        flag = _FIELD.sub(lambda found: f"--{found[1].replace('_', '-')}", said)
        raise HostSaid(error.key, **{**error.values, "said": flag}) from error
