"""An answer in Anthropic's format on its way to a box: bounded and checked here, whatever program reads it
there.

What is in order passes unchanged, line by line. A vendor, or a proxy before it, may also repeat the key, or
ids, ask for hundreds of tools at once, leave out half of an event, or never end; no program in a box should
have to cope with that.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from pydantic_core import from_json, to_json

from nanoclaw.domain import bounds
from nanoclaw.domain.errors import ModelFailed
from nanoclaw.domain.ids import new_id
from nanoclaw.gateway.anthropic_answer import checked, error_in
from nanoclaw.gateway.meter import Meter

_CALL = "tool_use"
_LONGEST_LINE = 2 << 20  # bytes; what a search found is one line
_ANY_ANSWER = 8 << 20  # bytes: thoughts and what searches found
_PER_TOKEN = 512  # bytes: an event may hold a single one
_MOST_TOKENS = 128_000  # no model writes more, whatever a request allows
_SHORTEST_KEY = 7  # characters; servers that want no key are given any word, which answers may use
_SHORTEST_ID = 16  # characters; shorter ones count from one, and come again after a restart
_MOST_KNOWN = 1000
_EMPTY: Mapping[str, Any] = {
    "type": "message",
    "role": "assistant",
    "content": [],
    "stop_reason": None,
    "stop_sequence": None,
}
_BEFORE = ("", "ping", "message_start")  # the vendor may still find that it cannot answer


def without_key(said: bytes, key: str) -> bytes:
    """Some vendors repeat the key; neither the box nor a person may read it."""
    return said.replace(key.encode(), b"***") if len(key) >= _SHORTEST_KEY else said


class VendorError(Exception):
    """The vendor reports an error in place of an answer."""


class _Calls:
    """The tool calls of one answer. Each has an id that is unique in the whole conversation."""

    def __init__(self, body: Mapping[str, Any]) -> None:
        self._body = body
        self._taken: set[str] | None = None
        self._count = 0

    def named(self, block: Mapping[str, Any]) -> dict[str, Any] | None:
        """The call as it is passed on; None if there are too many. Raises ModelFailed for one without a name."""
        self._count += 1
        made = checked(dict(block))
        if self._count > bounds.MOST_CALLS:
            return None
        if self._taken is None:
            self._taken = set(_ids_in(self._body.get("messages")))
        if not made["id"] or made["id"] in self._taken:
            made["id"] = new_id("toolu")  # nothing like the old one: Claude Code takes x_2 for a repeated x
        self._taken.add(made["id"])
        return made


class PassedStream:
    """`body` is what was asked, `known` the ids of earlier answers. The meter and its listener get each event
    that is passed on.
    """

    def __init__(
        self, body: Mapping[str, Any], max_output: int, key: str, meter: Meter, known: set[str]
    ) -> None:
        self._calls = _Calls(body)
        self._model = str(body["model"])
        self._most = _ANY_ANSWER + _PER_TOKEN * min(max_output, _MOST_TOKENS)
        self._key = key
        self._meter = meter
        self._known = known
        self._rest = b""
        self._size = 0
        self._begun = False
        self._head = bytearray()  # what comes before an answer begins
        self._name = b""  # of an event whose data has not come yet
        self._left_out: object = None  # the index of a block that is not passed on

    def feed(self, data: bytes) -> bytes:
        """What may be passed on now: whole lines. Raises VendorError before anything of an answer came, and ModelFailed
        for what no program could use."""
        self._size += len(data)
        if self._size > self._most:
            raise ModelFailed("model-endless")
        *lines, self._rest = (self._rest + data).split(b"\n")
        if len(self._rest) > _LONGEST_LINE:
            raise ModelFailed("model-garbled", said="a line without an end")
        passed = b"".join(self._passed(line + b"\n") for line in lines)
        if not self._begun:
            self._head += passed
            return b""
        if self._head:
            passed = bytes(self._head) + passed
            self._head.clear()
        return passed

    def end(self) -> bytes:
        rest, self._rest = self._rest, b""
        return bytes(self._head) + self._passed(rest) + self._name

    def _passed(self, line: bytes) -> bytes:
        line = without_key(line, self._key)
        if line.startswith(b"event:"):
            before, self._name = self._name, line
            return before
        before, self._name = self._name, b""
        if not line.startswith(b"data:"):
            return before + line
        data = self._looked_at(line)
        return before + data if data else b""

    def _looked_at(self, line: bytes) -> bytes:
        """The line to pass on; empty if it is not passed on."""
        event = _parsed(line[5:])
        match event:
            case {"type": "error"} if not self._begun:
                raise VendorError(error_in(event) or "the vendor reported an error")
            case {"type": "content_block_start", "content_block": dict(block)}:
                made = self._calls.named(block) if block.get("type") == _CALL else checked(block)
                if made is None:
                    self._left_out = event.get("index")
                    return b""
                if made != block:
                    line = _written(event | {"content_block": made})
            case {"type": "message_start", "message": dict(message)}:
                if (made := _completed(message, self._model, self._known)) != message:
                    line = _written(event | {"message": made})
            case {"type": "content_block_delta" | "content_block_stop", "index": int(index)}:
                if index == self._left_out:
                    self._meter.take(event)  # paid for anyway
                    return b""
            case _:
                pass
        self._begun = self._begun or event.get("type", "") not in _BEFORE
        self._meter.take(event)
        return line


def passed_whole(answer: Mapping[str, Any], body: Mapping[str, Any], known: set[str]) -> dict[str, Any]:
    """An answer that came whole, as it is passed on. Raises ModelFailed."""
    content = answer.get("content")
    if not isinstance(content, list):
        return dict(answer)
    calls = _Calls(body)
    made = []
    for block in content:
        if not isinstance(block, dict):
            raise ModelFailed("model-garbled", said="a block without a type")
        passed = calls.named(block) if block.get("type") == _CALL else checked(block)
        made += [] if passed is None else [passed]
    return _completed(answer, str(body["model"]), known) | {"content": made}


def _completed(message: Mapping[str, Any], model: str, known: set[str]) -> dict[str, Any]:
    """With what some servers leave out, and a unique id: Claude Code takes answers with one id for one, and
    forgets what was said between them.
    """
    made = {**_EMPTY, **message}
    given = made.get("id")
    if not isinstance(given, str) or len(given) < _SHORTEST_ID or given in known:
        made["id"] = new_id("msg")
    if len(known) >= _MOST_KNOWN:
        known.clear()
    known.add(made["id"])
    if not isinstance(made.get("model"), str):
        made["model"] = model
    if not isinstance(made.get("usage"), dict):
        made["usage"] = {"input_tokens": 0, "output_tokens": 0}
    return made


def _written(event: dict[str, Any]) -> bytes:
    return b"data: " + to_json(event) + b"\n"


def _ids_in(messages: object) -> Iterator[str]:
    for message in messages if isinstance(messages, list) else ():
        content = message.get("content") if isinstance(message, dict) else None
        for block in content if isinstance(content, list) else ():
            if isinstance(block, dict) and block.get("type") == _CALL and isinstance(block.get("id"), str):
                yield block["id"]


def _parsed(data: bytes) -> dict[str, Any]:
    try:
        found = from_json(data)
    except ValueError:  # garbage is passed on: the box decides what to make of it
        return {}
    return found if isinstance(found, dict) else {}
