"""Text with styles, as chat networks take it: places and lengths are counted in UTF-16 code units.

Spans are nested or apart, never crossing. Code and pre hold no other span, and stand in nothing but a quote; so
does a link, except that it may hold bold and the like. Quotes are not nested. Sorted by start, the longer first.
"""

from dataclasses import dataclass
from enum import StrEnum


class Style(StrEnum):
    """The names are Telegram's."""

    BOLD = "bold"
    ITALIC = "italic"
    UNDERLINE = "underline"
    STRIKETHROUGH = "strikethrough"
    SPOILER = "spoiler"
    CODE = "code"  # within a line
    PRE = "pre"  # a block of code, with its language
    TEXT_LINK = "text_link"  # words that lead to an address
    BLOCKQUOTE = "blockquote"
    EXPANDABLE_BLOCKQUOTE = "expandable_blockquote"  # shown folded


@dataclass(frozen=True, kw_only=True, slots=True)
class Span:
    style: Style
    start: int
    length: int
    url: str | None = None
    language: str | None = None

    @property
    def end(self) -> int:
        return self.start + self.length


@dataclass(frozen=True, kw_only=True, slots=True)
class Styled:
    text: str
    spans: tuple[Span, ...] = ()


def units(text: str) -> int:
    """The length in UTF-16 code units: most letters are one, an emoji is two or more."""
    return len(text) if text.isascii() else len(text.encode("utf-16-le", "surrogatepass")) // 2
