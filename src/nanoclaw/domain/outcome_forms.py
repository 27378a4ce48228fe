"""The form in which a person concludes an interactive session, made from its wanted outcome."""

from collections.abc import Mapping
from typing import Any

from nanoclaw.domain.outcomes import APPROVED, REJECTED, OutcomeType, WantedOutcome

_PLAIN = ("string", "integer", "number", "boolean")
_SAID = (
    *("title", "description", "default", "format", "pattern"),
    *("minimum", "maximum", "minLength", "maxLength", "minItems", "maxItems"),
)
_MOST_FIELDS = 40


def form_of(outcome: WantedOutcome) -> dict[str, Any]:
    """`type`, and `options`, or the `fields` of an object; `raw` if only JSON can express what the schema wants."""
    kind = outcome.type or OutcomeType.FREEFORM
    made: dict[str, Any] = {"type": kind.value, "options": list(outcome.options), "fields": [], "raw": False}
    if kind is OutcomeType.APPROVAL:
        return made | {"options": [APPROVED, REJECTED]}
    if kind is not OutcomeType.STRUCTURED:
        return made
    schema = outcome.json_schema or {}
    fields = _fields(schema)
    return made | {"fields": fields or [], "raw": fields is None, "schema": dict(schema)}


def _fields(schema: Mapping[str, Any]) -> list[dict[str, Any]] | None:
    """None if the schema is too rich for fields: then it is written as JSON."""
    whole = _followed(schema, schema)
    properties, required = whole.get("properties"), whole.get("required") or ()
    rich = any(word in whole for word in ("anyOf", "oneOf", "allOf", "not", "if", "patternProperties"))
    if whole.get("type") != "object" or not isinstance(properties, Mapping) or not properties or rich:
        return None
    if len(properties) > _MOST_FIELDS or not set(required) <= set(properties):
        return None
    return [
        {"name": name, "required": name in required, **_field(of, schema)} for name, of in properties.items()
    ]


def _field(written: object, schema: Mapping[str, Any]) -> dict[str, Any]:
    """`type` is one of text, integer, number, boolean, choice, list (of texts), or json."""
    if not isinstance(written, Mapping):
        return {"type": "json"}
    plain = _not_null(_followed(written, schema), schema)
    said = {word: plain[word] for word in _SAID if word in plain} | {
        word: written[word] for word in _SAID if word in written
    }
    if isinstance(plain.get("enum"), list):
        return {"type": "choice", "enum": plain["enum"], **said}
    if "const" in plain:
        return {"type": "choice", "enum": [plain["const"]], **said}
    if plain.get("type") in _PLAIN:
        return {"type": "text" if plain["type"] == "string" else plain["type"], **said}
    items = plain.get("items")
    if plain.get("type") == "array" and isinstance(items, Mapping):
        each = _followed(items, schema)
        if each.get("type") == "string" and "enum" not in each:
            return {"type": "list", **said}
    return {"type": "json", **said}


def _not_null(schema: Mapping[str, Any], root: Mapping[str, Any]) -> Mapping[str, Any]:
    """`anyOf: [a, null]` is how an optional value is written."""
    either = schema.get("anyOf")
    if isinstance(either, list):
        left = [each for each in either if each != {"type": "null"}]
        if len(left) == 1 and len(left) < len(either) and isinstance(left[0], Mapping):
            return _followed(left[0], root)
    if isinstance(schema.get("type"), list):
        kinds = [each for each in schema["type"] if each != "null"]
        return {**schema, "type": kinds[0]} if len(kinds) == 1 else schema
    return schema


def _followed(schema: Mapping[str, Any], root: Mapping[str, Any]) -> Mapping[str, Any]:
    """What a local reference leads to, following a few steps."""
    for _ in range(5):
        reference = schema.get("$ref")
        if not isinstance(reference, str) or not reference.startswith("#/"):
            return schema
        found: object = root
        for part in reference[2:].split("/"):
            name = part.replace("~1", "/").replace("~0", "~")
            found = found.get(name) if isinstance(found, Mapping) else None
        if not isinstance(found, Mapping):
            return schema
        schema = {**found, **{key: of for key, of in schema.items() if key != "$ref"}}
    return schema
