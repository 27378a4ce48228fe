"""Markdown becomes text with styles: nothing of it is lost, code is exact, and a chat takes every span."""

import re
import time
from pathlib import Path
from urllib.parse import quote

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nanoclaw.delivery.markdown import render
from nanoclaw.domain.styled import Style, Styled, StyledSpan, units
from nanoclaw.domain.text import storable

pytestmark = pytest.mark.capability("A11")

ANSWER = (Path(__file__).parent / "samples" / "answer.md").read_text("utf-8")


def _inside(styled: Styled, span: StyledSpan) -> str:
    raw = styled.text.encode("utf-16-le", "surrogatepass")
    return raw[2 * span.start : 2 * span.end].decode("utf-16-le", "surrogatepass")


def _seen(markdown: str, *, is_unfinished: bool = False) -> tuple[str, list[tuple[str, str]]]:
    styled = render(markdown, is_unfinished=is_unfinished)
    _check(styled)
    return styled.text, [(span.style.value, _inside(styled, span)) for span in styled.spans]


_QUOTES = {Style.BLOCKQUOTE, Style.EXPANDABLE_BLOCKQUOTE}
_CODE = {Style.CODE, Style.PRE}


def _check(styled: Styled) -> None:
    """What Telegram asks of entities."""
    styled.text.encode()
    length = units(styled.text)
    assert list(styled.spans) == sorted(styled.spans, key=lambda span: (span.start, -span.length))
    around: list[StyledSpan] = []
    for span in styled.spans:
        assert 0 <= span.start < span.end <= length
        while around and around[-1].end <= span.start:
            around.pop()
        styles = [outer.style for outer in around]
        assert not around or span.end <= around[-1].end, "two spans cross"
        assert span.style not in styles
        assert not _CODE & set(styles)
        assert span.style not in _QUOTES or not _QUOTES & set(styles)
        if span.style in _CODE | {Style.TEXT_LINK}:
            assert not {Style.TEXT_LINK, *_CODE} & set(styles)
        if span.style in _CODE:
            assert set(styles) <= _QUOTES
        assert (span.url is not None) == (span.style is Style.TEXT_LINK)
        around.append(span)


@pytest.mark.parametrize(
    ("markdown", "text", "spans"),
    [
        ("# Head", "Head", [("bold", "Head")]),
        ("## Use `x` *now*", "Use x now", [("bold", "Use "), ("code", "x"), ("bold", " now"), ("italic", "now")]),
        ("**see [docs](https://e.org) now**", "see docs now", [("bold", "see docs now"), ("text_link", "docs")]),
        ("[see **docs** now](https://e.org)", "see docs now", [("text_link", "see docs now"), ("bold", "docs")]),
        ("[**docs** now](https://e.org)", "docs now", [("text_link", "docs now"), ("bold", "docs")]),
        ("**b *bi* b**", "b bi b", [("bold", "b bi b"), ("italic", "bi")]),
        ("__b__ _i_ ~~s~~", "b i s", [("bold", "b"), ("italic", "i"), ("strikethrough", "s")]),
        ("||a **b** c||", "a b c", [("spoiler", "a b c"), ("bold", "b")]),
        ("`a*b*c` and ``x`y``", "a*b*c and x`y", [("code", "a*b*c"), ("code", "x`y")]),
        ("a || b || c", "a || b || c", []),
        ("2*3*4 snake_case_name", "2*3*4 snake_case_name", []),
        ("one\ntwo\n\n\n\n\nthree", "one\ntwo\n\nthree", []),
        ("one\n---\ntwo", "one\n───\ntwo", []),
        ("a<br>b <b>c</b> <u>e</u>", "a\nb c e", [("bold", "c"), ("underline", "e")]),
        ("<i>c</i> <s>f</s>", "c f", [("italic", "c"), ("strikethrough", "f")]),
        ("<code>**x**</code>", "**x**", [("code", "**x**")]),
        ("<b>open, <details>x</details>", "<b>open, <details>x</details>", []),
        ("**a <u>b** c</u>", "a b c", [("bold", "a b"), ("underline", "b"), ("underline", " c")]),
        ("x < y && z > w &lt;", "x < y && z > w <", []),
        ("👍🏽 **їжа** 👩‍👧", "👍🏽 їжа 👩‍👧", [("bold", "їжа")]),
        ("> a\n> **b**\n\nc", "a\nb\n\nc", [("blockquote", "a\nb"), ("bold", "b")]),
        ("> a\n>> b", "a\n> b", [("blockquote", "a\n> b")]),
        ("> a\n\n<!-- -->\n\n> b", "a\n\n<!-- -->\n\nb", [("blockquote", "a"), ("blockquote", "b")]),
        ("> ```py\n> x\n> ```", "x", [("blockquote", "x"), ("pre", "x")]),
        ("text[^1]\n\n[^1]: note\n[a]: https://e.org", "text[^1]\n\n[^1]: note\n[a]: https://e.org", []),
    ],
)  # fmt: skip
def test_what_is_written_is_what_is_seen(markdown: str, text: str, spans: list[tuple[str, str]]) -> None:
    assert _seen(markdown) == (text, spans)


