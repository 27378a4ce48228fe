"""Puts a growing text on a terminal without breaking words: a word is written when it is whole and fits the line."""

import re
from collections.abc import Callable

from wcwidth import wcswidth

_PART = re.compile(r"\n|[^\S\n]+|\S+")
_FENCE = "```"


class Paper:
    """Lines of code and of tables are left as they are; the terminal folds them where it must."""

    def __init__(self, width: int, write: Callable[[str], None]) -> None:
        self._width = width
        self._write = write
        self._unwritten = ""
        self._space = ""
        self._column = 0
        self._in_code = False
        self._in_table = False

    def add(self, text: str) -> None:
        """The last word may go on in the next piece, so it waits."""
        parts = _PART.findall(self._unwritten + text)
        self._unwritten = parts.pop() if parts else ""
        for part in parts:
            self._put(part)

    def end(self) -> None:
        self._put(self._unwritten)
        self._write("\n\n")
        self._unwritten, self._space, self._column = "", "", 0
        self._in_code = self._in_table = False

    def _put(self, part: str) -> None:
        if part == "\n":
            self._write(part)
            self._space, self._column, self._in_table = "", 0, False
        elif part.isspace():
            self._space += part
        elif part:
            self._put_word(part)

    def _put_word(self, word: str) -> None:
        if self._column == 0:
            self._in_table = word.startswith("|")
            self._in_code ^= word.startswith(_FENCE)
        size = max(wcswidth(word), 0)
        if (
            not (self._in_code or self._in_table)
            and self._column + len(self._space) + size > self._width > size
        ):
            self._write("\n")
            self._space, self._column = "", 0
        self._write(self._space + word)
        self._column += len(self._space) + size
        self._space = ""
