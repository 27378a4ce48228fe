"""What passes the gateway to a box: unchanged where it is in order, whatever the pieces in which it comes."""

import json
from typing import Any

import pytest

from nanoclaw.domain import bounds
from nanoclaw.domain.errors import ModelFailed
from nanoclaw.domain.money import Usage
from nanoclaw.gateway.meter import Meter
from nanoclaw.gateway.passed_answers import PassedStream, VendorError, passed_whole, without_key
from nanoclaw.gateway.possible_bills import believed

pytestmark = [pytest.mark.capability("A16", "J1"), pytest.mark.attack]

KEY = "sk-secret"
BODY: dict[str, Any] = {
    "model": "claude-x",
    "messages": [{"role": "assistant", "content": [{"type": "tool_use", "id": "call_0", "input": {}}]}],
}
_HEAD: dict[str, Any] = {
    "id": "msg_0123456789abcdef",
    "type": "message",
    "role": "assistant",
    "model": "claude-x",
    "content": [],
    "stop_reason": None,
    "stop_sequence": None,
    "usage": {"input_tokens": 10, "output_tokens": 1},
}


def _event(kind: str, **said: Any) -> bytes:
    return f"event: {kind}\ndata: {json.dumps({'type': kind, **said})}\n\n".encode()


def _start(**changed: Any) -> bytes:
    return _event("message_start", message=_HEAD | changed)


def _block(at: int, **block: Any) -> bytes:
    return (
        _event("content_block_start", index=at, content_block=block)
        + _event("content_block_delta", index=at, delta={"type": "input_json_delta", "partial_json": "{}"})
        + _event("content_block_stop", index=at)
    )


def _call(at: int, call_id: str) -> bytes:
    return _block(at, type="tool_use", id=call_id, name="fly", input={})


_END = _event("message_delta", delta={"stop_reason": "end_turn"}, usage={"output_tokens": 7})


def _passed(stream: bytes, size: int = 1 << 20, max_output: int = 100) -> tuple[bytes, Usage]:
    meter = Meter(10)
    reader = PassedStream(BODY, max_output, KEY, meter, set())
    out = b"".join(reader.feed(stream[at : at + size]) for at in range(0, len(stream), size)) + reader.end()
    return out, meter.usage


def _told(passed: bytes) -> list[dict[str, Any]]:
    return [json.loads(line[5:]) for line in passed.splitlines() if line.startswith(b"data:")]


@pytest.mark.parametrize("size", [1, 7, 1000])
def test_what_is_in_order_passes_byte_for_byte_and_is_metered(size: int) -> None:
    stream = _start() + b": a comment\r\n" + _block(0, type="text", text="щось") + _call(1, "call_1") + _END
    passed, usage = _passed(stream, size)
    assert passed == stream
    assert (usage.input, usage.output) == (10, 7)


@pytest.mark.parametrize("size", [1, 7, 1000])
def test_a_key_in_an_answer_stays_here_however_it_is_cut(size: int) -> None:
    stream = _start() + _block(0, type="text", text="") + _event("error", error={"message": f"no {KEY}!"})
    passed, _ = _passed(stream, size)
    assert _told(passed)[-1]["error"]["message"] == "no ***!"


def test_a_word_in_place_of_a_key_is_no_secret() -> None:
    """Servers that want no key are given any word."""
    assert without_key(b"all or none", "none") == b"all or none"


def test_an_error_before_anything_was_said_is_no_answer_at_all() -> None:
    for before in (b"", _start(), _start() + _event("ping")):
        with pytest.raises(VendorError, match="no room"):
            _passed(before + _event("error", error={"message": "no room"}))


def test_what_a_server_left_out_is_filled_in_and_ids_are_not_repeated() -> None:
    bare = _event("message_start", message={"id": "1"}) + _call(0, "call_0") + _call(1, "") + _END
    passed, usage = _passed(bare)
    start, *_rest = told = _told(passed)
    assert start["message"]["model"] == "claude-x"
    assert len(start["message"]["id"]) > 16
    ids = [event["content_block"]["id"] for event in told if event["type"] == "content_block_start"]
    assert len({*ids, "call_0", ""}) == 4
    assert usage == Usage(input=10, output=7)  # our own guess of what was read stays
    answer = {"content": [{"type": "tool_use", "id": "call_0", "name": "fly", "input": {}}]}
    assert passed_whole(answer, BODY, set())["content"][0]["id"] != "call_0"


def test_no_more_calls_pass_than_may_be_and_what_follows_them_does() -> None:
    calls = b"".join(_call(at, f"c_{at}") for at in range(bounds.MOST_CALLS + 5))
    passed, _ = _passed(_start() + calls + _END)
    told = _told(passed)
    assert sum(event["type"] == "content_block_start" for event in told) == bounds.MOST_CALLS
    assert passed.count(b"event: ") == len(told)  # no name is left without its data
    assert told[-1]["type"] == "message_delta"


def test_an_answer_is_as_long_as_its_tokens_allow_and_no_line_is_endless() -> None:
    piece = _event("content_block_delta", index=0, delta={"type": "text_delta", "text": "y" * 5000})
    many = (1 << 20) // len(piece)
    endless = _start() + _block(0, type="text", text="") + piece * (9 * many)
    with pytest.raises(ModelFailed, match="model-endless"):
        _passed(endless)
    assert _passed(endless, max_output=10_000)[0] == endless
    with pytest.raises(ModelFailed, match="model-garbled"):
        _passed(_start() + b"data: " + b"y" * (3 << 20))


@pytest.mark.parametrize(
    ("usage", "searches"),
    [
        (Usage(input=3, output=64_000, thinking=60_000), 0),  # thoughts that are not shown
        (Usage(input=3, output=90_000), 0),  # a vendor that does not count thoughts as part of an answer
        (Usage(input=50, cache_read=900_000, cache_write=90_000, output=10), 0),
        (Usage(input=3_000_000, output=5_000, searches=10), 10),  # all is read again after each search
    ],
)
def test_a_bill_that_can_be_true_is_believed(usage: Usage, searches: int) -> None:
    assert believed(usage, input_tokens=100, max_output=64_000, searches=searches) == usage


def test_a_bill_that_cannot_be_true_costs_the_most_that_the_call_could() -> None:
    claimed = Usage(input=900_000_000, cache_read=5, output=900_000_000, thinking=70_000, searches=9_000)
    found = believed(claimed, input_tokens=1_000, max_output=64_000, searches=2)
    assert found == Usage(input=1_000, output=64_000, thinking=64_000, searches=2)
    long = Usage(input=2_500_000, output=5)  # where so much was sent
    assert believed(long, input_tokens=2_500_000, max_output=100) == long
