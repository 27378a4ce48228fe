"""How the events of a streamed answer are told apart."""

from typing import Any

import pytest

from nanoclaw.gateway.anthropic_answer import AnthropicAnswer, Lines


@pytest.mark.parametrize(
    "pieces",
    [
        (b"data:1\n\ndata:2\n\n",),
        (b"da", b"ta:1\n", b"\nevent: x\ndata:2", b"\n"),
        (b"data:1\n\n", b"data:2"),  # nothing says that the last line ends
    ],
)
def test_each_event_is_found_however_it_is_cut(pieces: tuple[bytes, ...]) -> None:
    lines = Lines()
    found = [each for piece in pieces for each in lines.add(piece)]
    assert [*found, *lines.last()] == [b"1", b"2"]


@pytest.mark.parametrize("left_out", [{}, {"id": None, "input": None}, {"id": "", "input": ""}])
def test_a_call_that_begins_without_an_id_or_arguments_gets_both(left_out: dict[str, Any]) -> None:
    answer = AnthropicAnswer()
    block = {"type": "tool_use", "name": "bash", **left_out}
    answer.take({"type": "content_block_start", "index": 0, "content_block": block})
    piece = {"type": "input_json_delta", "partial_json": '{"command": "ls"}'}
    answer.take({"type": "content_block_delta", "index": 0, "delta": piece})
    answer.name_calls(["call_1"])
    assert answer.content == [
        {"type": "tool_use", "name": "bash", "id": "call_2", "input": {"command": "ls"}},
    ]
