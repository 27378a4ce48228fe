"""The complete parts of an answer that the budget cut short, in Anthropic's format. A tool call that was cut
never runs.

A client in a box decides for itself what to do with half a tool call, so it does not get one: a call is
passed on when the answer continues after it, or ends normally.
"""

from typing import Any

from pydantic_core import from_json, to_json

CUT = "max_tokens"
_NOTHING_WHOLE = "…"  # a client expects some answer


class WholeParts:
    """Reads one answer event by event, and returns what may be passed on."""

    def __init__(self) -> None:
        self.is_cut = False
        self._rest = b""
        self._held: list[bytes] = []  # the events of a tool call that may still be cut
        self._is_held = False
        self._says_something = False
        self._calls = 0
        self._next = 0  # the number of the next block

    def feed(self, data: bytes) -> bytes:
        *events, self._rest = (self._rest + data).split(b"\n\n")
        return b"".join(self._take(event + b"\n\n") for event in events)

    def end(self) -> bytes:
        """The vendor ends without another word: what is held back was not finished."""
        rest, self._rest = self._rest, b""
        return rest

    def _take(self, event: bytes) -> bytes:
        match told := _parsed(event):
            case {"type": "content_block_start", "index": int(number), "content_block": dict(block)}:
                passed = self._release()
                self._next = number + 1
                if block.get("type") == "tool_use":
                    self._is_held, self._held = True, [event]
                    return passed
                self._says_something = self._says_something or block.get("type") == "text"
                return passed + event
            case {"type": "message_delta", "delta": {"stop_reason": "max_tokens"}}:
                return self._cut(told)
            case {"type": "message_delta"}:
                return self._release() + event
        if self._is_held and told.get("type", "").startswith("content_block"):
            self._held.append(event)
            return b""
        return event

    def _release(self) -> bytes:
        if self._is_held:
            self._calls += 1
        held, self._held, self._is_held = b"".join(self._held), [], False
        return held

    def _cut(self, told: dict[str, Any]) -> bytes:
        self.is_cut = True
        if self._is_held:
            self._next -= 1
        self._held, self._is_held = [], False
        told["delta"]["stop_reason"] = "tool_use" if self._calls else "end_turn"
        spoken = b"" if self._calls or self._says_something else _said(self._next)
        return spoken + _event("message_delta", told)


def kept_of(body: bytes) -> bytes | None:
    """The complete part of an answer that was not streamed; None if it was not cut."""
    try:
        answer = from_json(body)
    except ValueError:
        return None
    match answer:
        case {"stop_reason": "max_tokens", "content": list(content)}:
            pass
        case _:
            return None
    if content and content[-1].get("type") == "tool_use":
        content.pop()
    calls = any(block.get("type") == "tool_use" for block in content)
    if not calls and not any(block.get("type") == "text" for block in content):
        content.append({"type": "text", "text": _NOTHING_WHOLE})
    answer["stop_reason"] = "tool_use" if calls else "end_turn"
    return to_json(answer)


def _said(number: int) -> bytes:
    block: dict[str, Any] = {"type": "text", "text": ""}
    delta = {"type": "text_delta", "text": _NOTHING_WHOLE}
    return (
        _event("content_block_start", {"index": number, "content_block": block})
        + _event("content_block_delta", {"index": number, "delta": delta})
        + _event("content_block_stop", {"index": number})
    )


def _event(kind: str, told: dict[str, Any]) -> bytes:
    return b"event: " + kind.encode() + b"\ndata: " + to_json({"type": kind} | told) + b"\n\n"


def _parsed(event: bytes) -> dict[str, Any]:
    for line in event.split(b"\n"):
        if line.startswith(b"data:"):
            try:
                found = from_json(line[5:])
            except ValueError:
                return {}
            return found if isinstance(found, dict) else {}
    return {}
