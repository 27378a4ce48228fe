"""A paragraph is rendered when it is whole; until then it is shown as it comes, and not a letter is lost."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nanoclaw.cli.markdown import render, wrap
from nanoclaw.cli.paper import Paper

COLOURS = re.compile(r"\x1b\[[0-9;]*m")


class Desk:
    """What was written, and what is still shown as it comes."""

    def __init__(self, *, is_seen: bool = True) -> None:
        self.written: list[str] = []
        self.begun = ""
        self.paper = Paper(self.written.append, str.strip if is_seen else None, self._show)

    def _show(self, text: str) -> None:
        self.begun = text

    @property
    def blocks(self) -> list[str]:
        return [each.removesuffix("\n\n") for each in self.written]


@pytest.mark.parametrize(
    ("text", "whole", "begun"),
    [
        ("One. Two", [], "One. Two"),
        ("One.\n\nTwo", ["One."], "Two"),
        ("One.\n\n", ["One."], ""),
        ("```py\na = 1\n\nb = 2", [], "```py\na = 1\n\nb = 2"),
        ("```py\na = 1\n\nb = 2\n```\n\nThat", ["```py\na = 1\n\nb = 2\n```"], "That"),
        ("~~~\n```\n\n", [], "~~~\n```\n\n"),
        ("- one\n\n- two\n\n  more", [], "- one\n\n- two\n\n  more"),
        ("These:\n- one\n\n- two\n\nThat is all", ["These:\n- one\n\n- two"], "That is all"),
        ("1. one\n\nThen", ["1. one"], "Then"),
        ("| a |\n|---|\n| 1 |\n\nx", ["| a |\n|---|\n| 1 |"], "x"),
    ],
)
def test_what_is_whole_is_rendered_and_what_may_go_on_is_shown(
    text: str, whole: list[str], begun: str
) -> None:
    desk = Desk()
    for letter in text:
        desk.paper.add(letter)
    assert ["\n\n".join(desk.blocks), desk.begun] == ["\n\n".join(whole), begun]


@given(st.lists(st.text(alphabet="ab `|-\n", max_size=12), max_size=8))
def test_nothing_but_empty_lines_changes(pieces: list[str]) -> None:
    desk = Desk()
    for piece in pieces:
        desk.paper.add(piece)
    desk.paper.end()
    assert "".join("".join(desk.blocks).split()) == "".join("".join(pieces).split())
    assert desk.begun == ""


def test_what_is_broken_off_stands_on_lines_of_its_own() -> None:
    desk = Desk()
    desk.paper.add("Half a")
    desk.paper.end()
    desk.paper.add("Whole.")
    desk.paper.end()
    assert desk.blocks == ["Half a", "Whole."]


def test_a_pipe_gets_the_text_as_it_is() -> None:
    desk = Desk(is_seen=False)
    for piece in ("**One", "**.\n\n", "`two`"):
        desk.paper.add(piece)
    desk.paper.end()
    assert "".join(desk.written) == "**One**.\n\n`two`\n\n"


def test_nothing_that_is_written_can_move_the_cursor() -> None:
    desk = Desk()
    desk.paper.add("a\x1b[2Jb\x07\rc\td")
    assert desk.begun == "a[2Jbc   d"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("**bold** and `code`", "bold and code"),
        ("one\ntwo", "one\ntwo"),
        ("a <name> in <b>text</b>", "a <name> in <b>text</b>"),
        ("[link](https://example.com)", "link (https://example.com)"),
        ("# Head\n\ntext", "Head\n\ntext"),
        (r"\*not bold\*", "*not bold*"),
        ("1. one\n2. two", " 1 one\n 2 two"),
    ],
)
def test_markdown_is_rendered(text: str, expected: str) -> None:
    assert COLOURS.sub("", render(text, 60)) == expected


def test_code_has_colours() -> None:
    rendered = render('```python\nreturn "x"  # why\n```', 60)
    assert COLOURS.sub("", rendered).strip() == 'return "x"  # why'
    assert len(set(COLOURS.findall(rendered))) > 2


@pytest.mark.parametrize("width", [1, 12, 40])
def test_lines_fit_the_screen(width: int) -> None:
    text = "Words of some length, and 漢字 漢字 漢字 too"
    for lines in (wrap(text, width), COLOURS.sub("", render(text, width)).splitlines()):
        assert max(map(len, lines)) <= max(width, 10)
        assert "".join("".join(lines).split()) == "".join(text.split())
