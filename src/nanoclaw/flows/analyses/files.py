"""The documents that people brought, as the host keeps them: `data/analyses/{id}/`, where no box can write."""

import asyncio
import errno
import hashlib
import os
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from nanoclaw.domain.context_files import DOCUMENT_KINDS, MOST_DOCUMENT_BYTES
from nanoclaw.domain.errors import Refused
from nanoclaw.domain.parcels import Attachment
from nanoclaw.domain.text import tidy_file_name
from nanoclaw.domain.transfers import Analysis
from nanoclaw.durable.clock import now
from nanoclaw.flows.company_context.documents import Unreadable
from nanoclaw.flows.human.card_text import SHORT
from nanoclaw.sandbox.untrusted_files import Reject, UnreadReason, copy_out

KINDS = (*DOCUMENT_KINDS, ".zip")
_OTHERWISE = "analysis"
_FULL = (errno.ENOSPC, errno.EDQUOT)
_WRITTEN_WITHIN = 600  # seconds


@dataclass(frozen=True, kw_only=True, slots=True)
class KeptDocument:
    name: str
    sha256: str


def tidy_document_name(name: str) -> str:
    """Raises Unreadable unless the name is of a kind that can be read."""
    tidy = tidy_file_name(name, _OTHERWISE)
    if Path(tidy).suffix.lower() not in KINDS:
        raise Unreadable("analysis-kind", name=tidy)
    return tidy


@dataclass(frozen=True, kw_only=True, slots=True)
class AnalysisFiles:
    home: Path

    def path(self, analysis: Analysis) -> Path:
        return self.folder(analysis.id) / analysis.file_name

    def folder(self, analysis_id: str) -> Path:
        return self.home / "data" / "analyses" / analysis_id

    async def keep(self, analysis_id: str, name: str, content: bytes | Path) -> KeptDocument:
        """Keep what the page, a command or git hands in. Raises Unreadable."""
        tidy = tidy_document_name(name)
        size = len(content) if isinstance(content, bytes) else (await asyncio.to_thread(content.stat)).st_size
        if size > MOST_DOCUMENT_BYTES:
            raise Unreadable("document-too-big", megabytes=MOST_DOCUMENT_BYTES >> 20)
        if size == 0:
            raise Unreadable("document-empty")

        def write(target: Path) -> None:
            if isinstance(content, bytes):
                target.write_bytes(content)
            else:
                shutil.copyfile(content, target)

        return await asyncio.to_thread(self._put, analysis_id, tidy, write)

    async def take(self, analysis: Analysis, group: str, path: str) -> KeptDocument:
        """Copy a file from the group's files, where agents can write. Raises Unreadable."""

        def copy(target: Path) -> None:
            try:
                files = os.open(self.home / "groups" / group / "files", os.O_RDONLY | os.O_DIRECTORY)
            except OSError:
                raise Unreadable("document-missing") from None
            try:
                if copy_out(files, path, target, MOST_DOCUMENT_BYTES) == 0:
                    raise Unreadable("document-empty")
            except Reject as refused:
                key = "document-too-big" if refused.reason is UnreadReason.SIZE else "document-missing"
                raise Unreadable(key, megabytes=MOST_DOCUMENT_BYTES >> 20) from None
            except OSError as error:
                if error.errno in _FULL:
                    raise
                raise Unreadable("document-missing") from None
            finally:
                os.close(files)

        return await asyncio.to_thread(self._put, analysis.id, analysis.file_name, copy)

    def _put(self, analysis_id: str, name: str, write: Callable[[Path], None]) -> KeptDocument:
        """Write all of it or nothing: a host killed here repeats it. Raises Refused when the disk is full."""
        folder = self.folder(analysis_id)
        fresh = folder / f".new-{analysis_id}"
        try:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            fresh.unlink(missing_ok=True)
            write(fresh)
        except OSError as error:
            shutil.rmtree(folder, ignore_errors=True)  # a half-written folder would keep the disk full
            if error.errno in _FULL:
                raise Refused("disk-full") from None
            raise
        with fresh.open("rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
        fresh.rename(folder / name)
        return KeptDocument(name=name, sha256=digest)

    async def remove(self, analysis_id: str) -> None:
        await asyncio.to_thread(shutil.rmtree, self.folder(analysis_id), ignore_errors=True)

    async def left(self) -> list[str]:
        """The ids of all analyses with kept files, except those that another host may be writing now."""
        before = now().timestamp() - _WRITTEN_WITHIN

        def look() -> list[str]:
            folder = self.home / "data" / "analyses"
            found = folder.iterdir() if folder.is_dir() else ()
            return [each.name for each in found if each.stat().st_mtime < before]

        return await asyncio.to_thread(look)

    async def keep_listing(self, analysis: Analysis, text: str) -> Attachment:
        """Keep the full list of findings as a document to send."""
        kept, content = f"{analysis.id}.md", text.encode()

        def write() -> None:
            folder = self.home / "data" / "attachments"
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            fresh = folder / f".{kept}"
            fresh.write_bytes(content)
            fresh.rename(folder / kept)

        await asyncio.to_thread(write)
        return Attachment(
            name=f"analysis-{analysis.id[-SHORT:]}.md",
            media_type="text/markdown",
            size=len(content),
            kept=kept,
        )
