"""Prints what others wrote line by line: it could otherwise move the cursor or overwrite other lines."""

import re

from nanoclaw.domain.shown_text import shown

_LONGEST_LINE = 200
_LONGEST_WORD = 300  # longer than any name or path that people type
_SHOWN = 80
_LONG_WORD = re.compile(rf"\S{{{_LONGEST_WORD},}}")


def clean(text: str, longest: int | None = _LONGEST_LINE) -> list[str]:
    lines = shown(text).expandtabs().splitlines()
    if longest is None:
        return lines
    return [f"{line[:longest]}…" if len(line) > longest else line for line in lines]


def one_line(text: str) -> str:
    return " ".join(clean(text))


def told_back(sentence: str) -> str:
    """A refusal that names what was typed stays a sentence, however long that was."""
    return _LONG_WORD.sub(lambda found: f"{found[0][:_SHOWN]}…", sentence)


def in_bytes(count: int) -> str:
    for size, unit in ((1_000_000_000, "GB"), (1_000_000, "MB"), (1000, "kB")):
        if count >= size:
            return f"{count / size:.{0 if count >= 10 * size else 1}f} {unit}"
    return f"{count} B"
