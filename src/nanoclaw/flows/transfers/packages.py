"""Flow B. What a session takes along: the folder `session_transfer/`, written whole or not at all."""

import asyncio
import shutil
import zipfile
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from nanoclaw.context.groups import Groups
from nanoclaw.domain.ids import new_id
from nanoclaw.domain.transfers import FOLDER, MANIFEST, TRANSFER_MD, Package, Target, Transfer
from nanoclaw.durable.store import Store
from nanoclaw.flows.transfers import manifest
from nanoclaw.flows.transfers.scrubbing import Scrubber

Extras = Callable[[Transfer, Path, Scrubber], Awaitable[None]]
"""Adds what only this target needs to the folder, scrubbed, before the manifest is made."""
_ZIPPED_AT = (1980, 1, 1, 0, 0, 0)  # the earliest that a zip can say: the same package is the same bytes


@dataclass(frozen=True, kw_only=True, slots=True)
class Packages:
    store: Store
    home: Path
    groups: Groups
    new_scrubber: Callable[[], Scrubber]
    extras: Mapping[Target, Extras] = field(default_factory=dict)

    async def pack(self, transfer: Transfer) -> Package:
        """Write the package anew. Raises Refused when there is nothing to take along."""
        fresh = self.folder(transfer.id).with_name(f".{new_id('x')}.new")
        await asyncio.to_thread(fresh.mkdir, mode=0o700, parents=True)
        try:
            return await self._pack(transfer, fresh)
        finally:
            await asyncio.to_thread(shutil.rmtree, fresh, ignore_errors=True)

    async def _pack(self, transfer: Transfer, fresh: Path) -> Package:
        scrubber = self.new_scrubber()
        await asyncio.to_thread((fresh / TRANSFER_MD).write_text, f"Transfer ID: {transfer.id}\n", "utf-8")
        if add := self.extras.get(transfer.target):
            await add(transfer, fresh, scrubber)
        content, body = await asyncio.to_thread(manifest.made, transfer, fresh)
        await asyncio.to_thread(self._put, transfer.id, fresh, content)
        return Package(
            content_hash=manifest.hash_of(content), manifest=body, removed=dict(scrubber.removed), tokens={}
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
        """The package in one file. Made when it is first asked for. Blocks: use a thread."""
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

    def intact(self, transfer: Transfer) -> bool:
        """Whether it is as it was packed: what was looked at must be what leaves. Blocks: use a thread."""
        folder = self.folder(transfer.id)
        try:
            content = (folder / MANIFEST).read_bytes()
            files: dict[str, bytes | str] = {
                name: manifest.digest(path) for name, path in manifest.files_of(folder)
            }
        except OSError:
            return False
        return not manifest.verify(files, content, transfer.content_hash or "")

    def remove(self, transfer_id: str) -> None:
        """Blocks: use a thread."""
        shutil.rmtree(self.folder(transfer_id).parent, ignore_errors=True)

    def _zip(self, transfer_id: str) -> Path:
        return self.folder(transfer_id).with_name(f"{transfer_id}.zip")
