"""A long text becomes parts that a chat takes; put together they are the text, and styles go on across the cuts."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nanoclaw.delivery.markdown import render
from nanoclaw.delivery.text_parts import LONGEST, MOST_SPANS, split
from nanoclaw.domain.styled import Style, Styled, StyledSpan, units

pytestmark = pytest.mark.capability("A11")

FRAGMENTS = (
    *(
        "# Head\n",
        "**bold** ",
        "*it* ",
        "~~old~~ ",
        "||hidden|| ",
        "`a` ",
        "\n",
        "\n\n",
        "> quote\n",
        "---\n",
    ),
    *(
        "```py\nif a:\n    b()\n```\n",
        "```\n",
        "- one\n",
        "  - two\n",
        "1. x\n",
        "- [x] y\n",
        "    indented\n",
    ),
    *(
        "|a|b|\n|-|-|\n|1|2|\n",
        "[link](https://example.org) ",
        "$a_1$ ",
        "<b>tag</b> ",
        "<u>",
        "**",
        "`",
        "||",
    ),
    *(
        "слово ",
        "речення. Ще одне! ",
        "مرحبا بالعالم ",
        "日本語。",
        "👍🏽",
        "👩‍👩‍👧‍👦 ",
        "🇺🇦🇺🇦",
        "e\u0301",
        "\u200b",
        "\u200d",
    ),
    *("x" * 70, "words and words ", "1.5 ", "\t", "𝕏" * 9),
)
texts = st.lists(st.sampled_from(FRAGMENTS) | st.text(max_size=8), max_size=40).map("".join)
limits = st.integers(2, 120)


def _inside(styled: Styled, span: StyledSpan) -> str:
    raw = styled.text.encode("utf-16-le", "surrogatepass")
    return raw[2 * span.start : 2 * span.end].decode("utf-16-le", "surrogatepass")


def _check(styled: Styled, parts: tuple[Styled, ...], limit: int) -> None:
    assert "".join(part.text for part in parts) == styled.text
    for part in parts:
        length = units(part.text)
        assert 1 <= length <= limit
        assert len(part.spans) <= MOST_SPANS
        for span in part.spans:
            assert 0 <= span.start < span.end <= length


def _styles_by_unit(styled: Styled) -> list[set[tuple[str, str | None, str | None]]]:
    worn: list[set[tuple[str, str | None, str | None]]] = [set() for _ in range(units(styled.text))]
    for span in styled.spans:
        for at in range(span.start, span.end):
            worn[at].add((span.style.value, span.url, span.language))
    return worn


@given(texts, limits)
@settings(max_examples=150, deadline=None)
def test_the_parts_are_the_text_and_every_letter_keeps_its_styles(markdown: str, limit: int) -> None:
    styled = render(markdown)
    parts = split(styled, limit)
    _check(styled, parts, limit)
    assert [worn for part in parts for worn in _styles_by_unit(part)] == _styles_by_unit(styled)


@given(
    st.text(alphabet=st.sampled_from(["a", " ", "\n", ".", "👍", "🏽", "\u200d", "🇺", "\u0301", "\ud800"])),
    limits,
)
@settings(max_examples=150, deadline=None)
def test_whatever_the_letters_are_the_parts_are_the_text(text: str, limit: int) -> None:
    _check(Styled(text=text), split(Styled(text=text), limit), limit)


def test_nothing_has_no_parts() -> None:
    assert split(Styled(text="")) == ()


def test_what_fits_is_one_part() -> None:
    styled = render("**a**\n\n" + "b" * (LONGEST - 3))
    assert split(styled) == (styled,)


@pytest.mark.parametrize(
    ("text", "ends"),
    [
        ("one two.\n\nthree four.\nfive six seven", ["one two.\n\n", "three four.\n"]),
        ("one two three\nfour five six seven eight", ["one two three\n"]),
        ("One, two three. Four five six seven eig", ["One, two three. "]),
        ("Одне, двоє. Четверо п'ять шість сім вісім", ["Одне, двоє. "]),
        ("one two three four five six seven eight", ["one two three four five "]),
        ("abcdefghijklmnopqrstuvwxyzabcdefghijklmnop", ["abcdefghijklmnopqrstuvwx"]),
    ],
)
def test_the_best_place_in_reach_is_cut(text: str, ends: list[str]) -> None:
    assert [part.text for part in split(Styled(text=text), 24)][: len(ends)] == ends


def test_a_block_of_code_that_fits_stays_whole() -> None:
    code = "\n".join(f"line {n}" for n in range(300))
    styled = render(f"{'Words here. ' * 200}\n\n```py\n{code}\n```\n\n{'And after. ' * 300}")
    parts = split(styled)
    _check(styled, parts, LONGEST)
    blocks = [_inside(part, span) for part in parts for span in part.spans]
    assert blocks == [code]


def test_even_short_words_before_a_block_do_not_break_it() -> None:
    code = "x = 1\n" * 680 + "x = 2"
    parts = split(render(f"Here it is:\n\n```py\n{code}\n```\nDone with it."))
    assert [part.text.strip() for part in parts] == ["Here it is:", code, "Done with it."]


def test_a_longer_block_is_cut_between_lines_and_each_piece_is_code_of_its_language() -> None:
    code = "\n".join(f"    if number == {n}:\n        return {n} * 2" for n in range(400))
    styled = render(f"```python\ndef f(number):\n{code}\n```")
    parts = split(styled)
    assert len(parts) > 3
    _check(styled, parts, LONGEST)
    for part in parts:
        assert [(span.style, span.language) for span in part.spans] == [(Style.PRE, "python")]
        assert part is parts[-1] or part.text.endswith("\n")
    assert all(part.text.startswith("    ") for part in parts[1:])


def test_a_style_that_crosses_a_cut_is_in_both_parts() -> None:
    parts = split(render(f"**{'bold ' * 900}end** and [{'link ' * 900}](https://example.org)"))
    assert len(parts) == 3
    assert [[span.style.value for span in part.spans] for part in parts] == [
        ["bold"],
        ["bold", "text_link"],
        ["text_link"],
    ]


@pytest.mark.parametrize("letter", ["👍🏽", "👩‍👩‍👧‍👦", "🇺🇦", "e\u0301", "🏴󠁧󠁢󠁥󠁮󠁧󠁿", "ก็", "1️⃣"])
def test_no_cut_falls_into_a_letter(letter: str) -> None:
    styled = Styled(text=letter * 2000)
    parts = split(styled)
    _check(styled, parts, LONGEST)
    assert all(part.text == letter * (len(part.text) // len(letter)) for part in parts)


def test_a_line_of_20000_letters_without_a_space_is_cut_all_the_same() -> None:
    styled = Styled(text="ї" * 20_000)
    assert [len(part.text) for part in split(styled)] == [4096, 4096, 4096, 4096, 3616]


def test_the_last_part_is_not_three_words() -> None:
    parts = split(Styled(text="Some words in a line. " * 190))
    assert len(parts) == 2
    assert min(len(part.text) for part in parts) > 900


@pytest.mark.parametrize(
    "text",
    ["a" * 4096 + "\n\n", "a" * 4090 + " " * 20, "a\n" + "\n" * 30 + "b" * 4096, "a " * 2048 + " \n" * 9],
)
def test_no_part_is_blank(text: str) -> None:
    parts = split(Styled(text=text))
    _check(Styled(text=text), parts, LONGEST)
    assert all(part.text.strip() for part in parts)


def test_a_part_has_no_more_spans_than_telegram_shows() -> None:
    styled = render("**a** b " * 350)
    parts = split(styled)
    _check(styled, parts, LONGEST)
    assert sum(len(part.spans) for part in parts) == 350
    assert len(parts) == 4


def test_a_book_is_split() -> None:
    styled = render("Some *words* in a line 👍. " * 1400)
    book = Styled(text=styled.text * 20, spans=styled.spans)
    parts = split(book)
    _check(book, parts, LONGEST)
