"""The commands about tasks: scheduling, listing and changing them, and how their runs went.

They go through the host, so that cards and pages change at once; if none runs, a temporary one is started.
"""

import asyncio
import sys
from datetime import datetime, time, timedelta
from typing import Annotated

import typer

from nanoclaw.cli.host_requests import locale_of_owner
from nanoclaw.cli.options import AsJson, guarded_home, help_of
from nanoclaw.cli.output import as_dict, print_json, print_list
from nanoclaw.cli.people.access import word
from nanoclaw.cli.plain_lines import one_line
from nanoclaw.cli.tasks.host_requests import about, through_host
from nanoclaw.cli.tasks.lines import calendar_lines, made_lines, run_line, task_line, whole_lines
from nanoclaw.cli.tasks.options import (
    AlarmTo,
    CatchUp,
    Check,
    DeliverBy,
    Jitter,
    Model,
    MostCaughtUp,
    Number,
    Overlap,
    PauseAfter,
    Retries,
    RetryPause,
    Skill,
    StaleAfter,
    Thinking,
    Zone,
    option,
)
from nanoclaw.client.tasks import TaskClient
from nanoclaw.console.task_shapes import Calendar, Task, WaitingTexts
from nanoclaw.domain.errors import Refused
from nanoclaw.domain.ids import new_id
from nanoclaw.domain.locale import Locale, first_moment
from nanoclaw.domain.tasks import Priority
from nanoclaw.durable.clock import now
from nanoclaw.host import host_lock
from nanoclaw.texts import say

app = typer.Typer()
tasks = typer.Typer(help=help_of("tasks"))
app.add_typer(tasks, name="tasks")

_MOST, _MOST_RUNS, _MOST_DAYS = 10_000, 200, 100
_LONGEST = 60 * 24 * 31  # minutes
_YES = ("y", "yes", "т", "так")


@tasks.callback(invoke_without_command=True)
def list_tasks(
    asked: typer.Context,
    everything: Annotated[bool, option("all", "--all")] = False,
    limit: Annotated[int, typer.Option(min=1, max=_MOST, help=help_of("limit"))] = 200,
    as_json: AsJson = False,
) -> None:
    if asked.invoked_subcommand is not None:
        return

    async def story(client: TaskClient) -> tuple[list[Task], list[WaitingTexts]]:
        return await client.all(limit, over=everything), await client.texts()

    (found, texts), locale = through_host(story)
    if as_json:
        print_json([as_dict(each) for each in (*found, *texts)])
    elif found or not texts:
        by_time = sorted(found, key=_by_next_time)
        print_list(by_time, locale, task_line, "tasks-none", as_json=False)
    for each in () if as_json else texts:
        typer.echo(one_line(each.line))
    if len(found) == limit:
        typer.echo(say(locale.speaks, "tasks-more", limit=limit), err=True)
    if found or texts:
        _warn_of_no_host(locale)


def _by_next_time(row: Task) -> tuple[bool, bool, datetime]:
    """Sort by what is running or next; then paused ones, then finished ones."""
    return row.status not in ("active", "paused"), row.status == "paused", row.next_run_at or row.created_at


@tasks.command("add", help=help_of("tasks-add"))
def add(
    when: Annotated[str, typer.Argument(metavar="WHEN", help=help_of("tasks-when"))],
    text: Annotated[str | None, typer.Argument(metavar="TEXT", help=help_of("tasks-text"))] = None,
    skill: Skill = None,
    model: Model = None,
    group: Annotated[str | None, option("group")] = None,
    to: Annotated[str | None, option("to", metavar="CHAT")] = None,
    zone: Zone = None,
    check: Check = None,
    quiet: Annotated[bool, option("quiet", "--quiet")] = False,
    catch_up: CatchUp = None,
    most_caught_up: MostCaughtUp = None,
    stale_after: StaleAfter = None,
    overlap: Overlap = None,
    thinking: Thinking = None,
    jitter: Jitter = None,
    retries: Retries = None,
    retry_pause: RetryPause = None,
    pause_after: PauseAfter = None,
    deliver_by: DeliverBy = None,
    alarm_to: AlarmTo = None,
    background: Annotated[bool, option("background", "--background")] = False,
    priority: Annotated[str | None, option("priority", metavar="[low|normal|high]")] = None,
    minutes: Annotated[int | None, option("minutes", min=1, max=_LONGEST)] = None,
    as_json: AsJson = False,
) -> None:
    """A background task starts at once, and needs only a description of the work."""
    if background and text is not None:
        raise Refused("tasks-add-at-once")
    if not background and text is None:
        raise Refused("tasks-add-what")
    _check_priority(priority)
    wanted = _wanted(
        prompt=when if background else text,
        when=None if background else when,
        skill=skill,
        model=model,
        group=group,
        chat=to,
        timezone=zone,
        check=check,
        notify=False if quiet else None,
        catch_up=catch_up,
        most_caught_up=most_caught_up,
        stale_after=stale_after,
        overlap=overlap,
        thinking=thinking,
        jitter=jitter,
        retries=retries,
        retry_pause=retry_pause,
        pause_after=pause_after,
        deliver_by=deliver_by,
        alarm_to=alarm_to,
        background=background or None,
        priority=priority,
        estimated_minutes=minutes,
    )
    once = new_id("a")  # if sent again to another host, because the first went away, it is the same task
    row, locale = through_host(lambda client: client.add({**wanted, "id": once}))
    _print_one("\n".join(made_lines(locale, row)), row, as_json=as_json)
    _warn_of_no_host(locale)


