"""The connections that agents asked for."""

from dataclasses import asdict

import typer
from rich.console import Console
from rich.table import Table

from nanoclaw.cli.database import settings_of, with_store
from nanoclaw.cli.options import AsJson, guarded_home, help_of
from nanoclaw.cli.output import print_json
from nanoclaw.durable import connection_pages
from nanoclaw.texts import say

app = typer.Typer()

_MOST = 200


@app.command(help=help_of("connections"))
def connections(as_json: AsJson = False) -> None:
    """List them, newest first."""
    home = guarded_home()
    settings = settings_of(home)
    language = settings.language
    found, _more = with_store(home, settings, lambda tx: connection_pages.newest(tx, limit=_MOST))
    if as_json:
        print_json([asdict(asked) for asked in found])
        return
    if not found:
        typer.echo(say(language, "console-connections-none"))
        return
    table = Table(box=None)
    for column in ("time", "group", "host", "verdict", "bytes"):
        table.add_column(say(language, f"console-connections-{column}"))
    for asked in found:
        made = asked.connection
        table.add_row(
            f"{made.at.astimezone(settings.locale.zone):%Y-%m-%d %H:%M:%S}",
            asked.group,
            f"{made.host}:{made.port}",
            say(language, f"console-verdict-{made.verdict}"),
            f"{made.sent + made.received:,}",
        )
    Console().print(table)
