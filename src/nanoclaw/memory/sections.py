"""A text with sections, such as CLAUDE.md: only the lines that a change is about are touched, every other
byte stays.
"""

import re
from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property, lru_cache

from markdown_it import MarkdownIt

from nanoclaw.domain.text import estimated_tokens
from nanoclaw.memory.entries import MOST_TEXT

MOST_TOKENS = 2000
MOST_ACTIVITY = 50
_MOVED = 25
_MOVED_MORE = 5  # at a time, if that was not enough
_STAY = 5  # the newest stay, however much a person wrote into the other sections
_MOST_ITEM = 400  # characters
_MOST_LABEL = 40
LEAST_WORDS = 12  # letters; a shorter text occurs inside too many others
_BOM = "\ufeff"
_LINES = re.compile(r"[^\r\n]*(?:\r\n|\n|\r)|[^\r\n]+\Z")
_MARKER = re.compile(r"^(\s*)([-*+]|(\d{1,9})([.)]))(\s+|$)")
_DAY = re.compile(r"^\**(\d{4}-\d{2}-\d{2})\b")

# Inline markup does not matter here, and would take half the time: each turn reads and writes this file.
_BLOCKS = MarkdownIt("commonmark").disable(["inline", "text_join"])


class Section(StrEnum):
    """In the order of a new file. The value is the heading."""

    IDENTITY = "Identity Snapshot"
    PRIORITIES = "Current Priorities"
    ACTIVITY = "Recent Activity"
    DECISIONS = "Key Decisions"
    PREFERENCES = "Owner Preferences"


# How people write these headings. A heading may continue: "Recent Activity (last 10)".
_HEADINGS = {
    Section.IDENTITY: ("identity snapshot", "identity", "про компанію", "хто ми", "ідентичність"),
    Section.PRIORITIES: ("current priorities", "priorities", "поточні пріоритети", "пріоритети"),
    Section.ACTIVITY: (
        "recent activity", "activity", "остання активність", "недавня активність", "нещодавня активність",
        "останні дії", "остання діяльність", "недавня діяльність", "активність",
    ),
    Section.DECISIONS: ("key decisions", "decisions", "ключові рішення", "головні рішення", "рішення"),
    Section.PREFERENCES: (
        "owner preferences", "preferences", "уподобання власника", "вподобання власника", "побажання власника",
        "уподобання", "вподобання",
    ),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class SectionItem:
    """One item of a list: its lines in the file, and its text on one line."""

    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True)
class SectionText:
    """What stands below one heading."""

    title: str
    section: Section | None
    start: int  # the line of the heading
    body: int
    end: int
    items: tuple[SectionItem, ...]


