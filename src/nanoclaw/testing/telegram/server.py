"""The far end of the Telegram channel: the Bot API over HTTP, with the chats, people and limits behind it.

As strict as Telegram: lengths, entities, keyboards, file sizes, flood control, errors in Telegram's words.
"""

import json
import time
from collections import Counter, deque
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from nanoclaw.console.web_server import WebServer
from nanoclaw.testing.telegram.accounts import Bot
from nanoclaw.testing.telegram.chats import Chat
from nanoclaw.testing.telegram.faults import Fault, Faults
from nanoclaw.testing.telegram.files import Sizes
from nanoclaw.testing.telegram.form import Form, read_form
from nanoclaw.testing.telegram.groups import Channel, Group
from nanoclaw.testing.telegram.methods import METHODS
from nanoclaw.testing.telegram.people import Person
from nanoclaw.testing.telegram.refusals import Refusal
from nanoclaw.testing.telegram.sloppiness import Stumbling, sloppy_result, sloppy_update
from nanoclaw.testing.telegram.world import World

_CALLS = 5000


@dataclass(frozen=True, kw_only=True, slots=True)
class Call:
    """A bot's call. `method` is as Telegram spells it; a download is the method "file"."""

    bot: Bot
    method: str
    parameters: Mapping[str, str]
    at: float


