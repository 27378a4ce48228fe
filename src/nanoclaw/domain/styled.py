"""Text with styles, as chat networks take it: offsets and lengths are in UTF-16 code units.

Spans nest or are disjoint, never crossing. Code and pre contain no other span and are only ever inside a
quote; the same holds for links, except that they may contain bold and the like. Quotes do not nest. Sorted by
start, longer first.
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
    CODE = "code"  # inline
    PRE = "pre"  # a block of code, with its language
    TEXT_LINK = "text_link"  # text that links to an address
    BLOCKQUOTE = "blockquote"
    EXPANDABLE_BLOCKQUOTE = "expandable_blockquote"  # shown folded


@dataclass(frozen=True, kw_only=True, slots=True)
class StyledSpan:
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
    spans: tuple[StyledSpan, ...] = ()


def units(text: str) -> int:
    """The length in UTF-16 code units: one for most letters, two or more for an emoji."""
    return len(text) if text.isascii() else len(text.encode("utf-16-le", "surrogatepass")) // 2
