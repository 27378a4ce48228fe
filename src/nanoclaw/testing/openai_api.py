"""How the scripted model server speaks OpenAI's chat completions: what it refuses, and how an answer looks."""

import hmac
import json
import time
from collections.abc import Iterator
from typing import Any

from nanoclaw.domain.ids import new_id
from nanoclaw.domain.money import Usage
from nanoclaw.testing.model_parts import Asked, Fail, Garbage, Part, Reply, Say, Think, Use, Wait

_ROLES = ("system", "developer", "user", "assistant", "tool")


def error(fail: Fail) -> dict[str, Any]:
    return {"error": {"message": fail.message, "type": fail.type, "param": None, "code": None}}


def refusal(asked: Asked, key: str) -> Fail | None:
    """Why the vendor would refuse this request; None if it would not."""
    given = asked.headers.get("authorization", "")
    if not hmac.compare_digest(given.encode(), f"Bearer {key}".encode()):
        return Fail(401, "invalid_request_error", "Incorrect API key provided")
    fault = None
    if not isinstance(asked.body, dict):
        fault = "We could not parse the JSON body of your request"
    elif not isinstance(asked.body.get("model"), str):
        fault = "you must provide a model parameter"
    elif not isinstance(asked.body.get("messages"), list) or not asked.body["messages"]:
        fault = "'messages' must not be empty"
    else:
        fault = _fault_in_messages(asked.body["messages"])
    return None if fault is None else Fail(400, "invalid_request_error", fault)


def _fault_in_messages(messages: list[dict[str, Any]]) -> str | None:
    waiting: set[str] = set()
    for at, message in enumerate(messages):
        role = message.get("role")
        if role not in _ROLES:
            return f"Invalid value: '{role}' for 'messages[{at}].role'"
        if role == "tool":
            if message.get("tool_call_id") not in waiting:
                return "messages with role 'tool' must be a response to a preceding message with 'tool_calls'"
            waiting.discard(message["tool_call_id"])
        elif waiting:
            return f"'tool_calls' must be followed by tool messages: {waiting}"
        else:
            waiting = {call["id"] for call in message.get("tool_calls") or []}
    return None


def whole(asked: Asked, reply: Reply) -> dict[str, Any]:
    """An answer that is not streamed."""
    text = "".join(part.text for part in reply.said if isinstance(part, Say))
    message: dict[str, Any] = {"role": "assistant", "content": text or None}
    if reply.uses:
        message["tool_calls"] = [_call(use) for use in reply.uses]
    choice = {"index": 0, "message": message, "finish_reason": _finish(reply)}
    return {**_head(asked, "chat.completion"), "choices": [choice], "usage": _usage(reply.usage)}


def events(asked: Asked, reply: Reply) -> Iterator[tuple[Part | None, bytes]]:
    """The stream: each event with the part that it belongs to."""
    head = _head(asked, "chat.completion.chunk")

    def chunk(delta: dict[str, Any], finish: str | None = None) -> bytes:
        return _event({**head, "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]})

    yield None, chunk({"role": "assistant", "content": ""})
    for part in reply.parts:
        if isinstance(part, Wait):
            yield part, b""
        elif isinstance(part, Garbage):
            yield None, f"data: {part.text}\n\n".encode()
        elif isinstance(part, Say):
            for piece in reply.pieces_of(part):
                yield part, chunk({"content": piece})
        elif isinstance(part, Think):
            for piece in reply.pieces_of(part):
                yield part, chunk({"reasoning_content": piece})
        elif isinstance(part, Use):
            index = reply.uses.index(part)
            named = _call(part) | {"index": index, "function": {"name": part.name, "arguments": ""}}
            yield None, chunk({"tool_calls": [named]})
            for piece in reply.pieces_of(part):
                yield part, chunk({"tool_calls": [{"index": index, "function": {"arguments": piece}}]})
    yield None, chunk({}, _finish(reply))
    if (asked.body.get("stream_options") or {}).get("include_usage"):
        yield None, _event({**head, "choices": [], "usage": _usage(reply.usage)})
    yield None, b"data: [DONE]\n\n"


def _head(asked: Asked, kind: str) -> dict[str, Any]:
    return {"id": new_id("chatcmpl"), "object": kind, "created": int(time.time()), "model": asked.model}


def _finish(reply: Reply) -> str:
    if reply.is_full:
        return "length"
    return "tool_calls" if reply.uses else "stop"


def _call(use: Use) -> dict[str, Any]:
    arguments = json.dumps(dict(use.input), ensure_ascii=False)
    return {"id": use.id, "type": "function", "function": {"name": use.name, "arguments": arguments}}


def _usage(usage: Usage) -> dict[str, Any]:
    prompt = usage.input + usage.cache_read + usage.cache_write
    return {
        "prompt_tokens": prompt,
        "completion_tokens": usage.output,
        "total_tokens": prompt + usage.output,
        "prompt_tokens_details": {"cached_tokens": usage.cache_read},
        "completion_tokens_details": {"reasoning_tokens": usage.thinking},
    }


def _event(content: dict[str, Any]) -> bytes:
    return f"data: {json.dumps(content, ensure_ascii=False)}\n\n".encode()
