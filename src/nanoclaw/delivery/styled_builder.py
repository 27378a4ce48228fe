"""Builds styled text piece by piece, so that spans come out nested whatever order the styles had."""

from collections.abc import Iterator, Sequence
from math import ceil
from typing import NamedTuple

from nanoclaw.domain.styled import Style, Styled, StyledSpan, units

_FOLDED_FROM = 9  # lines of a quote
_LINE = 40  # characters that a phone shows on one line


class Solid(NamedTuple):
    """A style that can neither contain another of its kind nor be split by one: code, a code block, a link."""

    style: Style
    url: str | None = None
    language: str | None = None
    number: int = 0  # two adjacent blocks are still two


class TextStyle(NamedTuple):
    """The style of a piece of text. Spans of equal extent are nested in this order."""

    quote: int = 0  # the number of the quote
    solid: Solid | None = None
    bold: bool = False
    italic: bool = False
    underline: bool = False
    strikethrough: bool = False
    spoiler: bool = False


class _Piece(NamedTuple):
    text: str
    start: int
    end: int
    look: TextStyle


class StyledBuilder:
    """Styled text under construction."""

    def __init__(self) -> None:
        self._pieces: list[_Piece] = []

    def write(self, text: str, look: TextStyle = TextStyle()) -> None:  # noqa: B008
        if text:
            start = self._pieces[-1].end if self._pieces else 0
            self._pieces.append(_Piece(text, start, start + units(text), look))

    @property
    def text(self) -> str:
        return "".join(piece.text for piece in self._pieces)

    @property
    def length(self) -> int:
        """A position, for `since`."""
        return len(self._pieces)

    def since(self, place: int) -> str:
        return "".join(piece.text for piece in self._pieces[place:])

    @property
    def is_linked(self) -> bool:
        return any(piece.look.solid and piece.look.solid.url for piece in self._pieces)

    def styled(self) -> Styled:
        return Styled(text=self.text, spans=tuple(_spans(self._pieces)))


def _spans(pieces: Sequence[_Piece]) -> Iterator[StyledSpan]:
    """Adjacent pieces of one style are one span; where two would overlap, the longer one is split."""
    looks = [piece.look for piece in pieces]
    reaches = _reaches(looks)
    found: list[list[int]] = []  # level, first piece, one past the last piece
    opened: list[list[int]] = []
    for at, look in enumerate(looks):
        if at and look == looks[at - 1]:
            continue
        while any(reaches[first][level] <= at for level, first, _ in opened):
            opened.pop()[2] = at
        levels = {level for level, _, _ in opened}
        fresh = [level for level, value in enumerate(look) if value and level not in levels]
        opened += [[level, at, len(pieces)] for level in sorted(fresh, key=lambda level: -reaches[at][level])]
        found += [span for span in opened if span[1] == at]
    return (_span(level, pieces[first:last]) for level, first, last in found)


def _reaches(looks: Sequence[TextStyle]) -> list[list[int]]:
    """For each piece and level of its style, the first later piece that differs there."""
    reaches: list[list[int]] = []
    after: Sequence[object] = ()
    for at in range(len(looks) - 1, -1, -1):
        look = looks[at]
        ends = reaches[-1] if reaches else []
        same = [bool(after) and value == after[level] for level, value in enumerate(look)]
        reaches.append([ends[level] if same[level] else at + 1 for level in range(len(look))])
        after = look
    reaches.reverse()
    return reaches


def _span(level: int, pieces: Sequence[_Piece]) -> StyledSpan:
    value = pieces[0].look[level]
    start = pieces[0].start
    length = pieces[-1].end - start
    if isinstance(value, Solid):
        return StyledSpan(
            style=value.style, start=start, length=length, url=value.url, language=value.language
        )
    if TextStyle._fields[level] == "quote":
        lines = "".join(piece.text for piece in pieces).split("\n")
        shown = sum(max(ceil(len(line) / _LINE), 1) for line in lines)
        style = Style.EXPANDABLE_BLOCKQUOTE if shown >= _FOLDED_FROM else Style.BLOCKQUOTE
        return StyledSpan(style=style, start=start, length=length)
    return StyledSpan(style=Style(TextStyle._fields[level]), start=start, length=length)