def test_lists_are_nested_and_numbers_are_kept() -> None:
    markdown = "List:\n- a\n  more\n  - b\n    - c\n      - d\n- [ ] e\n- [x] f\n\n3. g\n4. h\n\n7) i\n   - j"
    assert _seen(markdown)[0] == (
        "List:\n• a\n   more\n   ◦ b\n      ▪ c\n         ▪ d\n☐ e\n☑ f\n\n3. g\n4. h\n\n7) i\n   ◦ j"
    )


def test_an_item_may_hold_code_and_a_quote() -> None:
    text, spans = _seen("1. Do:\n   ```sh\n     ls | wc\n   ```\n2. > said\n- ```\n  x\n  ```")
    assert text == "1. Do:\n  ls | wc\n2. said\n•\nx"
    assert [style for style, _ in spans] == ["pre", "blockquote", "pre"]


@pytest.mark.parametrize(
    ("markdown", "text", "url"),
    [
        ("[a *b*](https://e.org/x_y)", "a b", "https://e.org/x_y"),
        ("[`code`](https://e.org)", "code", "https://e.org"),
        ("![picture](https://e.org/p.png)", "picture", "https://e.org/p.png"),
        ("![](https://e.org/p.png)", "https://e.org/p.png", "https://e.org/p.png"),
        ("[![badge](https://e.org/p.png)](https://e.org)", "badge", "https://e.org"),
        ('<a href="https://e.org">there</a>', "there", "https://e.org"),
        ("<https://e.org>", "https://e.org", None),
        ("https://e.org/a_b_c", "https://e.org/a_b_c", None),
        ("[x](javascript:alert(1))", "[x](javascript:alert(1))", None),
        ('<a href="javascript:alert(1)">x</a>', '<a href="javascript:alert(1)">x</a>', None),
        ("[x](file:///etc/passwd)", "[x](file:///etc/passwd)", None),
        ("[app](src/app.py)", "app (src/app.py)", None),
        ("[me](mailto:a@e.org)", "me (mailto:a@e.org)", None),
        ("[here](http://localhost:8080)", "here (http://localhost:8080)", None),
        ("![x](p.png)", "x (p.png)", None),
        ("[x]()", "x", None),
    ],
)
def test_a_link_can_be_followed_or_its_address_is_seen(markdown: str, text: str, url: str | None) -> None:
    styled = render(markdown)
    _check(styled)
    assert styled.text == text
    assert next((span.url for span in styled.spans if span.url), None) == url


CODES = {
    "python": 'def f(x):\n    """**not bold**"""\n\n\n    return x * 2 * 3  # `_a_`\n',
    "javascript": "const f = (a) => `${a} || ${b}`;\n\tif (a <= b && c) {}",
    "rust": "fn main() {\n    let v: Vec<&'a str> = vec![];\n}\n\n",
    "shell": "cat <<'E' | sed 's/\\$x/*/g'\n  $HOME \\\nE\n# ~~~ [link](x)",
    "text": "| a | b |\n|---|---|\n> - * # ||x||\n&amp; <b>&lt;",
}


@pytest.mark.parametrize("language", CODES)
@pytest.mark.parametrize("fence", ["```", "~~~~"])
def test_code_is_kept_to_the_letter_with_its_language(language: str, fence: str) -> None:
    styled = render(f"See:\n{fence}{language} title=x\n{CODES[language]}\n{fence}\nDone.")
    _check(styled)
    assert styled.text == f"See:\n{CODES[language]}\nDone."
    assert [(span.style, span.language) for span in styled.spans] == [(Style.PRE, language)]


