"""What is taken of streams that never end, and of lines that are no lines."""

import asyncio

import pytest

from nanoclaw.domain import bounds

pytestmark = [pytest.mark.capability("A9"), pytest.mark.attack]


def stream(*pieces: bytes) -> asyncio.StreamReader:
    made = asyncio.StreamReader()
    for piece in pieces:
        made.feed_data(piece)
    made.feed_eof()
    return made


async def test_lines_come_whole_however_they_arrive() -> None:
    pieces = (b"one\ntw", b"o\n", b"", b"\nthree")
    assert [line async for line in bounds.lines(stream(*pieces))] == [b"one", b"two", b"", b"three"]
    long = b"x" * 300_000
    assert [line async for line in bounds.lines(stream(long, b"\nend\n"))] == [long, b"end"]


async def test_a_line_that_does_not_end_is_not_kept() -> None:
    with pytest.raises(bounds.TooMuch):
        [line async for line in bounds.lines(stream(b"x" * 300_000), longest=200_000)]


async def test_endless_short_lines_are_not_taken_either() -> None:
    with pytest.raises(bounds.TooMuch):
        [line async for line in bounds.lines(stream(b"x\n" * 300_000), most=200_000)]


async def test_of_what_is_printed_the_first_is_kept_and_all_is_taken() -> None:
    assert await bounds.taken(stream(b"a" * 100_000, b"b" * 100_000), 5) == (b"aaaaa", 200_000)


@pytest.mark.parametrize("line", [b"[" * 100_000, b'{"a":' * 100_000, b"", b"chatter", b"[1]", b"\xff"])
def test_what_is_no_object_is_nothing(line: bytes) -> None:
    assert bounds.said_in(line) == {}


def test_a_long_text_keeps_its_ends_and_says_what_is_missing() -> None:
    assert bounds.cut("a" * 50 + "b" * 50, 100) == "a" * 50 + "b" * 50
    assert bounds.cut("a" * 50 + "-" + "b" * 50, 100) == (
        "a" * 50 + "\n[... 1 characters left out by the host ...]\n" + "b" * 50
    )
