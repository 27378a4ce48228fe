"""How the events of a streamed answer are told apart."""

import pytest

from nanoclaw.gateway.anthropic_answer import Lines


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
