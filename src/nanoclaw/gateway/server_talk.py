"""One connected MCP server: opened, kept open and closed in its own task. Loading this module takes a second.

The library's cancel scopes must be left in the task that entered them, so only that task opens and closes;
calls may come from anywhere.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import AsyncExitStack, contextmanager, suppress
from typing import Any

import httpx2
import mcp_types as types
from mcp import Client, MCPError
from mcp.client.session import IncomingMessage
from mcp.client.subscriptions import SubscriptionLost

from nanoclaw.domain.boxes import Box
from nanoclaw.domain.errors import NanoClawError
from nanoclaw.domain.steps import ToolOffer
from nanoclaw.gateway import server_tools
from nanoclaw.gateway.server_list import Server
from nanoclaw.gateway.server_streams import BoxStreams, http_streams
from nanoclaw.gateway.server_tools import ToolList
from nanoclaw.gateway.servers import ServerTimeouts, Silent

_US = types.Implementation(name="nanoclaw", version="1")
_PAGES, _TOOLS = 20, 200  # limits for a server's list
_LIST_AGE = 600.0  # seconds; some servers silently stop reporting changes
_FAREWELL, _TRIES = 3.0, 3
_MOST_NEWS, _NEWS_WITHIN = 5_000, 10.0  # messages that nobody asked for, and seconds
_REASON = 15.0  # seconds that a failed call waits to learn why
_CUT_OFF = ("Connection closed", "SSE stream")  # in the library's words
# What the library raises if a server is not there, goes away or does not speak MCP. It works in task groups,
# so most of it comes as a group.
_TROUBLE = (OSError, MCPError, httpx2.HTTPError, RuntimeError, ValueError, ExceptionGroup)


class ServerConnection:
    """Connects at once. Its methods raise Silent if the server cannot be reached or is gone."""

    def __init__(
        self, server: Server, start_box: Callable[[Server], Awaitable[Box]], patience: ServerTimeouts
    ) -> None:
        self.server = server
        self.fault = ""  # why there is no connection any more; empty if it was closed normally
        self._start_box = start_box
        self._patience = patience
        self._client: Client | None = None
        self._pipes: BoxStreams | None = None
        self._settled = asyncio.Event()  # connected, or failed
        self._ended = asyncio.Event()
        self._never_sent = False  # whether what was in progress at the end cannot have arrived
        self._calls = 0
        self._used = 0.0
        self._tools: ToolList | None = None
        self.left_out = 0  # of the tools that the server has
        self._news, self._news_since = 0, 0.0
        self._listed = 0.0
        self._changes = 0
        self._asking = asyncio.Lock()
        self._watching: asyncio.Task[None] | None = None
        self.task = asyncio.create_task(self._run(), name=f"mcp {server.name}")

    @property
    def lives(self) -> bool:
        return not self._ended.is_set()

    async def ready(self) -> None:
        await self._settled.wait()
        if self._client is None or not self.lives:
            raise Silent(self.fault)

    async def offers(self) -> list[ToolOffer]:
        return (await self._known()).offers

    async def use(self, name: str, arguments: Mapping[str, Any]) -> tuple[bool, str]:
        tool = (await self._known()).tools.get(name)
        if tool is None:
            return False, f"The server {self.server.name} has no tool {name} any more."
        with self._in_use() as client:
            try:
                result = await client.call_tool(tool.name, dict(arguments))
            except MCPError as error:
                if not self._is_the_end(error):
                    return False, self._told(error.message)
                await self._after_end(error)
                repeatable = self._never_sent or server_tools.repeatable(tool)
                raise Silent(self.fault, repeatable=repeatable) from error
            except (ValueError, RuntimeError) as error:  # neither the protocol's errors nor the library's
                return False, self._told(f"The answer makes no sense: {error}")
        return not result.is_error, self._told(server_tools.text_of(result))

    def _told(self, text: str) -> str:
        return server_tools.cut(self.server.hide(text))

    async def close(self) -> None:
        """Close politely, which takes a request to a remote server; forcibly if that takes too long."""
        self._ended.set()
        for _ in range(_TRIES):
            self.task.cancel()
            done, _waiting = await asyncio.wait([self.task], timeout=_FAREWELL)
            if done:
                return

    async def _run(self) -> None:
        try:
            async with AsyncExitStack() as opened:
                async with asyncio.timeout(self._patience.start):
                    self._client = await self._open(opened)
                self._used = time.monotonic()
                self._settled.set()
                await self._until_unused()
                self._ended.set()
        except TimeoutError:
            self.fault = f"no answer within {self._patience.start:g} s"
        except NanoClawError as error:  # there can be no box
            self.fault = str(error)
        except _TROUBLE as error:
            first = _first(error)
            # With several calls in progress, one may have arrived before another found nobody there.
            self._never_sent |= isinstance(first, httpx2.ConnectError) and self._calls <= 1
            self.fault = self.fault or f"{type(first).__name__}: {first}"
        finally:
            said = self._pipes.complaint if self._pipes and self.fault else ""
            self.fault = self.server.hide(f"{self.fault} ({said})" if said else self.fault)
            self._ended.set()
            self._settled.set()

    async def _open(self, opened: AsyncExitStack) -> Client:
        if self.server.local:
            self._pipes = BoxStreams(self.server, await self._start_box(self.server), self._has_gone)
            transport = self._pipes.open()
        else:
            transport = http_streams(self.server, self._was_forgotten)
        client = Client(transport, client_info=_US, message_handler=self._hear, cache=None)
        await opened.enter_async_context(client)
        client.session.validate_tool_result = _unchecked  # type: ignore[method-assign, assignment]
        opened.push_async_callback(self._stop_watching)
        return client

    async def _until_unused(self) -> None:
        while self.lives:
            left = self._used + self._patience.idle - time.monotonic()
            if left <= 0 and not self._calls:
                return
            with suppress(TimeoutError):
                async with asyncio.timeout(max(left, 0) or self._patience.idle):
                    await self._ended.wait()

    def _has_gone(self) -> None:
        if self.lives:
            self.fault = "it has ended"
            self._ended.set()

    def _was_forgotten(self) -> None:
        self._never_sent = self._calls <= 1
        self._ended.set()

    @contextmanager
    def _in_use(self) -> Iterator[Client]:
        if self._client is None or not self.lives:
            raise Silent(self.fault, repeatable=True)
        self._calls += 1
        try:
            yield self._client
        finally:
            self._calls -= 1
            self._used = time.monotonic()

    async def _known(self) -> ToolList:
        """The tools by name; fetched again only if the server said that they changed."""
        async with self._asking:
            if self._tools is None or time.monotonic() > self._listed + _LIST_AGE:
                with self._in_use() as client:
                    try:
                        await self._watch(client)
                        changes, self._listed = self._changes, time.monotonic()
                        found, left_out = await _listed(client)
                        # Beside the loop: a crowd of odd schemas takes a while to check.
                        tools = await asyncio.to_thread(
                            server_tools.listed, self.server.name, found, left_out
                        )
                        self.left_out = tools.left_out
                    except _TROUBLE as error:
                        if isinstance(error, MCPError) and self._is_the_end(error):
                            await self._after_end(error)
                        raise Silent(self.fault or self.server.hide(str(error)), repeatable=True) from error
                if changes != self._changes:  # while the answer was on its way
                    return tools
                self._tools = tools
            return self._tools

    def _forget_tools(self) -> None:
        self._tools = None
        self._changes += 1

    async def _hear(self, message: IncomingMessage) -> None:
        at = time.monotonic()
        if at > self._news_since + _NEWS_WITHIN:
            self._news, self._news_since = 0, at
        self._news += 1
        if self._news > _MOST_NEWS and self.lives:
            self.fault = "it sends messages without end"
            self._ended.set()
        if isinstance(message, types.ToolListChangedNotification):
            self._forget_tools()

    async def _watch(self, client: Client) -> None:
        """Servers with a handshake report changes by themselves; newer ones want to be asked."""
        tools = client.server_capabilities.tools
        handshake = client.session.initialize_result is not None
        if handshake or not (tools and tools.list_changed) or (self._watching and not self._watching.done()):
            return
        begun = asyncio.Event()
        self._watching = asyncio.create_task(self._listen(client, begun))
        await begun.wait()

    async def _listen(self, client: Client, begun: asyncio.Event) -> None:
        try:
            async with client.listen(tools_list_changed=True) as changes:
                begun.set()
                async for _change in changes:
                    self._forget_tools()
        except (MCPError, SubscriptionLost):
            pass
        finally:
            begun.set()
            self._forget_tools()  # changes from now on go unnoticed: fetch, and listen, again

    async def _stop_watching(self) -> None:
        if self._watching:
            self._watching.cancel()
            await asyncio.wait([self._watching])

    def _is_the_end(self, error: MCPError) -> bool:
        """Whether the connection is over. A server may use the library's error number for its own errors."""
        cut_off = error.code == types.CONNECTION_CLOSED and error.message.startswith(_CUT_OFF)
        return cut_off or not self.lives

    async def _after_end(self, error: MCPError) -> None:
        """The reason is known when the task has ended, a moment after the caller notices."""
        self._ended.set()
        await asyncio.wait([self.task], timeout=_REASON)
        self.fault = self.fault or self.server.hide(error.message)


async def _unchecked(_name: str, _result: types.CallToolResult) -> None:
    """Agents get text. The library would hold structured content against patterns of the server's choice, which may
    take a year."""


async def _listed(client: Client) -> tuple[list[types.Tool], int]:
    """The tools of a server, and how many of those that it named are left out."""
    tools, cursor, seen = list[types.Tool](), None, 0
    for _ in range(_PAGES):
        page = await client.list_tools(cursor=cursor)
        seen += len(page.tools)
        tools += filter(server_tools.fits, page.tools)
        cursor = page.next_cursor
        if cursor is None or len(tools) >= _TOOLS:
            break
    return tools[:_TOOLS], seen - len(tools[:_TOOLS])


def _first(error: BaseException) -> BaseException:
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error
