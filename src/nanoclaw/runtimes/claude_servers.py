"""Lends the tools of MCP servers to Claude Code: it calls the host, and the host calls the server."""

import uuid
from typing import Any

from claude_agent_sdk import SdkMcpTool, create_sdk_mcp_server

from nanoclaw.domain.ports import Permission, Servers
from nanoclaw.domain.steps import ToolOffer
from nanoclaw.domain.turns import TurnRequest


async def lend(servers: Servers, permission: Permission, request: TurnRequest) -> dict[str, Any]:
    """As one in-process server of the SDK; none when there is nothing to lend."""
    offers = await servers.offered(request.grants.mcp)
    if not offers:
        return {}
    tools = [_tool(servers, permission, request, offer) for offer in offers]
    return {"servers": create_sdk_mcp_server("servers", tools=tools)}


def _tool(
    servers: Servers, permission: Permission, request: TurnRequest, offer: ToolOffer
) -> SdkMcpTool[Any]:
    async def use(arguments: dict[str, Any]) -> dict[str, Any]:
        # Here and not only before the call: something else in the box could speak in Claude Code's place.
        why_not = await permission.ask(request, offer.name, arguments, f"{request.turn_id} {uuid.uuid4()}")
        ok, text = (False, why_not) if why_not else await servers.use(offer.name, arguments)
        return {"content": [{"type": "text", "text": text}], "is_error": not ok}

    # Without `properties` the SDK would take a schema for a list of arguments.
    schema = {"type": "object", "properties": {}, **offer.arguments}
    return SdkMcpTool(name=offer.name, description=offer.description, input_schema=schema, handler=use)
