"""How a tool call is shown to a person, in one line, and how long it may be silent."""

from collections.abc import Mapping
from typing import Any

_TELLING = ("command", "path", "file_path", "pattern", "query", "url", "text", "description")
_LONGEST = 200
_MARGIN = 5.0  # seconds for a tool to report that its time is over


def shown_call(arguments: Mapping[str, Any]) -> str:
    """The most telling argument, otherwise all of them."""
    for name in _TELLING:
        if isinstance(value := arguments.get(name), str) and value.strip():
            return shortened(value)
    return shortened(", ".join(f"{name}: {_in_words(value)}" for name, value in arguments.items()))


def _in_words(value: object) -> str:
    """A value for people, who do not read JSON."""
    if isinstance(value, dict):
        return ", ".join(f"{name}: {_in_words(each)}" for name, each in value.items())
    if isinstance(value, list | tuple):
        return ", ".join(map(_in_words, value))
    return str(value)


def shortened(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _LONGEST else line[: _LONGEST - 1] + "…"


def timeout_of(arguments: Mapping[str, Any], *, unit: float = 1.0) -> float | None:
    """The declared time-out in seconds; `unit` is the tool's unit of time."""
    declared = arguments.get("timeout")
    if isinstance(declared, bool) or not isinstance(declared, int | float):
        return None
    return declared * unit + _MARGIN
