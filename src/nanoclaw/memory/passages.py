"""Passages of the context files: a prompt gets those that fit the message, not whole files."""

import asyncio
import hashlib
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

import sqlalchemy as sa

from nanoclaw.domain.memory import Entry, EntryKind
from nanoclaw.durable.knowledge_tables import memory_entries, memory_files
from nanoclaw.durable.store import Store, Tx
from nanoclaw.memory import analyser, index

LONGEST = 1200  # characters
_LARGEST_FILE = 1_000_000  # bytes
_HEADING = re.compile(r"(#{1,6})\s+(.+?)\s*#*\s*")
_FENCE = re.compile(r"\s{0,3}(```|~~~)")
_SENTENCE = re.compile(r"(?<=[.!?…])\s+")


def passages_of(company: str, name: str, text: str, at: datetime) -> list[Entry]:
    """`name` is like product/pricing. A passage stays within its heading; the headings above it are its topic."""
    return [
        Entry(
            company=company,
            id=f"{name}#{number}",
            kind=EntryKind.CONTEXT,
            text=passage,
            at=at,
            file=f"context/{name}.md",
            domain=name.partition("/")[0],
            topic=" > ".join(headings),
            related=(name.rpartition("/")[2].replace("_", " "),),
            source=name,
            is_public=True,
        )
        for number, (headings, passage) in enumerate(_passages(text), 1)
    ]


class ContextIndex:
    """Keeps the index of `companies/*/context` fresh. Nothing is read while no file has changed."""

    def __init__(self, home: Path, store: Store) -> None:
        self._home = home
        self._store = store
        self._seen: dict[str, dict[str, _Stamp]] = {}
        self._refreshing: dict[str, asyncio.Lock] = {}

    async def refresh(self, company: str) -> None:
        """Cheap if nothing has changed: one `stat` per file."""
        folder = self._home / "companies" / company / "context"
        async with self._refreshing.setdefault(company, asyncio.Lock()):
            found = await asyncio.to_thread(_stamps, folder)
            if found == self._seen.get(company):
                return
            known = await self._store.read(partial(_known, company=company))
            changed = {
                name: stamp for name, stamp in found.items() if known.get(name, (None, ""))[0] != stamp
            }
            read = await asyncio.to_thread(_read, company, folder, changed, known)
            gone = set(known) - set(found)
            if read or gone:
                await self._store.write(partial(_replace, company=company, read=read, gone=gone))
            self._seen[company] = found


@dataclass(frozen=True, slots=True)
class _Stamp:
    bytes: int
    mtime: int


@dataclass(frozen=True, slots=True)
class _Read:
    stamp: _Stamp
    digest: str
    passages: list[Entry] | None  # None: only its time has changed


def _stamps(folder: Path) -> dict[str, _Stamp]:
    found: dict[str, _Stamp] = {}
    for path in folder.glob("**/*.md"):
        try:
            stat = path.stat()
        except OSError:  # deleted meanwhile
            continue
        found[path.relative_to(folder).with_suffix("").as_posix()] = _Stamp(stat.st_size, stat.st_mtime_ns)
    return found


def _known(tx: Tx, company: str) -> dict[str, tuple[_Stamp | None, str]]:
    rows = tx.execute(
        sa.select(memory_files).where(
            memory_files.c.company == company, memory_files.c.file.startswith("context/")
        )
    )
    return {
        row.file.removeprefix("context/").removesuffix(".md"): (_Stamp(row.bytes, row.mtime), row.digest)
        for row in rows
    }


def _read(
    company: str, folder: Path, changed: Mapping[str, _Stamp], known: Mapping[str, tuple[_Stamp | None, str]]
) -> dict[str, _Read]:
    """Runs in a thread: the words of Ukrainian files load the dictionary."""
    found: dict[str, _Read] = {}
    for name, stamp in changed.items():
        try:
            raw = (folder / f"{name}.md").read_bytes()[:_LARGEST_FILE]
        except OSError:
            continue
        digest = hashlib.sha256(raw).hexdigest()
        passages = None
        if known.get(name, (None, ""))[1] != digest:
            at = datetime.fromtimestamp(stamp.mtime / 1e9, UTC)
            passages = passages_of(company, name, raw.decode("utf-8", errors="replace"), at)
            for passage in passages:
                analyser.analyse(passage.text)  # so that the words are known when they are written
        found[name] = _Read(stamp, digest, passages)
    analyser.give_back()
    return found


def _replace(tx: Tx, company: str, read: Mapping[str, _Read], gone: set[str]) -> None:
    for name in (*read, *gone):
        file = f"context/{name}.md"
        tx.execute(
            sa.delete(memory_files).where(memory_files.c.company == company, memory_files.c.file == file)
        )
        each = read.get(name)
        if each is None or each.passages is not None:
            index.drop(tx, company, file)
        if each is not None:
            index.put(tx, each.passages or ())
            stamp = {"bytes": each.stamp.bytes, "mtime": each.stamp.mtime, "digest": each.digest}
            tx.execute(sa.insert(memory_files).values(company=company, file=file, **stamp))


def forget_context(tx: Tx, company: str) -> None:
    """Forget the passages, so that the next look reads every file again."""
    where = memory_files.c.company == company, memory_files.c.file.startswith("context/")
    tx.execute(sa.delete(memory_files).where(*where))
    rows = sa.select(memory_entries.c.file).where(
        memory_entries.c.company == company, memory_entries.c.kind == EntryKind.CONTEXT.value
    )
    for file in set(tx.execute(rows).scalars()):
        index.drop(tx, company, file)


def _passages(text: str) -> Iterator[tuple[tuple[str, ...], str]]:
    """Headings and the text below them, in pieces of manageable length."""
    for headings, lines in _sections(text):
        body = "\n".join(lines).strip()
        if not body:
            continue
        for piece in _pieces(body):
            yield headings, piece


def _sections(text: str) -> Iterator[tuple[tuple[str, ...], list[str]]]:
    headings: list[tuple[int, str]] = []
    lines: list[str] = []
    is_code = False
    for line in _without_front_matter(text).splitlines():
        is_code ^= bool(_FENCE.match(line))
        heading = None if is_code else _HEADING.fullmatch(line)
        if heading is None:
            lines.append(line)
            continue
        yield tuple(name for _, name in headings), lines
        level, lines = len(heading[1]), []
        headings = [*(each for each in headings if each[0] < level), (level, heading[2])]
    yield tuple(name for _, name in headings), lines


def _without_front_matter(text: str) -> str:
    text = text.lstrip("\ufeff").replace("\r\n", "\n")
    if text.startswith("---\n") and (end := text.find("\n---\n", 4)) != -1:
        return text[end + 5 :]
    return text


def _pieces(body: str) -> Iterator[str]:
    """Split by paragraphs, then by sentences, finally by length."""
    piece = ""
    for paragraph in _shortened(body):
        if piece and len(piece) + len(paragraph) + 2 > LONGEST:
            yield piece
            piece = paragraph
        else:
            piece = f"{piece}\n\n{paragraph}" if piece else paragraph
    if piece:
        yield piece


def _shortened(body: str) -> Iterator[str]:
    for paragraph in re.split(r"\n\s*\n", body):
        if len(paragraph) <= LONGEST:
            yield paragraph.strip("\n")
            continue
        for part in (part for line in paragraph.splitlines() for part in _SENTENCE.split(line)):
            yield from (part[start : start + LONGEST] for start in range(0, len(part), LONGEST))
