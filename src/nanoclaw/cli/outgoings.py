"""What left the host: the money that model calls cost, and the connections that agents asked for."""

from dataclasses import asdict
from pathlib import Path

import typer
from rich.console import Console
from rich.table import Table

from nanoclaw.cli.report import print_json, settings_of, with_store
from nanoclaw.domain.money import dollars
from nanoclaw.durable import connection_pages, spending
from nanoclaw.durable.clock import now
from nanoclaw.texts import say

_MOST = 200


def costs(home: Path, *, as_json: bool) -> None:
    """By company, today and this month, on the workspace's clock."""
    settings = settings_of(home)
    language = settings.language
    day, month = spending.day_and_month(now(), settings.locale.zone)
    today, this_month = with_store(
        home, settings, lambda tx: (spending.by_company(tx, day), spending.by_company(tx, month))
    )
    if as_json:
        print_json(
            {
                company: {"today": asdict(today.get(company, spending.Sum())), "month": asdict(total)}
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
        spent_today = dollars(today.get(company, spending.Sum()).micros)
        counted = [f"{number:,}" for number in (total.calls, total.input, total.output)]
        table.add_row(company, *counted, spent_today, dollars(total.micros))
    Console().print(table)


def connections(home: Path, *, as_json: bool) -> None:
    """The newest first."""
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
