"""Translates what MCP servers say: their tools to offers with safe names, and the result of a call to text."""

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import mcp_types as types
from jsonschema import Draft202012Validator, SchemaError
from pydantic_core import to_json

from nanoclaw.domain.steps import ToolOffer
from nanoclaw.domain.text import storable
from nanoclaw.domain.tools import TOOLS

# Vendors accept 64 characters, and Claude Code puts `mcp__servers__` before the name.
_LONGEST_NAME = 50
_LONGEST_DESCRIPTION = 2_000
_LONGEST_SCHEMA = 30_000  # characters, of one tool
_MOST_OF_SERVER = 200_000  # characters of descriptions and schemas: some 50,000 tokens in every model call
_ALTERNATIVES = ("anyOf", "oneOf", "allOf")
_PROPERTY = re.compile(r"[A-Za-z0-9_.-]{1,64}")
_LONGEST_RESULT = 100_000
_HASH = 6
_UNFIT = re.compile(r"[^A-Za-z0-9_-]")


@dataclass(frozen=True, kw_only=True, slots=True)
class ToolList:
    """The tools of a server under the names by which agents call them, and how many are not lent."""

    tools: Mapping[str, types.Tool]
    offers: list[ToolOffer]
    left_out: int


def listed(server: str, tools: Sequence[types.Tool], left_out: int) -> ToolList:
    """As many as every model call can carry, in the server's order. `left_out` are those that were not kept before."""
    named = _named(server, tools)
    offers, room = list[ToolOffer](), _MOST_OF_SERVER
    for name, tool in named.items():
        made = _offer(name, tool)
        room -= len(made.description) + len(to_json(dict(made.arguments)))
        if room < 0:
            break
        offers.append(made)
    lent = {offer.name: named[offer.name] for offer in offers}
    return ToolList(tools=lent, offers=offers, left_out=left_out + len(named) - len(offers))


def fits(tool: types.Tool) -> bool:
    """Whether what it says of its arguments is short enough to be part of every model call."""
    return len(to_json(tool.input_schema)) <= _LONGEST_SCHEMA


def _named(server: str, tools: Sequence[types.Tool]) -> dict[str, types.Tool]:
    """The first of two with one name keeps it, and the host's own tools keep theirs."""
    found: dict[str, types.Tool] = {}
    for tool in tools:
        name = _UNFIT.sub("_", f"{server}_{tool.name}")
        if len(name) > _LONGEST_NAME or name in found or name.lower() in TOOLS:
            mark = hashlib.sha256(tool.name.encode(errors="replace")).hexdigest()[:_HASH]
            name = f"{name[: _LONGEST_NAME - _HASH - 1]}_{mark}"
        found.setdefault(name, tool)
    return found


def _offer(name: str, tool: types.Tool) -> ToolOffer:
    """One schema that a vendor refuses would end every turn, so it is told in words instead."""
    description = storable(tool.description or tool.title or tool.name)
    is_fit = _is_fit(tool.input_schema)
    if not is_fit:
        written = to_json(tool.input_schema).decode(errors="replace")
        description = (
            f"{description[: _LONGEST_DESCRIPTION // 2]}\nArguments, as JSON Schema: {storable(written)}"
        )
    return ToolOffer(
        name=name,
        description=description[:_LONGEST_DESCRIPTION],
        arguments=tool.input_schema if is_fit else {"type": "object", "properties": {}},
    )


def _is_fit(schema: dict[str, Any]) -> bool:
    """Whether vendors take it: an object without alternatives, with plain names, and valid."""
    properties = schema.get("properties", {})
    if schema.get("type") != "object" or not schema.keys().isdisjoint(_ALTERNATIVES):
        return False
    if not isinstance(properties, dict) or not all(map(_PROPERTY.fullmatch, properties)):
        return False
    try:
        Draft202012Validator.check_schema(schema)
    except (SchemaError, RecursionError):
        return False
    return True


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
