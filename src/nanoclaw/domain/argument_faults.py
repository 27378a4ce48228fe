"""What is wrong with a tool's arguments, in sentences that tell a model what to change."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from pydantic_core import ErrorDetails

from nanoclaw.domain.tool_schemas import NOT_BLANK, Schema

_MOST_NAMES = 5
_TYPES: Mapping[str, str] = {
    "string": "a string",
    "integer": "a whole number",
    "number": "a number",
    "boolean": "true or false",
    "array": "a list",
    "object": "an object",
}


def faults(errors: Sequence[ErrorDetails], schema: Schema) -> list[str]:
    """One sentence per place; `schema` is that of the tool whose model found the errors."""
    found: dict[str, str] = {}
    extra: dict[str, set[str]] = defaultdict(set)
    for error in errors:
        where, node = _place(error["loc"], schema)
        if error["type"] == "extra_forbidden":
            extra[where].add(str(error["loc"][-1]))
            found[where] = (
                f"`{where}` has no {quoted(extra[where])}; it may have {', '.join(node['properties'])}."
            )
        else:  # for a value of either of two types, report only the one it has
            found[where] = (
                _said(where, node, error) or found.get(where) or f"`{where}` must be {_type_of(node)}."
            )
    return list(found.values())


def quoted(names: set[str]) -> str:
    return ", ".join(f"`{name[:40]}`" for name in sorted(names)[:_MOST_NAMES])


def _place(loc: Sequence[int | str], schema: Schema) -> tuple[str, Schema]:
    """The place as far as the schema knows the path: what follows names a variant of a value, or a missing field."""
    where, node = "arguments", schema
    for part in loc:
        if isinstance(part, int) and "items" in node:
            where, node = f"{where}[{part}]", node["items"]
        elif part in node.get("properties", ()):
            where, node = f"{where}.{part}", node["properties"][part]
        else:
            break
    return where, node


def _said(where: str, node: Schema, error: ErrorDetails) -> str | None:
    """None if the value is of the wrong type."""
    value: Any = error["input"]
    match error["type"]:
        case "missing":
            return f"`{where}` is missing."
        case "string_too_long":
            return f"`{where}` has {len(value)} characters; at most {node['maxLength']} are allowed."
        case "too_long" | "too_short":
            least, most = node.get("minItems", 0), node["maxItems"]
            return f"`{where}` has {len(value)} entries; {f'{least} to' if least else 'at most'} {most} are allowed."
        case "greater_than_equal" | "less_than_equal":
            return f"`{where}` is {value}; it must be from {node['minimum']} to {node['maximum']}."
        case "literal_error" | "enum":
            return f"`{where}` must be one of {', '.join(node['enum'])}."
        case "string_pattern_mismatch":
            shape = f"must be like this: {node.get('description')}"
            return f"`{where}` {'is empty.' if error['ctx']['pattern'] == NOT_BLANK else shape}"
        case "value_error":
            return str(error["ctx"]["error"])
        case _:
            return None


def _type_of(node: Schema) -> str:
    types = node["type"] if isinstance(node["type"], list) else [node["type"]]
    return " or ".join(_TYPES[name] for name in types)
