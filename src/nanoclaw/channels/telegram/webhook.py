"""Takes updates that Telegram posts to us. Callers without the secret are refused; 200 means stored."""

import hmac
import json

import structlog
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from nanoclaw.channels.telegram.intake import Intake
from nanoclaw.domain.errors import HostIll, StoreUnavailable
from nanoclaw.gateway.listener import ADMITTED

log = structlog.get_logger("telegram")

PATH = "/telegram"
_HEADER = "X-Telegram-Bot-Api-Secret-Token"
_BIGGEST = 1 << 20


class Webhooks:
    """One endpoint for all bots: `/telegram/{bot}`."""

    def __init__(self) -> None:
        self._intakes: dict[str, tuple[str, Intake]] = {}

    def open(self, bot_id: str, secret: str, intake: Intake) -> None:
        self._intakes[bot_id] = secret, intake

    def shut(self, bot_id: str) -> None:
        self._intakes.pop(bot_id, None)

    def app(self) -> Starlette:
        return Starlette(routes=[Route(f"{PATH}/{{bot}}", self._take, methods=["POST"])])

    async def _take(self, request: Request) -> Response:
        secret, intake = self._intakes.get(request.path_params["bot"], ("", None))
        shown = request.headers.get(_HEADER, "")
        if intake is None or not hmac.compare_digest(shown.encode(), secret.encode()):
            return PlainTextResponse("no", 403)
        if admitted := request.scope.get(
            ADMITTED
        ):  # otherwise a proxy's connection, always in use, would be cut
            admitted()
        body = b""
        async for piece in request.stream():
            body += piece
            if len(body) > _BIGGEST:
                return PlainTextResponse("too big", 413)
        try:
            update = json.loads(body)
        except (ValueError, RecursionError):
            return PlainTextResponse("no JSON", 400)
        try:
            await intake.take_in([update])
        except (StoreUnavailable, HostIll) as error:
            log.warning("update not stored", reason=error)
            return PlainTextResponse("come again", 503)
        return PlainTextResponse("stored")
