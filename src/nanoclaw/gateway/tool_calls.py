"""Reads the tool calls from an answer in passing, in Anthropic's format."""

from typing import Any

from pydantic_core import from_json

from nanoclaw.domain.tool_calls import SeenCalls

_LONGEST = 4 << 20  # characters of the arguments of one call


class CallReader:
    """One answer: all at once, or event by event."""

    def __init__(self, seen: SeenCalls) -> None:
        self._seen = seen
        self._open: dict[object, tuple[str, list[str], int]] = {}  # by the index of the block

    def take(self, event: dict[str, Any]) -> None:
        match event:
            case {"type": "message", "content": list(blocks)}:
                for block in blocks:
                    match block:
                        case {"type": "tool_use", "name": str(name), "input": dict(arguments)}:
                            self._seen.saw(name, arguments)
            case {
                "type": "content_block_start",
                "index": index,
                "content_block": {"type": "tool_use", "name": str(name)},
            }:
                self._open[index] = name, [], 0
            case {
                "type": "content_block_delta",
                "index": index,
                "delta": {"type": "input_json_delta", "partial_json": str(part)},
            } if index in self._open:
                self._grow(index, part)
            case {"type": "content_block_stop", "index": index} if index in self._open:
                self._ended(*self._open.pop(index))

    def _grow(self, index: object, part: str) -> None:
        """Add to a call; one that grows too long is forgotten: an answer need not end."""
        name, parts, length = self._open[index]
        if length + len(part) > _LONGEST:
            del self._open[index]
        else:
            parts.append(part)
            self._open[index] = name, parts, length + len(part)

    def _ended(self, name: str, parts: list[str], _length: int) -> None:
        try:
            arguments = from_json("".join(parts) or "{}")
        except ValueError:  # cut off, so the box cannot use it either
            return
        if isinstance(arguments, dict):
            self._seen.saw(name, arguments)
