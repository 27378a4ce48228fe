"""The keyboard while an answer is written: Escape stops the agent, a line goes to it, half a line waits."""

import asyncio
import codecs
import os
import sys
import termios
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

_ESCAPE = "\x1b"
_ENTER = ("\r", "\n")
_BACKSPACE = ("\x7f", "\b")
_CTRL_D, _CTRL_U, _CTRL_W = "\x04", "\x15", "\x17"
LEAVING = ("/quit", "/exit")


class Keyboard:
    """Without a terminal there are no keys, and this does nothing."""

    def __init__(
        self, stop: Callable[[], None], say: Callable[[str], None], show: Callable[[str], None]
    ) -> None:
        """`show` is told what stands in the line after each key."""
        self._stop = stop
        self._say = say
        self._show = show
        self._typed = ""
        self._decoder = codecs.getincrementaldecoder("utf-8")("ignore")

    def take(self) -> str:
        """What was typed meanwhile, to go on with."""
        typed, self._typed = self._typed, ""
        return typed

    @contextmanager
    def watched(self) -> Iterator[None]:
        if not sys.stdin.isatty():
            yield
            return
        keys = sys.stdin.fileno()
        before = termios.tcgetattr(keys)
        # Key by key instead of line by line; Ctrl-C stays what it is.
        at_once = [*before[:3], before[3] & ~(termios.ECHO | termios.ICANON), *before[4:]]
        termios.tcsetattr(keys, termios.TCSADRAIN, at_once)
        loop = asyncio.get_running_loop()
        loop.add_reader(keys, self._read, keys)
        try:
            yield
        finally:
            loop.remove_reader(keys)
            with suppress(termios.error):  # there may be no terminal any more
                termios.tcsetattr(keys, termios.TCSADRAIN, before)

    def _read(self, keys: int) -> None:
        try:
            given = os.read(keys, 1024)
        except OSError:
            given = b""
        if not given:  # the terminal is gone, and would be read for ever: whoever sat there has left
            self._say(LEAVING[0])
            return
        pressed = self._decoder.decode(given)
        if pressed == _ESCAPE:
            self._stop()
            return
        if pressed.startswith(_ESCAPE):  # an arrow or the like
            return
        for letter in pressed:
            if letter in _BACKSPACE:
                self._typed = self._typed[:-1]
            elif letter == _CTRL_D and not self._typed:
                self._say(LEAVING[0])
            elif letter == _CTRL_U:
                self._typed = ""
            elif letter == _CTRL_W:
                self._typed = self._typed.rstrip().rpartition(" ")[0]
            elif letter in _ENTER:
                if line := self.take().strip():
                    self._say(line)
            elif letter.isprintable():
                self._typed += letter
        self._show(self._typed)
