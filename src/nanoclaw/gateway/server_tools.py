"""Translates what MCP servers say: their tools to offers with safe names, and the result of a call to text."""

import hashlib
import json
import re
from collections.abc import Iterable

import mcp_types as types

from nanoclaw.domain.steps import ToolOffer
from nanoclaw.domain.text import storable

# Vendors accept 64 characters, and Claude Code puts `mcp__servers__` before the name.
_LONGEST_NAME = 50
_LONGEST_DESCRIPTION = 2_000
_LONGEST_RESULT = 100_000
_HASH = 6
_UNFIT = re.compile(r"[^A-Za-z0-9_-]")


def named(server: str, tools: Iterable[types.Tool]) -> dict[str, types.Tool]:
    """Each tool under the name by which agents call it. The first of two with one name keeps it."""
    found: dict[str, types.Tool] = {}
    for tool in tools:
        name = _UNFIT.sub("_", f"{server}_{tool.name}")
        if len(name) > _LONGEST_NAME or name in found:
            mark = hashlib.sha256(tool.name.encode(errors="replace")).hexdigest()[:_HASH]
            name = f"{name[: _LONGEST_NAME - _HASH - 1]}_{mark}"
        found.setdefault(name, tool)
    return found


def offer(name: str, tool: types.Tool) -> ToolOffer:
    schema = tool.input_schema
    return ToolOffer(
        name=name,
        description=storable(tool.description or tool.title or tool.name)[:_LONGEST_DESCRIPTION],
        arguments=schema if schema.get("type") == "object" else {"type": "object", "properties": {}},
    )


def repeatable(tool: types.Tool) -> bool:
    """Whether calling it twice does no more than calling it once, as the server declares."""
    hints = tool.annotations
    return hints is not None and bool(hints.read_only_hint or hints.idempotent_hint)


def text_of(result: types.CallToolResult) -> str:
    parts = [_part(part) for part in result.content]
    if not parts and result.structured_content is not None:
        parts = [json.dumps(result.structured_content, ensure_ascii=False)]
    return "\n".join(parts)


def cut(text: str) -> str:
    """Short enough for a model to read, and marked as cut."""
    text = storable(text)
    if len(text) <= _LONGEST_RESULT:
        return text
    return f"{text[:_LONGEST_RESULT]}\n[The result has {len(text)} characters; the rest was left out.]"


def _part(part: types.ContentBlock) -> str:
    match part:
        case types.TextContent():
            return part.text
        case types.ImageContent() | types.AudioContent():
            return f"[{part.type}: {part.mime_type}, {len(part.data) * 3 // 4} bytes, not shown]"
        case types.ResourceLink():
            return f"[link: {part.name}, {part.uri}]"
        case types.EmbeddedResource(resource=types.TextResourceContents() as resource):
            return resource.text
        case types.EmbeddedResource(resource=resource):
            return f"[file: {resource.uri}, {resource.mime_type or '?'}, not shown]"
