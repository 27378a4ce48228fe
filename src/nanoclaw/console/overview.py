"""Endpoints for the host as a whole: what it does, and where its boxes wanted to connect."""

from starlette.requests import Request

from nanoclaw.console import shapes
from nanoclaw.console.console import Console
from nanoclaw.console.openapi import Endpoint
from nanoclaw.console.shape import PageOf
from nanoclaw.durable import connection_pages, counts, restore_hold


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
        awaiting=found.awaiting,
        held=is_held,
        channels=[shapes.Channel.model_validate(each) for each in console.channel_states(locale.speaks)],
    )


async def list_connections(request: Request, console: Console) -> shapes.ConnectionPage:
    page = PageOf.model_validate(dict(request.query_params))
    items, more = await console.store.read(
        lambda tx: connection_pages.newest(tx, before=page.before, limit=page.limit)
    )
    return shapes.ConnectionPage(items=[shapes.connection(asked) for asked in items], more=more)


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
)
