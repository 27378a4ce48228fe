"""How Anthropic's models are told to think.

Newer ones decide themselves and are given an effort; older ones are given tokens, which are part of the
answer's length. What a model does not support is left out.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from nanoclaw.domain.model_choice import Thinking

_THOUGHTS = ("thinking", "redacted_thinking")
_BY = "by_model"  # our own mark in kept thoughts; the vendor never sees it
_MODEL = re.compile(r"claude-(?P<kind>[a-z]+)-(?P<major>\d{1,2})(?:-(?P<minor>\d{1,2}))?(?!\d)")
_ADAPTIVE_FROM = {"opus": (4, 6), "sonnet": (4, 6), "haiku": (5, 5), "fable": (5, 0), "mythos": (5, 0)}
_BUDGETED_FROM = (4, 0)
_TOKENS = {Thinking.LOW: 2048, Thinking.HIGH: 10_000}
_LEAST = 1024  # tokens; the vendor takes no less
_ROOM = 1024  # tokens left for the answer itself


def thinking_fields(model: str, thinking: Thinking | None, max_tokens: int) -> dict[str, Any]:
    """The fields of a request. Thinking is paid as output: it never makes a request longer than `max_tokens`."""
    found = _MODEL.search(model)
    if thinking is None or found is None:
        return {}
    kind, version = found["kind"], (int(found["major"]), int(found["minor"] or 0))
    if version >= _ADAPTIVE_FROM.get(kind, (99, 0)):
        return _adaptive(kind, version, thinking)
    if thinking is Thinking.OFF or version < _BUDGETED_FROM:
        return {}
    tokens = min(_TOKENS[thinking], max_tokens - _ROOM)
    return {"thinking": {"type": "enabled", "budget_tokens": tokens}} if tokens >= _LEAST else {}


def _adaptive(kind: str, version: tuple[int, int], thinking: Thinking) -> dict[str, Any]:
    if thinking is not Thinking.OFF:
        return {"thinking": {"type": "adaptive"}, "output_config": {"effort": thinking.value}}
    if kind in ("fable", "mythos") or (kind == "opus" and version >= (5, 5)):
        return {"output_config": {"effort": "low"}}  # these cannot be told not to think
    if kind == "sonnet" and version >= (5, 5):
        return {"thinking": {"type": "between_tools"}}
    return {"thinking": {"type": "disabled"}}


def marked(content: Sequence[dict[str, Any]], model: str) -> list[dict[str, Any]]:
    """An answer to be kept: its thoughts name the model that had them. Thoughts that were cut off have no
    signature, and cannot be shown again.
    """
    return [
        block | {_BY: model} if block.get("type") in _THOUGHTS else block
        for block in content
        if block.get("type") != "thinking" or block.get("signature")
    ]


def with_thinking(body: Mapping[str, Any], thinking: Thinking | None) -> dict[str, Any]:
    """The request with how much to think, and with those kept thoughts that its own model had: signatures of
    other models are rejected. Between tool calls, a model that is given tokens must see the thoughts
    before them, or not think.
    """
    model, max_tokens = str(body["model"]), int(body["max_tokens"])
    fields = thinking_fields(model, thinking, max_tokens)
    is_off = fields.get("thinking", {}).get("type") == "disabled"
    messages = [_own(message, "" if is_off else model) for message in body["messages"]]
    if fields.get("thinking", {}).get("type") == "enabled" and not _may_think(messages):
        fields = {}
    return {**body, **fields, "messages": messages}


def _own(message: Mapping[str, Any], model: str) -> Mapping[str, Any]:
    """The same object if it has no thoughts: what was not changed need not be serialized again."""
    content = message["content"]
    if not isinstance(content, list) or not any(_BY in block for block in content):
        return message
    kept = [
        {name: value for name, value in block.items() if name != _BY}
        for block in content
        if block.get(_BY, model) == model
    ]
    return {**message, "content": kept or [{"type": "text", "text": "..."}]}


def _may_think(messages: Sequence[Mapping[str, Any]]) -> bool:
    said = next((each["content"] for each in reversed(messages) if each["role"] == "assistant"), None)
    if not isinstance(said, list) or not any(block.get("type") == "tool_use" for block in said):
        return True
    return bool(said[0].get("type") in _THOUGHTS)
