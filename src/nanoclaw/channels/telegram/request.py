"""How a call goes to Telegram, and what comes back: bytes, or one of the library's errors.

Calls without files go by aiohttp: httpx takes twice the time, and each message needs two calls.
"""

import json
import ssl
from collections.abc import Awaitable, Callable, Mapping
from contextvars import ContextVar
from functools import cache
from typing import Any
from urllib.parse import quote_plus
from urllib.request import getproxies

import aiohttp
import httpx
from telegram import TelegramObject
from telegram.error import NetworkError, TelegramError, TimedOut
from telegram.request import HTTPXRequest, RequestData
from telegram.request._requestparameter import RequestParameter

from nanoclaw.gateway.late_trust import trusting_later

PATIENCE = 20.0  # seconds for an answer
NEVER_SENT = (
    httpx.ConnectError,
    httpx.ConnectTimeout,
    httpx.PoolTimeout,
    aiohttp.ClientConnectorError,
    aiohttp.ConnectionTimeoutError,
)
UNANSWERED = (httpx.HTTPError, aiohttp.ClientError, TimeoutError, OSError)
_FORM = {"Content-Type": "application/x-www-form-urlencoded"}
_CONNECT = 5.0  # seconds
_KEPT = 5.0  # seconds that an idle connection is reused
_HAS_PROXIES = bool(getproxies())  # from the environment; httpx supports more kinds

CRYING: ContextVar[bool] = ContextVar("crying", default=False)
"""Whether the text is about the database, which cannot be asked then."""


@cache
def tls() -> ssl.SSLContext:
    """One context for all: loading every certificate is slow."""
    with trusting_later():
        return httpx.create_ssl_context()


def plain_form(values: Mapping[str, Any]) -> RequestData:
    """A form of values without files: the library's search for one in each value takes as long as the call."""
    return RequestData(
        [RequestParameter(name, _plain(value), None) for name, value in values.items() if value is not None]
    )


def _plain(value: Any) -> Any:
    if isinstance(value, list):
        return [_plain(each) for each in value]
    return value.to_dict() if isinstance(value, TelegramObject) else value


class BotRequest(HTTPXRequest):
    """Sends nothing before it is certain that the others still count on this host."""

    assure: Callable[[], Awaitable[None]] | None = None
    most: int  # connections
    _session: aiohttp.ClientSession | None = None

    @staticmethod
    def parse_json_payload(payload: bytes) -> dict[str, Any]:
        """The library would log all of a body that is not JSON, and fail on JSON that is not an object."""
        try:
            told = json.loads(payload.decode("utf-8", "replace"))
        except (ValueError, RecursionError) as error:
            raise TelegramError("Invalid server response") from error
        if not isinstance(told, dict):
            raise TelegramError("Invalid server response")
        parameters = told.get("parameters")
        told["parameters"] = _numbers(parameters) if isinstance(parameters, dict) else None
        return told

    async def do_request(
        self, url: str, method: str, request_data: RequestData | None = None, *args: Any, **patience: Any
    ) -> tuple[int, bytes]:
        if self.assure and not CRYING.get():
            await self.assure()
        if _HAS_PROXIES or (request_data and request_data.multipart_data):
            return await super().do_request(url, method, request_data, *args, **patience)
        waits = patience.get("read_timeout")
        return await self._ask(
            url, method, request_data, waits if isinstance(waits, int | float) else self.read_timeout
        )

    async def shutdown(self) -> None:
        await super().shutdown()
        if self._session is not None:
            await self._session.close()

    async def _ask(
        self, url: str, method: str, request_data: RequestData | None, waits: float | None
    ) -> tuple[int, bytes]:
        if self._session is None or self._session.closed:
            connector = aiohttp.TCPConnector(limit=self.most, keepalive_timeout=_KEPT, ssl=tls())
            self._session = aiohttp.ClientSession(connector=connector, cookie_jar=aiohttp.DummyCookieJar())
        body = _form(request_data.json_parameters) if request_data else b""
        patience = aiohttp.ClientTimeout(total=None, connect=PATIENCE, sock_connect=_CONNECT, sock_read=waits)
        try:
            async with self._session.request(
                method, url, data=body, headers=_FORM, timeout=patience, allow_redirects=False
            ) as answer:
                return answer.status, await answer.read()
        except TimeoutError as error:
            raise TimedOut from error
        except (aiohttp.ClientError, OSError) as error:
            raise NetworkError(_told(error)) from error


def _form(values: Mapping[str, str]) -> bytes:
    """The names are the library's own, and most values are numbers: only the others need quoting."""
    return "&".join(
        f"{name}={value if value.isascii() and value.isalnum() else quote_plus(value)}"
        for name, value in values.items()
    ).encode()


def _told(error: Exception) -> str:
    """The error in words. Those of the system name a host at most; others repeat the address, with the token
    in it.
    """
    name = type(error).__name__
    return f"{name}: {error}" if isinstance(error, OSError) else name


def _numbers(parameters: dict[str, Any]) -> dict[str, Any]:
    """`retry_after` and `migrate_to_chat_id`, even as text."""
    return {name: int(str(value)) for name, value in parameters.items() if str(value).lstrip("-").isdecimal()}
