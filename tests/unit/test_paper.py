"""Words are not broken on the terminal, and not a letter is lost."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nanoclaw.cli.paper import Paper


def written(pieces: list[str], width: int = 20) -> str:
    parts: list[str] = []
    paper = Paper(width, parts.append)
    for piece in pieces:
        paper.add(piece)
    paper.end()
    return "".join(parts).removesuffix("\n\n")


@pytest.mark.parametrize(
    ("pieces", "expected"),
    [
        (["one two three four five"], "one two three four\nfive"),
        (["one two three fo", "ur fi", "ve"], "one two three four\nfive"),
        (["short"], "short"),
        (["first\n", "\nsecond"], "first\n\nsecond"),
        (["a-word-that-is-longer-than-the-line"], "a-word-that-is-longer-than-the-line"),
        (["| a table | is left alone | as it is |"], "| a table | is left alone | as it is |"),
        (
            ["```\ncode that is longer than the line\n```\nand words that are wrapped"],
            "```\ncode that is longer than the line\n```\nand words that are\nwrapped",
        ),
        (["漢字 漢字 漢字 漢字 漢字"], "漢字 漢字 漢字 漢字\n漢字"),
        ([""], ""),
    ],
)
def test_words_are_wrapped_where_the_line_ends(pieces: list[str], expected: str) -> None:
    assert written(pieces) == expected


@given(st.lists(st.text(alphabet="ab `|\n", max_size=12), max_size=8), st.integers(4, 30))
def test_nothing_but_spaces_and_line_breaks_changes(pieces: list[str], width: int) -> None:
    assert "".join(written(pieces, width).split()) == "".join("".join(pieces).split())


@given(st.lists(st.text(max_size=10), max_size=6))
def test_how_the_text_is_cut_into_pieces_makes_no_difference(pieces: list[str]) -> None:
    assert written(pieces) == written(["".join(pieces)])
