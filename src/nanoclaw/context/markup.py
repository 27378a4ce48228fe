"""The lists, code, links and HTML of a text, with their lines."""

import re
from collections.abc import Iterator, Sequence

from markdown_it.token import Token

# Bounded: in a text of nothing but `<a` an open search would restart at each of them, and take minutes.
_TAG = re.compile(r"<([a-zA-Z][\w-]{0,40})([^<>]{0,2000})>?")
_ATTRIBUTE = re.compile(r"""([^\s"'<>/=]+)(?:\s*=\s*(?:"[^"]*"|'[^']*'|[^\s"'=<>`]+))?""")
_HTML_LINK = re.compile(r"<a\s[^>]{0,2000}>[^<]{0,200}", re.IGNORECASE)
_ADDRESS = re.compile(r"https?://\S+")
_ATTRIBUTES = {"href"}  # of an allowed tag; others carry scripts and styles


def lists(tokens: Sequence[Token]) -> Iterator[tuple[int, int]]:
    """The line of each bulleted list, and its number of items; a nested list is counted separately."""
    open_lists: list[list[int]] = []
    for token in tokens:
        match token.type:
            case "bullet_list_open" | "ordered_list_open":
                open_lists.append([_line(token), 0])
            case "list_item_open":
                open_lists[-1][1] += 1
            case "bullet_list_close":
                line, count = open_lists.pop()
                yield line, count
            case "ordered_list_close":
                open_lists.pop()  # a numbered list may have any number of steps


def bare_fences(tokens: Sequence[Token]) -> Iterator[int]:
    """Lines of code blocks without a language."""
    return (_line(token) for token in tokens if token.type == "fence" and not token.info.strip())


def foreign_html(tokens: Sequence[Token], allowed: Sequence[str]) -> Iterator[tuple[int, str]]:
    """Tags that are not allowed, and allowed ones with an attribute other than a link's address."""
    for line, html in _html(tokens):
        for found in _TAG.finditer(html):
            foreign = [name for name in _ATTRIBUTE.findall(found[2]) if name.lower() not in _ATTRIBUTES]
            tag = found[1].lower()
            if tag not in allowed or foreign:
                shown = f"<{tag}>" if tag not in allowed else f"<{tag} {foreign[0]}>"
                yield line + html.count("\n", 0, found.start()), shown


def links(tokens: Sequence[Token], source: str) -> Iterator[str]:
    """Address and text of each link, however it is written."""
    for token in tokens:
        shown: list[str] | None = None
        for child in token.children or ():
            if child.type == "link_open":
                shown = [str(child.attrs.get("href", ""))]
            elif child.type == "link_close" and shown is not None:
                yield " ".join(shown)
                shown = None
            elif shown is not None:
                shown.append(child.content)
    yield from _HTML_LINK.findall(source)
    yield from _ADDRESS.findall(source)


def _html(tokens: Sequence[Token]) -> Iterator[tuple[int, str]]:
    for token in tokens:
        if token.type == "html_block":
            yield _line(token), token.content
        line = _line(token)
        for child in token.children or ():
            if child.type in ("softbreak", "hardbreak"):
                line += 1
            elif child.type == "html_inline":
                yield line, child.content


def _line(token: Token) -> int:
    return token.map[0] + 1 if token.map else 1
