"""An answer of Anthropic's API as it grows, event by event. What the vendor sends is checked and bounded here."""

from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Any

from pydantic_core import from_json

from nanoclaw.domain.errors import ModelFailed
from nanoclaw.domain.steps import new_call_id
from nanoclaw.gateway.cut_answers import CUT
from nanoclaw.gateway.outage import Trouble
from nanoclaw.gateway.written_arguments import arguments_in

_REFUSAL = "refusal"
_TOOLS = "tool_use"  # a block with a call, and the stop reason of an answer with one
_LONGEST_LINE = 1 << 20  # bytes
_MOST_BYTES = 8 << 20  # of one answer: many times the longest one, thoughts and searches included
_GARBLED = "the answer was garbled"
# The fields of blocks that grow; the vendor may begin them empty.
_GROWING = {"text": ("text",), "thinking": ("thinking", "signature")}


class Broken(Exception):
    """The vendor could not answer, or not completely."""

    def __init__(self, trouble: Trouble) -> None:
        super().__init__(trouble.said)
        self.trouble = trouble


@dataclass
class AnthropicAnswer:
    """The blocks of an answer as they grow; they go back to the vendor unchanged."""

    blocks: dict[int, dict[str, Any]] = field(default_factory=dict)
    written: dict[int, list[str]] = field(default_factory=dict)  # pieces of a tool's arguments
    stop: str = ""
    whole: bool = False

    def take(self, event: dict[str, Any]) -> str:
        """The text that an event adds to the answer. Raises Broken if the vendor gives up midway, and
        ModelFailed if the event is unusable.
        """
        match event:
            case {"type": "content_block_start", "index": int(place), "content_block": dict(block)}:
                self.blocks[place] = made = checked(block)
                return str(made["text"]) if made["type"] == "text" else ""
            case {"type": "content_block_delta", "index": int(place), "delta": dict(delta)}:
                return self._grow(place, delta)
            case {"type": "message_delta", "delta": {"stop_reason": str(reason)}}:
                self.stop = reason
            case {"type": "message_stop"}:
                self.whole = True
            case {"type": "error"}:
                raise Broken(Trouble(said=error_in(event)[:300] or "the vendor reported an error"))
            case _:
                pass
        return ""

    def _grow(self, place: int, delta: dict[str, Any]) -> str:
        block = self.blocks.setdefault(place, {"type": "text", "text": ""})
        match delta:
            case {"type": "text_delta", "text": str(text)}:
                block["text"] = block.get("text", "") + text
                return text
            case {"type": "input_json_delta", "partial_json": str(piece)}:
                self.written.setdefault(place, []).append(piece)
            case {"type": "thinking_delta", "thinking": str(text)}:
                block["thinking"] = block.get("thinking", "") + text
            case {"type": "signature_delta", "signature": str(piece)}:
                block["signature"] = block.get("signature", "") + piece
            case {"type": "citations_delta", "citation": citation}:
                block["citations"] = [*(block.get("citations") or ()), citation]
            case _:
                pass
        return ""

    def check(self) -> None:
        """Raises ModelFailed for an unusable answer."""
        if self.stop == _REFUSAL:
            raise ModelFailed("model-declined")
        if self.stop == _TOOLS and all(block.get("type") != _TOOLS for block in self.blocks.values()):
            raise ModelFailed("model-garbled", said="no tool call where there should be one")

    def cut_call(self) -> str | None:
        """The id of the tool call that was cut off at the end of the answer."""
        last = self.content[-1] if self.stop == CUT and self.content else {}
        return str(last["id"]) if last.get("type") == _TOOLS else None

    @property
    def content(self) -> list[dict[str, Any]]:
        for place, pieces in self.written.items():
            self.blocks[place]["input"] = arguments_in("".join(pieces))
        filled = (self.blocks[place] for place in sorted(self.blocks))
        return [block for block in filled if block.get("type") != "text" or block.get("text")]

    def leave_out(self, call_id: str) -> None:
        self.blocks = {place: block for place, block in self.blocks.items() if block.get("id") != call_id}
        self.written = {place: pieces for place, pieces in self.written.items() if place in self.blocks}

    def name_calls(self, taken: Collection[str]) -> set[str]:
        """Give calls their own ids if the vendor repeats itself. Returns all ids taken now."""
        known = set(taken)
        for place in sorted(self.blocks):
            block = self.blocks[place]
            if block.get("type") == _TOOLS:
                block["id"] = new_call_id(block["id"], known)
                known.add(block["id"])
        return known


class Lines:
    """The events of a stream, as they are completed by what arrives."""

    def __init__(self) -> None:
        self._rest = b""
        self._size = 0

    def add(self, piece: bytes) -> list[bytes]:
        """Add bytes; returns the events they complete. Handling them together costs as much as handling one."""
        self._size += len(piece)
        if self._size > _MOST_BYTES:
            raise ModelFailed("model-endless")
        *lines, self._rest = (self._rest + piece).split(b"\n")
        if len(self._rest) > _LONGEST_LINE:
            raise Broken(Trouble(said=_GARBLED))
        return [line[5:] for line in lines if line.startswith(b"data:")]

    def last(self) -> list[bytes]:
        """The last event, whose line need not end."""
        return [self._rest[5:]] if self._rest.startswith(b"data:") else []


def parsed(data: bytes) -> dict[str, Any]:
    try:
        found = from_json(data)
    except ValueError as error:
        raise Broken(Trouble(said=_GARBLED)) from error
    return found if isinstance(found, dict) else {}


def error_in(body: object) -> str:
    """The vendor's words about what went wrong; empty if there are none."""
    match body:
        case {"error": {"message": str(said)}} | {"error": str(said)} | {"message": str(said)}:
            return said
        case _:
            return ""


def checked(block: dict[str, Any]) -> dict[str, Any]:
    """A block as it begins, with what it lacks. Raises ModelFailed for one that nobody could use."""
    made = dict(block)
    for name in _GROWING.get(str(block.get("type")), ()):
        made[name] = made.get(name) or ""
        if not isinstance(made[name], str):
            raise ModelFailed("model-garbled", said=f"{name} that is no text")
    if made.get("type") == _TOOLS:  # some servers leave out what comes later, or what nobody needs
        made["id"], made["input"] = made.get("id") or "", made.get("input") or {}
    match made:
        case {"type": "tool_use", "id": str(), "name": str(name), "input": dict()} if name:
            pass
        case {"type": "tool_use"}:
            raise ModelFailed("model-garbled", said="a tool call without a name, or with odd arguments")
        case {"type": str()}:
            pass
        case _:
            raise ModelFailed("model-garbled", said="a block without a type")
    return made
