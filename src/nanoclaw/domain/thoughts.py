"""Removes what an agent thinks aloud, `<internal>...</internal>`, from whatever it says to people.

Tags count in any case, with attributes and spaces; one that is never closed extends to the end. A tag merely
mentioned in code stays and does not cut off the rest. If the two cannot be distinguished, it is removed.
"""

import re

# Until the first `>`, even within an attribute; an unfinished one until the end.
_TAGS = r"<(?P<end>/)?internal(?:[\s/][^>]*)?(?:>|\Z)|<\s{0,8}(?P<end_too>/)?\s{0,8}internal\s{0,8}/?>"
_TAG = re.compile(_TAGS, re.IGNORECASE)
_TOKEN = re.compile(
    rf"^ {{0,3}}(?P<fence>`{{3,}}|~{{3,}})|(?P<ticks>`+)|{_TAGS}", re.IGNORECASE | re.MULTILINE
)
_ENCLOSES_NOTHING = re.compile(r"(?:internal|[\s\"'])/>\Z", re.IGNORECASE)  # `<internal />`
_EMPTY_LINE = re.compile(r"\n[ \t]*\n")
_HALF = re.compile(r"<\s{0,8}/?\s{0,8}(?:i(?:n(?:t(?:e(?:r(?:n(?:al?)?)?)?)?)?)?)?\Z", re.IGNORECASE)
_WORD = re.compile(r"\w")
_MOST_PASSES = 8

_Match = re.Match[str]


def without_internal(text: str) -> str:
    """What may be said to people."""
    return _spoken(text, growing=False).strip()


def presentable(unfinished: str) -> str:
    """What may be shown of an answer still being written: no thought, and no half of a tag at its end."""
    return _spoken(_HALF.sub("", unfinished), growing=True).strip()


def _spoken(text: str, *, growing: bool) -> str:
    # Again, because the rest may join into a tag that was not there before.
    for _ in range(_MOST_PASSES):
        if not _TAG.search(text):
            return text
        left = _Pass(text, growing=growing).kept()
        if left == text:
            return text
        text = left
    return _TAG.split(text, maxsplit=1)[0]  # nested deeper than anyone does by accident


class _Pass:
    """One pass from left to right. Each letter is examined only a few times, whatever the text."""

    def __init__(self, text: str, *, growing: bool) -> None:
        self._text = text
        self._growing = growing
        self._endless: dict[
            str, int
        ] = {}  # by sign: fences of this length or more are not closed from here on
        self._single: set[int] = set()  # lengths of ticks that do not occur again

    def kept(self) -> str:
        kept, at, since = [], 0, 0
        while token := _TOKEN.search(self._text, at):
            if token["fence"]:
                at = self._after_block(token) or token.end()
            elif token["ticks"]:
                at = self._after_span(token) or token.end()
            else:
                kept.append(self._text[since : token.start()])
                at = since = self._after_thought(token)
        return "".join([*kept, self._text[since:]])

    def _after_thought(self, tag: _Match) -> int:
        """Where a thought ends; an unclosed one extends to the end."""
        if _ends(tag) or _ENCLOSES_NOTHING.search(tag[0]):
            return tag.end()
        depth = 1
        for other in _TAG.finditer(self._text, tag.end()):
            if not _ENCLOSES_NOTHING.search(other[0]):
                depth += -1 if _ends(other) else 1
            if depth == 0:
                return other.end()
        return len(self._text)

    def _after_block(self, fence: _Match) -> int | None:
        """Where a code block ends. An unclosed one does not count: an agent may have forgotten to close it."""
        sign, length = fence["fence"][0], len(fence["fence"])
        if length >= self._endless.get(sign, length + 1):
            return None
        closing = re.compile(rf"^ {{0,3}}{re.escape(sign)}{{{length},}}[ \t]*$", re.MULTILINE)
        end = closing.search(self._text, fence.end())
        if end is None:
            self._endless[sign] = length
        return end.end() if end else None

    def _after_span(self, ticks: _Match) -> int | None:
        """Where inline code ends: at as many ticks, in the same paragraph. None if it hides a thought."""
        end = self._same_ticks(ticks)
        if end is None or _EMPTY_LINE.search(self._text, ticks.end(), end.start()):
            return None
        return end.end() if self._is_about_tags(ticks.end(), end) else None

    def _same_ticks(self, ticks: _Match) -> _Match | None:
        length = len(ticks["ticks"])
        if length in self._single:
            return None
        same = re.compile(rf"(?<!`)`{{{length}}}(?!`)")
        end = same.search(self._text, ticks.end())
        if end is None:
            self._single.add(length)
        return end

    def _is_about_tags(self, start: int, end: _Match) -> bool:
        """Whether code only mentions tags: two stray ticks around a thought look like code, too."""
        inside = _TAG.finditer(self._text, start, end.start())
        tags = [tag for tag in inside if not _ENCLOSES_NOTHING.search(tag[0])]
        opening = next((tag for tag in tags if not _ends(tag)), None)
        if opening is None:
            return True
        closing = next((tag for tag in tags if _ends(tag) and tag.start() >= opening.end()), None)
        if closing:
            return not _WORD.search(self._text, opening.end(), closing.start())
        if self._growing and _WORD.search(self._text, opening.end(), end.start()):
            return False  # its end may still come
        after = _TAG.search(self._text, end.end())
        # A closing tag that is not itself in code belongs to it.
        return not (after and _ends(after) and self._text.count("`", end.end(), after.start()) % 2 == 0)


def _ends(tag: _Match) -> bool:
    return bool(tag["end"] or tag["end_too"])
