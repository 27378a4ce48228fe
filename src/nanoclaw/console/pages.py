"""The pages: templates filled with texts in the owner's language, and what the page needs to start."""

import re
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, select_autoescape
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, Response
from starlette.routing import Mount, Route, Router
from starlette.staticfiles import StaticFiles

from nanoclaw.console import api
from nanoclaw.console.access import AccessGuard
from nanoclaw.console.console import Console
from nanoclaw.domain.errors import NanoClawError
from nanoclaw.domain.locale import Locale
from nanoclaw.durable import restore_hold
from nanoclaw.texts import entries, say

_HERE = Path(__file__).parent
_STATIC = _HERE / "static"
_TEMPLATES = Environment(loader=FileSystemLoader(_HERE / "templates"), autoescape=select_autoescape())
_VALUE = re.compile(r"\$(\w+)")


def make_console(console: Console) -> Starlette:
    """The whole web application, behind its gate."""
    pages = _Pages(console)
    application = Starlette(
        routes=[
            Route("/healthz", pages.health),
            Mount("/static", StaticFiles(directory=_STATIC)),
            Mount("/api", app=Router(api.routes(console), redirect_slashes=False)),
            Route("/{address:path}", pages.shell),
        ],
        middleware=[
            Middleware(
                AccessGuard, token=console.token, locked=pages.locked(), language=console.locale.speaks
            )
        ],
    )
    application.router.redirect_slashes = False  # a missing page is not looked for elsewhere
    return application


class _Pages:
    def __init__(self, console: Console) -> None:
        self._console = console
        self._made: dict[str, Response] = {}

    async def shell(self, _request: Request) -> Response:
        """The same for every address: its script shows the page for the address, or that there is none. Open
        to anyone, so it contains only texts: the rest is fetched with the token.
        """
        try:
            locale = await self._console.store.read(self._console.locale_of_owner)
        except NanoClawError:
            locale = self._console.locale
        # Rendered once per language: repeated requests must not keep the host busy.
        if locale.speaks not in self._made:
            boot = {"texts": _texts(locale.speaks), "language": locale.speaks}
            self._made[locale.speaks] = self._page("shell.html", locale, boot=boot, modules=_modules())
        return self._made[locale.speaks]

    async def health(self, _request: Request) -> Response:
        """Running; or running, but on hold until a person says go."""
        try:
            is_held = await self._console.store.read(restore_hold.read) is not None
        except NanoClawError:
            is_held = False
        return PlainTextResponse("held" if is_held else "ok")

    def locked(self) -> Response:
        return self._page("locked.html", self._console.locale, status=401)

    def _page(self, name: str, locale: Locale, *, status: int = 200, **values: object) -> HTMLResponse:
        def t(key: str, **arguments: object) -> str:
            return say(locale.speaks, key, **arguments)

        page = _TEMPLATES.get_template(name)
        styles = sorted(path.stem for path in _STATIC.glob("styles/*.css"))
        return HTMLResponse(page.render(t=t, language=locale.speaks, styles=styles, **values), status)


def _texts(language: str) -> dict[str, str]:
    """The page's texts. Values that its own script fills in stay as {$name} until then."""
    return {
        key: say(
            language, key, **{name: f"{{${name}}}" for name in _VALUE.findall(text) if name != "command"}
        )
        for key, text in entries("en").items()
        if key.startswith("console-")
    }


def _modules() -> list[str]:
    """What the first page needs at once; the scripts of other pages are fetched when they are opened."""
    folders = (".", "vendor", "components", "frame", "pages", "pages/chats")
    found = [path for folder in folders for path in (_STATIC / folder).glob("*.js") if path.stem != "theme"]
    return sorted(path.relative_to(_STATIC).as_posix() for path in found)
