"""Merges two versions of a CLAUDE.md: section by section, the entries of both.

What only one side changed is taken. Where both changed the same entry the host's own stays: NanoClaw wins
over Claude Code. A person's own text and unknown sections count as entries too.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

_HEADING = re.compile(r"#{1,2} ")
_ITEM = re.compile(r"\s{0,3}([-*+]|\d+[.)])\s+")
_ALIKE = 0.5  # from here on two entries count as one that was edited
_COMPARED = 2000  # letters of an entry
_LONGEST = 1 << 20  # characters; anything longer is not a CLAUDE.md, and comparing it would take minutes


@dataclass(frozen=True, slots=True)
class _Block:
    """An item of a list with what is indented below it, a paragraph, or an empty line."""

    text: str

    @property
    def key(self) -> str:
        """An item is the same under another number."""
        return _ITEM.sub("", self.text, count=1).strip()


@dataclass(frozen=True, slots=True)
class _Section:
    heading: str  # as it is written, with its end; empty before the first
    blocks: tuple[_Block, ...]
    gap: str  # empty lines at the end

    @property
    def keys(self) -> tuple[str, ...]:
        return tuple(block.key for block in self.blocks)


def merge_sections(base: str, ours: str, theirs: str) -> str:
    if max(map(len, (base, ours, theirs))) > _LONGEST:
        return ours
    before, own, other = _read(base), _read(ours), _read(theirs)
    merged: dict[tuple[str, int], _Section] = {}
    for name, section in own.items():
        if name in other:
            old = before.get(name, _Section(section.heading, (), ""))
            blocks = _merge(old.blocks, section.blocks, other[name].blocks)
            merged[name] = _Section(section.heading, blocks, section.gap or other[name].gap)
        elif name not in before or before[name].keys != section.keys:
            merged[name] = section
    previous: tuple[str, int] | None = None
    for name, section in other.items():
        is_new = name not in own and (name not in before or before[name].keys != section.keys)
        if is_new:
            merged = _inserted(merged, name, section, after=previous)
        previous = name
    return _written(list(merged.values()))


def _merge(base: Sequence[_Block], ours: Sequence[_Block], theirs: Sequence[_Block]) -> tuple[_Block, ...]:
    """Merge by what each side did to the entries of the common version."""
    own, other = _edits(base, ours), _edits(base, theirs)
    merged: list[_Block] = []
    place = 0
    there = {block.key for block in ours if block.key}
    while own or other:
        chunk_own, chunk_other, start, end = _next(own, other)
        merged += _as_ours(base[place:start], ours)
        if not chunk_other:
            merged += [block for _, _, blocks in chunk_own for block in blocks]
        elif not chunk_own:
            merged += [
                block
                for _, _, blocks in chunk_other
                for block in blocks
                if block.key not in there or not block.key
            ]
        else:
            merged += _contested(base, start, end, chunk_own, chunk_other, there)
        place = end
    return tuple(merged + _as_ours(base[place:], ours))


_Edit = tuple[int, int, tuple[_Block, ...]]


def _edits(base: Sequence[_Block], side: Sequence[_Block]) -> list[_Edit]:
    matcher = SequenceMatcher(None, [each.key for each in base], [each.key for each in side], autojunk=False)
    return [
        (start, end, tuple(side[low:high]))
        for what, start, end, low, high in matcher.get_opcodes()
        if what != "equal"
    ]


def _next(own: list[_Edit], other: list[_Edit]) -> tuple[list[_Edit], list[_Edit], int, int]:
    """The next place that was edited, with all edits that touch it."""
    start = min(edits[0][0] for edits in (own, other) if edits)
    end = start
    chunks: tuple[list[_Edit], list[_Edit]] = ([], [])
    found = True
    while found:
        found = False
        for edits, chunk in zip((own, other), chunks, strict=True):
            if edits and (edits[0][0] < end or edits[0][0] == start):
                edit = edits.pop(0)
                chunk.append(edit)
                end = max(end, edit[1])
                found = True
    return (*chunks, start, end)


def _contested(
    base: Sequence[_Block], start: int, end: int, own: list[_Edit], other: list[_Edit], there: set[str]
) -> list[_Block]:
    """Ours, and what the others added; not their version of an entry that both changed."""
    gone_here = {index for low, high, _ in own for index in range(low, high)}
    gone_there = {index for low, high, _ in other for index in range(low, high)}
    added = [block for _, _, blocks in other for block in blocks if block.key and block.key not in there]
    for index in sorted(gone_here & gone_there):
        same = max(added, key=lambda block: _likeness(base[index], block), default=None)
        if same is not None and _likeness(base[index], same) >= _ALIKE:
            added.remove(same)
    result: list[_Block] = []
    edits = {low: (high, blocks) for low, high, blocks in own}
    index = start
    while index <= end:
        high, blocks = edits.pop(index, (index, ()))
        result += blocks
        if high > index:
            index = high
            continue
        if index < end and index not in gone_here and index not in gone_there:
            result.append(base[index])
        index += 1
    return result + added


def _likeness(one: _Block, other: _Block) -> float:
    return SequenceMatcher(None, one.key[:_COMPARED], other.key[:_COMPARED]).ratio()


def _as_ours(matched: Sequence[_Block], ours: Sequence[_Block]) -> list[_Block]:
    """Entries that nobody changed, as our file writes them (numbers, spaces)."""
    written = {block.key: block for block in ours}
    return [written.get(block.key, block) for block in matched]


def _inserted(
    sections: dict[tuple[str, int], _Section],
    name: tuple[str, int],
    section: _Section,
    *,
    after: tuple[str, int] | None,
) -> dict[tuple[str, int], _Section]:
    listed = list(sections.items())
    names = [each for each, _ in listed]
    place = names.index(after) + 1 if after in names else len(listed)
    return dict([*listed[:place], (name, section), *listed[place:]])


def _written(sections: list[_Section]) -> str:
    text = ""
    for section in sections:
        if text and section.heading and not text.endswith("\n\n"):
            text += "\n" if text.endswith("\n") else "\n\n"
        blocks = "".join(
            each.text if each.text.endswith("\n") else f"{each.text}\n" for each in section.blocks
        )
        text += section.heading + blocks + section.gap
    return text


def _read(text: str) -> dict[tuple[str, int], _Section]:
    found: dict[tuple[str, int], _Section] = {}
    heading, lines = "", list[str]()
    for line in [*text.splitlines(keepends=True), None]:
        if line is not None and not _HEADING.match(line):
            lines.append(line)
            continue
        if heading or lines:
            label = heading.strip("# \r\n").casefold()
            number = sum(name[0] == label for name in found)
            found[label, number] = _section(heading, lines)
        heading, lines = line or "", []
    return found


def _section(heading: str, lines: list[str]) -> _Section:
    last = len(lines)
    while last and not lines[last - 1].strip():
        last -= 1
    blocks: list[list[str]] = []
    for line in lines[:last]:
        begins = not blocks or not line.strip() or not blocks[-1][0].strip() or _ITEM.match(line)
        goes_on = not begins and not line.startswith("#")
        if goes_on:
            blocks[-1].append(line)
        else:
            blocks.append([line])
    if not heading.endswith("\n") and heading:
        heading += "\n"
    return _Section(heading, tuple(_Block("".join(each)) for each in blocks), "".join(lines[last:]))
