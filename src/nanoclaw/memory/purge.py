"""Really removes entries: from the files, and (by `PurgeFilter`) from every version of them that git keeps.

What is left of an entry is a line with a hash, by which a merge that brings it back is recognised.
"""

import hashlib
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from nanoclaw.memory import claude_md
from nanoclaw.memory.claude_md import Sections
from nanoclaw.memory.entries import (
    BadLine,
    Decision,
    Fact,
    Line,
    Provenance,
    Tombstone,
    file_of,
    new_purge_id,
    read_line,
)
from nanoclaw.memory.files import MemoryFiles
from nanoclaw.memory.sections import LEAST_WORDS


def purge_hash(entry_id: str, text: str) -> str:
    return hashlib.sha256(f"{entry_id}\n{text}".encode()).hexdigest()


@dataclass(frozen=True, kw_only=True, slots=True)
class Purge:
    """What was removed from the files."""

    entries: tuple[str, ...] = ()  # including those that say exactly the same
    tombstones: tuple[Tombstone, ...] = ()
    files: tuple[str, ...] = ()  # that were changed
    still_in: tuple[str, ...] = ()  # files where a person has to remove the words by hand


def purge(
    files: MemoryFiles, company: str, ids: Sequence[str], at: datetime, provenance: Provenance | None = None
) -> Purge:
    """Remove the entries from all files. If killed anywhere, the same call continues. Blocks."""
    with files.locked(company):
        found = _found(files, company, ids)
        known = {line.purged for _, line in files.lines(company) if isinstance(line, Tombstone)}
        tombstones = [
            (line, _tombstone(line, at, provenance))
            for line in found
            if purge_hash(line.id, line.text) not in known
        ]
        # First: a line removed without a mark could come back.
        for line, mark in tombstones:
            files.append_to(company, file_of(line), [mark])
        purging = PurgeFilter([*ids, *(line.id for line in found)], [line.text for line in found])
        # Then CLAUDE.md, while the lines still say what to look for.
        is_changed, is_left = _sections(files, company, purging)
        changed = _rewrite(files, company, purging)
        return Purge(
            entries=tuple(dict.fromkeys([*ids, *(line.id for line in found)])),
            tombstones=tuple(mark for _, mark in tombstones),
            files=(*changed, *((claude_md.FILE,) if is_changed else ())),
            still_in=(claude_md.FILE,) if is_left else (),
        )


def drop_returned(files: MemoryFiles, company: str) -> list[str]:
    """Remove what a merge brought back; returns the ids. Reads everything: for files that came from elsewhere."""
    with files.locked(company):
        purged = {line.purged for _, line in files.lines(company) if isinstance(line, Tombstone)} - {None}
        if not purged:
            return []
        back = [line for _, line in files.lines(company) if _is_purged(line, purged)]
        if back:
            ids = [line.id for line in back]
            _rewrite(files, company, PurgeFilter(ids, []))
        return list(dict.fromkeys(line.id for line in back))


