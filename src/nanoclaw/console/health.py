"""The answer to "are you well?": it must come also when the database cannot be asked."""

from starlette.requests import Request

from nanoclaw.console import shapes
from nanoclaw.console.desk import Desk
from nanoclaw.console.openapi import Endpoint
from nanoclaw.domain.errors import NanoClawError
from nanoclaw.texts import tell


async def health(_request: Request, desk: Desk) -> shapes.Health:
    trouble = desk.store.condition.trouble
    if trouble is None:
        return shapes.Health(ok=True, trouble=None, code=None)
    try:
        locale = await desk.store.read(desk.locale_of_owner)
    except NanoClawError:
        locale = desk.locale
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
