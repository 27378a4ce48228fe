"""What people ask and what the model answers: every line carries the number of its message, for the ledger."""

import random
import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

NOTE = "This may have reached you already:"
"""How an answer begins that is sent again because nobody knows whether it arrived."""

_ASKED = re.compile(r"\bq(\d+)\b")
_LINE = re.compile(r"^m(\d+)-(\d+)/(\d+)\b", re.MULTILINE)
_NOTED = re.compile(rf"^\W*{re.escape(NOTE)}\s*")


class Size(StrEnum):
    SHORT = "short"
    GROWING = "growing"  # in several pieces, so that there is a draft
    LONG = "long"  # more than one message of Telegram holds
    SLOW = "slow"  # a draft stands in the chat for a while
    FILE = "file"  # the first line is the caption of a file


# Lines, and words in each.
_LINES = {
    Size.SHORT: (2, 4),
    Size.GROWING: (6, 8),
    Size.LONG: (10, 70),
    Size.SLOW: (5, 6),
    Size.FILE: (4, 6),
}  # lines, words
_WEIGHTS = {Size.SHORT: 8, Size.GROWING: 6, Size.LONG: 2, Size.SLOW: 2, Size.FILE: 2}
_PAUSES = {Size.SHORT: 0.0, Size.GROWING: 0.12, Size.LONG: 0.15, Size.SLOW: 0.5, Size.FILE: 0.1}


@dataclass(frozen=True, kw_only=True, slots=True)
class Line:
    """One line of an answer as it is found in a chat, with its words."""

    number: int
    line: int
    of: int
    words: str

    @property
    def is_last(self) -> bool:
        return self.line == self.of


@dataclass(frozen=True, kw_only=True, slots=True)
class Answers:
    """The same seed gives the same answers, however often and in whatever order they are asked for."""

    seed: int

    def size(self, number: int) -> Size:
        dice = random.Random(f"{self.seed} {number}")  # noqa: S311 - not a secret
        return dice.choices(list(_WEIGHTS), list(_WEIGHTS.values()))[0]

    def pause(self, number: int) -> float:
        """Seconds between two lines."""
        return _PAUSES[self.size(number)]

    def lines(self, number: int) -> list[str]:
        lines, words = _LINES[self.size(number)]
        filler = " ".join(f"word{number % 97}x{each}" for each in range(words))
        return [f"m{number}-{each}/{lines} {filler}" for each in range(1, lines + 1)]

    def is_complete(self, line: Line) -> bool:
        """Whether it says all that it should: a draft ends anywhere."""
        wanted = self.lines(line.number)
        return line.line <= len(wanted) and bare(wanted[line.line - 1]) == bare(line.words)

    def text(self, numbers: Sequence[int]) -> str:
        return "\n\n".join(line for number in numbers for line in self.lines(number))


def asked_in(text: str) -> list[int]:
    """The numbers of the messages in a prompt, each once, in order."""
    return list(dict.fromkeys(int(found) for found in _ASKED.findall(text)))


def question(number: int) -> str:
    return f"q{number} please"


def is_noted(text: str) -> bool:
    return _NOTED.match(text) is not None


def lines_in(text: str) -> list[Line]:
    """The lines of answers in a message. What only quotes one, as an alert to the owner does, has none."""
    said = _NOTED.sub("", text)
    if not _LINE.match(said):
        return []
    marks = list(_LINE.finditer(said))
    ends = [mark.start() for mark in marks[1:]] + [len(said)]
    return [
        Line(number=int(mark[1]), line=int(mark[2]), of=int(mark[3]), words=said[mark.start() : end])
        for mark, end in zip(marks, ends, strict=True)
    ]


def bare(text: str) -> str:
    """Without the note and without blanks: Telegram trims what a message begins and ends with."""
    return "".join(_NOTED.sub("", text).split())