@dataclass(frozen=True)
class Sections:
    """A text of CLAUDE.md. Each change gives a new one; a change that is already there gives the same."""

    text: str

    @classmethod
    def read(cls, text: str) -> "Sections":
        return cls(text)

    @cached_property
    def parts(self) -> tuple[SectionText, ...]:
        # markdown-it knows fences, comments and underlined headings, and counts lines as we do.
        tokens = _BLOCKS.parse(self.text.removeprefix(_BOM))
        heads: list[tuple[int, int, int, str]] = []
        items: list[SectionItem] = []
        for place, token in enumerate(tokens):
            if token.map is None:
                continue
            if token.type == "heading_open" and token.level == 0:
                heads.append((int(token.tag[1:]), *_span(token.map), tokens[place + 1].content))
            elif token.type == "list_item_open" and token.level == 1:
                items.append(self._item(*_span(token.map)))
        ends = _ends(heads, len(self._lines))
        return tuple(
            SectionText(title, section_of(title), start, body, end, _between(items, body, end))
            for (_, start, body, title), end in zip(heads, ends, strict=True)
        )

    def items(self, section: Section) -> list[str]:
        part = self._part(section)
        return [item.text for item in part.items] if part else []

    def with_activity(self, line: str) -> "Sections":
        return self._with(Section.ACTIVITY, line, is_first=True)

    def with_activities(self, lines: Sequence[str]) -> "Sections":
        """Add several at once, the last on top: one by one, each would read the file again."""
        part = self._part(Section.ACTIVITY)
        known = {plain(item.text) for item in part.items} if part else set()
        fresh = {plain(text): text for text in map(_one_line, lines) if text and plain(text) not in known}
        newest_first = list(fresh.values())[::-1]
        if not newest_first:
            return self
        if part is None or not part.items:
            *later, first = newest_first
            return self.with_activity(first).with_activities(later[::-1])
        place = part.items[0].start
        marker = _next_marker(self._lines[place], is_first=True)
        return self._put(place, place, *(marker + text for text in newest_first))

    def with_priority(self, text: str) -> "Sections":
        return self._with(Section.PRIORITIES, text)

    def without_priority(self, text: str) -> "Sections":
        return self.without(Section.PRIORITIES, text)

    def with_decision(self, text: str, replaces: str = "") -> "Sections":
        """Replace the given decision, or the one with the same label, such as `Pricing:`."""
        return self._with(Section.DECISIONS, text, replaces=replaces)

    def with_preference(self, text: str, replaces: str = "") -> "Sections":
        return self._with(Section.PREFERENCES, text, replaces=replaces)

    def without(self, section: Section, text: str) -> "Sections":
        """Remove the item that says this; unchanged if there is none, or if it could be several."""
        part = self._part(section)
        found = _found(part.items, text) if part else None
        return self._cut([found]) if found else self

    def without_items(self, section: Section, are_gone: Callable[[str], bool]) -> "Sections":
        part = self._part(section)
        return self._cut([item for item in part.items if are_gone(item.text)]) if part else self

    def without_words(self, text: str, *, is_part: bool) -> "Sections":
        """Remove every list item that says this or, with `is_part`, contains it among other words."""
        words = plain(text)
        if not words or words not in plain(self.text):
            return self
        gone = {
            item.start: item
            for part in self.parts
            for item in part.items
            if plain(item.text) == words or (is_part and words in plain(item.text))
        }
        return self._cut(list(gone.values())) if gone else self

    def rotated(self) -> "tuple[Sections, list[str]]":
        """The text within its limits, and the activity that had to go, oldest first."""
        made: Sections = self
        moved: list[str] = []
        while True:
            part = made._part(Section.ACTIVITY)
            items = part.items if part else ()
            if len(items) <= MOST_ACTIVITY and estimated_tokens(made.text) <= MOST_TOKENS:
                return made, moved
            movable = [item for item in _oldest(items) if len(item.text) <= MOST_TEXT]
            count = _MOVED_MORE if moved else max(_MOVED, len(items) - MOST_ACTIVITY)
            oldest = movable[: max(0, min(count, len(items) - _STAY))]
            if not oldest:
                return made, moved
            moved += [item.text for item in oldest]
            made = made._cut(oldest)

    @cached_property
    def _lines(self) -> list[str]:
        return _LINES.findall(self.text)

    @cached_property
    def _eol(self) -> str:
        found = re.search(r"\r\n|\n|\r", self.text)
        return found[0] if found else "\n"

    def _item(self, start: int, stop: int) -> SectionItem:
        while stop > start + 1 and not self._lines[stop - 1].strip():
            stop -= 1
        words = " ".join(self._lines[start:stop]).removeprefix(_BOM)
        return SectionItem(start, stop, " ".join(_MARKER.sub("", words, count=1).split()))

    def _part(self, section: Section) -> SectionText | None:
        return next((part for part in self.parts if part.section is section), None)

    def _with(self, section: Section, text: str, *, is_first: bool = False, replaces: str = "") -> "Sections":
        text = _one_line(text)
        part = self._part(section)
        if not text or (part and any(_same(item.text, text) for item in part.items)):
            return self
        if part is None:
            return self._with_section(section, text)
        if not part.items:
            return self._with_first(part, text, section)
        old = None if is_first else _found(part.items, replaces) or _labelled(part.items, text)
        if old is not None:
            marker = _MARKER.match(self._lines[old.start])
            return self._put(old.start, old.end, (marker[0] if marker else "- ") + text)
        place = part.items[0].start if is_first else part.items[-1].end
        neighbour = self._lines[part.items[0].start if is_first else part.items[-1].start]
        return self._put(place, place, _next_marker(neighbour, is_first=is_first) + text)

    def _with_first(self, part: SectionText, text: str, section: Section) -> "Sections":
        """The first item of a section, below whatever it contains."""
        place = part.end
        while place > part.body and not self._lines[place - 1].strip():
            place -= 1
        return self._put(place, place, "", _first_marker(section) + text, *self._gap(place))

    def _with_section(self, section: Section, text: str) -> "Sections":
        """A new section before those that follow it in a new file; otherwise at the end."""
        later = list(Section)[list(Section).index(section) + 1 :]
        place = min((part.start for part in self.parts if part.section in later), default=len(self._lines))
        before = [""] if place and self._lines[place - 1].strip() else []
        made = [*before, f"## {section.value}", "", _first_marker(section) + text]
        return self._put(place, place, *made, *self._gap(place))

    def _gap(self, place: int) -> list[str]:
        return [""] if place < len(self._lines) and self._lines[place].strip() else []

    def _put(self, start: int, end: int, *lines: str) -> "Sections":
        head = "".join(self._lines[:start])
        if not head and self.text.startswith(_BOM):
            return Sections(_BOM + Sections(self.text.removeprefix(_BOM))._put(start, end, *lines).text)
        if head and not head.endswith(("\n", "\r")):
            head += self._eol
        return Sections(head + "".join(line + self._eol for line in lines) + "".join(self._lines[end:]))

    def _cut(self, items: list[SectionItem]) -> "Sections":
        gone = {number for item in items for number in range(item.start, item.end)}
        return Sections("".join(line for number, line in enumerate(self._lines) if number not in gone))


