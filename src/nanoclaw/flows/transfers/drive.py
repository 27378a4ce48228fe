"""Flow B. A package goes to a drive too, through an MCP server that the owner has set up."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from nanoclaw.domain.transfers import Transfer
from nanoclaw.gateway.servers import McpServers


@dataclass(frozen=True, kw_only=True, slots=True)
class Drive:
    """`tool` is guessed by what the server offers when it is empty."""

    servers: McpServers
    server: str
    tool: str = ""

    async def put(self, transfer: Transfer, files: Mapping[str, Path]) -> dict[str, Any] | None:
        """`{"drive": {"server": ..., "files": [...]}}`; `trouble` in it says what went wrong, as the key of an error
        and its values. None where no drive is set up. Never raises for what the server does."""
        raise NotImplementedError
