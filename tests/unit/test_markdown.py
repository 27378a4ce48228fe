"""Markdown becomes HTML that is safe to show: raw HTML stays text, and no link runs code."""

from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nanoclaw.console.markdown import to_html

_TAGS = {
    *("p", "br", "hr", "strong", "em", "s", "code", "pre", "blockquote", "ul", "ol", "li", "a", "img"),
    *("h1", "h2", "h3", "h4", "h5", "h6", "table", "thead", "tbody", "tr", "th", "td"),
}
_ATTRIBUTES = {"href", "src", "alt", "title", "class", "align", "start"}


class _Page(HTMLParser):
    """What a browser would find in it."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str]] = []
        self.text = ""
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += [(name, value or "") for name, value in attrs]

    def handle_data(self, data: str) -> None:
        self.text += data

    @property
    def addresses(self) -> list[str]:
        return [value for name, value in self.attributes if name in {"href", "src"}]


@pytest.mark.parametrize(
    "hostile",
    [
        "<script>alert(1)</script>",
        "text <img src=x onerror=alert(1)> text",
        "<iframe src='https://example.com'></iframe>",
        "<!-- comment --> <![CDATA[x]]> <?php x ?>",
        "<style>* { display: none }</style>",
        "**bold <b onclick=alert(1)>**",
        "- <svg/onload=alert(1)>",
        "| <script>1</script> |\n|---|\n| <b>x</b> |",
    ],
)
def test_raw_html_is_shown_as_the_text_it_is(hostile: str) -> None:
    page = _Page(to_html(hostile))
    assert set(page.tags) <= _TAGS
    assert "b" not in page.tags
    assert {name for name, _ in page.attributes} <= _ATTRIBUTES
    assert page.text.count("<") == hostile.count("<")


@pytest.mark.parametrize(
    "hostile",
    [
        "[x](javascript:alert(1))",
        "[x](JaVaScRiPt:alert(1))",
        "[x](java\nscript:alert(1))",
        "[x](&#106;avascript:alert(1))",
        "[x](&#x6A;avascript&colon;alert(1))",
        "[x](\x01javascript:alert(1))",
        "[x]( javascript:alert(1))",
        "[x](<javascript:alert(1)>)",
        "[x](vbscript:alert(1))",
        "[x](data:text/html;base64,PHNjcmlwdD4=)",
        "[x](file:///etc/passwd)",
        "![x](javascript:alert(1))",
        "<javascript:alert(1)>",
        "[x]\n\n[x]: javascript:alert(1)",
        '[x](https://example.com "title" onclick=alert(1))',
        '[x](https://example.com"onclick="alert(1))',
        "```\" onmouseover='alert(1)'\ncode\n```",
    ],
)
def test_no_link_runs_code(hostile: str) -> None:
    page = _Page(to_html(hostile))
    assert {name for name, _ in page.attributes} <= _ATTRIBUTES
    assert all(address.startswith("https://example.com") for address in page.addresses)


def test_an_ordinary_link_works() -> None:
    assert to_html("[shop](https://example.com/a?b=1&c=2)") == (
        '<p><a href="https://example.com/a?b=1&amp;c=2">shop</a></p>\n'
    )


BLOCKS = ("\n", "\n\n", "> ", "- ", "1. ", "# ", "```\n", "| ", "|-|\n")
INLINE = ("*", "_", "~~", "`", "\\", "[a](", "![", "](", ")", "javascript:", "https://e.x", "&lt;", "&#106;")
HTML = ("<script>", "</p>", "<b>", "<!--", "-->", '"', "'", "<", ">", " ", "a")
pieces = st.sampled_from(BLOCKS + INLINE + HTML)


@given(st.lists(pieces, max_size=40).map("".join))
def test_whatever_is_written_only_harmless_html_comes_out(text: str) -> None:
    page = _Page(to_html(text))
    assert set(page.tags) <= _TAGS
    assert {name for name, _ in page.attributes} <= _ATTRIBUTES
    assert not any(address.lower().startswith(("javascript:", "data:text")) for address in page.addresses)


def test_a_table_keeps_its_columns_without_inline_styles() -> None:
    html = to_html("| plan | price |\n|:---|---:|\n| *Office* | 128 |\n")
    assert _Page(html).tags == ["table", "thead", "tr", "th", "th", "tbody", "tr", "td", "em", "td"]
    assert '<th align="left">plan</th>' in html
    assert '<td align="right">128</td>' in html
    assert "style" not in html


def test_a_table_without_alignment_says_none() -> None:
    assert _Page(to_html("|a|\n|-|\n|b|\n")).attributes == []


def test_code_keeps_its_shape() -> None:
    assert to_html("```python\nif a < b:\n    pass\n```") == (
        '<pre><code class="language-python">if a &lt; b:\n    pass\n</code></pre>\n'
    )
    assert to_html("run `a && <b>`") == "<p>run <code>a &amp;&amp; &lt;b&gt;</code></p>\n"


def test_a_block_of_code_that_is_still_being_written_is_code_already() -> None:
    assert to_html("```\n<b>") == "<pre><code>&lt;b&gt;</code></pre>\n"


def test_line_breaks_are_kept_as_people_type_them() -> None:
    assert to_html("one\ntwo\n\nthree") == "<p>one<br>\ntwo</p>\n<p>three</p>\n"


def test_lists_emphasis_and_headings_are_shown() -> None:
    assert _Page(to_html("# A\n\n1. **b**\n2. *c* ~~d~~\n\n- e\n\n> f\n\n---")).tags == (
        ["h1", "ol", "li", "strong", "li", "em", "s", "ul", "li", "blockquote", "p", "hr"]
    )


@pytest.mark.parametrize("text", ["", "   ", "\n\n"])
def test_nothing_is_nothing(text: str) -> None:
    assert to_html(text) == ""


@pytest.mark.parametrize(
    "text", ["word " * 8_000, "[" * 100_000, "![" * 50_000, ">" * 50_000, "<b>" * 20_000, "- " * 40 + "x"]
)
def test_a_text_that_would_hold_up_the_page_is_shown_plain_and_whole(text: str) -> None:
    html = to_html(text)
    page = _Page(html)
    assert set(page.tags) == {"pre", "code"}
    assert page.text == text


def test_a_long_text_within_the_limit_is_shown_whole() -> None:
    text = "word " * 5_000 + "**end**"
    assert "<strong>end</strong>" in to_html(text)
    assert _Page(to_html(text)).text.count("word") == 5_000
