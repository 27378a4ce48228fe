"""Endpoints for handoffs. The holder of the token sees and cancels them as the owner of this machine."""

from starlette.requests import Request

from nanoclaw.console import handoff_shapes as shapes
from nanoclaw.console.console import Console
from nanoclaw.console.handoff_views import show_all, show_whole
from nanoclaw.console.openapi import Endpoint
from nanoclaw.domain.people import Actor
from nanoclaw.domain.text import storable
from nanoclaw.durable import handoffs
from nanoclaw.durable.clock import now
from nanoclaw.durable.store import Tx


async def list_handoffs(request: Request, console: Console) -> shapes.HandoffList:
    asked = shapes.HandoffsOf.model_validate(dict(request.query_params))
    companies = {company for name in console.groups.names() if (company := console.groups.company_of(name))}

    def look(tx: Tx) -> shapes.HandoffList:
        found = handoffs.newest(tx, companies, before=asked.before, limit=asked.limit, is_open=asked.open)
        return shapes.HandoffList(handoffs=show_all(tx, found, console.locale_of_owner(tx).speaks))

    return await console.store.read(look)


async def get_handoff(request: Request, console: Console) -> shapes.WholeHandoff:
    def look(tx: Tx) -> shapes.WholeHandoff:
        found = console.handoffs.find(tx, _ref(request), console.actor(tx))
        return show_whole(tx, found, console.locale_of_owner(tx).speaks)

    return await console.store.read(look)


async def cancel(request: Request, console: Console) -> shapes.WholeHandoff:
    def story(tx: Tx, by: Actor) -> shapes.WholeHandoff:
        ended = console.handoffs.cancel(tx, _ref(request), by, now())
        return show_whole(tx, ended, console.locale_of_owner(tx).speaks)

    return await console.act(request, story)


def _ref(request: Request) -> str:
    return storable(request.path_params["handoff"])


ENDPOINTS = (
    Endpoint(
        method="GET",
        path="/api/handoffs",
        summary="What agents handed over, newest first; `open` only what is not over; `before` pages back",
        answer=list_handoffs,
        asks=shapes.HandoffsOf,
        gives=shapes.HandoffList,
    ),
    Endpoint(
        method="GET",
        path="/api/handoffs/{handoff}",
        summary="A handoff with its contract, its result and its chain",
        answer=get_handoff,
        gives=shapes.WholeHandoff,
    ),
    Endpoint(
        method="POST",
        path="/api/handoffs/{handoff}/cancel",
        summary="Stop the receiver of a handoff, and everyone who works for it",
        answer=cancel,
        gives=shapes.WholeHandoff,
    ),
)
