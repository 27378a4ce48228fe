"""How the scripted model server speaks Anthropic's Messages API: what it refuses, and how an answer looks."""

import hmac
import json
from collections.abc import Iterator
from typing import Any

from nanoclaw.domain.ids import new_id
from nanoclaw.domain.money import Usage
from nanoclaw.testing.anthropic_thinking import SIGNATURE, fault_in_thinking
from nanoclaw.testing.model_parts import Asked, Fail, Garbage, Part, Reply, Say, Think, Use, Wait

# Claude Code puts "system" between messages for some models; the vendor accepts it.
_ROLES = ("user", "assistant", "system")


def error(fail: Fail) -> dict[str, Any]:
    return {
        "type": "error",
        "error": {"type": fail.type, "message": fail.message},
        "request_id": new_id("req"),
    }


def refusal(asked: Asked, key: str) -> Fail | None:
    """Why the vendor would refuse this request; None if it would not."""
    given = asked.headers.get("x-api-key") or asked.headers.get("authorization", "").removeprefix("Bearer ")
    if not hmac.compare_digest(given.encode(), key.encode()):
        return Fail(401, "authentication_error", "invalid x-api-key")
    fault = None
    if "anthropic-version" not in asked.headers:
        fault = "anthropic-version: header is required"
    elif not isinstance(asked.body, dict):
        fault = "The request body is not valid JSON"
    elif not isinstance(asked.body.get("model"), str):
        fault = "model: Field required"
    elif not _positive(asked.body.get("max_tokens")) and not asked.path.endswith("count_tokens"):
        fault = "max_tokens: Field required"
    else:
        fault = _fault_in_messages(asked.body.get("messages")) or fault_in_thinking(asked.body)
    return None if fault is None else Fail(400, "invalid_request_error", fault)


def _positive(number: object) -> bool:
    return isinstance(number, int) and number > 0


def _fault_in_messages(messages: object) -> str | None:
    if not isinstance(messages, list) or not messages:
        return "messages: at least one message is required"
    waiting: set[str] = set()
    known: set[str] = set()
    for at, message in enumerate(messages):
        role, content = message.get("role"), message.get("content")
        if role not in _ROLES:
            return f"messages.{at}.role: Input should be 'user' or 'assistant'"
        # In one of them Claude Code only says with how much effort it continues.
        is_setting = role == "system" and "output_config" in message
        if not isinstance(content, str | list) or not (content or is_setting):
            return f"messages.{at}: all messages must have non-empty content"
        blocks = content if isinstance(content, list) else []
        answered = {block.get("tool_use_id") for block in blocks if block.get("type") == "tool_result"}
        if unknown := answered - waiting:
            return f"messages.{at}: unexpected `tool_use_id` found in `tool_result` blocks: {unknown}"
        if role != "system" and (missing := waiting - answered):
            return f"messages.{at}: `tool_use` ids were found without `tool_result` blocks: {missing}"
        if role != "system":
            called = [block["id"] for block in blocks if block.get("type") == "tool_use"]
            if any(not isinstance(block.get("input"), dict) for block in blocks if block.get("id") in called):
                return f"messages.{at}: tool_use.input: Input should be a valid dictionary"
            if len({*known, *called}) < len(known) + len(called):
                return f"messages.{at}: `tool_use` ids must be unique"
            waiting = set(called)
            known |= waiting
    return f"messages: `tool_use` ids were found without `tool_result` blocks: {waiting}" if waiting else None


def whole(asked: Asked, reply: Reply) -> dict[str, Any]:
    """An answer that is not streamed."""
    return {
        **_head(asked),
        "content": [_written(part, reply) for part in reply.said],
        "stop_reason": _stop(reply),
        "usage": _usage(reply.usage),
    }


def events(asked: Asked, reply: Reply) -> Iterator[tuple[Part | None, bytes]]:
    """The stream: each event with the part that it belongs to."""
    started = _usage(reply.usage) | {"output_tokens": 1}
    message = {**_head(asked), "content": [], "stop_reason": None, "usage": started}
    yield None, _event("message_start", message=message)
    index = 0
    for part in reply.parts:
        if isinstance(part, Wait):
            yield part, b""
        elif isinstance(part, Garbage):
            yield None, f"event: content_block_delta\ndata: {part.text}\n\n".encode()
        elif isinstance(part, Say | Think | Use):
            yield None, _event("content_block_start", index=index, content_block=_empty(part))
            for piece in reply.pieces_of(part):
                yield part, _event("content_block_delta", index=index, delta=_delta(part, piece))
            if isinstance(part, Think):
                signature = {"type": "signature_delta", "signature": SIGNATURE}
                yield None, _event("content_block_delta", index=index, delta=signature)
            yield None, _event("content_block_stop", index=index)
            index += 1
    stop = {"stop_reason": _stop(reply), "stop_sequence": None}
    yield None, _event("message_delta", delta=stop, usage=_usage(reply.usage))
    yield None, _event("message_stop")


def _stop(reply: Reply) -> str:
    if reply.is_full:
        return "max_tokens"
    return "tool_use" if reply.uses else "end_turn"


def _written(part: Say | Think | Use, reply: Reply) -> dict[str, Any]:
    """Half a tool call has no arguments that could be read."""
    if not reply.is_full or part is not reply.said[-1]:
        return _block(part)
    if isinstance(part, Use):
        return _block(part) | {"input": {}}
    return _block(type(part)("".join(reply.pieces_of(part))))


def _head(asked: Asked) -> dict[str, Any]:
    return {
        "id": new_id("msg"),
        "type": "message",
        "role": "assistant",
        "model": asked.model,
        "stop_sequence": None,
    }


def _usage(usage: Usage) -> dict[str, Any]:
    counted: dict[str, Any] = {
        "input_tokens": usage.input,
        "output_tokens": usage.output,
        "cache_read_input_tokens": usage.cache_read,
        "cache_creation_input_tokens": usage.cache_write,
    }
    return counted | (
        {"output_tokens_details": {"thinking_tokens": usage.thinking}} if usage.thinking else {}
    )


def _block(part: Say | Think | Use) -> dict[str, Any]:
    if isinstance(part, Say):
        return {"type": "text", "text": part.text}
    if isinstance(part, Think):
        return {"type": "thinking", "thinking": part.text, "signature": SIGNATURE}
    return {"type": "tool_use", "id": part.id, "name": part.name, "input": dict(part.input)}


def _empty(part: Say | Think | Use) -> dict[str, Any]:
    blank = {"text": "", "thinking": "", "signature": "", "input": {}}
    return {name: blank.get(name, value) for name, value in _block(part).items()}


def _delta(part: Say | Think | Use, piece: str) -> dict[str, Any]:
    if isinstance(part, Say):
        return {"type": "text_delta", "text": piece}
    if isinstance(part, Think):
        return {"type": "thinking_delta", "thinking": piece}
    return {"type": "input_json_delta", "partial_json": piece}


def _event(kind: str, **content: object) -> bytes:
    data = json.dumps({"type": kind, **content}, ensure_ascii=False)
    return f"event: {kind}\ndata: {data}\n\n".encode()
