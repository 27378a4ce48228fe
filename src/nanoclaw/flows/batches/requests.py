"""The requests of a batch as files, `data/batches/{id}/part-{n}.jsonl`: one per line, as the vendor gets
them.

A file that exists is complete. If it is missing (another host, a restored workspace), it is written again."""

import asyncio
import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO

from pydantic_core import to_json

from nanoclaw.domain.batches import Batch, BatchItem, BatchPart
from nanoclaw.durable import batches, part_items
from nanoclaw.durable.store import Store, Tx

_LOT = 250
MakeRequest = Callable[[Batch, BatchItem, str], dict[str, Any]]


@dataclass(frozen=True, kw_only=True, slots=True)
class RequestFiles:
    store: Store
    folder: Path  # data/batches
    system: Callable[[Batch], str]  # the system prompt, the same for all items
    make_request: MakeRequest
    most_requests: int
    most_bytes: int

    def path(self, batch_id: str, part: int) -> Path:
        return self.folder / batch_id / f"part-{part}.jsonl"

    async def write(self, batch: Batch, part: int, most_of: Callable[[int], int]) -> list[tuple[int, int]]:
        """Write requests for items that are in no part yet, as many as fit. Returns each item with the most
        it can cost."""
        unwritten = partial(part_items.unwritten, batch_id=batch.id, beyond_part=part - 1, limit=_LOT)
        sizes = await self._write(batch, part, unwritten)
        return [(number, most_of(size)) for number, size in sizes]

    async def ensure(self, batch: Batch, part: BatchPart) -> Path:
        path = self.path(batch.id, part.number)
        if not await asyncio.to_thread(path.exists):
            of_part = partial(batches.items, batch_id=batch.id, part=part.number, limit=_LOT)
            await self._write(batch, part.number, of_part)
        return path

    async def forget(self, batch_id: str) -> None:
        """Remove the files once all results are in."""
        await asyncio.to_thread(shutil.rmtree, self.folder / batch_id, ignore_errors=True)

    async def _write(
        self, batch: Batch, part: int, read: Callable[..., list[BatchItem]]
    ) -> list[tuple[int, int]]:
        """Write lot by lot, so that neither the items nor their requests are ever all in memory."""
        path = self.path(batch.id, part)
        system = await asyncio.to_thread(self.system, batch)
        fresh = path.with_name(f".{path.name}")
        await asyncio.to_thread(lambda: path.parent.mkdir(mode=0o700, parents=True, exist_ok=True))
        written: list[tuple[int, int]] = []
        total = 0
        file: BinaryIO = await asyncio.to_thread(fresh.open, "wb")
        try:
            after = 0
            while lot := await self.store.read(partial(_page, read, after)):
                sizes = await asyncio.to_thread(self._put, file, batch, lot, system, len(written), total)
                written += sizes
                total += sum(size for _, size in sizes)
                after = lot[-1].number
                if len(sizes) < len(lot):
                    break
        finally:
            await asyncio.to_thread(file.close)
        await asyncio.to_thread(fresh.rename, path)
        return written

    def _put(
        self, file: BinaryIO, batch: Batch, lot: Sequence[BatchItem], system: str, count: int, total: int
    ) -> list[tuple[int, int]]:
        sizes: list[tuple[int, int]] = []
        for item in lot:
            params = self.make_request(batch, item, system)
            line = to_json({"custom_id": item.custom_id, "params": params})
            size = len(line) + 2
            if count and (count >= self.most_requests or total + size > self.most_bytes):
                break
            file.write(b"\n" + line if count else line)
            count, total = count + 1, total + size
            sizes.append((item.number, size))
        return sizes


def _page(read: Callable[..., list[BatchItem]], after: int, tx: Tx) -> list[BatchItem]:
    return read(tx, after=after)
