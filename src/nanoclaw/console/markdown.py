"""Markdown to HTML that is safe to show: raw HTML stays text, links cannot run code."""

from functools import cache

from markdown_it import MarkdownIt

_LONGEST = 200_000  # beyond this it is shown as plain text: a page is for reading


def to_html(text: str) -> str:
    if len(text) > _LONGEST:
        text = "```\n" + text[:_LONGEST].replace("```", "'''") + "\n```\n…"
    html: str = _renderer().render(text)
    return html


@cache
def _renderer() -> MarkdownIt:
    # "js-default" refuses raw HTML and links such as javascript:; line breaks are kept as people type them.
    return MarkdownIt("js-default", {"breaks": True})
