"""The envelope of a model call: who it is from, what may be in it, which headers are passed on, and how a
refusal looks.
"""

import asyncio
import re
from collections.abc import Mapping
from typing import Any

from aiohttp import ClientPayloadError, web
from aiohttp.http_exceptions import HttpProcessingError
from aiohttp.web_protocol import RequestPayloadError
from multidict import CIMultiDict
from pydantic_core import from_json, to_json

MESSAGES = "/v1/messages"
COUNT_TOKENS = "/v1/messages/count_tokens"
_BIGGEST_BODY = 32 << 20
_SLOWEST_BODY = 60  # seconds; it holds one of a box's few slots
_MOST_OUTPUT = 10_000_000
# A refusal repeats it to people in the host's own voice: so it must be a name, not a sentence.
_MODEL = re.compile(r"[!-~]{1,200}")
_HOP_BY_HOP = (
    "connection keep-alive proxy-authenticate proxy-authorization proxy-connection"
    " te trailer transfer-encoding upgrade"
)
_NOT_UP = frozenset(
    f"{_HOP_BY_HOP} host content-length content-encoding expect x-api-key authorization cookie accept-encoding".split()
)
_NOT_DOWN = frozenset(f"{_HOP_BY_HOP} content-length set-cookie location".split())


_BETAS = "anthropic-beta"
# These would make the vendor reach into the world, keep files, or charge more, for a box that may not.
_NOT_FOR_BOXES = (
    "mcp-client",
    "web-fetch",
    "code-execution",
    "files-api",
    "skills-",
    "context-1m",
    "fast-mode",
)


class BadBody(Exception):
    """The request cannot be read."""

    def __init__(self, status: int, said: str) -> None:
        super().__init__(said)
        self.status = status


async def read_body(request: web.BaseRequest) -> tuple[dict[str, Any], int]:
    try:
        async with asyncio.timeout(_SLOWEST_BODY):
            content = await _read(request)
    except TimeoutError as error:
        raise BadBody(408, f"the request did not come within {_SLOWEST_BODY} seconds") from error
    size = len(content)
    try:
        body = from_json(content, allow_inf_nan=False)
    except ValueError as error:
        raise BadBody(400, "the request is not JSON") from error
    if not isinstance(body, dict) or not isinstance(body.get("model"), str):
        raise BadBody(400, "model: Field required")
    if not _MODEL.fullmatch(body["model"]):
        raise BadBody(400, "model: at most 200 plain characters, without spaces")
    most = body.get("max_tokens", 0)
    needed = request.path == MESSAGES
    if type(most) is not int or not int(needed) <= most <= _MOST_OUTPUT:
        raise BadBody(400, "max_tokens: a number of tokens is required")
    return body, size


async def _read(request: web.BaseRequest) -> bytes:
    content = bytearray()
    try:
        async for piece in request.content.iter_any():
            content += piece
            if len(content) > _BIGGEST_BODY:
                raise BadBody(413, f"the request is bigger than {_BIGGEST_BODY >> 20} MiB")
    except (HttpProcessingError, ClientPayloadError, RequestPayloadError) as error:
        raise BadBody(400, "the body is not what its Content-Encoding or Transfer-Encoding says") from error
    return bytes(content)


def token_in(headers: Mapping[str, str]) -> bytes:
    bearer = headers.get("authorization", "")
    return (headers.get("x-api-key") or bearer.removeprefix("Bearer ")).encode("utf-8", "surrogateescape")


def upwards(headers: Mapping[str, str], key: str) -> CIMultiDict[str]:
    named = {name.strip().lower() for name in headers.get("connection", "").split(",")}
    kept = CIMultiDict(
        (name, value) for name, value in headers.items() if name.lower() not in _NOT_UP | named
    )
    if betas := kept.get(_BETAS):
        named_betas = (beta.strip() for beta in betas.split(","))
        kept[_BETAS] = ",".join(beta for beta in named_betas if not beta.startswith(_NOT_FOR_BOXES))
    kept.update({"x-api-key": key, "accept-encoding": "identity", "content-type": "application/json"})
    return kept


def downwards(headers: Mapping[str, str]) -> CIMultiDict[str]:
    return CIMultiDict((name, value) for name, value in headers.items() if name.lower() not in _NOT_DOWN)


def message_in(body: bytes) -> str:
    try:
        return str(from_json(body)["error"]["message"])
    except (ValueError, KeyError, TypeError):
        return ""


def refusal(status: int, kind: str, said: str, headers: Mapping[str, str] | None = None) -> web.Response:
    shape = {"type": "error", "error": {"type": kind, "message": said}}
    return web.Response(status=status, body=to_json(shape), content_type="application/json", headers=headers)
