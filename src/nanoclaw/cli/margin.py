"""The dim lines beside a conversation in a terminal: tools as they are used, files, and what an answer took."""

import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from shutil import get_terminal_size

from wcwidth import wcswidth

from nanoclaw.cli.plain_lines import in_bytes
from nanoclaw.client.connection import Address, Line
from nanoclaw.texts import say

_DIM, _PLAIN = "\x1b[2m", "\x1b[0m"
_SIGNS = {"running": "⚙", "done": "✓", "failed": "✗"}


class Margin:
    """If `use` shows what runs, only the end of a tool is written. Otherwise its line stays open until the
    tool ends, so that the end can go on the same line if nothing came between.
    """

    def __init__(
        self,
        language: str,
        width: int,
        write: Callable[[str], None],
        place_of: Callable[[Line], str],
        use: Callable[[Iterable[str]], None] | None = None,
    ) -> None:
        """`place_of` says where the file of a line is."""
        self._language = language
        self._width = width
        self._write = write
        self._place_of = place_of
        self._use = use
        self._states: dict[str, str] = {}
        self._running: dict[str, str] = {}
        self._open: str | None = None
        self._spent: Line | None = None

    def has_news(self, name: str, data: Line) -> bool:
        """Whether this event makes a line here: a tool's output does not."""
        return name == "tool" and self._states.get(data["tool"]) != data["state"]

    def hear(self, name: str, data: Line) -> None:
        if name == "spent":
            self._spent = data
        elif self.has_news(name, data):
            self._show_tool(data["tool"], data["state"], f"{data['name']}  {data['shown']}")

    def _show_tool(self, tool: str, state: str, words: str) -> None:
        self._states[tool] = state
        line = _cut(f"  {_SIGNS.get(state, '·')} {words}", self._width - 3)
        if self._use:
            self._running.pop(tool, None)
            if state == "running":
                self._running[tool] = line
            else:
                self._write(f"{_DIM}{line}{_PLAIN}\n")
            self._use(self._running.values())
        elif state != "running" and self._open == tool:
            self._write(f"{_DIM} {_SIGNS[state]}{_PLAIN}\n")
            self._open = None
        else:
            self.close_line()
            self._write(f"{_DIM}{line}{_PLAIN}" + ("" if state == "running" else "\n"))
            self._open = tool if state == "running" else None

    def close_line(self) -> None:
        if self._open is not None:
            self._open = None
            self._write("\n")

    def show_files(self, line: Line) -> None:
        for file in line["attachments"]:
            self.close_line()
            told = _printable(f"  ⤓ {file['name']} ({in_bytes(file['size'])}) {self._place_of(file)}")
            self._write(f"{_DIM}{told}{_PLAIN}\n")  # not cut: the person wants to copy it

    def sum_up(self) -> None:
        """What the answer took. Then counting starts afresh."""
        self.close_line()
        if self._spent is not None:
            tokens = {name: _short(self._spent[name]) for name in ("input", "output")}
            told = say(self._language, "console-spent", money=self._spent["money"], **tokens)
            self._write(f"{_DIM}  {told}{_PLAIN}\n")
        self._states.clear()
        self._running.clear()
        self._spent = None
        if self._use:
            self._use(())


def margin_of(
    language: str,
    address: Address,
    home: Path | None,
    write: Callable[[str], None],
    use: Callable[[Iterable[str]], None] | None = None,
) -> Margin | None:
    """Only for a person at a terminal: a script gets the text of the answer and nothing else."""
    if not sys.stdout.isatty():
        return None

    def place_of(file: Line) -> str:
        if home is None:
            return address.url.rstrip("/") + str(file["url"])
        kept = str(file["url"]).partition("?")[0].rpartition("/")[2]
        return str(home / "data" / "attachments" / kept)

    return Margin(language, get_terminal_size().columns, write, place_of, use)


def _cut(text: str, width: int) -> str:
    text = _printable(text)
    if wcswidth(text) <= width:
        return text
    while text and wcswidth(text) > width - 1:
        text = text[:-1]
    return text + "…"


def _printable(text: str) -> str:
    """A name chosen by an agent could otherwise move the cursor or change the colours."""
    return "".join(letter for letter in text if letter.isprintable())


def _short(count: int) -> str:
    for size, sign in ((1_000_000, "M"), (1000, "k")):
        if count >= size:
            return f"{count / size:.1f}{sign}"
    return str(count)
