"""Markdown to HTML that is safe to show: raw HTML stays text, links cannot run code."""

from collections.abc import Sequence
from functools import cache

from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token
from markdown_it.utils import EnvType, OptionsDict

_LONGEST = 200_000  # beyond this it is shown as plain text: a page is for reading


def to_html(text: str) -> str:
    if len(text) > _LONGEST:
        text = "```\n" + text[:_LONGEST].replace("```", "'''") + "\n```\n…"
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
    """The page allows no inline styles, so a column says how it is aligned in an attribute."""
    style = str(tokens[index].attrs.pop("style", ""))
    if style:
        tokens[index].attrs["align"] = style.removeprefix("text-align:")
    return self.renderToken(tokens, index, options, _env)
