"""The native agent's tools: its box tools, the host's own tools, and those of MCP servers."""

import asyncio
import json
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import aclosing, suppress
from dataclasses import replace
from functools import lru_cache
from typing import Any

from nanoclaw.domain import bounds
from nanoclaw.domain.boxes import Box
from nanoclaw.domain.ports import Permission, Servers, SessionBoxes
from nanoclaw.domain.steps import ToolCall, ToolOffer
from nanoclaw.domain.tool_requests import BadToolRequest, ToolReply, ToolRequest, of_model
from nanoclaw.domain.tools import TOOLS, Tool, no_such_tool, tools_for
from nanoclaw.domain.turns import Connected, RuntimeEvent, ToolEnded, ToolEvent, ToolPrinted, TurnRequest

Ask = Callable[[ToolRequest], Awaitable[ToolReply]]

_PATIENCE = 3700.0  # seconds; a little more than the longest time-out a tool may declare


def _takes(required: str = "", **properties: tuple[str, str]) -> dict[str, Any]:
    """Nothing repeats what a name already says: every call of the model carries this."""
    made: dict[str, Any] = {
        "type": "object",
        "properties": {
            name: {"type": kind, "description": about} if about else {"type": kind}
            for name, (kind, about) in properties.items()
        },
    }
    return {**made, "required": required.split()} if required else made


_PATH = ("string", "")
HANDS = tuple(
    ToolOffer(name=name, description=description, arguments=arguments)
    for name, description, arguments in (
        (
            "bash",
            "Run a shell command in /work, in a box; no network unless the group has one.",
            _takes(
                "command",
                command=("string", ""),
                timeout=("number", "Seconds until it is killed: 120, at most 3600."),
            ),
        ),
        (
            "read",
            "Read a text file below /work, or by its absolute path; lines are numbered.",
            _takes(
                "path",
                path=_PATH,
                offset=("integer", "First line, from 1."),
                limit=("integer", "Lines."),
            ),
        ),
        (
            "write",
            "Write a file whole; folders are made.",
            _takes("path content", path=_PATH, content=("string", "")),
        ),
        (
            "edit",
            "Replace an exact text in a file; it must occur once, unless `all`.",
            _takes(
                "path old new",
                path=_PATH,
                old=("string", ""),
                new=("string", ""),
                all=("boolean", ""),
            ),
        ),
        (
            "search",
            "Find lines that match a regular expression of Python.",
            _takes(
                "pattern",
                pattern=("string", ""),
                path=_PATH,
                glob=("string", "Names of files: *.md"),
            ),
        ),
        ("list", "List a folder.", _takes(path=_PATH)),
    )
)
_IN_BOX = frozenset(offer.name for offer in HANDS)


class BoxTools:
    """Each call gets its own box: an agent that only talks costs no process."""

    def __init__(
        self,
        session_boxes: SessionBoxes,
        command: Sequence[str],
        ask: Ask,
        servers: Servers,
        permission: Permission,
    ) -> None:
        self._session_boxes = session_boxes
        self._command = command
        self._ask = ask
        self._servers = servers
        self._permission = permission

    async def offered(self, request: TurnRequest) -> Sequence[ToolOffer]:
        grants = request.grants
        if not (grants.mcp or grants.turn_tools):
            return _usual(main=grants.main, named=grants.tools, without=grants.without_tools)
        hosts = [_offer(tool, main=grants.main) for tool in grants.host_tools()]
        return [*HANDS, *hosts, *await self._servers.offered(grants.mcp)]

    async def use(self, request: TurnRequest, call: ToolCall) -> AsyncGenerator[ToolEvent, None]:
        """Use a tool. No result, whatever its source, is longer than `bounds.MOST_RESULT`."""
        async with aclosing(self._use(request, call)) as events:
            async for event in events:
                yield replace(event, text=bounds.cut(event.text)) if isinstance(event, ToolEnded) else event

    async def _use(self, request: TurnRequest, call: ToolCall) -> AsyncGenerator[ToolEvent, None]:
        offers = {offer.name for offer in await self.offered(request)}
        if call.name not in offers:
            yield ToolEnded(id=call.id, ok=False, text=no_such_tool(call.name, sorted(offers)))
        elif why_not := await self._permission.ask(
            request, call.name, call.arguments, f"{request.turn_id} {call.id}"
        ):
            yield ToolEnded(id=call.id, ok=False, text=why_not)
        elif call.name in _IN_BOX:
            async with aclosing(self._in_box(request, call)) as events:
                async for event in events:
                    yield event
        elif call.name in TOOLS:
            yield await self._of_host(request, call)
        else:
            ok, text = await self._servers.use(call.name, call.arguments)
            yield ToolEnded(id=call.id, ok=ok, text=text)

    async def _in_box(self, request: TurnRequest, call: ToolCall) -> AsyncGenerator[ToolEvent, None]:
        connected: list[Connected] = []

        def hear(event: RuntimeEvent) -> None:
            if isinstance(event, Connected):
                connected.append(event)

        box = await self._session_boxes.start(request, self._command, listener=hear)
        try:
            async with asyncio.timeout(_PATIENCE):
                async with aclosing(_told(box, call)) as told:
                    async for event in told:
                        while connected:
                            yield connected.pop(0)
                        yield event
        except TimeoutError:
            yield ToolEnded(id=call.id, ok=False, text="The tool did not end in time and was killed.")
        except bounds.TooMuch:
            yield ToolEnded(
                id=call.id, ok=False, text="The tool said more than the host takes and was killed."
            )
        finally:
            await box.kill()

    async def _of_host(self, request: TurnRequest, call: ToolCall) -> ToolEnded:
        try:
            asking = of_model(request, call.name, call.arguments, call_id=call.id)
        except BadToolRequest as error:
            return ToolEnded(id=call.id, ok=False, text=str(error))
        reply = await self._ask(asking)
        return ToolEnded(id=call.id, ok=reply.ok, text=reply.text)


@lru_cache(maxsize=64)
def _usual(*, main: bool, named: tuple[str, ...], without: tuple[str, ...]) -> tuple[ToolOffer, ...]:
    """The same object for the same grants, so that it is serialized only once."""
    return (*HANDS, *(_offer(tool, main=main) for tool in tools_for(main=main, named=named, without=without)))


def _offer(tool: Tool, *, main: bool) -> ToolOffer:
    return ToolOffer(
        name=tool.name,
        description=tool.description,
        arguments=tool.offer(main=main),
        ends_turn=tool.ends_turn,
    )


async def _told(box: Box, call: ToolCall) -> AsyncGenerator[ToolPrinted | ToolEnded, None]:
    written = json.dumps({"tool": call.name, "arguments": dict(call.arguments)})
    with suppress(ConnectionError):  # it died before it read: reported below
        box.stdin.write(written.encode() + b"\n")
        await box.stdin.drain()
    room = bounds.MOST_PRINTED
    async with aclosing(bounds.lines(box.stdout, most=bounds.MOST_TOLD)) as lines:
        async for line in lines:
            event = bounds.said_in(line)  # what comes out of a box is never trusted
            text = str(event.get("text", ""))
            if event.get("event") == "output" and room > 0:
                yield ToolPrinted(id=call.id, text=text[:room])
                room -= len(text) or 1
            elif event.get("event") == "end":
                yield ToolEnded(id=call.id, ok=event.get("ok") is True, text=text)
                return
    said = (await box.stderr.read(1000)).decode("utf-8", "replace").strip()
    code = await box.wait()
    yield ToolEnded(
        id=call.id,
        ok=False,
        text=f"The box ended before the tool did (code {code}); it may have used up its memory. {said}".strip(),
    )
