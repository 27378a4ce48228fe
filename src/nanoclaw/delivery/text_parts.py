"""Splits a long text into parts that a chat accepts: at paragraphs, lines, sentences, words, and only then anywhere.

Joined, the parts are exactly the text. A style that crosses a cut continues in the next part.
"""

import re
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from dataclasses import replace
from itertools import accumulate

import wcwidth

from nanoclaw.domain.styled import Style, Styled, StyledSpan

LONGEST = 4096
MOST_SPANS = 100  # Telegram silently drops any more in one message

# Each matches what comes before a cut, best cuts first. The first two keep the indent of the next line.
_LINES = (
    re.compile(r"\n(?:[ \t]*\n)+"),
    re.compile(r"\n(?=.)"),
)
_WORDS = (
    re.compile(r"[.!?…։؟۔।。！？][\"'»”’)\]]*\s+(?=\S)|[。！？][」』）]*"),
    re.compile(r"\s+(?=\S)"),
)


def split(styled: Styled, limit: int = LONGEST) -> tuple[Styled, ...]:
    """The parts, each of 1 to `limit` units."""
    return tuple(_Splitting(styled, limit).parts())


class _Splitting:
    """Positions are character indexes here, so that no cut splits a surrogate pair."""

    def __init__(self, styled: Styled, limit: int) -> None:
        if limit < 2:
            raise ValueError("an emoji alone has two units")
        self._text = styled.text
        self._limit = limit
        self._units = _unit_places(styled.text)
        self._spans = [(self._index(span.start), self._index(span.end), span) for span in styled.spans]
        self._last_visible = len(styled.text.rstrip())
        self._blocks = [(start, end) for start, end, span in self._spans if span.style is Style.PRE]

    def parts(self) -> Iterator[Styled]:
        start, first = 0, 0
        while start < len(self._text):
            while first < len(self._spans) and self._spans[first][1] <= start:
                first += 1
            end = self._end_of_part(start, first)
            yield self._part(start, end, first)
            start = end

    def _end_of_part(self, start: int, first: int) -> int:
        furthest = self._furthest_end(start, first)
        if furthest == len(self._text):
            return furthest
        # Both this part and the rest need something visible: a chat refuses a message of blanks.
        visible = start + len(self._text[start:furthest]) - len(self._text[start:furthest].lstrip()) + 1
        low, high = visible, min(furthest, max(self._last_visible - 1, visible))
        if visible > furthest:
            return furthest
        rest = self._place(len(self._text)) - self._place(start)
        third = start + (high - start) // 3
        if rest - self._limit < self._limit // 4:  # two even parts rather than a long one and three words
            fair = min(high, self._index(self._place(start) + rest - self._limit // 4))
            if place := self._nice(max(third, low), fair):
                return place
        return (
            self._nice(max(third, low), high)
            or self._nice(low, high)
            or self._last_cut((*_LINES, *_WORDS), low, high)
            or self._anywhere(start, high)
        )

    def _furthest_end(self, start: int, first: int) -> int:
        """How far a part that begins here can go."""
        furthest = self._index(self._place(start) + self._limit)
        inside = 0
        for begin, end, _ in self._spans[first:]:
            if begin >= furthest:
                break
            inside += end > start
            if inside > MOST_SPANS and begin > start:
                return begin
        return furthest

    def _nice(self, low: int, high: int) -> int | None:
        """The last of the best cuts; before a code block that would be cut although it fits in one part."""
        if (block := self._block_around(high)) and self._stays_whole(block):
            high = block[0]
            if high >= low:
                return high
        return self._last_cut(_LINES, low, high, is_nice=True) or self._last_cut(
            _WORDS, low, high, is_nice=True
        )

    def _last_cut(
        self, kinds: tuple[re.Pattern[str], ...], low: int, high: int, *, is_nice: bool = False
    ) -> int | None:
        for kind in kinds:
            begin, step = high, 256  # from the end in growing steps: mostly the last lines hold a cut
            while begin > low:
                begin, step = max(high - step, low), step * 4
                places = [found.end() for found in kind.finditer(self._text, begin - 1, high + 1)]
                for place in reversed(places):
                    if (
                        low <= place <= high
                        and self._is_letter_start(place)
                        and not (is_nice and self._is_spoilt(kind, place))
                    ):
                        return place
        return None

    def _is_spoilt(self, kind: re.Pattern[str], place: int) -> bool:
        """Code is cut only between lines, and only if it is longer than a part."""
        block = self._block_around(place)
        return block is not None and (kind in _WORDS or self._stays_whole(block))

    def _block_around(self, place: int) -> tuple[int, int] | None:
        at = bisect_left(self._blocks, (place, 0)) - 1
        return self._blocks[at] if at >= 0 and self._blocks[at][1] > place else None

    def _stays_whole(self, block: tuple[int, int]) -> bool:
        return self._place(block[1]) - self._place(block[0]) <= self._limit

    def _is_letter_start(self, place: int) -> bool:
        return place >= len(self._text) or wcwidth.grapheme_boundary_before(self._text, place + 1) == place

    def _anywhere(self, start: int, high: int) -> int:
        if self._is_letter_start(high):
            return high
        letter = int(wcwidth.grapheme_boundary_before(self._text, high))
        return letter if letter > start else high

    def _part(self, start: int, end: int, first: int) -> Styled:
        offset = self._place(start)
        spans: list[StyledSpan] = []
        for begin, stop, span in self._spans[first:]:
            if begin >= end:
                break
            if stop > start:
                here = self._place(max(begin, start))
                length = self._place(min(stop, end)) - here
                spans.append(replace(span, start=here - offset, length=length))
        return Styled(text=self._text[start:end], spans=tuple(spans))

    def _place(self, index: int) -> int:
        return self._units[index] if self._units else index

    def _index(self, place: int) -> int:
        """The last character boundary at or before this position."""
        if self._units:
            return bisect_right(self._units, place) - 1
        return min(place, len(self._text))


def _unit_places(text: str) -> "array[int] | None":
    """Where each character begins, in units; None if every character is one unit."""
    if not text or max(text) <= "\uffff":
        return None
    return array("L", accumulate((2 if letter > "\uffff" else 1 for letter in text), initial=0))
