"""What went wrong on the way of a package, stored as the key and values of an error, and read again."""

from collections.abc import Mapping
from typing import Any

from nanoclaw.domain.errors import NanoClawError
from nanoclaw.texts import tell


def written_down(error: NanoClawError) -> dict[str, Any]:
    return {"key": error.key, "values": {name: str(value) for name, value in error.values.items()}}


def reason_of(trouble: Mapping[str, Any], language: str) -> str:
    """As a sentence."""
    return tell(language, NanoClawError(trouble["key"], **trouble["values"]))
