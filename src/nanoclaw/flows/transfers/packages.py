"""Flow B. What a session takes along: the folder `session_transfer/`, written completely or not at all."""

import asyncio
import shutil
import zipfile
from collections.abc import Awaitable, Callable, Container, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum, auto
from functools import partial
from pathlib import Path

from nanoclaw.domain.errors import Refused
from nanoclaw.domain.ids import new_id
from nanoclaw.domain.transfers import FOLDER, MANIFEST, Package, Target, Transfer
from nanoclaw.durable.clock import now
from nanoclaw.durable.store import Store
from nanoclaw.flows.transfers import manifest
from nanoclaw.flows.transfers.gathered import gather
from nanoclaw.flows.transfers.new_package import begin
from nanoclaw.flows.transfers.scrubber import Scrubber
from nanoclaw.flows.transfers.summaries import Summaries
from nanoclaw.flows.transfers.tokens import Tokens
from nanoclaw.sandbox.file_writers import FileWriters

Extras = Callable[[Transfer, Path, Scrubber], Awaitable[None]]
"""# the earliest date a zip can hold: the same package is the same bytes"""
_ZIPPED_AT = (1980, 1, 1, 0, 0, 0)  # the earliest that a zip can say: the same package is the same bytes


class Condition(Enum):
    """The condition of a package on this machine, compared with what was packed and shown."""

    INTACT = auto()
    MISSING = auto()  # all of it or a part; the rest is as it was packed
    ALTERED = auto()  # something was changed or added


@dataclass(frozen=True, kw_only=True, slots=True)
class Packages:
    """`new_scrubber` is given texts whose addresses and numbers are public."""

    store: Store
    home: Path
    writers: FileWriters
    new_scrubber: Callable[[Sequence[str]], Scrubber]
    summaries: Summaries
    tokens: Tokens
    extras: Mapping[Target, Extras] = field(default_factory=dict)

    async def pack(self, transfer: Transfer) -> Package:
        """Write the package again. Raises Refused if there is nothing to take along."""
        fresh = self.folder(transfer.id).with_name(f".{new_id('x')}.new")
        for folder in (fresh.parent.parent, fresh.parent, fresh):
            folder.mkdir(mode=0o700, exist_ok=True)
        await asyncio.to_thread(_tidy, fresh)
        try:
            return await self._pack(transfer, fresh)
        finally:
            await asyncio.to_thread(shutil.rmtree, fresh, ignore_errors=True)

    async def _pack(self, transfer: Transfer, fresh: Path) -> Package:
        gathered = await self.store.read(partial(gather, transfer=transfer, at=now()))
        if not gathered.said:
            raise Refused("transfer-empty")
        written = await asyncio.to_thread(self.writers.written, gathered.session.group)
        begun = partial(begin, self.home, transfer, gathered, fresh, self.new_scrubber, written)
        packing = await asyncio.to_thread(begun)
        summary = await self.summaries.of(packing)
        texts = await asyncio.to_thread(packing.write, summary, fresh)
        if add := self.extras.get(transfer.target):
            await add(transfer, fresh, packing.scrubber)
        content, body = await asyncio.to_thread(manifest.made, transfer, fresh)
        tokens = await self.tokens.of(transfer, texts)
        await asyncio.to_thread(self._put, transfer.id, fresh, content)
        return Package(
            content_hash=manifest.hash_of(content), manifest=body, removed=packing.removed(), tokens=tokens
        )

    def _put(self, transfer_id: str, fresh: Path, content: bytes) -> None:
        (fresh / MANIFEST).write_bytes(content)
        self._zip(transfer_id).unlink(missing_ok=True)
        target = self.folder(transfer_id)
        shutil.rmtree(target, ignore_errors=True)
        fresh.rename(target)

    def folder(self, transfer_id: str) -> Path:
        return self.home / "data" / "transfers" / transfer_id / FOLDER

    def zipped(self, transfer_id: str) -> Path:
        """The package as one file, made when first asked for. Blocks: use a thread."""
        path = self._zip(transfer_id)
        if path.exists():
            return path
        folder, fresh = self.folder(transfer_id), path.with_name(f".{new_id('x')}.new")
        with zipfile.ZipFile(fresh, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, source in [*manifest.files_of(folder), (MANIFEST, folder / MANIFEST)]:
                about = zipfile.ZipInfo(f"{FOLDER}/{name}", _ZIPPED_AT)
                about.external_attr = (0o100700 if name.endswith(".sh") else 0o100600) << 16
                about.compress_type = zipfile.ZIP_DEFLATED
                archive.writestr(about, source.read_bytes())
        return fresh.rename(path)

    def condition(self, transfer: Transfer, earlier: Container[str] = ()) -> Condition:
        """Whether the package is as it was packed: what leaves must be what was reviewed. Blocks: use a
        thread.

        `earlier`: hashes of packages of this transfer that were replaced. A host that packed one of them
        still has it, without anybody having altered anything; so does a host that died or slept before it
        could record what it packed, whose package agrees with its own manifest. Neither may leave. Without a
        manifest nobody can tell which package the rest belongs to, so it counts as missing. Raises OSError if
        it cannot be read.
        """
        folder, listed = self.folder(transfer.id), (transfer.manifest or {}).get("files", {})
        try:
            written = (folder / MANIFEST).read_bytes()
            found = {name: manifest.digest(path) for name, path in manifest.files_of(folder)}
        except FileNotFoundError:
            return Condition.MISSING
        if (known := manifest.hash_of(written)) != transfer.content_hash:
            is_ours = known in earlier or manifest.is_of(transfer.id, written, found)
            return Condition.MISSING if is_ours else Condition.ALTERED
        if any(name not in listed or sha256 != listed[name]["sha256"] for name, sha256 in found.items()):
            return Condition.ALTERED
        return Condition.INTACT if listed.keys() <= found.keys() else Condition.MISSING

    def remove(self, transfer_id: str) -> None:
        """Blocks: use a thread."""
        shutil.rmtree(self.folder(transfer_id).parent, ignore_errors=True)

    def _zip(self, transfer_id: str) -> Path:
        return self.folder(transfer_id).with_name(f"{transfer_id}.zip")


def _tidy(fresh: Path) -> None:
    """Remove what a killed host had begun."""
    for begun in fresh.parent.glob(".*.new"):
        if begun != fresh:
            shutil.rmtree(begun, ignore_errors=True)
