"""Who may open the page: this machine only, and only with the token of the printed link. No token, no data."""

import secrets
from pathlib import Path

from starlette.datastructures import URL
from starlette.requests import HTTPConnection
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

COOKIE = "nanoclaw"
_OPEN_PATHS = ("/static/", "/healthz")
_SAFE_METHODS = {"GET", "HEAD", "OPTIONS"}
_A_YEAR = 365 * 24 * 3600
_HEADERS = {
    "content-security-policy": "default-src 'self'; img-src 'self' data:; style-src 'self'; script-src 'self'; "
    "frame-ancestors 'none'; base-uri 'none'; form-action 'self'",
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cache-control": "no-store",
}


def keep_token(path: Path) -> str:
    """The token of this workspace; made at the first start, readable by its owner only."""
    if path.exists() and (kept := path.read_text("ascii").strip()):
        return kept
    token = secrets.token_urlsafe(24)
    unfinished = path.with_suffix(".new")
    unfinished.unlink(missing_ok=True)
    unfinished.touch(mode=0o600)
    unfinished.write_text(token + "\n", "ascii")
    unfinished.replace(path)
    return token


class Gate:
    """Stands before every route. The link's token becomes a cookie, so that it does not stay in the address bar."""

    def __init__(self, app: ASGIApp, *, token: str, locked: Response) -> None:
        self._app = app
        self._token = token
        self._locked = locked

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        connection = HTTPConnection(scope)
        answer = self._refusal(connection)
        await (answer or self._app)(scope, receive, _with_headers(send, connection.url))

    def _refusal(self, connection: HTTPConnection) -> Response | None:
        """None when the request may go on."""
        if connection.url.hostname not in ("127.0.0.1", "localhost", "::1"):
            # A page of another site whose name was pointed at this machine would come with its own name.
            return JSONResponse(
                {"error": "This host answers only to this machine.", "code": "wrong-host"}, 403
            )
        if connection.url.path.startswith(_OPEN_PATHS):
            return None
        if given := connection.query_params.get("token"):
            return self._welcome(connection.url) if self._fits(given) else self._locked
        bearer = connection.headers.get("authorization", "").removeprefix("Bearer ")
        if self._fits(bearer):
            return None
        if not self._fits(connection.cookies.get(COOKIE, "")):
            if connection.url.path.startswith("/api/"):
                return JSONResponse({"error": "The token is missing or wrong.", "code": "locked"}, 401)
            return self._locked
        if connection.scope["method"] not in _SAFE_METHODS and not _same_origin(connection):
            return JSONResponse({"error": "Only this page may do that.", "code": "wrong-origin"}, 403)
        return None

    def _fits(self, given: str) -> bool:
        return bool(given) and secrets.compare_digest(given.encode(), self._token.encode())

    def _welcome(self, url: URL) -> Response:
        answer = RedirectResponse(url.remove_query_params("token").path, status_code=303)
        answer.set_cookie(COOKIE, self._token, max_age=_A_YEAR, httponly=True, samesite="strict")
        return answer


def _same_origin(connection: HTTPConnection) -> bool:
    origin = connection.headers.get("origin")
    return origin == f"{connection.url.scheme}://{connection.url.netloc}"


def _with_headers(send: Send, url: URL) -> Send:
    extra = [(name.encode(), value.encode()) for name, value in _HEADERS.items()]
    if url.path.startswith("/static/"):
        # Kept by the browser, but asked about each time: the names of these files do not change with their content.
        extra = [(name, b"no-cache" if name == b"cache-control" else value) for name, value in extra]

    async def send_with_headers(message: Message) -> None:
        if message["type"] == "http.response.start":
            message["headers"] = [*message.get("headers", []), *extra]
        await send(message)

    return send_with_headers
