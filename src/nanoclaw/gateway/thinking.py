"""How Anthropic's models are told to think. Newer ones decide themselves and are given an effort; older ones are given
tokens, which are part of the answer's length. What a model cannot be told is left out."""

import re
from typing import Any

from nanoclaw.domain.model_choice import Thinking

_MODEL = re.compile(r"claude-(?P<kind>[a-z]+)-(?P<major>\d{1,2})(?:-(?P<minor>\d{1,2}))?(?!\d)")
_ADAPTIVE_FROM = {"opus": (4, 6), "sonnet": (4, 6), "haiku": (5, 5), "fable": (5, 0), "mythos": (5, 0)}
_BUDGETED_FROM = (4, 0)
_TOKENS = {Thinking.LOW: 2048, Thinking.HIGH: 10_000}
_LEAST = 1024  # tokens; the vendor takes no less
_ROOM = 1024  # tokens that are left for the answer itself


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