def test_what_cannot_be_a_language_is_the_first_line_of_the_code() -> None:
    styled = render("```довгий рядок\nx\n```")
    assert [(_inside(styled, span), span.language) for span in styled.spans] == [("довгий рядок\nx", None)]


def test_indented_code_is_code() -> None:
    assert _seen("Text\n\n    a  <b>\n      *b*\n\nEnd") == (
        "Text\n\na  <b>\n  *b*\n\nEnd",
        [("pre", "a  <b>\n  *b*")],
    )


@given(st.text(alphabet=st.characters(exclude_characters="`"), max_size=300))
@settings(max_examples=150, deadline=None)
def test_whatever_the_code_is_no_character_of_it_is_lost(code: str) -> None:
    code = "first\n" + storable(code).replace("~~~", "")
    for markdown in (f"a\n```py\n{code}\n```\nb", f"`````\n{code}\n`````"):
        assert _blocks(markdown) == [code]
    [unfinished] = _blocks(f"> a\n\n~~~\n{code}")
    assert unfinished.rstrip() == code.rstrip()


def _blocks(markdown: str) -> list[str]:
    styled = render(markdown)
    return [_inside(styled, span) for span in styled.spans if span.style is Style.PRE]


def test_a_small_table_is_set_in_columns_by_the_width_that_is_seen() -> None:
    text, spans = _seen("| Plan | Price |\n|:--|--:|\n| **Дім** | 12 |\n| 日本 | 1280 |\n| `a` 👍🏽 | |")
    assert text == "Plan  Price\n────  ─────\nДім      12\n日本   1280\na 👍🏽"
    assert spans == [("pre", text)]


def test_a_wide_table_is_told_row_by_row() -> None:
    text, spans = _seen(
        "| Name | What it is for | Cost |\n|---|---|---|\n"
        "| **Office** | everything that is done in an office | 128 |\n| [Home](https://e.org) | `rest` | |\n"
    )
    assert text == (
        "Name\n\nOffice\nWhat it is for: everything that is done in an office\nCost: 128\n\nHome\nWhat it is for: rest"
    )
    assert spans == [
        ("italic", "Name"),
        ("bold", "Office"),
        ("text_link", "Home"),
        ("bold", "Home"),
        ("code", "rest"),
    ]


def test_a_row_keeps_cells_that_the_head_does_not_have() -> None:
    assert "y`|z" in _seen("|a|b|\n|-|-|\n|`x|y`|z|\n")[0]
    assert "a  b" in _seen("|a|b|\n|-|-|\n")[0]


@pytest.mark.parametrize(
    "maths",
    [
        "$a_1 * b_2 * c_3$",
        "$$\\sum_{i} x_i * y_i * z$$",
        "\\(a_1 * b_1\\) and \\[x_1 \\\\ y_1\\]",
        "$$\n\\begin{aligned}\n- a_1 &= *b* \\\\\n# c\n+ d\n\\end{aligned}\n$$",
        "\\[\n1. x_1\n> y\n\\]",
        "It costs $5 and $10, not 2*3*$4.",
    ],
)
def test_maths_is_kept_as_it_is(maths: str) -> None:
    assert _seen(f"So:\n{maths}\nDone.") == (f"So:\n{maths}\nDone.", [])


def test_a_long_quote_is_shown_folded() -> None:
    assert [style for style, _ in _seen("> a\n" * 8)[1]] == ["blockquote"]
    assert [style for style, _ in _seen("> a\n" * 9)[1]] == ["expandable_blockquote"]
    assert [style for style, _ in _seen("> " + "words " * 80)[1]] == ["expandable_blockquote"]


@pytest.mark.parametrize(
    ("half", "text", "styles"),
    [
        ("so **bold wor", "so bold wor", ["bold"]),
        ("so **bold ", "so bold", ["bold"]),
        ("so **", "so ", []),
        ("run `ls -l", "run ls -l", ["code"]),
        ("||secret", "secret", ["spoiler"]),
        ("**bold `co", "bold co", ["bold", "code"]),
        ("```py\nx = a**", "x = a**", ["pre"]),
        ("```py\n", "```py\n", []),
        ("| a | b |\n|---|---|\n| 1", "a  b\n─  ─\n1", ["pre"]),
        ("- one\n- ", "• one\n• ", []),
        ("a || b", "a || b", []),
    ],
)
def test_what_is_half_written_is_shown_as_if_it_ended_here(half: str, text: str, styles: list[str]) -> None:
    shown, spans = _seen(half, is_unfinished=True)
    assert (shown.rstrip(" "), [style for style, _ in spans]) == (text.rstrip(" "), styles)


