"""What the played vendor demands of a request that should think, and of thoughts that come back to it."""

import re
from collections.abc import Mapping
from typing import Any

SIGNATURE = "c2NyaXB0ZWQ="
_EFFORTS = ("low", "medium", "high", "xhigh", "max")
_FIELDS = {"type", "thinking", "signature", "data", "cache_control"}
_THOUGHTS = ("thinking", "redacted_thinking")
# Newer models decide themselves how much to think, and refuse a number of tokens; older ones know nothing else.
_NEWER = re.compile(r"claude-(opus-(4-[6-9]|[5-9])|sonnet-(4-[6-9]|[5-9])|haiku-5-5|fable|mythos)")
_OLDER = re.compile(r"claude-(opus|sonnet|haiku)-4(-[0-5])?(-\d{8})?$")
_REFUSES_TOKENS = re.compile(r"claude-(opus-(4-[7-9]|[5-9])|sonnet-[5-9]|haiku-5-5|fable|mythos)")


def fault_in_thinking(body: Mapping[str, Any]) -> str | None:
    model, thinking = str(body.get("model")), body.get("thinking") or {}
    effort = (body.get("output_config") or {}).get("effort")
    if effort is not None and (effort not in _EFFORTS or _OLDER.fullmatch(model)):
        return f"output_config.effort: {effort} is not supported by this model"
    return _fault_in_kind(model, thinking, body.get("max_tokens")) or _fault_in_thoughts(body, thinking)


def _fault_in_kind(model: str, thinking: Mapping[str, Any], max_tokens: object) -> str | None:
    match thinking:
        case {"type": "enabled", "budget_tokens": int(tokens)}:
            if _REFUSES_TOKENS.match(model):
                return "thinking.type.enabled is not supported for this model. Use thinking.type.adaptive"
            if tokens < 1024:
                return "thinking.enabled.budget_tokens: Input should be greater than or equal to 1024"
            if isinstance(max_tokens, int) and tokens >= max_tokens:
                return "`max_tokens` must be greater than `thinking.budget_tokens`"
        case {"type": "adaptive"}:
            return "adaptive thinking is not supported on this model" if _OLDER.fullmatch(model) else None
        case {"type": "disabled" | "between_tools"}:
            return None
        case _:
            return "thinking: Input tag does not match any of the expected tags" if thinking else None
    return None


def _fault_in_thoughts(body: Mapping[str, Any], thinking: Mapping[str, Any]) -> str | None:
    """Thoughts must come back as they were, or not at all."""
    last: list[Mapping[str, Any]] = []
    for at, message in enumerate(body["messages"]):
        content = message.get("content")
        blocks = content if isinstance(content, list) else []
        for block in blocks:
            if block.get("type") == "thinking" and block.get("signature") != SIGNATURE:
                return f"messages.{at}.content: Invalid `signature` in `thinking` block"
            if block.get("type") in _THOUGHTS and set(block) - _FIELDS:
                return f"messages.{at}.content.thinking: Extra inputs are not permitted"
        if message.get("role") == "assistant":
            last = blocks
    uses_tools = any(block.get("type") == "tool_use" for block in last)
    if thinking.get("type") == "enabled" and uses_tools and last[0].get("type") not in _THOUGHTS:
        return "Expected `thinking` or `redacted_thinking`, but found `tool_use`"
    return None
