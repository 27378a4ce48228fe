"""Checks whether a text keeps the rules of its channel, as far as the host can tell, before a person sees it."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise

from nanoclaw.context import markup
from nanoclaw.context.adaptor_schema import Bounds, FirstLine, Hashtags, Rules, TextPart
from nanoclaw.context.adaptors import Adaptor, Adaptors
from nanoclaw.context.channel_text import ChannelText, Piece, is_called, take_apart
from nanoclaw.context.front_matter import Flaw, FrontMatter
from nanoclaw.domain.errors import Refused
from nanoclaw.domain.text import storable, tidy_name
from nanoclaw.texts import say

# A heading has a space after its `#`; the fragment of a URL has a letter before it.
_HASHTAG = re.compile(r"(?<![\w&/#])#(?=\w*[^\W\d_])\w+")
_ONLY_HASHTAGS = re.compile(r"\s*(?:#\w+[\s,]*)+$")
# Shown as a picture by itself, or because of a selector (U+FE0F, keycaps).
_EMOJI = re.compile(
    "[\U0001f000-\U0001faff\u231a\u231b\u23e9-\u23ec\u23f0\u23f3\u25fd\u25fe\u2614\u2615\u2648-\u2653\u267f\u2693"
    "\u26a1\u26aa\u26ab\u26bd\u26be\u26c4\u26c5\u26ce\u26d4\u26ea\u26f2\u26f3\u26f5\u26fa\u26fd\u2705\u270a\u270b"
    "\u2728\u274c\u274e\u2753-\u2755\u2757\u2795-\u2797\u27b0\u27bf\u2b1b\u2b1c\u2b50\u2b55\ufe0f\u20e3]"
)
_TIMESTAMP = re.compile(r"\s*(?:[-*•]\s+)?\(?((?:\d{1,2}:)?\d{1,2}:\d{2})\b")
_DURATION = re.compile(r"(?:(?:(\d{1,2}):)?(\d{1,3}):(\d{2})|(\d{1,4})(?:[.,]\d+)?)(?:\s*(?:min|хв)\w*\.?)?$")
_FEWEST_CHAPTERS = 3  # YouTube shows none if there are fewer


@dataclass(frozen=True, kw_only=True, slots=True)
class Violation:
    """A broken rule. The sentence is `violation-<key>` in the catalogue."""

    rule: str  # its name in the adaptor: `parts.subject.longest`
    key: str
    line: int | None = None
    values: dict[str, object] = field(default_factory=dict)


def check(text: str, adaptor: Adaptor) -> tuple[Violation, ...]:
    """Violations in the order of the lines. Lengths are counted as the rules say; Markdown syntax counts too."""
    rules = adaptor.rules
    written = take_apart(text, rules)
    found = [*_head(written, rules), *_parts(written, rules), *_headings(written, rules)]
    found += [*_markup(written, rules), *_timestamps(written, rules)]
    return tuple(sorted(found, key=lambda violation: violation.line or 0))


def check_for(text: str, target: str, adaptors: Adaptors) -> tuple[Violation, ...]:
    """The check for a sender: an unknown target is refused, naming those that exist."""
    adaptor = adaptors.find(target)
    if adaptor is None:
        known = ", ".join(adaptors.targets())
        raise Refused("adaptors-unknown-target", target=tidy_name(target), known=known)
    return check(text, adaptor)


def sentence(language: str, violation: Violation) -> str:
    """The violation as a sentence. It may quote the text, so control characters are removed that a terminal
    would obey.
    """
    return storable(say(language, f"violation-{violation.key}", **violation.values))


def size(text: str, counted: str) -> int:
    """The length in characters, or in the 16-bit units that Telegram counts: most emoji are two."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2 if counted == "utf-16" else len(text)


def _head(written: ChannelText, rules: Rules) -> Iterator[Violation]:
    head = written.head
    if isinstance(head, Flaw):
        yield Violation(
            rule="front_matter", key=f"head-{head.reason}", line=head.line, values={"said": head.said}
        )
        return
    values = head.values if isinstance(head, FrontMatter) else {}
    missing = [key for key in rules.front_matter if not values.get(key)]
    if missing:
        yield Violation(rule="front_matter", key="head-lacks", line=1, values={"keys": ", ".join(missing)})


def _parts(written: ChannelText, rules: Rules) -> Iterator[Violation]:
    if not written.text.text:
        yield Violation(rule="text", key="empty")
    else:
        yield from _part("text", "text", written.text, rules.text, rules.counted)
    for name, part in rules.parts.items():
        piece = written.parts.get(name)
        shown = name.replace("_", " ")
        if piece is not None and piece.text:
            yield from _part(f"parts.{name}", shown, piece, part, rules.counted)
        elif part.needed:
            yield Violation(rule=f"parts.{name}.needed", key="part-missing", values={"part": shown})


def _part(rule: str, shown: str, piece: Piece, part: TextPart, counted: str) -> Iterator[Violation]:
    text = piece.text
    if part.longest is not None and (count := size(text, counted)) > part.longest:
        line = _line_over(piece, part.longest, counted)
        values: dict[str, object] = {"part": shown, "count": count, "most": part.longest}
        yield Violation(rule=f"{rule}.longest", key="too-long", line=line, values=values)
    if part.words is not None and (count := len(text.split())) > part.words:
        values = {"part": shown, "count": count, "most": part.words}
        yield Violation(rule=f"{rule}.words", key="too-many-words", line=piece.line, values=values)
    if part.items is not None:
        yield from _bounded(f"{rule}.items", "items", shown, len(piece.items), part.items, piece.line)
    if part.hashtags is not None:
        yield from _hashtags(f"{rule}.hashtags", shown, piece, part.hashtags)
    if part.first_line is not None:
        yield from _first_line(f"{rule}.first_line", shown, piece, part.first_line, counted)