@pytest.mark.parametrize("is_unfinished", [False, True])
def test_every_beginning_of_an_answer_can_be_shown(is_unfinished: bool) -> None:
    for length in range(0, len(ANSWER), 1 if is_unfinished else 3):
        _check(render(ANSWER[:length], is_unfinished=is_unfinished))


def test_every_word_of_an_answer_is_there() -> None:
    styled = render(ANSWER)
    _check(styled)
    assert set(re.findall(r"\w+", ANSWER)) - set(re.findall(r"\w+", styled.text)) <= {
        *("python", "rust", "https", "example", "org", "a_b", "c", "d", "x", "b", "br"),
    }
    assert {span.style for span in styled.spans} >= {*Style} - {Style.UNDERLINE, Style.EXPANDABLE_BLOCKQUOTE}


PIECES = (
    *(
        "# ",
        "**",
        "*",
        "_",
        "~~",
        "||",
        "|",
        "`",
        "```",
        "```py\n",
        "\n",
        "\n\n",
        "> ",
        "- ",
        "1. ",
        "    ",
        "[ ] ",
    ),
    *(
        "|a|b|\n|-|-|\n",
        "---\n",
        "[a](",
        "https://e.org",
        ")",
        "![",
        "](",
        "<b>",
        "</b>",
        "<u>",
        "</u>",
        "<br>",
    ),
    *(
        "<code>",
        "</code>",
        '<a href="https://e.org">',
        "</a>",
        "$",
        "$$",
        "\\(",
        "\\)",
        "\\",
        "&amp;",
        "<!--",
    ),
    *(
        "слово",
        "مرحبا",
        "👍🏽",
        "👩‍👧",
        "🇺🇦",
        "\u200b",
        "\u0301",
        " ",
        "a",
        "1",
        "\x00",
        "\ud800",
        "\r\n",
        "\t",
    ),
)


@given(st.lists(st.sampled_from(PIECES), max_size=40).map("".join))
@settings(max_examples=300, deadline=None)
def test_whatever_is_written_a_chat_takes_it_and_no_word_is_lost(markdown: str) -> None:
    styled = render(markdown)
    _check(styled)
    _check(render(markdown, is_unfinished=True))
    seen = styled.text + "".join(f"{span.url} {span.language}" for span in styled.spans)
    written = re.sub(r"```[^\n]*", "", markdown)  # what stands behind the language of code is for programs
    for word in ("слово", "مرحبا", "👍🏽", "🇺🇦"):
        assert word in seen or quote(word) in seen or word not in written


@pytest.mark.parametrize(
    "text",
    [
        *(
            "word " * 20_000,
            "[" * 100_000,
            "![" * 50_000,
            ">" * 50_000,
            "<b>" * 33_000,
            "- " * 40 + "x",
            "*" * 99_999,
        ),
        *(
            "-   " * 15 + "x",
            ("[" * 20 + "\n\n") * 1500,
            "\\[\n" * 12_000,
            "|a|b|\n|-|-|\n" + "|a|b|\n" * 6_000,
        ),
        *("".join("  " * deep + "- a\n" for deep in range(200)), ("**a** " * 6 + "\n\n") * 900, "&" * 9_999),
    ],
)
def test_no_text_holds_up_the_others(text: str) -> None:
    began = time.process_time()
    styled = render(text)
    assert time.process_time() - began < 3
    _check(styled)
    assert sum(letter.isalnum() for letter in styled.text) == sum(letter.isalnum() for letter in text)


@pytest.mark.parametrize(
    "text", ["", " \n", "```", "```\n```", "**", "[a]: b", "---", "\x00", "\ud800\udc00", "- "]
)
def test_what_is_only_marks_is_shown_all_the_same(text: str) -> None:
    styled = render(text)
    _check(styled)
    assert bool(styled.text.strip()) == bool(text.strip())


@given(
    st.lists(st.text("abcXYZ019їЄé.,!?:;'’()…–—- www*_`", min_size=1, max_size=12), min_size=1, max_size=6)
)
@settings(max_examples=150)
def test_a_line_of_plain_words_is_shown_as_it_is_or_as_the_parser_reads_it(words: list[str]) -> None:
    line = " ".join(words)
    assert render(line) == render(f"\n{line}")  # the parser reads whatever begins with an empty line
