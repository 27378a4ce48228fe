"""Lends the tools of MCP servers to Claude Code: it calls the host, and the host calls the server."""

import uuid
from typing import Any

from claude_agent_sdk import SdkMcpTool, create_sdk_mcp_server

from nanoclaw.domain.ports import Permission, Servers
from nanoclaw.domain.steps import ToolOffer
from nanoclaw.domain.turns import TurnRequest


async def lend(servers: Servers, permission: Permission, request: TurnRequest) -> dict[str, Any]:
    """The tools as one in-process server of the SDK; none if there is nothing to lend."""
    offers = await servers.offered(request.grants.mcp)
    if not offers:
        return {}
    tools = [_tool(servers, permission, request, offer) for offer in offers]
    return {"servers": create_sdk_mcp_server("servers", tools=tools)}


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


def _tool(
    servers: Servers, permission: Permission, request: TurnRequest, offer: ToolOffer
) -> SdkMcpTool[Any]:
    async def use(arguments: dict[str, Any]) -> dict[str, Any]:
        ok, text = await _use(servers, permission, request, offer.name, arguments)
        return {"content": [{"type": "text", "text": text}], "is_error": not ok}

    # Without `properties` the SDK would take a schema for a list of arguments.
    schema = {"type": "object", "properties": {}, **offer.arguments}
    return SdkMcpTool(name=offer.name, description=offer.description, input_schema=schema, handler=use)
