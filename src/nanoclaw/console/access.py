"""Who may call: only this machine, and only with the token of the printed link. No token, no data."""

import base64
import secrets
from pathlib import Path

from starlette.requests import HTTPConnection
from starlette.responses import JSONResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from starlette.websockets import WebSocketClose

from nanoclaw.gateway.listener import ADMITTED
from nanoclaw.texts import say

BEARER = "nanoclaw.bearer."
"""The prefix of the token among the subprotocols of a browser's WebSocket, which cannot send headers."""

_DATA = "/api/"
_NAMES = ("127.0.0.1", "localhost")
_HTTP_PORT = 80
_HEADERS = {
    # blob: is what the page itself fetched with the token, to show it in an element that cannot send one.
    "content-security-policy": "default-src 'self'; img-src 'self' data: blob:; media-src 'self' blob:; "
    "style-src 'self'; script-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'self'",
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cache-control": "no-store",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
}


def keep_token(path: Path) -> str:
    """The token of this workspace; created at the first start, readable only by its owner."""
    if path.exists() and (kept := path.read_text("utf-8", errors="replace").strip()) and kept.isascii():
        return kept
    token = secrets.token_urlsafe(24)
    unfinished = path.with_suffix(".new")
    unfinished.unlink(missing_ok=True)
    unfinished.touch(mode=0o600)
    unfinished.write_text(token + "\n", "ascii")
    unfinished.replace(path)
    return token


class AccessGuard:
    """Guards every route. The token comes only in a header: a cookie would go to every port of this machine,
    whatever listens there, and come along with any request that a page of another port makes the browser
    send. The page keeps the token in the storage of its origin, which is bound to the port. All data is
    below /api/; the page itself, at any address, its scripts and the health check hold none, so they need
    no token. A WebSocket is judged before it is accepted.
    """

    def __init__(self, app: ASGIApp, *, token: str, locked: Response, language: str) -> None:
        self._app = app
        self._token = token
        self._locked = locked
        self._language = language

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        answer: ASGIApp | None = self._refusal(HTTPConnection(scope))
        if answer and scope["type"] == "websocket":
            answer = WebSocketClose()  # before it is accepted, that is a plain 403
        await (answer or self._app)(scope, receive, _with_headers(send, scope["path"]))

    def _refusal(self, connection: HTTPConnection) -> Response | None:
        """None if the request may proceed. Path and host are read raw, before anyone interprets them."""
        path, headers = connection.scope["path"], connection.headers
        # A page of another site whose name was pointed at this machine would send its own name.
        if headers.get("host", "").lower() not in _own_hosts(connection.scope):
            return self._problem("wrong-host", 403)
        # Scheme, name and port: what another port serves is another page. Programs send no origin.
        if headers.get("origin", f"http://{headers['host']}") != f"http://{headers['host']}":
            return self._problem("wrong-origin", 403)
        if connection.scope["type"] == "websocket":
            if not path.startswith(_DATA) or not _same(_token_of_socket(connection), self._token):
                return self._problem("locked", 401)
        elif not path.startswith(_DATA):
            given = connection.query_params.get("token")
            return self._locked if given is not None and not _same(given, self._token) else None
        elif not _same(_token_of_header(connection), self._token):
            return self._problem("locked", 401)
        if admitted := connection.scope.get(ADMITTED):
            admitted()
        return None

    def _problem(self, key: str, status: int) -> Response:
        return JSONResponse({"error": say(self._language, f"error-{key}"), "code": key}, status)


def _token_of_header(connection: HTTPConnection) -> str:
    return connection.headers.get("authorization", "").removeprefix("Bearer ")


def _token_of_socket(connection: HTTPConnection) -> str:
    """The token of a WebSocket: programs send the header; a browser sends it as a subprotocol, and always its
    origin.
    """
    if "origin" not in connection.headers:
        return _token_of_header(connection)
    offered: list[str] = connection.scope["subprotocols"]
    given = next((each.removeprefix(BEARER) for each in offered if each.startswith(BEARER)), "")
    try:
        return base64.urlsafe_b64decode(given + "=" * (-len(given) % 4)).decode()
    except ValueError:  # neither base64 nor text
        return ""


def _own_hosts(scope: Scope) -> tuple[str, ...]:
    _, port = scope["server"]
    return tuple(f"{name}:{port}" for name in _NAMES) + (_NAMES if port == _HTTP_PORT else ())


def _same(given: str, wanted: str) -> bool:
    return bool(given) and secrets.compare_digest(given.encode(), wanted.encode())


def _with_headers(send: Send, path: str) -> Send:
    extra = [(name.encode(), value.encode()) for name, value in _HEADERS.items()]
    if path.startswith("/static/"):
        # Cached by the browser, but revalidated each time: these file names do not change with their content.
        extra = [(name, b"no-cache" if name == b"cache-control" else value) for name, value in extra]

    async def send_with_headers(message: Message) -> None:
        if message["type"] == "http.response.start":
            own = list(message.get("headers", []))
            said = {name for name, _ in own}  # a response may be stricter than the rest
            message["headers"] = [*own, *(header for header in extra if header[0] not in said)]
        await send(message)

    return send_with_headers
