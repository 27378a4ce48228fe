"""The texts of a batch as files of the group: one for each text, an index, and all of them in one."""

import asyncio
import csv
import io
import re
import zipfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from nanoclaw.domain.batches import Batch, BatchItem, ItemState, TextVerdict
from nanoclaw.domain.parcels import Attachment
from nanoclaw.domain.text import tidy_file_name
from nanoclaw.durable import batches
from nanoclaw.durable.store import Store
from nanoclaw.flows.human.card_text import SHORT
from nanoclaw.sandbox.file_placement import BATCHES, write_below

FOLDER = BATCHES  # among the files of the group
INDEX, ALL = "index.csv", "all.md"

_PAGE = 500
_TOPIC = 60  # characters of it in a file's name
_SENT = 2 << 20  # bytes: larger ones are only in the folder
_HEAD = ("number", "file", "topic", "verdict", "grade", "faults", "characters", "task")
_SEPARATOR = re.compile(r"[/\\.]")
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


@dataclass(frozen=True, kw_only=True, slots=True)
class Saved:
    """`folder` is below the files of the group; the archive is kept for the chat when it is small."""

    folder: str
    count: int
    archive: Attachment | None


@dataclass(frozen=True, kw_only=True, slots=True)
class BatchFiles:
    """`owner_of` gives the user id that a company's boxes run as; `fault` words one in a language."""

    store: Store
    home: Path
    owner_of: Callable[[str], int]
    fault: Callable[[str, Mapping[str, Any]], str]

    async def save(self, batch: Batch) -> Saved:
        """Save all texts that were not rejected. Repeating it writes the same files. Raises OSError."""
        lines: list[tuple[object, ...]] = []
        whole, archive, size = [f"# {batch.subject}\n"], io.BytesIO(), 0
        with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as packed:
            after = 0
            while found := await self._page(batch.id, after):
                after = found[-1].number
                kept = [item for item in found if _is_kept(item)]
                await asyncio.to_thread(self._write, batch, kept)
                for item in kept:
                    lines.append(self._line(batch, item))
                    whole.append(f"## {item.number}. {' '.join(item.topic.split())}\n\n{item.text}\n")
                    size += len(item.text)
                    if size <= _SENT:
                        packed.writestr(name_of(batch, item), item.text)
            index, all_of_it = _csv(lines), "\n".join(whole)
            for name, content in (
                (ALL, all_of_it),
                (INDEX, index),
            ):  # the index last: once it exists, everything does
                await asyncio.to_thread(self._put, batch, name, content.encode())
                if size <= _SENT:
                    packed.writestr(name, content)
        sent = await asyncio.to_thread(self._keep, batch, archive.getvalue()) if 0 < size <= _SENT else None
        return Saved(folder=f"{FOLDER}/{batch.id}", count=len(lines), archive=sent)

    async def _page(self, batch_id: str, after: int) -> list[BatchItem]:
        return await self.store.read(lambda tx: batches.items(tx, batch_id, after=after, limit=_PAGE))

    def _write(self, batch: Batch, items: list[BatchItem]) -> None:
        for item in items:
            self._put(batch, name_of(batch, item), item.text.encode())

    def _put(self, batch: Batch, name: str, content: bytes) -> None:
        files = self.home / "groups" / batch.group / "files"
        write_below(files, (FOLDER, batch.id), name, content, self.owner_of(batch.company))

    def _keep(self, batch: Batch, archive: bytes) -> Attachment:
        """Keep the archive as an attachment, complete or not at all."""
        folder, kept = self.home / "data" / "attachments", f"{batch.id}.zip"
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        fresh = folder / f".{kept}"
        fresh.write_bytes(archive)
        fresh.rename(folder / kept)
        return Attachment(
            name=f"batch-{batch.id[-SHORT:]}.zip",
            media_type="application/zip",
            size=len(archive),
            kept=kept,
        )

    def _line(self, batch: Batch, item: BatchItem) -> tuple[object, ...]:
        faults = "; ".join(self.fault(batch.language, fault) for fault in item.faults)
        return (
            item.number,
            name_of(batch, item),
            _cell(" ".join(item.topic.split())),
            item.verdict.value,
            item.grade if item.grade is not None else "",
            _cell(faults),
            len(item.text),
            item.task_id or "",
        )


def name_of(batch: Batch, item: BatchItem) -> str:
    """`007-why-coffee.md`: they sort as they are numbered."""
    digits = max(3, len(str(batch.items)))
    plain = " ".join(_SEPARATOR.sub(" ", item.topic).split())[:_TOPIC]
    topic = "-".join(tidy_file_name(plain, "text").lower().split())
    return f"{item.number:0{digits}d}-{topic}.md"


def _is_kept(item: BatchItem) -> bool:
    return item.state is ItemState.SUCCEEDED and item.verdict is not TextVerdict.REJECTED


def _csv(lines: list[tuple[object, ...]]) -> str:
    written = io.StringIO()
    rows: Iterator[tuple[object, ...]] = iter([_HEAD, *lines])
    csv.writer(written).writerows(rows)
    return written.getvalue()


def _cell(text: str) -> str:
    """A spreadsheet must not take a topic for a formula."""
    return f"'{text}" if text.startswith(_FORMULA) else text
