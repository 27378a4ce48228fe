"""The tools that the host carries out for Claude Code: its own, and those lent from MCP servers.

Claude Code calls them over the standard streams that it shares with the host alone, so that a call is surely its
model's: commands run in another box, which has no such way.
"""

import json
import uuid
from typing import Any

from claude_agent_sdk import SdkMcpTool, create_sdk_mcp_server

from nanoclaw.domain.ids import SessionId
from nanoclaw.domain.ports import Permission, Servers, SessionBoxes
from nanoclaw.domain.steps import ToolOffer
from nanoclaw.domain.tools import Tool
from nanoclaw.domain.turns import TurnRequest


async def lend(
    session_boxes: SessionBoxes, servers: Servers, permission: Permission, request: TurnRequest
) -> dict[str, Any]:
    """The tools as in-process servers of the SDK."""
    own = [_own_tool(session_boxes, request, tool) for tool in request.grants.host_tools()]
    made = {"nanoclaw": create_sdk_mcp_server("nanoclaw", tools=own)}
    offers = await servers.offered(request.grants.mcp)
    if offers:
        tools = [_tool(servers, permission, request, offer) for offer in offers]
        made["servers"] = create_sdk_mcp_server("servers", tools=tools)
    return made


async def use_lent(
    servers: Servers, permission: Permission, request: TurnRequest, name: str, arguments: dict[str, Any]
) -> tuple[bool, str]:
    """For a program in a box: only what is lent to it, under the rules of its request."""
    if name not in {offer.name for offer in await servers.offered(request.grants.mcp)}:
        return False, f"There is no tool {name}."
    return await _use(servers, permission, request, name, arguments)


async def _use(
    servers: Servers, permission: Permission, request: TurnRequest, name: str, arguments: dict[str, Any]
) -> tuple[bool, str]:
    # Here and not only before the call: something else in the box could speak in place of Claude Code.
    why_not = await permission.ask(request, name, arguments, f"{request.turn_id} {uuid.uuid4()}")
    return (False, why_not) if why_not else await servers.use(name, arguments)


async def use_own(
    session_boxes: SessionBoxes, session_id: SessionId, name: str, arguments: dict[str, Any]
) -> tuple[bool, str]:
    """A tool of the host. Values that a program could use follow on a line of their own."""
    reply = await session_boxes.call(session_id, name, arguments)
    data = json.dumps(dict(reply.data), ensure_ascii=False) if reply.ok and reply.data else ""
    return reply.ok, "\n".join(part for part in (reply.text, data) if part)


def _own_tool(session_boxes: SessionBoxes, request: TurnRequest, tool: Tool) -> SdkMcpTool[Any]:
    async def use(arguments: dict[str, Any]) -> dict[str, Any]:
        ok, text = await use_own(session_boxes, request.session_id, tool.name, arguments)
        return {"content": [{"type": "text", "text": text}], "is_error": not ok}

    schema = {"type": "object", "properties": {}, **tool.offer(main=request.grants.main)}
    return SdkMcpTool(name=tool.name, description=tool.description, input_schema=schema, handler=use)


def _tool(
    servers: Servers, permission: Permission, request: TurnRequest, offer: ToolOffer
) -> SdkMcpTool[Any]:
    async def use(arguments: dict[str, Any]) -> dict[str, Any]:
        ok, text = await _use(servers, permission, request, offer.name, arguments)
        return {"content": [{"type": "text", "text": text}], "is_error": not ok}

    # Without `properties` the SDK would take a schema for a list of arguments.
    schema = {"type": "object", "properties": {}, **offer.arguments}
    return SdkMcpTool(name=offer.name, description=offer.description, input_schema=schema, handler=use)
