"""Endpoints for what model calls cost: today and this month, reports by anything, and the most expensive turns."""

from urllib.parse import quote

from starlette.requests import Request
from starlette.responses import Response

from nanoclaw.console import cost_shapes as shapes
from nanoclaw.console.console import Console
from nanoclaw.console.openapi import Endpoint
from nanoclaw.domain import cost_reports as domain
from nanoclaw.domain.cost_reports import Grouping, Report, Sums
from nanoclaw.durable import cost_names, cost_reports, pipeline_runs
from nanoclaw.durable.store import Tx
from nanoclaw.flows.spending import names, spreadsheet
from nanoclaw.flows.spending.groupings import read_grouping
from nanoclaw.flows.spending.money_text import forecast_sentence, money
from nanoclaw.flows.spending.periods import read_since
from nanoclaw.flows.spending.reports import ReportQuery


async def add_up(_request: Request, console: Console) -> shapes.Costs:
    def look(tx: Tx) -> shapes.Costs:
        language, reports = console.locale_of_owner(tx).speaks, console.costs
        each = {company: reports.overview(tx, (company,)) for company in cost_reports.companies(tx)}
        whole = reports.overview(tx)
        outlook = forecast_sentence(whole.forecast, language)
        return shapes.Costs(
            today=spending(whole.today),
            month=spending(whole.month),
            companies=[
                shapes.CompanyCosts(company=company, today=spending(one.today), month=spending(one.month))
                for company, one in each.items()
                if one.month.calls
            ],
            known=list(each),
            forecast=shapes.Forecast.of(whole.forecast) if whole.forecast else None,
            outlook=outlook,
        )

    return await console.store.read(look)


async def report(request: Request, console: Console) -> shapes.CostReport:
    made = await _read(request, console)
    total = made.total
    return shapes.CostReport(
        by=made.by,
        since=made.since,
        lines=[
            shapes.CostLine(key=line.key, name=line.name, spent=spending(line.sums)) for line in made.lines
        ],
        total=spending(total),
        on_the_way=shapes.OnTheWay.of(made.on_the_way, money=money(made.on_the_way.micros)),
        saved_by_cache=money(total.saved_by_cache),
        saved_by_batch=money(total.saved_by_batch),
    )


async def download(request: Request, console: Console) -> Response:
    made = await _read(request, console)
    name = quote(f"costs-by-{made.by}{f'-since-{made.since}' if made.since else ''}.csv", safe="")
    return Response(
        spreadsheet.as_csv(made).encode(),
        media_type="text/csv; charset=utf-8",
        headers={"content-disposition": f"attachment; filename*=UTF-8''{name}"},
    )


async def dear_turns(request: Request, console: Console) -> shapes.DearTurns:
    asked = shapes.DearTurnsWanted.model_validate(dict(request.query_params))
    wanted = ReportQuery(by=Grouping.DAY, since=read_since(asked.since), companies=_companies(asked.company))

    def look(tx: Tx) -> shapes.DearTurns:
        language = console.locale_of_owner(tx).speaks
        found = console.costs.dear_turns(tx, wanted, asked.limit)
        people = cost_names.of_people(tx, [turn.person for turn in found if turn.person])
        chats = cost_names.of_chats(tx, [turn.chat_id for turn in found if turn.chat_id])
        return shapes.DearTurns(turns=[_turn(tx, turn, people, chats, language) for turn in found])

    return await console.store.read(look)


def _turn(
    tx: Tx, turn: domain.DearTurn, people: dict[str, str], chats: dict[str, str], language: str
) -> shapes.DearTurn:
    is_run = turn.chain_id is not None and pipeline_runs.get(tx, turn.chain_id) is not None
    return shapes.DearTurn.of(
        turn,
        turn=turn.turn_id,
        flow=names.flow_name(turn.flow, language),
        models=list(turn.models),
        person=turn.person and people.get(turn.person, turn.person),
        chat=turn.chat_id and chats.get(turn.chat_id),
        message=turn.message_id,
        task=turn.task_id,
        run=turn.chain_id if is_run else None,
        spent=spending(turn.sums),
    )


async def _read(request: Request, console: Console) -> Report:
    asked = shapes.CostsWanted.model_validate(dict(request.query_params))
    language = (await console.store.read(console.locale_of_owner)).speaks
    return await console.costs.read(
        console.store,
        ReportQuery(
            by=read_grouping(asked.by),
            since=read_since(asked.since),
            companies=_companies(asked.company),
            language=language,
        ),
    )


def _companies(company: str | None) -> tuple[str, ...] | None:
    return (company,) if company else None


def spending(sums: Sums) -> shapes.Spending:
    return shapes.Spending.of(sums, money=money(sums.micros), saved=money(sums.saved))


ENDPOINTS = (
    Endpoint(
        method="GET",
        path="/api/costs",
        summary="What model calls cost today and this month, by company, and what the month will have cost",
        answer=add_up,
        gives=shapes.Costs,
    ),
    Endpoint(
        method="GET",
        path="/api/costs/report",
        summary="Costs by company, model, flow, skill, person, group, chat, task, run or day, `since` a time",
        answer=report,
        asks=shapes.CostsWanted,
        gives=shapes.CostReport,
    ),
    Endpoint(
        method="GET",
        path="/api/costs/csv",
        summary="The same as CSV, with exact amounts",
        answer=download,
        asks=shapes.CostsWanted,
    ),
    Endpoint(
        method="GET",
        path="/api/costs/turns",
        summary="The most expensive turns `since` a time",
        answer=dear_turns,
        asks=shapes.DearTurnsWanted,
        gives=shapes.DearTurns,
    ),
)