@tasks.command("edit", help=help_of("tasks-edit"))
def edit(
    number: Number,
    when: Annotated[str | None, option("when")] = None,
    text: Annotated[str | None, option("text")] = None,
    skill: Skill = None,
    model: Model = None,
    zone: Zone = None,
    check: Check = None,
    notify: Annotated[bool | None, option("notify", "--notify/--quiet")] = None,
    catch_up: CatchUp = None,
    most_caught_up: MostCaughtUp = None,
    stale_after: StaleAfter = None,
    overlap: Overlap = None,
    thinking: Thinking = None,
    jitter: Jitter = None,
    retries: Retries = None,
    retry_pause: RetryPause = None,
    pause_after: PauseAfter = None,
    deliver_by: DeliverBy = None,
    alarm_to: AlarmTo = None,
    as_json: AsJson = False,
) -> None:
    wanted = _wanted(
        when=when,
        prompt=text,
        skill=skill,
        model=model,
        timezone=zone,
        check=check,
        notify=notify,
        catch_up=catch_up,
        most_caught_up=most_caught_up,
        stale_after=stale_after,
        overlap=overlap,
        thinking=thinking,
        jitter=jitter,
        retries=retries,
        retry_pause=retry_pause,
        pause_after=pause_after,
        deliver_by=deliver_by,
        alarm_to=alarm_to,
    )
    if not wanted:
        raise Refused("tasks-edit-what")
    row, locale = about(number, lambda client: client.edit(word(number), wanted))
    _print_one("\n".join(made_lines(locale, row)), row, as_json=as_json)
    _warn_of_no_host(locale)


@tasks.command("show", help=help_of("tasks-show"))
def show(number: Number, as_json: AsJson = False) -> None:
    row, locale = about(number, lambda client: client.get(word(number)))
    _print_one("\n".join(whole_lines(locale, row)), row, as_json=as_json)


@tasks.command("pause", help=help_of("tasks-pause"))
def pause(number: Number, as_json: AsJson = False) -> None:
    _change(number, "pause", as_json=as_json)


@tasks.command("resume", help=help_of("tasks-resume"))
def resume(number: Number, as_json: AsJson = False) -> None:
    _change(number, "resume", as_json=as_json)


@tasks.command("run", help=help_of("tasks-run"))
def run(number: Number, as_json: AsJson = False) -> None:
    _change(number, "run", as_json=as_json)


@tasks.command("cancel", help=help_of("tasks-cancel"))
def cancel(number: Number, as_json: AsJson = False) -> None:
    _change(number, "cancel", as_json=as_json)


def _change(number: str, action: str, *, as_json: bool) -> None:
    row, locale = about(number, lambda client: client.change(word(number), action))
    _print_one(_changed(row, locale, action), row, as_json=as_json)
    if action in ("resume", "run"):
        _warn_of_no_host(locale)


@tasks.command("delete", help=help_of("tasks-delete"))
def delete(
    number: Number, yes: Annotated[bool, option("yes", "--yes")] = False, as_json: AsJson = False
) -> None:
    """At a terminal, ask first: a task is easily mistaken for another by its number."""
    if not yes and sys.stdin.isatty():
        row, locale = about(number, lambda client: client.get(word(number)))
        question = say(locale.speaks, "tasks-delete-sure", id=row.id, title=one_line(row.title))
        typer.echo(f"{question} ", nl=False, err=True)
        if sys.stdin.readline().strip().lower() not in _YES:
            typer.echo(say(locale.speaks, "tasks-kept"), err=True)
            raise typer.Exit(1)
    row, locale = about(number, lambda client: client.delete(word(number)))
    _print_one(_changed(row, locale, "delete"), row, as_json=as_json)


@tasks.command("history", help=help_of("tasks-history"))
def history(
    number: Number,
    limit: Annotated[int, typer.Option(min=1, max=_MOST_RUNS, help=help_of("limit"))] = 30,
    as_json: AsJson = False,
) -> None:
    found, locale = about(number, lambda client: client.history(word(number), limit))
    print_list(found, locale, run_line, "task-history-none", as_json=as_json)


@tasks.command("calendar", help=help_of("tasks-calendar"))
def calendar(
    days: Annotated[int, option("days", min=1, max=_MOST_DAYS)] = 7, as_json: AsJson = False
) -> None:
    """The calendar from the start of the owner's day."""

    async def story(client: TaskClient) -> Calendar:
        zone = (await asyncio.to_thread(locale_of_owner)).zone
        today = datetime.combine(now().astimezone(zone), time())
        end = today + timedelta(days=days)
        return await client.calendar(first_moment(today, zone), first_moment(end, zone))

    found, locale = through_host(story)
    if as_json:
        print_json(as_dict(found))
    else:
        typer.echo("\n".join(calendar_lines(locale, found)))


def _check_priority(typed: str | None) -> None:
    known = [each.value for each in Priority]
    if typed is not None and typed not in known:
        raise Refused("task-no-such-choice", name="--priority", value=typed[:40], known=", ".join(known))


def _changed(row: Task, locale: Locale, action: str) -> str:
    done = say(locale.speaks, f"tasks-done-{action}", id=row.id)
    return done if action == "delete" else f"{done}\n{task_line(locale, row)}"


def _print_one(said: str, row: Task, *, as_json: bool) -> None:
    if as_json:
        print_json(as_dict(row))
    else:
        typer.echo(said)


def _warn_of_no_host(locale: Locale) -> None:
    """A task that waits for a host that nobody starts would be missed silently."""
    if host_lock.find(guarded_home()) is None:
        typer.echo(say(locale.speaks, "tasks-no-host"), err=True)


def _wanted(**typed: object) -> dict[str, object]:
    """The options in the host's terms; what was not typed is left out."""
    return {name: value for name, value in typed.items() if value is not None}
