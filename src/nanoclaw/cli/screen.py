"""The screen of a terminal chat: what is typed while an answer is written stands below it, and never inside it."""

import sys

import typer
from wcwidth import wcswidth

_DIM, _PLAIN = "\x1b[2m", "\x1b[0m"
_CLEAR_LINE = "\r\x1b[K"
_PROMPT = "> "
_SPARE = 3  # columns: the prompt, and where the cursor stands


class Screen:
    """Everything is written through it. On its last line stands what is typed, or that the agent works.

    That line is drawn only where a line begins: in the middle of a paragraph it would tear it, and stays unseen until
    the paragraph is whole.
    """

    def __init__(self, width: int) -> None:
        self._width = width
        self._typed = ""
        self._works = False
        self._asks = False
        self._at_start = True
        self._drawn = False

    def write(self, text: str) -> None:
        self._wipe()
        _put(text)
        if text:
            self._at_start = text.endswith("\n")
        self._draw()

    def tell_aside(self, text: str) -> None:
        """Not among what a pipe gets."""
        self._wipe()
        typer.echo(text, err=True)
        self._draw()

    def work(self, *, on: bool) -> None:
        """That the agent works, until its first word comes."""
        self._works = on
        self.write("")

    def ask(self, *, on: bool) -> None:
        """That a person is to type something now."""
        self._asks = on
        self.write("")

    def type(self, typed: str) -> None:
        self._typed = typed
        self.write("")

    def keep(self, line: str) -> bool:
        """A typed line is sent; it stays where it stands, if it was seen."""
        self._typed = ""
        was_seen = self._at_start and sys.stdout.isatty()
        self.write(f"{_PROMPT}{line}\n" if was_seen else "")
        return was_seen

    def rest(self) -> None:
        """Nobody waits any more: what is typed next has a prompt of its own."""
        self._typed, self._works, self._asks = "", False, False
        self._wipe()

    def _draw(self) -> None:
        if not self._at_start or not sys.stdout.isatty():
            return
        if self._typed or self._asks:
            _put(_PROMPT + self._end_of_typed())
        elif self._works:
            _put(f"{_DIM}…{_PLAIN}")
        self._drawn = bool(self._typed or self._asks or self._works)

    def _wipe(self) -> None:
        if self._drawn:
            _put(_CLEAR_LINE)
            self._drawn = False

    def _end_of_typed(self) -> str:
        """As much as fits: only one line can be wiped again."""
        shown = self._typed
        while shown and max(wcswidth(shown), 0) > self._width - _SPARE:
            shown = shown[1:]
        return shown


def _put(text: str) -> None:
    if text:
        sys.stdout.write(text)
        sys.stdout.flush()
