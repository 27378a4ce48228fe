"""Reads the usage from an answer in passing."""

from typing import Any

from nanoclaw.domain.money import Usage, counted

_CHARACTERS_PER_TOKEN = 4
_COUNTS = {
    "input_tokens": "input",
    "output_tokens": "output",
    "cache_read_input_tokens": "cache_read",
    "cache_creation_input_tokens": "cache_write",
}
_WRITTEN = ("text", "thinking", "partial_json")


class Meter:
    """The usage of one answer in Anthropic's format. `input_tokens` is a guess until the vendor reports it."""

    def __init__(self, input_tokens: int) -> None:
        self._counts: dict[str, int] = {"input": input_tokens}
        self._characters = 0
        self.complete = False  # the vendor has reported the final numbers

    @property
    def usage(self) -> Usage:
        """The usage as the vendor reported it; for an answer that was cut off, at least what was seen of it."""
        counts = dict(self._counts)
        if not self.complete:
            seen = -(-self._characters // _CHARACTERS_PER_TOKEN)
            counts["output"] = max(counts.get("output", 0), seen)
        return Usage(**counts)

    def read_whole(self, answer: dict[str, Any], length: int) -> None:
        """An answer that is not streamed, of so many bytes."""
        self._characters += length
        if isinstance(answer.get("usage"), dict):
            self.complete = self._count(answer["usage"])

    def take(self, event: dict[str, Any]) -> None:
        """One event of a stream."""
        kind = event.get("type")
        if kind == "content_block_delta" and isinstance(delta := event.get("delta"), dict):
            for name in _WRITTEN:
                if (written := delta.get(name)) is not None:
                    self._characters += len(str(written))
        elif kind == "message_start" and isinstance(message := event.get("message"), dict):
            self._count(message.get("usage"))
        elif kind == "message_delta":
            # Cumulative: the last number wins.
            self.complete = self._count(event.get("usage")) or self.complete

    def _count(self, told: object) -> bool:
        """Whether it says how long the answer is; negative numbers are ignored."""
        if not isinstance(told, dict):
            return False
        said = {theirs: number for theirs in _COUNTS if _is_count(number := told.get(theirs))}
        for theirs, number in said.items():
            self._counts[_COUNTS[theirs]] = counted(number)
        details = told.get("output_tokens_details")
        if isinstance(details, dict) and isinstance(number := details.get("thinking_tokens"), int):
            self._counts["thinking"] = counted(number)
        used = told.get("server_tool_use")
        if isinstance(used, dict) and isinstance(number := used.get("web_search_requests"), int):
            self._counts["searches"] = counted(number)
        return "output_tokens" in said


def _is_count(number: object) -> bool:
    return isinstance(number, int) and not isinstance(number, bool) and number >= 0
