"""Endpoints for sharing the workspace through git: its state, and syncing now."""

from starlette.requests import Request

from nanoclaw.console import sync_shapes as shapes
from nanoclaw.console.console import Console
from nanoclaw.console.openapi import Endpoint
from nanoclaw.durable.store import Tx
from nanoclaw.texts import tell


async def get_sync(_request: Request, console: Console) -> shapes.SyncState:
    def look(tx: Tx) -> shapes.SyncState:
        standing, language = console.sync.standing(tx), console.locale_of_owner(tx).speaks
        last = standing.last
        return shapes.SyncState(
            remote=standing.remote,
            at=last.at if last else None,
            changed_at=last.changed_at if last else None,
            what=shapes.Synced.of(last.what) if last else None,
            trouble=tell(language, standing.trouble) if standing.trouble else None,
            since=standing.since,
            due_at=standing.due_at,
        )

    return await console.store.read(look)


async def sync_now(_request: Request, console: Console) -> shapes.Synced:
    return shapes.Synced.of(await console.sync.ask())


ENDPOINTS = (
    Endpoint(
        method="GET",
        path="/api/sync",
        summary="When the workspace was last shared through git, what came and went, and why it does not work",
        answer=get_sync,
        gives=shapes.SyncState,
    ),
    Endpoint(
        method="POST",
        path="/api/sync",
        summary="Fetch, merge and push now; what came, what waits for an owner, and what went",
        answer=sync_now,
        gives=shapes.Synced,
    ),
)
