"""What is typed while an answer is written."""

import os

import pytest

from nanoclaw.cli.keyboard import Keyboard


class Typist:
    """Presses keys, and notes what comes of it."""

    def __init__(self) -> None:
        self.stopped = 0
        self.said: list[str] = []
        self.seen: list[str] = []
        self.keyboard = Keyboard(self._stop, self.said.append, self.seen.append)

    def _stop(self) -> None:
        self.stopped += 1

    def press(self, *keys: bytes) -> None:
        for pressed in keys:
            read, write = os.pipe()
            os.write(write, pressed)
            os.close(write)
            self.keyboard._read(read)
            os.close(read)


def test_escape_stops_and_an_arrow_does_not() -> None:
    typist = Typist()
    typist.press(b"\x1b", b"\x1b[A")
    assert (typist.stopped, typist.said, typist.keyboard.take()) == (1, [], "")


def test_a_line_is_said_at_once_and_half_a_line_waits() -> None:
    typist = Typist()
    typist.press(b"/stop\r", b"and ", b"then\x7fm")
    assert typist.said == ["/stop"]
    assert typist.keyboard.take() == "and them"
    assert typist.keyboard.take() == ""


@pytest.mark.parametrize("keys", [[b"\r", b"  \n"], []])
def test_empty_lines_say_nothing(keys: list[bytes]) -> None:
    typist = Typist()
    typist.press(*keys)
    assert typist.said == []


def test_a_letter_that_comes_in_halves_is_one_letter() -> None:
    typist = Typist()
    both = "ї".encode()
    typist.press(both[:1], both[1:], b"\n")
    assert typist.said == ["ї"]


def test_what_stands_in_the_line_is_shown_after_each_key() -> None:
    typist = Typist()
    typist.press(b"n", b"o", b"\x7f", b"ope\r")
    assert typist.seen == ["n", "no", "n", ""]
    assert typist.said == ["nope"]


def test_a_word_and_a_whole_line_can_be_taken_back() -> None:
    typist = Typist()
    typist.press(b"/5 half an", b"\x17", b"\x17", b"other", b"\x15", b"no")
    assert typist.seen == ["/5 half an", "/5 half", "/5", "/5other", "", "no"]


def test_whoever_has_no_terminal_any_more_has_left() -> None:
    typist = Typist()
    typist.press(b"half a line", b"")
    assert typist.said == ["/quit"]