class TelegramServer:
    """Use as `async with TelegramServer() as server`; `server.url` is the address of the Bot API.

    `server.on_call` may answer instead, `cut_before`, `cut_after` and `fail` plan a fault, `flood` holds a chat.
    """

    def __init__(
        self,
        *,
        clock: Callable[[], float] = time.monotonic,
        flood_control: bool = True,
        sizes: Sizes | None = None,
        keep: int = 100_000,
        sloppy: bool = False,
    ) -> None:
        """`sloppy`: less careful than Telegram, see `nanoclaw.testing.telegram.sloppiness`."""
        self.url = ""
        self.on_call: Callable[[Call], Awaitable[Response | None]] | None = None
        self.calls: deque[Call] = deque(maxlen=_CALLS)
        self.counts: Counter[str] = Counter()
        self._clock = clock
        self._sizes = sizes or Sizes()
        self._world = World(clock=clock, sizes=self._sizes, keep=keep)
        self._world.flood.on = flood_control
        self._faults = Faults()
        self._stumbling = Stumbling() if sloppy else None

    async def __aenter__(self) -> Self:
        routes = [
            Route("/bot{token}/{method}", self._answer, methods=["GET", "POST"]),
            Route("/file/bot{token}/{path:path}", self._download),
        ]
        self._serving = WebServer(0, for_everyone=True)
        self._serving.start(Starlette(routes=routes))
        self.url = self._serving.url
        return self

    async def __aexit__(self, *_: object) -> None:
        for bot in self._world.bots.values():
            await bot.updates.close()
        await self._serving.stop()

    # Who is there

    def add_bot(self, username: str = "test_bot", *, name: str = "") -> Bot:
        bot = self._world.add_bot(username, name or username)
        if self._stumbling:
            bot.updates.told = sloppy_update
        return bot

    def person(self, name: str, *, language: str = "", username: str = "") -> Person:
        return self._world.person(name, username=username, language=language)

    def group(
        self,
        title: str,
        *bots: Bot,
        members: Sequence[Person] = (),
        forum: bool = False,
        supergroup: bool = False,
    ) -> Group:
        """The first member owns it. A forum is a supergroup."""
        told: dict[str, object] = {"type": "supergroup" if forum or supergroup else "group", "title": title}
        return self._world.group(Group, told | ({"is_forum": True} if forum else {}), bots, members)

    def channel(self, title: str, *bots: Bot, username: str = "") -> Channel:
        told: dict[str, object] = {"type": "channel", "title": title}
        channel = self._world.group(Channel, told | ({"username": username} if username else {}), bots, ())
        assert isinstance(channel, Channel)  # noqa: S101
        return channel

    # What a test wants to happen

    @property
    def floods(self) -> int:
        """How often a bot went over a limit, or did not wait as told."""
        return self._world.flood.violations

    def flood(self, chat: Chat, seconds: float) -> None:
        """The next calls for this chat are told that they came too fast."""
        for bot in chat.bots.values():
            self._world.flood.hold(bot.id, chat.id, seconds)

    def cut_before(self, method: str, *, times: int = 1) -> None:
        """The connection is closed, and nothing was done."""
        self._faults.plan(method, Fault(kind="cut before"), times)

    def cut_after(self, method: str, *, times: int = 1) -> None:
        """It was done, and the connection is closed without an answer."""
        self._faults.plan(method, Fault(kind="cut after"), times)

    def fail(self, method: str, *, status: int = 502, times: int = 1, description: str = "") -> None:
        """`method` "*" is any."""
        self._faults.plan(method, Fault(kind="fail", status=status, description=description), times)

    def push(self, update: dict[str, Any], *, bot: Bot | None = None) -> None:
        """An update of any shape; it gets an id if it has none."""
        (bot or self._only_bot()).updates.push_raw(update)

    def repeat_last_update(self, *, bot: Bot | None = None) -> None:
        (bot or self._only_bot()).updates.repeat_last()

    def unconfirmed(self, bot: Bot) -> int:
        return len(bot.updates.waiting)

    def _only_bot(self) -> Bot:
        (bot,) = self._world.bots.values()
        return bot

    # Calls from the host

    async def _answer(self, request: Request) -> Response:
        method = request.path_params["method"]
        try:
            bot = self._bot(request)
            form = await read_form(request, self._sizes.upload)
            if instead := await self._meet(
                Call(bot=bot, method=method, parameters=form.values, at=self._clock())
            ):
                return instead
            fault = self._faults.take(method.lower())
            if fault is not None and fault.kind != "cut after":
                return fault.response
            if self._stumbling and (page := self._stumbling.instead(method)):
                return page
            result = await self._do(bot, method.lower(), form)
        except Refusal as refused:
            return _json(refused.answer, refused.status)
        if fault is not None:
            return fault.response
        if isinstance(result, bytes):
            return Response(b'{"ok":true,"result":' + result + b"}", media_type="application/json")
        told = sloppy_result(method.lower(), result) if self._stumbling else result
        return _json({"ok": True, "result": told})

    async def _do(self, bot: Bot, method: str, form: Form) -> Any:
        if method == "getupdates":
            return await bot.updates.poll(form)
        if method == "setwebhook":
            return await bot.updates.set_webhook(form)
        if method == "deletewebhook":
            given = {key: value for key, value in form.values.items() if key == "drop_pending_updates"}
            return await bot.updates.set_webhook(Form(values=given, files={}))
        if method not in METHODS:
            raise Refusal(status=404)
        return METHODS[method](self._world, bot, form)

    async def _download(self, request: Request) -> Response:
        try:
            bot = self._bot(request)
            path = request.path_params["path"]
            if instead := await self._meet(
                Call(bot=bot, method="file", parameters={"path": path}, at=self._clock())
            ):
                return instead
            if fault := self._faults.take("file"):
                return fault.response
            if self._stumbling and (page_of_proxy := self._stumbling.instead("file")):
                return page_of_proxy
            stored = self._world.files.by_path(path)
            if stored is None:
                raise Refusal(status=404)
        except Refusal as refused:
            return _json(refused.answer, refused.status)
        return Response(stored.data, media_type="application/octet-stream")

    async def _meet(self, call: Call) -> Response | None:
        self.calls.append(call)
        self.counts[call.method] += 1
        return await self.on_call(call) if self.on_call else None

    def _bot(self, request: Request) -> Bot:
        token = request.path_params["token"]
        if bot := self._world.bots.get(token):
            return bot
        raise Refusal(status=401 if ":" in token else 404)


def _json(body: dict[str, Any], status: int = 200) -> Response:
    content = json.dumps(body, ensure_ascii=False, separators=(",", ":")).encode()
    return Response(content, status, media_type="application/json")
