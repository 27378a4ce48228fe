"""The web application, made at the first request: a host that people only talk to elsewhere never needs it."""

import asyncio

from starlette.types import ASGIApp, Receive, Scope, Send

from nanoclaw.console.console import Console
from nanoclaw.host.quick_import import load


class LateConsole:
    """Endpoints, shapes and templates would be a tenth of a host's start. Loaded in a thread, so that the
    host continues.
    """

    def __init__(self, console: Console) -> None:
        self._console = console
        self._making: asyncio.Task[ASGIApp] | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if self._making is None:
            self._making = asyncio.create_task(self._make())
        # The first to ask may leave before it is made; the others still want it.
        application = await asyncio.shield(self._making)
        await application(scope, receive, send)

    async def _make(self) -> ASGIApp:
        pages = await asyncio.to_thread(load, "nanoclaw.console.pages")
        made: ASGIApp = pages.make_console(self._console)
        return made
