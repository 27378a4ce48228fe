"""What the host itself counts in a text, so that nobody has to believe a claim."""

import re
from collections.abc import Iterable, Iterator

MEASURED = frozenset(("words", "sections"))
_FENCE = re.compile(r" {0,3}(```|~~~)")
_HEADING = re.compile(r" {0,3}(#{1,6})[ \t]+\S")
_UNDERLINE = re.compile(r" {0,3}(=+|-+)[ \t]*$")
_NUMBERED = re.compile(r"[0-9]{1,4}[.)][ \t]+\S")


def measured(texts: Iterable[str]) -> dict[str, int]:
    """Over all texts of a step together."""
    kept = list(texts)
    return {"words": sum(map(words, kept)), "sections": sum(map(sections, kept))}


def words(text: str) -> int:
    """Words between spaces with a letter or a digit: Markdown signs do not count."""
    return sum(1 for word in text.split() if any(letter.isalnum() for letter in word))


def sections(text: str) -> int:
    """Headings of the highest level that occurs several times, without the title; otherwise the numbered items."""
    levels: dict[int, int] = {}
    numbered = 0
    before = ""
    for line in _outside_code(text):
        if heading := _HEADING.match(line):
            levels[len(heading[1])] = levels.get(len(heading[1]), 0) + 1
        elif before.strip() and not _HEADING.match(before) and (underline := _UNDERLINE.match(line)):
            level = 1 if underline[1][0] == "=" else 2
            levels[level] = levels.get(level, 0) + 1
        elif _NUMBERED.match(line):
            numbered += 1
        before = line
    several = next((count for _, count in sorted(levels.items()) if count > 1), 0)
    if several or numbered:
        return several or numbered
    return 1 if len(levels) > 1 else sum(levels.values())


def _outside_code(text: str) -> Iterator[str]:
    fence = ""
    for line in text.splitlines():
        match = _FENCE.match(line)
        if match and (not fence or match[1] == fence):
            fence = "" if fence else match[1]
        elif not fence:
            yield line
