"""Turns a document into text in a box of its own, which sees nothing else and has no network: the host never
parses it.
"""

import asyncio
import os
import shutil
import sysconfig
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path, PurePosixPath
from typing import Any

from nanoclaw.context.groups import Group
from nanoclaw.domain import bounds
from nanoclaw.domain.boxes import WORK, BoxLimits, BoxPlan, Mount, Sandbox
from nanoclaw.domain.context_files import MOST_DOCUMENT_BYTES
from nanoclaw.domain.errors import Refused
from nanoclaw.domain.ids import new_id
from nanoclaw.domain.text import storable, tidy_file_name
from nanoclaw.sandbox import inside
from nanoclaw.sandbox.untrusted_files import Reject, UnreadReason, copy_out

_SHOWN_AT = "/document"
_PACKAGES = "/opt/documents"
_MOST_PRINTED = 8 << 20  # bytes: a million characters, escaped
_PATIENCE = 90.0  # seconds
_LIMITS = BoxLimits(memory=1 << 30, processes=64, cpus=1.0, file_bytes=1 << 20, scratch_bytes=16 << 20)
_PROBLEMS = (
    "empty", "kind", "big", "encrypted", "broken", "no-text",
    "zip-many", "zip-path", "zip-link", "zip-big", "zip-nothing-new",
)  # fmt: skip


class Unreadable(Refused):
    """The document gives no text; the sentence says why."""


@dataclass(frozen=True, kw_only=True, slots=True)
class DocumentText:
    """What a document says. For an archive also the SHA-256 of each file, and a package's manifest with its
    folder.
    """

    text: str
    manifest: str | None = None
    base: str = ""
    digests: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True, slots=True)
class Documents:
    """`sandbox` gives the sandbox once its probes have held."""

    home: Path
    sandbox: Callable[[], Awaitable[Sandbox]]

    async def clear(self) -> None:
        """At a start, remove copies that a killed host left."""
        await asyncio.to_thread(shutil.rmtree, self._copies, ignore_errors=True)

    @property
    def _copies(self) -> Path:
        return self.home / "data" / "documents"

    async def read(self, path: str, group: Group) -> str:
        """`path` is as the agent sees it, below /work. Raises Unreadable, BoxRefused."""
        place = PurePosixPath(WORK, path)
        if not place.is_relative_to(WORK):
            raise Unreadable("document-outside")
        folder = self._copies / new_id("d")
        name = tidy_file_name(place.name, "document")
        try:
            await asyncio.to_thread(self._copy, group.name, str(place.relative_to(WORK)), folder / name)
            return _text(await self._converted(folder, name, group.company))
        finally:
            await asyncio.to_thread(shutil.rmtree, folder, ignore_errors=True)

    async def read_own(self, path: Path, company: str) -> DocumentText:
        """Read a file that the host itself keeps. Raises Unreadable, BoxRefused."""
        folder = self._copies / new_id("d")
        try:
            await asyncio.to_thread(_copy_own, path, folder / path.name)
            told = await self._converted(folder, path.name, company)
        finally:
            await asyncio.to_thread(shutil.rmtree, folder, ignore_errors=True)
        manifest, base, digests = told.get("manifest"), told.get("base"), told.get("digests")
        return DocumentText(
            text=_text(told),
            manifest=manifest if isinstance(manifest, str) else None,
            base=base if isinstance(base, str) else "",
            digests={str(name): str(each) for name, each in digests.items()}
            if isinstance(digests, dict)
            else {},
        )

    def _copy(self, group: str, relative: str, target: Path) -> None:
        target.parent.mkdir(mode=0o755, parents=True)
        try:
            files = os.open(self.home / "groups" / group / "files", os.O_RDONLY | os.O_DIRECTORY)
        except OSError:
            raise Unreadable("document-missing") from None
        try:
            if copy_out(files, relative, target, MOST_DOCUMENT_BYTES) == 0:
                raise Unreadable("document-empty")
            target.chmod(0o644)
        except Reject as refused:
            too_big = refused.reason is UnreadReason.SIZE
            megabytes = MOST_DOCUMENT_BYTES >> 20
            raise Unreadable(
                "document-too-big" if too_big else "document-missing", megabytes=megabytes
            ) from None
        except OSError:
            raise Unreadable("document-missing") from None
        finally:
            os.close(files)

    async def _converted(self, folder: Path, name: str, company: str) -> Mapping[str, Any]:
        """What the box says about the document. Not trusted: it may be anything."""
        if find_spec("markitdown") is None:
            raise Unreadable("document-no-packages")
        packages = Path(sysconfig.get_paths()["purelib"])
        plan = BoxPlan(
            name=new_id("document").replace("_", "-"),
            tenant=company,
            mounts=(
                inside.package_mount(),
                Mount(source=folder, target=_SHOWN_AT),
                Mount(source=packages, target=_PACKAGES),
            ),
            limits=_LIMITS,
        )
        sandbox = await self.sandbox()
        box = await sandbox.start(plan, inside.run_inside("document", f"{_SHOWN_AT}/{name}", _PACKAGES))
        try:
            async with asyncio.timeout(_PATIENCE):
                box.stdin.close()
                printed, _ = await asyncio.gather(
                    bounds.taken(box.stdout, _MOST_PRINTED), bounds.taken(box.stderr, 1000)
                )
                await box.wait()
        except TimeoutError:
            raise Unreadable("document-slow", seconds=round(_PATIENCE)) from None
        finally:
            await box.kill()
        return bounds.said_in(printed[0])


def _copy_own(source: Path, target: Path) -> None:
    """Copy the file for the box, so that it cannot touch what the host keeps."""
    target.parent.mkdir(mode=0o755, parents=True)
    shutil.copyfile(source, target)
    target.chmod(0o644)


def _text(told: Mapping[str, Any]) -> str:
    text, problem = told.get("text"), told.get("problem")
    if isinstance(text, str) and text.strip():
        return storable(text)
    # A box that ended without saying why was most likely killed for its memory.
    raise Unreadable(f"document-{problem}" if problem in _PROBLEMS else "document-big")
