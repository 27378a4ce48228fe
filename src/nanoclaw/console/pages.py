"""The pages themselves: templates filled with texts in the owner's language, and what the page needs to start."""

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
from nanoclaw.console.access import Gate
from nanoclaw.console.desk import Desk
from nanoclaw.domain.errors import NanoClawError
from nanoclaw.domain.locale import Locale
from nanoclaw.durable import held
from nanoclaw.texts import entries, say

_HERE = Path(__file__).parent
_STATIC = _HERE / "static"

_VALUE = re.compile(r"\$(\w+)")


def make_console(desk: Desk) -> Starlette:
    """The whole web application, behind its gate."""
    pages = _Pages(desk)
    console = Starlette(
        routes=[
            Route("/healthz", pages.health),
            Mount("/static", StaticFiles(directory=_STATIC)),
            Mount("/api", app=Router(api.routes(desk), redirect_slashes=False)),
            Route("/{address:path}", pages.shell),
        ],
        middleware=[Middleware(Gate, token=desk.token, locked=pages.locked(), language=desk.locale.speaks)],
    )
    console.router.redirect_slashes = False  # what is not there is not looked for elsewhere
    return console


class _Pages:
    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._templates = Environment(
            loader=FileSystemLoader(_HERE / "templates"), autoescape=select_autoescape()
        )
        self._made: dict[str, Response] = {}

    async def shell(self, _request: Request) -> Response:
        """The same for every address: its script shows the page that the address names, or that there is none.

        Open to whoever asks, so nothing is in it but texts: the rest is fetched with the token.
        """
        try:
            locale = await self._desk.store.read(self._desk.locale_of_owner)
        except NanoClawError:
            locale = self._desk.locale
        # Made once for each language: whoever asks again and again must not keep the host busy with it.
        if locale.speaks not in self._made:
            boot = {"texts": _texts(locale.speaks), "language": locale.speaks}
            self._made[locale.speaks] = self._page("shell.html", locale, boot=boot, modules=_modules())
        return self._made[locale.speaks]

    async def health(self, _request: Request) -> Response:
        """It runs; or it runs, and does nothing until a person says go."""
        try:
            is_held = await self._desk.store.read(held.read) is not None
        except NanoClawError:
            is_held = False
        return PlainTextResponse("held" if is_held else "ok")

    def locked(self) -> Response:
        return self._page("locked.html", self._desk.locale, status=401)

    def _page(self, name: str, locale: Locale, *, status: int = 200, **values: object) -> HTMLResponse:
        def t(key: str, **arguments: object) -> str:
            return say(locale.speaks, key, **arguments)

        page = self._templates.get_template(name)
        styles = sorted(path.stem for path in _STATIC.glob("styles/*.css"))
        return HTMLResponse(page.render(t=t, language=locale.speaks, styles=styles, **values), status)


def _texts(language: str) -> dict[str, str]:
    """What the page says. The values that its own script puts in stay as {$name} until then."""
    return {
        key: say(
            language, key, **{name: f"{{${name}}}" for name in _VALUE.findall(text) if name != "command"}
        )
        for key, text in entries("en").items()
        if key.startswith("console-")
    }


def _modules() -> list[str]:
    """What the first page needs at once; the scripts of the other pages are fetched when they are opened."""
    folders = (".", "vendor", "components", "frame", "pages", "pages/chats")
    found = [path for folder in folders for path in (_STATIC / folder).glob("*.js") if path.stem != "theme"]
    return sorted(path.relative_to(_STATIC).as_posix() for path in found)
