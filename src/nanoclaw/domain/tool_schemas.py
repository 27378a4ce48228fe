"""The JSON Schema of a model, as short as possible: every model call carries those of all tools."""

from collections.abc import Collection, Mapping
from typing import Any

from pydantic import BaseModel

Schema = Mapping[str, Any]

NOT_BLANK = r"\S"
"""The pattern of a text that must not be blank: nearly none may, so no schema repeats it."""


def schema_of(model: type[BaseModel]) -> dict[str, Any]:
    """The schema without titles, docstrings, defaults, references and `null`; a model's own fields before
    inherited ones.
    """
    whole = model.model_json_schema()
    defs = {name: {**each, "description": None} for name, each in whole.pop("$defs", {}).items()}
    made = _short({**whole, "description": None}, defs)
    own = [name for name in model.model_fields if name in model.__annotations__]
    known = made.setdefault("properties", {})
    made["properties"] = {name: known[name] for name in dict.fromkeys((*own, *known))}
    return made


# The host reports a broken limit; a model that keeps them anyway need not read them.
_LIMITS = frozenset(
    (
        "additionalProperties",
        "maxItems",
        "maxLength",
        "maximum",
        "minItems",
        "minLength",
        "minimum",
        "pattern",
    )
)


def for_model(schema: Schema, unlisted: Collection[str] = ()) -> dict[str, Any]:
    """What a model needs to call it: no limits, and none of the fields that the description covers as a whole."""
    made = {key: of for key, of in schema.items() if key not in _LIMITS}
    if "properties" in made:
        listed = {name: of for name, of in made["properties"].items() if name not in unlisted}
        made["properties"] = {name: for_model(of) for name, of in listed.items()}
    if "items" in made:
        made["items"] = for_model(made["items"])
    return made


def _short(schema: Schema, defs: Schema) -> dict[str, Any]:
    if reference := schema.get("$ref"):
        return {**_short(defs[reference.rpartition("/")[2]], defs), **_described(schema)}
    if "anyOf" in schema:
        return {**_either([_short(each, defs) for each in schema["anyOf"]]), **_described(schema)}
    made = {key: of for key, of in schema.items() if key not in ("title", "default") and of is not None}
    if "properties" in made:
        made["properties"] = {name: _short(of, defs) for name, of in made["properties"].items()}
    if "items" in made:
        made["items"] = _short(made["items"], defs)
    if made.get("additionalProperties") is True:
        del made["additionalProperties"]
    if made.get("pattern") == NOT_BLANK:
        del made["pattern"]
    return made


def _either(forms: list[dict[str, Any]]) -> dict[str, Any]:
    left = [form for form in forms if form != {"type": "null"}]
    merged = {key: value for form in left for key, value in form.items()}
    return {**merged, "type": [form["type"] for form in left]} if len(left) > 1 else merged


def _described(schema: Schema) -> dict[str, Any]:
    return {"description": schema["description"]} if "description" in schema else {}
