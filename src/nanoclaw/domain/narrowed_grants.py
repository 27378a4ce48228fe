"""Grants for an agent that works for another agent, kept as JSON: never more than that agent has."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from nanoclaw.domain.boxes import Mount
from nanoclaw.domain.tool_rules import ToolRule
from nanoclaw.domain.tools import TOOLS
from nanoclaw.domain.turns import TurnGrants

NOTHING: Mapping[str, Any] = {"tools": [], "network": [], "mcp": [], "mounts": [], "approvals": []}


def as_json(grants: TurnGrants) -> dict[str, Any]:
    return {
        "tools": [tool.name for tool in grants.host_tools()],
        "network": list(grants.network),
        "web_search": grants.web_search,
        "mcp": list(grants.mcp),
        "mounts": [[str(each.source), each.target, each.writable] for each in grants.mounts],
        "main": grants.main,
        "approvals": [rule.model_dump() for rule in grants.approvals],
    }


def narrowed(own: TurnGrants, parent: Mapping[str, Any]) -> TurnGrants:
    """What both have; the permission rules of both apply."""
    mounts = {(source, target): writable for source, target, writable in parent["mounts"]}
    rules = tuple(ToolRule.model_validate(each) for each in parent["approvals"])
    return replace(
        own,
        without_tools=(*own.without_tools, *(name for name in TOOLS if name not in parent["tools"])),
        network=tuple(each for each in own.network if each in parent["network"]),
        web_search=own.web_search and bool(parent.get("web_search")),
        mcp=tuple(each for each in own.mcp if each in parent["mcp"]),
        mounts=tuple(
            replace(each, writable=each.writable and mounts[_key(each)])
            for each in own.mounts
            if _key(each) in mounts
        ),
        main=own.main and bool(parent.get("main")),
        approvals=tuple(dict.fromkeys((*own.approvals, *rules))),
    )


def _key(mount: Mount) -> tuple[str, str]:
    return str(mount.source), mount.target