class PurgeFilter:
    """Removes entries from any version of a file. Give it all versions to learn from first. Then ids suffice:
    what an entry said is found in the versions that hold it.
    """

    def __init__(self, ids: Sequence[str], texts: Sequence[str] = ()) -> None:
        self._ids = {each for each in ids if each}
        self._texts = {each for each in texts if each}

    def learn(self, path: str, content: bytes) -> None:
        if _is_memory(path) and path.endswith(".jsonl") and self._mentions(content):
            for line in map(read_line, content.split(b"\n")):
                if isinstance(line, (Fact, Decision)) and line.id in self._ids:
                    self._texts.add(line.text)

    def __call__(self, path: str, content: bytes) -> bytes:
        """The content without the entries; unchanged if it holds none."""
        if not _is_memory(path):
            return content
        if path.endswith(".jsonl"):
            return self._without_lines(content)
        if not path.endswith("/CLAUDE.md"):
            return content
        text = content.decode("utf-8", "surrogateescape")
        return self.without_items(Sections.read(text)).text.encode("utf-8", "surrogateescape")

    def without_items(self, sections: Sections) -> Sections:
        for text in self._texts:
            sections = sections.without_words(text, is_part=len(text) >= LEAST_WORDS)
        return sections

    def is_in(self, text: str) -> bool:
        return any(words in text for words in self._texts if len(words) >= LEAST_WORDS)

    def drops(self, raw: bytes) -> bool:
        """Whether this line goes: it is the entry, says exactly the same, or is a broken piece with its words."""
        line = read_line(raw)
        if isinstance(line, BadLine):
            return any(f'"{each}"'.encode() in raw for each in self._ids) or any(
                form in raw for text in self._texts if len(text) >= LEAST_WORDS for form in _forms(text)
            )
        return isinstance(line, (Fact, Decision)) and (line.id in self._ids or line.text in self._texts)

    def _without_lines(self, content: bytes) -> bytes:
        if not self._mentions(content) and not self._holds_text(content):
            return content
        return b"".join(
            raw
            for raw in content.splitlines(keepends=True)
            if not raw.strip() or not (self._mentions(raw) or self._holds_text(raw)) or not self.drops(raw)
        )

    def _mentions(self, content: bytes) -> bool:
        return any(each.encode() in content for each in self._ids)

    def _holds_text(self, content: bytes) -> bool:
        return any(form in content for text in self._texts for form in _forms(text))


def _is_memory(path: str) -> bool:
    """Only memory: what people wrote into the context, or anywhere else, is theirs."""
    return "/memory/" in f"/{path}"


def _tombstone(line: Fact | Decision, at: datetime, provenance: Provenance | None) -> Tombstone:
    return Tombstone(
        id=new_purge_id(at),
        timestamp=at,
        forgets=line.id,
        purged=purge_hash(line.id, line.text),
        provenance=provenance,
    )


def _forms(text: str) -> Iterator[bytes]:
    """The forms in which a text may appear in JSON."""
    for is_ascii in (False, True):
        form = json.dumps(text, ensure_ascii=is_ascii)[1:-1].encode("utf-8", "replace")
        if form:
            yield form


def _found(files: MemoryFiles, company: str, ids: Sequence[str]) -> list[Fact | Decision]:
    """The entries, and those that say exactly the same."""
    wanted = set(ids)
    texts = {
        line.text
        for _, line in files.lines(company)
        if isinstance(line, (Fact, Decision)) and line.id in wanted
    }
    found = {
        (line.id, line.text): line
        for _, line in files.lines(company)
        if isinstance(line, (Fact, Decision)) and (line.id in wanted or line.text in texts)
    }
    return list(found.values())


def _rewrite(files: MemoryFiles, company: str, purging: PurgeFilter) -> list[str]:
    changed = []
    for file in files.files(company):
        gone = set()
        for raw, start, _end in files.raw_lines(company, file):
            if purging.drops(raw.raw if isinstance(raw, BadLine) else raw):
                gone.add(start)
        if gone:
            files.replace(
                company, file, (piece for start, piece in files.pieces(company, file) if start not in gone)
            )
            changed.append(file)
    return changed


def _sections(files: MemoryFiles, company: str, purging: PurgeFilter) -> tuple[bool, bool]:
    """Whether CLAUDE.md was changed, and whether words are left outside list items."""
    try:
        before = files.read_text(company, claude_md.FILE, claude_md.MOST_BYTES) or ""
    except OSError:
        return False, True
    made = purging.without_items(Sections.read(before))
    if made.text != before:
        files.replace(company, claude_md.FILE, [made.text.encode("utf-8", "surrogateescape")])
    return made.text != before, purging.is_in(made.text)


def _is_purged(line: Line, purged: set[str | None] | set[str]) -> bool:
    return isinstance(line, (Fact, Decision)) and purge_hash(line.id, line.text) in purged
