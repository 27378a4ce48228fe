"""Decides what a pull may change in a skill at once: only its prose. What the front matter grants or demands
stays.

Both versions are read by the reader that the host itself uses. A front matter that another reader (Claude
Code has its own) might understand differently is held: no anchors, tags, duplicate keys, tabs or odd line
ends.
"""

import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import yaml

from nanoclaw.context import front_matter
from nanoclaw.context.front_matter import Flaw
from nanoclaw.context.skills import Skill, parse_skill
from nanoclaw.domain.errors import BadSkill
from nanoclaw.git.paths import is_skill

MOST_BYTES = 100_000  # of a skill that nobody reviewed: each of its turns pays for it
_PROSE = {"description"}
# What a new skill may have: these grant nothing, and take no words or places from others.
_HARMLESS = {"name", "description", "context", "targets", "results"}


@dataclass(frozen=True, kw_only=True, slots=True)
class SkillRights:
    home: Path

    def leaves_rights(self, path: str, before: bytes | None, after: bytes | None) -> bool:
        """Whether the file may take effect unreviewed; `before` is what is in effect now."""
        if after is None or not is_skill(path):
            return False
        fresh = _read(path, after)
        if fresh is None:
            return False
        if before is None:
            given = fresh.head.model_dump(exclude_defaults=True).keys()
            return given <= _HARMLESS and fresh.name not in self._other_names(path)
        known = _read(path, before)
        return known is not None and _rights(known) == _rights(fresh)

    def _other_names(self, path: str) -> set[str]:
        """The names of the other skills. Of two skills with one name the second is ignored: a new one must
        not come first.
        """
        found = set()
        for file in (self.home / "skills").glob("*/*/*/SKILL.md"):
            if file != self.home / path:
                try:
                    found.add(parse_skill(file, file.read_text("utf-8", errors="replace")).name)
                except (OSError, BadSkill):
                    continue
        return found


def _rights(skill: Skill) -> dict[str, object]:
    return skill.head.model_dump(exclude=_PROSE)


def _read(path: str, content: bytes) -> Skill | None:
    """None if it cannot be read, or not by every reader in the same way."""
    if len(content) > MOST_BYTES:
        return None
    try:
        text = content.decode("utf-8")
        skill = parse_skill(Path(path), text)
    except (UnicodeDecodeError, BadSkill):
        return None
    head = front_matter.read(text.splitlines())
    if isinstance(head, Flaw) or not _is_plain(text, head.close):
        return None
    return skill


def _is_plain(text: str, close: int) -> bool:
    lines = text.replace("\r\n", "\n").split("\n")
    if text.splitlines() != (lines if lines[-1] else lines[:-1]):
        return False  # a line end that only some readers recognise
    if any(unicodedata.category(each) in ("Cc", "Cf", "Co", "Cs") for each in text if each not in "\n\r\t"):
        return False  # invisible in an editor
    head = "\n".join(lines[1 : close - 1])
    if lines[0] != "---" or lines[close - 1] != "---" or "\t" in head:
        return False
    return all(_is_plain_event(each) for each in yaml.parse(head, yaml.BaseLoader)) and not _doubled(head)


def _is_plain_event(event: yaml.Event) -> bool:
    if isinstance(event, yaml.AliasEvent) or getattr(event, "anchor", None):
        return False
    return not (isinstance(event, yaml.NodeEvent) and getattr(event, "tag", None))


def _doubled(head: str) -> bool:
    def tables(node: yaml.Node) -> Iterator[yaml.MappingNode]:
        if isinstance(node, yaml.MappingNode):
            yield node
            for _, value in node.value:
                yield from tables(value)
        elif isinstance(node, yaml.SequenceNode):
            for value in node.value:
                yield from tables(value)

    root = yaml.compose(head, yaml.BaseLoader)
    for table in tables(root) if root else ():
        names = [unicodedata.normalize("NFKC", str(key.value)).casefold() for key, _ in table.value]
        if len(names) != len(set(names)) or "<<" in names:
            return True
    return False
