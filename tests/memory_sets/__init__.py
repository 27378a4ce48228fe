"""Labelled sets in both languages: lines of conversations and facts of a company, and questions with the lines that
answer them. A line with a mark in front, `[mark] text`, is what a question after its `=` wants to find."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

_FOLDER = Path(__file__).parent
_MARKED = re.compile(r"(?:\[([\w-]+)\] )?(.+)")
TALKS = ("friends", "neighbours")  # English, spoken; looked for among the lines of both
SETS = {
    "conversations, English": (TALKS, tuple(f"{name}.questions" for name in TALKS)),
    "conversation, Ukrainian": (("uk_talk",), ("uk_talk.questions",)),
    "company facts, both languages": (("company",), ("company.questions",)),
    "company facts, other language": (("company",), ("company.cross",)),
}


@dataclass(frozen=True, slots=True)
class Question:
    text: str
    answers: frozenset[str]


def facts(names: tuple[str, ...]) -> list[tuple[str, str, str]]:
    """Id, text, and when it was said."""
    return [fact for name in names for fact in _facts(name)]


def questions(names: tuple[str, ...]) -> list[Question]:
    found = []
    for name in names:
        for line in (_FOLDER / f"{name}.txt").read_text("utf-8").splitlines():
            text, _, marks = line.rpartition(" = ")
            found.append(Question(text, frozenset(marks.split())))
    return found


def _facts(name: str) -> Iterator[tuple[str, str, str]]:
    when = ""
    for number, line in enumerate((_FOLDER / f"{name}.txt").read_text("utf-8").splitlines()):
        if line.startswith("== "):
            when = line[3:]
        elif marked := _MARKED.fullmatch(line):
            yield marked[1] or f"{name}-{number}", marked[2], when