def _bounded(
    rule: str, what: str, shown: str, count: int, bounds: Bounds, line: int | None
) -> Iterator[Violation]:
    values: dict[str, object] = {"part": shown, "count": count}
    if count < bounds.least:
        yield Violation(rule=rule, key=f"too-few-{what}", line=line, values=values | {"least": bounds.least})
    if bounds.most is not None and count > bounds.most:
        yield Violation(rule=rule, key=f"too-many-{what}", line=line, values=values | {"most": bounds.most})


def _hashtags(rule: str, shown: str, piece: Piece, wanted: Hashtags) -> Iterator[Violation]:
    lines = [(number, _HASHTAG.findall(line)) for number, line in piece.rows]
    tagged = [number for number, tags in lines if tags]
    first = tagged[0] if tagged else None
    yield from _bounded(rule, "hashtags", shown, sum(len(tags) for _, tags in lines), wanted, first)
    if wanted.place == "end":
        others = (
            number for number, line in piece.rows if line.strip() and not _ONLY_HASHTAGS.match(line[:2000])
        )
        last = max(others, default=0)
        if early := [number for number in tagged if number <= last]:
            values: dict[str, object] = {"part": shown}
            yield Violation(rule=f"{rule}.place", key="hashtags-early", line=early[0], values=values)


def _first_line(rule: str, shown: str, piece: Piece, wanted: FirstLine, counted: str) -> Iterator[Violation]:
    first = piece.text.partition("\n")[0]
    if wanted.longest is not None and (count := size(first, counted)) > wanted.longest:
        values: dict[str, object] = {"part": shown, "count": count, "most": wanted.longest}
        yield Violation(rule=f"{rule}.longest", key="first-line-long", line=piece.line, values=values)
    if not wanted.emoji and (emoji := _EMOJI.search(first)):
        values = {"part": shown, "emoji": emoji[0]}
        yield Violation(rule=f"{rule}.emoji", key="first-line-emoji", line=piece.line, values=values)


def _headings(written: ChannelText, rules: Rules) -> Iterator[Violation]:
    """Check that required headings come in order; others may stand between them."""
    before, at = "", 0
    for heading in rules.headings:
        names = [" ".join(name.casefold().split()) for name in heading.names]
        lines = [title.line for title in written.titles if is_called(title.text, names)]
        values: dict[str, object] = {"heading": heading.names[0], "before": before}
        if not lines and heading.needed:
            yield Violation(rule="headings", key="heading-missing", values=values)
        elif lines and lines[0] < at:
            yield Violation(rule="headings", key="heading-early", line=lines[0], values=values)
        elif lines:
            before, at = heading.names[0], lines[0]


def _markup(written: ChannelText, rules: Rules) -> Iterator[Violation]:
    if rules.longest_list is not None:
        for line, count in markup.lists(written.tokens):
            if count > rules.longest_list:
                values: dict[str, object] = {"count": count, "most": rules.longest_list}
                yield Violation(rule="longest_list", key="list-long", line=line, values=values)
    if rules.code_language:
        for line in markup.bare_fences(written.tokens):
            yield Violation(rule="code_language", key="code-untagged", line=line)
    if rules.html is not None:
        allowed = ", ".join(f"<{tag}>" for tag in rules.html)
        for line, tag in markup.foreign_html(written.tokens, rules.html):
            yield Violation(rule="html", key="html", line=line, values={"tag": tag, "allowed": allowed})
    words = [word.casefold() for word in rules.link]
    links = markup.links(written.tokens, written.body) if words else ()
    if words and not any(word in link.casefold() for link in links for word in words):
        yield Violation(rule="link", key="link-missing", values={"words": rules.link[0]})


def _timestamps(written: ChannelText, rules: Rules) -> Iterator[Violation]:
    if rules.timestamps is None:
        return
    stamps = [
        (number, _seconds(match[1]))
        for number, line in written.text.rows
        if (match := _TIMESTAMP.match(line))
    ]
    duration = written.parts.get("duration")
    said = _DURATION.match(duration.text) if duration else None
    if duration and not said:
        values: dict[str, object] = {"said": duration.text[:40]}
        yield Violation(rule="timestamps", key="duration-unread", line=duration.line, values=values)
    minutes = _minutes(said) if said else 0
    if not stamps and minutes > rules.timestamps.over:
        yield Violation(
            rule="timestamps", key="timestamps-missing", values={"minutes": rules.timestamps.over}
        )
    if not stamps:
        return
    first = stamps[0][0]
    if stamps[0][1]:
        yield Violation(rule="timestamps", key="timestamps-start", line=first)
    if len(stamps) < _FEWEST_CHAPTERS:
        values = {"count": len(stamps), "least": _FEWEST_CHAPTERS}
        yield Violation(rule="timestamps", key="timestamps-few", line=first, values=values)
    for (_, before), (line, after) in pairwise(stamps):
        if after <= before:
            yield Violation(rule="timestamps", key="timestamps-order", line=line)


def _seconds(stamp: str) -> int:
    total = 0
    for part in stamp.split(":"):
        total = total * 60 + int(part)
    return total


def _minutes(said: re.Match[str]) -> float:
    """`12:40`, `1:02:03`, `14`, `14 min`."""
    hours, minutes, seconds, alone = said.groups()
    return int(alone) if alone else int(hours or 0) * 60 + int(minutes) + int(seconds) / 60


def _line_over(piece: Piece, longest: int, counted: str) -> int:
    """The line of the first character that does not fit."""
    used = 0
    rows = [row for row in piece.rows if row[0] >= piece.line]
    for number, line in rows:
        used += size(line, counted)
        if used > longest:
            return number
        used += 1
    return rows[-1][0]
