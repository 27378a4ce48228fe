"""What left the host: the cost of model calls, and the connections that agents asked for."""

from dataclasses import asdict

import typer
from rich.console import Console
from rich.table import Table

from nanoclaw.cli.database import settings_of, with_store
from nanoclaw.cli.options import AsJson, guarded_home, help_of
from nanoclaw.cli.output import print_json
from nanoclaw.domain.money import dollars
from nanoclaw.durable import company_costs, connection_pages
from nanoclaw.durable.clock import now
from nanoclaw.texts import say

app = typer.Typer()

_MOST = 200


@app.command(help=help_of("costs"))
def costs(as_json: AsJson = False) -> None:
    """By company, today and this month, on the workspace's clock."""
    home = guarded_home()
    settings = settings_of(home)
    language = settings.language
    day, month = company_costs.day_and_month(now(), settings.locale.zone)
    today, this_month = with_store(
        home, settings, lambda tx: (company_costs.by_company(tx, day), company_costs.by_company(tx, month))
    )
    if as_json:
        print_json(
            {
                company: {"today": asdict(today.get(company, company_costs.Sum())), "month": asdict(total)}
                for company, total in this_month.items()
            }
        )
        return
    if not this_month:
        typer.echo(say(language, "costs-none"))
        return
    table = Table(box=None)
    for column in ("company", "calls", "input", "output", "today", "month"):
        table.add_column(
            say(language, f"costs-column-{column}"), justify="left" if column == "company" else "right"
        )
    for company, total in this_month.items():
        spent_today = dollars(today.get(company, company_costs.Sum()).micros)
        counted = [f"{number:,}" for number in (total.calls, total.input, total.output)]
        table.add_row(company, *counted, spent_today, dollars(total.micros))
    Console().print(table)


@app.command(help=help_of("connections"))
def connections(as_json: AsJson = False) -> None:
    """The newest first."""
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
