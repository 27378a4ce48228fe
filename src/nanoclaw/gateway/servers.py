"""The host as a client of MCP servers, whose tools it lends to agents. Keys and addresses stay here."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from typing import Any, Protocol

import structlog

from nanoclaw.domain.boxes import Box
from nanoclaw.domain.errors import BadSettings
from nanoclaw.domain.steps import ToolOffer
from nanoclaw.gateway.known_tools import KnownTools
from nanoclaw.gateway.server_list import Server

log = structlog.get_logger("servers")

StartBox = Callable[[Server], Awaitable[Box]]


@dataclass(frozen=True, kw_only=True, slots=True)
class ServerTimeouts:
    """Seconds."""

    start: float = 60.0  # until a server must have answered for the first time
    offer: float = 15.0  # that a turn waits for a server's tools, before it continues without them
    call: float = 120.0
    idle: float = 600.0  # without use, until a server is disconnected
    again: float = 30.0  # from a failure to the next try


class Silent(Exception):
    """The server cannot be reached, or went away. `repeatable`: the request may be repeated."""

    def __init__(self, reason: str, *, repeatable: bool = False) -> None:
        super().__init__(reason)
        self.repeatable = repeatable


class _Connection(Protocol):
    """`server_talk.ServerConnection`, as far as it matters here; its module takes a second to load."""

    server: Server
    fault: str
    left_out: int
    task: "asyncio.Task[None]"

    @property
    def lives(self) -> bool: ...

    async def ready(self) -> None: ...

    async def offers(self) -> list[ToolOffer]: ...

    async def use(self, name: str, arguments: Mapping[str, Any]) -> tuple[bool, str]: ...

    async def close(self) -> None: ...


@dataclass(kw_only=True, slots=True)
class _Kept:
    """What is remembered about a server."""

    connection: _Connection
    not_before: float = 0.0  # after a failure it is left alone for a while
    told: bool = False  # whether the failure was logged
    looked_at: Sequence[ToolOffer] = ()  # the tools that were compared with those of before


class ServerNews(Protocol):
    """Hears what the owner of a server should know. By default nobody does."""

    def tools_left_out(self, server: str, count: int) -> None:
        """It has more tools, or longer ones, than agents can be given."""

    def tools_changed(self, server: str, tools: Sequence[str]) -> None:
        """It describes these tools differently than before."""


class McpServers:
    """Connects to a server when its tools are first wanted, and keeps the connection while it is used.

    `read` gives the current list: a server that was changed or removed is disconnected at its next use.
    """

    def __init__(
        self,
        read: Callable[[], Mapping[str, Server]],
        start_box: StartBox,
        *,
        patience: ServerTimeouts | None = None,
        known: KnownTools | None = None,
        news: ServerNews | None = None,
    ) -> None:
        self._read = read
        self._start_box = start_box
        self._patience = patience or ServerTimeouts()
        self._known = known
        self._news = news
        self._talk: Any = None
        self._kept: dict[str, _Kept] = {}
        self._closing: set[asyncio.Task[None]] = set()

    async def offered(self, names: Sequence[str]) -> Sequence[ToolOffer]:
        if not names:
            return []
        found = await asyncio.gather(*(self._offers(name) for name in dict.fromkeys(names)))
        return [offer for offers in found for offer in offers]

    async def use(self, name: str, arguments: Mapping[str, Any]) -> tuple[bool, str]:
        server = name.partition("_")[0]
        try:
            async with asyncio.timeout(self._patience.call):
                return await self._use(server, name, arguments)
        except TimeoutError:
            seconds = f"{self._patience.call:g}"
            return (
                False,
                f"The server {server} gave no answer within {seconds} s; it may still do what was asked.",
            )

    async def tools(self, name: str) -> list[ToolOffer]:
        """The tools of one server, however long it takes to start. Raises Silent with the reason."""
        return await (await self._connected(name)).offers()

    def left_out(self, name: str) -> int:
        """How many tools of a server agents are not given."""
        return self._kept[name].connection.left_out if name in self._kept else 0

    async def close(self) -> None:
        kept, self._kept = self._kept, {}
        await asyncio.gather(*(each.connection.close() for each in kept.values()), *self._closing)

    async def _offers(self, name: str) -> list[ToolOffer]:
        kept = self._kept.get(name)
        if kept and time.monotonic() < kept.not_before:
            return []
        try:
            async with asyncio.timeout(self._patience.offer):
                offers = await self.tools(name)
        except (TimeoutError, Silent):
            self._failed(name)
        else:
            self._kept[name].told = False
            await self._look_at(name, offers)
            return offers
        return []

    async def _look_at(self, name: str, offers: Sequence[ToolOffer]) -> None:
        """Tell what is odd about the tools of a server, when they come for the first time or anew."""
        kept = self._kept.get(name)
        if kept is None or kept.looked_at is offers or self._news is None:
            return
        kept.looked_at = offers
        if left_out := kept.connection.left_out:
            self._news.tools_left_out(name, left_out)
        if self._known is not None:
            server = f"{name} {kept.connection.server.where}"
            if changed := await asyncio.to_thread(self._known.changed, server, offers):
                self._news.tools_changed(name, changed)

    async def _use(self, server: str, name: str, arguments: Mapping[str, Any]) -> tuple[bool, str]:
        for last in (False, True):
            try:
                connection = await self._connected(server)
            except Silent as silent:
                self._failed(server)
                return False, f"The server {server} cannot be reached now: {silent}."
            try:
                return await connection.use(name, arguments)
            except Silent as silent:
                if not silent.repeatable:
                    gone = f"The server {server} went away during the call: {silent}."
                    return False, f"{gone} What was asked may have been done, or not."
                if last:
                    return False, f"The server {server} went away twice: {silent}."
        raise AssertionError("the second time is the last")

    async def _connected(self, name: str) -> _Connection:
        try:
            if self._talk is None:
                self._talk = await asyncio.to_thread(import_module, "nanoclaw.gateway.server_talk")
            server = self._read().get(name)
        except (ImportError, BadSettings) as error:  # the package `mcp` comes with an extra
            raise Silent(str(error)) from error
        kept = self._kept.get(name)
        if kept and kept.connection.server != server:
            self._let_go(kept.connection)
            del self._kept[name]
            kept = None
        if server is None:
            raise Silent("there is no such server any more")
        if kept is None or not kept.connection.lives:
            if kept and time.monotonic() < kept.not_before:
                raise Silent(kept.connection.fault)
            connection: _Connection = self._talk.ServerConnection(server, self._start_box, self._patience)
            connection.task.add_done_callback(partial(_look_at, server.name))
            kept = self._kept[name] = _Kept(connection=connection, told=kept.told if kept else False)
        await kept.connection.ready()
        return kept.connection

    def _let_go(self, connection: _Connection) -> None:
        task = asyncio.create_task(connection.close())
        self._closing.add(task)
        task.add_done_callback(self._closing.discard)

    def _failed(self, name: str) -> None:
        kept = self._kept.get(name)
        if kept is None or not kept.told:
            # Not the reason, which quotes the server: `nanoclaw mcp test` shows it.
            log.warning("server cannot be used, so its tools are not offered", server=name)
        if kept:
            kept.told = True
            kept.not_before = time.monotonic() + self._patience.again


def _look_at(server: str, task: "asyncio.Task[None]") -> None:
    """Log unforeseen errors, because nobody waits for this task."""
    if not task.cancelled() and (error := task.exception()):
        log.error("server connection broke", server=server, exc_info=error)
