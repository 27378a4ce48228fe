"""A text written for a channel, taken apart: its front matter, its named parts, and the rest."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from markdown_it import MarkdownIt
from markdown_it.token import Token

from nanoclaw.context import front_matter
from nanoclaw.context.adaptor_schema import Rules, TextPart
from nanoclaw.context.front_matter import Flaw, FrontMatter

_HEAD_LINE = re.compile(r"\**(?P<name>[^\W\d_][^:*]{0,40}?)\**:\**\s+(?P<value>\S.*?)\**\s*$")
_ITEM = re.compile(r" {0,3}(?:[-*+•]|\d{1,3}[.)])\s+\S")
_SUBHEADING = re.compile(r" {0,3}#{1,6}\s")
_NUMBERED = re.compile(r"^[\d.)\s]+(?=\D)")
_MARKDOWN = MarkdownIt("commonmark").enable("table")


@dataclass(frozen=True, kw_only=True, slots=True)
class Piece:
    """Lines with their numbers in the file."""

    rows: tuple[tuple[int, str], ...]
    listed: tuple[str, ...] | None = None  # as listed in the front matter

    @property
    def text(self) -> str:
        return "\n".join(line for _, line in self.rows).strip()

    @property
    def line(self) -> int:
        return next((number for number, line in self.rows if line.strip()), 1)

    @property
    def items(self) -> Sequence[str]:
        """Subheadings, otherwise list items, otherwise what is separated by commas and line ends."""
        if self.listed is not None:
            return self.listed
        lines = [line for _, line in self.rows]
        for sign in (_SUBHEADING, _ITEM):
            if found := [line for line in lines if sign.match(line)]:
                return found
        return [word for word in re.split(r"[,\n]", self.text) if word.strip()]


@dataclass(frozen=True, kw_only=True, slots=True)
class Title:
    """A heading: its text, in lower case and without its number."""

    text: str
    level: int
    line: int
    below: int  # the number of the first line under it


@dataclass(frozen=True, kw_only=True, slots=True)
class ChannelText:
    head: FrontMatter | Flaw | None
    text: Piece
    parts: dict[str, Piece]
    titles: tuple[Title, ...]
    tokens: tuple[Token, ...]  # of the whole text, as Markdown; their line numbers begin with 0
    body: str


def lines_of(text: str) -> list[str]:
    """The lines as an editor counts them."""
    return text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n").split("\n")


def head_of(lines: Sequence[str]) -> FrontMatter | Flaw | None:
    found = front_matter.read(lines)
    return None if isinstance(found, Flaw) and found.reason == "unopened" else found


def take_apart(text: str, rules: Rules) -> ChannelText:
    """A part is taken from the front matter, otherwise from a line at the top, otherwise from a section."""
    lines = lines_of(text)
    head = head_of(lines)
    wanted = {name: named(name, part) for name, part in rules.parts.items()} | {"text": named("", rules.text)}
    found = dict(_in_front_matter(head, wanted)) if isinstance(head, FrontMatter) else {}
    above, begin = _on_top(lines, head.close if head else 0, wanted)
    found = above | found
    # Empty lines in place of the front matter keep the line numbers right.
    body = "\n" * begin + "\n".join(lines[begin:])
    tokens = _MARKDOWN.parse(body)
    titles = tuple(_titles(tokens))
    rows = list(enumerate(lines, 1))[begin:]
    owned: set[int] = set()
    for name, names in wanted.items():
        if name not in found and (span := _section(titles, names, len(lines))):
            first, below, end = span
            found[name] = Piece(rows=tuple(row for row in rows if below <= row[0] < end))
            owned.update(range(first, end))
    rest = Piece(rows=tuple(row for row in rows if row[0] not in owned))
    main = found.pop("text", rest)
    return ChannelText(head=head, text=main, parts=found, titles=titles, tokens=tuple(tokens), body=body)


def named(name: str, part: TextPart) -> tuple[str, ...]:
    return tuple(_plain(each) for each in (name, *part.names) if each)


def is_called(title: str, names: Sequence[str]) -> bool:
    """Whether a title has one of these names. `Appendix A: figures` is an appendix; `Image rights` is not an
    image.
    """
    return any(
        title == name or (title.startswith(name) and re.match(r"\s*[^\w\s]|\s+\w{1,3}\b", title[len(name) :]))
        for name in names
    )


def _plain(written: str) -> str:
    return " ".join(re.sub(r"[_-]", " ", written).replace("’", "'").strip(" *:").casefold().split())


def _in_front_matter(head: FrontMatter, wanted: dict[str, tuple[str, ...]]) -> Iterator[tuple[str, Piece]]:
    for key, value in head.values.items():
        line = head.places[(key,)]
        for name, names in wanted.items():
            if _plain(key) not in names:
                continue
            if isinstance(value, str):
                yield name, Piece(rows=tuple((line, row) for row in value.split("\n")))
            elif isinstance(value, list):
                listed = tuple(item for item in value if isinstance(item, str))
                yield name, Piece(rows=((line, ", ".join(listed)),), listed=listed)


def _on_top(lines: list[str], begin: int, wanted: dict[str, tuple[str, ...]]) -> tuple[dict[str, Piece], int]:
    """Lines such as `Subject: Fresh on Monday` before the text, and where the text begins."""
    found: dict[str, Piece] = {}
    for number, line in enumerate(lines[begin:], begin + 1):
        match = _HEAD_LINE.match(line[:2000])
        name = match and next(
            (name for name, names in wanted.items() if _plain(match["name"]) in names), None
        )
        if match and name:
            found.setdefault(name, Piece(rows=((number, line[match.start("value") :].strip(" *")),)))
            begin = number
        elif line.strip():
            break
    return found, begin


def _titles(tokens: Sequence[Token]) -> Iterator[Title]:
    for token, inline in pairwise(tokens):
        if token.type == "heading_open" and token.level == 0 and token.map:
            text = _plain(_NUMBERED.sub("", inline.content))
            yield Title(text=text, level=int(token.tag[1]), line=token.map[0] + 1, below=token.map[1] + 1)


def _section(titles: Sequence[Title], names: Sequence[str], last: int) -> tuple[int, int, int] | None:
    """The line of its heading, its first line, and the line after its end."""
    for place, title in enumerate(titles):
        if is_called(title.text, names):
            ends = (later.line for later in titles[place + 1 :] if later.level <= title.level)
            return title.line, title.below, next(ends, last + 1)
    return None
