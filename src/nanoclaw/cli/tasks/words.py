"""The words of the command line about tasks. The work is done elsewhere."""

from typing import Annotated, Any

import typer

from nanoclaw.cli.words import AsJson
from nanoclaw.cli.words import help_of as _help
from nanoclaw.cli.words import room as _room
from nanoclaw.host.settings import home_folder

tasks = typer.Typer(help=_help("tasks"))

_MOST, _MOST_RUNS, _MOST_DAYS = 10_000, 200, 100
_LONGEST = 60 * 24 * 31  # minutes


def _option(help_of: str, *names: str, **more: Any) -> Any:
    return typer.Option(*names, help=_help(f"tasks-{help_of}"), **more)


Number = Annotated[str, typer.Argument(metavar="NUMBER", help=_help("tasks-number"))]
Skill = Annotated[str | None, _option("skill")]
Model = Annotated[str | None, _option("model")]
Zone = Annotated[str | None, _option("zone")]
Check = Annotated[str | None, _option("check", metavar="CMD")]
CatchUp = Annotated[str | None, _option("catch-up", metavar="[none|latest|all]")]
MostCaughtUp = Annotated[int | None, _option("most-caught-up", min=1, max=100)]
StaleAfter = Annotated[str | None, _option("stale-after", metavar="SPAN")]
Overlap = Annotated[str | None, _option("overlap", metavar="[skip|queue]")]
Jitter = Annotated[str | None, _option("jitter", metavar="SPAN")]
Retries = Annotated[int | None, _option("retries", min=0, max=20)]
RetryPause = Annotated[str | None, _option("retry-pause", metavar="SPAN")]
PauseAfter = Annotated[int | None, _option("pause-after", min=1, max=1000)]
DeliverBy = Annotated[str | None, _option("deliver-by", metavar="SPAN")]
AlarmTo = Annotated[str | None, _option("alarm-to", metavar="CHAT")]


def add_to(app: typer.Typer) -> None:
    app.add_typer(tasks, name="tasks")


@tasks.callback(invoke_without_command=True)
def tasks_list(
    asked: typer.Context,
    everything: Annotated[bool, _option("all", "--all")] = False,
    limit: Annotated[int, typer.Option(min=1, max=_MOST, help=_help("limit"))] = 200,
    as_json: AsJson = False,
) -> None:
    if asked.invoked_subcommand is None:
        _room("tasks.commands").list_tasks(home_folder(), limit, over=everything, as_json=as_json)


@tasks.command("add", help=_help("tasks-add"))
def tasks_add(
    when: Annotated[str, typer.Argument(metavar="WHEN", help=_help("tasks-when"))],
    text: Annotated[str | None, typer.Argument(metavar="TEXT", help=_help("tasks-text"))] = None,
    skill: Skill = None,
    model: Model = None,
    group: Annotated[str | None, _option("group")] = None,
    to: Annotated[str | None, _option("to", metavar="CHAT")] = None,
    zone: Zone = None,
    check: Check = None,
    quiet: Annotated[bool, _option("quiet", "--quiet")] = False,
    catch_up: CatchUp = None,
    most_caught_up: MostCaughtUp = None,
    stale_after: StaleAfter = None,
    overlap: Overlap = None,
    jitter: Jitter = None,
    retries: Retries = None,
    retry_pause: RetryPause = None,
    pause_after: PauseAfter = None,
    deliver_by: DeliverBy = None,
    alarm_to: AlarmTo = None,
    background: Annotated[bool, _option("background", "--background")] = False,
    priority: Annotated[str | None, _option("priority", metavar="[low|normal|high]")] = None,
    minutes: Annotated[int | None, _option("minutes", min=1, max=_LONGEST)] = None,
    as_json: AsJson = False,
) -> None:
    wanted = _wanted(
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
    _room("tasks.commands").add(home_folder(), when, text, wanted, as_json=as_json)


@tasks.command("edit", help=_help("tasks-edit"))
def tasks_edit(
    number: Number,
    when: Annotated[str | None, _option("when")] = None,
    text: Annotated[str | None, _option("text")] = None,
    skill: Skill = None,
    model: Model = None,
    zone: Zone = None,
    check: Check = None,
    notify: Annotated[bool | None, _option("notify", "--notify/--quiet")] = None,
    catch_up: CatchUp = None,
    most_caught_up: MostCaughtUp = None,
    stale_after: StaleAfter = None,
    overlap: Overlap = None,
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
        jitter=jitter,
        retries=retries,
        retry_pause=retry_pause,
        pause_after=pause_after,
        deliver_by=deliver_by,
        alarm_to=alarm_to,
    )
    _room("tasks.commands").edit(home_folder(), number, wanted, as_json=as_json)


@tasks.command("show", help=_help("tasks-show"))
def tasks_show(number: Number, as_json: AsJson = False) -> None:
    _room("tasks.commands").show(home_folder(), number, as_json=as_json)


@tasks.command("pause", help=_help("tasks-pause"))
def tasks_pause(number: Number, as_json: AsJson = False) -> None:
    _room("tasks.commands").change(home_folder(), number, "pause", as_json=as_json)


@tasks.command("resume", help=_help("tasks-resume"))
def tasks_resume(number: Number, as_json: AsJson = False) -> None:
    _room("tasks.commands").change(home_folder(), number, "resume", as_json=as_json)


@tasks.command("run", help=_help("tasks-run"))
def tasks_run(number: Number, as_json: AsJson = False) -> None:
    _room("tasks.commands").change(home_folder(), number, "run", as_json=as_json)


@tasks.command("cancel", help=_help("tasks-cancel"))
def tasks_cancel(number: Number, as_json: AsJson = False) -> None:
    _room("tasks.commands").change(home_folder(), number, "cancel", as_json=as_json)


@tasks.command("delete", help=_help("tasks-delete"))
def tasks_delete(
    number: Number, yes: Annotated[bool, _option("yes", "--yes")] = False, as_json: AsJson = False
) -> None:
    _room("tasks.commands").delete(home_folder(), number, sure=yes, as_json=as_json)


@tasks.command("history", help=_help("tasks-history"))
def tasks_history(
    number: Number,
    limit: Annotated[int, typer.Option(min=1, max=_MOST_RUNS, help=_help("limit"))] = 30,
    as_json: AsJson = False,
) -> None:
    _room("tasks.commands").show_history(home_folder(), number, limit, as_json=as_json)


@tasks.command("calendar", help=_help("tasks-calendar"))
def tasks_calendar(
    days: Annotated[int, _option("days", min=1, max=_MOST_DAYS)] = 7, as_json: AsJson = False
) -> None:
    _room("tasks.commands").show_calendar(home_folder(), days, as_json=as_json)


def _wanted(**typed: object) -> dict[str, object]:
    """In the words of the host; what was not typed is left out."""
    return {name: value for name, value in typed.items() if value is not None}
