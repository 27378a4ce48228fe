"""Writes a growing text to a terminal: a paragraph is rendered when complete; until then it is shown as it comes."""

import re
from collections.abc import Callable

_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_ITEM = re.compile(r"([-*+]|[0-9]{1,9}[.)])(\s|\Z)|[0-9]{1,9}\Z")  # or what may become one


_KEPT = "\n\u00a0\u202f\u200c\u200d"  # no-break spaces, and the joiners of emoji and of Persian words


class Paper:
    """Without `render` everything is written as it comes: into a pipe or a file."""

    def __init__(
        self,
        write: Callable[[str], None],
        render: Callable[[str], str] | None = None,
        show: Callable[[str], None] = lambda _begun: None,
    ) -> None:
        """`show` gets the beginning of a paragraph that is not complete yet."""
        self._write = write
        self._render = render
        self._show = show
        self._begun = ""
        self._put_any = False

    def add(self, text: str) -> None:
        if self._render is None:
            self._write(text)
            self._put_any |= bool(text)
            return
        self._begun += printable(text)
        whole = end_of_whole(self._begun)
        if whole:
            self._put(self._begun[:whole])
            self._begun = self._begun[whole:]
        self._show(self._begun)

    def end(self) -> None:
        """End the current line, complete or not."""
        if self._render is None and self._put_any:
            self._write("\n\n")
        self._put(self._begun)
        self._begun, self._put_any = "", False
        self._show("")

    def drop(self) -> None:
        """Drop what is not complete and will not be: it was cancelled, or comes in another message."""
        self._begun, self._put_any = "", False
        self._show("")

    def _put(self, text: str) -> None:
        if self._render and (rendered := self._render(text)):
            self._write(f"{rendered}\n\n")


def end_of_whole(text: str) -> int:
    """Where the last paragraph that may continue begins: an empty line ends one, but not inside code or a list."""
    end = place = 0
    fence = ""
    in_list = after_empty = False
    for line in text.splitlines(keepends=True):
        found = _FENCE.match(line)
        if fence:
            if found and found[1].startswith(fence) and not line.strip().strip(fence[0]):
                fence = ""
        elif after_empty and line.strip():
            is_item = bool(_ITEM.match(line))
            if not (in_list and (is_item or line[0] in " \t")):
                end, in_list = place, is_item
            fence = found[1] if found else ""
        else:
            in_list |= bool(_ITEM.match(line))
            fence = found[1] if found else ""
        after_empty = not fence and not line.strip()
        place += len(line)
    if after_empty and not in_list:
        end = place
    return end


def printable(text: str) -> str:
    """Remove what could move the cursor or change the colours."""
    return "".join(letter for letter in text.expandtabs(4) if letter.isprintable() or letter in _KEPT)
