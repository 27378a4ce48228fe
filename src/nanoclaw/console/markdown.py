"""Markdown to HTML that is safe to show: raw HTML stays text, links cannot run code."""

import re
from collections.abc import Sequence
from functools import cache
from html import escape

from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token
from markdown_it.utils import EnvType, OptionsDict

# Longer text is shown plain: nobody reads it, and parsing it would block everyone.
_LONGEST = 30_000
_MOST_BRACKETS = 500
_DEEP = re.compile(r"^(?:[ \t]*(?:>|(?:[*+-]|\d{1,9}[.)])(?=[ \t]))){16,}", re.MULTILINE)


def to_html(text: str) -> str:
    if len(text) > _LONGEST or text.count("[") > _MOST_BRACKETS or _DEEP.search(text):
        return f"<pre><code>{escape(text)}</code></pre>"
    html: str = _renderer().render(text)
    return html


@cache
def _renderer() -> MarkdownIt:
    # "js-default" refuses raw HTML and links such as javascript:; line breaks are kept as people type them.
    renderer = MarkdownIt("js-default", {"breaks": True})
    for part in ("th_open", "td_open"):
        renderer.add_render_rule(part, _aligned)
    return renderer


def _aligned(
    self: RendererHTML, tokens: Sequence[Token], index: int, options: OptionsDict, _env: EnvType
) -> str:
    """The page allows no inline styles, so a column's alignment goes into an attribute."""
    style = str(tokens[index].attrs.pop("style", ""))
    if style:
        tokens[index].attrs["align"] = style.removeprefix("text-align:")
    return self.renderToken(tokens, index, options, _env)
