"""What model calls have cost, by company, model, day ...: as a table, as CSV, as JSON. No host is needed."""

import asyncio
import sys
from dataclasses import asdict
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from nanoclaw.cli.database import opened_store, settings_of
from nanoclaw.cli.options import AsJson, guarded_home, help_of
from nanoclaw.cli.output import print_json
from nanoclaw.cli.plain_lines import one_line
from nanoclaw.context.budget_files import BudgetFiles
from nanoclaw.domain.budgets import Budget
from nanoclaw.domain.cost_reports import Grouping, Report, Sums, add
from nanoclaw.domain.errors import Refused
from nanoclaw.durable.clock import now
from nanoclaw.durable.store import Store
from nanoclaw.flows.spending import spreadsheet
from nanoclaw.flows.spending.groupings import read_grouping
from nanoclaw.flows.spending.money_text import forecast_sentence, money
from nanoclaw.flows.spending.periods import MONTH, read_since
from nanoclaw.flows.spending.reports import CostReports, Overview, ReportQuery
from nanoclaw.host.company_clocks import clock_of
from nanoclaw.texts import say

app = typer.Typer()

_COLUMNS = ("calls", "input", "cached", "output", "saved", "cost")


@app.command(help=help_of("costs"))
def costs(
    by: Annotated[
        str, typer.Option(metavar=f"[{'|'.join(Grouping)}]", help=help_of("costs-by"))
    ] = Grouping.COMPANY,
    since: Annotated[str, typer.Option(metavar="DATE|7d|month|all", help=help_of("costs-since"))] = MONTH,
    company: Annotated[str | None, typer.Option(help=help_of("costs-company"))] = None,
    limit: Annotated[int, typer.Option(min=1, help=help_of("costs-limit"))] = 50,
    as_csv: Annotated[bool, typer.Option("--csv", help=help_of("costs-csv"))] = False,
    as_json: AsJson = False,
) -> None:
    grouping, period = read_grouping(by), read_since(since)
    if as_csv and as_json:
        raise Refused("costs-one-format")
    home = guarded_home()
    settings = settings_of(home)
    language = settings.language
    zone = settings.locale.zone
    reports = CostReports(zone_of=clock_of(BudgetFiles(home, Budget(zone=zone)), zone), now=now)
    companies = None if company is None else (company,)
    wanted = ReportQuery(by=grouping, since=period, companies=companies, language=language)
    with opened_store(home, settings) as store:
        report, overview = asyncio.run(_read(store, reports, wanted))
    if as_csv:
        sys.stdout.buffer.write(spreadsheet.as_csv(report).encode())
    elif as_json:
        print_json(_as_dict(report, overview))
    else:
        _print(report, overview, limit, language)


async def _read(store: Store, reports: CostReports, wanted: ReportQuery) -> tuple[Report, Overview]:
    report = await reports.read(store, wanted)
    return report, await store.read(lambda tx: reports.overview(tx, wanted.companies))


def _as_dict(report: Report, overview: Overview) -> dict[str, Any]:
    return {
        "by": report.by,
        "since": report.since,
        "lines": [{"key": line.key, "name": line.name, **asdict(line.sums)} for line in report.lines],
        "total": asdict(report.total),
        "on_the_way": asdict(report.on_the_way),
        "today": asdict(overview.today),
        "month": asdict(overview.month),
        "forecast": overview.forecast and asdict(overview.forecast),
    }


def _print(report: Report, overview: Overview, limit: int, language: str) -> None:
    today, month = money(overview.today.micros), money(overview.month.micros)
    typer.echo(say(language, "costs-head", today=today, month=month))
    typer.echo(forecast_sentence(overview.forecast, language))
    if not report.lines:
        typer.echo(say(language, "costs-none"))
        return
    table = Table(box=None)
    table.add_column(say(language, f"costs-by-{report.by}"), overflow="fold")
    for column in _COLUMNS:
        table.add_column(say(language, f"costs-column-{column}"), justify="right")
    # All days are shown, in order; of other groupings the most expensive ones are enough.
    most = len(report.lines) if report.by is Grouping.DAY else limit
    shown, others = report.lines[:most], report.lines[most:]
    for line in shown:
        # As text, because brackets are not Rich's markup; and names must not move the cursor.
        table.add_row(Text(one_line(line.name)), *_cells(line.sums))
    if others:
        rest = say(language, "costs-others", count=len(others))
        table.add_row(Text(rest), *_cells(add(line.sums for line in others)))
    table.add_section()
    table.add_row(Text(say(language, "costs-total")), *_cells(report.total), style="bold")
    Console().print(table)
    if report.on_the_way.calls:
        held = money(report.on_the_way.micros)
        typer.echo(say(language, "costs-on-the-way", count=report.on_the_way.calls, money=held))
    typer.echo(say(language, "costs-rounded"))


def _cells(sums: Sums) -> list[str]:
    counted = [f"{number:,}" for number in (sums.calls, sums.input, sums.cached, sums.output)]
    return [*counted, money(sums.saved), money(sums.micros)]
