"""The HTTP API. One table of endpoints makes both the routes and the OpenAPI page."""

from collections.abc import Awaitable, Callable
from functools import partial

from pydantic import ValidationError
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route, WebSocketRoute

from nanoclaw.console import (
    analyses,
    batch_texts,
    batches,
    bots,
    budgets,
    context,
    context_documents,
    costs,
    handoffs,
    health,
    memory,
    memory_upkeep,
    overview,
    people,
    pipeline_templates,
    pipelines,
    questions,
    rooms,
    sessions,
    sync,
    tasks,
    terminal_socket,
    transfer_files,
    transfers,
)
from nanoclaw.console.console import Console
from nanoclaw.console.openapi import Endpoint, describe
from nanoclaw.console.shape import as_shown
from nanoclaw.domain.errors import NanoClawError, NotFound, Refused, StoreUnavailable, TooBig
from nanoclaw.domain.shown_text import shown
from nanoclaw.domain.text import storable
from nanoclaw.texts import say, tell

ENDPOINTS = (
    *rooms.ENDPOINTS,
    *overview.ENDPOINTS,
    *costs.ENDPOINTS,
    *bots.ENDPOINTS,
    *health.ENDPOINTS,
    *people.ENDPOINTS,
    *questions.ENDPOINTS,
    *tasks.ENDPOINTS,
    *handoffs.ENDPOINTS,
    *sync.ENDPOINTS,
    *budgets.ENDPOINTS,
    *memory_upkeep.ENDPOINTS,
    *memory.ENDPOINTS,
    *context_documents.ENDPOINTS,
    *context.ENDPOINTS,
    *pipeline_templates.ENDPOINTS,
    *pipelines.ENDPOINTS,
    *batches.ENDPOINTS,
    *batch_texts.ENDPOINTS,
    *sessions.ENDPOINTS,
    *analyses.ENDPOINTS,
    *transfer_files.ENDPOINTS,
    *transfers.ENDPOINTS,
)

_MISTAKES = {
    "string_too_short": "bad-request-empty",
    "string_too_long": "bad-request-long",
    "missing": "bad-request-missing",
    "extra_forbidden": "bad-request-unknown",
}
_STATUS = {NotFound: 404, TooBig: 413, StoreUnavailable: 507, Refused: 400}


def routes(console: Console) -> list[BaseRoute]:
    """Mounted below /api: anything else there is a 404, whatever the method."""
    described = Route("/openapi.json", lambda _request: JSONResponse(describe(ENDPOINTS)), methods=["GET"])
    made = [
        Route(each.path.removeprefix("/api"), _handler(each, console), methods=[each.method])
        for each in ENDPOINTS
    ]
    terminal = WebSocketRoute("/sessions/{session}/terminal", partial(terminal_socket.serve, console=console))
    return [*made, described, terminal]


def _handler(endpoint: Endpoint, console: Console) -> Callable[[Request], Awaitable[Response]]:
    async def handle(request: Request) -> Response:
        # An id that no database could store names nothing.
        request.scope["path_params"] = {
            name: storable(str(each)) for name, each in request.path_params.items()
        }
        try:
            given = await endpoint.answer(request, console)
        except ValidationError as error:
            return await _problem(console, _unreadable(error, await console.language()))
        except NanoClawError as error:
            return await _problem(console, error)
        if isinstance(given, Response):
            return given
        return Response(as_shown(given).model_dump_json(), endpoint.status, media_type="application/json")

    return handle


def _unreadable(error: ValidationError, language: str) -> Refused:
    """The error in our words for likely typing mistakes; otherwise in the library's."""
    first = error.errors()[0]
    where = ".".join(str(part) for part in first["loc"])
    key = _MISTAKES.get(first["type"])
    said = say(language, key, most=first.get("ctx", {}).get("max_length", 0)) if key else first["msg"]
    return Refused("bad-request", where=where, said=said)


async def _problem(console: Console, error: NanoClawError) -> Response:
    status_code = next((code for kind, code in _STATUS.items() if isinstance(error, kind)), 500)
    return JSONResponse(
        {"error": shown(tell(await console.language(), error)), "code": error.key}, status_code
    )
