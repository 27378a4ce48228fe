"""The tools of MCP servers, lent to Claude Code: it calls the host, and the host calls the server."""

from collections.abc import Sequence
from typing import Any

from claude_agent_sdk import SdkMcpTool, create_sdk_mcp_server

from nanoclaw.domain.ports import Servers
from nanoclaw.domain.steps import ToolOffer


async def lend(servers: Servers, names: Sequence[str]) -> dict[str, Any]:
    """As one server of the SDK's own kind, which runs in the host; none when there is nothing to lend."""
    offers = await servers.offered(names)
    if not offers:
        return {}
    return {"servers": create_sdk_mcp_server("servers", tools=[_tool(servers, offer) for offer in offers])}


def _tool(servers: Servers, offer: ToolOffer) -> SdkMcpTool[Any]:
    async def use(arguments: dict[str, Any]) -> dict[str, Any]:
        ok, text = await servers.use(offer.name, arguments)
        return {"content": [{"type": "text", "text": text}], "is_error": not ok}

    # Without its properties the SDK would take a schema for a list of arguments.
    schema = {"type": "object", "properties": {}, **offer.arguments}
    return SdkMcpTool(name=offer.name, description=offer.description, input_schema=schema, handler=use)
