"""The dim lines beside a conversation in a terminal: tools as they are used, files, and what an answer took."""

from collections.abc import Callable
from typing import Any

from wcwidth import wcswidth

from nanoclaw.texts import say

_DIM, _PLAIN = "\x1b[2m", "\x1b[0m"
_SIGNS = {"running": "⚙", "done": "✓", "failed": "✗"}


class Margin:
    """A tool's line stays open until the tool ends, so that its end can stand on it if nothing came between."""

    def __init__(
        self,
        language: str,
        width: int,
        write: Callable[[str], None],
        place_of: Callable[[dict[str, Any]], str],
    ) -> None:
        """`place_of` tells where the file of a line is."""
        self._language = language
        self._width = width
        self._write = write
        self._place_of = place_of
        self._states: dict[str, str] = {}
        self._open: str | None = None
        self._spent: dict[str, Any] | None = None

    def has_news(self, name: str, data: dict[str, Any]) -> bool:
        """Whether this event makes a line here: that a tool prints something does not."""
        return name == "tool" and self._states.get(data["tool"]) != data["state"]

    def hear(self, name: str, data: dict[str, Any]) -> None:
        if name == "spent":
            self._spent = data
        elif self.has_news(name, data):
            self._show_tool(data["tool"], data["state"], f"{data['name']}  {data['shown']}")

    def _show_tool(self, tool: str, state: str, words: str) -> None:
        self._states[tool] = state
        if state != "running" and self._open == tool:
            self._write(f"{_DIM} {_SIGNS[state]}{_PLAIN}\n")
            self._open = None
            return
        self.close_line()
        line = _cut(f"  {_SIGNS.get(state, '·')} {words}", self._width - 3)
        self._write(f"{_DIM}{line}{_PLAIN}")
        if state == "running":
            self._open = tool
        else:
            self._write("\n")

    def close_line(self) -> None:
        if self._open is not None:
            self._open = None
            self._write("\n")

    def show_files(self, line: dict[str, Any]) -> None:
        for file in line["attachments"]:
            self.close_line()
            told = _printable(f"  ⤓ {file['name']} ({_bytes(file['size'])}) {self._place_of(file)}")
            self._write(f"{_DIM}{told}{_PLAIN}\n")  # not cut: the person wants to copy it

    def sum_up(self) -> None:
        """What the answer took. What comes next begins anew."""
        self.close_line()
        if self._spent is not None:
            tokens = {name: _short(self._spent[name]) for name in ("input", "output")}
            told = say(self._language, "console-spent", money=self._spent["money"], **tokens)
            self._write(f"{_DIM}  {told}{_PLAIN}\n")
        self._states.clear()
        self._spent = None


def _cut(text: str, width: int) -> str:
    text = _printable(text)
    if wcswidth(text) <= width:
        return text
    while text and wcswidth(text) > width - 1:
        text = text[:-1]
    return text + "…"


def _printable(text: str) -> str:
    """What an agent names could otherwise move the cursor or change the colours."""
    return "".join(letter for letter in text if letter.isprintable())


def _short(count: int) -> str:
    for size, sign in ((1_000_000, "M"), (1000, "k")):
        if count >= size:
            return f"{count / size:.1f}{sign}"
    return str(count)


def _bytes(count: int) -> str:
    for size, unit in ((1_000_000_000, "GB"), (1_000_000, "MB"), (1000, "kB")):
        if count >= size:
            return f"{count / size:.{0 if count >= 10 * size else 1}f} {unit}"
    return f"{count} B"
