"""`nanoclaw status` and `nanoclaw why`: read from the database itself, so they work even when the host is down."""

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from nanoclaw.cli.database import owner_locale, settings_of, with_store
from nanoclaw.cli.options import AsJson, guarded_home, help_of
from nanoclaw.cli.output import print_json
from nanoclaw.cli.sync_line import sync_line
from nanoclaw.domain.errors import HostUnreachable, NanoClawError, NotFound, NotRunning
from nanoclaw.domain.locale import Locale
from nanoclaw.durable import approvals, counts, questions, restore_hold, timeline
from nanoclaw.durable.store import Tx
from nanoclaw.durable.why import Explanation, explain
from nanoclaw.host import host_lock
from nanoclaw.host.backup.hold_text import waits_if_held
from nanoclaw.texts import say

app = typer.Typer()

_LONGEST_CELL = 60


@app.command(help=help_of("status"))
def status(as_json: AsJson = False) -> None:
    home = guarded_home()
    settings = settings_of(home)
    host = host_lock.find(home)

    def story(tx: Tx) -> tuple[counts.Counts, int, int, restore_hold.WaitingWork | None, str | None]:
        shared = sync_line(tx, settings)
        return counts.count(tx), approvals.count_open(tx), questions.count_open(tx), waits_if_held(tx), shared

    trouble = _trouble(home) if host else None
    channels = _channels(home) if host and settings.channels else {}
    try:
        counted, requests, asked, waits, shared = with_store(home, settings, story)
    except NanoClawError:
        if trouble:  # the running host knows what happened to it
            typer.echo(trouble, err=True)
        raise
    token = home / "data" / "web-token"
    link = f"{host.url}?token={token.read_text('ascii').strip()}" if host else None
    if as_json:
        print_json(
            {
                "running": host is not None,
                "host": host and asdict(host),
                "link": link,
                "trouble": trouble,
                "channels": channels,
                "workspace": str(home),
                "database": settings.shown_database_url(home),
                "work": asdict(counted),
                "requests": requests,
                "questions": asked,
                "held": waits,
                "shared": shared,
            }
        )
        return
    language = settings.language
    where = (
        say(language, "status-running", url=host.url, pid=str(host.pid))
        if host
        else say(language, "status-stopped")
    )
    rows = {
        "host": where,
        "link": link,
        "trouble": trouble,
        "channels": "; ".join(f"{name}: {said}" if said else name for name, said in channels.items()) or None,
        "workspace": str(home),
        "database": settings.shown_database_url(home),
        "waiting": counted.waiting,
        "turns": counted.running,
        "undelivered": counted.undelivered,
        "failed": counted.failed,
        "awaiting": counted.awaiting or None,
        "requests": requests,
        "questions": asked,
        "held": waits and say(language, "status-held-value", **waits),
        "shared": shared,
    }
    names = {key: say(language, f"status-{key}") for key, value in rows.items() if value is not None}
    width = max(len(name) for name in names.values())
    for key, name in names.items():
        typer.echo(f"{name.ljust(width)}  {rows[key]}")


def _trouble(home: Path) -> str | None:
    """What the running host says about its database."""
    from nanoclaw.cli.store_check import trouble_of_host  # noqa: PLC0415 - the client of its API is slow to load

    try:
        return trouble_of_host(home)
    except (NotRunning, HostUnreachable):  # it is stopping right now
        return None


def _channels(home: Path) -> dict[str, str | None]:
    """The channels that the settings name, each with its trouble."""
    from nanoclaw.cli.channels import troubles_of_host  # noqa: PLC0415 - likewise

    try:
        return troubles_of_host(home)
    except (NotRunning, HostUnreachable):
        return {}


@app.command(help=help_of("why"))
def why(
    message: Annotated[str | None, typer.Argument(help=help_of("id"))] = None, as_json: AsJson = False
) -> None:
    """Without an id: the last message that came in."""
    home = guarded_home()
    settings = settings_of(home)

    def story(tx: Tx) -> tuple[list[Explanation], Locale]:
        locale = owner_locale(tx, settings)
        wanted = [timeline.newest(tx)] if message is None else timeline.find(tx, message)
        found = (explain(tx, message_id, locale) for message_id in wanted if message_id)
        return [told for told in found if told], locale

    found, locale = with_store(home, settings, story)
    if not found:
        raise NotFound("no-such-message")
    if as_json:
        print_json([asdict(told) for told in found])
        return
    for told in found:
        said = " ".join(told.text[:_LONGEST_CELL].split())
        typer.echo(say(locale.speaks, "why-head", id=told.id, sentence=told.sentence, said=said))
        _print_steps(told, locale)


def _print_steps(told: Explanation, locale: Locale) -> None:
    before = told.steps[0].at if told.steps else None
    for step in told.steps:
        took = (step.at - before).total_seconds() * 1000 if before else 0
        typer.echo(
            f"  {step.at.astimezone(locale.zone):%Y-%m-%d %H:%M:%S.%f}"[:-3]
            + f"  +{took:7.1f} ms  {step.sentence}"
        )
        before = step.at
    if told.memories:
        typer.echo(f"  {say(locale.speaks, 'why-memory')}")
    for used in told.memories:
        typer.echo(f"    {used.id}  {used.text}".rstrip())
