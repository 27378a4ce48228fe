"""The arguments of a tool call as a model wrote them. They need not be JSON; then the tool says what is missing."""

import math
from typing import Any

from pydantic_core import from_json


def arguments_in(written: str) -> dict[str, Any]:
    try:
        found = from_json(written or "{}", allow_inf_nan=False)
    except ValueError:
        return {}
    return found if isinstance(found, dict) and _is_finite(found) else {}


def _is_finite(value: object) -> bool:
    """Infinite numbers are not JSON: neither vendors nor all databases accept them."""
    match value:
        case float():
            return math.isfinite(value)
        case dict():
            return all(map(_is_finite, value.values()))
        case list():
            return all(map(_is_finite, value))
        case _:
            return True
