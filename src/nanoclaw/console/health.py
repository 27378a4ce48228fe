"""The health endpoint: it must answer even when the database cannot be asked."""

from starlette.requests import Request

from nanoclaw.console import shapes
from nanoclaw.console.console import Console
from nanoclaw.console.openapi import Endpoint
from nanoclaw.domain.errors import NanoClawError
from nanoclaw.texts import tell


async def health(_request: Request, console: Console) -> shapes.Health:
    trouble = console.store.condition.trouble
    if trouble is None:
        return shapes.Health(ok=True, trouble=None, code=None)
    try:
        locale = await console.store.read(console.locale_of_owner)
    except NanoClawError:
        locale = console.locale
    return shapes.Health(ok=False, trouble=tell(locale.speaks, trouble), code=trouble.key)


ENDPOINTS = (
    Endpoint(
        method="GET",
        path="/api/health",
        summary="Whether the host can store what it is told",
        answer=health,
        gives=shapes.Health,
    ),
)
