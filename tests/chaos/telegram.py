"""Telegram with a watcher: every call is written into the ledger, by host, and some of them go wrong."""

import asyncio
import json
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Self

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route
from tests.chaos.ledger import NEW, Called, Ledger

from nanoclaw.console.web_server import WebServer
from nanoclaw.testing import TelegramServer
from nanoclaw.testing.telegram.faults import CutOff
from nanoclaw.testing.telegram.server import Call

_QUIET = (
    "getMe",
    "sendChatAction",
    "setMyCommands",
    "deleteWebhook",
    "getWebhookInfo",
    "answerCallbackQuery",
)

Meet = Callable[[Called], Awaitable[None]]


@dataclass(kw_only=True, slots=True)
class Trap:
    """Waits for the next call of a method that carries an answer. `status` 0 is a connection that breaks."""

    fault: str
    method: str
    is_done: bool  # whether Telegram does the work before it goes wrong
    status: int = 0
    wait: int = 0  # seconds, of a 429
    meet: Meet | None = None  # what else happens then, as the death of the host that calls
    answers: bool = False  # nothing is wrong with the call itself

    @property
    def response(self) -> Response:
        if not self.status:
            return CutOff()
        said = {500: "Internal Server Error", 502: "Bad Gateway", 504: "Gateway Timeout"}[self.status]
        return JSONResponse({"ok": False, "error_code": self.status, "description": said}, self.status)


_NOW: ContextVar[Called] = ContextVar("call")


class WatchedTelegram(TelegramServer):
    """Each host has an address of its own, so that the ledger knows who called."""

    def __init__(self, ledger: Ledger, *, flood_control: bool) -> None:
        super().__init__(flood_control=flood_control, keep=1_000_000)
        self.ledger = ledger
        self.traps: list[Trap] = []
        self.changed: Callable[[Called], None] = lambda _: None
        self.on_call = self._look
        self._caught: dict[int, Trap] = {}

    async def __aenter__(self) -> Self:
        routes = [
            Route("/{host}/bot{token}/{method}", self._answer, methods=["GET", "POST"]),
            Route("/{host}/file/bot{token}/{path:path}", self._download),
        ]
        self._serving = WebServer(0, for_everyone=True)
        self._serving.start(Starlette(routes=routes))
        self.url = self._serving.url
        return self

    def address_for(self, host: str) -> str:
        return f"{self.url}/{host}"

    def disarm(self) -> list[str]:
        """The faults that no call has met."""
        left = [trap.fault for trap in self.traps]
        self.traps.clear()
        return left

    async def repeat_when_taken(self) -> bool:
        """The last update comes twice. Not while older ones wait: those would come after it, as they never do."""
        with suppress(TimeoutError):
            async with asyncio.timeout(20):
                while any(self.unconfirmed(bot) for bot in self._world.bots.values()):
                    await asyncio.sleep(0.005)
                self.repeat_last_update()
                return True
        return False

    async def _answer(self, request: Request) -> Response:
        call = Called(
            host=request.path_params["host"], method=request.path_params["method"], begun=time.time()
        )
        _NOW.set(call)
        response = await super()._answer(request)
        trap = self._caught.pop(id(call), None)
        if trap is None or trap.is_done or trap.answers:
            self._read(call, response)
        if trap is not None and trap.is_done:
            response = await self._spring(trap, call, response)
        call.ended = time.time()
        if isinstance(response, CutOff):
            call.told = "nothing"
        else:
            call.told = "ok" if response.status_code == 200 else str(response.status_code)
        return response

    async def _look(self, asked: Call) -> Response | None:
        """Before anything is done. Returns what is answered instead."""
        call = _NOW.get()
        call.chat = asked.parameters.get("chat_id", "")
        if asked.method == "editMessageText":
            call.message_id = int(asked.parameters.get("message_id", "0"))
        call.text = asked.parameters.get("text", "") or asked.parameters.get("caption", "")
        if asked.method not in (*_QUIET, "getUpdates"):
            self.ledger.calls.append(call)
        for trap in self.traps:
            if trap.method == asked.method and (call.numbers or trap.method not in (*NEW, "editMessageText")):
                break
        else:
            return None
        self.traps.remove(trap)
        call.fault = trap.fault
        self.ledger.faults[trap.fault] += 1
        if trap.wait:  # flood control itself holds the chat, and counts who does not wait
            self._world.flood.hold(asked.bot.id, int(call.chat), trap.wait)
            return None
        self._caught[id(call)] = trap
        if trap.is_done:
            return None
        instead = await self._spring(trap, call, None)
        return None if trap.answers else instead

    async def _spring(self, trap: Trap, call: Called, response: Response | None) -> Response:
        if trap.meet is not None:
            await trap.meet(call)
        return response if trap.answers and response is not None else trap.response

    def _read(self, call: Called, response: Response) -> None:
        call.done = response.status_code == 200
        if call.done and call.method in NEW:
            result = json.loads(bytes(response.body)).get("result")
            call.message_id = result.get("message_id", 0) if isinstance(result, dict) else 0
        if call.done and call.text:
            self.changed(call)
