"""Endpoints for the host as a whole: what it does, where its boxes wanted to connect, what its models cost."""

from starlette.requests import Request

from nanoclaw.console import shapes
from nanoclaw.console.console import Console
from nanoclaw.console.openapi import Endpoint
from nanoclaw.console.shape import PageOf
from nanoclaw.durable import company_costs, connection_pages, counts, restore_hold
from nanoclaw.durable.clock import now


async def status(_request: Request, console: Console) -> shapes.Status:
    found, is_held, locale = await console.store.read(
        lambda tx: (counts.count(tx), restore_hold.read(tx) is not None, console.locale_of_owner(tx))
    )
    return shapes.Status(
        version=console.version,
        database=console.database,
        waiting=found.waiting,
        running=found.running,
        undelivered=found.undelivered,
        failed=found.failed,
        held=is_held,
        channels=[shapes.Channel.model_validate(each) for each in console.channel_states(locale.speaks)],
    )


async def list_connections(request: Request, console: Console) -> shapes.ConnectionPage:
    page = PageOf.model_validate(dict(request.query_params))
    items, more = await console.store.read(
        lambda tx: connection_pages.newest(tx, before=page.before, limit=page.limit)
    )
    return shapes.ConnectionPage(items=[shapes.connection(asked) for asked in items], more=more)


async def add_up_costs(_request: Request, console: Console) -> shapes.Costs:
    """Days and months start on the workspace's clock, like those of budgets."""
    day, month = company_costs.day_and_month(now(), console.locale.zone)
    return await console.store.read(
        lambda tx: shapes.costs(company_costs.by_company(tx, day), company_costs.by_company(tx, month))
    )


ENDPOINTS = (
    Endpoint(
        method="GET",
        path="/api/status",
        summary="What the host does",
        answer=status,
        gives=shapes.Status,
    ),
    Endpoint(
        method="GET",
        path="/api/connections",
        summary="Where programs in boxes wanted to connect, newest first; `before` and `limit` page back",
        answer=list_connections,
        asks=PageOf,
        gives=shapes.ConnectionPage,
    ),
    Endpoint(
        method="GET",
        path="/api/costs",
        summary="What model calls cost today and this month, by company",
        answer=add_up_costs,
        gives=shapes.Costs,
    ),
)
