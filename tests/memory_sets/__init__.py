"""Labelled sets in both languages: lines of conversations and facts of a company, and questions with the lines that
answer them. A line with a mark in front, `[mark] text`, is what a question after its `=` wants to find."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

_FOLDER = Path(__file__).parent
_MARKED = re.compile(r"(?:\[([\w-]+)\] )?(.+)")
_TALKS = ("mill", "ferry")  # questions about one are asked among the lines of both
# What is looked through, and the questions. The parameters of the ranking were chosen on all but those held out.
SETS = {
    "conversation, English": (_TALKS, ("mill.questions",)),
    "conversation, English, held out": (_TALKS, ("ferry.questions",)),
    "conversation, Ukrainian": (("uk_talk",), ("uk_talk.questions",)),
    "company facts, both languages": (("company",), ("company.questions",)),
    "company facts, the other language": (("company",), ("company.cross",)),
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
