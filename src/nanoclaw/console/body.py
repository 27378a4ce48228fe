"""Reads a request's body, up to the allowed size."""

from starlette.requests import ClientDisconnect, Request

from nanoclaw.domain.errors import Refused, TooBig

_MOST_BYTES = 8 * 1024 * 1024


async def read_body(request: Request, most: int = _MOST_BYTES, key: str = "too-big") -> bytes:
    body = bytearray()
    try:
        async for chunk in request.stream():
            body += chunk
            if len(body) > most:
                raise TooBig(key, megabytes=most // 1024 // 1024)
    except ClientDisconnect:
        raise Refused("bad-request", where="body", said="cut off") from None
    return bytes(body)