def day_of(text: str) -> str | None:
    """`2026-02-28`, if an item begins with it."""
    found = _DAY.match(text)
    return found[1] if found else None


def _ends(heads: list[tuple[int, int, int, str]], last: int) -> list[int]:
    """Where each part ends: at a heading of its level or above, or at one that we know."""
    ends: list[int] = []
    ahead = dict.fromkeys(range(1, 7), last)  # where a part of this level would end
    for level, start, _, title in reversed(heads):
        ends.append(ahead[level])
        is_known = section_of(title) is not None
        ahead = {each: start if is_known or level <= each else end for each, end in ahead.items()}
    return ends[::-1]


def _between(items: list[SectionItem], start: int, end: int) -> tuple[SectionItem, ...]:
    first = bisect_left(items, start, key=lambda item: item.start)
    return tuple(items[first : bisect_left(items, end, key=lambda item: item.start)])


def _span(lines: list[int]) -> tuple[int, int]:
    return lines[0], lines[1]


@lru_cache(maxsize=256)
def section_of(title: str) -> Section | None:
    words = " ".join(re.sub(r"[^\w\s]|[_\d]", " ", title.split("(")[0]).casefold().split())
    return next(
        (
            section
            for section, names in _HEADINGS.items()
            if any(words == name or (" " in name and words.startswith(name + " ")) for name in names)
        ),
        None,
    )


def _one_line(text: str) -> str:
    line = " ".join(text.replace("\0", "").split())
    return line if len(line) <= _MOST_ITEM else line[: _MOST_ITEM - 1].rstrip() + "…"


def plain(text: str) -> str:
    """The words alone, for comparing texts that people would call the same."""
    return " ".join(re.sub(r"[^\w\s$€£₴%.,:+-]", " ", text).casefold().split()).strip(" .,:;-")


def _same(one: str, other: str) -> bool:
    return plain(one) == plain(_one_line(other))


def _found(items: tuple[SectionItem, ...], text: str) -> SectionItem | None:
    """The item that says this: the same words, otherwise the only one that contains them."""
    words = plain(text)
    if not words:
        return None
    exact = [item for item in items if plain(item.text) == words]
    held = exact or [
        item
        for item in items
        if " " in words and re.search(rf"(?<!\w){re.escape(words)}(?!\w)", plain(item.text))
    ]
    return held[0] if exact or len(held) == 1 else None


def _labelled(items: tuple[SectionItem, ...], text: str) -> SectionItem | None:
    label, colon, _ = text.partition(": ")
    if not colon or len(label) > _MOST_LABEL or day_of(text):
        return None
    same = [item for item in items if ": " in item.text and _same(item.text.partition(": ")[0], label)]
    return same[0] if len(same) == 1 else None


def _first_marker(section: Section) -> str:
    return "1. " if section is Section.PRIORITIES else "- "


def _next_marker(line: str, *, is_first: bool) -> str:
    found = _MARKER.match(line)
    if found is None:
        return "- "
    indent, marker, number, dot = found[1], found[2], found[3], found[4]
    if number is None:
        return f"{indent}{marker} "
    return f"{indent}{number if is_first else int(number) + 1}{dot} "


def _oldest(items: tuple[SectionItem, ...]) -> list[SectionItem]:
    """By their dates if all have one; otherwise from the end of the list, where the old ones are."""
    days = {item.start: day for item in items if (day := day_of(item.text))}
    backwards = list(reversed(items))
    if len(days) < len(items):
        return backwards
    return sorted(backwards, key=lambda item: days[item.start])
