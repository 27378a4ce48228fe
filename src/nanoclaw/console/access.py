"""Who may open the page: this machine only, and only with the token of the printed link. No token, no data."""

import hashlib
import re
import secrets
from pathlib import Path

from starlette.requests import HTTPConnection
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from nanoclaw.texts import say

COOKIE = "nanoclaw-"
_OPEN_PATHS = ("/static/", "/healthz")
_LOCAL = re.compile(r"(127\.0\.0\.1|localhost)(:\d+)?")
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
    if path.exists() and (kept := path.read_text("utf-8", errors="replace").strip()) and kept.isascii():
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

    def __init__(self, app: ASGIApp, *, token: str, locked: Response, language: str) -> None:
        self._app = app
        self._token = token
        self._locked = locked
        self._language = language
        # Cookies are shared by all ports of a machine: each workspace has its own, and none gets to see the token.
        self._cookie = COOKIE + _derived(token, "name")[:12]
        self._session = _derived(token, "session")

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        answer = self._refusal(HTTPConnection(scope))
        await (answer or self._app)(scope, receive, _with_headers(send, scope["path"]))

    def _refusal(self, connection: HTTPConnection) -> Response | None:
        """None when the request may go on. Path and host are read as they came, before anyone interprets them."""
        path, host = connection.scope["path"], connection.headers.get("host", "")
        if not _LOCAL.fullmatch(host):
            # A page of another site whose name was pointed at this machine would come with its own name.
            return self._problem("wrong-host", 403)
        if path.startswith(_OPEN_PATHS):
            return None
        if given := connection.query_params.get("token"):
            return self._welcome(path) if _same(given, self._token) else self._locked
        if _same(connection.headers.get("authorization", "").removeprefix("Bearer "), self._token):
            return None
        if not _same(connection.cookies.get(self._cookie, ""), self._session):
            return self._problem("locked", 401) if path.startswith("/api/") else self._locked
        origin = connection.headers.get("origin")
        if connection.scope["method"] not in _SAFE_METHODS and origin != f"http://{host}":
            return self._problem("wrong-origin", 403)
        return None

    def _welcome(self, path: str) -> Response:
        answer = RedirectResponse(path, status_code=303)
        answer.set_cookie(self._cookie, self._session, max_age=_A_YEAR, httponly=True, samesite="lax")
        return answer

    def _problem(self, key: str, status: int) -> Response:
        return JSONResponse({"error": say(self._language, f"error-{key}"), "code": key}, status)


def _same(given: str, wanted: str) -> bool:
    return bool(given) and secrets.compare_digest(given.encode(), wanted.encode())


def _derived(token: str, purpose: str) -> str:
    return hashlib.sha256(f"{purpose}:{token}".encode()).hexdigest()


def _with_headers(send: Send, path: str) -> Send:
    extra = [(name.encode(), value.encode()) for name, value in _HEADERS.items()]
    if path.startswith("/static/"):
        # Kept by the browser, but asked about each time: the names of these files do not change with their content.
        extra = [(name, b"no-cache" if name == b"cache-control" else value) for name, value in extra]

    async def send_with_headers(message: Message) -> None:
        if message["type"] == "http.response.start":
            own = list(message.get("headers", []))
            said = {name for name, _ in own}  # an answer may be stricter than the rest
            message["headers"] = [*own, *(header for header in extra if header[0] not in said)]
        await send(message)

    return send_with_headers
