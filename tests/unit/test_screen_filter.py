"""A screen gets text, colours and the cursor; nothing that acts on the viewer's own machine."""

import pytest

from nanoclaw.flows.live.screen_filter import ScreenFilter

pytestmark = pytest.mark.attack

HOSTILE = [
    b"\x1b]52;c;ZXZpbA==\x07",
    b"\x1b]52;c;ZXZpbA==\x1b\\",
    b"\x1b]0;title\x07",
    b"\x1b]8;;http://evil.test\x1b\\",
    b"\x1bP$qm\x1b\\",
    b"\x1b_apc\x1b\\",
    b"\x1b^pm\x1b\\",
    b"\x1bXsos\x1b\\",
    b"\x1b[6n",
    b"\x1b[c",
    b"\x1b[>c",
    b"\x1b[21t",
    b"\x1b[?2004$p",
    b"\x1b[?9999h",
    b"\x1bc",
    b"\x07\x05",
    b"\x1b[" + b"1;" * 5000 + b"n",
]
NEEDED = "\x1b[?1049h\x1b[?2004h\x1b[1;31mПривіт 👋\x1b[0m\r\n\x1b[2J\x1b[10;5H\x1b7\x1b8\x1b[2 q".encode()


@pytest.mark.parametrize("hostile", HOSTILE, ids=lambda each: repr(each[:12]))
@pytest.mark.parametrize("size", [1, 3, 100_000])
def test_only_what_a_screen_needs_passes_across_pieces(hostile: bytes, size: int) -> None:
    said = NEEDED + hostile + NEEDED
    screen = ScreenFilter()
    shown = b"".join(screen.pass_on(said[at : at + size]) for at in range(0, len(said), size))
    assert shown == NEEDED + NEEDED


@pytest.mark.attack
def test_control_characters_of_eight_bits_are_left_out_and_letters_beside_them_stay() -> None:
    clip = b"\xc2\x9d52;c;ZXZpbA==\xc2\x9c"
    for size in (1, 2, 100):
        shown = ScreenFilter()
        text = b"\xc2\xa9 " + clip + "§ ґ".encode()
        said = b"".join(shown.pass_on(text[at : at + size]) for at in range(0, len(text), size))
        assert said == b"\xc2\xa9 52;c;ZXZpbA==" + "§ ґ".encode()


@pytest.mark.parametrize("size", [1, 100])
def test_a_byte_that_belongs_to_no_letter_is_left_out(size: int) -> None:
    text = b"\x9d52;c;ZXZpbA==\x9c\x9b6n" + "Нѝ 👋".encode() + b"\x90"
    shown = ScreenFilter()
    said = b"".join(shown.pass_on(text[at : at + size]) for at in range(0, len(text), size))
    assert said == b"52;c;ZXZpbA==6n" + "Нѝ 👋".encode()


def test_what_interrupts_a_string_is_obeyed() -> None:
    assert ScreenFilter().pass_on(b"\x1b]0;title\x1b7here") == b"\x1b7here"
