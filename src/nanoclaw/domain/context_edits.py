"""Changes of a text in plain words, as far as they can be made without a model: one thing replaced by another."""

import re
from typing import NamedTuple

from nanoclaw.domain.context_files import LONGEST_TEXT
from nanoclaw.domain.errors import Refused

_QUOTES = " \t\"'«»“”`.,;"
_REPLACEMENTS = tuple(
    re.compile(pattern, re.IGNORECASE | re.DOTALL)
    for pattern in (
        r"(?:(?:change|set)\s+(?:it\s+)?to\s+|(?:з?міни(?:ти)?)\s+на\s+)?(?P<new>.+?)\s+(?:instead\s+of|замість)\s+(?P<old>.+)",
        r"replace\s+(?P<old>.+?)\s+(?:by|with)\s+(?P<new>.+)",
        r"(?:change|changed)?\s*from\s+(?P<old>.+?)\s+to\s+(?P<new>.+)",
        r"(?:з?амін(?:и|ити)|з?мін(?:и|ити))\s+(?P<old>.+?)\s+на\s+(?P<new>.+)",
        r"(?P<old>.+?)\s*(?:->|=>|→)\s*(?P<new>.+)",
    )
)
_LONGEST = 300
_BLANKS = re.compile(r"\s{4}")
_BARE = 3  # words
_SECTION = re.compile(r"^#{1,6}[ \t]+(?=\S)(.+)$", re.MULTILINE)
_NUMBER = re.compile(r"\d+(?:[.,]\d+)?")


class Replacement(NamedTuple):
    old: str
    new: str

    @property
    def is_bare(self) -> bool:
        """`690 instead of 490`, not a sentence: without the old value in the text it would mean nothing there."""
        return max(len(self.old.split()), len(self.new.split())) <= _BARE


class ContextSection(NamedTuple):
    heading: str
    body: str


def read_replacement(said: str) -> Replacement | None:
    """`690 instead of 490`, `490 -> 690`, `змінити на $690 замість $490`."""
    said = said.strip()
    # With many blanks in a row, every way to divide them among the parts would be tried.
    if len(said) > _LONGEST or "\n" in said or _BLANKS.search(said):
        return None
    for pattern in _REPLACEMENTS:
        if match := pattern.fullmatch(said):
            old, new = match["old"].strip(_QUOTES), match["new"].strip(_QUOTES)
            if old and new and old != new:
                return Replacement(old, new)
    return None


def replaced(text: str, change: Replacement) -> str | None:
    """Replace it wherever it stands alone: `490` is not a part of `1490`. None if it is nowhere. `$490` is
    also found as `490 USD`: then only the number changes. Raises Refused if the text would be too long:
    successive changes can multiply each other.
    """
    for old, new in (change, *_numbers(change)):
        whole = re.compile(rf"(?<![\w.,]){re.escape(old)}(?!\w|[.,]\d)")
        if count := sum(1 for _ in whole.finditer(text)):
            if len(text) + count * (len(new) - len(old)) > LONGEST_TEXT:
                raise Refused("context-too-long", most=LONGEST_TEXT)
            return whole.sub(lambda _, new=new: new, text)  # type: ignore[misc]
    return None


def _numbers(change: Replacement) -> list[Replacement]:
    old, new = _NUMBER.findall(change.old), _NUMBER.findall(change.new)
    return [Replacement(old[0], new[0])] if len(old) == len(new) == 1 else []


def appended(text: str, addition: str) -> str:
    return f"{text.rstrip()}\n\n{addition.strip()}\n" if text.strip() else f"{addition.strip()}\n"


def sections(text: str) -> list[ContextSection]:
    """The text below each heading, down to the next one of any level."""
    found = list(_SECTION.finditer(text))
    ends = [match.start() for match in found[1:]] + [len(text)]
    return [
        ContextSection(_heading(match), text[match.end() : end].strip())
        for match, end in zip(found, ends, strict=False)
    ]


def _heading(match: re.Match[str]) -> str:
    """The heading without closing number signs. Not by the pattern: it would try every way to divide many blanks."""
    return match[1].rstrip(" \t").rstrip("#").rstrip(" \t") or match[1].strip()


def with_section(text: str, section: ContextSection) -> str:
    """The text with the section's text below its heading; at the end if there is no such heading."""
    found = list(_SECTION.finditer(text))
    for number, match in enumerate(found):
        if _heading(match).casefold() == section.heading.casefold():
            end = found[number + 1].start() if number + 1 < len(found) else len(text)
            rest = text[end:]
            return f"{text[: match.end()]}\n\n{section.body.strip()}\n" + (f"\n{rest}" if rest else "")
    return appended(text, f"## {section.heading}\n\n{section.body.strip()}")


def changed_by_words(text: str, said: str) -> str:
    """Replace one thing by another wherever it stands; otherwise add what was said at the end."""
    change = read_replacement(said)
    after = replaced(text, change) if change else None
    if after is None and change and change.is_bare:
        raise Refused("context-not-there", old=change.old)
    return after or appended(text, said)
